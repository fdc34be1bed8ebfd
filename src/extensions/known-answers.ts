import type { Call, Send } from '../extension/call.js';
import type { HttpResponse } from '../http/http-response.js';
import { receive } from '../http/send.js';

/** An answer that may still hold. */
interface KnownAnswer {
  readonly etag: string;
  readonly headers: Headers;
  readonly text: string;
}

const MOST = 20;
/** UTF-16 units of one body, and of all together. */
const LONGEST = 1_000_000;
const MOST_TEXT = 5_000_000;
/** Headers that differ from request to request and change no answer. */
const MARKS = /^(if-none-match|traceparent|tracestate|x-request-id|x-correlation-id)$/;

/** The last answers to reads of lists of one proxy, by address and headers; the last used last. */
export class KnownAnswers {
  private readonly answers: Map<string, KnownAnswer> = new Map();

  /** Sends a GET with the ETag of the last answer to the same request. Where nothing has changed (304), that is the answer again. */
  async send(call: Call, next: Send): Promise<HttpResponse> {
    let key = '';
    let before: KnownAnswer | undefined;
    /** Whether the answer is read as one text, and to no condition of the application. */
    let isKept = true;
    call.onHeaders.push((headers) => {
      // An extension further inside may have said how the answer is received.
      isKept = !call.receive && !headers.has('If-None-Match');
      key = answerKeyOf(call, headers);
      before = isKept ? this.answers.get(key) : undefined;
      if (before) headers.set('If-None-Match', before.etag);
    });
    const response = await next(call);
    if (response.status === 304 && before) {
      const { url, raw, redirected } = response;
      const headers = refreshed(before.headers, response.headers);
      this.keep(key, { ...before, headers });
      const read = await receive(new Response(before.text, { headers }));
      return { ...read, status: 304, unchanged: true, url, raw, redirected };
    }
    const etag = response.headers.get('ETag');
    if (etag && isKept && isKeepable(response)) {
      this.keep(key, { etag, headers: response.headers, text: response.text });
    } else if (response.raw.ok) this.answers.delete(key);
    return response;
  }

  private keep(key: string, answer: KnownAnswer): void {
    const { answers } = this;
    answers.delete(key);
    answers.set(key, answer);
    let size = 0;
    for (const { text } of answers.values()) size += text.length;
    for (const [each, { text }] of answers) {
      if (answers.size <= MOST && size <= MOST_TEXT) return;
      answers.delete(each);
      size -= text.length;
    }
  }
}

/** All headers count: what a server gives one user, or in one language, is nobody else's, whatever its `Vary` says. */
function answerKeyOf({ url, proxy }: Call, headers: Headers): string {
  const address = new URL(url);
  if (proxy.noCache && proxy.cacheString) address.searchParams.delete(proxy.cacheString);
  return JSON.stringify([address.href, ...[...headers].filter(([name]) => !MARKS.test(name))]);
}

/**
 * Cookies are not seen here, so an answer that varies by them may be another user's. The ETag of a redirected answer belongs to
 * the address that it came from.
 */
function isKeepable({ status, redirected, headers, text, malformed }: HttpResponse): boolean {
  return (
    status === 200 &&
    !redirected &&
    malformed === undefined &&
    text.length <= LONGEST &&
    !/\bno-store\b/i.test(headers.get('Cache-Control') ?? '') &&
    !/\*|\bcookie\b/i.test(headers.get('Vary') ?? '')
  );
}

/** What a 304 says anew goes over what was said before (RFC 9111 3.2), but for what is about the body. */
function refreshed(before: Headers, now: Headers): Headers {
  const all = new Headers(before);
  for (const [name, value] of now) if (!name.startsWith('content-')) all.set(name, value);
  return all;
}
