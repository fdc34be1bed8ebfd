import type { HttpResponse } from './http-response.js';
import { receive, type SendOptions, send } from './send.js';

/** An answer that may still hold. */
interface KnownAnswer {
  readonly etag: string;
  readonly headers: Headers;
  readonly text: string;
}

/** Answers by address and headers, the last used last. */
export type KnownAnswers = Map<string, KnownAnswer>;

const MOST = 20;
/** UTF-16 units of one body, and of all together. */
const LONGEST = 1_000_000;
const MOST_TEXT = 5_000_000;
/** Headers that differ from request to request and change no answer. */
const MARKS = /^(if-none-match|traceparent|tracestate|x-request-id|x-correlation-id)$/;

/**
 * Sends a GET with the ETag of the last answer to the same; where the server says that it holds (304), the answer is that one.
 * `buster` is the parameter that differs each time.
 */
export async function sendKnown(known: KnownAnswers, options: SendOptions, buster: string): Promise<HttpResponse> {
  let key = '';
  let before: KnownAnswer | undefined;
  let own = false;
  const response = await send({
    ...options,
    sending(headers) {
      own = headers.has('If-None-Match');
      key = keyOf(options.url, headers, buster);
      before = own ? undefined : known.get(key);
      if (before) headers.set('If-None-Match', before.etag);
    },
  });
  if (response.status === 304 && before) {
    const { url, raw, redirected } = response;
    const headers = refreshed(before.headers, response.headers);
    keep(known, key, { ...before, headers });
    const read = await receive(new Response(before.text, { headers }), options);
    return { ...read, status: 304, unchanged: true, url, raw, redirected };
  }
  const etag = response.headers.get('ETag');
  if (etag && !own && isKeepable(response)) {
    keep(known, key, { etag, headers: response.headers, text: response.text });
  } else if (response.raw.ok) known.delete(key);
  return response;
}

/** All headers count: what a server gives one user, or in one language, is nobody else's, whatever its `Vary` says. */
function keyOf(url: string, headers: Headers, buster: string): string {
  const address = new URL(url);
  if (buster) address.searchParams.delete(buster);
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

function keep(known: KnownAnswers, key: string, answer: KnownAnswer): void {
  known.delete(key);
  known.set(key, answer);
  let size = 0;
  for (const { text } of known.values()) size += text.length;
  for (const [each, { text }] of known) {
    if (known.size <= MOST && size <= MOST_TEXT) return;
    known.delete(each);
    size -= text.length;
  }
}

/** What a 304 says anew goes over what was said before (RFC 9111 3.2), but for what is about the body. */
function refreshed(before: Headers, now: Headers): Headers {
  const all = new Headers(before);
  for (const [name, value] of now) if (!name.startsWith('content-')) all.set(name, value);
  return all;
}
