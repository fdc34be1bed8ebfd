import type { DataError } from '../errors/data-error.js';
import type { HttpResponse } from '../http/http-response.js';
import type { ProxyRequest } from '../proxy/proxy-request.js';
import type { CallController } from '../util/call-controller.js';
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
  /** Tells the server that a create is the same as one it may have seen; sent where the proxy uses `idempotency()`. */
  idempotencyKey?: string | undefined;
}

// One for all: many operations are about no record, and reading the list of each from cold memory takes longer than its address.
const NO_RECORDS: readonly never[] = Object.freeze([]) as readonly never[];

/** One action on some records: what is asked, and how it ended. */
export class Operation<M = OperationRecord> {
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

  /** How often it was sent, once it has ended: more than once where a policy repeats. */
  attempts: number;
  /** Whether `retry` has repeated it. */
  repeated: boolean;
  /** Whether it was sent at least once without a clear answer: the server may have done it, whatever it said later. */
  unclear: boolean;
  /** Whether it is about the one record of an address without ids: the proxy that builds its request is a `singleton`. */
  singleton: boolean;
  /** Aborts it, while a record or a store runs it. */
  controller: CallController | undefined;
  /** The request, once it is built. */
  request: ProxyRequest | undefined;
  /** The answer, once it is there. */
  response: HttpResponse | undefined;
  resultSet: ResultSet<M> | undefined;
  /** Why it failed. */
  error: DataError | undefined;

  constructor(config: OperationConfig<M>) {
    const { page, start, limit, sorters, filters, grouper } = config;
    // What building an address touches is made first, and so lies side by side.
    this.records = config.records ?? NO_RECORDS;
    this.id = config.id;
    this.url = config.url;
    this.params = config.params;
    this.queried = (page ?? start ?? limit ?? sorters ?? filters ?? grouper ?? undefined) !== undefined;
    this.action = config.action;
    this.headers = config.headers;
    this.page = page;
    this.start = start;
    this.limit = limit;
    this.sorters = sorters && toSorters(sorters);
    this.filters = filters && toFilters(filters);
    this.grouper = grouper === undefined || grouper === null ? undefined : toGrouper(grouper);
    this.search = config.search;
    this.link = config.link;
    this.pathParams = config.pathParams;
    this.signal = config.signal;
    this.onRows = config.onRows;
    this.model = config.model;
    this.idempotencyKey = config.idempotencyKey;
    this.attempts = 0;
    this.repeated = false;
    this.unclear = false;
    this.singleton = false;
    this.controller = undefined;
    this.request = undefined;
    this.response = undefined;
    this.resultSet = undefined;
    this.error = undefined;
  }
}

/** Whether it reads rows, however many there are, and no record by its id. */
export function isList({ action, id, records, singleton }: Operation): boolean {
  return action === 'read' && id === undefined && records.length === 0 && !singleton;
}
