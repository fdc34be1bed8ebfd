import type { DataError } from '../errors/data-error.js';
import type { HttpResponse } from '../http/http-response.js';
import type { CallController } from '../util/abort.js';
import { showByJson } from '../util/show-by-json.js';
import type { Action } from './actions.js';
import { modelOf, type OperationRecord, type RecordModel, type WireField } from './operation-record.js';
import type { CalledParameters } from './params-config.js';
import type { ProxyRequest } from './proxy-request.js';
import {
  activeFilters,
  checkPaging,
  type Filter,
  type Grouper,
  type Sorter,
  toFilters,
  toGrouper,
  toSorters,
} from './query-parts.js';
import type { ResultSet } from './result-set.js';

/** How much of a response has arrived, while it is read row by row. */
export interface StreamProgress {
  /** Bytes of the body that have arrived, decompressed and converted to UTF-8. */
  readonly bytes: number;
  /** Size of the whole body in bytes, if the server says, and the body is neither compressed nor converted. */
  readonly totalBytes?: number;
  /** Number of rows so far, including those of this call. */
  readonly records: number;
  /** Number of rows in the whole collection, if the body says so before the rows. */
  readonly total?: number;
}

/** Receives the rows of a list while the response is still arriving. */
export type RowsListener = (rows: readonly object[], progress: StreamProgress) => void | Promise<void>;

/** The options of an operation. Their names are those of Ext JS. */
export interface OperationConfig<M = OperationRecord> {
  /** The kind of operation: `create`, `read`, `update` or `destroy`. */
  action: Action;
  /** The records to write. */
  records?: readonly M[] | undefined;
  /** Id of the record to read, if there is no record object yet. */
  id?: unknown;
  /**
   * Whether the id may be one that the type of the id field does not take, such as `me` for a number, and the response may hold a record
   * with another id. @default false
   */
  anyId?: boolean | undefined;
  /** Replaces the proxy's `url` and `api`. */
  url?: string | undefined;
  /** Headers of this operation. They replace those of the proxy with the same name. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Number of the page; the first page is 1. */
  page?: number | undefined;
  /** Index of the first row to read, from 0. */
  start?: number | undefined;
  /** Number of rows to read. */
  limit?: number | undefined;
  /** The order of the rows, by the first sorter first. */
  sorters?: readonly unknown[] | undefined;
  /** Conditions that each row must meet. */
  filters?: readonly unknown[] | undefined;
  /** The property by which the rows are grouped. */
  grouper?: unknown;
  /** The text to search for. */
  search?: string | undefined;
  /** The names of the fields that rows should have. @default all */
  fields?: readonly string[] | undefined;
  /** The query of a list: it has the sorters, filters, groupers, text, fields, `params` and `pathParams`, instead of the members of these names. */
  query?: AskedQuery | undefined;
  /** An address that the server sent, such as that of the next page; the request uses it unchanged. */
  link?: string | undefined;
  /** Parameters of this operation. They replace those of the proxy with the same name. */
  params?: Readonly<Record<string, unknown>> | undefined;
  /** Values for the `{name}`s of the proxy's `url`. */
  pathParams?: Readonly<Record<string, unknown>> | undefined;
  /** The parameters of the proxy, if its functions were called before. @default undefined: they are called for each request */
  calledParameters?: CalledParameters | undefined;
  /** Aborts the operation. */
  signal?: AbortSignal | undefined;
  /**
   * Called with rows of a list while they arrive, if the proxy's reader streams. The result set does not contain these rows.
   * Reading pauses until the returned promise has resolved.
   */
  onRows?: RowsListener | undefined;
  /** The model of the rows, if there are no records to take it from. */
  model?: RecordModel | undefined;
  /** The key by which the server recognises a repeated create; sent if the proxy uses `idempotency()`. */
  idempotencyKey?: string | undefined;
}

/** A query as requests ask for it. A store makes it of its `Query`, without the parts that it applies itself. */
export interface AskedQuery {
  readonly sorters: readonly Sorter[];
  readonly filters: readonly Filter[];
  readonly groupers: readonly Grouper[];
  readonly search: string;
  /** The names of the fields that rows should have; empty: all. */
  readonly fields: readonly string[];
  readonly params: Readonly<Record<string, unknown>> | undefined;
  readonly pathParams: Readonly<Record<string, unknown>> | undefined;
  /** A text that two queries of one model share only if they are equal. */
  readonly key: string;
}

/** The place in a query from which a request reads rows. */
export interface QueryPlace {
  readonly page: number | undefined;
  readonly start: number | undefined;
  readonly limit: number | undefined;
  /** An address that the server sent, such as that of the next page. */
  readonly link: string | undefined;
  /** The id of a single record. */
  readonly id: unknown;
}

/** The parts of a query in the normal form; undefined: not asked for. */
type QueryParts = Pick<Operation, 'sorters' | 'filters' | 'grouper'>;

const NO_PARTS: QueryParts = { sorters: undefined, filters: undefined, grouper: undefined };

// Operations without records share this list: reading a list of their own from uncached memory takes longer than building the
// address.
const NO_RECORDS: readonly never[] = Object.freeze([]) as readonly never[];

/**
 * One action on records: the request that it asks for, and how it ended.
 *
 * @example
 * ```ts
 * const operation = new Operation({ action: 'read', id: 7 });
 * const { rows } = await proxy.read(operation); // GET /users/7
 * show(rows, operation.response?.status); // [{ id: 7, name: 'Ada' }] 200
 * ```
 */
export class Operation<M = OperationRecord> {
  static {
    showByJson(this.prototype);
  }

  readonly action: Action;
  readonly records: readonly M[];
  readonly id: unknown;
  readonly url: string | undefined;
  readonly params: Readonly<Record<string, unknown>> | undefined;
  /** Whether the operation asks for a page, sorters, filters or a grouper. */
  readonly queried: boolean;
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly page: number | undefined;
  readonly start: number | undefined;
  readonly limit: number | undefined;
  readonly sorters: readonly Sorter[] | undefined;
  readonly filters: readonly Filter[] | undefined;
  readonly grouper: Grouper | undefined;
  readonly search: string | undefined;
  /** The names of the fields that rows should have; undefined: all. */
  readonly fields: readonly string[] | undefined;
  /** The query of a list; undefined if the members of its parts were given one by one. */
  readonly query: AskedQuery | undefined;
  readonly link: string | undefined;
  readonly pathParams: Readonly<Record<string, unknown>> | undefined;
  /** The parameters of the proxy, if its functions were called when the application asked for the write. */
  readonly calledParameters: CalledParameters | undefined;
  readonly signal: AbortSignal | undefined;
  readonly onRows: RowsListener | undefined;
  readonly model: RecordModel | undefined;
  readonly idempotencyKey: string | undefined;
  /** Whether the id need not be one of the id field's type, and the response may hold another record. */
  readonly anyId: boolean;

  /** The number of attempts, once the operation has ended: more than one if an extension has repeated the request. */
  attempts: number = 0;
  /** Whether `retry()` has repeated the request. */
  repeated: boolean = false;
  /** Whether at least one attempt got no clear response: the server may have done it, whatever a later response says. */
  unclear: boolean = false;
  /** Whether the address is that of a single record without an id, because the proxy is a `singleton`. */
  singleton: boolean = false;
  /** Whether only the number of rows is asked for, at the proxy's `countUrl`. */
  counts: boolean = false;
  /** Aborts the operation while a record or a store runs it. */
  controller: CallController | undefined = undefined;
  /** The request; undefined until it is built. */
  request: ProxyRequest | undefined = undefined;
  /** The response; undefined until it has arrived. */
  response: HttpResponse | undefined = undefined;
  /** The result; undefined before the response. */
  resultSet: ResultSet<M> | undefined = undefined;
  /** Why the operation failed. */
  error: DataError | undefined = undefined;

  constructor(config: OperationConfig<M>) {
    const { page, start, limit, query } = config;
    const isGiven = (config.sorters ?? config.filters ?? config.grouper ?? undefined) !== undefined;
    const { sorters, filters, grouper } = query ? partsOf(query) : isGiven ? givenParts(config) : NO_PARTS;
    // Members that are read while the address is built come first, so that they lie side by side in memory.
    this.records = config.records ?? NO_RECORDS;
    this.id = config.id;
    this.url = config.url;
    this.params = query ? query.params : config.params;
    this.queried = (page ?? start ?? limit ?? sorters ?? filters ?? grouper ?? undefined) !== undefined;
    if (this.queried) checkPaging(config, 0);
    this.action = config.action;
    this.headers = config.headers;
    this.page = page;
    this.start = start;
    this.limit = limit;
    this.sorters = sorters;
    this.filters = filters && activeFilters(filters);
    this.grouper = grouper;
    this.search = query ? query.search || undefined : config.search;
    const { fields = [] } = query ?? config;
    this.fields = fields.length > 0 ? fields : undefined;
    this.query = query;
    this.link = config.link;
    this.pathParams = query ? query.pathParams : config.pathParams;
    this.calledParameters = config.calledParameters;
    this.signal = config.signal;
    this.onRows = config.onRows;
    this.model = config.model;
    this.idempotencyKey = config.idempotencyKey;
    this.anyId = config.anyId ?? false;
  }

  /** The place in the query from which rows are read. */
  get place(): QueryPlace {
    const { page, start, limit, link, id } = this;
    return { page, start, limit, link, id };
  }

  /** The form of logs for an operation. Headers, parameters, rows and the response are left out. */
  toJSON(): object {
    const { action, modelName, id, page, start, limit, attempts, request, response, error } = this;
    const { length } = this.records;
    const { method } = request ?? {};
    return {
      action,
      model: modelName,
      id,
      records: length,
      page,
      start,
      limit,
      attempts,
      method,
      status: response?.status,
      error,
    };
  }

  /** The name of the model that it is about, where it is about one. */
  get modelName(): string | undefined {
    return modelOf(this)?.name;
  }

  /** The fields of the model that it is about; an empty list if it is about none. */
  get modelFields(): readonly WireField[] {
    return modelOf(this)?.fields ?? [];
  }
}

/** The parts of a query under the names of Ext JS; an empty part asks for nothing. */
function partsOf({ sorters, filters, groupers }: AskedQuery): QueryParts {
  return {
    sorters: sorters.length > 0 ? sorters : undefined,
    filters: filters.length > 0 ? filters : undefined,
    grouper: groupers[0],
  };
}

/** The parts of a query that were given one by one. */
function givenParts({ sorters, filters, grouper }: Pick<OperationConfig, keyof QueryParts>): QueryParts {
  return {
    sorters: sorters && toSorters(sorters),
    filters: filters && toFilters(filters),
    grouper: grouper === undefined || grouper === null ? undefined : toGrouper(grouper),
  };
}

/** Whether an operation reads a list: not a single record, and not only the number of rows. */
export function isList({ action, id, records, singleton, counts }: Operation): boolean {
  return action === 'read' && id === undefined && records.length === 0 && !singleton && !counts;
}

/** Whether an operation reads a part of the collection: then the number of its rows is not the total. */
export function isPage({ page, start, limit }: Operation): boolean {
  return page !== undefined || Boolean(limit) || Boolean(start);
}
