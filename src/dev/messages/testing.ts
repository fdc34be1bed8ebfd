/** Texts about the tools of `repose/testing`, used wrongly. */
export const testingMessages = {
  'test-path': "'{path}' is no path of a collection: begin it with a slash, and leave out the query, as in '/users'",
  'test-collection': "The test server has no collection '{path}'; it has: {known}",
  'test-row': "Row {row} of '{path}' {why}: a row must be an object that JSON can carry, with an id of its own",
  'test-model': "The `model` of '{path}' must be a model class, such as `define` makes",
  'test-share': 'The share of {fault} must be from 0 to 1, not {value}',
  'test-shares': 'The shares of all faults must not make more than 1, but make {sum}',
  'test-fault': 'There is no fault {what}; known: {known}',
  'test-status':
    'The status of a fault must be a whole number from 200 to 599, and 204, 205 and 304 take no body: not {status}',
  'test-latency': '`latency` must be a number of milliseconds, or a list of the least and the most, not {value}',
  'build-model': '`build` takes a model class and an object with values for it, not {what}',
  'build-id': 'The `id` of a saved record must be a text or a number, not {id}: leave it out to have one made',
  'build-value': "`build` found no value for '{field}' that {model} takes ({why}): give one in the values",
  'build-count': 'The length of a list must be a whole number from 0, not {count}',
} as const;
