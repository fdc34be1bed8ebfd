/** Texts about stores, windows, sessions and `sync()`. */
export const storeMessages = {
  duplicate: 'The store has a {model} with the id {id} already',
  foreign: 'The store takes records of {model} only',
  'foreign-row':
    '`setRecords` takes a list of records of {model}, and of rows, which are plain objects as the server sends them',
  disposed: 'The window was disposed of',
  'session-duplicate': 'The session has a {model} with the id {id} already',
  sync: '{count} of {total} records could not be written; the first: {first}',
  'sync-skipped': '{model} {id} was not attempted: {why}',
  'sync-aborted': '{model} {id} was not attempted: the sync was aborted',
  'sync-undone': '{model} {id} was written, and then undone: {why}',
  'sync-not-undone': '{model} {id} was written, and could not be undone: {why}',
  'sync-gone': '{model} {id} was erased, which cannot be undone',
  'sync-unconfirmed':
    '{model} {id} was created, and may have been erased again: {why}. Look for it on the server, and decide with $.settle(row) or $.settle(null)',
} as const;
