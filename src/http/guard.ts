import { AddressError } from '../errors/mistakes.js';
import { append, isAbsolute, joinUrl } from './url.js';

/** The addresses that the guard compares. */
export interface GuardInput {
  /** The address to check, as it was built. */
  readonly url: string;
  /** The collection's address without its query; templates are filled in. */
  readonly base: string;
  readonly baseUrl: string | undefined;
  readonly format: string | undefined;
  /** The text that the address step wrote behind the base. The address must still contain it. Undefined allows any address below the base. */
  readonly written: string | undefined;
  /** Whether the query alone may name the record, as in `?id=eq.7`. @default false */
  readonly idInQuery?: boolean | undefined;
  /** A further path that the dialect allows, outside of the base. */
  readonly declared?: string | undefined;
}

/** A dot segment behind a slash. `URL` leaves it if the slash is encoded, but a front server that decodes the path would resolve it. */
const DOTS = /(?:\/|%2f|\\|%5c)(?:\.|%2e){1,2}(?:$|\/|%2f|\\|%5c)/i;
/** Slashes in any of their forms, and nothing else. */
const SLASHES = /^(?:\/|\\|%2f|%5c)*$/i;
/** A control character, which some servers take for the end of the path. */
const CONTROL = /%(?:[01][\da-f]|7f|c2%[89][\da-f])/i;

/**
 * Resolves the final address with the platform's `URL` and makes sure that it stays inside its collection. Every address passes
 * here, also one that an override or a dialect built. Returns the absolute address. Throws `AddressError`.
 */
export function guardUrl(input: GuardInput): string {
  const { url, base, baseUrl, written, declared, format } = input;
  const target = resolveUrl(url, baseUrl);
  const from = resolveUrl(base, baseUrl);
  const { pathname } = target;
  const root = from.pathname;
  const isDeclared =
    declared !== undefined &&
    pathname === resolveUrl(declared, baseUrl).pathname &&
    !DOTS.test(behindBase(declared, base));
  const isInside =
    pathname === root ||
    pathname.startsWith(append(root, '/', '')) ||
    (format && pathname === append(root, '.', format));
  if (!isSamePlace(target, from) || !(isInside || isDeclared) || DOTS.test(pathname))
    throw new AddressError('url-outside', { url, base });
  if (CONTROL.test(pathname)) throw new AddressError('id-control', { value: url });
  // URL normalisation can swallow an id, and an override can drop or change it: the request would then reach other records.
  if (written !== undefined && !holdsWritten(target, root, isDeclared, written, input))
    throw new AddressError('url-collection', { url });
  return target.href;
}

/** The part of a declared path that the dialect added to the base, as it was written. */
function behindBase(declared: string, base: string): string {
  const stem = base.replace(/\/+$/, '');
  const [rest = ''] = (declared.startsWith(stem) ? declared.slice(stem.length) : declared).split(/[?#]/);
  return rest;
}

/** Whether the address still contains, behind the path of its base, the segments and parameters that the address step wrote. */
function holdsWritten(
  { pathname, search }: URL,
  root: string,
  isDeclared: boolean,
  written: string,
  { format, idInQuery = false }: GuardInput,
): boolean {
  // Some dialects name the record in the query, as in `?id=eq.7`.
  const [writtenPath = '', query = ''] = written.split(/\?(.*)/s);
  if (query !== '' && !holdsParameters(search, query)) return false;
  // The declared path of a dialect names the record, unless the query does.
  if (isDeclared) return pathname !== root || query !== '';
  const names = writtenPath.replace(/^\//, '');
  // A server that merges slashes would take `/users///` for the collection.
  if (SLASHES.test(names)) return idInQuery && query !== '';
  const behind = append(root, '/', '');
  if (!pathname.startsWith(behind)) return false;
  const path = pathname.slice(behind.length);
  // Most addresses are unchanged, and comparing encodings takes several times as long as building an address.
  return path === names || holdsSegments(path, names, format);
}

/** Whether the query of an address holds each parameter of `query`. */
function holdsParameters(search: string, query: string): boolean {
  const parameters = search.slice(1).split('&').map(canonical);
  return query.split('&').every((each) => parameters.includes(canonical(each)));
}

/** Whether a path contains the segments of `names` one after another. The format may follow the last segment. */
function holdsSegments(path: string, names: string, format: string | undefined): boolean {
  const segments = path.split('/').filter(Boolean).map(canonical);
  const ends = [names, ...(format ? [append(names, '.', format)] : [])];
  return ends.some((end) => {
    const wanted = end.split('/').filter(Boolean).map(canonical);
    return segments.some((_, at) => wanted.every((each, offset) => segments[at + offset] === each));
  });
}

/** A segment or parameter in one canonical percent-encoding, so that two encodings of it are equal. Malformed text is returned unchanged. */
function canonical(text: string): string {
  try {
    return encodeURIComponent(decodeURIComponent(text));
  } catch {
    return text;
  }
}

/**
 * The absolute form of a link that the server sent. A link to a trusted origin is followed. For any other origin, the link's
 * query is added to our own address; a link without a query gives undefined.
 */
export function followLink(link: string, own: string, trusted: readonly string[]): string | undefined {
  const ours = new URL(own);
  const target = URL.canParse(link, own) ? new URL(link, own) : undefined;
  if (target && mayFollow(target, ours, trusted)) return target.href;
  if (!target?.search || !/^https?:$/.test(target.protocol)) return undefined;
  ours.search = target.search;
  return ours.href;
}

/** Whether a link that the server sent may be requested: it has no credentials, and its origin is ours or trusted. */
export function mayFollow(target: URL, own: URL, trusted: readonly string[]): boolean {
  return (isSamePlace(target, own) || trusted.includes(target.origin)) && !isNamed(target);
}

/** Whether scheme and host are equal. `URL.origin` cannot tell: it is `'null'` for every scheme except those of the web. */
export function isSamePlace(a: URL, b: URL): boolean {
  return a.host === b.host && a.protocol === b.protocol;
}

/** Whether an address contains a user name or a password. */
function isNamed({ username, password }: URL): boolean {
  return username + password !== '';
}

/** Resolves an address against `baseUrl`, or else against the document's address. Throws `AddressError` if there is neither. */
export function resolveUrl(url: string, baseUrl: string | undefined): URL {
  const joined = joinUrl(baseUrl ?? '', url);
  const document = globalThis.document?.baseURI ?? globalThis.location?.href;
  if (!isAbsolute(joined) && !document) throw new AddressError('url-relative', { url });
  try {
    // A `baseUrl` such as `/api` is itself relative, so no address can be resolved against it.
    const resolved = new URL(joined, document ?? (joined[0] === '/' ? baseUrl : undefined));
    if (!isNamed(resolved)) return resolved;
  } catch {
    // An invalid address is refused below, like an address with credentials: `fetch` would refuse both and print the password.
  }
  throw new AddressError('url-invalid', { url: hideCredentials(joined) });
}

/** The address without its credentials, for messages. */
export function hideCredentials(url: string): string {
  return url.replace(/\/\/[^/]*@/, '//…@');
}
