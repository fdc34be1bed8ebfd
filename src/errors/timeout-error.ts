import { UnansweredError, type UnansweredErrorOptions } from './unanswered-error.js';

/** No complete answer within the proxy's `timeout`. */
export class TimeoutError extends UnansweredError {
  override readonly name = 'TimeoutError' as const;
  readonly code = 'timeout' as const;
  override readonly retryable: boolean = true;

  constructor(timeout: number, options?: UnansweredErrorOptions) {
    super('timeout', { timeout }, options);
  }
}
