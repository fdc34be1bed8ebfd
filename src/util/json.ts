import { type Data, setMember } from './data-path.js';
import { isFile } from './files.js';
import { isLong, LongNumber } from './long-number.js';
import { isPlainObject, isTree, MAX_DEPTH } from './values.js';

/** The reason for refusing a text that is nested deeper than {@link MAX_DEPTH} levels. */
export const TOO_DEEP: string = `nested deeper than ${MAX_DEPTH} levels`;

/** The result of {@link parseJson}. */
export interface ParsedJson {
  readonly value: unknown;
  /** Whether the data contains a `LongNumber`. */
  readonly long: boolean;
}

/** A text in which marked strings stand for its long numbers. */
interface MarkedText {
  readonly json: string;
  readonly mark: string;
  /** How many numbers are marked. */
  readonly count: number;
}

/**
 * Numbers of at least 16 characters: JavaScript always keeps 15 digits. Written out, because V8 then looks at every eighth character only.
 */
const LONG_RUNS: RegExp = /* @__PURE__ */ new RegExp(`[-\\d.]${'[\\d.]'.repeat(15)}[\\d.eE+-]*`, 'g');
/** Also numbers with an exponent, and -0; and the quotes of strings, whose digits are no numbers. */
const ALL_NUMBERS = /"|[-\d.]{16}[\d.eE+-]*|-?[\d.]+[eE][\d+-]+|-0[\d.]*/g;
/** Characters that may stand before a number, and behind it; none at an end of the text. */
const BEFORE = /^[:,[\s]?$/;
const BEHIND = /^[,\]}\s]?$/;
/** Numbers closer to zero than this one lose digits. */
const SMALLEST = 2 ** -1022;
/** A control character that hardly any text contains, and that fits into one byte, as V8 stores most texts. */
const MARK = '\u0080';
const MARK_CODE = MARK.charCodeAt(0);

/**
 * Parses JSON. Long numbers (numbers that JavaScript cannot hold) become `LongNumber`s. To find their places in the data, they are
 * marked in the text before it is parsed. Throws `SyntaxError` for a text that is not JSON, and `RangeError` with the message
 * {@link TOO_DEEP} for data that is nested too deeply.
 */
export function parseJson(text: string): ParsedJson {
  const quick = markLong(text, LONG_RUNS);
  try {
    const { value, placed, hasZero, hasExtreme } = new MarkedData(quick);
    const mayHoldOthers = hasExtreme || (hasZero && /[eE]-\d{3}/.test(text));
    if (placed === quick.count && !mayHoldOthers) return { value, long: placed > 0 };
  } catch {
    // Digits inside a JSON string may have been marked, so that the text is no JSON any more.
  }
  // Throws for a text that is not JSON, which may have become JSON where a number was marked.
  JSON.parse(text);
  const { value, placed } = new MarkedData(markLong(text, ALL_NUMBERS));
  return { value, long: placed > 0 };
}

/** Marks the long numbers among those that a pattern finds. */
function markLong(text: string, pattern: RegExp): MarkedText {
  let mark = '';
  let count = 0;
  let marked = '';
  let copied = 0;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const [found] = match;
    const stop = match.index + found.length;
    if (found === '"') pattern.lastIndex = endOfString(text, stop);
    else if (isLong(found) && BEFORE.test(text.charAt(match.index - 1)) && BEHIND.test(text.charAt(stop))) {
      mark ||= markFor(text);
      marked += `${text.slice(copied, match.index)}"${mark}${found}"`;
      copied = stop;
      count += 1;
    }
  }
  return { json: marked + text.slice(copied), mark, count };
}

/** The index behind the quote that ends a JSON string. */
function endOfString(text: string, from: number): number {
  let at = from;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

/** A mark with which no string of the data begins, whether the text has the mark's characters as they are or as escapes. */
function markFor(text: string): string {
  const rows = text.replaceAll('\\u0080', MARK).match(/\u0080+/g) ?? [];
  return MARK.repeat(rows.reduce((longest, { length }) => Math.max(longest, length), 0) + 1);
}

/** Parsed data in which `LongNumber`s have replaced the marked strings. */
class MarkedData {
  readonly value: unknown;
  /** How many marked strings were replaced. */
  placed = 0;
  hasZero = false;
  /** Whether a number is -0, infinite, or so close to zero that it lost digits. */
  hasExtreme = false;
  private readonly mark: string;

  constructor({ json, mark }: MarkedText) {
    this.mark = mark;
    const holder = [JSON.parse(json) as unknown];
    this.visit(holder, 0);
    [this.value] = holder;
  }

  private visit(container: unknown[] | Data, level: number): void {
    if (level > MAX_DEPTH) throw new RangeError(TOO_DEEP);
    if (Array.isArray(container)) {
      for (let at = 0; at < container.length; at += 1) this.visitMember(container, at, container[at], level);
    } else for (const name in container) this.visitMember(container, name, container[name], level);
  }

  private visitMember(container: object, name: string | number, member: unknown, level: number): void {
    if (typeof member === 'number') {
      if (!(member >= SMALLEST && member <= Number.MAX_VALUE)) this.visitUnusual(member);
    } else if (typeof member === 'object') {
      if (member !== null && Object.hasOwn(container, name)) this.visit(member as Data, level + 1);
    } else if (this.mark !== '' && typeof member === 'string' && member.charCodeAt(0) === MARK_CODE) {
      if (!member.startsWith(this.mark)) return;
      setMember(container, name, new LongNumber(member.slice(this.mark.length)));
      this.placed += 1;
    }
  }

  /** Visits a number that is zero, negative, infinite or close to zero. */
  private visitUnusual(value: number): void {
    if (Object.is(value, 0)) this.hasZero = true;
    else if (!(Math.abs(value) >= SMALLEST && Math.abs(value) <= Number.MAX_VALUE)) this.hasExtreme = true;
  }
}

/**
 * Writes a value as JSON, like `JSON.stringify`, but with every digit of long numbers. Throws `TypeError` for a file, of which JSON would
 * keep nothing.
 */
export function stringifyJson(value: unknown): string | undefined {
  return needsCare(value, 0) ? write(value) : JSON.stringify(value);
}

/** Whether a value holds a long number or a file, of which `JSON.stringify` would keep less than all. */
function needsCare(value: unknown, level: number): boolean {
  // Data from a server is never nested deeper. Deeper data was made by the application, and may contain itself.
  if (typeof value !== 'object' || value === null || level > MAX_DEPTH) return false;
  if (value instanceof LongNumber) return true;
  if (!isTree(value)) return isFile(value);
  for (const each of Object.values(value)) if (needsCare(each, level + 1)) return true;
  return false;
}

function write(value: unknown): string | undefined {
  if (value instanceof LongNumber) return value.digits;
  if (isFile(value)) throw new TypeError(`it keeps nothing of what is in ${value.constructor.name}`);
  if (Array.isArray(value)) return `[${Array.from(value, (item) => write(item) ?? 'null').join()}]`;
  if (!isPlainObject(value) || typeof value['toJSON'] === 'function') return JSON.stringify(value);
  const members: string[] = [];
  for (const [name, member] of Object.entries(value)) {
    const text = write(member);
    if (text !== undefined) members.push(`${JSON.stringify(name)}:${text}`);
  }
  return `{${members.join()}}`;
}
