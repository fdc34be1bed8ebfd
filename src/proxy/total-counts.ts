import { ReadError } from '../errors/read-error.js';
import { AbortError } from '../errors/request-errors.js';
import { identifyingHeaders } from '../http/headers.js';
import { exactBody, type HttpResponse } from '../http/http-response.js';
import { encodeParam } from '../http/params.js';
import { isList, isPage, Operation } from '../operation/operation.js';
import { paramsOf } from '../operation/params-config.js';
import type { ProxyRequest } from '../operation/proxy-request.js';
import type { ResultSet } from '../operation/result-set.js';
import type { JsonReader } from '../reader/json-reader.js';
import { readPlace } from '../reader/place.js';
import { CallController, type SignalHub } from '../util/abort.js';
import { getMember, isData } from '../util/data-path.js';
import { ignoreRejection } from '../util/ignore-rejection.js';
import type { AjaxProxy } from './ajax-proxy.js';
import { bodyText } from './encode.js';
import type { CountAddress } from './proxy-config.js';
import { checkCountAddress } from './proxy-options.js';

/** Members that commonly hold the number of rows in the response to a request for it. */
const COMMON_NAMES = ['count', 'total', 'totalCount', 'total_count', '@odata.count'];

/** How a proxy asks for the numbers of rows of its lists; made by {@link rowCount}. */
export interface RowCount {
  readonly address: CountAddress;
  /** The operation that asks for the number of rows of a list; undefined if none is needed. */
  operationFor(operation: Operation, proxy: AjaxProxy): Operation | undefined;
  /** Changes the parameters of a request for the number of rows as the options `filterParam` and `params` say. */
  changeParams(request: ProxyRequest, proxy: AjaxProxy): void;
  /** The number of rows in the response to a request for it. Throws `ReadError` if there is none. */
  read(request: ProxyRequest, proxy: AjaxProxy): number;
  /** The numbers of one proxy. `sendCount` sends a request for a number of rows, and reads the number. */
  countsOf(proxy: AjaxProxy, signals: SignalHub, sendCount: (request: ProxyRequest) => Promise<number>): Counts;
}

/** The numbers of rows that one proxy has asked for. */
export interface Counts {
  /** Runs a read by `readPage`. The read of a page gets its total. */
  read(request: ProxyRequest, readPage: () => Promise<ResultSet>): Promise<ResultSet>;
  /** Forgets the kept numbers, because a write may have changed them. */
  clear(): void;
}

/**
 * The address that tells the number of rows of a list, for the option `countUrl`. Throws `DefinitionError` for wrong options.
 *
 * @example
 * ```ts
 * class User extends Model.define({
 *   fields: { id: 'int', name: 'string' },
 *   proxy: { url: '/users', countUrl: rowCount('/users/count'), dialect: plain() },
 * }) {}
 * ```
 */
// @__NO_SIDE_EFFECTS__
export function rowCount(given: string | CountAddress): RowCount {
  const address = typeof given === 'string' ? { url: given } : given;
  checkCountAddress('rowCount', address);
  return {
    address,
    operationFor: (operation, proxy) => countOperation(operation, proxy, address),
    changeParams: (request, proxy) => changeCountParams(request, proxy, address),
    read: (request, proxy) => readCount(request, proxy, address),
    countsOf: (proxy, signals, sendCount) => new TotalCounts(proxy, signals, sendCount, address),
  };
}

/** A list that is read whole needs no number, and the address of the number does not belong to an address of the call's own. */
function countOperation(operation: Operation, proxy: AjaxProxy, { url }: CountAddress): Operation | undefined {
  if (operation.url || !isList(operation) || !(isPage(operation) || operation.link !== undefined)) return undefined;
  const { pathParams, headers, model, filters, search } = operation;
  const params = { ...operation.params };
  // The token of a page is among the parameters of the call.
  if (proxy.tokenParam) delete params[proxy.tokenParam];
  const count: Operation = new Operation({ action: 'read', url, params, pathParams, headers, model, filters, search });
  count.counts = true;
  return count;
}

function changeCountParams(
  request: ProxyRequest,
  proxy: AjaxProxy,
  { filterParam, params: change }: CountAddress,
): void {
  if (filterParam !== undefined) renameFilters(request, proxy.filterParam, filterParam);
  if (change) request.params = { ...paramsOf(() => change({ ...request.knownParams }), 'countUrl.params') };
}

/** Gives another name to the parameter of filters, `filter` or `filter[age][gte]`. */
function renameFilters(request: ProxyRequest, from: string | null, to: string): void {
  if (!from || !request.knownParams) return;
  const rename = (name: string) => (name === from || name.startsWith(`${from}[`) ? to + name.slice(from.length) : name);
  request.params = Object.fromEntries(
    Object.entries(request.knownParams).map(([name, value]) => [rename(name), value]),
  );
}

function readCount(request: ProxyRequest, proxy: AjaxProxy, { total }: CountAddress): number {
  const response = request.response as HttpResponse;
  const body = exactBody(response);
  const found = total === undefined ? commonCount(body, request, proxy.reader) : readPlace(body, total, request);
  if (isCount(found)) return Number(found);
  const shown = isData(body)
    ? `only ${Object.keys(body).join(', ')}`
    : `in ${JSON.stringify(response.text.slice(0, 40))}`;
  throw new ReadError('response-count', { shown });
}

/** The number of rows at the reader's `totalProperty`, else in the whole body, else in a member with a common name. */
function commonCount(body: unknown, request: ProxyRequest, { totalProperty }: JsonReader): unknown {
  const named = totalProperty === '' ? undefined : readPlace(body, totalProperty, request);
  if (isCount(named)) return named;
  if (!isData(body)) return body;
  return COMMON_NAMES.map((name) => getMember(body, name)).find(isCount);
}

function isCount(value: unknown): boolean {
  return (typeof value === 'number' || typeof value === 'string') && /^\d+$/.test(String(value));
}

/** Most filters of which the number of rows is kept, and most pages that one number serves. */
const MOST_COUNTS = 20;
const MOST_PAGES = 1000;

/** The number of rows for one filter. */
interface Count {
  readonly total: Promise<number>;
  readonly controller: CallController;
  /** The pages that this number has served; a page that is read again is counted anew. */
  readonly pages: Set<string>;
  /** Number of reads that wait for it. */
  waiting: number;
  isKnown: boolean;
}

/** Asks for the numbers of rows of lists beside the reads of their pages (`countUrl`), and keeps them. */
class TotalCounts implements Counts {
  private readonly counts: Map<string, Count> = new Map();
  /** Whether answers to reads hold the total. */
  private isNeedless = false;

  /** `sendCount` sends a request for a number of rows, and reads the number. */
  constructor(
    private readonly proxy: AjaxProxy,
    private readonly signals: SignalHub,
    private readonly sendCount: (request: ProxyRequest) => Promise<number>,
    private readonly address: CountAddress,
  ) {}

  /** Forgets the kept numbers, because a write may have changed them. */
  clear(): void {
    this.counts.clear();
  }

  /** Runs a read by `readPage`. The read of a page gets its total. */
  async read(request: ProxyRequest, readPage: () => Promise<ResultSet>): Promise<ResultSet> {
    const { operation } = request;
    const counting = this.isNeedless ? undefined : countOperation(operation, this.proxy, this.address);
    if (!counting) return readPage();
    const countRequest = this.proxy.buildRequest(counting);
    const { controller: given } = operation;
    const controller = (operation.controller = given ?? new CallController());
    const unfollow = this.signals.follow(controller, given ? undefined : operation.signal);
    let count: Count | undefined;
    try {
      return await this.beside(controller, readPage, (resolve) => {
        // Functions and extensions set headers when the page is sent. Only then is it known whose number is asked for.
        request.onSend = (headers = new Headers()) => {
          request.onSend = undefined;
          count = this.countFor(request, countRequest, headers);
          count.waiting += 1;
          resolve(count.total);
        };
        return () => request.onSend?.();
      });
    } finally {
      request.onSend = undefined;
      unfollow();
      operation.controller = given;
      if (count) this.release(count);
    }
  }

  /** A read has ended that waited for a number. A number for which nobody waits any more is not asked for. */
  private release(count: Count): void {
    count.waiting -= 1;
    if (count.waiting > 0 || count.isKnown) return;
    this.forget(count);
    count.controller.abort();
  }

  /**
   * Reads a page while the number of rows is on its way. The first of the two that fails is the error, and ends the other. `controller`
   * aborts the read of the page. `ask` gets the function that takes the number, and returns a function that asks for it at the latest.
   */
  private beside(
    controller: CallController,
    readPage: () => Promise<ResultSet>,
    ask: (resolve: (total: Promise<number>) => void) => () => void,
  ): Promise<ResultSet> {
    let isEnded = false;
    let askNow: () => void = () => undefined;
    const number = new Promise<number>((resolve) => {
      askNow = ask(resolve);
    });
    return new Promise<ResultSet>((resolve, reject) => {
      const fail = (error: unknown) => {
        if (isEnded) return;
        // The error of the number comes first, before the abort of the page.
        reject(error);
        controller.abort();
      };
      number.catch(fail);
      readPage().then((page) => {
        if (page.total !== undefined) {
          this.isNeedless = true;
          return resolve(page);
        }
        // An extension may have answered without sending the page.
        askNow();
        // While the page was read, its call has listened for the abort.
        controller.onAbort = (cause) => reject(new AbortError('abort', {}, { cause }));
        if (controller.signal.aborted) return controller.onAbort(controller.signal.reason);
        return number.then((total) => resolve(Object.assign(page, { total })), fail);
      }, reject);
    }).finally(() => {
      isEnded = true;
    });
  }

  /** The number of rows for the filter of a request: the one that is kept or asked for already, or one that is asked for now. */
  private countFor(page: ProxyRequest, request: ProxyRequest, headers: Headers): Count {
    const { counts } = this;
    const key = this.keyOf(request, headers);
    const pageKey = this.keyOf(page, headers);
    const kept = counts.get(key);
    // Several reads at the same time share one number, whatever their pages are.
    if (kept && (!kept.isKnown || !kept.pages.has(pageKey)) && kept.pages.size < MOST_PAGES) {
      kept.pages.add(pageKey);
      return kept;
    }
    const count = this.start(request);
    count.pages.add(pageKey);
    counts.delete(key);
    counts.set(key, count);
    const [oldest] = counts.keys();
    if (counts.size > MOST_COUNTS && oldest !== undefined) counts.delete(oldest);
    return count;
  }

  /** Asks for a number of rows. */
  private start(request: ProxyRequest): Count {
    const controller = (request.operation.controller = new CallController());
    const count: Count = {
      // The page is asked for first.
      total: Promise.resolve().then(() => this.sendCount(request)),
      controller,
      pages: new Set(),
      waiting: 0,
      isKnown: false,
    };
    const known = () => {
      count.isKnown = true;
    };
    ignoreRejection(count.total);
    count.total.then(known, () => this.forget(count));
    return count;
  }

  private forget(count: Count): void {
    for (const [key, each] of this.counts) if (each === count) this.counts.delete(key);
  }

  /**
   * Identifies a request by its address, without the cache-buster, its body, and the headers with which the page is sent: users that
   * share a proxy have numbers of their own.
   */
  private keyOf({ url = '', body }: ProxyRequest, headers: Headers): string {
    const buster = this.proxy.cacheString && encodeParam(this.proxy.cacheString, '');
    const parts = url.split(/[?&]/).filter((part) => !buster || !part.startsWith(buster));
    return JSON.stringify([parts, identifyingHeaders(headers), bodyText(body)]);
  }
}
