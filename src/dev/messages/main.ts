/** Texts about addresses, ids and parameters: nothing was sent. */
export const addressMessages = {
  // The base of an address
  'url-missing': 'No address to {action}: set `url`, or `api.{action}`, on the proxy',
  'url-relative':
    "'{url}' is a relative address, and nothing gives it a base: set `baseUrl` on the proxy, such as 'https://example.com/api'",
  'url-invalid':
    "Nothing can be sent to '{url}': check `url` and `baseUrl` of the proxy. Credentials belong in `headers`, not in the address",
  'url-built':
    'The address of this request was built before: make a new `ProxyRequest`, or a new `Operation`, for each call',
  // Addresses outside of the collection
  'url-outside':
    "{method} {url} was not sent: it leaves '{base}'. To address another collection, set `operation.url` or `api`, or override `baseOf`",
  'url-link':
    "The link '{url}', which the server sent, was not followed: it leads to another origin than '{base}'. Add its origin to `trustLinks` of the proxy",
  'url-collection':
    '{method} {url} was not sent: it does not name the record. Save a new record first, keep its id in `buildUrl`, or give the call a `url` of its own',
  'url-several':
    '{method} of {count} records was not sent: set `batchActions: true` on the proxy if the server takes several records in one request; otherwise save them one by one',
  'url-bulk':
    "{method} {url} was not sent: the address step of the dialect '{dialect}' names one of {count} records. Return the address of the collection where `request.bulk` is true",
  'url-singleton':
    'The {action} was not sent: the proxy is a `singleton`, whose address holds one record. Read it with `load(options)` of the model, and save records one by one',
  // Ids
  'id-missing':
    '`{action}` of {model} was not sent: it needs the id of a saved record. Pass a text or a number, and save a new record first',
  'id-singleton': '{model} is a singleton, which has no id: call `load(options)` without one',
  'id-type': 'An id must be a text or a number, not {type}: pass the id itself, such as `record.getId()`',
  'id-parts':
    'The id of a {model} has the parts {names}, each a text or a number; {value} is no such id, so nothing was sent. Pass a list of all parts, such as `record.getId()`',
  'id-parts-address':
    'The id {value} has several parts, and nothing says how an address holds them: give all parts but one a place in the `url`, as the name of their field in braces, or override `encodeId` of the proxy',
  'id-parts-other':
    "'{name}' is a part of the record's id, and the `pathParams` have another value for it: the request would be about another record. Leave it out of the `pathParams`",
  'id-dots':
    "'{value}' cannot be a part of a path, where it would lead to another address: use another id, or set `appendId: false`, which sends ids as a parameter",
  'id-control':
    "'{value}' cannot be sent as an id: it holds a control character, which some servers take for the end of the text. Check where the text came from",
  'id-field':
    "'{value}' is no id of {model}, whose field '{field}' has the type '{type}': it could name something else on the server. If it is a name that the server knows, pass `anyId: true` to `load()`; else check where the id came from",
  'id-surrogate':
    "'{value}' cannot be sent: it holds one half of a character (a lone surrogate). Check where the text was cut",
  'id-unsafe':
    "The number {value} has lost digits, and could name another record: use the id as text, and declare its field as 'string' or `bigint()`",
  'create-put-address':
    "`createBy: 'put'` needs addresses that hold the id: leave `appendId` true, or create with POST",
  'create-put-id':
    "{model} was not created: `createBy: 'put'` needs an id that the application gives. Set the id, and `identifier: 'natural'` on the model or `writer: { writeRecordId: true }` on the proxy",
  // Formats, templates, parameters
  'format-invalid':
    "The `format` '{format}' cannot be a part of an address: use letters, digits and . _ ~ + - only, such as 'json'",
  'template-invalid':
    "'{{name}}' in '{url}' cannot be filled in: only plain names can, and only in the path. Send other values with `extraParams`",
  'template-missing':
    "'{{name}}' in '{url}' has no value: set `pathParams` of the call or the proxy, or give the record a field of that name",
  'template-several': "'{{name}}' in '{url}' differs among the records: save them in requests of their own",
  'template-phantom': "'{{name}}' in the address is the id of a record that was never saved: save that record first",
  'param-invalid':
    "The parameter '{name}' cannot be sent: {why}. Use texts, numbers, booleans, valid dates, or plain objects and arrays of these",
} as const;

/** Texts about sorters, filters, groupers and pages: nothing was sent. */
export const queryMessages = {
  'load-refused':
    'A load of {model} was not sent: the option `canLoad` of the store refused it. Let `canLoad` return true to load',
  'query-unsupported': 'The {dialect} dialect cannot express {what}: {remedy}',
  'query-field': "{model} has no field '{property}'{hint}",
  'query-unmapped':
    "The server has no name for '{property}' of {model}, whose `mapping` is a function: use another field, or let the store do it: `remoteSort: false`, `remoteFilter: false`, with `pageSize: 0` or `allowPartial: true`",
  'query-made':
    "The server cannot be asked for '{property}' of {model}, because nothing says from which members it is made: name its fields in `depends`, or ask for these fields instead",
  'query-value': '{name} must be {expected}, not {value}',
  'query-no-value':
    "The filter on '{property}' has no value (undefined), so it would let all records pass. Give it a value, leave the filter out, or set `disableOnEmpty: true`, which disables it while it has none; to find missing values, use `isNull`",
  'query-no-item':
    "The filter on '{property}' has undefined in its list: leave it out of the list, or give the missing value",
  'query-depth':
    'A tree of filters must be nested at most {most} levels deep, and must not contain itself: join conditions in one list of `and` or `or`',
  'query-nothing':
    'No record can pass the filters, because `in` has an empty list: no request is needed, and `read` answers with an empty page without one',
  'query-model':
    "A query of '{other}' was given for '{model}': make one with `Query.of`, whose first argument is the model",
  'query-travel':
    '`{path}` of a query is a function, or another value that JSON cannot hold, so the query cannot leave this process: leave it out, or filter and sort by a field',
  'query-local':
    '`{option}` works on loaded records only, but `{remote}` leaves this part of the query to the server. Leave `{option}` out, use it in a `viewOf(store)`, or switch `{remote}` off',
  'query-nulls':
    '{dialect} cannot send the place of missing values (`nulls`), and a list that turned out to be longer than a page would have another order: leave it out, or load everything and sort in the store: `remoteSort: false` with `pageSize: 0`',
  'query-unselected':
    "The store sorts, filters or groups by '{property}', which its rows do not have: add it to `fields` of the query, or let the server do it (`remoteSort: true`, `remoteFilter: true`)",
  'query-partial':
    "Only a part of the collection is loaded, so {what} it here would mislead: leave it to the server with `remote{remote}: 'auto'`, without functions, `transform`, `sortType`, `locale` and `convert` (what the dialect cannot express, a step `filter` or `sort` of your own can), load everything with `pageSize: 0`, say with `reader: { complete: true }` that the server has no pages, or set `allowPartial: true` on the store",
  'query-function':
    'A `filterFn` tests only the records that are loaded, but `remoteFilter` leaves filtering to the server. Filter by a field that the server knows, filter a `viewOf(store)`, or set `allowPartial: true` for a filter that stands outside of `and`, `or` and `not`',
} as const;

/** Texts about requests that got no response, and about answers that cannot be used. */
export const replyMessages = {
  // No response
  network:
    '{method} {url} got no response: {why}. Check the connection, the address, and that the server admits this origin (CORS). `retry()` tries again by itself',
  'network-unconfirmed':
    '{method} {url} got no response: {why}. The record may exist on the server now: look for it, then call decide(record, row), decide(record, null) or save({ repeat: true })',
  timeout: '{method} {url} took longer than {timeout} ms: set a longer `timeout` on the proxy, or ask for fewer rows',
  abort: '{method} {url} was aborted',
  // A status that is no success
  http: '{method} {url} answered {status}{detail}. Look at `error.body`, which holds the whole response',
  'http-sign-in':
    '{method} {url} answered 401{detail}. Send credentials with `headers`; `auth()` renews those that have expired',
  'http-forbidden': '{method} {url} answered 403{detail}. Sign in as somebody who is allowed to do this',
  'http-not-found':
    '{method} {url} answered {status}{detail}. Check the id, and `url` and `api` of the proxy; the record may have been erased',
  'http-method':
    '{method} {url} answered {status}{detail}. Set a method that the server takes with `actionMethods`, or check `url`',
  'http-type':
    '{method} {url} answered {status}{detail}. Set `Accept` and `Content-Type` in `headers` to what the server expects',
  'http-conflict':
    '{method} {url} answered {status}{detail}. The server has other data than this write expects: read the record again, or add `conflicts()` to `use` and decide with merge(), keepMine() or takeTheirs()',
  'http-clash':
    '{method} {url} answered 409{detail}. Another record, or a rule of the server, stands against this: change the values, and save again. If it means that the record has changed meanwhile, say so with `conflicts({ when })`',
  'http-condition':
    '{method} {url} answered 428{detail}. The server takes conditional writes only: add `etags()` to `use` of the proxy',
  'http-later':
    '{method} {url} answered {status}{detail}. The server cannot do this now: try again later, or add `retry()` to `use` of the proxy',
  'http-server':
    '{method} {url} answered {status}{detail}. The server has failed: its log tells why. `error.body` holds the whole response',
  'http-refused':
    '{method} {url} answered {status}, and its body says that the request failed{detail}. Look at `error.body`; `reader.successProperty` names the member that says so',
  'http-no-row':
    '{method} {url} was answered with a success that changed no row{detail}. Check the id: the record may have been erased. `reader.affected` and `reader.empty` say which answers mean this',
  'http-validation': '{method} {url} answered {status}: {detail}',
  // A success that cannot be read
  'response-json':
    '{method} {url} answered {status} with {what} instead of {format}: check `url`, which may lead to a web page instead of the API',
  'response-depth':
    '{method} {url} answered {status} with data that is nested deeper than {most} levels: ask the server for fewer levels',
  'response-empty':
    '{method} {url} answered null where rows were expected: check `url`, or give `reader.transform`, which turns null into what it means',
  'response-row':
    '{method} {url}: row {row} is {what}, not an object. Set `reader.rootProperty`, or `reader.record`, to where the rows are',
  'response-root':
    '{method} {url}: the response has no rows at {place}, only {members}. Set `reader.rootProperty` to the member that holds them',
  'response-count':
    '{method} {url} answered {status} without a number of rows, {shown}. Set `countUrl: rowCount({ url, total })` to the place of the number',
  'response-limit':
    '{method} {url}: the server sends at most {most} rows per request, but {limit} per page were asked for, so that rows between two pages would be missing. Set `pageSize` to at most {most}, or read on with `loadMore()`',
  'response-page-size':
    '{method} {url}: the server sends pages of {size} rows, but pages of {limit} were asked for, so that later pages would be other rows. Set `pageSize` to {size}, or tell the server the size of pages with a parameter',
  'response-next':
    '{method} {url}: the next page at {place} is {what}, where the text of an address or token was expected. Set `reader.nextProperty` to the place of this text{hint}, or correct the server',
  'response-repeated':
    '{method} {url}: the server answered page {page} with its page {given} again. It pages in another way than `paging` of `laravel()` says: {remedy}',
  'response-total':
    '{method} {url}: the total at {place} is {total}, where a whole number of at least {least} was expected. Correct the server or `reader.totalProperty`, or do without `reader.strict`',
  'response-field':
    '{method} {url}: row {row}, {field} {why}. Correct the server or the type of the field, or do without `reader.strict`',
  'response-unchanged':
    '{method} {url} answered 304, though it was not asked whether anything has changed: leave `If-None-Match` to `etags()`, and correct the server or cache in between',
  'response-record': 'The server has no {model} with the id {id}: check the id. The record may have been erased',
  'response-id':
    '{model} {asked} was answered with the record {got}, so nothing was changed here: check `url` of the proxy, and `idProperty` of the model{hint}',
  'response-no-id':
    '{method} {url} answered {status} without an id{location}: the record may exist. Call decide(record, row), decide(record, null) or save({ repeat: true }), and let the server answer with the row or a `Location`',
  'response-missing':
    '{method} {url} does not say what became of {model} {id}, which stays unsaved: let the server answer with one entry for each record, or remove `batchActions`',
  'response-created':
    "{method} {url} answered 201: the server has made the record anew, so somebody had erased it. Load the record to see what the server has now, or erase it. A server that answers each update so needs `If-Match` or `reader.etagProperty`, by which it finds the row; `createBy: 'put'`, if a PUT may make its record; or an extension whose `send` makes the status 200",
  'response-changed':
    '{method} {url} answered {status} without the row, so that it may have changed none: leave the header `Prefer` to the dialect, which asks for the row',
  'response-action':
    '{method} {url} answered with a body that the schema `reply` refuses: {why}. Correct the schema or the server',
  // Redirects
  'response-redirected':
    '{method} {url} was redirected to {target}: it {outcome}. A redirected write is not followed: set `url` or `trailingSlash` so that the final address is asked at once',
  'response-redirected-read':
    '{method} {url} was redirected to {target}. Only a read that is sent by GET is followed: set `url` or `trailingSlash` so that the final address is asked at once',
  'response-redirected-away':
    '{method} {url} was redirected to {target}, on another origin. Use that address, or add its origin to `trustLinks`',
  'response-redirected-often':
    '{method} {url} was redirected more than {count} times, at last to {target}. Use the final address, or correct the server',
  'response-redirected-nowhere':
    '{method} {url} answered {status}, which redirects to {target}. Correct the `Location` that the server sends, or use the final address',
  // Lists that are read while they arrive
  'stream-row':
    '{method} {url}: row {row}, at byte {offset}, is malformed ({why}). Rows before it were read: correct the server, and load again',
  'stream-end':
    '{method} {url}: the response ends within row {row}, at byte {offset}. The connection broke, or the server failed while it sent: load again',
  'stream-rest':
    '{method} {url}: the response is malformed behind row {row}, at byte {offset} ({why}). Correct the server, and load again',
  'stream-root':
    "{method} {url}: the response holds '{path}' twice. Correct the server: rows that are read while they arrive must be in one list",
} as const;

/** Texts about models, stores, proxies, options and extensions that are declared wrongly. */
export const definitionMessages = {
  // Models and fields
  'model-undefined':
    '{model} has no fields: declare it by `class {model} extends Model.define({ fields: … }) {}`, and use that class',
  'id-property': "`idProperty` names '{field}', which is not a field of {model}{hint}",
  'id-parts-few': '`idProperty` of {model} must name at least two different fields, or be the name of one',
  'id-parts-name':
    "{model} has a field 'id', and an id of several fields, which is the member `id` of its records: give the field another name, and set its `mapping` to 'id'",
  'reference-field': "`references()` of {model} names '{field}', which is not a field{hint}",
  'reference-plain':
    "`references()` of {model} names '{field}', which is not declared as a reference: import `reference` from 'repose', and write `{field}: reference('int')`",
  'children-none':
    'No reference of {model} leads to {parent}: declare the field that holds its id in `static references()` of {model}',
  'children-several':
    'Several references of {model} lead to {parent} ({fields}): give the one that is meant, `childrenOf(record, { by })`',
  'children-by': "The reference '{field}' of {model} does not lead to {parent}: give `by` a reference that does",
  'children-erased':
    'A record of {model} cannot be added below a record of {parent} that was erased: add it below another one',
  'children-model':
    'The second argument of `childrenOf` must be a model, such as `childrenOf(order, Line)`, and so must the second and third of `through`, not {value}',
  'children-parent':
    'The first argument of `childrenOf` and `through` must be a record, not {value}: a parent of {model}',
  'children-composite':
    '{model} has no store of the children of a {parent}, whose id has several parts, while a reference holds one value: load them into a store of your own by a filter, or by `pathParams`',
  'children-nested':
    "The rows of {model} in '{path}' of their parent are no list, but {value}: correct `nested` in `static references()` of {model}, or the response of the server",
  'children-on-erase':
    "`onErase` of the reference '{field}' of {model} must be 'erase', 'restrict', 'detach', 'server' or 'ignore', not {value}",
  'children-detach': "`onErase: 'detach'` empties '{field}' of {model}: declare the field with `allowNull: true`",
  'children-restrict':
    '{parent} {parentId} was not erased: {count} records of {model} refer to it. Erase them first, or let them refer to another one',
  'children-save':
    '`save({ children: true })` of {model} sends several requests: leave out `url`, `pathParams` and `repeat`',
  'through-none':
    'No reference of {model} leads to {target}, beside the one to the other side: declare the field that holds its id in `static references()` of {model}',
  'through-several':
    'Several references of {model} lead to {target} ({fields}): give the one that is meant, `through(Joining, record, { to })`',
  'through-set':
    'The records of {model} in this list are those to which {joins} refers: use `add()` and `remove()`, or `load()`',
  'list-field':
    "'{field}' of {model} must be a list of one model, declared by `{field}: embed([Line])`, to have a store",
  'list-carried':
    "The records of '{field}' are loaded and saved with their {model}: call `load()` or `save()` of that record instead of `{call}` of the store",
  'field-reserved':
    "'{field}' of {model} is a member of every record: give the field another name, and set its `mapping` to '{field}'",
  'field-hidden':
    "The class fields '{fields}' of {Class} hide fields of the model '{model}', whose values would never be read. The types come from `define`: remove these lines, or write `declare {field}: …`; a default value goes into `defaultValue`",
  'field-type': "The `type` of the field '{field}' of {model} cannot be {type}{hint}",
  'field-type-built-in': "The field type '{type}' is built in: give the type another name",
  'action-plain':
    "The action '{action}' of {model} is not declared by a function: import `action` from 'repose', and write `{action}: action({ … })`",
  'enum-type':
    "The field '{field}' of {model} has `values`, and the type {type}: give it `type: 'enum'`, or check its values by `validators: [inclusion(list)]`",
  'enum-values':
    "The `values` of the enum '{field}' of {model} must be a list of different texts or numbers, such as `values: ['new', 'paid'] as const`, not {values}",
  'field-format':
    "The format '{format}' of the field '{field}' of {model} {why}: correct it, or leave it out for ISO 8601",
  'field-depends':
    "`depends` of the field '{field}' of {model} {why}: give the names of the fields that its `convert` or `calculate` reads, such as `depends: ['name']`",
  'field-mapping':
    "The `mapping` of the field '{field}' of {model} ('{mapping}') must have no part that is empty or '__proto__'",
  'field-default':
    "New records would share the default of '{field}': set `defaultValue` to a function, which is called for each record",
  'path-depth': 'A path must have at most {most} names ({option}): no server nests its data deeper',
  'path-malformed':
    "'{path}' is not a path ({option}): close each quoted name, and put a dot or a bracket behind it, as in links['self.href'].id",
  validator:
    "A validator of '{field}' must return undefined or { code, message }, and at once, not {value}: check what takes time before `save()`",
  'constructor-arguments':
    'The constructor of {model} must pass on all of its arguments: `constructor(...given) { super(...given); }`',
  // Proxies, options, functions
  'proxy-type':
    "There is no proxy type '{type}'; known: {known}. Give another proxy as its class, imported from 'repose': `type: MemoryProxy`",
  'json-api-type':
    "The relationship '{relationship}' has no type of resources to link to: give its type in `relationships` of `jsonApi()`, or declare the model in `references()`",
  'proxy-missing':
    '{model} has no proxy: set `proxy: { url: … }` in `define`, or define the model on a class that has one (`Model.with({ proxy })`)',
  'proxy-action':
    "Actions of {model} need a proxy that sends requests, not a {type}: set `type: 'rest'` or `type: 'ajax'`",
  hook: 'A function of the application failed: {why}. Correct it: `error.cause` has its stack',
  headers: '`headers` must be an object of texts, or a function that returns one, not {value}',
  'header-name':
    "'{name}' cannot be the name of a header: use letters, digits and hyphens only, as in 'X-Tenant', and correct `headers`",
  'header-value':
    "The value of the header '{name}' cannot be sent: remove line breaks from it, and encode what is not Latin-1, such as with `encodeURIComponent()`",
  'fetch-response': '`fetch` of the proxy must resolve with a `Response`, not {value}',
  'singleton-outbox':
    "An outbox tells records apart by their ids, which a `singleton` has not: add `off('outbox')` to `use` of that proxy",
  // Extensions and parts
  'extension-list': '`use` must be a list of extensions, such as `use: [retry()]`, not {value}',
  extension:
    '`use` holds {value}, which is no extension: an extension is an object with a `name` and a `layer`, such as `retry()` returns',
  'extension-hook': "The hook `{hook}` of the extension '{name}' must be a function, not {value}",
  'extension-outcomes':
    "The `write` hook of the extension '{name}' must resolve with a list of {count} outcomes, one for each record: `{ row }`, or `{ error }` with a DataError",
  'extension-missing':
    "{what} needs the extension `{name}()`: import it from 'repose', and add it to the proxy, `use: [{name}()]`",
} as const;

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
  erased:
    '{model} {id} was erased: it can be read, but not changed or sent. Use copyOf(record) to make a new record of it',
  busy: '{call} cannot run while {model} {id} is being saved: wait until the save has ended (`$.saving`)',
  'busy-waiting':
    '{call} cannot run while {model} {id} waits to be written: wait until its `sync()` has ended, or take the change back with reject()',
  'save-dropped':
    '{model} {id} was not sent, because discard() of its outbox gave the write up: nothing was saved. Save it again to send it',
  'save-taken-back':
    '{model} {id} was not sent, because reject() took its save back. Call save() again after the next edit',
  'settle-no-id':
    "decide(record, row) of a {model} needs the row as the server has it, with its id ('{field}'); if the server has no such row, call decide(record, null)",
  'reference-unknown': "{model} has no reference '{field}'{hint}",
  // Conflicts
  'conflict-unbound':
    'keepMine(), takeTheirs(), merge() and inspect() need the conflict of a saved record, and the extension `conflicts()`. They cannot decide a conflict of a create. Add `conflicts()` to `use` of the proxy, and save or erase the record by itself',
  'conflict-over': 'This conflict is over, because {model} {id} was written or read after it: save the record again',
  'conflict-again':
    '{model} {id} was changed once more on the server: decide again with keepMine(), takeTheirs() or merge()',
  'conflict-unsent':
    '{model} {id} was not sent: it was changed on the server after it was read here. Decide with keepMine(), takeTheirs() or merge() of the extension `conflicts()`, or read the record again',
  'conflict-elsewhere':
    '{method} {url} answered {status}, which does not say whether {model} {id} is gone: it was read from `api.read`, but it is written to another address. If `api.read` serves only lists, set `api.list` instead',
  'conflict-gone':
    '{model} {id} is no longer on the server: call takeTheirs() to erase it here, or copyOf(record) to make a new record of it',
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

/** Texts about stores, windows, sessions and `sync()`. */
export const storeMessages = {
  duplicate:
    'The store already has a {model} with the id {id}: change that record (`store.getById(id)`), or remove it first',
  foreign: 'What is added to the store must be a record of {model}, or an object with its values, not {value}',
  'foreign-removed':
    'What is removed from the store must be a record of {model}, not {value}: find the record with `getById(id)` or `getAt(index)`, or spread a list, `remove(...records)`',
  'foreign-depth':
    'An item was given that is nested deeper than {most} levels, or contains itself: no row of a server is. Give rows as JSON holds them',
  'received-row':
    'An item that {model} received is no row: give plain objects as the server sends them, without records of a model',
  'received-id': 'A row that {model} received has no id, so nobody knows whose it is: give rows with their ids',
  'received-removed': '`removed` must be a list of ids of {model}, such as `[7, 8]`',
  'received-field':
    '{model} received a row with a refused value: row {row}, {field} {why}. Correct the row or the type of the field, or do without `reader.strict`',
  'selection-item':
    'What is selected must be a record of {model} that exists, or its id, not {value}; a new record must be in the store',
  'selection-range':
    'A range of {model} goes from one record that the store shows to another one; {value} is not shown: use `select(id)`, or load its page first',
  'foreign-row':
    '`setRecords` must be given a list of records of {model}, and of rows, which are plain objects as the server sends them',
  'given-field':
    '`setRecords` was given rows of {model}: row {row}, {field} {why}. Correct the row or the type of the field, or do without `reader.strict`',
  'session-duplicate':
    'The session already has a {model} with the id {id}: use that record, so that all stores show one object',
  'fork-foreign': '{model} {id} is not in the session that was forked: add it there, or load it by the session',
  'fork-write':
    '{model} {id} belongs to a fork, which sends nothing: call `merge()` of the fork, and save the record of the session that was forked',
  'fork-dropped': 'The fork was dropped, so `{call}` does nothing: make another one with `fork(session)`',
  merge:
    '{count} changes were not merged, because both sides changed the record ({fields}), so nothing was: give a function that decides about each conflict, or undo one of the two',
  disposed: 'The {owner} was disposed of: open another one with `store.{owner}()`',
  'store-disposed':
    'The store of {model} was disposed of, so it neither loads nor changes anything: make another one with `new Store({ … })`',
  'store-unsaved':
    'The store of {model} was disposed of with {count} unsaved changes, which no `sync()` will write: before `dispose()`, call `sync()` or `reject()`, or give the store a session',
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
    '{model} {id} was erased, which cannot be undone, though another write failed: use copyOf(record) to make a new record of it',
  'sync-unconfirmed':
    '{model} {id} was created, and may have been erased again: {why}. Look for it on the server, and call decide(record, row) or decide(record, null)',
} as const;

/** Texts about what extensions of proxies refuse or could not do. */
export const extensionMessages = {
  'write-captured':
    '{what} was not changed: it is what a write sends, which was captured. Return other values from a `capture` hook instead',
  'extension-captured':
    "{what} was not changed by the extension '{name}': it is what a write sends, which was captured. Return other values from a `capture` hook instead",
  'extension-failed':
    "The `write` hook of the extension '{name}' failed: {why}. Correct it: `error.cause` has its stack. `write.frozen` and `write.changes` can be read only; to send other values, return them from a `capture` hook",
  'rate-pause':
    '{method} {url} was not sent: {host} takes no request before {until}. Try again then, or raise `maxWait` of `rateLimit()`',
  refresh: 'The sign-in could not be renewed: {why}. Sign in again, or check `renew` of `auth()`',
  'refresh-own':
    '{method} {url} answered 401 to a call that `renew` of `auth()` itself made: make it with `fetch`, or by a proxy without `auth()`',
  'refresh-slow':
    '{method} {url} answered 401, and `renew` of `auth()` has not ended for {timeout} ms; if it waits for this call, make that call by a proxy without `auth()`',
  'auth-user':
    '{method} {url} was not sent: somebody else has signed in, or has signed out, since it was made. Make stores and sessions anew after a sign-in, and let `headers` return the credentials of their user only',
} as const;

/** Texts about options and events that nobody knows, and about values that they cannot have. */
export const optionMessages = {
  'option-unknown': "'{option}' is not an option of {owner}; its options are {known}",
  'option-unknown-class':
    "'{option}' is not an option of {owner}; its options are {known}. A subclass with an option of its own adds the name in `static optionNames()`",
  'option-near': "'{option}' is not an option of {owner}: did you mean '{meant}'?",
  'option-other': "'{option}' is not an option of {owner}: {remedy}",
  'option-none': '{owner} takes no options: call it without',
  'option-value': '{option} must be {expected}, not {value}',
  'methods-changed':
    '`actionMethods` of {proxy} cannot be changed, because requests do not read it: give `actionMethods` to the proxy, `proxy.with({ actionMethods: … })`, or override `getMethod()` in a subclass',
  'codec-stream': '{what} reads JSON, and the codec of the proxy reads {format}: remove one of them',
  'reader-stream-place':
    'A function as `reader.{option}` needs the whole response: give a path, or remove `stream` and `ndjson` from the reader',
  'dialect-step':
    "The dialect '{dialect}' has no `{step}`: write it, or spread the dialect that is closest, `{ ...plain(), name: 'house', … }`",
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
