import { describe } from '../errors/message-format.js';
import { AddressError } from '../errors/mistakes.js';
import { LongNumber } from '../util/long-number.js';

/** A base address in its parts. */
export interface UrlParts {
  /** Everything before the query. */
  readonly path: string;
  /** The query with its `?`, or ''. */
  readonly query: string;
  /** Whether the path contains templates such as `{name}`. */
  readonly template: boolean;
}

const ABSOLUTE = /^(?:[a-z][a-z\d+.-]*:)?\/\/[^/?#]*/i;

/** Whether an address contains its own host. */
export function isAbsolute(url: string): boolean {
  return ABSOLUTE.test(url);
}

/** Splits an address. The fragment is dropped, and an absolute address without a path gets `/`. */
export function parseUrl(url: string): UrlParts {
  // Drops the fragment, and a `?` at the end.
  const [text = '', path = '', query = ''] = /^([^?#]*)(\?[^#]+)?/.exec(url) ?? [];
  const [origin] = ABSOLUTE.exec(path) ?? [];
  const [, name] = /\{((?:[+?./;&][^{}]*)?)\}/.exec(text) ?? /\{([^{}]*)\}/.exec((origin ?? '') + query) ?? [];
  if (name !== undefined) throw new AddressError('template-invalid', { name, url });
  return { path: path === origin ? `${path}/` : path, query, template: /\{[^{}]+\}/.test(path) };
}

/** Appends text behind a mark: `/users` + `/` + `7` = `/users/7`. The mark is not added twice. */
export function append(path: string, mark: string, text: string): string {
  return path.charCodeAt(path.length - 1) === mark.charCodeAt(0) ? path + text : path + mark + text;
}

/** `baseUrl` and a relative address joined as text, with one slash between. */
export function joinUrl(base: string, url: string): string {
  if (!base || isAbsolute(url)) return url;
  return `${base.replace(/\/*([?#].*)?$/, '')}/${url.replace(/^\/+/, '')}`;
}

/** Texts of ids that need neither a check nor an encoding: most ids are such texts. */
const PLAIN = /^[\w-]+$/;
const CONTROL = /\p{Cc}/u;
/** A dot segment between slashes or backslashes: front servers decode paths. */
const DOTS = /(?:^|[/\\])\.{1,2}(?:$|[/\\])/;
/** No segment at all: front servers merge slashes. */
const SLASHES = /^[/\\]+$/;

/** Percent-encodes text as a URI component. Throws `AddressError` for a lone surrogate. */
export function encodeText(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch (cause) {
    throw new AddressError('id-surrogate', { value: escaped(text) }, { cause });
  }
}

/** The text in a form that a message can show. */
function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/**
 * Returns an id as text; a number that JavaScript cannot hold becomes the digits that the server sent. Throws `AddressError` for
 * values that can be neither a path segment nor a parameter, such as objects and numbers with lost digits.
 */
export function idText(id: unknown): string {
  if (id instanceof LongNumber) return id.digits;
  if (typeof id === 'number' && !keepsDigits(id)) {
    throw new AddressError('id-unsafe', { value: id });
  }
  if (Array.isArray(id) && id.length > 1) throw new AddressError('id-parts-address', { value: describe(id) });
  if (typeof id === 'object' || typeof id === 'function' || typeof id === 'symbol') {
    throw new AddressError('id-type', { type: describe(id) });
  }
  return String(id);
}

/** Whether a number is too small to have lost any of its digits. */
export function keepsDigits(number: number): boolean {
  return Math.abs(number) <= Number.MAX_SAFE_INTEGER;
}

/**
 * The text of an id that can be sent, in whatever place. Throws `AddressError` for ids that `idText` refuses, and for texts with a
 * control character, at which some servers end the text, or a lone surrogate.
 */
export function sendableId(id: unknown): string {
  const text = idText(id);
  if (typeof id !== 'number' && !PLAIN.test(text)) encodeUnusual(text);
  return text;
}

/**
 * An id, a template value or a `path` of `send()` as a path segment. Throws `AddressError` for ids that cannot be sent, and
 * for those that lead to another address where a server decodes the path.
 */
export function encodeSegment(id: unknown): string {
  const text = idText(id);
  if (typeof id === 'number' || PLAIN.test(text)) return text;
  if (text.includes('.') ? DOTS.test(text) : SLASHES.test(text)) throw new AddressError('id-dots', { value: text });
  return encodeUnusual(text);
}

/** Percent-encodes the text of an id that may hold any character. */
function encodeUnusual(text: string): string {
  if (CONTROL.test(text)) throw new AddressError('id-control', { value: escaped(text) });
  return encodeText(text);
}

/** Whether an id can identify a record: it is truthy, or the number 0. */
export function isValidId(id: unknown): boolean {
  return Boolean(id) || id === 0;
}

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
const ENCODED_DOTS = /(?:\/|%2f|\\|%5c)(?:\.|%2e){1,2}(?:$|\/|%2f|\\|%5c)/i;
/** Slashes in any of their forms, and nothing else. */
const ENCODED_SLASHES = /^(?:\/|\\|%2f|%5c)*$/i;
/** A control character, which some servers take for the end of the path. */
const ENCODED_CONTROL = /%(?:[01][\da-f]|7f|c2%[89][\da-f])/i;

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
    !ENCODED_DOTS.test(behindBase(declared, base));
  const isInside =
    pathname === root ||
    pathname.startsWith(append(root, '/', '')) ||
    (format && pathname === append(root, '.', format));
  if (!isSamePlace(target, from) || !(isInside || isDeclared) || ENCODED_DOTS.test(pathname))
    throw new AddressError('url-outside', { url, base });
  if (ENCODED_CONTROL.test(pathname)) throw new AddressError('id-control', { value: url });
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
  if (ENCODED_SLASHES.test(names)) return idInQuery && query !== '';
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
