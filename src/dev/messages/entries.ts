/** Texts about bodies that a form cannot carry. */
export const formErrorMessages = {
  'form-list':
    "A form holds one record, but the body has a list of them: leave out `batchActions` and `allowSingle: false`, or send JSON (`writer: { type: 'json' }`)",
} as const;

/** The texts of a grid's queries. Nothing has changed when one of these is thrown. */
export const gridMessages = {
  'query-grid': 'A store cannot apply {what} of {library}: {remedy}',
};

/** Texts about the tables of models that data providers are made of. */
export const providerMessages = {
  'provider-models':
    '{provider} needs a table of models by the names of resources, such as `{ orders: Order }`, but has {value}{place}',
  'provider-resource':
    "{provider} has no model for the resource '{resource}'{hint}. Correct the name, or add the model of the resource to the table of models",
  'provider-unread':
    '{model} {id} was not updated: it was not read here, so nobody knows which of the values are changes. Read it first, give the values before as `meta: { previousData }`, or write all of them with `meta: { overwrite: true }`',
  'provider-elsewhere':
    "The call of '{url}' was not sent, because {server}, and it would get headers that are meant for another one. Give the table a model of that server, and name its resource as `meta: { resource }`, or call `fetch`",
};

/** Texts about outboxes. Nothing that an outbox keeps is lost by any of these. */
export const outboxMessages = {
  // Opening
  'outbox-scope': 'An outbox needs a `scope`: whose writes it keeps, such as the id of the user or tenant',
  'outbox-locks':
    'Another page over the same storage sends, because pages without Web Locks cannot share that: what is saved here is kept, and sent by that page, or by this one when that page is closed. Serve the pages over https',
  'outbox-locked':
    "'{path}' is in use by process {pid} on {host}: close the outbox there, or give each process a file of its own",
  'outbox-opened-twice':
    '{what} is open already in this page or process: use the outbox that has it open, or close that outbox first',
  'outbox-blocked':
    "The database '{name}' cannot be opened yet, because another tab still uses an older version of the application: close or reload that tab",
  'outbox-format': "'{path}' is not the file of an outbox, and was left as it is: give `fileStorage` another path",
  'outbox-version':
    '{what} is of version {version}, newer than {known}, which is known here: it was left as it is. Load the newest version of the application',
  'outbox-names':
    "Two models are called '{model}' and have different addresses, parameters or headers, but stored writes are found by the name: give each model a `name` of its own, and the classes of different tenants an outbox each, with a `scope` of its own",
  'outbox-other-scope':
    "The outbox keeps writes of the scope '{own}', but the proxy of '{model}' has the scope '{scope}': use the outbox of that scope",
  // Storing
  'outbox-storage': 'The outbox could not {what}: {why}. Nothing was sent. Check the storage, and save again',
  'outbox-quota':
    'The outbox could not {what}: no room is left ({why}). Nothing was sent. Free some room, and save again',
  'outbox-taken-over':
    'Another tab or process sends this record now, so this one stored and sent nothing. Nothing is lost: wait for the other one',
  'outbox-disconnected':
    "The browser has closed the database '{name}'. The outbox opens it again when it next needs it; if this repeats, reload the page",
  'outbox-emptied':
    "The database '{name}' was deleted by the user, the browser or the application, with all writes in it. Save again what is still shown as edited",
  'outbox-set-aside':
    "The database '{name}' has {count} items that cannot be read. They are kept there, and are not sent: look at its store '{store}' for lost writes",
  'outbox-truncated':
    "'{path}' ends within a line ({bytes} bytes), as a crash leaves it. What was never confirmed was cut off, which is as it should be",
  'outbox-damaged':
    "'{path}' has {count} lines that cannot be read, the first at line {line}. All of it is kept in '{copy}': look there for lost writes",
  // Reading what was stored
  'outbox-decrypt':
    'A stored write could not be decrypted ({why}): it is kept, and not sent. Open the outbox with the right key, or discard the write',
  'outbox-migrate':
    'A stored write of version {version} could not be migrated ({why}): it is kept, and not sent. Correct `migrate`, or discard the write',
  'outbox-model':
    "A stored write is of '{model}', which is none of `models`: it is kept, and not sent. Add the model to `models`, or discard the write",
  'outbox-field':
    "A stored write of {model} has the field '{field}', which the model has not: it is kept, and not sent. Rename the field in `migrate`, and raise `version`, or discard the write",
  // Sending
  'outbox-offline': '{model} {id} was not sent: there is no network. It stays in the outbox, which sends it later',
  'outbox-elsewhere':
    '{model} {id} was not sent by this page: another page over the same storage sends, and has it now',
  'outbox-order':
    '{model} {id} was not sent yet: it waits for another write ({why}). It stays in the outbox, which sends it later',
  'outbox-interrupted':
    '{model} {id} was to be erased when the process ended ({why}). The erase stays in the outbox, which sends it now',
  'outbox-erase': '{model} {id} was not saved: the outbox is going to erase it. Save it with `repeat: true` to keep it',
  'outbox-parent':
    "{model} {id} waits for the record that its '{field}' refers to, which {why}: save or decide that one, or discard this write",
  'outbox-refused':
    'The {action} of {model} {id} was sent with earlier ones, and refused: {why}. Look at `outbox.failed`, and retry, repair or discard the write there',
  'outbox-unconfirmed':
    'Nobody knows whether the {action} of {model} {id} reached the server before the process ended: look for the record there, then confirm, retry or discard the write',
  'outbox-state':
    'The outbox has no such write any more: it was sent or discarded. Look at `outbox.failed` for those that wait',
  'outbox-closed': 'The outbox was closed: make another one with `new Outbox()`',
} as const;

/** The texts of the queries for TanStack Query. Nothing was sent when one of these is thrown. */
export const queryKeyMessages = {
  'query-address':
    "The address or the parameters of '{model}' have changed since this query was made, because `pathParams` or `extraParams` gives other values now. Nothing was sent: the response would be cached for the earlier ones. Call `recordQuery` again, and use its new key",
};

/** Texts about the state that a server-rendered page brings. Nothing has changed when one of these is thrown. */
export const renderingMessages = {
  'rendered-wait':
    'A server cannot wait for a {model} by `useSuspenseLoaded()`, because rows of one user could reach the page of another one: the page loads it. Load the record before the page is rendered, or use `useLoaded()`',
  'rendered-form': 'The state of the page is no state: {what}. Give `hydrate` the text that `stringify` made',
  'rendered-version':
    'The state of the page has version {version}, and version 2 is known here: use the same version of the package on the server and in the page',
  'rendered-model':
    "The state of the page has rows of the model '{model}', which is not known here: give its class to `hydrate`",
  'rendered-classes':
    "Two classes of the model '{model}' with the same address have rows of this session, and the page could not tell them apart. Give them names: `dehydrate(session, [], { one: A, two: B })`, and `hydrate(session, state, { one: A, two: B })`",
  'rendered-ambiguous':
    "The state of the page has rows of the model '{model}', which belong to more than one of the given classes. Give `hydrate` one of them, or name them: `dehydrate(session, [], { one: A, two: B })`, and `hydrate(session, state, { one: A, two: B })`",
  'rendered-name':
    "The state of the page has rows under the name '{name}', which names no class of the model '{model}' here: give `hydrate` the classes by the names that `dehydrate` got, such as `{ {name}: A }`",
};

/** Texts about trees. Nothing has changed when one of these is thrown. */
export const treeMessages = {
  'tree-parent-field':
    'The tree of {model} has no field that refers to the parent of a record{hint}: declare it in `references()` of the model, because the id of a new parent could not reach its children',
  'tree-field': "The option `{option}` of the tree names '{field}', which is not a field of {model}{hint}",
  'tree-unknown':
    '{value} is no record that the tree of {model} holds: use a record of `tree.store`, or load it first with `reveal(id)`',
  'tree-under-itself':
    '{model} {id} was not moved under {parent}, which is that record itself or one below it: give a parent outside of its branch',
  'tree-cycle':
    '{model} {id} is among its own ancestors, so it is shown as a root: correct its `{field}`, or move it to another parent',
  'tree-orphan':
    '{model} {id} has the parent {parent}, which the tree does not hold: load the parent, move the record, or correct its `{field}`',
  'tree-nested-row':
    '{place} is {what}, not an object, so nothing was shown: correct the server, or the option `nested`',
  'tree-nested-list':
    '{place} is {what}, not a list of rows, so nothing was shown: correct the server, or the option `nested`',
  'tree-partial':
    'The response has {count} of {total} rows and no address of the next page, so the tree would lack rows: ask for all of them, by `lazy` as a function or a parameter of the proxy, or say `reader: { complete: true }` if the total counts something else',
  'tree-nested-id':
    '{place} has rows below it and no id that they could name, so nothing was shown: give each row with children an id',
} as const;

/** Texts about the history of a session. */
export const historyMessages = {
  'history-conflict':
    '{model} {id} was changed by somebody else since ({fields}), so the step was not {done}: look at both sides, and call `{call}({ overwrite: true })` to write over it, or `forget(step)` to leave it as it is',
} as const;

/** Texts about feeds of changes. */
export const liveMessages = {
  'feed-target': 'A feed keeps a store or a session up to date, not {value}: give `feed` one of these',
  'feed-open':
    'A feed needs `open`, which connects to the server: give it `serverSentEvents(Task)`, or a function of your own',
  'feed-models':
    'A feed of a session needs `models`, which its changes name: list the models, such as `models: [Task, User]`',
  'feed-change':
    'The feed got something that is no change, so what is on show is read again: give `changes` a list of `{ row }` and `{ removed }`, or correct `read`',
  'feed-model':
    '`serverSentEvents` needs a model, such as `Task`, not {value}: it takes address and headers from there',
  'feed-proxy':
    'The proxy of the model is a {type}, which sends no requests, so it gets no events: use a proxy of type rest or ajax',
  'feed-number':
    'The id of an event is {id}, and no whole number: number all events of the stream without holes, or leave out `consecutive`',
  'feed-no-events':
    '{url} answered {status} with {type}, not with text/event-stream: check `url`, and whether the server sends events there',
  'feed-ended':
    '{url} answered 204, by which a server ends a feed, so no new connection is made: call `reconnect()` to ask again, or close the feed',
  'feed-package':
    'The package that reads events is not installed: `npm install eventsource-parser@3`, or give `feed` a function of your own as `open`',
} as const;

/** Texts about inspectors and recordings. */
export const devtoolsMessages = {
  'inspect-target':
    'An inspector shows sessions, stores, models, proxies and outboxes, not {value}: give it one of these, such as `mountInspector(session)`',
  'inspect-no-page': 'An inspector is shown in a page, and there is none here: use `record`, which needs none',
} as const;

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
  'replay-recording':
    'This is no recording, or one of another version: give `replay` what `recorder.recording()` of this version has returned',
  'replay-request':
    'The recording has no answer to {request}. Answers that were not used yet: {left}. The application now asks for something else than when it was recorded: correct it, or make another recording',
  'replay-record':
    'Operation {number} of the recording has no record {index} to write: look at `records` in the recording',
  'replay-body':
    'The body of the response to {request} was not recorded as a whole ({only}): make another recording with a larger `bodyLimit`, and without streams and files',
  'build-model': '`build` takes a model class and an object with values for it, not {what}',
  'build-id': 'The `id` of a saved record must be a text or a number, not {id}: leave it out to have one made',
  'build-value': "`build` found no value for '{field}' that {model} takes ({why}): give one in the values",
  'build-count': 'The length of a list must be a whole number from 0, not {count}',
} as const;
