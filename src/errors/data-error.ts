import { completeLater, errorText } from '../dev/texts.js';
import type { Operation } from '../operation/operation.js';
import { type Data, isObject } from '../util/data-path.js';
import { withoutPage } from './error-page.js';
import type { MessageKey, MessageParams, Messages } from './message-format.js';
import { changeTexts, hideSecrets } from './quoted-text.js';
import { userMessageOf } from './user-message.js';

/** Marks errors of this package, also across two copies of it, where `instanceof` fails. */
const BRAND = Symbol.for('repose.DataError');

/** Options of every error of this package. */
export interface DataErrorOptions {
  /** The operation that failed. */
  operation?: Operation | undefined;
  cause?: unknown;
  /** Texts that replace the built-in ones, or texts of the application's own errors. */
  messages?: Messages | undefined;
}

/**
 * Base of all errors that Repose throws or rejects with.
 *
 * @example
 * ```ts
 * await user.set('name', 'Grace').save().catch((error: unknown) => {
 *   if (!(error instanceof DataError)) throw error;
 *   if (error.retryable) show('Please try again later.');
 *   show(error.code, error.userMessage); // 'http', and a sentence for the user
 * });
 * ```
 */
export abstract class DataError extends Error {
  static {
    const value = inspectError;
    const name = Symbol.for('nodejs.util.inspect.custom');
    Object.defineProperty(this.prototype, name, { value, configurable: true, writable: true });
  }

  /** Stable code to branch on. */
  abstract readonly code: string;
  /** Key of the error's text in {@link messages}. */
  readonly reason: MessageKey;
  /** The values that were filled into the text. Credentials in addresses are left out. */
  readonly params: MessageParams;
  /** The operation that failed; undefined if there was none yet. */
  declare readonly operation?: Operation;
  /** Whether the same call may succeed later without a change. */
  readonly retryable: boolean = false;
  /** Whether an outbox keeps the write and sends it again automatically. */
  declare queued?: boolean;
  declare private texts: Messages | undefined;

  constructor(reason: MessageKey, params: MessageParams = {}, { operation, cause, messages }: DataErrorOptions = {}) {
    // Addresses may hold credentials, which must not get into logs.
    const shown = changeTexts(params, (text) => hideSecrets(withoutPage(text)));
    super(errorText(reason, shown, messages), cause === undefined ? undefined : { cause });
    this.reason = reason;
    this.params = shown;
    // Not enumerable: an operation holds records, which must not get into logs.
    const hidden = {
      [BRAND]: { value: true },
      texts: { value: messages, writable: true },
      operation: { value: undefined, writable: true },
    };
    Object.defineProperties(this, hidden);
    this.inContext(operation);
    completeLater(this);
  }

  /**
   * A short text for the person at the screen, in every build: what the server said, where it refused something in words for people; else
   * what the `code` means for a user, such as "The server cannot be reached. Your changes are kept." Where values were refused, it names
   * the first field by its label, with its problem. The option `messages` of a model or proxy replaces these sentences, by keys such as
   * `user-network`. `message` is for developers and logs.
   *
   * A text of yours for `user-validation` stands before the field, and the other problems are counted if you give `user-validation-more`
   * too: `Customer is closed. And 1 more to check.`
   *
   * @example
   * ```ts
   * await user.save().catch((error) => alert(error.userMessage));
   * ```
   */
  get userMessage(): string {
    return userMessageOf(this, this.texts, this.operation?.modelFields);
  }

  /** Adds the operation to an error that a lower layer threw, and fills its address and status into the text, in the words of `messages`. */
  inContext(operation: Operation | undefined, messages?: Messages): this {
    if (this.operation || !operation) return this;
    const { action, modelName = 'records', request, response } = operation;
    // Without a request, the text names the action and the model instead: "read user".
    const { method = action, url = modelName } = request ?? {};
    const params = { action, method, url: hideSecrets(url), status: response?.status, ...this.params };
    return Object.assign(this, { operation, params }).inWords(messages);
  }

  /** Replaces the text by that of `messages`, for errors that were created without this table. */
  inWords(messages: Messages | undefined): this {
    const { message: before } = this;
    if (messages) this.texts = { ...this.texts, ...messages };
    const message = errorText(this.reason, this.params, this.texts, this.code);
    // Reading the stack makes its text, which is slow.
    if (message === before) return this;
    const stack = this.stack?.replace(before, () => message);
    return Object.assign(this, { message, stack });
  }

  /**
   * The error as plain data, for logs; holds no record, body or header.
   *
   * @example
   * ```ts
   * await user.save().catch((error) => {
   *   navigator.sendBeacon('/log', JSON.stringify(error)); // {"name":"NetworkError","code":"network","reason":…}
   * });
   * ```
   */
  toJSON(): object {
    const own: Data = { ...(this as object), message: this.message, action: this.operation?.action };
    const names = ['name', 'code', 'reason', 'message', 'retryable', 'action', 'status', 'problem', 'issues'];
    return Object.fromEntries(names.filter((name) => own[name] !== undefined).map((name) => [name, own[name]]));
  }
}

/**
 * Shows an error in Node's console by its stack and its JSON form. Its other members hold rows, and the answer with its headers.
 */
function inspectError(
  this: DataError,
  _depth: number,
  options: object,
  inspect?: (value: unknown, options: object) => string,
): unknown {
  const { name: _, message: __, ...facts } = this.toJSON() as Data;
  const shown = this.cause === undefined ? facts : { ...facts, cause: this.cause };
  return inspect ? `${this.stack} ${inspect(shown, options)}` : shown;
}

/** Whether something thrown is an error of this package, also of another copy of it. */
export function hasErrorBrand(error: unknown): error is DataError {
  return isObject(error) && BRAND in error;
}

/** Whether an error of a read says that the server does not have the row. */
export function isGone(error: unknown): boolean {
  const { status, reason } = (error ?? {}) as Partial<DataError> & { status?: number };
  return status === 404 || status === 410 || reason === 'response-record';
}
