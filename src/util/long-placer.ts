import { type Data, setMember } from './data-path.js';
import { copyOf, isLong, LongNumber } from './long-number.js';

/** A number as JSON writes it. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** A whole number, written as one. */
const INTEGER = /^-?[1-9]\d*$/;
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
  /** The numbers of more than 15 digits, in the order of the text; undefined for one that JavaScript holds. */
  private readonly literals: (LongNumber | undefined)[] = [];
  /** What `JSON.parse` makes of them; NaN for whole numbers, which are known by being unsafe. */
  private readonly values: number[] = [];
  /** Where they start. */
  private readonly starts: number[] = [];
  /** Whether it is certain which number is which. */
  private certain = true;
  /** Which of them comes next. */
  private next = 0;

  /** @param runs Where numbers of more than 15 digits may stand, as pairs of a start and an end. */
  constructor(
    private readonly text: string,
    runs: readonly number[],
    private readonly mostLevels: number,
  ) {
    this.long = hasLong(text, runs);
    if (this.long) for (let at = 0; at < runs.length; at += 2) this.add(runs[at] as number, runs[at + 1] as number);
  }

  /** Whether there was nothing to place, or each long number has its place. */
  get complete(): boolean {
    return !this.long || (this.certain && this.next === this.literals.length);
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

  private add(start: number, end: number): void {
    const digits = copyOf(this.text.slice(start, end));
    if (INTEGER.test(digits)) {
      if (isSafe(digits)) return;
      this.literals.push(new LongNumber(digits));
      this.values.push(Number.NaN);
    } else {
      if (!NUMBER.test(digits)) return;
      const value = Number(digits);
      const long = isLong(digits);
      if (!isDistinct(value)) {
        // A shorter number may have the same value.
        if (long) this.certain = false;
        return;
      }
      this.literals.push(long ? new LongNumber(digits) : undefined);
      this.values.push(value);
    }
    this.starts.push(start);
  }

  private visitNumber(container: object, name: string | number, value: number): void {
    const size = Math.abs(value);
    const unsafe = size > Number.MAX_SAFE_INTEGER;
    if (this.long && (unsafe || value === this.values[this.next])) this.place(container, name, value, unsafe);
    if (size >= SMALLEST && size <= Number.MAX_VALUE) return;
    this.extreme = true;
    if (Object.is(value, -0)) this.negativeZero = true;
  }

  private place(container: object, name: string | number, value: number, unsafe: boolean): void {
    const { next } = this;
    const wanted = this.values[next];
    const literal = this.literals[next];
    const isInteger = unsafe && literal !== undefined && Number.isNaN(wanted);
    // Each unsafe number stands in the list, unless it is short and has an exponent.
    if (!isInteger && value !== wanted) this.certain = false;
    else if (isInteger && !this.isNumberOf(name, value, literal)) this.certain = false;
    if (literal) setMember(container, name, literal);
    this.next += 1;
  }

  /** Whether the whole number that comes next is certain to be a number, and not part of a text, and to have this value. */
  private isNumberOf(name: string | number, value: number, { digits }: LongNumber): boolean {
    if (typeof name === 'string' && isBehindName(this.text, this.starts[this.next] as number, name)) return true;
    return Number(digits) === value && isDistinct(value);
  }
}

function hasLong(text: string, runs: readonly number[]): boolean {
  for (let at = 0; at < runs.length; at += 2) {
    const digits = text.slice(runs[at], runs[at + 1]);
    if (isLong(digits) && NUMBER.test(digits)) return true;
  }
  return false;
}

function startsWithDigit(name: string): boolean {
  const code = name.charCodeAt(0);
  return code >= 48 && code <= 57;
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
 * Whether a place in a text stands behind the name of a member. The quote at the end of the name ends a text: what begins as the
 * name does cannot stand between two texts.
 */
function isBehindName(text: string, start: number, name: string): boolean {
  const colon = beforeBlanks(text, start);
  if (text[colon] !== ':' || name === '' || name.endsWith('\\') || BEHIND_TEXT.includes(name.charAt(0))) return false;
  const quote = beforeBlanks(text, colon);
  const begin = quote - name.length;
  return text[quote] === '"' && text[begin - 1] === '"' && text.startsWith(name, begin);
}

/** The place of the character before another, without the blanks between. */
function beforeBlanks(text: string, from: number): number {
  let at = from - 1;
  while (at > 0 && text.charCodeAt(at) <= 32) at -= 1;
  return at;
}
