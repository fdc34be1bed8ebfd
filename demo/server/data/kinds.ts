import { isDateOnly, isInstant } from './dates.js';
import { isJsonObject, type Json } from './json.js';

/** The kind of the values of a column. */
export type Kind = 'text' | 'integer' | 'number' | 'decimal' | 'boolean' | 'instant' | 'dateonly' | 'object';

/** A value that is bound to a statement. The driver aborts the process when it gets a boolean. */
export type SqlValue = string | number | null;

/** The conversions of a kind between JSON, the query and SQL. */
export interface KindRules {
  readonly sqlType: 'TEXT' | 'INTEGER' | 'REAL';
  /** The end of the sentence "must be ...". */
  readonly expected: string;
  /** Whether a member of a body may hold the value; not called for null. */
  accepts(value: Json): boolean;
  /** An accepted value as it is stored. */
  toSql(value: Json): SqlValue;
  fromSql(value: SqlValue): Json;
  /** The value of a filter, from JSON or from plain text; undefined when it cannot be one. */
  fromQuery(value: Json): SqlValue | undefined;
  /** SQL to compare and sort by, from a column or a placeholder; absent where values cannot be compared. */
  readonly comparable?: (expression: string) => string;
}

const asIs = (expression: string): string => expression;
const scalar = (value: Json): SqlValue => (typeof value === 'string' || typeof value === 'number' ? value : null);
const same = (value: SqlValue): Json => value;

// SQLite ends a text at NUL, and a lone surrogate has no UTF-8 form: both would be read back as another text.
const isText = (value: Json): value is string => typeof value === 'string' && !/\0|\p{Surrogate}/u.test(value);

const DECIMAL = /^-?\d{1,12}(\.\d{1,2})?$/;
const NUMERIC = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i;

function numberFromQuery(value: Json): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'string' || !NUMERIC.test(value)) return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}

function textFromQuery(value: Json): string | undefined {
  if (typeof value === 'number') return String(value);
  return isText(value) ? value : undefined;
}

function booleanFromQuery(value: Json): number | undefined {
  if (value === true || value === 1 || value === 'true' || value === '1') return 1;
  if (value === false || value === 0 || value === 'false' || value === '0') return 0;
  return undefined;
}

const text: KindRules = {
  sqlType: 'TEXT',
  expected: 'a text',
  accepts: isText,
  toSql: scalar,
  fromSql: same,
  fromQuery: textFromQuery,
  comparable: asIs,
};

const integer: KindRules = {
  sqlType: 'INTEGER',
  expected: 'a whole number',
  accepts: (value) => Number.isSafeInteger(value),
  toSql: scalar,
  fromSql: same,
  fromQuery: numberFromQuery,
  comparable: asIs,
};

const number: KindRules = {
  sqlType: 'REAL',
  expected: 'a number',
  accepts: (value) => Number.isFinite(value),
  toSql: scalar,
  fromSql: same,
  fromQuery: numberFromQuery,
  comparable: asIs,
};

const decimal: KindRules = {
  sqlType: 'TEXT',
  expected: 'a decimal as text, such as "10.50"',
  accepts: (value) => typeof value === 'string' && DECIMAL.test(value),
  toSql: scalar,
  fromSql: same,
  fromQuery: (value) => {
    const digits = typeof value === 'number' ? String(value) : value;
    return typeof digits === 'string' && DECIMAL.test(digits) ? digits : undefined;
  },
  // Fourteen digits fit a double, so two decimals are equal exactly when their doubles are.
  comparable: (expression) => `CAST(${expression} AS REAL)`,
};

const boolean: KindRules = {
  sqlType: 'INTEGER',
  expected: 'true or false',
  accepts: (value) => typeof value === 'boolean',
  toSql: (value) => (value === true ? 1 : 0),
  fromSql: (value) => value === 1,
  fromQuery: booleanFromQuery,
  comparable: asIs,
};

const instant: KindRules = {
  sqlType: 'TEXT',
  expected: 'an ISO 8601 date and time with a zone, such as "2024-05-01T12:00:00Z"',
  accepts: (value) => typeof value === 'string' && isInstant(value),
  toSql: scalar,
  fromSql: same,
  fromQuery: (value) => (typeof value === 'string' && (isInstant(value) || isDateOnly(value)) ? value : undefined),
  // The text is stored as it was sent, with its offset, so that it cannot be compared as text.
  comparable: (expression) => `julianday(${expression})`,
};

const dateonly: KindRules = {
  sqlType: 'TEXT',
  expected: 'a date such as "2024-05-01"',
  accepts: (value) => typeof value === 'string' && isDateOnly(value),
  toSql: scalar,
  fromSql: same,
  fromQuery: (value) => (typeof value === 'string' && isDateOnly(value) ? value : undefined),
  comparable: asIs,
};

const object: KindRules = {
  sqlType: 'TEXT',
  expected: 'an object',
  accepts: isJsonObject,
  toSql: (value) => JSON.stringify(value),
  fromSql: (value) => JSON.parse(String(value)) as Json,
  fromQuery: () => undefined,
};

/** The rules of every kind. */
export const kinds: Readonly<Record<Kind, KindRules>> = {
  text,
  integer,
  number,
  decimal,
  boolean,
  instant,
  dateonly,
  object,
};
