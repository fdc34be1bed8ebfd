import { isGone } from '../errors/data-error.js';
import { isDataError } from '../errors/is-data-error.js';
import type { BaseModel } from '../model/base-model.js';
import type { ModelType } from '../model/field.js';
import { innerModel } from '../model/model-definition.js';
import { DEFINITION } from '../model/symbols.js';
import type { RecordId } from '../operation/actions.js';
import { runParallel } from '../operation/batch.js';
import { type IdKey, idKeyOf } from '../store/id-index.js';
import { Store } from '../store/store.js';
import type { Session } from './session.js';

/** The most ids in one request: servers refuse addresses that are too long. */
const MOST_IDS = 100;

/** The most requests at a time for single records, as many as a `sync()` sends. */
const MOST_REQUESTS = 6;

type Key = IdKey | undefined;
type Found = ReadonlyMap<Key, BaseModel>;

/** The records of one model that are read together. */
interface Batch {
  readonly ids: Map<Key, RecordId>;
  readonly found: Promise<Found>;
  /** Whether its requests have begun. */
  isClosed: boolean;
}

/**
 * Reads records by their ids, those that are asked for in the same turn in one request: `id in (…)`. A server or dialect that cannot filter by a
 * list of ids is asked for each id once. An id that is being read is not asked for again. The records belong to the session, if there is one.
 */
export class ReferenceReader {
  private readonly batches: Map<ModelType<BaseModel>, Set<Batch>> = new Map();

  constructor(private readonly session: Session | undefined) {}

  /**
   * Reads a record, which the session does not have. Resolves with undefined if the server has none with this id. Rejects with the `DataError`
   * of the request.
   */
  async read(model: ModelType<BaseModel>, id: RecordId): Promise<BaseModel | undefined> {
    const key = idKeyOf(id);
    const batches = this.batches.get(model) ?? new Set();
    this.batches.set(model, batches);
    const running = [...batches].find(({ ids }) => ids.has(key));
    const batch = running ?? [...batches].find(({ isClosed }) => !isClosed) ?? this.begin(model, batches);
    if (!running) batch.ids.set(key, id);
    return (await batch.found).get(key);
  }

  private begin(model: ModelType<BaseModel>, batches: Set<Batch>): Batch {
    const ids = new Map<Key, RecordId>();
    const found = Promise.resolve().then(async () => {
      batch.isClosed = true;
      try {
        return await this.readAll(model, ids);
      } finally {
        batches.delete(batch);
      }
    });
    const batch: Batch = { ids, found, isClosed: false };
    batches.add(batch);
    return batch;
  }

  private async readAll(model: ModelType<BaseModel>, ids: ReadonlyMap<Key, RecordId>): Promise<Found> {
    const found = new Map<Key, BaseModel>();
    const all = [...ids];
    for (let start = 0; start < all.length; start += MOST_IDS) {
      const missing = new Map(all.slice(start, start + MOST_IDS));
      let isFiltered = missing.size > 1;
      let count = 0;
      // A server may give fewer rows than it has. What is missing is asked for again, until no more comes.
      while (isFiltered && missing.size > 0 && missing.size !== count) {
        count = missing.size;
        isFiltered = await this.readByFilter(model, missing, found);
      }
      if (!isFiltered) await this.readOneByOne(model, missing, found);
    }
    return found;
  }

  /** Reads records by a filter, and takes them out of `missing`. Resolves with whether the server has applied it. */
  private async readByFilter(
    model: ModelType<BaseModel>,
    missing: Map<Key, RecordId>,
    found: Map<Key, BaseModel>,
  ): Promise<boolean> {
    const asked = new Map(missing);
    const { session } = this;
    const { idField } = innerModel(model)[DEFINITION];
    const filters = [{ property: idField.name, operator: 'in', value: [...asked.values()] }] as never;
    const common = { model, filters, pageSize: asked.size, remoteFilter: true, remoteSort: true };
    const store = new Store(session ? { ...common, session } : common);
    try {
      await store.load();
      const records = [...store];
      for (const record of records) {
        const key = idKeyOf(record.getId());
        if (missing.delete(key)) found.set(key, record);
      }
      return records.every((record) => asked.has(idKeyOf(record.getId())));
    } catch (error) {
      if (isDataError(error) && error.code === 'unsupported-query') return false;
      throw error;
    } finally {
      store.dispose();
    }
  }

  private async readOneByOne(
    model: ModelType<BaseModel>,
    missing: ReadonlyMap<Key, RecordId>,
    found: Map<Key, BaseModel>,
  ): Promise<void> {
    const read = async (key: Key, id: RecordId): Promise<unknown> => {
      try {
        found.set(key, await (this.session ? this.session.load(model, id) : innerModel(model).load(id)));
        return undefined;
      } catch (error) {
        return isGone(error) ? undefined : error;
      }
    };
    const errors = await runParallel(
      [...missing].map(
        ([key, id]) =>
          () =>
            read(key, id),
      ),
      MOST_REQUESTS,
    );
    const failure = errors.find((error) => error !== undefined);
    if (failure) throw failure;
  }
}
