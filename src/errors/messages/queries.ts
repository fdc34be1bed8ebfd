/** Texts about sorters, filters, groupers, paging and options of queries. */
export const queryMessages = {
  'load-refused': 'A load of {model} was not sent: the option `canLoad` of the store refused it',
  'query-unsupported': 'The {dialect} dialect cannot say {what}',
  'query-field': "'{property}' is no field of {model}",
  'query-value': '{name} must be {expected}, not {value}',
  'query-local':
    '`{option}` works on loaded records only, but `{remote}` leaves this part of the query to the server. Leave `{option}` out, use it in a `store.view()`, or switch `{remote}` off',
  'query-partial': 'Only a part is loaded: {what} it would mislead. Set remote{remote} or `allowPartial: true`',
  'query-function':
    'A `filterFn` tests loaded rows only, but `remoteFilter` leaves filtering to the server. Filter by a field that the server knows, filter a `store.view()`, or set `allowPartial: true` for a filter that stands outside of `and`, `or` and `not`',
} as const;
