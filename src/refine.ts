/**
 * Models as the data provider of Refine 5: lists, forms and bulk actions over any server that the models can talk to.
 *
 * @module
 */
import type {
  CreateManyParams,
  CreateParams,
  CustomParams,
  CustomResponse,
  DataProvider,
  DeleteManyParams,
  DeleteOneParams,
  GetListParams,
  GetManyParams,
  GetOneParams,
  HttpError,
  MetaQuery,
  UpdateManyParams,
  UpdateParams,
} from '@refinedev/core';
import type { FailedRecord } from './adapter/bulk-failure.js';
import { basisOfMeta, type ProviderMeta, queryOfMeta, requestOfMeta } from './adapter/call-request.js';
import { readCrudFilters } from './adapter/crud-filters.js';
import { messagesByPath } from './adapter/issues.js';
import { type ModelTable, ResourceTable } from './adapter/model-table.js';
import type { PlainRow } from './adapter/plain-row.js';
import { asLibrary, type ToldError } from './adapter/provider-error.js';
import type { Resource } from './adapter/resource.js';
import type { DataError } from './errors/data-error.js';
import { refuseLibraryQuery } from './grid/refuse-query.js';
import type { AjaxProxy } from './proxy/ajax-proxy.js';

export type { FailedRecord, ModelTable, PlainRow, ProviderMeta };

/** The record of a resource, as Refine has it. */
export type ResourceRecord<T extends ModelTable, K extends keyof T> = PlainRow<InstanceType<T[K]>>;

type Named<P, K> = Omit<P, 'resource'> & { resource: K };
type Values<T extends ModelTable, K extends keyof T> = Partial<ResourceRecord<T, K>>;

/** The calls of a data provider, with the types of records by the names of resources. */
export interface TypedCalls<T extends ModelTable> {
  /**
   * Reads a page of a resource. Where the server tells no total, `total` leads to the next page while there may be one.
   *
   * @example
   * ```tsx
   * const { data, total } = await provider.getList({
   *   resource: 'orders',
   *   pagination: { currentPage: 1, pageSize: 25 },
   *   sorters: [{ field: 'total', order: 'desc' }],
   *   filters: [{ field: 'status', operator: 'eq', value: 'open' }],
   *   meta: { search: 'bolt' },
   * });
   * ```
   */
  getList<K extends keyof T & string>(
    params: Named<GetListParams, K>,
  ): Promise<{ data: ResourceRecord<T, K>[]; total: number }>;
  /**
   * Reads the records with some ids, in few requests where the server can filter by a list of ids. Leaves out those that it does not have,
   * and empty references: undefined, null and `''`.
   */
  getMany<K extends keyof T & string>(params: Named<GetManyParams, K>): Promise<{ data: ResourceRecord<T, K>[] }>;
  /** Reads the record with an id. */
  getOne<K extends keyof T & string>(params: Named<GetOneParams, K>): Promise<{ data: ResourceRecord<T, K> }>;
  /** Creates a record. Resolves with it as the server has it. */
  create<K extends keyof T & string>(
    params: Named<CreateParams<Values<T, K>>, K>,
  ): Promise<{ data: ResourceRecord<T, K> }>;
  /** Creates several records. Rejects with a `ProviderError` if some could not be created: its `failed` names them. */
  createMany<K extends keyof T & string>(
    params: Named<CreateManyParams<Values<T, K>>, K>,
  ): Promise<{ data: ResourceRecord<T, K>[] }>;
  /**
   * Saves the values that differ from `meta.previousData`, or from the row that was read last; sends nothing if none does.
   *
   * @example
   * ```tsx
   * const { data: order } = await provider.getOne({ resource: 'orders', id: 7 });
   * await provider
   *   .update({ resource: 'orders', id: 7, variables: { status: 'paid' }, meta: { previousData: order } })
   *   .catch((error) => {
   *     if (error.statusCode !== 409) throw error;
   *     notify(error.message); // somebody else has changed the order
   *   });
   * ```
   */
  update<K extends keyof T & string>(
    params: Named<UpdateParams<Values<T, K>>, K>,
  ): Promise<{ data: ResourceRecord<T, K> }>;
  /**
   * Saves the same values in several records. Rejects with a `ProviderError` if some could not be written: its `failed` names them.
   *
   * @example
   * ```tsx
   * await provider.updateMany({ resource: 'orders', ids: [7, 8, 9], variables: { status: 'paid' } }).catch((error) => {
   *   for (const each of error.failed) console.log(each.id, each.error.userMessage); // the other orders are saved
   * });
   * ```
   */
  updateMany<K extends keyof T & string>(
    params: Named<UpdateManyParams<Values<T, K>>, K>,
  ): Promise<{ data: ResourceRecord<T, K>[] }>;
  /** Erases a record. Resolves with its values, as far as they are known. */
  deleteOne<K extends keyof T & string>(params: Named<DeleteOneParams, K>): Promise<{ data: ResourceRecord<T, K> }>;
  /** Erases several records. Rejects with a `ProviderError` if some could not be erased: its `failed` names them. */
  deleteMany<K extends keyof T & string>(params: Named<DeleteManyParams, K>): Promise<{ data: Values<T, K>[] }>;
}

/** The data provider of a table of models: that of Refine, with the types of the records of each resource. */
export type ModelsProvider<T extends ModelTable> = TypedCalls<T> & Required<DataProvider>;

/** Options of the data provider. */
export interface ProviderOptions {
  /** The address that `getApiUrl()` returns, for parts of Refine that build addresses. @default the `baseUrl` of the first model's proxy, or '' */
  apiUrl?: string;
}

/**
 * The error with which calls reject, as Refine knows it. `message` is a sentence for the person at the screen, `statusCode` the status of the
 * response, and `errors` has the messages of a `ValidationError` by field. `cause` is the `DataError`.
 *
 * @example
 * ```tsx
 * await provider.update({ resource: 'orders', id: 7, variables: { total: -1 } }).catch((error) => {
 *   if (!(error instanceof ProviderError)) throw error;
 *   console.log(error.statusCode, error.errors); // 422 { total: ['must be at least 0'] }
 * });
 * ```
 */
export class ProviderError extends Error implements HttpError {
  override readonly name = 'HttpError' as const;
  readonly statusCode: number;
  readonly errors: Record<string, string[]>;
  /** The records of a bulk action that could not be written; the others were. */
  readonly failed: readonly FailedRecord[];
  declare readonly cause: DataError;

  constructor({ message, status, issues, failed }: ToldError, cause: DataError) {
    super(message, { cause });
    this.statusCode = status;
    this.failed = failed;
    this.errors = messagesByPath(issues);
  }
}

/**
 * Makes the data provider of Refine from models by the names of resources. Sorting, filtering and paging are those of the proxies of the
 * models: what a server cannot do is refused before anything is sent. Throws `DefinitionError` for what is no table of models. A call
 * rejects with a `ProviderError`, and with `DefinitionError` for the name of a resource that is not in the table.
 *
 * @example
 * ```tsx
 * const provider = dataProvider({ orders: Order, customers: Customer });
 * // <Refine dataProvider={provider} resources={[{ name: 'orders' }]}>…</Refine>
 * const { data } = await provider.getOne({ resource: 'orders', id: 7 });
 * ```
 */
export function dataProvider<const T extends ModelTable>(models: T, options: ProviderOptions = {}): ModelsProvider<T> {
  const table = new ResourceTable(models, 'dataProvider');
  const run = <R>(name: string, call: (resource: Resource) => Promise<R>): Promise<R> =>
    asLibrary(
      () => call(table.get(name)),
      (told, cause) => new ProviderError(told, cause),
    );
  const request = (meta: MetaQuery | undefined) => requestOfMeta(meta, meta?.queryContext?.signal);
  const provider: BareCalls = {
    getApiUrl: () => options.apiUrl ?? (table.first.model.proxy as AjaxProxy).baseUrl ?? '',
    getList: (params) => run(params.resource, (resource) => readList(resource, params)),
    getOne: ({ resource: name, id, meta }) =>
      run(name, async (resource) => ({ data: await resource.one(id, request(meta)) })),
    getMany: ({ resource: name, ids, meta }) =>
      run(name, async (resource) => ({ data: await resource.many(ids, request(meta)) })),
    create: ({ resource: name, variables, meta }) =>
      run(name, async (resource) => ({ data: await resource.create(variables, request(meta)) })),
    createMany: ({ resource: name, variables, meta }) =>
      run(name, async (resource) => ({ data: await resource.createAll(variables, request(meta)) })),
    update: ({ resource: name, id, variables, meta }) =>
      run(name, async (resource) => ({ data: await resource.update(id, variables, basisOfMeta(meta), request(meta)) })),
    updateMany: ({ resource: name, ids, variables, meta }) =>
      run(name, async (resource) => ({ data: await resource.updateAll(ids, variables, request(meta)) })),
    deleteOne: ({ resource: name, id, meta }) =>
      run(name, async (resource) => ({ data: await resource.erase(id, undefined, request(meta)) })),
    deleteMany: ({ resource: name, ids, meta }) =>
      run(name, async (resource) => {
        await resource.eraseAll(ids, request(meta));
        return { data: ids.map((id) => ({ id })) };
      }),
    custom: (params) =>
      asLibrary(
        () => send(table.forUrl(params.url, params.meta?.['resource']), params),
        (told, cause) => new ProviderError(told, cause),
      ),
  };
  return provider as ModelsProvider<T>;
}

/** The calls without the types of records. */
interface BareCalls {
  getApiUrl(): string;
  getList(params: GetListParams): Promise<object>;
  getOne(params: GetOneParams): Promise<object>;
  getMany(params: GetManyParams): Promise<object>;
  create(params: CreateParams<object>): Promise<object>;
  createMany(params: CreateManyParams<object>): Promise<object>;
  update(params: UpdateParams<object>): Promise<object>;
  updateMany(params: UpdateManyParams<object>): Promise<object>;
  deleteOne(params: DeleteOneParams): Promise<object>;
  deleteMany(params: DeleteManyParams): Promise<object>;
  custom(params: CustomParams): Promise<object>;
}

async function readList(resource: Resource, params: GetListParams): Promise<object> {
  const { pagination = {}, sorters = [], filters = [], meta } = params;
  const { currentPage = 1, pageSize = 10, mode = 'server' } = pagination;
  const more = queryOfMeta(meta);
  const propertyOf = (name: string) => resource.propertyOf(name);
  const query = {
    filters: [...readCrudFilters(filters, resource.definition, propertyOf), ...more.filters],
    sorters: sorters.flatMap(({ field, order }) => resource.sortersOf(field, order === 'desc' ? 'DESC' : 'ASC')),
    ...(more.search !== undefined && { search: more.search }),
  };
  const page = mode === 'server' ? { page: currentPage, pageSize } : { page: 1, pageSize: 0 };
  const { rows, total, hasMore } = await resource.list(query, page, requestOfMeta(meta, meta?.queryContext?.signal));
  // Refine needs a total. Where the server tells none, this one leads to the next page while there may be one.
  const known = (page.page - 1) * page.pageSize + rows.length;
  return { data: rows, total: total ?? known + (hasMore ? 1 : 0) };
}

/** Sends a call of the application's own, with the headers and the sign-in of a model. */
async function send(resource: Resource, params: CustomParams): Promise<CustomResponse> {
  const { url, method, payload, query, headers, sorters = [], filters = [], meta } = params;
  if (sorters.length + filters.length > 0) {
    const remedy = 'give the parameters as `query`, in the form that the server has for this address';
    throw refuseLibraryQuery(resource.definition, 'Refine', 'sorters and filters of a custom call', remedy);
  }
  const signal = meta?.queryContext?.signal;
  const { body } = await (resource.model.proxy as AjaxProxy).send({
    url,
    method,
    ...(payload !== undefined && { body: payload }),
    ...(query !== undefined && { params: query as Record<string, unknown> }),
    ...(headers && { headers: headers as Record<string, string> }),
    ...(signal && { signal }),
  });
  return { data: body as never };
}
