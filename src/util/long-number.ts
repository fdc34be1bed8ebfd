/** A number as JSON writes it. */
const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * A number that JavaScript cannot hold, as the server wrote it: `9007199254740993`, `1e400`, `0.1234567890123456789`. It stands in
 * raw rows only; fields and `toJSON()` give the number that is nearest to it, and bodies carry its digits. In calculations it is
 * that nearest number, in texts it is its digits.
 */
export class LongNumber {
  /** @param digits The number as JSON writes it. */
  constructor(readonly digits: string) {}

  /** The nearest number of JavaScript's. */
  valueOf(): number {
    return Number(this.digits);
  }

  /** The digits. */
  toString(): string {
    return this.digits;
  }

  /** What `JSON.stringify` writes: the nearest number. */
  toJSON(): number {
    return Number(this.digits);
  }
}

/** Whether a value came as a number. */
export function isNumeric(value: unknown): value is number | LongNumber {
  return typeof value === 'number' || value instanceof LongNumber;
}

/** Whether JavaScript writes a number as another one than it is. */
export function isRounded(digits: string): boolean {
  const written = String(Number(digits));
  // Most numbers are written as they came.
  return written !== digits && canonical(written) !== canonical(digits);
}

/**
 * Whether a number needs its digits: where JavaScript rounds it, or writes it without its sign (-0), and where it is a whole
 * number beyond the safe integers, which could be the rounded form of several.
 */
export function isLong(digits: string): boolean {
  const value = Number(digits);
  if (Number.isInteger(value) && !Number.isSafeInteger(value) && /^-?\d+$/.test(digits)) return true;
  return Object.is(value, -0) || isRounded(digits);
}

/** The number that a text of digits is, whatever its length; digits that are no JSON, such as `+07`, are written as JSON does. */
export function numberOf(digits: string): number | LongNumber {
  const json = digits.replace(/^\+/, '').replace(/^(-?)0+(?=\d)/, '$1');
  return isLong(json) ? new LongNumber(json) : Number(json);
}

/** Digits that were cut out of a text, without that text: engines keep all of it in memory for the sake of a piece. */
export function copyOf(digits: string): string {
  return ` ${digits}`.slice(1);
}

/** Whether two numbers are the same, digit by digit. */
export function isSameNumber(a: unknown, b: unknown): boolean {
  return isNumeric(a) && isNumeric(b) && canonical(String(a)) === canonical(String(b));
}

/** The same text for all ways in which a number can be written; the text itself where it is no number. */
function canonical(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = NUMBER.exec(text) ?? [];
  // An exponent of so many digits is no number that anybody calculates with.
  if (whole === '' || exponent.length > 15) return text;
  const digits = whole + fraction;
  let start = 0;
  while (digits[start] === '0') start += 1;
  if (start === digits.length) return '0';
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return `${sign}0.${digits.slice(start, end)}e${Number(exponent) + whole.length - start}`;
}
