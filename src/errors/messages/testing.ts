/** Texts about the tools of `repose/testing`. */
export const testingMessages = {
  'test-path': "'{path}' is no path of a collection: it begins with a slash and has no query",
  'test-collection': "The test server has no collection '{path}'; it has: {known}",
  'test-row': "Row {row} of '{path}' {why}",
  'test-model': "The `model` of '{path}' is no model class",
  'test-share': 'The share of {fault} is from 0 to 1, not {value}',
  'test-shares': 'The shares of all faults make more than 1: {sum}',
  'test-fault': 'There is no fault {what}; known: {known}',
  'test-status': 'A status is a whole number from 200 to 599, and 204, 205 and 304 have no body: not {status}',
  'test-latency': '`latency` is a number of milliseconds, or the least and the most: not {value}',
  'build-model': '`build` takes a model class and values for it, not {what}',
  'build-id': 'A saved record has an id, which {id} is not; leave it out to have one made',
  'build-value': "Give a value for '{field}': none was found that {model} takes ({why})",
  'build-count': 'A list has a whole number of records, not {count}',
} as const;
