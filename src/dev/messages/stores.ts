/** Texts about stores, windows, sessions and `sync()`. */
export const storeMessages = {
  duplicate:
    'The store already has a {model} with the id {id}: change that record (`store.getById(id)`), or remove it first',
  foreign: 'What is added to the store must be a record of {model}, or an object with its values, not {value}',
  'foreign-removed':
    'What is removed from the store must be a record of {model}, not {value}: find the record with `getById(id)`, use `removeAt(index)`, or spread a list, `remove(...records)`',
  'foreign-depth':
    'An item was given that is nested deeper than {most} levels, or contains itself: no row of a server is. Give rows as JSON holds them',
  'foreign-row':
    '`setRecords` must be given a list of records of {model}, and of rows, which are plain objects as the server sends them',
  'given-field':
    '`setRecords` was given rows of {model}: row {row}, {field} {why}. Correct the row or the type of the field, or do without `reader.strict`',
  'session-duplicate':
    'The session already has a {model} with the id {id}: use that record, so that all stores show one object',
  disposed: 'The {owner} was disposed of: open another one with `store.{owner}()`',
  'store-disposed':
    'The store of {model} was disposed of, so it neither loads nor changes anything: make another one with `new Store({ … })`',
  'store-unsaved':
    'The store of {model} was disposed of with {count} unsaved changes, which no `sync()` will write: before `dispose()`, call `sync()` or `rejectChanges()`, or give the store a session',
  // How sync() ended for a record
  sync: '{count} of {total} records could not be written; `errors` tells why. The first: {first}',
  'sync-skipped':
    '{model} {id} was not sent, because another write failed ({why}). Correct that one, and call sync() again',
  'sync-aborted': '{model} {id} was not sent: the sync was aborted. Call sync() again',
  'sync-taken-back':
    '{model} {id} was not created, because reject() took its create back while it waited. Call sync() again, or remove the record',
  'sync-undone':
    '{model} {id} was written, then undone, because another write failed ({why}). Correct that one, and call sync() again',
  'sync-not-undone': '{model} {id} was written, and could not be undone: {why}. Read it again, and correct it by hand',
  'sync-gone':
    '{model} {id} was erased, which cannot be undone, though another write failed: use $.copy() to make a new record of it',
  'sync-unconfirmed':
    '{model} {id} was created, and may have been erased again: {why}. Look for it on the server, and decide with $.settle(row) or $.settle(null)',
} as const;
