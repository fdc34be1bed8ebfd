import { AddressError } from '../errors/address-error.js';
import { append, isAbsolute, joinUrl } from './url.js';

/** The addresses that the guard compares (H3). */
export interface GuardInput {
  /** The address as built. */
  readonly url: string;
  /** The base without its query, templates filled in. */
  readonly base: string;
  readonly baseUrl: string | undefined;
  readonly format: string | undefined;
  /** The text that the address step wrote behind the base, which the address must still hold; undefined: anything below the base will do. */
  readonly written: string | undefined;
  /** A path that the dialect declares besides those below the base. */
  readonly declared?: string | undefined;
}

/**
 * Resolves the final address with the platform's `URL` and makes sure that it stays inside its collection,
 * whoever built it (H3). Returns the absolute address. Throws `AddressError`.
 */
export function guardUrl(input: GuardInput): string {
  const { url, base, baseUrl, format, written, declared } = input;
  const target = resolveUrl(url, baseUrl);
  const from = resolveUrl(base, baseUrl);
  const { pathname } = target;
  const root = from.pathname;
  const isDeclared = declared !== undefined && pathname === resolveUrl(declared, baseUrl).pathname;
  const isInside =
    pathname === root ||
    pathname.startsWith(append(root, '/', '')) ||
    (format && pathname === append(root, '.', format));
  if (!isSamePlace(target, from) || !(isInside || isDeclared)) throw new AddressError('url-outside', { url, base });
  // A written id that normalisation swallowed, or that an override dropped or changed, would address other records.
  if (written !== undefined && !holdsWritten(target, root, isDeclared, written, format))
    throw new AddressError('url-collection', { url });
  return target.href;
}

/** Whether an address still holds, behind the path of its base, what the address step wrote: whole segments and parameters. */
function holdsWritten(
  { pathname, search }: URL,
  root: string,
  isDeclared: boolean,
  written: string,
  format: string | undefined,
): boolean {
  // Dialects may name a record in the query: `?id=eq.7`.
  const [writtenPath = '', query = ''] = written.split(/\?(.*)/s);
  if (query !== '' && !holdsParameters(search, query)) return false;
  // An address that a dialect declares names the record, unless that is left to the query.
  if (isDeclared) return pathname !== root || query !== '';
  const names = writtenPath.replace(/^\//, '');
  if (names === '') return false;
  const behind = append(root, '/', '');
  if (!pathname.startsWith(behind)) return false;
  const path = pathname.slice(behind.length);
  // Most addresses stand as they were written: comparing encodings takes several times as long as building one.
  return path === names || holdsSegments(path, names, format);
}

/** Whether the query of an address holds each parameter of `query`. */
function holdsParameters(search: string, query: string): boolean {
  const parameters = search.slice(1).split('&').map(canonical);
  return query.split('&').every((each) => parameters.includes(canonical(each)));
}

/** Whether the segments of `names` stand in a path one after another; the format may follow the last one. */
function holdsSegments(path: string, names: string, format: string | undefined): boolean {
  const segments = path.split('/').map(canonical);
  const ends = [names, ...(format ? [append(names, '.', format)] : [])];
  return ends.some((end) => {
    const wanted = end.split('/').map(canonical);
    return segments.some((_, at) => wanted.every((each, offset) => segments[at + offset] === each));
  });
}

/** A segment or parameter in the one form that all of its percent-encodings share; a malformed one as it stands. */
function canonical(text: string): string {
  try {
    return encodeURIComponent(decodeURIComponent(text));
  } catch {
    return text;
  }
}

/**
 * An address that the server handed out, made absolute (H17): on another origin it is followed where that is trusted, else its
 * query is used on ours. Undefined where it has none.
 */
export function followLink(link: string, own: string, trusted: readonly string[]): string | undefined {
  const ours = new URL(own);
  const target = URL.canParse(link, own) ? new URL(link, own) : undefined;
  if (target && mayFollow(target, ours, trusted)) return target.href;
  if (!target?.search || !/^https?:$/.test(target.protocol)) return undefined;
  ours.search = target.search;
  return ours.href;
}

/** Whether an address that the server handed out may be asked: on our own origin or a trusted one, with no credentials in it (H17). */
export function mayFollow(target: URL, own: URL, trusted: readonly string[]): boolean {
  return (isSamePlace(target, own) || trusted.includes(target.origin)) && !isNamed(target);
}

/** Scheme and host; `origin` would be the same for all schemes but the web's. */
export function isSamePlace(a: URL, b: URL): boolean {
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
  throw new AddressError('url-invalid', { url: hideCredentials(joined) });
}

/** An address for messages. */
export function hideCredentials(url: string): string {
  return url.replace(/\/\/[^/]*@/, '//…@');
}
