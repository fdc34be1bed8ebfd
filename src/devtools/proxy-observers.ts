import type { HeadersConfig } from '../http/headers.js';
import type { HttpResponse } from '../http/http-response.js';
import { platformFetch } from '../http/send.js';
import type { Operation } from '../operation/operation.js';
import type { ProxyRequest, RequestNotes } from '../operation/proxy-request.js';
import type { ResultSet } from '../operation/result-set.js';
import type { AjaxProxy } from '../proxy/ajax-proxy.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import { traceOf } from '../proxy/explain.js';
import type { ProxyWatch } from '../proxy/proxy-watch.js';
import { isPlainObject } from '../util/values.js';

/** Follows the operations of proxies. */
export interface ProxyObserver {
  /** An operation begins, before its request is built. */
  started(operation: Operation, proxy: AjaxProxy): void;
  /** The request of an operation has been built, unless it is refused. Requests that wait for something are not sent yet. */
  built(operation: Operation): void;
  /** The request is sent for the first time in an attempt. `layers` are its headers before extensions change them, the weakest first. */
  attempted(request: ProxyRequest, init: RequestInit, layers: readonly HeadersConfig[]): void;
  /** An attempt is sent to an address. A redirect that is followed is another attempt. */
  sent(request: ProxyRequest, url: string, init: RequestInit): void;
  /** The last attempt that was sent has ended. */
  received(request: ProxyRequest, end: { readonly response?: HttpResponse; readonly error?: unknown }): void;
  /** The rows of a response have been read, and no record has changed yet. */
  answered(request: ProxyRequest, result: ResultSet): void;
  /** An operation has ended; its records have not settled yet. */
  ended(operation: Operation, proxy: AjaxProxy): void;
}

/** Layers of headers whose functions are called by the request only. What they return is noted. */
class NotedLayers {
  /** The layers for the request. */
  readonly layers: readonly HeadersConfig[];
  /** The layers as far as they are known. */
  readonly values: HeadersConfig[];

  constructor(given: readonly HeadersConfig[]) {
    this.values = [...given];
    this.layers = given.map((layer, rank) => (typeof layer === 'function' ? () => this.note(rank, layer()) : layer));
  }

  private note<T extends ReturnType<Extract<HeadersConfig, () => unknown>>>(rank: number, result: T): T {
    const note = (value: object) => {
      if (isPlainObject(value)) this.values[rank] = value as Record<string, string>;
    };
    // The function `then` of any other object belongs to the application, and is called by the request only.
    if (result instanceof Promise) result.then(note, () => undefined);
    else note(result);
    return result;
  }
}

/** The watch of a proxy: passes what happens to all observers, and keeps their errors away from the application. */
class ObserverList implements ProxyWatch {
  readonly observers: Set<ProxyObserver> = new Set();

  trace(operation: Operation, proxy: AjaxProxy): RequestNotes {
    return traceOf(operation, proxy);
  }

  async follow<T>(operation: Operation, proxy: AjaxProxy, run: () => Promise<T>): Promise<T> {
    this.tell((observer) => observer.started(operation, proxy));
    try {
      const result = run();
      this.tell((observer) => observer.built(operation));
      return await result;
    } finally {
      this.tell((observer) => observer.ended(operation, proxy));
    }
  }

  async followAttempt(
    request: ProxyRequest,
    proxy: AjaxProxy,
    layers: readonly HeadersConfig[],
    send: (layers: readonly HeadersConfig[]) => Promise<HttpResponse>,
  ): Promise<HttpResponse> {
    const { fetch } = request;
    const noted = new NotedLayers(layers);
    let isSent = false;
    // The only place that sees the headers and the body as they are sent.
    request.fetch = (url, init = {}) => {
      if (!isSent) this.tell((observer) => observer.attempted(request, init, noted.values));
      isSent = true;
      this.tell((observer) => observer.sent(request, String(url), init));
      return (fetch ?? proxy.fetch ?? platformFetch())(url, init);
    };
    try {
      const response = await send(noted.layers);
      this.tell((observer) => observer.received(request, { response }));
      return response;
    } catch (error) {
      this.tell((observer) => observer.received(request, { error }));
      throw error;
    } finally {
      request.fetch = fetch;
    }
  }

  answered(request: ProxyRequest, result: ResultSet): void {
    this.tell((observer) => observer.answered(request, result));
  }

  private tell(call: (observer: ProxyObserver) => void): void {
    for (const observer of [...this.observers]) {
      try {
        call(observer);
      } catch {
        // A mistake of the inspector must not change what the application does.
      }
    }
  }
}

/** Lets an observer follow a proxy, and those that are made from it. Returns the function that ends this. */
export function observe(proxy: DataProxy, observer: ProxyObserver): () => void {
  const place = proxy['watch'];
  const list = place.by instanceof ObserverList ? place.by : new ObserverList();
  place.by = list;
  list.observers.add(observer);
  return () => {
    list.observers.delete(observer);
    if (list.observers.size === 0 && place.by === list) place.by = undefined;
  };
}
