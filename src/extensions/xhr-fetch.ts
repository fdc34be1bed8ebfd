import { TimeoutError } from '../errors/request-errors.js';
import type { Clock } from '../util/clock.js';
import { startTimer } from './waiting.js';

/** The longest wait for the next bytes of a request or its response. */
export interface StallLimit {
  readonly clock: Clock;
  /** In milliseconds; 0: no limit. */
  readonly timeout: number;
  /** Whether a request without a response may have created a record. */
  readonly unconfirmed: boolean;
}

/**
 * A `fetch` that sends by `XMLHttpRequest`, which tells how much of the body was sent. Redirects are followed by the browser; the
 * response then has `redirected`, as that of `fetch` has. Rejects with `TimeoutError` where no bytes move for too long.
 */
export function xhrFetch(
  progress: (loaded: number, total: number) => void,
  { clock, timeout, unconfirmed }: StallLimit,
): typeof globalThis.fetch {
  return (input, { method = 'GET', headers, body, signal, credentials } = {}) =>
    new Promise((resolve, reject) => {
      const address = String(input);
      const xhr = new XMLHttpRequest();
      const abort = () => xhr.abort();
      let stop: () => void = () => undefined;
      const restart = () => {
        stop();
        if (!timeout) return;
        stop = startTimer(clock, timeout, () => {
          reject(new TimeoutError(timeout, { unconfirmed }));
          xhr.abort();
        });
      };
      const fail = () => reject(new TypeError('the connection failed'));
      xhr.open(method, address);
      xhr.responseType = 'blob';
      xhr.withCredentials = credentials === 'include';
      new Headers(headers).forEach((value, name) => {
        xhr.setRequestHeader(name, value);
      });
      xhr.upload.onprogress = ({ loaded, total }) => {
        restart();
        progress(loaded, total);
      };
      xhr.onprogress = restart;
      xhr.onload = () => resolve(responseOf(xhr, address));
      xhr.onerror = fail;
      xhr.ontimeout = fail;
      xhr.onabort = () => reject(signal?.reason ?? new DOMException('The request was aborted', 'AbortError'));
      xhr.onloadend = () => {
        stop();
        signal?.removeEventListener('abort', abort);
      };
      if (signal?.aborted) return reject(signal.reason);
      signal?.addEventListener('abort', abort);
      restart();
      xhr.send(body as XMLHttpRequestBodyInit);
    });
}

/** Statuses whose responses must have no body. */
const BODILESS = [204, 205, 304];

function responseOf(xhr: XMLHttpRequest, address: string): Response {
  const { status, statusText, responseURL } = xhr;
  const headers = new Headers();
  for (const line of xhr
    .getAllResponseHeaders()
    .trim()
    .split(/[\r\n]+/)) {
    const [name = '', ...value] = line.split(':');
    if (name) headers.append(name, value.join(':').trim());
  }
  const body = BODILESS.includes(status) ? null : (xhr.response as Blob);
  const response = new Response(body, { status, statusText, headers });
  const url = responseURL || address;
  return Object.defineProperties(response, {
    url: { value: url },
    redirected: { value: url !== address.replace(/#.*/s, '') },
  });
}
