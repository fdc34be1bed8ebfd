import { type Data, type DataPath, readPath } from '../util/data-path.js';

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

const ISO_DATE = /^[+-]?\d{4,6}-\d\d(-\d\d([T ]\d\d:\d\d(:\d\d([.,]\d+)?)?(Z|[+-]\d\d(:?\d\d)?)?)?)?$/;

const anything: TypeHandler = { is: () => true, read: (raw) => raw };

/** The plain field types. What fits is kept as it is; only what cannot be mistaken is converted. */
export const plainTypes: Readonly<Record<string, TypeHandler>> = {
  auto: anything,
  json: anything,
  string: {
    is: (value) => typeof value === 'string',
    read: (raw) => (typeof raw !== 'object' ? String(raw) : INVALID),
  },
  int: {
    is: Number.isInteger,
    read: (raw) => (typeof raw === 'string' && /^[+-]?\d+$/.test(raw) && Number.isSafeInteger(+raw) ? +raw : INVALID),
  },
  number: {
    is: Number.isFinite,
    read: (raw) => (typeof raw === 'string' && raw.trim() && Number.isFinite(+raw) ? +raw : INVALID),
  },
  boolean: {
    is: (value) => typeof value === 'boolean',
    read: (raw) =>
      [1, '1', 'true'].includes(raw as 1) ? true : [0, '0', 'false'].includes(raw as 0) ? false : INVALID,
  },
  date: {
    is: isDate,
    read: (raw) => {
      const date = new Date(
        typeof raw === 'string' && ISO_DATE.test(raw)
          ? raw.replace(',', '.')
          : typeof raw === 'number'
            ? raw
            : Number.NaN,
      );
      return isDate(date) ? date : INVALID;
    },
    write: (value, raw) => (isDate(value) ? (typeof raw === 'number' ? value.getTime() : value.toISOString()) : value),
  },
};

/** Whether a value is a date that there is. */
export function isDate(value: unknown): value is Date {
  return value instanceof Date && !Number.isNaN(value.getTime());
}

/** A function that reads one member of a row, or the value at a path. */
export function rowReader(path: DataPath): (row: Readonly<Data>) => unknown {
  const name = path[0] as string;
  // Names that every object answers to must be looked up as own members; the rest may take the short way.
  if (path.length === 1 && !(name in Object.prototype)) return (row) => row[name];
  return (row) => readPath(row, path);
}
