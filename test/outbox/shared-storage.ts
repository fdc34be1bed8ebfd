import type { LockManager, OutboxStorage } from 'repose/outbox';
import { memoryStorage } from 'repose/outbox';

/** A storage that several tabs share. */
export function sharedStorage(): OutboxStorage {
  const inner = memoryStorage();
  return {
    shared: true,
    open: (problem) => inner.open(problem),
    all: () => inner.all(),
    get: (key) => inner.get(key),
    change: (changes) => inner.change(changes),
    close: () => inner.close(),
  };
}

/** The Web Locks of one browser. */
export function fakeLocks(): LockManager {
  const tails = new Map<string, Promise<unknown>>();
  return {
    request(name, callback) {
      const held = (tails.get(name) ?? Promise.resolve()).then(callback);
      tails.set(
        name,
        held.catch(() => undefined),
      );
      return held;
    },
  };
}
