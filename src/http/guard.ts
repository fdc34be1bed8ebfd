import { AddressError } from '../errors/address-error.js';
import { append, isAbsolute, joinUrl } from './url.js';

/** What the guard compares (H3). */
export interface GuardInput {
  /** The address as built. */
  readonly url: string;
  /** The base without its query, templates filled in. */
  readonly base: string;
  readonly baseUrl: string | undefined;
  readonly format: string | undefined;
  /** What the address step wrote behind the base, which must still be there; undefined: anything below the base will do. */
  readonly written: string | undefined;
  /** A path that the dialect declares besides those below the base. */
  readonly declared?: string | undefined;
}

/**
 * Resolves the final address with the platform's `URL` and makes sure that it stays inside its collection,
 * whoever built it (H3). Returns the absolute address.
 */
export function guardUrl({ url, base, baseUrl, format, written, declared }: GuardInput): string {
  const target = resolveUrl(url, baseUrl);
  const from = resolveUrl(base, baseUrl);
  const { pathname } = target;
  const root = from.pathname;
  const same = isSamePlace(target, from);
  if (same && declared !== undefined && pathname === resolveUrl(declared, baseUrl).pathname) return target.href;
  const inside =
    pathname === root ||
    pathname.startsWith(append(root, '/', '')) ||
    (format && pathname === append(root, '.', format));
  if (!same || !inside) throw new AddressError('url-outside', { url, base });
  // A written id that normalisation swallowed, or that an override dropped, would address the whole collection.
  if (written !== undefined) {
    const behind = (path: string) => path.slice(root.length).replace(/^\/*/, '/');
    const text = behind((url === base + written ? target : resolveUrl(base + written, baseUrl)).pathname);
    if (text === '/' || !behind(pathname).includes(text)) throw new AddressError('url-collection', { url });
  }
  return target.href;
}

/**
 * An address that the server handed out, made absolute (H17): on another origin it is followed where that is trusted, else its
 * query is used on ours. Undefined where it has none.
 */
export function followLink(link: string, own: string, trusted: readonly string[]): string | undefined {
  const ours = new URL(own);
  const target = URL.canParse(link, own) ? new URL(link, own) : undefined;
  const known = target && (isSamePlace(target, ours) || trusted.includes(target.origin));
  // One with a name in it is no place to trust.
  if (known && !isNamed(target)) return target.href;
  if (!target?.search || !/^https?:$/.test(target.protocol)) return undefined;
  ours.search = target.search;
  return ours.href;
}

/** Scheme and host; `origin` would be the same for all schemes but the web's. */
function isSamePlace(a: URL, b: URL): boolean {
  return a.host === b.host && a.protocol === b.protocol;
}

/** Whether there are credentials in an address. */
function isNamed({ username, password }: URL): boolean {
  return username + password !== '';
}

/** The absolute address: from `baseUrl`, else from the document, else an `AddressError` (H5). */
export function resolveUrl(url: string, baseUrl: string | undefined): URL {
  const joined = joinUrl(baseUrl ?? '', url);
  const document = globalThis.document?.baseURI ?? globalThis.location?.href;
  if (!isAbsolute(joined) && !document) throw new AddressError('url-relative', { url });
  try {
    // Not each `baseUrl` is an address that a whole one could be resolved against.
    const resolved = new URL(joined, document ?? (joined[0] === '/' ? baseUrl : undefined));
    if (!isNamed(resolved)) return resolved;
  } catch {
    // Is refused as one with a name in it is: for that the platform sends nothing, and says so with the password.
  }
  throw new AddressError('url-invalid', { url: joined.replace(/\/\/[^/]*@/, '//…@') });
}
