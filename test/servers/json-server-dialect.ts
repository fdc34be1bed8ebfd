import { type Dialect, plain } from 'repose';

/** A dialect for json-server 0.17, by options alone. */
export function jsonServer(): Dialect {
  return plain({
    name: 'json-server',
    page: '_page={page}&_limit={limit}',
    sort: { asc: '_sort={name}&_order=asc', desc: '_sort={name}&_order=desc' },
    filter: { eq: '{name}', in: '{name}', ne: '{name}_ne', ge: '{name}_gte', le: '{name}_lte' },
    searchParam: 'q',
  });
}
