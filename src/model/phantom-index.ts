import type { IdCounters } from './id-counters.js';
import type { InnerRecord } from './record.js';

/** Finds the new records of a model, and of models defined on it, by their temporary ids. */
export interface PhantomIndex {
  /** Adds a new record with its temporary id. `isCustom`: whether a function of the application has made the id. */
  add(id: unknown, record: InnerRecord, isCustom: boolean): void;
  /**
   * The record that was created with a temporary id; undefined after the record object was freed. It may have been saved
   * meanwhile.
   */
  get(id: unknown): InnerRecord | undefined;
  /**
   * Whether an id may be the temporary id of a new record, also of a dropped one. Such an id must not go into an address.
   */
  isIssued(id: unknown): boolean;
  /** Marks an id as permanent: a saved record has it, whether the server or the application has made the id. */
  markPermanent(id: unknown): void;
}

/** Makes the index of a model's new records; `base` is the index of the model that it was defined on. */
export function createPhantoms(counters: IdCounters, base: PhantomIndex | undefined): PhantomIndex {
  // The ids made by the application's function, without those that have become permanent.
  const customIds = new Set<unknown>();
  const refs = new Map<string, WeakRef<InnerRecord>>();
  const get = (id: unknown) => refs.get(String(id))?.deref();
  const freed = new FinalizationRegistry<string>((key) => {
    // A further record may have been created with the same id.
    if (!get(key)) refs.delete(key);
  });
  return {
    get,
    add(id, record, isCustom) {
      refs.set(String(id), new WeakRef(record));
      freed.register(record, String(id));
      if (isCustom) customIds.add(id);
      base?.add(id, record, isCustom);
    },
    // The server may keep a UUID as the permanent id, so a UUID counts as an ordinary value.
    isIssued: (id) => customIds.has(id) || counters.isIssued(id),
    markPermanent(id) {
      customIds.delete(id);
      counters.markPermanent(id);
      base?.markPermanent(id);
    },
  };
}
