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
