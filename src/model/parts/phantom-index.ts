import { countedNumber, type IdentifierPlan } from '../identifier.js';
import type { InnerRecord } from '../record.js';

/** The new records of a model, and the temporary ids that they were made with. */
export interface PhantomIndex {
  /** Notes that a new record was given a temporary id. */
  add(id: unknown, record: InnerRecord): void;
  /** The record that was given a temporary id, as long as anything refers to the object; it may have been saved since. */
  get(id: unknown): InnerRecord | undefined;
  /** Whether an id may be the temporary id of a new record, of one that was dropped too: such an id never goes into an address (H10). */
  issued(id: unknown): boolean;
  /** Notes that an id is the permanent id of a saved record, whether the server or the application made it. */
  keep(id: unknown): void;
}

/** The index of the new records of a model whose temporary ids an identifier makes. */
export function createPhantoms(plan: IdentifierPlan): PhantomIndex {
  let count = 0;
  // Ids that the application's function has made, as long as none of them is permanent.
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
      if (typeof plan === 'function') own.add(id);
    },
    issued(id) {
      // A uuid may be the permanent id of the record: it is treated like any other value.
      if (typeof plan !== 'object') return own.has(id);
      const number = countedNumber(plan, id);
      return number !== undefined && number < plan.seed + count;
    },
    keep: (id) => void own.delete(id),
  };
}
