import { isGone } from '../errors/data-error.js';
import { isDataError } from '../errors/is-data-error.js';
import type { ModelType } from '../model/field.js';
import type { Model } from '../model/model.js';
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

/** The key of an id; undefined for a value that is no id. */
export type IdKeyOrNone = IdKey | undefined;
/** Records by the keys of their ids. */
export type FoundById = ReadonlyMap<IdKeyOrNone, Model>;

/** How records are read by their ids. */
export interface ReadByIdsOptions {
  /** The session that the records belong to. @default none */
  readonly session?: Session | undefined;
  /** Options of each request. @default none */
  readonly request?: ReadRequest;
}

/** Options of a request that loads records. */
export interface ReadRequest {
  readonly params?: Record<string, unknown>;
  readonly pathParams?: Record<string, string | number>;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

/**
 * Reads records by their ids, up to 100 in one request by a filter `in`. A server or dialect that cannot filter by a list of ids, and a model
 * whose id has several fields, is asked for each id once. Ids that the server does not have are left out. Rejects with the `DataError` of the
 * first request that failed.
 */
export async function readByIds(
  model: ModelType<Model>,
  ids: ReadonlyMap<IdKeyOrNone, RecordId>,
  options: ReadByIdsOptions = {},
): Promise<FoundById> {
  const found = new Map<IdKeyOrNone, Model>();
  const all = [...ids];
  const { idParts } = innerModel(model)[DEFINITION];
  for (let start = 0; start < all.length; start += MOST_IDS) {
    const missing = new Map(all.slice(start, start + MOST_IDS));
    let isFiltered = missing.size > 1 && !idParts;
    let count = 0;
    // A server may give fewer rows than it has. What is missing is asked for again, until no more comes.
    while (isFiltered && missing.size > 0 && missing.size !== count) {
      count = missing.size;
      isFiltered = await readByFilter(model, missing, found, options);
    }
    if (!isFiltered) await readOneByOne(model, missing, found, options);
  }
  return found;
}

/** Reads records by a filter, and takes them out of `missing`. Resolves with whether the server has applied it. */
async function readByFilter(
  model: ModelType<Model>,
  missing: Map<IdKeyOrNone, RecordId>,
  found: Map<IdKeyOrNone, Model>,
  { session, request }: ReadByIdsOptions,
): Promise<boolean> {
  const asked = new Map(missing);
  const { idField } = innerModel(model)[DEFINITION];
  const filters = [{ property: idField.name, operator: 'in', value: [...asked.values()] }] as never;
  const common = { model, filters, pageSize: asked.size, remoteFilter: true, remoteSort: true };
  const store = new Store(session ? { ...common, session } : common);
  try {
    await store.load(request);
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

async function readOneByOne(
  model: ModelType<Model>,
  missing: ReadonlyMap<IdKeyOrNone, RecordId>,
  found: Map<IdKeyOrNone, Model>,
  { session, request }: ReadByIdsOptions,
): Promise<void> {
  const read = async (key: IdKeyOrNone, id: RecordId): Promise<unknown> => {
    try {
      found.set(key, await (session ? session.load(model, id, request) : innerModel(model).load(id, request)));
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
