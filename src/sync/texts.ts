/** Texts of errors that only sessions have. */
export const sessionTexts: Readonly<Record<string, string>> = {
  'session-duplicate': 'The session has a {model} with the id {id} already',
};
