import type { Operation } from '../operation/operation.js';
import { formatMessage, type MessageKey, type MessageParams, type Messages } from './messages.js';

/** Marks our errors across bundles, where `instanceof` fails. */
const BRAND = Symbol.for('repose.DataError');

/** What every error of ours is made from. */
export interface DataErrorOptions {
  /** The operation that failed. */
  operation?: Operation | undefined;
  cause?: unknown;
  /** Texts that replace the built-in ones. */
  messages?: Messages | undefined;
}

/** Base of all errors that Repose throws or rejects with. */
export abstract class DataError extends Error {
  /** Stable code to branch on. */
  abstract readonly code: string;
  /** Which text of the message table this is. */
  readonly reason: MessageKey;
  /** What was filled into the text. */
  readonly params: MessageParams;
  /** The operation that failed, if it got that far. */
  readonly operation?: Operation;
  /** Whether the same call may succeed later without a change. */
  readonly retryable: boolean = false;

  constructor(reason: MessageKey, params: MessageParams = {}, options: DataErrorOptions = {}) {
    super(
      formatMessage(reason, params, options.messages),
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.reason = reason;
    this.params = params;
    // Not enumerable: an operation holds records, and logs should not.
    Object.defineProperty(this, 'operation', { value: options.operation, configurable: true, writable: true });
    Object.defineProperty(this, BRAND, { value: true });
  }

  /** The error as plain data, for logs; holds no record, body or header. */
  toJSON(): object {
    return {
      name: this.name,
      code: this.code,
      reason: this.reason,
      message: this.message,
      retryable: this.retryable,
      ...(this.operation && { action: this.operation.action }),
    };
  }
}

/** Whether something thrown carries the mark of our errors, also when another copy of the package made it. */
export function hasErrorBrand(error: unknown): error is DataError {
  return typeof error === 'object' && error !== null && BRAND in error;
}
