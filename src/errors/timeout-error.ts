import { DataError, type DataErrorOptions } from './data-error.js';

/** No complete answer within the proxy's `timeout`. */
export class TimeoutError extends DataError {
  override readonly name = 'TimeoutError' as const;
  readonly code = 'timeout' as const;
  override readonly retryable: boolean = true;
  /** Whether a create was sent, so that the record may exist on the server now. */
  readonly inDoubt: boolean;

  constructor(timeout: number, { inDoubt = false, ...options }: DataErrorOptions & { inDoubt?: boolean } = {}) {
    super('timeout', { timeout }, options);
    this.inDoubt = inDoubt;
  }
}
