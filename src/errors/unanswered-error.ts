import { DataError, type DataErrorOptions } from './data-error.js';
import type { MessageKey, MessageParams } from './messages.js';
import { refuseOldName } from './renamed.js';

/** Options of errors about requests without an answer. */
export interface UnansweredErrorOptions extends DataErrorOptions {
  /** Whether a create was sent, so that the record may exist on the server now. @default false */
  unconfirmed?: boolean;
}

/** Base of the errors of requests that got no complete answer. */
export abstract class UnansweredError extends DataError {
  /** Whether a create was sent, so that the record may exist on the server now. Without an idempotency key, such a create is not repeated automatically. */
  readonly unconfirmed: boolean;

  constructor(reason: MessageKey, params?: MessageParams, options: UnansweredErrorOptions = {}) {
    super(reason, params, options);
    if ('inDoubt' in options) refuseOldName('inDoubt', 'unconfirmed');
    this.unconfirmed = options.unconfirmed ?? false;
  }

  /** The name that `unconfirmed` had before. */
  protected get inDoubt(): never {
    return refuseOldName('error.inDoubt', 'error.unconfirmed');
  }
}
