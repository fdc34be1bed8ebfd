import type { Model } from '../model/model.js';
import type { ColumnCache } from '../store/column-cache.js';
import type { Property } from './property.js';

/** The values of a property as numbers, from a cache. A missing value is NaN; undefined if a value is not a number. */
export function numbersOf(
  { field, read }: Property,
  { numbers }: ColumnCache<Model>,
  chunks: readonly (readonly Model[])[],
  count: number,
): Float64Array | undefined {
  if (!numbers.has(field)) numbers.set(field, readNumbers(chunks, count, read));
  return numbers.get(field);
}

function readNumbers(
  chunks: readonly (readonly Model[])[],
  count: number,
  read: Property['read'],
): Float64Array | undefined {
  const numbers = new Float64Array(count);
  let i = 0;
  for (const chunk of chunks) {
    for (const record of chunk) {
      const value = read(record) ?? Number.NaN;
      if (typeof value !== 'number') return undefined;
      numbers[i] = value;
      i += 1;
    }
  }
  return numbers;
}
