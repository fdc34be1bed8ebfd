import { DataError } from './data-error.js';

/** The query cannot be said in the server's dialect, or answered from what the store holds; nothing was sent. */
export class UnsupportedQueryError extends DataError {
  override readonly name = 'UnsupportedQueryError' as const;
  readonly code = 'unsupported-query' as const;
}
