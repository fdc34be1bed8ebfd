import { isFile } from './files.js';
import { LongNumber } from './long-number.js';
import { isPlainObject, MAX_DEPTH } from './values.js';

/**
 * Writes a value as JSON, like `JSON.stringify`, but with every digit of long numbers. Throws `TypeError` for a file, of which JSON would
 * keep nothing.
 */
export function stringifyJson(value: unknown): string | undefined {
  return needsCare(value, 0) ? write(value) : JSON.stringify(value);
}

/** Whether a value holds a long number or a file, of which `JSON.stringify` would keep less than all. */
function needsCare(value: unknown, level: number): boolean {
  // Data from a server is never nested deeper. Deeper data was made by the application, and may contain itself.
  if (typeof value !== 'object' || value === null || level > MAX_DEPTH) return false;
  if (value instanceof LongNumber) return true;
  if (Array.isArray(value)) return value.some((item) => needsCare(item, level + 1));
  if (!isPlainObject(value)) return isFile(value);
  return Object.values(value).some((member) => needsCare(member, level + 1));
}

function write(value: unknown): string | undefined {
  if (value instanceof LongNumber) return value.digits;
  if (isFile(value)) throw new TypeError(`it keeps nothing of what is in ${value.constructor.name}`);
  if (Array.isArray(value)) return `[${Array.from(value, (item) => write(item) ?? 'null').join()}]`;
  if (!isPlainObject(value) || typeof value['toJSON'] === 'function') return JSON.stringify(value);
  const members: string[] = [];
  for (const [name, member] of Object.entries(value)) {
    const text = write(member);
    if (text !== undefined) members.push(`${JSON.stringify(name)}:${text}`);
  }
  return `{${members.join()}}`;
}
