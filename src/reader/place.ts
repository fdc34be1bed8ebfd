import { describe } from '../errors/message-format.js';
import { ReadError } from '../errors/read-error.js';
import type { ProxyRequest } from '../operation/proxy-request.js';
import { isData, parsePath, readPath } from '../util/data-path.js';

/**
 * The place of a value in a response: a path such as `data.items`, or a function that returns the value. The function must be
 * synchronous; `request.response` holds the status and the headers of the response.
 *
 * @example
 * ```ts
 * const proxy = new RestProxy({
 *   url: '/users',
 *   reader: { totalProperty: (_, { response }) => response?.headers.get('X-Total') },
 * });
 * ```
 */
export type Place = string | ((source: unknown, request: ProxyRequest) => unknown);

/** The value at a place. An empty path is the source itself. */
export function readPlace(source: unknown, place: Place, request: ProxyRequest | undefined): unknown {
  // Only an override of `rowsOf` that does not pass the request on leaves it out.
  if (typeof place === 'function') return place(source, request as ProxyRequest);
  return place === '' ? source : readPath(source, parsePath(place));
}

/** Names a place in the text of an error. */
export function placeName(place: Place): string {
  if (typeof place === 'function') return 'the place that a function names';
  return place ? `'${place}'` : 'its top level';
}

/**
 * The next page as a response gives it; null if there is none. Throws `ReadError` for what is no text, and so no address or token:
 * requests would go to addresses that no server has named. `place` names the member for the message.
 */
export function nextText(next: unknown, place: string): string | null {
  if (next === undefined || next === null || next === '' || next === false) return null;
  if (typeof next !== 'string') {
    const hint = isData(next) && typeof next['href'] === 'string' ? ', such as its member `href`' : '';
    throw new ReadError('response-next', { place, what: describe(next), hint });
  }
  return next;
}
