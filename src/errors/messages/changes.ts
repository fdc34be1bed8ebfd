/** Texts about changes that a session cannot take. Those of issues follow the place of the change. */
export const changesMessages = {
  'changes-form': 'must be a change, as `changesOf(session)` gives it, not {value}',
  'changes-model':
    "names the model '{model}', which the session does not know: give it in the options, `applyChanges(session, changes, { models: [User] })`",
  'changes-models':
    "names the model '{model}', of which the session knows several classes: give the one that is meant in the options, `applyChanges(session, changes, { models: [User] })`",
  'changes-field': "names '{field}', which must be a field of {model} that can be set",
  'changes-record':
    'names a new {model} ({key}) that neither the changes nor the session have: pass all changes of the session in one call',
  'changes-twice': 'names a {model} ({key}) for the second time: pass the changes of a session once',
} as const;

/** Texts about files in changes that are made plain data, by `changesOf()` or for an outbox. */
export const plainChangesMessages = {
  'changes-file': 'is a file, which plain data cannot hold: save its record, or leave the field out',
  'outbox-file':
    "is a file, which an outbox cannot keep. Nothing was sent: save records with files without an outbox, `use: [off('outbox')]`",
} as const;
