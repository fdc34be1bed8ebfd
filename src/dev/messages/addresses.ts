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
  'id-dots':
    "'{value}' cannot be a part of a path, where it would lead to another address: use another id, or set `appendId: false`, which sends ids as a parameter",
  'id-control':
    "'{value}' cannot be sent as an id: it holds a control character, which some servers take for the end of the text. Check where the text came from",
  'id-field':
    "'{value}' is no id of {model}, whose field '{field}' has the type '{type}': it could name something else on the server. If it is a name that the server knows, pass `anyId: true` to `load()`; else check where the id came from",
  'id-surrogate':
    "'{value}' cannot be sent: it holds one half of a character (a lone surrogate). Check where the text was cut",
  'id-unsafe':
    "The number {value} has lost digits, and could name another record: use the id as text, and give its field the type 'string' or 'bigint'",
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
