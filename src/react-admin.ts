/**
 * Models as the data provider of react-admin 5: lists, references, forms and bulk actions over any server that the models can talk to.
 *
 * @module
 */
import type {
  CreateParams,
  DataProvider,
  DeleteManyParams,
  DeleteManyResult,
  DeleteParams,
  GetListParams,
  GetListResult,
  GetManyParams,
  GetManyReferenceParams,
  GetOneParams,
  QueryFunctionContext,
  RaRecord,
  SortPayload,
  UpdateManyParams,
  UpdateManyResult,
  UpdateParams,
} from 'react-admin';
import type { FailedRecord } from './adapter/bulk-failure.js';
import {
  basisOfMeta,
  type CallRequest,
  type ProviderMeta,
  queryOfMeta,
  requestOfMeta,
} from './adapter/call-request.js';
import { type NestedMessages, nestedMessages } from './adapter/issues.js';
import { readKeyedFilters } from './adapter/keyed-filters.js';
import { type ModelTable, ResourceTable } from './adapter/model-table.js';
import type { PlainRow } from './adapter/plain-row.js';
import { asLibrary, type ToldError } from './adapter/provider-error.js';
import type { ListedRows, ListQuery, PageNumber, Resource } from './adapter/resource.js';
import type { DataError } from './errors/data-error.js';

export type { FailedRecord, ModelTable, PlainRow, ProviderMeta };

/** The record of a resource, as react-admin has it. */
export type ResourceRecord<T extends ModelTable, K extends keyof T> = PlainRow<InstanceType<T[K]>>;

/** The calls of a data provider, with the types of records by the names of resources. */
export interface TypedCalls<T extends ModelTable> {
  /**
   * Reads a page of a resource. Where the server tells no total, the result says whether there is a next page.
   *
   * @example
   * ```tsx
   * const { data, total, pageInfo } = await provider.getList('orders', {
   *   pagination: { page: 1, perPage: 25 },
   *   sort: { field: 'total', order: 'DESC' },
   *   filter: { status: ['open', 'sent'], total_gte: 100, q: 'bolt' }, // one of a list, an operator, a text to search for
   * });
   * ```
   */
  getList<K extends keyof T & string>(
    resource: K,
    params: GetListParams & QueryFunctionContext,
  ): Promise<GetListResult<ResourceRecord<T, K>>>;
  /** Reads the record with an id. */
  getOne<K extends keyof T & string>(
    resource: K,
    params: GetOneParams & QueryFunctionContext,
  ): Promise<{ data: ResourceRecord<T, K> }>;
  /**
   * Reads the records with some ids, in few requests where the server can filter by a list of ids. Leaves out those that it does not have,
   * and empty references: undefined, null and `''`.
   */
  getMany<K extends keyof T & string>(
    resource: K,
    params: GetManyParams & QueryFunctionContext,
  ): Promise<{ data: ResourceRecord<T, K>[] }>;
  /**
   * Reads a page of the records that refer to another one, by a filter, or at the address of that one (`/orders/{orderId}/lines`).
   *
   * @example
   * ```tsx
   * const { data } = await provider.getManyReference('lines', {
   *   target: 'orderId',
   *   id: 7,
   *   pagination: { page: 1, perPage: 25 },
   *   sort: { field: 'sku', order: 'ASC' },
   *   filter: {},
   * });
   * ```
   */
  getManyReference<K extends keyof T & string>(
    resource: K,
    params: GetManyReferenceParams & QueryFunctionContext,
  ): Promise<GetListResult<ResourceRecord<T, K>>>;
  /** Creates a record. Resolves with it as the server has it. */
  create<K extends keyof T & string>(
    resource: K,
    params: CreateParams<ResourceRecord<T, K>>,
  ): Promise<{ data: ResourceRecord<T, K> }>;
  /**
   * Saves the values that differ from `previousData`; sends nothing if none does. With `meta: { overwrite: true }`, writes them whatever the server has.
   *
   * @example
   * ```tsx
   * const { data: order } = await provider.getOne('orders', { id: 7 });
   * await provider.update('orders', { id: 7, data: { status: 'paid' }, previousData: order }).catch((error) => {
   *   if (error.status !== 409) throw error;
   *   notify(error.message); // somebody else has changed the order
   * });
   * ```
   */
  update<K extends keyof T & string>(
    resource: K,
    params: UpdateParams<ResourceRecord<T, K>>,
  ): Promise<{ data: ResourceRecord<T, K> }>;
  /**
   * Saves the same values in several records. Rejects with a `ProviderError` if some could not be written: its `failed` names them.
   *
   * @example
   * ```tsx
   * await provider.updateMany('orders', { ids: [7, 8, 9], data: { status: 'paid' } }).catch((error) => {
   *   for (const each of error.failed) console.log(each.id, each.error.userMessage); // the other orders are saved
   * });
   * ```
   */
  updateMany<K extends keyof T & string>(
    resource: K,
    params: UpdateManyParams<ResourceRecord<T, K>>,
  ): Promise<UpdateManyResult<ResourceRecord<T, K>>>;
  /** Erases a record. Resolves with its values, as far as they are known. */
  delete<K extends keyof T & string>(
    resource: K,
    params: DeleteParams<ResourceRecord<T, K>>,
  ): Promise<{ data: ResourceRecord<T, K> }>;
  /** Erases several records. Rejects with a `ProviderError` if some could not be erased: its `failed` names them. */
  deleteMany<K extends keyof T & string>(
    resource: K,
    params: DeleteManyParams<ResourceRecord<T, K>>,
  ): Promise<DeleteManyResult<ResourceRecord<T, K>>>;
}

/** The data provider of a table of models: that of react-admin, with the types of the records of each resource. */
export type ModelsProvider<T extends ModelTable> = TypedCalls<T> & DataProvider;

/**
 * The error with which calls reject: that of react-admin by its members. `message` is a sentence for the person at the screen, `status` the
 * status of the response, and `body.errors` has the messages of a `ValidationError` by field, which forms show beside their inputs. `cause` is
 * the `DataError`.
 *
 * @example
 * ```tsx
 * await provider.update('orders', { id: 7, data: { total: -1 }, previousData: order }).catch((error) => {
 *   if (!(error instanceof ProviderError)) throw error;
 *   console.log(error.status, error.body.errors); // 422 { total: 'must be at least 0' }
 * });
 * ```
 */
export class ProviderError extends Error {
  override readonly name = 'HttpError' as const;
  readonly status: number;
  readonly body: { readonly message: string; readonly errors?: NestedMessages };
  /** The records of a bulk action that could not be written; the others were. */
  readonly failed: readonly FailedRecord[];
  declare readonly cause: DataError;

  constructor({ message, status, issues, failed }: ToldError, cause: DataError) {
    super(message, { cause });
    this.status = status;
    this.failed = failed;
    this.body = { message, ...(issues.length > 0 && { errors: nestedMessages(issues) }) };
  }
}

/**
 * Makes the data provider of react-admin from models by the names of resources. Sorting, filtering and paging are those of the proxies of the
 * models: what a server cannot do is refused before anything is sent. A save sends what the user has changed, with the version of the row that
 * the user has seen. Throws `DefinitionError` for what is no table of models. A call rejects with a `ProviderError`, and with
 * `DefinitionError` for the name of a resource that is not in the table.
 *
 * @example
 * ```tsx
 * const provider = dataProvider({ orders: Order, customers: Customer });
 * // <Admin dataProvider={provider}>…</Admin>
 * const { data } = await provider.getOne('orders', { id: 7 });
 * ```
 */
export function dataProvider<const T extends ModelTable>(models: T): ModelsProvider<T> {
  const table = new ResourceTable(models, 'dataProvider');
  const run = <R>(name: string, call: (resource: Resource) => Promise<R>): Promise<R> =>
    asLibrary(
      () => call(table.get(name)),
      (told, cause) => new ProviderError(told, cause),
    );
  const provider: BareCalls = {
    supportAbortSignal: true,
    getList: (name, params) => run(name, (resource) => readList(resource, params, [])),
    getOne: (name, { id, meta, signal }) =>
      run(name, async (resource) => ({ data: await resource.one(id, requestOfMeta(meta, signal)) })),
    getMany: (name, { ids, meta, signal }) =>
      run(name, async (resource) => ({ data: await resource.many(ids, requestOfMeta(meta, signal)) })),
    getManyReference: (name, { target, id, ...params }) =>
      run(name, (resource) =>
        // The address may name the parent: `/orders/{orderId}/lines`.
        resource.addressNames.includes(target)
          ? readList(resource, { ...params, meta: withPathParam(params.meta, target, id) }, [])
          : readList(resource, params, [{ property: resource.propertyOf(target), value: id }]),
      ),
    create: (name, { data, meta }) =>
      run(name, async (resource) => ({ data: await resource.create(data, requestOfMeta(meta, undefined)) })),
    update: (name, { id, data, previousData, meta }) =>
      run(name, async (resource) => ({
        data: await resource.update(id, data, basisOfMeta(meta, previousData), requestOfMeta(meta, undefined)),
      })),
    updateMany: (name, { ids, data, meta }) =>
      run(name, async (resource) => {
        await resource.updateAll(ids, data, requestOfMeta(meta, undefined));
        return { data: ids };
      }),
    delete: (name, { id, previousData, meta }) =>
      run(name, async (resource) => ({
        data: await resource.erase(id, previousData, requestOfMeta(meta, undefined)),
      })),
    deleteMany: (name, { ids, meta }) =>
      run(name, async (resource) => {
        await resource.eraseAll(ids, requestOfMeta(meta, undefined));
        return { data: ids };
      }),
  };
  return provider as ModelsProvider<T>;
}

/** The calls without the types of records. */
type BareCalls = { [K in keyof TypedCalls<ModelTable>]: (name: string, params: ParamsOf<K>) => Promise<object> } & {
  supportAbortSignal: boolean;
};
type ParamsOf<K extends keyof TypedCalls<ModelTable>> = K extends 'delete'
  ? DeleteParams<RaRecord>
  : Parameters<DataProvider[K]>[1];

async function readList(
  resource: Resource,
  params: Omit<GetListParams, 'pagination'> & Partial<Pick<GetListParams, 'pagination'>>,
  scope: readonly object[],
): Promise<GetListResult> {
  const { pagination, sort, filter, meta, signal } = params;
  const page: PageNumber = pagination
    ? { page: pagination.page, pageSize: pagination.perPage }
    : { page: 1, pageSize: 0 };
  const listed = await resource.list(queryOf(resource, sort, filter, meta, scope), page, requestOfMeta(meta, signal));
  return resultOf(listed, page);
}

function queryOf(
  resource: Resource,
  sort: SortPayload | undefined,
  filter: unknown,
  meta: unknown,
  scope: readonly object[],
): ListQuery {
  const keyed = readKeyedFilters((filter ?? {}) as Record<string, unknown>, resource.definition, (name) =>
    resource.propertyOf(name),
  );
  const more = queryOfMeta(meta);
  const search = keyed.search ?? more.search;
  return {
    filters: [...scope, ...keyed.filters, ...more.filters],
    sorters: sort?.field ? resource.sortersOf(sort.field, sort.order) : [],
    ...(search !== undefined && { search }),
  };
}

/** Without a total, react-admin pages by what it knows about the next page. */
function resultOf({ rows, total, hasMore }: ListedRows, { page }: PageNumber): GetListResult {
  const data = rows as RaRecord[];
  if (total !== undefined) return { data, total };
  return { data, pageInfo: { hasNextPage: hasMore, hasPreviousPage: page > 1 } };
}

function withPathParam(meta: unknown, name: string, value: string | number): ProviderMeta {
  const given = (meta ?? {}) as ProviderMeta;
  const pathParams: CallRequest['pathParams'] = { ...given.pathParams, [name]: value };
  return { ...given, pathParams };
}
