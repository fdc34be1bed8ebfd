import type { IdentifierConfig } from '../identifier.js';
import type { InnerRecord } from '../record.js';

/** The new records of a model, and the temporary ids that they were made with. */
export interface PhantomIndex {
  /** A record was made with an id. */
  add(id: unknown, record: InnerRecord): void;
  /** The record that was made with a temporary id, for as long as somebody holds it; it may have been saved since. */
  get(id: unknown): InnerRecord | undefined;
  /** Whether an id may be one that a new record was given, held or not: such an id never goes into an address (H10). */
  issued(id: unknown): boolean;
  /** Hears of an id that is a record's for good, whoever made it. */
  keep(id: unknown): void;
}

/** The index of a model with such an identifier. */
export function createPhantoms(config: IdentifierConfig, name: string): PhantomIndex {
  let count = 0;
  // What a function has made, and no record has for good.
  const own = new Set<unknown>();
  const refs = new Map<string, WeakRef<InnerRecord>>();
  const get = (id: unknown) => refs.get(String(id))?.deref();
  const gone = new FinalizationRegistry<string>((key) => {
    // Another record may have been made with the same id.
    if (!get(key)) refs.delete(key);
  });
  return {
    get,
    add(id, record) {
      refs.set(String(id), new WeakRef(record));
      gone.register(record, String(id));
      count += 1;
      if (typeof config === 'function') own.add(id);
    },
    issued(id) {
      const number = Number(/\d+$/.exec(String(id))?.[0]);
      const counted = number > 0 && number <= count && id === (config === 'negative' ? -number : `${name}-${number}`);
      // A uuid may well be the record's id for good: it stays an ordinary value.
      return own.has(id) || (counted && typeof config === 'string' && config !== 'uuid');
    },
    keep: (id) => void own.delete(id),
  };
}
