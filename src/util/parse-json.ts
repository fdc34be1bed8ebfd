import { type Data, setMember } from './data-path.js';
import { isLong, LongNumber } from './long-number.js';
import { MAX_DEPTH } from './values.js';

/** The reason for refusing a text that is nested deeper than {@link MAX_DEPTH} levels. */
export const TOO_DEEP: string = `nested deeper than ${MAX_DEPTH} levels`;

/** The result of {@link parseJson}. */
export interface ParsedJson {
  readonly value: unknown;
  /** Whether the data contains a `LongNumber`. */
  readonly long: boolean;
}

/** A JavaScript number always keeps this many digits. */
const KEPT_DIGITS = 15;
/** Numbers closer to zero than this one lose digits. */
const SMALLEST = 2 ** -1022;
/** A control character that hardly any text contains, and that fits into one byte, as V8 stores most texts. */
const MARK = '\u0080';
const MARK_CODE = MARK.charCodeAt(0);
const QUOTE = 34;
const MINUS = 45;
const BACKSLASH = 92;

/**
 * Parses JSON. Long numbers (numbers that JavaScript cannot hold) become `LongNumber`s. To find their places in the data, they are
 * marked in the text before it is parsed. Throws `SyntaxError` for a text that is not JSON, and `RangeError` with the message
 * {@link TOO_DEEP} for data that is nested too deeply.
 */
export function parseJson(text: string): ParsedJson {
  const runs = markLongRuns(text);
  const quick = tryRead(runs);
  if (quick?.placed === runs.count && !quick.mayHoldOthers(text)) return { value: quick.value, long: runs.count > 0 };
  // Throws for a text that is not JSON, which may have become JSON where a number was marked.
  JSON.parse(text);
  const all = new MarkedData(markLongNumbers(text));
  return { value: all.value, long: all.placed > 0 };
}

/** Undefined if the data cannot be read. Digits inside a JSON string may have been marked, so that the text is no JSON any more. */
function tryRead(marker: Marker): MarkedData | undefined {
  try {
    return new MarkedData(marker);
  } catch {
    return undefined;
  }
}

/** Parsed data in which `LongNumber`s have replaced the marked strings. */
class MarkedData {
  /** How many marked strings were replaced. */
  placed = 0;
  private hasZero = false;
  private hasExtreme = false;
  private readonly mark: string;
  private readonly holder: [unknown];

  constructor(marker: Marker) {
    this.mark = marker.mark;
    this.holder = [JSON.parse(marker.end())];
    this.visit(this.holder, 0);
  }

  get value(): unknown {
    return this.holder[0];
  }

  /** Whether the text may have long numbers without many digits: with a long exponent, as in `1e400`, or a negative zero. */
  mayHoldOthers(text: string): boolean {
    return this.hasExtreme || (this.hasZero && /[eE]-\d{3}/.test(text));
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
      this.place(container, name, member);
    }
  }

  private place(container: object, name: string | number, text: string): void {
    if (!text.startsWith(this.mark)) return;
    setMember(container, name, new LongNumber(text.slice(this.mark.length)));
    this.placed += 1;
  }

  /** Visits a number that is zero, negative, infinite or close to zero. */
  private visitUnusual(value: number): void {
    if (value === 0) this.hasZero = true;
    const size = Math.abs(value);
    if (Object.is(value, -0) || size > Number.MAX_VALUE || (value !== 0 && size < SMALLEST)) this.hasExtreme = true;
  }
}

/** Marks long numbers in a text, from its beginning to its end. */
class Marker {
  /** How many numbers are marked. */
  count = 0;
  mark = '';
  private marked = '';
  /** The end of the text that `marked` has already. */
  private copied = 0;

  constructor(private readonly text: string) {}

  /** Marks the number between two places in the text if it is long. */
  add(start: number, stop: number): void {
    const digits = this.text.slice(start, stop);
    if (!isLong(digits)) return;
    this.mark ||= markFor(this.text);
    this.marked += `${this.text.slice(this.copied, start)}"${this.mark}${digits}"`;
    this.copied = stop;
    this.count += 1;
  }

  /** The text with its marks. */
  end(): string {
    return this.count > 0 ? this.marked + this.text.slice(this.copied) : this.text;
  }
}

/**
 * Marks the long numbers that have more than 15 digits. Reads every sixteenth character, and more only around digits. Digits inside a
 * JSON string are marked too, if they look like a number there.
 */
function markLongRuns(text: string): Marker {
  const marker = new Marker(text);
  for (let at = KEPT_DIGITS; at < text.length; at += KEPT_DIGITS + 1) {
    if (!isDigitOrPoint(text.charCodeAt(at))) continue;
    // One side has at least half of the other digits. Looking at two of them first leaves out most dates and short numbers.
    if (!areDigits(text, at - 8, at - 4) && !areDigits(text, at + 8, at + 4)) continue;
    const start = startOfNumber(text, at);
    const stop = endOfNumber(text, at + 1);
    if (stop - start <= KEPT_DIGITS) continue;
    if (mayPrecede(text.charCodeAt(start - 1)) && mayFollow(text.charCodeAt(stop))) marker.add(start, stop);
    at = stop;
  }
  return marker;
}

/** Marks all long numbers of a JSON text, by reading every character. */
function markLongNumbers(text: string): Marker {
  const marker = new Marker(text);
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at + 1);
    else if (code === MINUS || isDigitOrPoint(code)) {
      const stop = endOfNumber(text, at + 1);
      const isShort = stop - at <= KEPT_DIGITS && !/e|^-0/i.test(text.slice(at, stop));
      if (!isShort) marker.add(at, stop);
      at = stop - 1;
    }
  }
  return marker;
}

/** The index of the quote that ends a JSON string. */
function endOfString(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}

/** A mark with which no string of the data begins, whether the text has the mark's characters as they are or as escapes. */
function markFor(text: string): string {
  if (!text.includes(MARK) && !text.includes('\\u0080')) return MARK;
  let longest = 0;
  for (const [row] of text.matchAll(/(?:\u0080|\\u0080)+/g))
    longest = Math.max(longest, row.replaceAll('\\u0080', MARK).length);
  return MARK.repeat(longest + 1);
}

function startOfNumber(text: string, from: number): number {
  let start = from;
  while (isPartOfNumber(text.charCodeAt(start - 1))) start -= 1;
  return start;
}

function endOfNumber(text: string, from: number): number {
  let end = from;
  while (isPartOfNumber(text.charCodeAt(end))) end += 1;
  return end;
}

/** Whether a character is a digit or a point, or the slash between them, whose exclusion would cost one more comparison. */
function isDigitOrPoint(code: number): boolean {
  return code >= 46 && code <= 57;
}

function areDigits(text: string, one: number, other: number): boolean {
  return isDigitOrPoint(text.charCodeAt(one)) && isDigitOrPoint(text.charCodeAt(other));
}

/** Whether a character can be part of a number: a digit, a point, a sign, or the `e` before an exponent. */
function isPartOfNumber(code: number): boolean {
  return (code >= 45 && code <= 57) || code === 43 || code === 101 || code === 69;
}

/** Whether a character may stand before a number: a colon, a comma, a bracket, white space, or nothing. */
function mayPrecede(code: number): boolean {
  return code === 58 || code === 44 || code === 91 || isBlankOrNothing(code);
}

/** Whether a character may stand after a number: a comma, a closing bracket or brace, white space, or nothing. */
function mayFollow(code: number): boolean {
  return code === 44 || code === 93 || code === 125 || isBlankOrNothing(code);
}

function isBlankOrNothing(code: number): boolean {
  return code <= 32 || Number.isNaN(code);
}
