/** Error texts about one record: fields that cannot be set, calls that its state does not allow, conflicts, and references to new records. */
export const recordMessages = {
  // Fields
  'field-unknown': "{model} has no field '{field}'{hint}",
  'field-calculated': "'{field}' of {model} cannot be set, because {why}: {remedy}",
  'field-unsendable':
    "'{path}' was not set: JSON cannot carry its value ({kind}). Declare `serialize` for the field, or {remedy}",
  'field-depth':
    "'{field}' was not set: its value is nested deeper than {most} levels, or contains itself, which JSON cannot carry. Set plain data without circles",
  'field-path-depth':
    "'{field}' of {model} was not set: the path inside it has more than {most} names. Set '{field}' as a whole",
  'field-path':
    "'{path}' of {model} was not set: the value of '{field}' ({value}) is not an object or array. Set '{field}' as a whole",
  // States
  erased: '{model} {id} was erased: it can be read, but not changed or sent. Use $.copy() to make a new record of it',
  busy: '{call} cannot run while {model} {id} is being saved: wait until the save has ended (`$.saving`)',
  'busy-waiting':
    '{call} cannot run while {model} {id} waits to be written: wait until its `sync()` has ended, or take the change back with reject()',
  'save-taken-back':
    '{model} {id} was not sent, because reject() took its save back. Call save() again after the next edit',
  'settle-no-id':
    "$.settle(row) of a {model} needs the row as the server has it, with its id ('{field}'); if the server has no such row, call $.settle(null)",
  'reference-unknown': "{model} has no reference '{field}'{hint}",
  // Conflicts
  'conflict-unbound':
    'keepMine(), takeTheirs() and merge() need the conflict of one saved record, and the extension `conflicts()`. They cannot decide a conflict of a create, or of several records in one request. Add `conflicts()` to `use` of the proxy, and save or erase the record by itself',
  'conflict-over': 'This conflict is over, because {model} {id} was written or read after it: save the record again',
  'conflict-again':
    '{model} {id} was changed once more on the server: decide again with keepMine(), takeTheirs() or merge()',
  'conflict-elsewhere':
    '{method} {url} answered {status}, which does not say whether {model} {id} is gone: it was read from `api.read`, but it is written to another address. If `api.read` serves only lists, set `api.list` instead',
  'conflict-gone':
    '{model} {id} is no longer on the server: call takeTheirs() to erase it here, or $.copy() to make a new record of it',
  // References to new records
  'parent-failed':
    "{model} {id} was not sent: its '{field}' refers to {parent} {parentId}, which could not be saved ({why}). Save that record first",
  'parent-new':
    "{model} {id} was not sent: its '{field}' refers to {parent} {parentId}, which was never saved. Save that record first",
  'parent-gone':
    "{model} {id} was not sent: its '{field}' refers to {parent} {parentId}, which was dropped before it was saved. Set '{field}' to another record, or to null",
  'parent-circle':
    "{model} {id} was not sent: its '{field}' is part of a circle of new records that refer to each other. Save one of them without the reference first",
} as const;
