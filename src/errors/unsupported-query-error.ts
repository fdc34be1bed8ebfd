import { propertyHint } from '../dev/checks.js';
import { DataError } from './data-error.js';
import { describe, type Messages } from './message-format.js';

/**
 * The dialect cannot express the query: the load rejects, and `exception` reports it. Or the store does not hold all rows that a local query
 * needs: the call throws. Nothing was sent.
 *
 * @example
 * ```ts
 * const adults = new Store({
 *   model: User,
 *   proxy: { dialect: plain() },
 *   remoteFilter: true,
 *   filters: [where(User).age.ge(18)],
 * });
 * await adults.load().catch((error: unknown) => {
 *   show(error instanceof UnsupportedQueryError); // true: `plain()` knows no `ge`, so nothing was sent
 * });
 * ```
 */
export class UnsupportedQueryError extends DataError {
  override readonly name = 'UnsupportedQueryError' as const;
  readonly code = 'unsupported-query' as const;
}

/** The end of remedies for filters that the server cannot apply: how the store filters without it. */
export const FILTER_IN_STORE =
  'filter in the store: `remoteFilter: false` with `pageSize: 0`, which loads everything, or with `allowPartial: true`';

/** The error of a wrong value in a query. */
export function badValue(name: string, value: unknown, expected: string): UnsupportedQueryError {
  return new UnsupportedQueryError('query-value', { name, expected, value: describe(value) });
}

/** The error of a query that a dialect cannot express; `remedy` says what to do instead. */
export function unsupported(dialect: string, what: string, remedy: string): UnsupportedQueryError {
  return new UnsupportedQueryError('query-unsupported', { dialect, what, remedy });
}

/** The error of an option that works on loaded records only, in a query that would be sent. */
export function unsupportedOption(dialect: string, option: string): UnsupportedQueryError {
  return unsupported(
    dialect,
    `\`${option}\``,
    'leave it out, or let the store do it: `remoteSort: false`, `remoteFilter: false`, with `pageSize: 0` or `allowPartial: true`',
  );
}

/** The error of a query by a name that is not a field of its model. */
export function unknownProperty(
  property: string,
  model: {
    readonly name: string;
    readonly fields: readonly { readonly name: string }[];
    readonly messages?: Messages | undefined;
  },
): UnsupportedQueryError {
  const hint = propertyHint(property, model.fields);
  return new UnsupportedQueryError('query-field', { property, model: model.name, hint }, { messages: model.messages });
}
