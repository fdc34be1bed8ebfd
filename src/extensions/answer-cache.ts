import type { Send } from '../extension/extension.js';
import { identifyingHeaders } from '../http/headers.js';
import { type HttpResponse, readResponse } from '../http/http-response.js';
import type { ProxyRequest } from '../operation/proxy-request.js';
import type { AjaxProxy } from '../proxy/ajax-proxy.js';

/** A cached response, which the server may confirm by a 304. */
interface CachedAnswer {
  readonly etag: string;
  readonly headers: Headers;
  readonly text: string;
}

/** The most answers of one proxy that are cached. */
const MAX_ANSWERS = 20;
/** The longest body that is cached, in UTF-16 units. */
const MAX_BODY = 1_000_000;
/** The most text that is cached for one proxy, in UTF-16 units. */
const MAX_TEXT = 5_000_000;

/** Caches the last list answers of one proxy, by address and headers. The response that was used last stands last. */
export class AnswerCache {
  private readonly answers: Map<string, CachedAnswer> = new Map();

  /** Sends a GET with the ETag of the last response to the same request. If the server answers 304, the cached response is returned again. */
  async send(request: ProxyRequest, next: Send, proxy: AjaxProxy): Promise<HttpResponse> {
    let key = '';
    let cached: CachedAnswer | undefined;
    /** Whether the response may be cached: it is read as one text, and the application set no condition of its own. */
    let isCacheable = true;
    const decide = (headers: Headers) => {
      // An extension further inside, such as `streaming()`, may have set `request.receive` in the meantime.
      isCacheable = !request.receive && !headers.has('If-None-Match');
      key = answerKeyOf(request.target, proxy, headers);
      cached = isCacheable ? this.answers.get(key) : undefined;
      if (cached) headers.set('If-None-Match', cached.etag);
      allowNotModified(headers, request.target);
    };
    // Extensions further inside add their headers after this function, and these may tell users apart.
    request.onHeaders.push(() => request.onHeaders.push(decide));
    const response = await next(request);
    if (response.status === 304 && cached) {
      const { url, raw, redirected, codec } = response;
      const headers = updatedHeaders(cached.headers, response.headers);
      this.store(key, { ...cached, headers });
      const read = await readResponse(raw, { codec, known: cached.text });
      return { ...read, status: 304, headers, unchanged: true, url, redirected };
    }
    const etag = response.headers.get('ETag');
    if (etag && isCacheable && mayBeCached(response)) {
      this.store(key, { etag, headers: response.headers, text: response.text });
    } else if (response.raw.ok) this.answers.delete(key);
    return response;
  }

  private store(key: string, answer: CachedAnswer): void {
    const { answers } = this;
    answers.delete(key);
    answers.set(key, answer);
    let size = 0;
    for (const { text } of answers.values()) size += text.length;
    for (const [oldestKey, { text }] of answers) {
      if (answers.size <= MAX_ANSWERS && size <= MAX_TEXT) return;
      answers.delete(oldestKey);
      size -= text.length;
    }
  }
}

/**
 * The cache key of a request. It includes all headers, because the response to one user or in one language must not be reused for another,
 * whatever the server's `Vary` header says.
 */
function answerKeyOf(target: string, { noCache, cacheString }: AjaxProxy, headers: Headers): string {
  const address = new URL(target);
  if (noCache && cacheString) address.searchParams.delete(cacheString);
  return JSON.stringify([address.href, ...identifyingHeaders(headers)]);
}

/**
 * Whether a response may be cached. Cookies are not visible here, so a response that varies by cookie could belong to another user. The
 * ETag of a redirected response belongs to the address after the redirect.
 */
function mayBeCached({ status, redirected, headers, text, malformed }: HttpResponse): boolean {
  return (
    status === 200 &&
    !redirected &&
    malformed === undefined &&
    text.length <= MAX_BODY &&
    !/\bno-store\b/i.test(headers.get('Cache-Control') ?? '') &&
    !/\*|\bcookie\b/i.test(headers.get('Vary') ?? '')
  );
}

/** The cached headers, updated by those of a 304 (RFC 9111 3.2), except headers about the body, which a 304 does not send. */
function updatedHeaders(cachedHeaders: Headers, newHeaders: Headers): Headers {
  const all = new Headers(cachedHeaders);
  for (const [name, value] of newHeaders) if (!name.startsWith('content-')) all.set(name, value);
  return all;
}

/**
 * Lets a server answer 304 to a read with `If-None-Match`, by setting `Cache-Control: max-age=0`. Without this header, `fetch` adds
 * `Cache-Control: no-cache`, and servers such as Express then always send the whole body. In a browser the header is set only for the
 * page's own origin: any other origin would have to allow it by CORS, or the request would fail.
 */
export function allowNotModified(headers: Headers, url: string): void {
  if (!headers.has('If-None-Match') || headers.has('Cache-Control')) return;
  const page = globalThis.location?.origin;
  if (page === undefined || page === new URL(url).origin) headers.set('Cache-Control', 'max-age=0');
}
