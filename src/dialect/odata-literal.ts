import { LongNumber } from '../util/long-number.js';

const GUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/** The texts that a literal of a type has without quotes. A text in another form is quoted, so that it cannot become syntax. */
const BARE: Readonly<Record<string, RegExp>> = {
  Boolean: /^(?:true|false)$/,
  Date: /^-?\d{4,}-\d\d-\d\d$/,
  DateTimeOffset: /^-?\d{4,}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/,
  TimeOfDay: /^\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/,
  Guid: GUID,
  String: /(?!)/,
};

/** The types of literals by the types of fields. */
const TYPES: Readonly<Record<string, string>> = {
  int: 'Int64',
  bigint: 'Int64',
  number: 'Double',
  decimal: 'Decimal',
  boolean: 'Boolean',
  date: 'DateTimeOffset',
  dateonly: 'Date',
};

/**
 * A value as the literal of a key or filter (OData 4.01 Part 2, 5.1.1.14.1). `type` is the name of a type, such as `Edm.Guid`; without
 * it, `fieldType` decides: a text in the form of a GUID is a GUID, other texts are strings. Undefined: no literal can express the value.
 */
export function odataLiteral(value: unknown, type: string | undefined, fieldType = ''): string | undefined {
  const text = textOf(value);
  if (text === undefined || value === null) return text;
  const name = type === undefined ? TYPES[fieldType] : /^Edm\.(\w+)$/.exec(type)?.[1];
  // Durations, and the members of enumerations, begin with the name of their type.
  if (name === 'Duration') return `duration${quoted(text)}`;
  if (name === undefined && type !== undefined) return type + quoted(text);
  if (name === 'Date' && value instanceof Date) return text.slice(0, 10);
  const isText = typeof value === 'string' || fieldType === 'string';
  const form = name === undefined ? GUID : (BARE[name] ?? NUMBER);
  return (name === undefined && !isText) || form.test(text) ? text : quoted(text);
}

/** A text as a string literal. */
export function quoted(text: string): string {
  return `'${text.replace(/'/g, "''")}'`;
}

function textOf(value: unknown): string | undefined {
  if (value instanceof LongNumber) return value.digits;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : value.toISOString();
  if (typeof value === 'number' && !Number.isFinite(value)) return undefined;
  return value === null || /^(string|number|bigint|boolean)$/.test(typeof value) ? String(value) : undefined;
}
