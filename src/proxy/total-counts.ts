import { AbortError } from '../errors/abort-error.js';
import { bodyText } from '../http/body-text.js';
import { encodeParam } from '../http/params.js';
import type { Operation } from '../operation/operation.js';
import type { ResultSet } from '../operation/result-set.js';
import { CallController } from '../util/call-controller.js';
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
    const count = this.isNeedless ? undefined : this.countFor(request);
    if (!count) return readPage();
    const { controller: given } = operation;
    const controller = (operation.controller = given ?? new CallController());
    const unfollow = this.signals.follow(controller, given ? undefined : operation.signal);
    count.waiting += 1;
    try {
      return await this.beside(count, controller, readPage);
    } finally {
      unfollow();
      operation.controller = given;
      count.waiting -= 1;
      if (count.waiting === 0 && !count.isKnown) {
        this.forget(count);
        count.controller.abort();
      }
    }
  }

  /**
   * Reads a page while the number of rows is on its way. The first of the two that fails is the error, and ends the other. `controller`
   * aborts the read of the page.
   */
  private beside(count: Count, controller: CallController, readPage: () => Promise<ResultSet>): Promise<ResultSet> {
    let isEnded = false;
    return new Promise<ResultSet>((resolve, reject) => {
      const fail = (error: unknown) => {
        if (isEnded) return;
        // The error of the number comes first, before the abort of the page.
        reject(error);
        controller.abort();
      };
      count.total.catch(fail);
      readPage().then((page) => {
        if (page.total !== undefined) {
          this.isNeedless = true;
          return resolve(page);
        }
        // While the page was read, its call has listened for the abort.
        controller.onAbort = (cause) => reject(new AbortError('abort', {}, { cause }));
        if (controller.signal.aborted) return controller.onAbort(controller.signal.reason);
        return count.total.then((total) => resolve(Object.assign(page, { total })), fail);
      }, reject);
    }).finally(() => {
      isEnded = true;
    });
  }

  /** The number of rows for the filter of a request: the one that is kept or asked for already, or one that is asked for now. */
  private countFor(page: ProxyRequest): Count | undefined {
    const operation = countOperation(page.operation, this.proxy);
    if (!operation) return undefined;
    const request = this.proxy.buildRequest(operation);
    const { counts } = this;
    const key = this.keyOf(request);
    const pageKey = this.keyOf(page);
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

  /** Identifies a request by its address, without the cache-buster, its headers and its body. */
  private keyOf({ url = '', headers, body, operation }: ProxyRequest): string {
    const buster = this.proxy.cacheString && encodeParam(this.proxy.cacheString, '');
    const parts = url.split(/[?&]/).filter((part) => !buster || !part.startsWith(buster));
    return JSON.stringify([parts, headers, operation.headers, bodyText(body)]);
  }
}
