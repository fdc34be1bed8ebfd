/** Texts of errors that only stores have. */
export const storeTexts: Readonly<Record<string, string>> = {
  duplicate: 'The store has a {model} with the id {id} already',
  foreign: 'The store takes records of {model} only',
};
