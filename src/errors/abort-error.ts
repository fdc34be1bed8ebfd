import { DataError, type DataErrorOptions } from './data-error.js';
import type { MessageKey, MessageParams } from './messages.js';

/** The caller aborted the operation through its `signal` or `abort()`. */
export class AbortError extends DataError {
  override readonly name = 'AbortError' as const;
  readonly code = 'abort' as const;
  /** Whether a create was sent, so that the record may exist on the server now. */
  readonly inDoubt: boolean;

  constructor(
    reason: MessageKey,
    params?: MessageParams,
    { inDoubt = false, ...options }: DataErrorOptions & { inDoubt?: boolean } = {},
  ) {
    super(reason, params, options);
    this.inDoubt = inDoubt;
  }
}
