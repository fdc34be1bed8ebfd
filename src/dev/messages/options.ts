/** Texts about options and events that nobody knows, and about values that they cannot have. */
export const optionMessages = {
  'option-unknown': "'{option}' is not an option of {owner}; its options are {known}",
  'option-unknown-class':
    "'{option}' is not an option of {owner}; its options are {known}. A subclass with an option of its own adds the name in `static optionNames()`",
  'option-near': "'{option}' is not an option of {owner}: did you mean '{meant}'?",
  'option-other': "'{option}' is not an option of {owner}: {remedy}",
  'option-none': '{owner} takes no options: call it without',
  'option-value': '{option} must be {expected}, not {value}',
  'codec-stream': '{what} reads JSON, and the codec of the proxy reads {format}: remove one of them',
  'reader-stream-place':
    'A function as `reader.{option}` needs the whole answer: give a path, or remove `stream` and `ndjson` from the reader',
  'dialect-step':
    "The dialect '{dialect}' has no `{step}`: write it, or spread the dialect that is closest, `{ ...plain(), name: 'house', … }`",
  'member-renamed': '`{was}` is called `{now}`: write that name instead',
  'event-unknown': "'{event}' is not an event of {owner}; its events are {known}",
  'event-near': "'{event}' is not an event of {owner}: did you mean '{meant}'?",
  'event-other': "'{event}' is not an event of {owner}: {remedy}",
  'validator-type':
    "The validator {validator} of the field '{field}' is no function: import a validator and call it, `validators: [presence()]`, or write a function",
  'validator-call':
    "A validator of '{field}' returned a function instead of what it found: call it in the declaration, `presence()`",
  'validator-failed':
    "A validator of the field '{field}' has thrown an error: {why}. Correct it, so that it returns what it finds: `error.cause` has its stack",
  'params-promise':
    'The function `{option}` returned a promise, but an address is built at once: return an object, and get before the call what takes time. Only `headers` may be asynchronous',
  'params-value': 'The function `{option}` must return an object of parameters, not {value}',
} as const;
