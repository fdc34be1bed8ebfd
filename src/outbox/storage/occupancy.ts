import type { OutboxError } from '../outbox-error.js';
import type { Leaving } from './outbox-storage.js';

/** The names of open storages, each with the function that tells when its outbox leaves. */
export type OpenStorages = Map<string, Leaving>;

/** Names the list of open databases, also for a second copy of the package in the page. */
const OPEN = Symbol.for('repose.outbox.open');

/** The list of open databases, which is kept at the page's `indexedDB`. */
export function openDatabases(): OpenStorages {
  const factory = globalThis.indexedDB as (IDBFactory & { [OPEN]?: OpenStorages }) | undefined;
  // Opening the database reports that there is none.
  if (!factory) return new Map();
  if (!factory[OPEN]) Object.defineProperty(factory, OPEN, { value: new Map() });
  return factory[OPEN] as OpenStorages;
}

/** Keeps two outboxes from having one storage open: the next one waits while the first one closes, and is refused while that stays. */
export class Occupancy {
  private end: () => void = () => undefined;

  /** Takes a name of a list. Rejects with `refusal()` if another outbox has it, and stays. */
  async take(open: OpenStorages, name: string, refusal: () => OutboxError, leaving: Leaving = stays): Promise<void> {
    for (let holder = open.get(name); holder; holder = open.get(name)) {
      const end = holder();
      if (!end) throw refusal();
      await end.catch(() => undefined);
      // It could not close.
      if (open.get(name) === holder) throw refusal();
    }
    const own: Leaving = () => leaving();
    open.set(name, own);
    this.end = () => {
      if (open.get(name) === own) open.delete(name);
    };
  }

  /** Takes the name off the list again. */
  leave(): void {
    this.end();
  }
}

function stays(): undefined {
  return undefined;
}
