import { AbortError } from '../errors/request-errors.js';
import { bodyText } from '../http/body-text.js';
import { identifyingHeaders } from '../http/identifying-headers.js';
import { encodeParam } from '../http/params.js';
import type { Operation } from '../operation/operation.js';
import type { ResultSet } from '../operation/result-set.js';
import { CallController } from '../util/abort.js';
import { ignoreRejection } from '../util/ignore-rejection.js';
import type { SignalHub } from '../util/signal-hub.js';
import { type Counting, countOperation } from './count-request.js';
import type { ProxyRequest } from './proxy-request.js';

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

/** The members of a proxy that lead to the number of rows. */
interface CountingProxy extends Counting {
  readonly cacheString: string;
  buildRequest(operation: Operation): ProxyRequest;
}

/** Asks for the numbers of rows of lists beside the reads of their pages (`countUrl`), and keeps them. */
export class TotalCounts {
  private readonly counts: Map<string, Count> = new Map();
  /** Whether answers to reads hold the total. */
  private isNeedless = false;

  /** `sendCount` sends a request for a number of rows, and reads the number. */
  constructor(
    private readonly proxy: CountingProxy,
    private readonly signals: SignalHub,
    private readonly sendCount: (request: ProxyRequest) => Promise<number>,
  ) {}

  /** Forgets the kept numbers, because a write may have changed them. */
  clear(): void {
    this.counts.clear();
  }

  /** Runs a read by `readPage`. The read of a page gets its total. */
  async read(request: ProxyRequest, readPage: () => Promise<ResultSet>): Promise<ResultSet> {
    const { operation } = request;
    const counting = this.isNeedless ? undefined : countOperation(operation, this.proxy);
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
