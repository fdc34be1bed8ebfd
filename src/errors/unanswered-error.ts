import { DataError, type DataErrorOptions } from './data-error.js';
import type { MessageKey, MessageParams } from './messages.js';

/** Options of errors about requests without an answer. */
export interface UnansweredErrorOptions extends DataErrorOptions {
  inDoubt?: boolean;
}

/** Base of the errors of requests that got no complete answer. */
export abstract class UnansweredError extends DataError {
  /** Whether a create was sent, so that the record may exist on the server now. Without an idempotency key, such a create is not repeated automatically. */
  readonly inDoubt: boolean;

  constructor(reason: MessageKey, params?: MessageParams, options: UnansweredErrorOptions = {}) {
    super(reason, params, options);
    this.inDoubt = options.inDoubt ?? false;
  }
}
