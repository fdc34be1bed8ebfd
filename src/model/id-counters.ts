import type { RecordId } from '../operation/actions.js';
import { IdCounter } from './id-counter.js';
import type { CountedIds } from './identifier.js';

/**
 * Counts the temporary ids of a family of models: of a model, and of the models that are defined on it. A store can hold records of all
 * of them, so no id is given twice.
 */
export class IdCounters {
  private readonly counters: IdCounter[] = [];
  /** Ids given here that the server has accepted. */
  private readonly permanent: Set<unknown> = new Set();

  /** The counter of ids that begin with a text; undefined for negative numbers. Models with the same text share one counter. */
  counterOf({ prefix }: CountedIds): IdCounter {
    const known = this.counters.find((each) => each.prefix === prefix);
    if (known) return known;
    const counter = new IdCounter(prefix);
    this.counters.push(counter);
    return counter;
  }

  /** Makes the next id. */
  next(plan: CountedIds): RecordId {
    const id = this.counterOf(plan).next(plan.seed);
    // The prefixes `v` and `v2` can give the same text.
    this.skip(id);
    return id;
  }

  /** Makes the counters continue after an id that a record has. */
  skip(id: unknown): void {
    for (const counter of this.counters) counter.skip(id);
  }

  /** Whether an id was given here, and is not known as the permanent id of a record. */
  isIssued(id: unknown): boolean {
    return !this.permanent.has(id) && this.counters.some((each) => each.isIssued(id));
  }

  /** Marks an id as permanent: the server has accepted it. */
  markPermanent(id: unknown): void {
    if (this.isIssued(id)) this.permanent.add(id);
  }
}
