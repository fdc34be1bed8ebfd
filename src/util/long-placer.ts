import { type Data, setMember } from './data-path.js';
import { isLong, LongNumber } from './long-number.js';

const QUOTE = 34;
const MINUS = 45;
const ZERO = 48;
const NINE = 57;
const COLON = 58;
/** A number as JSON writes it. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** Numbers closer to zero than this one lose digits. */
const SMALLEST = 2 ** -1022;
/** A JavaScript number with this many digits cannot be the rounded form of a number with fewer digits. */
const DISTINCT_DIGITS = 16;
const LARGEST_SAFE = String(Number.MAX_SAFE_INTEGER);
/** The characters that may follow the closing quote of a JSON string. */
const BEHIND_TEXT = ',:]} \t\n\r';

/**
 * Replaces the rounded numbers that `JSON.parse` has made by the long numbers of the text. This is the fast way: it visits the
 * parsed data, and expects the long numbers in the order of the text. It detects when that order does not hold, and when digits
 * that look like a number are part of a JSON string: `complete` is then false, and `placeLongNumbers()` has to do it.
 */
export class LongPlacer {
  /** Whether the text has digits of a long number; they may be part of a JSON string. */
  readonly long: boolean;
  /** Whether a visited number is zero, infinite or close to zero, so that the text may write it with a long exponent. */
  extreme: boolean = false;
  /** Whether a negative zero was visited, which `JSON.stringify` writes without its sign. */
  negativeZero: boolean = false;
  /** Whether each visited number certainly belongs to the digits that it was matched with. */
  private certain = true;
  /** The numbers of more than 15 digits, joined without separators. */
  private readonly digits: string;
  /** The end of the expected number in `digits`, and the index in `runs` at which the search for the next one continues. */
  private digitsUsed = 0;
  private nextRun = 0;
  /** The digits of the number that is expected next; '' if none is expected. */
  private wanted = '';
  /** The number that `JSON.parse` makes of `wanted`; NaN for an integer, which is recognised because it is not a safe integer. */
  private wantedValue: number = Number.NaN;
  /** The start of `wanted` in the text. */
  private wantedStart = 0;
  /** The last member name for which {@link isProving} was true. */
  private provingName: string | undefined = undefined;

  /** @param runs The places in the text where numbers of more than 15 digits may stand, as pairs of start and end. */
  constructor(
    private readonly text: string,
    private readonly runs: readonly number[],
    private readonly maxDepth: number,
  ) {
    this.long = hasLong(text, runs);
    this.digits = this.long ? joinNumbers(text, runs) : '';
    this.advance();
  }

  /** Whether there was no long number to place, or each was placed with certainty. */
  get complete(): boolean {
    return !this.long || (this.certain && this.wanted === '');
  }

  /** Visits the members of an array or object, which is at depth `level`. Returns false if the data is nested too deeply. */
  visit(container: unknown[] | Data, level: number): boolean {
    if (level > this.maxDepth) return false;
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
      // JavaScript lists members with numeric names first, wherever the text has them, so the order of the text does not hold.
      if (first && startsWithDigit(name)) this.certain = false;
      first = false;
      if (typeof member === 'number') this.visitNumber(container, name, member);
      else if (typeof member === 'object' && member !== null && Object.hasOwn(container, name)) {
        if (!this.visit(member as Data, level + 1)) return false;
      }
    }
    return true;
  }

  /** Moves on to the next number that can be recognised in the data: by its value, or because it is not a safe integer. */
  private advance(): void {
    const { digits: all, runs } = this;
    this.wanted = '';
    this.wantedValue = Number.NaN;
    while (this.long && this.wanted === '' && this.nextRun < runs.length) {
      const from = this.digitsUsed;
      this.wantedStart = runs[this.nextRun] as number;
      this.digitsUsed += (runs[this.nextRun + 1] as number) - this.wantedStart;
      this.nextRun += 2;
      const digits = all.slice(from, this.digitsUsed);
      if (isInteger(digits)) {
        if (!isSafe(digits)) this.wanted = digits;
      } else if (NUMBER.test(digits)) this.want(digits, Number(digits));
    }
  }

  private want(digits: string, value: number): void {
    if (isDistinct(value)) {
      this.wanted = digits;
      this.wantedValue = value;
      // A shorter number may have the same value, so that a match would prove nothing.
    } else if (isLong(digits)) this.certain = false;
  }

  private visitNumber(container: object, name: string | number, value: number): void {
    const size = Math.abs(value);
    const unsafe = size > Number.MAX_SAFE_INTEGER;
    if (this.long && (unsafe || value === this.wantedValue)) this.place(container, name, value, unsafe);
    if (size >= SMALLEST && size <= Number.MAX_VALUE) return;
    this.extreme = true;
    if (Object.is(value, -0)) this.negativeZero = true;
  }

  private place(container: object, name: string | number, value: number, unsafe: boolean): void {
    const { wanted } = this;
    const isWhole = unsafe && wanted !== '' && Number.isNaN(this.wantedValue);
    // An unsafe number that is not the expected one was written in few characters, with an exponent: the order is then uncertain.
    if (isWhole ? !this.isNumberOf(name, value) : value !== this.wantedValue) this.certain = false;
    if (isWhole || (wanted !== '' && isLong(wanted))) setMember(container, name, new LongNumber(wanted));
    this.advance();
  }

  /** Whether the expected integer certainly is a number of the text, not a part of a JSON string, and has this value. */
  private isNumberOf(name: string | number, value: number): boolean {
    if (typeof name === 'string' && (name === this.provingName || isProving(name))) {
      this.provingName = name;
      if (isBehindName(this.text, this.wantedStart, name)) return true;
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
 * Copies the long numbers into a new text. V8 keeps the whole parsed text in memory while any number that was cut out of it is used,
 * and the parsed text is many times as long as its long numbers.
 */
function joinNumbers(text: string, runs: readonly number[]): string {
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

/** Whether a number is written as an integer: digits without a leading zero, a point or an exponent. */
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

/**
 * Whether an integer of more than 15 digits is a safe integer. Comparing texts of equal length is faster than converting them.
 */
function isSafe(digits: string): boolean {
  const size = digits.startsWith('-') ? digits.slice(1) : digits;
  return size.length === LARGEST_SAFE.length && size <= LARGEST_SAFE;
}

/** Whether a value has so many significant digits that no shorter number has the same value. */
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
 * Whether digits that follow `"name":` in a JSON text are certainly a number. They are, if the two quotes enclose the name. The
 * quotes could also end one JSON string and begin the next one, but then the text between them would begin with a comma, a colon,
 * a bracket or white space.
 */
function isProving(name: string): boolean {
  return name !== '' && !name.endsWith('\\') && !BEHIND_TEXT.includes(name.charAt(0));
}

/** Whether the name of a member, in quotes and with a colon, stands directly before `start`. */
function isBehindName(text: string, start: number, name: string): boolean {
  const colon = beforeBlanks(text, start);
  if (text.charCodeAt(colon) !== COLON) return false;
  const quote = beforeBlanks(text, colon);
  const begin = quote - name.length;
  if (text.charCodeAt(quote) !== QUOTE || text.charCodeAt(begin - 1) !== QUOTE) return false;
  // For short names, this loop is several times faster than `startsWith`.
  for (let at = 0; at < name.length; at += 1) if (text.charCodeAt(begin + at) !== name.charCodeAt(at)) return false;
  return true;
}

/** The index of the last character before `from` that is not white space. */
function beforeBlanks(text: string, from: number): number {
  let at = from - 1;
  while (at > 0 && text.charCodeAt(at) <= 32) at -= 1;
  return at;
}
