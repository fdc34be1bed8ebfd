import { DataError } from '../errors/data-error.js';
import type { MessageKey } from '../errors/messages.js';
import { isPlainObject } from '../util/values.js';
import { entryName } from './outbox-entry.js';
import { OutboxError } from './outbox-error.js';
import type { StoredChange } from './stored-change.js';

/** An error of an earlier process: it has what its JSON form has kept. */
class StoredError extends DataError {
  override readonly name: string;
  readonly code: string;
  override readonly retryable: boolean;
  override readonly reason: MessageKey;

  constructor(stored: Readonly<Record<string, unknown>>, change: StoredChange) {
    super('outbox-unconfirmed', entryName(change));
    const { message, name, code, reason, retryable, ...more } = stored;
    Object.assign(this, more);
    this.message = String(message ?? '');
    this.name = String(name ?? 'DataError');
    this.code = String(code ?? '');
    this.reason = String(reason ?? code ?? '') as MessageKey;
    this.retryable = retryable === true;
  }
}

/** The error that was stored with changes, as an error again. */
export function revivedError(stored: object | undefined, change: StoredChange): DataError {
  return isPlainObject(stored)
    ? new StoredError(stored, change)
    : new OutboxError('outbox-unconfirmed', entryName(change));
}
