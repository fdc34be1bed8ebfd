/** Texts about outboxes. */
export const outboxMessages = {
  'outbox-scope': 'An outbox needs a `scope`: whose writes it keeps, such as a user or tenant',
  'outbox-locked': "'{path}' is in use by process {pid} on {host}: one process at a time may write to it",
  'outbox-locks':
    'No locks here to keep tabs apart: serve the page over https, or set `locks: false` if there is one tab only',
  'outbox-storage': 'The outbox could not {what}: {why}. Nothing was sent',
  'outbox-quota': 'The outbox could not {what}: no room is left ({why}). Nothing was sent',
  'outbox-version': '{what} is of version {version}, and known here is {known}: it was left as it is',
  'outbox-format': "'{path}' is no outbox: it was left as it is",
  'outbox-truncated':
    "'{path}' ends within a line ({bytes} bytes), as a crash leaves it: what was never confirmed was cut off",
  'outbox-damaged':
    "'{path}' has {count} lines that cannot be read, the first at line {line}: all of it is kept in '{copy}'",
  'outbox-decrypt': 'A stored write could not be decrypted ({why}): it is kept, and not sent',
  'outbox-migrate': 'A stored write of version {version} could not be migrated ({why}): it is kept, and not sent',
  'outbox-names':
    "Two models are called '{model}': give each a `name` of its own, by which its stored writes are found",
  'outbox-model': "A stored write is of '{model}', which is none of `models`: it is kept, and not sent",
  'outbox-field': "A stored write of {model} has no field '{field}' any more: it is kept, and not sent",
  'outbox-parent': "{model} {id} waits for the record that its '{field}' refers to, which {why}",
  'outbox-unconfirmed':
    '{model} {id} may have been created before the process ended: look it up, then repeat or drop it',
  'outbox-elsewhere': 'Another tab has created {model} {id}: load it',
  'outbox-state': 'The outbox has no such write any more',
  'outbox-closed': 'The outbox was closed',
} as const;
