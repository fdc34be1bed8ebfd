import { isDate } from './field-types.js';

/** Reads and writes dates in one form. */
export interface DateCodec {
  /** Reads a received value; undefined if it does not fit the format. */
  read(raw: unknown): Date | undefined;
  /** Writes a date; `raw` is the value as received, whose kind (number or text) is kept. */
  write(date: Date, raw?: unknown): unknown;
}

/** How the values of a field travel: `date` as a `Date`, `dateonly` as the text of a day. */
export interface FieldFormat {
  /** Reads a received value; undefined if it does not fit the format. */
  read(raw: unknown): unknown;
  /** Writes a value of the field. `raw` is the value as received. */
  write(value: unknown, raw?: unknown): unknown;
  /** Writes a value of a filter. */
  send(value: unknown): unknown;
  /** Whether the format holds all of a value. */
  keeps(value: unknown): boolean;
}

/** The format of a field of a type, by the codec that `codecOf` makes; a text that says what is wrong, if there is none. */
export function fieldFormatOf(type: unknown, codecOf: () => DateCodec | string): FieldFormat | string {
  if (type !== 'date' && type !== 'dateonly') return "is for the types 'date' and 'dateonly' only";
  const format = codecOf();
  if (typeof format === 'string') return format;
  if (type === 'date')
    return {
      read: format.read,
      write: (value, raw) => (isDate(value) ? format.write(value, raw) : value),
      send: (value) => (isDate(value) ? format.write(value) : value),
      keeps: (value) => isDate(value) && format.read(format.write(value))?.getTime() === value.getTime(),
    };
  const dayOf = (date: Date | undefined) => {
    const text = date?.toISOString() ?? '';
    return /^\d{4}-\d\d-\d\dT00:00:00\.000Z$/.test(text) ? text.slice(0, 10) : undefined;
  };
  const write = (value: unknown) => {
    const date = new Date(/^\d{4}-\d\d-\d\d$/.test(String(value)) ? `${String(value)}T00:00:00Z` : Number.NaN);
    return isDate(date) ? format.write(date) : value;
  };
  const read = (raw: unknown) => dayOf(format.read(raw));
  return { read, write, send: write, keeps: (value) => read(write(value)) === value };
}
