/**
 * Options for TanStack Query 5 that load records and lists, and save records. They work with `useQuery`, `useSuspenseQuery`,
 * `queryClient.fetchQuery`, `useMutation` and their relatives in all frameworks.
 *
 * @module
 */

import { queryKeyMessages } from './dev/texts.js';
import { StateError } from './errors/mistakes.js';
import type { ModelType } from './model/field.js';
import { randomUuid } from './model/identifier.js';
import { identityOf } from './model/identity.js';
import type { RecordInput, ValuesOf } from './model/infer.js';
import type { Model } from './model/model.js';
import { innerModel } from './model/model-definition.js';
import { keyOf } from './model/origin.js';
import { inner } from './model/record.js';
import type { AnyId } from './operation/actions.js';
import { type Query, queryFor } from './store/query.js';
import type { Store } from './store/store.js';
import { idKey } from './util/id-key.js';

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
export interface RecordQueryOptions<M extends Model> {
  /**
   * A store that may hold the record: then nothing is loaded at first, and both show the same record. Leave it out if the rows of lists
   * have fewer members than those of single records.
   */
  readonly store?: Pick<Store<M>, 'getById'>;
  /** A query of the model: its `params` and `pathParams` are those of the load. @default none */
  readonly query?: Query<NoInfer<M>>;
  /** Query parameters of the load; a part of the query key. */
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  /** Values for the `{name}`s of the proxy's `url`; a part of the query key. */
  readonly pathParams?: Readonly<Record<string, string | number>> | undefined;
}

/** The name of a model that has none. */
const UNNAMED = 'record';
/** Holds the key of a store. */
const KEY: unique symbol = Symbol('repose.queryKey');

/**
 * A query for one record. A refetch loads the same record object again, and keeps its edits. The key begins with
 * `['repose', model name, 'record', id]`: `queryClient.invalidateQueries({ queryKey: ['repose', 'user'] })` covers all queries of a model.
 * A text of the class, its present address, parameters and scope, and the options follows, so that classes bound to different users or
 * tenants share no entry of the cache. A model without a name gets a random one in its keys. Throws `UnsupportedQueryError` for a function
 * in the options. The query fails with the `DataError` of the load, and with a `StateError` (`foreign`) if the address or the parameters of
 * the class have changed since the key was made, because the functions `pathParams` or `extraParams` now give other values.
 *
 * @example
 * ```ts
 * import { recordQuery } from 'repose/tanstack-query';
 *
 * const { queryKey, queryFn } = recordQuery(User, 7); // useQuery(recordQuery(User, 7))
 * ```
 */
export function recordQuery<M extends Model>(
  Model: ModelType<M>,
  id: AnyId,
  { store, query, params, pathParams }: RecordQueryOptions<M> = {},
): QueryOf<M> {
  const options = query
    ? optionsOf(
        queryFor(Model, query).with({
          params: { ...query.params, ...params },
          pathParams: { ...query.pathParams, ...pathParams },
        }),
      )
    : optionsOf({ params, pathParams });
  const key = keyOf(identityOf(Model), options);
  // The ids 7 and '7' are one record.
  const queryKey = ['repose', nameOf(Model), 'record', idKey(id), key];
  return {
    queryKey,
    queryFn: async ({ client, signal }) => {
      checkKey(Model, key, options);
      const shown = client.getQueryData(queryKey) as M | undefined;
      if (shown && !shown.erased) return shown.load({ ...options, signal });
      const stored = store?.getById(id);
      // A store of another class holds the records of another user or tenant.
      if (stored?.constructor === Model) return stored;
      return innerModel(Model).load(id, { ...options, signal });
    },
  };
}

/**
 * A query for the records of a store, as they are shown: the first page at first, later the page that the store shows. If the store has
 * loaded before, nothing is sent until the first refetch. The data are the records of the last load; to follow added, removed and sorted
 * records, show `store.list`. The key is the same for the life of the store. The query fails with the `DataError` of the load.
 *
 * @example
 * ```ts
 * import { listQuery } from 'repose/tanstack-query';
 *
 * const { queryKey, queryFn } = listQuery(tasks); // const { data } = useQuery(listQuery(tasks))
 * ```
 */
export function listQuery<M extends Model>(store: Store<M>): QueryOf<M[]> {
  const queryKey = ['repose', nameOf(store.model), 'list', storeKeyOf(store)];
  return {
    queryKey,
    queryFn: async ({ client, signal }) => {
      const isFirst = client.getQueryData(queryKey) === undefined;
      const { loaded, loading } = store.status.get();
      if (!loaded) await (loading ? store.ready : store.load({ signal }));
      else if (!isFirst) await store.reload({ signal });
      return store.getRange();
    },
  };
}

/**
 * A mutation that saves a record. Given values are set first: `mutate({ name: 'Ada' })`. It fails with the `DataError` of the save; the
 * values then stay edits of the record. It also runs offline, so that an outbox can keep the write.
 *
 * @example
 * ```ts
 * import { saveMutation } from 'repose/tanstack-query';
 *
 * const { mutationKey, mutationFn } = saveMutation(user); // const { mutate } = useMutation(saveMutation(user))
 * // mutate({ name: 'Grace' }) sends PUT /users/7 with {"id":7,"name":"Grace"}
 * ```
 */
export function saveMutation<M extends Model>(record: M): SaveMutation<M> {
  return {
    mutationKey: ['repose', nameOf(record.constructor), 'save', inner(record).$.key],
    mutationFn: async (values) => {
      if (values) inner(record).set(values);
      return record.save();
    },
    networkMode: 'always',
  };
}

/** The options of a load that are given. */
function optionsOf({ params, pathParams }: Pick<RecordQueryOptions<Model>, 'params' | 'pathParams'>): object {
  return { ...(params && { params }), ...(pathParams && { pathParams }) };
}

/** The name of a model in query keys. Models without a name must not share their keys. */
function nameOf(Model: object): string {
  const { model, classKey } = identityOf(Model);
  return model === UNNAMED ? `${model} ${classKey}` : model;
}

/** A key for a store, made by its first query. */
function storeKeyOf(store: object): string {
  if (!Object.hasOwn(store, KEY)) Object.defineProperty(store, KEY, { value: randomUuid() });
  return (store as { readonly [KEY]: string })[KEY];
}

/** Throws `StateError` if a class has another identity than when the key was made: the response would be cached for the wrong one. */
function checkKey(Model: object, key: string, options: object): void {
  const identity = identityOf(Model);
  if (keyOf(identity, options) === key) return;
  throw new StateError('foreign', 'query-address', { model: identity.model }, { messages: queryKeyMessages });
}
