import { type Data, setMember } from './data-path.js';
import { isFile } from './files.js';
import { isLong, LongNumber } from './long-number.js';
import { isTree, MAX_DEPTH } from './values.js';

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
/** A value that is the mark alone. A name is followed by a colon, and a quote inside a text stands behind a backslash. */
const MARKED = /(^|[:,[])"\u0080"(?!:)/g;

/**
 * Parses JSON. Long numbers (numbers that JavaScript cannot hold) become `LongNumber`s. To find their places in the data, they are
 * marked in the text before it is parsed. Throws `SyntaxError` for a text that is not JSON, and `RangeError` with the message
 * {@link TOO_DEEP} for data that is nested too deeply.
 */
export function parseJson(text: string): ParsedJson {
  try {
    const { parsed, isComplete } = parseMarked(text, LONG_RUNS);
    if (isComplete) return parsed;
  } catch {
    // Digits inside a JSON string may have been marked, so that the text is no JSON any more.
  }
  // Throws for a text that is not JSON, which may have become JSON where a number was marked.
  JSON.parse(text);
  return parseMarked(text, ALL_NUMBERS).parsed;
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

/**
 * Parses JSON in which the long numbers that a pattern finds are marked, and replaces the marked strings by `LongNumber`s. `isComplete`
 * says whether the pattern has found all long numbers, and marked nothing else.
 */
function parseMarked(text: string, pattern: RegExp): { readonly parsed: ParsedJson; readonly isComplete: boolean } {
  const { json, mark, count } = markLong(text, pattern);
  let placed = 0;
  let hasZero = false;
  /** Whether a number is -0, infinite, or so close to zero that it lost digits. */
  let hasExtreme = false;
  const visit = (container: unknown[] | Data, level: number): void => {
    if (level > MAX_DEPTH) throw new RangeError(TOO_DEEP);
    if (Array.isArray(container)) {
      for (let at = 0; at < container.length; at += 1) visitMember(container, at, container[at], level);
    } else for (const name in container) visitMember(container, name, container[name], level);
  };
  const visitMember = (container: object, name: string | number, member: unknown, level: number): void => {
    if (typeof member === 'number') {
      const size = Math.abs(member);
      if (size >= SMALLEST && size <= Number.MAX_VALUE) return;
      if (Object.is(member, 0)) hasZero = true;
      else hasExtreme = true;
    } else if (typeof member === 'object') {
      if (member !== null && Object.hasOwn(container, name)) visit(member as Data, level + 1);
    } else if (mark && typeof member === 'string' && member.charCodeAt(0) === MARK_CODE && member.startsWith(mark)) {
      setMember(container, name, new LongNumber(member.slice(mark.length)));
      placed += 1;
    }
  };
  const holder = [JSON.parse(json) as unknown];
  visit(holder, 0);
  const mayHoldOthers = hasExtreme || (hasZero && /[eE]-\d{3}/.test(text));
  return { parsed: { value: holder[0], long: placed > 0 }, isComplete: placed === count && !mayHoldOthers };
}

/**
 * Writes a value as JSON, like `JSON.stringify`, but with every digit of long numbers. Throws `TypeError` for a file, of which JSON would
 * keep nothing.
 */
export function stringifyJson(value: unknown): string | undefined {
  /** Texts that replace the marks: digits, and strings that are the same as the mark. */
  const texts: string[] = [];
  const json: string | undefined = JSON.stringify(value, function (this: Data, name: string, member: unknown) {
    const own = this[name];
    if (typeof own === 'object' && !isTree(own) && isFile(own))
      throw new TypeError(`it keeps nothing of what is in ${own.constructor.name}`);
    if (own instanceof LongNumber) texts.push(own.digits);
    else if (member === MARK) texts.push(JSON.stringify(MARK));
    else return member;
    return MARK;
  });
  let at = 0;
  return texts.length > 0 ? json.replace(MARKED, (_, before: string) => before + texts[at++]) : json;
}
