import { ignoreRejection } from '../util/ignore-rejection.js';
import { isNumeric, isRounded, type LongNumber } from '../util/long-number.js';
import type { StandardSchemaV1 } from '../util/standard-schema.js';
import { numberOfText, WHOLE } from './decimals.js';
import { timeOfInstant } from './instant.js';
import type { Finding } from './validators.js';

/** Why a field type refused a value; `path` leads to the place inside the value. */
export interface ValueRefusal extends Finding {
  readonly path?: readonly PropertyKey[];
}

/** A received value after it was read. If there are `findings`, the type has refused the value. */
export interface ParsedValue {
  readonly value: unknown;
  readonly findings?: readonly ValueRefusal[] | undefined;
}

/** How a field type reads and writes values. Only `parse` is called with null and undefined. */
export interface FieldTypeHandler {
  /**
   * The `typeof` of received values that records hand out unchanged, without calling `is`. `'date'` is for the built-in type only.
   * @default `is` is called for each value
   */
  readonly kind?: 'string' | 'number' | 'boolean' | 'date';
  /** Whether a value has this type. */
  is(value: unknown): boolean;
  /** Converts a received or set value that `is` refuses to a value of this type; undefined if that is impossible. */
  read(raw: unknown): unknown;
  /**
   * Converts a number that JavaScript cannot hold to a value of this type; undefined if that is impossible.
   * @default the nearest JavaScript number is read instead
   */
  readLong?(number: LongNumber): unknown;
  /** Whether values of this type keep every digit of a number that JavaScript cannot hold. @default false */
  readonly keepsDigits?: boolean;
  /** Reads received values instead of `is` and `read`, for types that convert every received value. */
  parse?(raw: unknown): ParsedValue;
  /** Converts a value to its form in JSON. `raw` is the field's raw value in the row now. @default the value itself */
  write?(value: unknown, raw: unknown): unknown;
  /** Compares two values for sorting. @default by `<` */
  compare?(a: never, b: never): number;
  /** The finding about a value that this type refuses. @default the code `type` */
  readonly refusal?: Finding;
}

const ISO_DATE = /^[+-]?\d{4,6}-\d\d(-\d\d([T ]\d\d:\d\d(:\d\d([.,]\d+)?)?(Z|[+-]\d\d(:?\d\d)?)?)?)?$/;

/** The type that accepts every value unchanged. */
export const anything: FieldTypeHandler = { is: () => true, read: (raw) => raw };

/** The plain field types. A value of the type stays unchanged; other values are converted only if their meaning is certain. */
export const plainTypes: Readonly<Record<string, FieldTypeHandler>> = {
  auto: anything,
  json: anything,
  string: {
    kind: 'string',
    is: (value) => typeof value === 'string',
    read: (raw) => (typeof raw !== 'object' ? String(raw) : undefined),
    keepsDigits: true,
    readLong: ({ digits }) => digits,
  },
  int: {
    kind: 'number',
    is: Number.isInteger,
    read: (raw) => {
      const number = typeof raw === 'string' && WHOLE.test(raw) ? numberOfText(raw) : undefined;
      return Number.isSafeInteger(number) ? number : undefined;
    },
    // A rounded integer is a different integer, so it is refused instead of used silently.
    readLong: ({ digits }) => (isRounded(digits) ? undefined : Number(digits)),
  },
  number: {
    kind: 'number',
    is: Number.isFinite,
    read: (raw) => (typeof raw === 'string' ? numberOfText(raw) : undefined),
  },
  boolean: {
    kind: 'boolean',
    is: (value) => typeof value === 'boolean',
    read: (raw) =>
      [1, '1', 'true'].includes(raw as 1) ? true : [0, '0', 'false'].includes(raw as 0) ? false : undefined,
  },
  date: {
    kind: 'date',
    is: isDate,
    read: (raw) => {
      const date = new Date(typeof raw === 'string' ? timeOf(raw) : typeof raw === 'number' ? raw : Number.NaN);
      return isDate(date) ? date : undefined;
    },
    write: (value, raw) => (isDate(value) && isNumeric(raw) ? value.getTime() : value),
  },
  dateonly: { is: (value) => typeof value === 'string' && isDay(value), read: () => undefined },
};

/** Whether a text is a day that exists in the calendar. */
function isDay(text: string): boolean {
  const [, month, day] = /^\d{4}-(\d\d)-(\d\d)$/.exec(text) ?? [];
  const date = new Date(`${text}T00:00:00Z`);
  return month !== undefined && date.getUTCMonth() + 1 === Number(month) && date.getUTCDate() === Number(day);
}

/** The time of a text in milliseconds since 1970; NaN if the text has no certain meaning as a date. */
export function timeOf(text: string): number {
  const time = timeOfInstant(text);
  if (!Number.isNaN(time) || !ISO_DATE.test(text)) return time;
  const [day, last] = /^\d{4}-\d\d-(29|3.)/.exec(text) ?? [];
  // `Date.parse` would read 30 February as a day in March.
  if (day && new Date(day).getUTCDate() !== Number(last)) return time;
  return Date.parse(text.includes(',') ? text.replace(',', '.') : text);
}

/** The field type of an enum: one of a list of values. The text of a number, such as that of a select box, is read as that number. */
export function enumType(values: readonly unknown[]): FieldTypeHandler {
  const known = new Set(values);
  return {
    is: (value) => known.has(value),
    read: (raw) => (typeof raw === 'object' ? undefined : values.find((value) => String(value) === String(raw))),
    refusal: { code: 'inclusion', params: { list: values } },
  };
}

/** The field type of a schema. */
export function schemaType(schema: StandardSchemaV1): FieldTypeHandler {
  return {
    ...anything,
    parse(raw) {
      const result = schema['~standard'].validate(raw);
      if (result instanceof Promise) {
        ignoreRejection(result);
        return { value: raw, findings: [{ code: 'schema-async' }] };
      }
      if (!result.issues) return result;
      const issues: readonly (StandardSchemaV1.Issue & { readonly code?: unknown })[] = result.issues;
      const findings = issues.map(({ code, message, path = [] }) => ({
        code: String(code ?? 'schema'),
        message,
        // Spread first: a schema library's path may be a subclass of Array, and `map` would return that subclass.
        path: [...path].map((each) => (typeof each === 'object' ? each.key : each)),
      }));
      return { value: raw, findings };
    },
  };
}

/** Whether a value is a schema that implements Standard Schema. */
export function isSchema(value: unknown): value is StandardSchemaV1 {
  return value instanceof Object && '~standard' in value;
}

/** Whether a value is a valid date. */
export function isDate(value: unknown): value is Date {
  return value instanceof Date && !Number.isNaN(value.getTime());
}
