import { ReadError } from '../errors/read-error.js';
import { hideCredentials, isSamePlace, mayFollow } from './guard.js';
import type { HttpResponse } from './http-response.js';
import { isNotDone } from './status.js';

/** Redirects that a read follows at most (H17). */
const MOST = 5;

/** What stands for an address that a browser keeps to itself. */
const HIDDEN = 'an address that the browser hides';
const NONE = 'no address';

/** A read that was redirected. */
export interface RedirectedRead {
  /** Absolute address that was asked first. */
  readonly url: string;
  /** What it was sent with. */
  readonly init: RequestInit & { readonly headers: Headers };
  /** Origins that are followed besides its own. */
  readonly trusted: readonly string[];
  send(url: string, init: RequestInit): Promise<Response>;
}

/** Where a redirected read ended. */
export interface Followed {
  readonly raw: Response;
  /** Absolute address of the answer. */
  readonly url: string;
}

/** Whether an answer sends the request to another address, seen or hidden. */
export function isRedirect({ status, type }: Response): boolean {
  return type === 'opaqueredirect' || [301, 302, 303, 307, 308].includes(status);
}

/**
 * Follows the redirects of a GET: at most five, on its own origin or a trusted one, which gets none of our headers (H17).
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
      // Browsers show neither the status nor the address before they have followed it.
      raw = await send(here.href, { ...init, redirect: 'follow' });
      break;
    }
    const target = targetOf(raw, here);
    const told = { status: raw.status, target: target ? hideCredentials(target.href) : locationOf(raw) };
    if (!target) throw new ReadError('reply-redirected-nowhere', told);
    if (!mayFollow(target, own, trusted)) throw new ReadError('reply-redirected-away', told);
    if (count === MOST) throw new ReadError('reply-redirected-often', { ...told, count: MOST });
    if (!isSamePlace(target, own)) init = anonymous(init);
    here = target;
    raw = await send(here.href, init);
  }
  return { raw, url: checkEnd(raw, here, own, trusted) };
}

/** The address of an answer. Throws `ReadError` where the platform has followed a redirect to an origin that is not trusted. */
function checkEnd(raw: Response, here: URL, own: URL, trusted: readonly string[]): string {
  if (!raw.redirected || !URL.canParse(raw.url)) return here.href;
  const end = new URL(raw.url);
  if (mayFollow(end, own, trusted)) return end.href;
  discard(raw);
  throw new ReadError('reply-redirected-away', { status: raw.status, target: hideCredentials(end.href) });
}

/** The error of a redirected request that is not followed: of every write, and of reads that are not sent by GET (H17). */
export function redirectError({ raw, url, redirected }: HttpResponse, isRead: boolean): ReadError {
  const { status } = raw;
  const target = redirected ? hideCredentials(url) : locationOf(raw);
  if (isRead) return new ReadError('reply-redirected-read', { status, target });
  const outcome = isNotDone(status) ? 'was not done' : 'may have been done';
  return new ReadError('reply-redirected', { status, target, outcome });
}

/** Whether an answer came from another origin than the one that was asked: it speaks neither for its limits nor for its sign-ins. */
export function isFromElsewhere({ redirected, url }: HttpResponse, asked: string): boolean {
  return redirected && URL.canParse(url) && !isSamePlace(new URL(url), new URL(asked));
}

/** Where an answer redirects to, resolved against the address that it answers. */
function targetOf({ headers }: Response, here: URL): URL | undefined {
  const location = headers.get('Location');
  if (!location || !URL.canParse(location, here)) return undefined;
  const target = new URL(location, here);
  target.hash = '';
  return target;
}

/** Where an answer redirects to, for messages. */
function locationOf({ type, headers }: Response): string {
  if (type === 'opaqueredirect') return HIDDEN;
  const location = headers.get('Location');
  return location ? hideCredentials(location) : NONE;
}

/** An ETag belongs to the address that gave it: elsewhere, an answer of another resource could have the same. */
function withoutConditions(init: RedirectedRead['init']): RequestInit {
  const headers = new Headers(init.headers);
  headers.delete('If-None-Match');
  return { ...init, headers };
}

/** What another origin is asked with: nothing that says who asks. */
function anonymous({ method, signal, redirect, headers }: RequestInit): RequestInit {
  const accept = new Headers(headers).get('Accept') ?? '*/*';
  return { method, signal, redirect, headers: new Headers({ Accept: accept }), credentials: 'omit' } as RequestInit;
}

/** Lets go of a body that nobody reads. */
function discard({ body }: Response): void {
  void body?.cancel().catch(() => undefined);
}
