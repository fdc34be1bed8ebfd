/** Texts about values that may not be saved. Those of issues follow the name of the field: "name is required". */
export const valueMessages = {
  validation: 'Not valid: {detail}',
  'no-reason': 'no reason was given',
  // Ids
  'id-required': 'is required{remedy}',
  // Types; a type without a text of its own has that of `type`
  type: "must be of the type '{type}'",
  'type-string': 'must be a text',
  'type-int': 'must be a whole number',
  'type-number': 'must be a number',
  'type-boolean': 'must be true or false',
  'type-date': 'must be a date',
  'type-dateonly': 'must be a day, such as 2026-01-31',
  'type-decimal': 'must be a decimal number, such as "12.50"',
  'type-bigint': 'must be a whole number',
  'schema-async': 'has an asynchronous schema, which a field cannot use: check what takes time before `save()`',
  codec: 'cannot be sent as {format}: {why}{remedy}',
  json: 'cannot be sent as JSON: {why}{remedy}',
  'json-file': 'is a file, which JSON cannot carry{remedy}',
  // Validators
  required: 'is required',
  length: 'must be {min} to {max} characters long',
  minLength: 'must be at least {min} characters long',
  maxLength: 'must be at most {max} characters long',
  range: 'must be between {min} and {max}',
  min: 'must be at least {min}',
  max: 'must be at most {max}',
  format: 'has the wrong format',
  email: 'must be an e-mail address',
  url: 'must be an http or https address',
  inclusion: 'must be one of {list}',
  exclusion: 'must not be one of {list}',
} as const;
