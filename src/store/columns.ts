import { compareValues } from '../operation/local-query.js';

/** The values of one key as ranks: whole numbers in their order, the same for values that are equal. */
export interface Column {
  readonly ranks: Uint32Array;
  /** How many ranks there are. */
  readonly size: number;
}

/** Ranks the values of a key. Only the distinct ones are compared. */
export function rankColumn(
  count: number,
  valueAt: (index: number) => unknown,
  compare?: ((a: unknown, b: unknown) => number) | undefined,
): Column {
  const ids = new Map<unknown, number>();
  const values: unknown[] = [];
  const ranks = new Uint32Array(count);
  for (let i = 0; i < count; i += 1) {
    const value = distinct(valueAt(i));
    let id = ids.get(value);
    if (id === undefined) {
      id = values.length;
      ids.set(value, id);
      values.push(value);
    }
    ranks[i] = id;
  }
  const order = compare ?? compareValues;
  const rankOf = new Uint32Array(values.length);
  let rank = 0;
  const sorted = sortValues(values, compare);
  for (const [i, value] of sorted.entries()) {
    if (i > 0 && order(sorted[i - 1], value) !== 0) rank += 1;
    rankOf[ids.get(value) as number] = rank;
  }
  for (let i = 0; i < count; i += 1) ranks[i] = rankOf[ranks[i] as number] as number;
  return { ranks, size: rank + 1 };
}

/** Sorts indices by columns, the first being the strongest; those that are equal in all stay in their order. */
export function sortByColumns(
  indices: Uint32Array,
  columns: readonly { column: Column; descending: boolean }[],
): Uint32Array {
  let from: Uint32Array = indices;
  let to: Uint32Array = new Uint32Array(indices.length);
  for (const { column, descending } of [...columns].reverse()) {
    const { ranks, size } = column;
    const starts = new Uint32Array(size + 1);
    const placeOf = (index: number) => (descending ? size - 1 - (ranks[index] as number) : (ranks[index] as number));
    for (const index of from) (starts[placeOf(index) + 1] as number)++;
    for (let i = 1; i <= size; i += 1) (starts[i] as number) += starts[i - 1] as number;
    for (const index of from) {
      const place = placeOf(index);
      to[starts[place] as number] = index;
      (starts[place] as number)++;
    }
    [from, to] = [to, from === indices ? new Uint32Array(indices.length) : from];
  }
  return from;
}

/** What makes values one: dates are their time, and what has no place in an order is null. */
export function distinct(value: unknown): unknown {
  if (value instanceof Date) return value.getTime();
  return value === undefined || Number.isNaN(value) ? null : value;
}

function sortValues(values: readonly unknown[], compare: ((a: unknown, b: unknown) => number) | undefined): unknown[] {
  const present = values.filter((value) => value !== null);
  const missing = present.length < values.length ? [null] : [];
  return [...missing, ...sortPresent(present, compare)];
}

function sortPresent(values: unknown[], compare: ((a: unknown, b: unknown) => number) | undefined): Iterable<unknown> {
  if (compare) return values.sort(compare);
  // Without a function to call, the platform sorts texts and numbers several times faster.
  if (values.every((value) => typeof value === 'string')) return values.sort();
  if (values.every((value) => typeof value === 'number')) return Float64Array.from(values as number[]).sort();
  return values.sort(compareValues);
}
