import { parseXml, type XmlDocument, XmlElement, type XmlText } from '@rgrove/parse-xml';
import { parseJson, TOO_DEEP } from '../util/json.js';
import { numberOf } from '../util/long-number.js';
import { MAX_DEPTH } from '../util/values.js';
import { itemNameOf, TEXT_MEMBER, type XmlNames } from './xml-names.js';

/** How a document is read. */
export interface ParseOptions extends XmlNames {
  /** Whether dashes in names become underscores. */
  readonly dashes: boolean;
}

/** The context in which the elements of one document are read. */
interface Reading extends ParseOptions {
  /** The document, into which the offsets of elements lead. */
  readonly document: string;
}

/** The types of Rails, which say how to read an element. In an element without one of these, `type` is an attribute like others. */
const TYPES = /^(array|base64Binary|boolean|date|dateTime|datetime|decimal|float|hash|integer|string|symbol|time)$/;

/**
 * Parses a document into an object with the root element as its only member, beside the attributes of a list. Entities that a document
 * declares itself are unknown, so that it can neither read files nor grow. Throws an error for malformed XML.
 */
export function parseBody(text: string, options: ParseOptions): unknown {
  const document = text.trim();
  // Gateways in front of a server may answer errors in JSON.
  if (!document.startsWith('<')) return parseJson(text).value;
  const { root } = parseDocument(document);
  if (!root || /^html$/i.test(root.name)) throw new SyntaxError('an HTML page');
  const reading = { ...options, document };
  const value = readElement(root, reading, 1);
  const own = Array.isArray(value) ? membersOf(root, options) : [];
  return Object.fromEntries([...own, [nameOf(root.name, options), value]]);
}

function parseDocument(text: string): XmlDocument {
  try {
    return parseXml(text, { includeOffsets: true });
  } catch (cause) {
    // The parser calls itself for each level.
    if (cause instanceof RangeError) throw new RangeError(TOO_DEEP);
    // The lines below the first show the place in the document.
    const [message] = (cause as Error).message.split('\n');
    throw new SyntaxError(message, { cause });
  }
}

function readElement(element: XmlElement, options: Reading, level: number): unknown {
  if (level > MAX_DEPTH) throw new RangeError(TOO_DEEP);
  if (isNil(element)) return null;
  const children = element.children.filter((child) => child instanceof XmlElement);
  const own = membersOf(element, options);
  if (isList(element, children, own.length > 0 && level > 1, options)) {
    return children.map((child) => readElement(child, options, level + 1));
  }
  const text = textOf(element);
  if (children.length === 0 && own.length === 0) return leafOf(text, element, options);
  const values = new Map<string, unknown[]>();
  for (const child of children) {
    const name = nameOf(child.name, options);
    const value = readElement(child, options, level + 1);
    const others = values.get(name);
    if (others) others.push(value);
    else values.set(name, [value]);
  }
  // An element wins over an attribute with its name.
  const members = [...values].map(([name, all]) => [name, all.length > 1 ? all : all[0]] as const);
  const isMixed = children.length > 0 ? text.trim() !== '' : text !== '';
  // Names are data: `fromEntries` makes a member of each of them, also of `__proto__`.
  return Object.fromEntries([...own, ...members, ...(isMixed ? [[TEXT_MEMBER, text] as const] : [])]);
}

/** Whether an element is a list: its type says so, it is the list of records, or all its elements have the singular of its name. */
function isList(
  element: XmlElement,
  children: readonly XmlElement[],
  hasMembers: boolean,
  options: ParseOptions,
): boolean {
  if (element.attributes['type'] === 'array') return true;
  const name = nameOf(element.name, options);
  if (name === options.list) return true;
  const item = itemNameOf(name, options);
  if (item === undefined || hasMembers || children.length === 0) return false;
  return children.every((child) => nameOf(child.name, options) === item);
}

/** The attributes as members, without those that say how to read the element. */
function membersOf({ attributes }: XmlElement, options: ParseOptions): (readonly [string, unknown])[] {
  return Object.entries(attributes)
    .filter(([name, value]) => !/^xmlns(:|$)|^(xsi:.*|nil)$/.test(name) && !(name === 'type' && TYPES.test(value)))
    .map(([name, value]) => [nameOf(name, options), value] as const);
}

function leafOf(text: string, { attributes, start, end }: XmlElement, { document }: Reading): unknown {
  const { type } = attributes;
  const isNumber =
    type === 'integer' ? /^-?(0|[1-9]\d*)$/ : type === 'float' ? /^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/i : undefined;
  // The digits of a `decimal` are kept as text, as Rails has them in JSON.
  if (isNumber?.test(text)) return numberOf(text);
  if (type === 'boolean' && /^(true|1|false|0)$/.test(text)) return text === 'true' || text === '1';
  // Redmine writes null as `<due_date/>`, and an empty text as `<homepage></homepage>`.
  return text === '' && document.slice(start, end).endsWith('/>') ? null : text;
}

function isNil({ attributes }: XmlElement): boolean {
  return attributes['nil'] === 'true' || attributes['xsi:nil'] === 'true';
}

/** The text and the CDATA sections directly in an element. */
function textOf({ children }: XmlElement): string {
  return children
    .filter((child) => child.type === 'text' || child.type === 'cdata')
    .map((child) => (child as XmlText).text)
    .join('');
}

function nameOf(name: string, { dashes }: ParseOptions): string {
  return dashes ? name.replaceAll('-', '_') : name;
}
