import { UnansweredError } from './unanswered-error.js';

/**
 * The caller aborted the operation through its `signal` or `abort()`, the `canLoad` of a store refused it, or the store, view or
 * window was disposed of.
 */
export class AbortError extends UnansweredError {
  override readonly name = 'AbortError' as const;
  readonly code = 'abort' as const;
}
