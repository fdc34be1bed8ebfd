/** Texts about values that may not be saved. */
export const valueMessages = {
  validation: 'Not valid: {detail}',
  'id-required': "is required: it is the id of the {model}, which the application gives (identifier: 'natural')",
  'id-not-sent':
    "A new {model} does not send its id '{field}': if the application gives it, set `identifier: 'natural'` in `define`",
  required: 'is required',
  type: 'is no {type}',
  length: 'must be {min} to {max} characters long',
  minLength: 'must be at least {min} characters long',
  maxLength: 'must be at most {max} characters long',
  range: 'must be between {min} and {max}',
  min: 'must be at least {min}',
  max: 'must be at most {max}',
  format: 'has the wrong format',
  email: 'is no e-mail address',
  url: 'is no http or https address',
  inclusion: 'must be one of {list}',
  exclusion: 'must not be one of {list}',
} as const;
