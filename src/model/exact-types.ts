import { isNumeric, numberOf } from '../util/long-number.js';
import type { TypeHandler } from './field-types.js';

const DECIMAL = /^[+-]?\d+(?:\.\d+)?$/;

/** Field types that keep every digit: days, decimals, whole numbers of any length. */
export const exactTypes: Readonly<Record<string, TypeHandler>> = {
  dateonly: { is: (value) => typeof value === 'string' && isDay(value), read: () => undefined },
  decimal: {
    is: isDecimal,
    read: (raw) => (typeof raw === 'number' && DECIMAL.test(String(raw)) ? String(raw) : undefined),
    keepsDigits: true,
    readLong: ({ digits }) => (DECIMAL.test(digits) ? digits : undefined),
    write: (value, raw) => (isNumeric(raw) && isDecimal(value) ? numberOf(value) : value),
    compare: compareDecimals,
  },
  bigint: {
    is: (value) => typeof value === 'bigint',
    read: (raw) =>
      Number.isSafeInteger(raw) || (typeof raw === 'string' && /^-?\d+$/.test(raw)) ? BigInt(raw as string) : undefined,
    keepsDigits: true,
    readLong: ({ digits }) => (/^-?\d+$/.test(digits) ? BigInt(digits) : undefined),
    write: (value, raw) => {
      if (typeof value !== 'bigint') return value;
      return isNumeric(raw) ? numberOf(String(value)) : String(value);
    },
  },
};

/** Whether a value is a text of decimal digits. */
export function isDecimal(value: unknown): value is string {
  return typeof value === 'string' && DECIMAL.test(value);
}

/** Whether a text is a day that the calendar has. */
function isDay(text: string): boolean {
  const [, month, day] = /^\d{4}-(\d\d)-(\d\d)$/.exec(text) ?? [];
  const date = new Date(`${text}T00:00:00Z`);
  return month !== undefined && date.getUTCMonth() + 1 === Number(month) && date.getUTCDate() === Number(day);
}

/** Exact order of decimal digits of any length. */
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
