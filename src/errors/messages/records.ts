/** Texts about calls that the state of a record does not allow, conflicts, references. */
export const recordMessages = {
  'field-unknown': "{model} has no field '{field}'",
  'field-calculated': "'{field}' is read-only",
  'field-unsendable':
    "'{path}' was not set: JSON cannot carry its value ({kind}). Declare `serialize` for the field, or {remedy}",
  'field-path': "'{path}' leads to no member of an object",
  erased: '{model} {id} was erased',
  busy: '{model} {id} is being saved',
  'conflict-unbound':
    'This conflict has no way out here: add `conflicts()` to `use` of the proxy, and save the record by itself, since what is said of several in one request, or of a create, tells of no row',
  'conflict-over': '{model} {id} was written or read since: this conflict is over',
  'conflict-again':
    '{model} {id} was changed once more on the server: decide again with keepMine(), takeTheirs() or merge()',
  'conflict-elsewhere':
    '{method} {url} answered {status}, which does not say whether {model} {id} is gone: `api.read` is not the address that it is written to. If only lists are read there, name that address `api.list`',
  'conflict-gone':
    '{model} {id} is no longer on the server: takeTheirs() erases it here, $.copy() makes a new one of it',
  'parent-failed': "{model} {id} was not sent: its '{field}', {parent} {parentId}, could not be saved ({why})",
  'parent-new': "{model} {id} was not sent: its '{field}', {parent} {parentId}, was never saved: save it first",
  'parent-gone': "{model} {id} was not sent: its '{field}', {parent} {parentId}, was dropped before it was saved",
  'parent-circle': "{model} {id} was not sent: by its '{field}' new records refer to each other in a circle",
} as const;
