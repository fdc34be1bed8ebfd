import { isNumeric, isRounded, type LongNumber } from '../util/long-number.js';
import type { StandardSchemaV1 } from '../util/standard-schema.js';
import { timeOfInstant } from './instant.js';
import type { Finding } from './validators.js';

/** Why a field type refused a value; `path` leads to the place inside the value. */
export interface ValueRefusal extends Finding {
  readonly path?: readonly PropertyKey[];
}

/** A received value after it was read; with `findings` the value was refused. */
export interface ParsedValue {
  readonly value: unknown;
  readonly findings?: readonly ValueRefusal[] | undefined;
}

/** How a field type reads and writes values. Functions get neither null nor undefined, but for `parse`. */
export interface FieldTypeHandler {
  /**
   * The `typeof` of received values that records hand out as they are, without asking `is`. `'date'` is for the built-in type only.
   * @default `is` is asked for each value
   */
  readonly kind?: 'string' | 'number' | 'boolean' | 'date';
  /** Whether something is a value of this type. */
  is(value: unknown): boolean;
  /** Makes a value of what was received, or of what was set, where `is` refuses it; undefined where that cannot be done. */
  read(raw: unknown): unknown;
  /**
   * Makes a value of a number that JavaScript cannot hold; undefined where that cannot be done.
   * @default the nearest number is read instead
   */
  readLong?(number: LongNumber): unknown;
  /** Whether values keep every digit of a number that JavaScript cannot hold. @default false */
  readonly keepsDigits?: boolean;
  /** Replaces `is` and `read` for received values, where not even a value that fits is handed out as it came. */
  parse?(raw: unknown): ParsedValue;
  /** A value as JSON carries it; `raw` is what the row holds for the field now. @default the value itself */
  write?(value: unknown, raw: unknown): unknown;
  /** Orders two values. @default by `<` */
  compare?(a: never, b: never): number;
}

const ISO_DATE = /^[+-]?\d{4,6}-\d\d(-\d\d([T ]\d\d:\d\d(:\d\d([.,]\d+)?)?(Z|[+-]\d\d(:?\d\d)?)?)?)?$/;

/** Takes everything as it is. */
export const anything: FieldTypeHandler = { is: () => true, read: (raw) => raw };

/** The plain field types. What fits is kept as it is; only what cannot be mistaken is converted. */
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
    read: (raw) => (typeof raw === 'string' && /^[+-]?\d+$/.test(raw) && Number.isSafeInteger(+raw) ? +raw : undefined),
    // The nearest number is another one: whoever calculates with it has to know.
    readLong: ({ digits }) => (isRounded(digits) ? undefined : Number(digits)),
  },
  number: {
    kind: 'number',
    is: Number.isFinite,
    read: (raw) => (typeof raw === 'string' && raw.trim() && Number.isFinite(+raw) ? +raw : undefined),
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
};

/** The time that a text stands for; NaN for none that is certain. */
export function timeOf(text: string): number {
  const time = timeOfInstant(text);
  if (!Number.isNaN(time) || !ISO_DATE.test(text)) return time;
  const [day, last] = /^\d{4}-\d\d-(29|3.)/.exec(text) ?? [];
  // The platform takes a day that its month does not have for one of the next.
  if (day && new Date(day).getUTCDate() !== Number(last)) return time;
  return Date.parse(text.includes(',') ? text.replace(',', '.') : text);
}

/** The values of a schema. */
export function schemaType(schema: StandardSchemaV1): FieldTypeHandler {
  return {
    ...anything,
    parse(raw) {
      const result = schema['~standard'].validate(raw);
      if (result instanceof Promise) {
        result.catch(() => undefined);
        return { value: raw, findings: [{ code: 'schema', message: 'has an asynchronous schema' }] };
      }
      if (!result.issues) return result;
      const issues: readonly (StandardSchemaV1.Issue & { readonly code?: unknown })[] = result.issues;
      const findings = issues.map(({ code, message, path = [] }) => ({
        code: String(code ?? 'schema'),
        message,
        // Spread first: a path may be of a class that extends Array, and such a class makes what `map` returns.
        path: [...path].map((each) => (typeof each === 'object' ? each.key : each)),
      }));
      return { value: raw, findings };
    },
  };
}

/** Whether a declaration is a schema: an object or function of Standard Schema. */
export function isSchema(value: unknown): value is StandardSchemaV1 {
  return value instanceof Object && '~standard' in value;
}

/** Whether a value is a date that there is. */
export function isDate(value: unknown): value is Date {
  return value instanceof Date && !Number.isNaN(value.getTime());
}
