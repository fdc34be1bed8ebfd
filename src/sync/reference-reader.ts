import type { ModelType } from '../model/field.js';
import type { Model } from '../model/model.js';
import type { RecordId } from '../operation/actions.js';
import { idKeyOf } from '../store/id-index.js';
import { type FoundById, type IdKeyOrNone, readByIds } from './read-by-ids.js';
import type { Session } from './session.js';

/** The records of one model that are read together. */
interface Batch {
  readonly ids: Map<IdKeyOrNone, RecordId>;
  readonly found: Promise<FoundById>;
  /** Whether its requests have begun. */
  isClosed: boolean;
}

/**
 * Reads records by their ids, those that are asked for in the same turn in one request: `id in (…)`. A server or dialect that cannot filter by a
 * list of ids is asked for each id once. An id that is being read is not asked for again. The records belong to the session, if there is one.
 */
export class ReferenceReader {
  private readonly batches: Map<ModelType<Model>, Set<Batch>> = new Map();

  constructor(private readonly session: Session | undefined) {}

  /**
   * Reads a record, which the session does not have. Resolves with undefined if the server has none with this id. Rejects with the `DataError`
   * of the request.
   */
  async read(model: ModelType<Model>, id: RecordId): Promise<Model | undefined> {
    const key = idKeyOf(id);
    const batches = this.batches.get(model) ?? new Set();
    this.batches.set(model, batches);
    const running = [...batches].find(({ ids }) => ids.has(key));
    const batch = running ?? [...batches].find(({ isClosed }) => !isClosed) ?? this.begin(model, batches);
    if (!running) batch.ids.set(key, id);
    return (await batch.found).get(key);
  }

  private begin(model: ModelType<Model>, batches: Set<Batch>): Batch {
    const ids = new Map<IdKeyOrNone, RecordId>();
    const found = Promise.resolve().then(async () => {
      batch.isClosed = true;
      try {
        return await readByIds(model, ids, this.session && { session: this.session });
      } finally {
        batches.delete(batch);
      }
    });
    const batch: Batch = { ids, found, isClosed: false };
    batches.add(batch);
    return batch;
  }
}
