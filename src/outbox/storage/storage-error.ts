import { OutboxError } from '../outbox-error.js';
import type { OutboxStorage } from './outbox-storage.js';

/** The code of an error of the platform, such as `ENOSPC`. */
export function codeOf(error: unknown): string {
  return String((error as { code?: unknown } | undefined)?.code ?? '');
}

/** The `OutboxError` for an error of the platform. */
export function storageError(what: string, cause: unknown): OutboxError {
  if (cause instanceof OutboxError) return cause;
  const { name = '', message = String(cause) } = (cause ?? {}) as Partial<Error>;
  const full = ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(codeOf(cause)) || name === 'QuotaExceededError';
  return new OutboxError(full ? 'outbox-quota' : 'outbox-storage', { what, why: message }, { cause });
}

/**
 * A storage whose steps reject with `OutboxError` only, whatever the storage of an application throws. `failed` is called with the errors that
 * say that the storage cannot be used.
 */
export function withStorageErrors(storage: OutboxStorage, failed: (error: OutboxError) => void): OutboxStorage {
  const attempt = async <T>(what: string, act: () => Promise<T>): Promise<T> => {
    try {
      return await act();
    } catch (cause) {
      const error = storageError(what, cause);
      // Another tab has gone on, which is no failure.
      if (error.code !== 'outbox-taken-over') failed(error);
      throw error;
    }
  };
  return {
    shared: storage.shared,
    open: (...given) => attempt('open its storage', () => storage.open(...given)),
    append: (items) => attempt('store a write', () => storage.append(items)),
    read: (query) => attempt('read its storage', () => storage.read(query)),
    update: (...given) => attempt('note an attempt', () => storage.update(...given)),
    remove: (...given) => attempt('remove a write', () => storage.remove(...given)),
    prune: (query) => attempt('forget ended writes', () => storage.prune(query)),
    watch: (listener) => {
      try {
        return storage.watch(listener);
      } catch (cause) {
        throw storageError('watch its storage', cause);
      }
    },
    close: () => attempt('close its storage', () => storage.close()),
  };
}
