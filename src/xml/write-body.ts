import { isObject } from '../util/data-path.js';
import { LongNumber } from '../util/long-number.js';
import { isPlainObject, MAX_DEPTH } from '../util/values.js';
import { itemNameOf, TEXT_MEMBER, type XmlNames } from './xml-names.js';

/** How a document is written. */
export interface WriteOptions extends XmlNames {
  /** Whether underscores in names become dashes. */
  readonly dashes: boolean;
  /** Whether `type` and `nil` are written. */
  readonly types: boolean;
  readonly lists: 'nested' | 'repeated';
}

/** The name of an element or attribute. */
const NAME = /^[\p{L}_][\p{L}\p{M}\p{N}._-]*(:[\p{L}_][\p{L}\p{M}\p{N}._-]*)?$/u;
/** Characters that XML 1.0 has no form for, lone surrogates among them. */
const UNWRITABLE = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;
const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Writes a body as a document. Throws `TypeError` for what XML cannot carry. */
export function writeBody(body: unknown, options: WriteOptions): string {
  const [name, value] = rootOf(body, options);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${writeElement(name, value, options, 1)}`;
}

/** The root element of a body: its only member, else the element of a record or list. */
function rootOf(body: unknown, { list, record }: WriteOptions): readonly [name: string, value: unknown] {
  if (Array.isArray(body)) return [list, body];
  if (!isPlainObject(body)) throw new TypeError(`it is ${nounOf(body)}, and not an object`);
  const [only, ...others] = Object.entries(body);
  if (!only || others.length > 0 || !isObject(only[1])) return [record, body];
  // A writer wraps several records in the same member as one.
  return only[0] === record && Array.isArray(only[1]) ? [list, only[1]] : only;
}

function writeElement(name: string, given: unknown, options: WriteOptions, level: number): string {
  // A value that contains itself has no end.
  if (level > MAX_DEPTH) throw new TypeError(`it is nested deeper than ${MAX_DEPTH} levels`);
  const value = jsonOf(given);
  const isRepeated = Array.isArray(value) && options.lists === 'repeated' && level > 1;
  if (isRepeated) return value.map((item) => writeElement(name, item ?? null, options, level + 1)).join('');
  const tag = tagOf(name, options);
  const element = (inside: string, attributes = '') => `<${tag}${attributes}>${inside}</${tag}>`;
  const typed = (inside: string, type: string) => element(inside, options.types ? ` type="${type}"` : '');
  switch (typeof value) {
    case 'undefined':
    case 'function':
    case 'symbol':
      return '';
    case 'string':
      // Rails reads an empty element without a type as null.
      return value ? element(escapeText(value)) : typed('', 'string');
    case 'boolean':
      return typed(String(value), 'boolean');
    case 'bigint':
      return typed(String(value), 'integer');
    case 'number':
      if (Number.isFinite(value)) return typed(String(value), typeOf(String(value)));
  }
  if (value instanceof LongNumber) return typed(value.digits, typeOf(value.digits));
  // Without a closing tag, because `<name></name>` is an empty text.
  if (!isObject(value)) return `<${tag}${options.types ? ' nil="true"' : ''}/>`;
  if (Array.isArray(value)) {
    const item = itemNameOf(name, options) ?? 'item';
    return typed(value.map((each) => writeElement(item, each ?? null, options, level + 1)).join(''), 'array');
  }
  if (!isPlainObject(value)) throw new TypeError(`'${name}' is ${nounOf(value)}`);
  return writeObject(value, element, options, level);
}

/** Writes members as elements; beside a text, as attributes, because an element with both is read so. */
function writeObject(
  value: Readonly<Record<string, unknown>>,
  element: (inside: string, attributes?: string) => string,
  options: WriteOptions,
  level: number,
): string {
  const { [TEXT_MEMBER]: text, ...members } = value;
  if (text === undefined) {
    const inside = Object.entries(members).map(([name, each]) => writeElement(name, each, options, level + 1));
    return element(inside.join(''));
  }
  let attributes = '';
  let inside = '';
  for (const [name, member] of Object.entries(members)) {
    if (isObject(member)) inside += writeElement(name, member, options, level + 1);
    else if (member !== undefined && member !== null)
      attributes += ` ${tagOf(name, options)}="${escapeText(String(member)).replace(/[\t\n]/g, toReference)}"`;
  }
  return element(escapeText(String(text)) + inside, attributes);
}

/** The value that `JSON.stringify` would write: dates are texts there. */
function jsonOf(value: unknown): unknown {
  const { toJSON } = Object(value) as { readonly toJSON?: unknown };
  return isObject(value) && typeof toJSON === 'function' ? (toJSON as () => unknown).call(value) : value;
}

function typeOf(digits: string): string {
  return /^-?\d+$/.test(digits) ? 'integer' : 'float';
}

function tagOf(name: string, { dashes }: WriteOptions): string {
  // As Rails does, underscores at the ends stay.
  const tag = dashes ? name.replace(/(?<=[^_])_+(?=[^_])/g, (found) => '-'.repeat(found.length)) : name;
  if (!NAME.test(tag)) throw new TypeError(`'${name}' cannot be the name of an element`);
  return tag;
}

function escapeText(text: string): string {
  const [found] = UNWRITABLE.exec(text) ?? [];
  if (found !== undefined) {
    const code = found.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
    throw new TypeError(`a text holds the character U+${code}, which XML has no form for`);
  }
  // A parser reads a carriage return as a line feed.
  return text.replace(/[&<>"]/g, (char) => ESCAPES[char] as string).replaceAll('\r', '&#13;');
}

function toReference(char: string): string {
  return `&#${char.charCodeAt(0)};`;
}

function nounOf(value: unknown): string {
  return isObject(value) ? `a ${Object.prototype.toString.call(value).slice(8, -1)}` : `the ${typeof value} ${value}`;
}
