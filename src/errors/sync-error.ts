import { DataError, type DataErrorOptions } from './data-error.js';
import type { MessageKey, MessageParams } from './messages.js';

/** What {@link SyncError} tells apart. */
export type SyncCode = 'skipped' | 'undone' | 'not-undone';

/**
 * The outcome of a record that `sync()` did not write, or wrote and took back, because of another one. `skipped`: not
 * attempted. `undone`: written, then undone. `not-undone`: written, and cannot be undone, or nobody knows whether it was.
 */
export class SyncError extends DataError {
  override readonly name = 'SyncError' as const;
  readonly code: SyncCode;

  constructor(code: SyncCode, reason: MessageKey, params: MessageParams, options?: DataErrorOptions) {
    super(reason, params, options);
    this.code = code;
  }
}
