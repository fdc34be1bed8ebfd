/** Texts about sorters, filters, groupers and pages: nothing was sent. */
export const queryMessages = {
  'load-refused':
    'A load of {model} was not sent: the option `canLoad` of the store refused it. Let `canLoad` return true to load',
  'query-unsupported': 'The {dialect} dialect cannot express {what}: {remedy}',
  'query-field': "{model} has no field '{property}'{hint}",
  'query-unmapped':
    "The server has no name for '{property}' of {model}, whose `mapping` is a function: use another field, or let the store do it: `remoteSort: false`, `remoteFilter: false`, with `pageSize: 0` or `allowPartial: true`",
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
    '`{option}` works on loaded records only, but `{remote}` leaves this part of the query to the server. Leave `{option}` out, use it in a `store.view()`, or switch `{remote}` off',
  'query-partial':
    'Only a part of the collection is loaded, so {what} it here would mislead: set `remote{remote}: true` (what the dialect cannot express, a step `filter` or `sort` of your own can), load everything with `pageSize: 0`, or set `allowPartial: true` on the store',
  'query-function':
    'A `filterFn` tests only the records that are loaded, but `remoteFilter` leaves filtering to the server. Filter by a field that the server knows, filter a `store.view()`, or set `allowPartial: true` for a filter that stands outside of `and`, `or` and `not`',
} as const;
