import { DataError, type DataErrorOptions } from './data-error.js';
import type { MessageKey, MessageParams } from './messages.js';

/** Codes of {@link SyncError}. */
export type SyncCode = 'skipped' | 'undone' | 'not-undone';

/**
 * The outcome of a record that `sync()` did not write, or wrote and undid, because the write of another record failed. `skipped`: not
 * sent. `undone`: written, then undone. `not-undone`: written and not undone, or it is not known whether it was undone.
 */
export class SyncError extends DataError {
  override readonly name = 'SyncError' as const;
  readonly code: SyncCode;

  constructor(code: SyncCode, reason: MessageKey, params: MessageParams, options?: DataErrorOptions) {
    super(reason, params, options);
    this.code = code;
  }
}
