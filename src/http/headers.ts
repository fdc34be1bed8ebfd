import { describe } from '../errors/message-format.js';
import { DefinitionError } from '../errors/mistakes.js';
import { isObject } from '../util/data-path.js';
import { isPlainObject } from '../util/values.js';

/** Headers of every request: an object, or a function that is called for each request, such as for a token. */
export type HeadersConfig = Record<string, string> | (() => Record<string, string> | Promise<Record<string, string>>);

/** Merges layers of headers: later layers win, and names ignore case. */
export async function mergeHeaders(layers: readonly HeadersConfig[]): Promise<Headers> {
  const all = new Headers();
  for (const layer of layers) {
    const given: unknown = typeof layer === 'function' ? await layer() : layer;
    // `Object.entries` of a `Headers` or a `Map` is empty, so no header would be sent.
    if (!isObject(given) || Symbol.iterator in given || Object.values(given).some(isObject))
      throw new DefinitionError('headers', { value: kindOf(given) });
    for (const [name, value] of Object.entries(given))
      if (value !== undefined && value !== null) setHeader(all, name, value);
  }
  return all;
}

/** Sets a header. The error of the platform would quote the value, which may be secret. */
function setHeader(headers: Headers, name: string, value: string): void {
  try {
    headers.set(name, '');
  } catch {
    throw new DefinitionError('header-name', { name });
  }
  try {
    headers.set(name, value);
  } catch {
    throw new DefinitionError('header-value', { name });
  }
}

/** Names the kind of a value that was given instead of headers. Its contents may be secret, so they are never shown. */
function kindOf(given: unknown): string {
  if (isPlainObject(given)) return 'an object that holds others';
  return typeof given === 'string' ? 'a text' : describe(given);
}

/** Headers that differ between requests without changing the response. */
const UNRELATED = /^(if-none-match|traceparent|tracestate|x-request-id|x-correlation-id)$/;

/**
 * The headers of a request that may change its response, by name. A cache whose key includes them never gives one user the response to
 * another one, whatever the header `Vary` of the server says.
 */
export function identifyingHeaders(headers: Headers): [name: string, value: string][] {
  return [...headers].filter(([name]) => !UNRELATED.test(name));
}
