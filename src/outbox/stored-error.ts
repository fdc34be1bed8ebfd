import { DataError } from '../errors/data-error.js';
import type { MessageKey, Messages } from '../errors/message-format.js';
import { type NamedField, userMessageOf } from '../errors/user-message.js';
import { isPlainObject } from '../util/values.js';
import { entryName } from './outbox-entry.js';
import { OutboxError } from './outbox-error.js';
import type { StoredChange } from './stored-change.js';

/** An error in the form in which it is stored: addresses are removed from its message and from the server's texts. */
export function errorData(error: DataError): object {
  return withoutAddresses(error.toJSON(), error.operation?.request?.url) as object;
}

function withoutAddresses(value: unknown, url: string | undefined): unknown {
  if (typeof value === 'string') {
    const text = url ? value.replaceAll(url, '…') : value;
    return text.replace(/\bhttps?:\/\/[^\s"'<>]+/gi, '…');
  }
  if (Array.isArray(value)) return value.map((each) => withoutAddresses(each, url));
  if (!isPlainObject(value)) return value;
  const members = Object.entries(value).map(([name, each]) => {
    // The `type` of a problem (RFC 9457) identifies it by a URI, which is not an address of the application.
    return [name, name === 'type' ? each : withoutAddresses(each, url)];
  });
  return Object.fromEntries(members);
}

/** The words with which a model tells errors. */
export interface ModelWords {
  readonly fields: readonly NamedField[];
  readonly messages: Messages;
}

/** An error of an earlier process: it has what its JSON form has kept. */
class StoredError extends DataError {
  override readonly name: string;
  readonly code: string;
  override readonly retryable: boolean;
  override readonly reason: MessageKey;
  /** Whether the write is a create that may have been done. */
  readonly unconfirmed: boolean;
  declare private readonly words: ModelWords | undefined;

  constructor(
    stored: Readonly<Record<string, unknown>>,
    change: StoredChange,
    isUnconfirmed: boolean,
    words: ModelWords | undefined,
  ) {
    super('outbox-unconfirmed', entryName(change));
    // Not enumerable: the fields of a model must not get into logs.
    Object.defineProperty(this, 'words', { value: words });
    const { message, name, code, reason, retryable, ...more } = stored;
    Object.assign(this, more);
    this.message = String(message ?? '');
    this.name = String(name ?? 'DataError');
    this.code = String(code ?? '');
    this.reason = String(reason ?? code ?? '') as MessageKey;
    this.retryable = retryable === true;
    this.unconfirmed = isUnconfirmed;
  }

  override get userMessage(): string {
    return userMessageOf(this, this.words?.messages, this.words?.fields);
  }
}

/**
 * The error that was stored with changes, as an error again, in the words of their model. `isUnconfirmed`: they are a create that may have
 * been done.
 */
export function revivedError(
  stored: object | undefined,
  change: StoredChange,
  isUnconfirmed: boolean,
  words?: ModelWords,
): DataError {
  return isPlainObject(stored)
    ? new StoredError(stored, change, isUnconfirmed, words)
    : new OutboxError('outbox-unconfirmed', entryName(change));
}
