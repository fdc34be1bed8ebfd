import type { Data, DataPath } from '../util/data-path.js';
import { readPath } from '../util/data-path.js';

/** Stands for «this cannot be such a value». */
export const INVALID: unique symbol = Symbol('invalid');

/** How a field type reads and writes. */
export interface TypeHandler {
  /** Whether something is such a value already. */
  is(value: unknown): boolean;
  /** What was received, as a value; INVALID where it cannot be one. */
  read(raw: unknown): unknown;
  /** A value as JSON carries it; `raw` is what the row holds now. */
  write?(value: unknown, raw: unknown): unknown;
  /** The order of two values, where `<` would not do. */
  compare?(a: never, b: never): number;
}

const ISO_DATE = /^[+-]?\d{4,6}-\d\d(?:-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d(?::?\d\d)?)?)?)?$/;
const DECIMAL = /^[+-]?\d+(?:\.\d+)?$/;

/** The built-in field types. What fits is kept as it is; only what cannot be mistaken is converted. */
export const fieldTypes: Readonly<Record<string, TypeHandler>> = {
  auto: { is: () => true, read: (raw) => raw },
  json: { is: () => true, read: (raw) => raw },
  string: {
    is: (value) => typeof value === 'string',
    read: (raw) => (['number', 'boolean', 'bigint'].includes(typeof raw) ? String(raw) : INVALID),
  },
  int: {
    is: (value) => Number.isInteger(value),
    read: (raw) => (typeof raw === 'string' && /^[+-]?\d+$/.test(raw) ? safe(raw) : INVALID),
  },
  number: {
    is: (value) => typeof value === 'number' && !Number.isNaN(value),
    read: (raw) => (typeof raw === 'string' && raw.trim() !== '' && !Number.isNaN(Number(raw)) ? Number(raw) : INVALID),
  },
  boolean: {
    is: (value) => typeof value === 'boolean',
    read: (raw) =>
      raw === 1 || raw === '1' || raw === 'true' ? true : raw === 0 || raw === '0' || raw === 'false' ? false : INVALID,
  },
  date: {
    is: (value) => value instanceof Date && !Number.isNaN(value.getTime()),
    read: (raw) => {
      const time =
        typeof raw === 'number'
          ? raw
          : typeof raw === 'string' && ISO_DATE.test(raw)
            ? Date.parse(raw.replace(',', '.'))
            : Number.NaN;
      const date = new Date(time);
      return Number.isNaN(date.getTime()) ? INVALID : date;
    },
    write: (value, raw) =>
      value instanceof Date && !Number.isNaN(value.getTime())
        ? typeof raw === 'number'
          ? value.getTime()
          : value.toISOString()
        : value,
  },
  dateonly: { is: (value) => typeof value === 'string' && isDay(value), read: () => INVALID },
  decimal: {
    is: (value) => typeof value === 'string' && DECIMAL.test(value),
    read: (raw) => (typeof raw === 'number' && DECIMAL.test(String(raw)) ? String(raw) : INVALID),
    write: (value, raw) => (typeof raw === 'number' && String(Number(value)) === value ? Number(value) : value),
    compare: compareDecimals,
  },
  bigint: {
    is: (value) => typeof value === 'bigint',
    read: (raw) =>
      Number.isSafeInteger(raw) || (typeof raw === 'string' && /^-?\d+$/.test(raw)) ? BigInt(raw as string) : INVALID,
    write: (value, raw) =>
      typeof raw === 'number' && Number.isSafeInteger(Number(value)) ? Number(value) : String(value),
  },
};

/** A whole number whose digits all fit. */
function safe(text: string): unknown {
  return Number.isSafeInteger(Number(text)) ? Number(text) : INVALID;
}

/** Whether a text is a day that the calendar has. */
function isDay(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? [];
  if (!year) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.getUTCMonth() + 1 === Number(month) && date.getUTCDate() === Number(day);
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

/** A function that reads one member of a row, or the value at a path. */
export function rowReader(path: DataPath): (row: Data) => unknown {
  const name = path[0] as string;
  // Names that every object answers to must be looked up as own members; the rest may take the short way.
  if (path.length === 1 && !(name in Object.prototype)) return (row) => row[name];
  return (row) => readPath(row, path);
}
