/** A number as JSON writes it. */
const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
/** A number that JSON allows. */
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** An integer with as many digits as the largest safe one, or with more. */
const LARGE_INTEGER = /^-?([1-9]\d{15,})$/;
const LARGEST_SAFE = String(Number.MAX_SAFE_INTEGER);

/**
 * A number that JavaScript cannot hold, with the digits that the server sent: `9007199254740993`, `1e400`, `0.1234567890123456789`. Only
 * raw rows contain long numbers: fields of numbers and `toJSON()` give the nearest JavaScript number, and request bodies send the digits.
 * A calculation uses the nearest number, a text the digits.
 *
 * It is in the row that `mapping` functions, `serialize`, the `transform` of readers and writers, and `onRows` get. Two ids that differ
 * only in such digits name two records; a JavaScript number beyond the safe integers is refused as an id, because its digits are lost.
 *
 * @example
 * ```ts
 * const size = new LongNumber('9007199254740993');
 * `${size}`; // '9007199254740993'
 * size.valueOf(); // 9007199254740992, the nearest JavaScript number
 * ```
 */
export class LongNumber {
  /** @param digits The number as JSON writes it. */
  constructor(readonly digits: string) {}

  /** The nearest JavaScript number. */
  valueOf(): number {
    return Number(this.digits);
  }

  /** The digits. */
  toString(): string {
    return this.digits;
  }

  /** The nearest JavaScript number, which `JSON.stringify` writes. */
  toJSON(): number {
    return Number(this.digits);
  }
}

/** Whether a value is a number, also one that JavaScript cannot hold. */
export function isNumeric(value: unknown): value is number | LongNumber {
  return typeof value === 'number' || value instanceof LongNumber;
}

/** Whether JavaScript rounds a number, and so would write it with another value. */
export function isRounded(digits: string): boolean {
  const written = String(Number(digits));
  // Most numbers are written exactly as they were received, which spares the slower comparison.
  return written !== digits && canonical(written) !== canonical(digits);
}

/**
 * Whether a number must be kept with its digits: JavaScript rounds it, or drops its sign (-0), or it is an integer beyond
 * `Number.MAX_SAFE_INTEGER`, to which several integers are rounded. False for a text that JSON does not allow as a number.
 */
export function isLong(digits: string): boolean {
  // Comparing texts is faster than converting them.
  const [, whole] = LARGE_INTEGER.exec(digits) ?? [];
  if (whole) return whole.length > LARGEST_SAFE.length || whole > LARGEST_SAFE;
  return JSON_NUMBER.test(digits) && (Object.is(Number(digits), -0) || isRounded(digits));
}

/**
 * Converts digits of any length to a number. Digits that JSON does not allow, such as `+07`, are first written as JSON requires.
 */
export function numberOf(digits: string): number | LongNumber {
  const json = digits.replace(/^\+/, '').replace(/^(-?)0+(?=\d)/, '$1');
  return isLong(json) ? new LongNumber(json) : Number(json);
}

/** Whether two values are the same number, digit by digit. */
export function isSameNumber(a: unknown, b: unknown): boolean {
  return isNumeric(a) && isNumeric(b) && numberKey(a) === numberKey(b);
}

/** The same text for numbers that are the same digit by digit. */
export function numberKey(value: number | LongNumber): string {
  return canonical(String(value));
}

/** The same text for every way of writing a number; the given text if it is not a number. */
function canonical(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = NUMBER.exec(text) ?? [];
  // A longer exponent could not be calculated with exactly.
  if (whole === '' || exponent.length > 15) return text;
  const digits = whole + fraction;
  let start = 0;
  while (digits[start] === '0') start += 1;
  if (start === digits.length) return '0';
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return `${sign}0.${digits.slice(start, end)}e${Number(exponent) + whole.length - start}`;
}
