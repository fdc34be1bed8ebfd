/** Texts about bodies that a form cannot carry. */
export const formErrorMessages = {
  'form-list':
    "A form holds one record, but the body has a list of them: leave out `batchActions` and `allowSingle: false`, or send JSON (`writer: { type: 'json' }`)",
} as const;
