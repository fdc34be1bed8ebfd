import { countedNumber, type IdentifierPlan } from '../identifier.js';
import type { InnerRecord } from '../record.js';

/** Finds the new records of a model by their temporary ids. */
export interface PhantomIndex {
  /** Adds a new record with its temporary id. */
  add(id: unknown, record: InnerRecord): void;
  /**
   * The record that was created with a temporary id; undefined after the record object was freed. It may have been saved
   * meanwhile.
   */
  get(id: unknown): InnerRecord | undefined;
  /**
   * Whether an id may be the temporary id of a new record, also of a dropped one. Such an id must not go into an address (H10).
   */
  isIssued(id: unknown): boolean;
  /** Marks an id as permanent: a saved record has it, whether the server or the application has made the id. */
  markPermanent(id: unknown): void;
}

/** Makes the index of a model's new records. */
export function createPhantoms(plan: IdentifierPlan): PhantomIndex {
  let issuedCount = 0;
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
    add(id, record) {
      refs.set(String(id), new WeakRef(record));
      freed.register(record, String(id));
      issuedCount += 1;
      if (typeof plan === 'function') customIds.add(id);
    },
    isIssued(id) {
      // The server may keep a UUID as the permanent id, so a UUID counts as an ordinary value.
      if (typeof plan !== 'object') return customIds.has(id);
      const number = countedNumber(plan, id);
      return number !== undefined && number < plan.seed + issuedCount;
    },
    markPermanent: (id) => void customIds.delete(id),
  };
}
