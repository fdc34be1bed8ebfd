import { ReadError } from '../errors/read-error.js';
import type { ProxyRequest } from '../proxy/proxy-request.js';
import { hideCredentials, isSamePlace, mayFollow } from './guard.js';
import { type HttpResponse, isNotDone } from './http-response.js';

/** Largest number of redirects that a read follows. */
const MOST = 5;

/** Shown in messages instead of an address that the browser hides. */
const HIDDEN = 'an address that the browser hides';
const NONE = 'no address';

/** A read that was redirected. */
export interface RedirectedRead {
  /** Absolute address of the first request. */
  readonly url: string;
  /** Options of `fetch` for the first request. */
  readonly init: RequestInit & { readonly headers: Headers };
  /** Further origins to which redirects are followed. */
  readonly trusted: readonly string[];
  send(url: string, init: RequestInit): Promise<Response>;
}

/** The end of a redirected read. */
export interface Followed {
  readonly raw: Response;
  /** Absolute address of the response. */
  readonly url: string;
}

/** Whether the redirects of a request are followed: only for reads by GET, never for a request that may write. */
export function isFollowed({ action, method }: ProxyRequest): boolean {
  return action === 'read' && method === 'GET';
}

/** Whether a response is a redirect, also one whose status and address the browser hides. */
export function isRedirect({ status, type }: Response): boolean {
  return type === 'opaqueredirect' || [301, 302, 303, 307, 308].includes(status);
}

/**
 * Follows the redirects of a GET: at most five, to its own origin or to a trusted one. A trusted origin gets none of our headers.
 * Throws `ReadError`.
 */
export async function followRedirects(
  first: Response,
  { url, trusted, send, ...read }: RedirectedRead,
): Promise<Followed> {
  const own = new URL(url);
  let init: RequestInit = withoutConditions(read.init);
  let raw = first;
  let here = own;
  for (let count = 0; isRedirect(raw); count += 1) {
    discard(raw);
    if (raw.type === 'opaqueredirect') {
      // Browsers hide the status and the address of a redirect that they have not followed themselves.
      raw = await send(here.href, { ...init, redirect: 'follow' });
      break;
    }
    const target = targetOf(raw, here);
    const told = { status: raw.status, target: target ? hideCredentials(target.href) : locationOf(raw) };
    if (!target) throw new ReadError('response-redirected-nowhere', told);
    if (!mayFollow(target, own, trusted)) throw new ReadError('response-redirected-away', told);
    if (count === MOST) throw new ReadError('response-redirected-often', { ...told, count: MOST });
    if (!isSamePlace(target, own)) init = anonymous(init);
    here = target;
    raw = await send(here.href, init);
  }
  return { raw, url: checkEnd(raw, here, own, trusted) };
}

/** The address of a response. Throws `ReadError` if the platform has followed a redirect to an untrusted origin. */
function checkEnd(raw: Response, here: URL, own: URL, trusted: readonly string[]): string {
  if (!raw.redirected || !URL.canParse(raw.url)) return here.href;
  const end = new URL(raw.url);
  if (mayFollow(end, own, trusted)) return end.href;
  discard(raw);
  throw new ReadError('response-redirected-away', { status: raw.status, target: hideCredentials(end.href) });
}

/** Error for a redirect that is not followed: redirects of writes, and of reads that are not sent by GET. */
export function redirectError({ raw, url, redirected }: HttpResponse, isRead: boolean): ReadError {
  const { status } = raw;
  const target = redirected ? hideCredentials(url) : locationOf(raw);
  if (isRead) return new ReadError('response-redirected-read', { status, target });
  const outcome = isNotDone(status) ? 'was not done' : 'may have been done';
  return new ReadError('response-redirected', { status, target, outcome });
}

/** Whether a response came from another origin than the requested one. Its rate limits and sign-ins then do not apply to our server. */
export function isFromElsewhere({ redirected, url }: HttpResponse, asked: string): boolean {
  return redirected && URL.canParse(url) && !isSamePlace(new URL(url), new URL(asked));
}

/** The target of a redirect, resolved against the address of its request. */
function targetOf({ headers }: Response, here: URL): URL | undefined {
  const location = headers.get('Location');
  if (!location || !URL.canParse(location, here)) return undefined;
  const target = new URL(location, here);
  target.hash = '';
  return target;
}

/** The target of a redirect, for messages. */
function locationOf({ type, headers }: Response): string {
  if (type === 'opaqueredirect') return HIDDEN;
  const location = headers.get('Location');
  return location ? hideCredentials(location) : NONE;
}

/** Removes conditional headers: an ETag belongs to one address, and another resource may use the same ETag. */
function withoutConditions(init: RedirectedRead['init']): RequestInit {
  const headers = new Headers(init.headers);
  headers.delete('If-None-Match');
  return { ...init, headers };
}

/** Options of `fetch` for another origin, without headers and credentials. */
function anonymous({ method, signal, redirect, headers }: RequestInit): RequestInit {
  const accept = new Headers(headers).get('Accept') ?? '*/*';
  return { method, signal, redirect, headers: new Headers({ Accept: accept }), credentials: 'omit' } as RequestInit;
}

/** Cancels a body that is not read, so that its connection is free again. */
function discard({ body }: Response): void {
  void body?.cancel().catch(() => undefined);
}
