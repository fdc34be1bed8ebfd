/** Texts of errors that only stores have. */
export const storeTexts: Readonly<Record<string, string>> = {
  duplicate: 'The store has a {model} with the id {id} already',
  'query-partial': 'Only a part is loaded: {what} it would mislead. Set remote{remote} or `allowPartial: true`',
  'query-function':
    'A `filterFn` tests loaded rows only, but `remoteFilter` leaves filtering to the server. Filter by a field that the server knows, filter a `store.view()`, or set `allowPartial: true` for a filter that stands outside of `and`, `or` and `not`',
  'store-part-missing':
    "{what} needs the part `{part}`: import it from 'repose' or 'repose/core', and add it to the list of the class of the store or session, `static override readonly parts = [...Store.parts, {part}]`",
  'store-part-invalid':
    "`parts` of '{store}' must be a list of objects with a `name`, not {value}. A part that is undefined was imported in a circle",
  foreign: 'The store takes records of {model} only',
};

/** Texts of the outcomes of records that a `sync()` did not attempt. */
export const syncTexts: Readonly<Record<string, string>> = {
  'sync-skipped': '{model} {id} was not attempted: {why}',
  'sync-aborted': '{model} {id} was not attempted: the sync was aborted',
};
