/** Texts of errors that only stores have. */
export const storeTexts: Readonly<Record<string, string>> = {
  duplicate: 'The store has a {model} with the id {id} already',
  'query-partial': 'Only a part is loaded: {what} it would mislead. Set remote{remote} or `partial: true`',
  foreign: 'The store takes records of {model} only',
};
