import { type Data, setMember } from './data-path.js';
import { isLong, LongNumber } from './long-number.js';

const QUOTE = 34;
const MINUS = 45;
const ZERO = 48;
const NINE = 57;
const COLON = 58;
/** A number as JSON writes it. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** Numbers that are nearer to zero lose digits. */
const SMALLEST = 2 ** -1022;
/** No other number has the nearest number of one with so many digits, unless it has as many. */
const DISTINCT_DIGITS = 16;
const LARGEST_SAFE = String(Number.MAX_SAFE_INTEGER);
/** What may stand behind a text that has ended. */
const BEHIND_TEXT = ',:]} \t\n\r';

/**
 * Puts long numbers in the place of the rounded ones that `JSON.parse` made of them: the quick way, which visits the data and
 * takes the long numbers in the order of the text. It notices where that order does not hold, and where what looked like a number
 * was part of a text.
 */
export class LongPlacer {
  /** Whether any number is long. */
  readonly long: boolean;
  /** Whether a number was visited that may have been written with a long exponent: zero, infinite, or close to zero. */
  extreme: boolean = false;
  /** Whether a negative zero was visited, which `JSON.stringify` writes without its sign. */
  negativeZero: boolean = false;
  /** Whether it is certain which number is which. */
  private certain = true;
  /** The numbers of more than 15 digits, one behind the other. */
  private readonly digits: string;
  /** Where the next number ends in `digits`, and its place among the runs. */
  private end = 0;
  private run = 0;
  /** The number that comes next as JSON writes it; '': none does. */
  private wanted = '';
  /** What `JSON.parse` makes of it; NaN for a whole number, which is known by being unsafe. */
  private value: number = Number.NaN;
  /** Where it starts in the text. */
  private start = 0;
  /** The name that was last found to be fit for proving that a number stands behind it. */
  private provingName: string | undefined = undefined;

  /** @param runs Where numbers of more than 15 digits may stand, as pairs of a start and an end. */
  constructor(
    private readonly text: string,
    private readonly runs: readonly number[],
    private readonly mostLevels: number,
  ) {
    this.long = hasLong(text, runs);
    this.digits = this.long ? digitsOf(text, runs) : '';
    this.advance();
  }

  /** Whether there was nothing to place, or each long number has its place. */
  get complete(): boolean {
    return !this.long || (this.certain && this.wanted === '');
  }

  /** Visits what a list or object holds; false where that is nested too deeply. `level` is its own. */
  visit(container: unknown[] | Data, level: number): boolean {
    if (level > this.mostLevels) return false;
    if (Array.isArray(container)) {
      for (let at = 0; at < container.length; at += 1) {
        const item = container[at];
        if (typeof item === 'number') this.visitNumber(container, at, item);
        else if (typeof item === 'object' && item !== null && !this.visit(item as Data, level + 1)) return false;
      }
      return true;
    }
    let first = true;
    for (const name in container) {
      const member = container[name];
      // Names that are numbers come first in an object, wherever they stand in the text.
      if (first && startsWithDigit(name)) this.certain = false;
      first = false;
      if (typeof member === 'number') this.visitNumber(container, name, member);
      else if (typeof member === 'object' && member !== null && Object.hasOwn(container, name)) {
        if (!this.visit(member as Data, level + 1)) return false;
      }
    }
    return true;
  }

  /** Goes on to the next number that is told apart from all others by its value, or by being unsafe. */
  private advance(): void {
    const { digits: all, runs } = this;
    this.wanted = '';
    this.value = Number.NaN;
    while (this.long && this.wanted === '' && this.run < runs.length) {
      const from = this.end;
      this.start = runs[this.run] as number;
      this.end += (runs[this.run + 1] as number) - this.start;
      this.run += 2;
      const digits = all.slice(from, this.end);
      if (isInteger(digits)) {
        if (!isSafe(digits)) this.wanted = digits;
      } else if (NUMBER.test(digits)) this.want(digits, Number(digits));
    }
  }

  private want(digits: string, value: number): void {
    if (isDistinct(value)) {
      this.wanted = digits;
      this.value = value;
      // A shorter number may have the same value.
    } else if (isLong(digits)) this.certain = false;
  }

  private visitNumber(container: object, name: string | number, value: number): void {
    const size = Math.abs(value);
    const unsafe = size > Number.MAX_SAFE_INTEGER;
    if (this.long && (unsafe || value === this.value)) this.place(container, name, value, unsafe);
    if (size >= SMALLEST && size <= Number.MAX_VALUE) return;
    this.extreme = true;
    if (Object.is(value, -0)) this.negativeZero = true;
  }

  private place(container: object, name: string | number, value: number, unsafe: boolean): void {
    const { wanted } = this;
    const isWhole = unsafe && wanted !== '' && Number.isNaN(this.value);
    // Each unsafe number is among the runs, unless it is short and has an exponent.
    if (isWhole ? !this.isNumberOf(name, value) : value !== this.value) this.certain = false;
    if (isWhole || (wanted !== '' && isLong(wanted))) setMember(container, name, new LongNumber(wanted));
    this.advance();
  }

  /** Whether the whole number that comes next is certain to be a number, and not part of a text, and to have this value. */
  private isNumberOf(name: string | number, value: number): boolean {
    if (typeof name === 'string' && (name === this.provingName || isProving(name))) {
      this.provingName = name;
      if (isBehindName(this.text, this.start, name)) return true;
    }
    return Number(this.wanted) === value && isDistinct(value);
  }
}

function hasLong(text: string, runs: readonly number[]): boolean {
  for (let at = 0; at < runs.length; at += 2) {
    const digits = text.slice(runs[at], runs[at + 1]);
    if (isLong(digits) && NUMBER.test(digits)) return true;
  }
  return false;
}

/**
 * All of the numbers, one behind the other, as a text of their own: engines keep a text in memory for as long as any piece that
 * was cut out of it, and the text that was parsed is many times as long.
 */
function digitsOf(text: string, runs: readonly number[]): string {
  let length = 0;
  for (let at = 0; at < runs.length; at += 2) length += (runs[at + 1] as number) - (runs[at] as number);
  const bytes = new Uint8Array(length);
  let next = 0;
  for (let at = 0; at < runs.length; at += 2) {
    const end = runs[at + 1] as number;
    for (let place = runs[at] as number; place < end; place += 1) {
      bytes[next] = text.charCodeAt(place);
      next += 1;
    }
  }
  return new TextDecoder().decode(bytes);
}

/** Whether a number is whole and written as one. */
function isInteger(digits: string): boolean {
  const first = digits.charCodeAt(0) === MINUS ? 1 : 0;
  if (digits.charCodeAt(first) === ZERO) return false;
  for (let at = first; at < digits.length; at += 1) {
    const code = digits.charCodeAt(at);
    if (code < ZERO || code > NINE) return false;
  }
  return true;
}

function startsWithDigit(name: string): boolean {
  const code = name.charCodeAt(0);
  return code >= ZERO && code <= NINE;
}

/** Whether a whole number of more than 15 digits is a safe integer. As texts of one length they are compared faster. */
function isSafe(digits: string): boolean {
  const size = digits.startsWith('-') ? digits.slice(1) : digits;
  return size.length === LARGEST_SAFE.length && size <= LARGEST_SAFE;
}

/** Whether a number has so many digits that no shorter number has the same value; zeros at its ends do not count. */
function isDistinct(value: number): boolean {
  const written = String(value);
  let digits = 0;
  let zeros = 0;
  for (let at = 0; at < written.length && written[at] !== 'e'; at += 1) {
    const digit = written.charCodeAt(at) - 48;
    if (digit === 0 && digits > 0) zeros += 1;
    if (digit >= 1 && digit <= 9) {
      digits += zeros + 1;
      zeros = 0;
    }
  }
  return digits >= DISTINCT_DIGITS;
}

/**
 * Whether a number that stands behind such a name, its quotes and a colon is certain to be a number: the quote at the end of the
 * name ends a text, because what begins as the name does cannot stand between two texts.
 */
function isProving(name: string): boolean {
  return name !== '' && !name.endsWith('\\') && !BEHIND_TEXT.includes(name.charAt(0));
}

/** Whether the name of a member, with its quotes and a colon, stands before a place in a text. */
function isBehindName(text: string, start: number, name: string): boolean {
  const colon = beforeBlanks(text, start);
  if (text.charCodeAt(colon) !== COLON) return false;
  const quote = beforeBlanks(text, colon);
  const begin = quote - name.length;
  if (text.charCodeAt(quote) !== QUOTE || text.charCodeAt(begin - 1) !== QUOTE) return false;
  // For short names several times as fast as `startsWith`.
  for (let at = 0; at < name.length; at += 1) if (text.charCodeAt(begin + at) !== name.charCodeAt(at)) return false;
  return true;
}

/** The place of the character before another, without the blanks between. */
function beforeBlanks(text: string, from: number): number {
  let at = from - 1;
  while (at > 0 && text.charCodeAt(at) <= 32) at -= 1;
  return at;
}
