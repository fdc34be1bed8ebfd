import { DataError } from './data-error.js';

/** The caller aborted the operation through its `signal` or `abort()`. */
export class AbortError extends DataError {
  override readonly name = 'AbortError' as const;
  readonly code = 'abort' as const;
}
