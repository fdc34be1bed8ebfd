import type { DataError } from '../errors/data-error.js';
import type { HttpResponse } from '../http/http-response.js';
import type { ProxyRequest } from '../proxy/proxy-request.js';
import type { Action } from './actions.js';
import type { OperationRecord, RecordModel } from './operation-record.js';
import { type Filter, type Grouper, type Sorter, toFilters, toGrouper, toSorters } from './query.js';
import type { ResultSet } from './result-set.js';
import type { StreamProgress } from './stream-progress.js';

/** Takes rows in while an answer arrives. */
export type RowsListener = (rows: readonly object[], progress: StreamProgress) => void | Promise<void>;

/** What an operation is made from; names as in the lineage. */
export interface OperationConfig<M = OperationRecord> {
  action: Action;
  records?: readonly M[] | undefined;
  /** Id of the record to read, where there is no record yet. */
  id?: unknown;
  /** Takes the place of the proxy's `url` and `api`. */
  url?: string | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  /** Number of the page, from 1. */
  page?: number | undefined;
  /** Index of the first row, from 0. */
  start?: number | undefined;
  /** Number of rows. */
  limit?: number | undefined;
  sorters?: readonly unknown[] | undefined;
  filters?: readonly unknown[] | undefined;
  grouper?: unknown;
  /** Text that is searched for. */
  search?: string | undefined;
  /** An address that the server gave; it is followed as it is (H17). */
  link?: string | undefined;
  params?: Readonly<Record<string, unknown>> | undefined;
  pathParams?: Readonly<Record<string, unknown>> | undefined;
  signal?: AbortSignal | undefined;
  /**
   * Is given the rows of a list while they arrive, where the proxy's reader streams; the result set then lacks them. No more is
   * read until the returned promise has resolved.
   */
  onRows?: RowsListener | undefined;
  /** The model that rows belong to, where there are no records to tell. */
  model?: RecordModel | undefined;
  /** Tells the server that a create is the same as one it may have seen; sent where the proxy has an `idempotencyHeader`. */
  idempotencyKey?: string | undefined;
  /** ETag of the row that is known, where the proxy is `conditional`: a read with it may answer 304. @default of a write: the record's; of a read: none */
  etag?: string | undefined;
}

/** One action on some records: what is asked, and how it ended. */
export class Operation<M = OperationRecord> {
  // Members that building an address touches stand first, side by side.
  readonly action: Action;
  readonly records: readonly M[];
  readonly id: unknown;
  readonly url: string | undefined;
  readonly params: Readonly<Record<string, unknown>> | undefined;
  /** Whether it asks for a page, an order or a selection. */
  readonly queried: boolean;
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly page: number | undefined;
  readonly start: number | undefined;
  readonly limit: number | undefined;
  readonly sorters: readonly Sorter[] | undefined;
  readonly filters: readonly Filter[] | undefined;
  readonly grouper: Grouper | undefined;
  readonly search: string | undefined;
  readonly link: string | undefined;
  readonly pathParams: Readonly<Record<string, unknown>> | undefined;
  readonly signal: AbortSignal | undefined;
  readonly onRows: RowsListener | undefined;
  readonly model: RecordModel | undefined;
  readonly idempotencyKey: string | undefined;
  readonly etag: string | undefined;

  /** How often it was sent, once it has ended: more than once where a policy repeats. */
  attempts: number = 0;
  /** Whether `retry` has repeated it. */
  repeated: boolean = false;
  /** Whether it was sent at least once without a clear answer: the server may have done it, whatever it said later. */
  unclear: boolean = false;
  /** Aborts it, while a record or a store runs it. */
  controller: AbortController | undefined = undefined;
  /** The request, once it is built. */
  request: ProxyRequest | undefined = undefined;
  /** The answer, once it is there. */
  response: HttpResponse | undefined = undefined;
  resultSet: ResultSet<M> | undefined = undefined;
  /** Why it failed. */
  error: DataError | undefined = undefined;

  constructor(config: OperationConfig<M>) {
    this.action = config.action;
    this.records = config.records ?? [];
    this.id = config.id;
    this.url = config.url;
    this.headers = config.headers;
    this.page = config.page;
    this.start = config.start;
    this.limit = config.limit;
    this.sorters = config.sorters && toSorters(config.sorters);
    this.filters = config.filters && toFilters(config.filters);
    this.grouper = config.grouper === undefined || config.grouper === null ? undefined : toGrouper(config.grouper);
    this.search = config.search;
    this.link = config.link;
    this.params = config.params;
    this.pathParams = config.pathParams;
    this.signal = config.signal;
    this.onRows = config.onRows;
    this.model = config.model;
    this.idempotencyKey = config.idempotencyKey;
    this.etag = config.etag;
    const { page, start, limit, sorters, filters, grouper } = this;
    this.queried = (page ?? start ?? limit ?? sorters ?? filters ?? grouper) !== undefined;
  }
}
