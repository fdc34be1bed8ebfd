/**
 * Options for TanStack Query 5 that load records and lists, and save records. They work with `useQuery`, `useSuspenseQuery`,
 * `queryClient.fetchQuery`, `useMutation` and their relatives in all frameworks.
 *
 * @module
 */
import type { BaseModel } from './model/base-model.js';
import type { ModelType } from './model/field.js';
import { randomUuid } from './model/identifier.js';
import type { RecordInput, ValuesOf } from './model/infer.js';
import type { ModelDefinition } from './model/model-definition.js';
import { DEFINITION } from './model/symbols.js';
import type { RecordId } from './operation/actions.js';
import type { Store } from './store/store.js';

/** The part of the context of a query function that the queries use. */
export interface QueryContext {
  readonly client: { getQueryData(queryKey: readonly unknown[]): unknown };
  /** Aborted when the query is cancelled, or when nothing shows it any more. */
  readonly signal: AbortSignal;
}

/** Options of a query. */
export interface QueryOf<T> {
  readonly queryKey: readonly unknown[];
  readonly queryFn: (context: QueryContext) => Promise<T>;
}

/** Options of a mutation that saves a record. */
export interface SaveMutation<M> {
  readonly mutationKey: readonly unknown[];
  readonly mutationFn: (values: RecordInput<ValuesOf<M>> | void) => Promise<M>;
  readonly networkMode: 'always';
}

/** Options of `recordQuery`. */
export interface RecordQueryOptions<M extends BaseModel> {
  /**
   * A store that may hold the record: then nothing is loaded at first, and both show the same record. Leave it out if the rows of lists
   * have fewer members than those of single records.
   */
  readonly store?: Pick<Store<M>, 'getById'>;
  /** Query parameters of the load; a part of the query key. */
  readonly params?: Record<string, unknown>;
  /** Values for the `{name}`s of the proxy's `url`; a part of the query key. */
  readonly pathParams?: Record<string, string | number>;
}

/** The name of a model that has none. */
const UNNAMED = 'record';
/** Holds the key of a store, or of a model without a name. */
const KEY: unique symbol = Symbol('repose.queryKey');

/**
 * A query for one record. A refetch loads the same record object again, and keeps its edits. The key is
 * `['repose', model name, 'record', id]`: `queryClient.invalidateQueries({ queryKey: ['repose', 'user'] })` covers all queries of a model.
 * A model without a name gets a random one in its keys. The query fails with the `DataError` of the load.
 *
 * @example
 * ```ts
 * import { recordQuery } from 'repose/tanstack-query';
 *
 * const { queryKey, queryFn } = recordQuery(User, 7); // useQuery(recordQuery(User, 7))
 * ```
 */
export function recordQuery<M extends BaseModel>(
  Model: ModelType<M>,
  id: RecordId,
  { store, ...options }: RecordQueryOptions<M> = {},
): QueryOf<M> {
  const name = nameOf(Model);
  const { load } = Model as unknown as typeof BaseModel;
  // The ids 7 and '7' are one record (H6).
  const parts = ['repose', name, 'record', String(id)];
  const queryKey = Object.keys(options).length > 0 ? [...parts, options] : parts;
  return {
    queryKey,
    queryFn: async ({ client, signal }) => {
      const shown = client.getQueryData(queryKey) as M | undefined;
      if (shown && !shown.erased) return shown.load({ ...options, signal });
      return (
        store?.getById(id) ?? load.call<ModelType<M>, [RecordId, object], Promise<M>>(Model, id, { ...options, signal })
      );
    },
  };
}

/**
 * A query for the records of a store, as they are shown: the first page at first, later the page that the store shows. If the store has
 * loaded before, nothing is sent until the first refetch. The data are the records of the last load; to follow added, removed and sorted
 * records, show `store.list`. The key is the same for the life of the store. The query fails with the `DataError` of the load.
 */
export function listQuery<M extends BaseModel>(store: Store<M>): QueryOf<M[]> {
  const queryKey = ['repose', nameOf(store.model), 'list', keyOf(store)];
  return {
    queryKey,
    queryFn: async ({ client, signal }) => {
      const isFirst = client.getQueryData(queryKey) === undefined;
      if (!store.loaded) await (store.loading ? store.ready : store.load({ signal }));
      else if (!isFirst) await store.reload({ signal });
      return store.getRange();
    },
  };
}

/**
 * A mutation that saves a record. Given values are set first: `mutate({ name: 'Ada' })`. It fails with the `DataError` of the save; the
 * values then stay edits of the record. It also runs offline, so that an outbox can keep the write.
 */
export function saveMutation<M extends BaseModel>(record: M): SaveMutation<M> {
  const { $, set } = record as unknown as Members;
  return {
    mutationKey: ['repose', nameOf(record.constructor), 'save', $.key],
    mutationFn: async (values) => {
      if (values) set.call(record, values);
      return record.save();
    },
    networkMode: 'always',
  };
}

/** The members of a record that depend on its fields. */
interface Members {
  readonly $: { readonly key: string };
  set(values: object): void;
}

/** The name of a model in query keys. Models without a name must not share their keys. */
function nameOf(Model: object): string {
  const { name } = (Model as { readonly [DEFINITION]: ModelDefinition })[DEFINITION];
  return name === UNNAMED ? `${name} ${keyOf(Model)}` : name;
}

/** A key for a store or model without a name, made by its first query. */
function keyOf(owner: object): string {
  // Classes inherit the members of their base class.
  if (!Object.hasOwn(owner, KEY)) Object.defineProperty(owner, KEY, { value: randomUuid() });
  return (owner as { readonly [KEY]: string })[KEY];
}
