import { type DataPath, isObject } from './data-path.js';

/** Whether a value is a `Blob` or a `File`, also of another realm. */
export function isFile(value: unknown): value is Blob {
  return isObject(value) && /^\[object (?:Blob|File)\]$/.test(Object.prototype.toString.call(value));
}

/** The path of the first file in a value; undefined if it holds none. */
export function findFile(value: unknown, level: number = 0): DataPath | undefined {
  if (isFile(value)) return [];
  // Deeper data contains itself.
  if (!isObject(value) || level > 100) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const path = findFile(member, level + 1);
    if (path) return [Array.isArray(value) ? Number(name) : name, ...path];
  }
  return undefined;
}
