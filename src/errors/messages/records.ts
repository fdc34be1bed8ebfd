/** Texts about calls that the state of a record does not allow, conflicts, and references to other records. */
export const recordMessages = {
  // Fields
  'field-unknown': "{model} has no field '{field}'{hint}",
  'field-calculated': "'{field}' of {model} cannot be set, because {why}: {remedy}",
  'field-unsendable':
    "'{path}' was not set: JSON cannot carry its value ({kind}). Declare `serialize` for the field, or {remedy}",
  'field-path':
    "'{path}' of {model} was not set: what '{field}' holds ({value}) has no members. Set '{field}' as a whole",
  // States
  erased: '{model} {id} was erased: it can be read, but not changed or sent. use $.copy() to make a new record of it',
  busy: '{call} cannot run while {model} {id} is being saved: wait until the save has ended (`$.saving`)',
  'settle-no-id':
    "$.settle(row) of a {model} needs the row as the server has it, with its id ('{field}'); if the server has none, call $.settle(null)",
  'reference-unknown': "{model} has no reference '{field}'{hint}",
  // Conflicts
  'conflict-unbound':
    'This conflict cannot be decided: add `conflicts()` to `use` of the proxy, and save or erase the record by itself. What the server says of several records in one request, or of a create, names no row to decide about',
  'conflict-over':
    '{model} {id} was written or read since this conflict, so there is nothing left to decide: save the record again',
  'conflict-again':
    '{model} {id} was changed once more on the server: decide again with keepMine(), takeTheirs() or merge()',
  'conflict-elsewhere':
    '{method} {url} answered {status}, which does not say whether {model} {id} is gone: `api.read` is not the address that it is written to. If only lists are read there, name that address `api.list`',
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
    "{model} {id} was not sent: by '{field}', new records refer to each other in a circle. Save one of them without the reference first",
} as const;
