import { AddressError } from '../errors/mistakes.js';
import { stringifyJson } from '../util/json.js';
import { LongNumber } from '../util/long-number.js';
import { encodeText, sendableId } from './url.js';

/** Writes a parameter as `name=value`: once per item of an array, and '' for undefined and null. */
export function encodeParam(name: string, value: unknown): string {
  if (value === undefined) return '';
  if (Array.isArray(value)) {
    const item = (each: unknown) => (Array.isArray(each) ? jsonText(each, name) : (each ?? null));
    return value.map((each) => encodeParam(name, item(each))).join('&');
  }
  return `${encodeText(name)}=${encodeText(valueText(value, name))}`;
}

/** A parameter in a form that JSON can hold, and that is sent as the same text. Throws `AddressError` for a value that cannot be sent. */
export function storableParam(name: string, value: unknown): unknown {
  encodeParam(name, value);
  if (!Array.isArray(value)) return storableItem(name, value);
  return value.map((each) => (Array.isArray(each) ? jsonText(each, name) : storableItem(name, each ?? null)));
}

function storableItem(name: string, value: unknown): unknown {
  const isJson = value === null || typeof value === 'boolean' || Number.isFinite(value) || value instanceof LongNumber;
  return isJson ? value : valueText(value, name);
}

/** A single value as the text of a parameter: dates in UTC, objects as JSON, and '' for null. Throws `AddressError` for a value that cannot be sent. */
export function valueText(value: unknown, name: string): string {
  if (typeof value === 'string') return value;
  if (value instanceof Date) return dateText(value, name);
  if (value instanceof LongNumber) return value.digits;
  if (typeof value === 'object') return value ? jsonText(value, name) : '';
  if (typeof value === 'function' || typeof value === 'symbol') throw invalid(name, `a ${typeof value} is no data`);
  return String(value);
}

/** Throws `AddressError` for an id that cannot be sent as a parameter. */
export function idParam(id: unknown): unknown {
  sendableId(id);
  return id;
}

/** Writes a value as JSON for the query: dates in UTC. Throws for values that JSON would drop or change. */
export function jsonText(value: unknown, name: string): string {
  let hasLongNumber = false;
  try {
    const text = JSON.stringify(value, function (this: Record<string, unknown>, key: string, each: unknown) {
      const own = this[key];
      if (own instanceof Date) dateText(own, name);
      if (typeof own === 'number' && !Number.isFinite(own)) throw invalid(name, `it holds ${own}`);
      // JSON would leave out the value, and with it a condition or a part of one.
      if (each === undefined && own !== undefined) throw invalid(name, 'its `toJSON` returns undefined');
      if (typeof each === 'function' || typeof each === 'symbol') throw invalid(name, `a ${typeof each} is no data`);
      hasLongNumber ||= own instanceof LongNumber;
      return each;
    });
    return hasLongNumber ? (stringifyJson(value) as string) : text;
  } catch (cause) {
    if (cause instanceof AddressError) throw cause;
    throw invalid(name, cause instanceof Error ? cause.message.split('\n')[0] : cause, cause);
  }
}

function dateText(date: Date, name: string): string {
  if (Number.isNaN(date.getTime())) throw invalid(name, 'it holds an invalid date');
  return date.toISOString();
}

function invalid(name: string, why: unknown, cause?: unknown): AddressError {
  return new AddressError('param-invalid', { name, why }, { cause });
}
