import type { Operation } from '../operation/operation.js';
import { type Data, isObject } from '../util/data-path.js';
import { formatMessage, type MessageKey, type MessageParams, type Messages } from './messages.js';

/** Marks our errors across bundles, where `instanceof` fails. */
const BRAND = Symbol.for('repose.DataError');

/** What every error of ours is made from. */
export interface DataErrorOptions {
  /** The operation that failed. */
  operation?: Operation | undefined;
  cause?: unknown;
  /** Texts that replace the built-in ones, or that no table has. */
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
  declare readonly operation?: Operation;
  /** Whether the same call may succeed later without a change. */
  readonly retryable: boolean = false;
  /** Whether an outbox keeps the write, and sends it again by itself. */
  declare queued?: boolean;
  declare private readonly texts: Messages | undefined;

  constructor(reason: MessageKey, params: MessageParams = {}, { operation, cause, messages }: DataErrorOptions = {}) {
    super(formatMessage(reason, params, messages), cause === undefined ? undefined : { cause });
    this.reason = reason;
    this.params = params;
    // Not enumerable: an operation holds records, and logs should not.
    const hidden = {
      [BRAND]: { value: true },
      texts: { value: messages },
      operation: { value: undefined, writable: true },
    };
    Object.defineProperties(this, hidden);
    this.inContext(operation);
  }

  /** Completes an error that a lower layer threw: the operation it belongs to, what of it goes into the text, and in which words. */
  inContext(operation: Operation | undefined, messages?: Messages): this {
    if (this.operation || !operation) return this;
    const { action, modelName = 'records', request, response } = operation;
    // Without a request the text says what was to be done, such as "read user".
    const { method = action, url = modelName } = request ?? {};
    const params = { action, method, url, status: response?.status, ...this.params };
    const message = formatMessage(this.reason, params, { ...this.texts, ...messages });
    const stack = this.stack?.replace(this.message, () => message);
    return Object.assign(this, { operation, params, message, stack });
  }

  /** The error as plain data, for logs; holds no record, body or header. */
  toJSON(): object {
    const own: Data = { ...(this as object), message: this.message, action: this.operation?.action };
    const names = ['name', 'code', 'reason', 'message', 'retryable', 'action', 'status', 'problem', 'issues'];
    return Object.fromEntries(names.filter((name) => own[name] !== undefined).map((name) => [name, own[name]]));
  }
}

/** Whether something thrown carries the mark of our errors, also when another copy of the package made it. */
export function hasErrorBrand(error: unknown): error is DataError {
  return isObject(error) && BRAND in error;
}
