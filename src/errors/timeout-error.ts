import { DataError, type DataErrorOptions } from './data-error.js';
import type { MessageParams } from './messages.js';

/** No complete answer within the proxy's `timeout`. */
export class TimeoutError extends DataError {
  override readonly name = 'TimeoutError' as const;
  readonly code = 'timeout' as const;
  override readonly retryable: boolean = true;
  /** Whether a create was sent, so that the record may exist on the server now. */
  readonly inDoubt: boolean;

  constructor(params: MessageParams, options: DataErrorOptions & { inDoubt?: boolean } = {}) {
    super('timeout', params, options);
    this.inDoubt = options.inDoubt ?? false;
  }
}
