/** Texts about addresses, ids and parameters of requests. */
export const addressMessages = {
  'url-missing': 'No address to {action}: set `url` on the proxy',
  'url-relative': "'{url}' needs a `baseUrl`",
  'url-invalid': "'{url}' is no address",
  'url-built': 'A request is built once: make a new one',
  'url-outside':
    "{method} {url} was not sent: it leaves '{base}'. To address another collection, set `operation.url` or `api`, or override `baseOf`",
  'url-collection':
    '{method} {url} was not sent: it does not name the record. Save a new record first, keep its id in `buildUrl`, or give the call a `url` of its own',
  'url-several': '{method} of {count} records was not sent: set `batchActions`',
  'url-bulk':
    "{method} {url} was not sent: the address step of the dialect '{dialect}' names one of {count} records. Return the address of the collection where `request.bulk` is true",
  'url-singleton':
    'The {action} was not sent: the proxy is a `singleton`, whose address holds one record. Read it with `load(options)` of the model, and save records one by one',
  'id-missing': 'No id to {action} by',
  'id-singleton': '{model} is a singleton, which has no id: call `load(options)` without one',
  'id-type': 'An id is text or a number, not {type}',
  'id-dots': "'{value}' is no path segment",
  'id-surrogate': 'A lone surrogate cannot be sent',
  'id-unsafe': '{value} has lost digits: use text',
  'format-invalid': "'{format}' is no format",
  'template-invalid': "'{{name}}' in '{url}' is no plain name in the path",
  'template-missing': "'{{name}}' in '{url}' has no value: set `pathParams`",
  'template-several': "'{{name}}' in '{url}' differs among records",
  'template-phantom': "'{{name}}' is of a record that was never saved: save it first",
  'param-invalid': "The parameter '{name}' cannot be sent: {why}",
} as const;
