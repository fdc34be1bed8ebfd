import { AddressError } from '../errors/address-error.js';
import { describe } from '../errors/messages.js';

/** A base address in its parts (H1). */
export interface UrlParts {
  /** Everything before the query. */
  readonly path: string;
  /** The query with its `?`, or ''. */
  readonly query: string;
  /** Whether the path holds `{name}`s (H10). */
  readonly template: boolean;
}

const ABSOLUTE = /^(?:[a-z][a-z\d+.-]*:)?\/\/[^/?#]*/i;

/** Whether an address names its own host. */
export function isAbsolute(url: string): boolean {
  return ABSOLUTE.test(url);
}

/** Splits an address: the fragment is dropped, an absolute one without a path gets `/` (H1). */
export function parseUrl(url: string): UrlParts {
  const hash = url.indexOf('#');
  const text = hash < 0 ? url : url.slice(0, hash);
  const mark = text.indexOf('?');
  let path = mark < 0 ? text : text.slice(0, mark);
  const query = mark < 0 || mark === text.length - 1 ? '' : text.slice(mark);
  const origin = ABSOLUTE.exec(path)?.[0];
  if (origin === path) path += '/';
  for (const [braces, name] of text.matchAll(/\{([^{}]*)\}/g)) {
    const inPath = (origin?.length ?? 0) <= text.indexOf(braces) && !query.includes(braces);
    if (!inPath || !name || /^[+?#./;&]/.test(name)) throw new AddressError('template-invalid', { name, url });
  }
  return { path, query, template: /\{[^{}]+\}/.test(path) };
}

/** `/users` + `7` = `/users/7` (§4 rule 3.1). */
export function appendSegment(path: string, segment: string): string {
  return path.charCodeAt(path.length - 1) === 47 /* / */ ? path + segment : `${path}/${segment}`;
}

/** `/users` + `json` = `/users.json` (§4 rule 5.1). */
export function appendSuffix(path: string, suffix: string): string {
  return path.charCodeAt(path.length - 1) === 46 /* . */ ? path + suffix : `${path}.${suffix}`;
}

/** `baseUrl` and a relative address joined as text, with one slash between (H5). */
export function joinUrl(base: string, url: string): string {
  if (!base || isAbsolute(url)) return url;
  return `${base.replace(/[?#].*$/, '').replace(/\/+$/, '')}/${url.replace(/^\/+/, '')}`;
}

// What encodeURIComponent would leave alone: testing is cheaper than encoding.
const SAFE = /^[\w.!~*'()-]+$/;

/** Percent-encodes text as a URI component. Throws `AddressError` for a lone surrogate (H2). */
export function encodeText(text: string): string {
  if (SAFE.test(text)) return text;
  try {
    return encodeURIComponent(text);
  } catch (cause) {
    throw new AddressError('id-surrogate', {}, { cause });
  }
}

/** Refuses what can be neither a path segment nor a parameter: objects, lost digits (H2). Returns the text. */
export function idText(id: unknown): string {
  if (typeof id === 'number') {
    if (!(Math.abs(id) <= Number.MAX_SAFE_INTEGER)) throw new AddressError('id-unsafe', { value: id });
    return String(id);
  }
  if (typeof id === 'object' || typeof id === 'function' || typeof id === 'symbol') {
    throw new AddressError('id-type', { type: describe(id) });
  }
  return String(id);
}

/** An id or template value as a path segment (§4 rule 3.2). Throws `AddressError` for unsafe ones (H2). */
export function encodeSegment(id: unknown): string {
  if (typeof id === 'number') return idText(id);
  const text = idText(id);
  if (text === '.' || text === '..') throw new AddressError('id-dots', { value: text });
  return encodeText(text);
}

/** Whether an id may stand for a record: truthy, or the number 0 (§4 rule 2). */
export function isValidId(id: unknown): boolean {
  return Boolean(id) || id === 0;
}
