import type { BaseModel } from '../model/base-model.js';
import type { ColumnCache } from '../store/column-cache.js';
import type { Property } from './property.js';

/** A property of the records that a cache is about, as numbers, NaN for what is missing; undefined where a value is neither. */
export function numbersOf(
  { field, read }: Property,
  { numbers }: ColumnCache<BaseModel>,
  chunks: readonly (readonly BaseModel[])[],
  count: number,
): Float64Array | undefined {
  if (!numbers.has(field)) numbers.set(field, readNumbers(chunks, count, read));
  return numbers.get(field);
}

function readNumbers(
  chunks: readonly (readonly BaseModel[])[],
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
