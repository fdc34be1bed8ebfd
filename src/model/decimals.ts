import { isRounded } from '../util/long-number.js';

/** Matches a text of decimal digits, with or without a sign. */
export const DECIMAL: RegExp = /^[+-]?\d+(?:\.\d+)?$/;

/** Matches a text of digits without a fraction, with or without a sign. */
export const WHOLE: RegExp = /^[+-]?\d+$/;

/**
 * The number that a text of decimal digits means; undefined for any other text, and for digits that a JavaScript number does not hold,
 * because they would become another number.
 */
export function numberOfText(text: string): number | undefined {
  if (!DECIMAL.test(text) || isRounded(text.replace('+', ''))) return undefined;
  // `+ 0` makes 0 of -0, which JSON writes as 0.
  return Number(text) + 0;
}

/** Whether a value is a text of decimal digits. */
export function isDecimal(value: unknown): value is string {
  return typeof value === 'string' && DECIMAL.test(value);
}

/** Compares decimal digits of any length exactly. */
export function compareDecimals(a: string, b: string): number {
  const [x, y] = [digits(a), digits(b)];
  if (x.sign !== y.sign) return x.sign - y.sign;
  const [int, fraction] = [Math.max(x.int.length, y.int.length), Math.max(x.fraction.length, y.fraction.length)];
  const [left, right] = [x, y].map((each) => each.int.padStart(int, '0') + each.fraction.padEnd(fraction, '0')) as [
    string,
    string,
  ];
  return left === right ? 0 : left < right ? -x.sign : x.sign;
}

function digits(text: string): { sign: number; int: string; fraction: string } {
  const [int = '', fraction = ''] = String(text).replace(/^[+-]/, '').split('.');
  const zero = /^0*$/.test(int + fraction);
  return { sign: zero ? 0 : text.startsWith('-') ? -1 : 1, int, fraction };
}
