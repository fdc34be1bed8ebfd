import { DataError } from './data-error.js';
import { describe } from './messages.js';

/** The query cannot be said in the server's dialect, or answered from what the store holds; nothing was sent. */
export class UnsupportedQueryError extends DataError {
  override readonly name = 'UnsupportedQueryError' as const;
  readonly code = 'unsupported-query' as const;
}

/** The error of a part of a query that is not what it should be. */
export function badValue(
  name: string,
  value: unknown,
  expected: string = 'given by a property',
): UnsupportedQueryError {
  return new UnsupportedQueryError('query-value', { name, expected, value: describe(value) });
}

/** The error of what a dialect has no words for. */
export function unsupported(dialect: string, what: string): UnsupportedQueryError {
  return new UnsupportedQueryError('query-unsupported', { dialect, what });
}
