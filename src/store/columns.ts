import { compareValues } from '../operation/local-query.js';

/** Reads the value that a record is sorted, filtered or grouped by. */
export type KeyReader<M> = { read(record: M): unknown }['read'];
type Order = (a: unknown, b: unknown) => number;

/**
 * One value of each of many records, stored as a list of the distinct values and, for each record, a code: the index of its value
 * in that list.
 */
export class Column {
  private cachedRanks: Ranks | undefined = undefined;

  constructor(
    /** For each record, the index of its value in `values`. */
    readonly codes: Uint32Array,
    readonly values: readonly unknown[],
    /** Index of each value in `values`; dropped when the values are ranked. */
    private indexOfValue: ReadonlyMap<unknown, number> | undefined,
  ) {}

  /** Ranks the distinct values. The result is cached, but for an order given by `compare`. */
  ranks(compare?: Order): Ranks {
    if (this.cachedRanks && !compare) return this.cachedRanks;
    const places = this.indexOfValue ?? new Map(this.values.map((value, place) => [value, place]));
    const ranks = rankValues(this.values, places, compare);
    if (compare) return ranks;
    this.indexOfValue = undefined;
    this.cachedRanks = ranks;
    return ranks;
  }
}

/** The rank of each distinct value: whole numbers in the order of the values; equal values have the same rank. */
export interface Ranks {
  readonly rankOf: Uint32Array;
  /** One value of each rank. */
  readonly values: readonly unknown[];
}

/**
 * Reads one value of each record into a column. With `onlyRepeated`, gives up and returns undefined if nearly all values are distinct.
 */
export function readColumn<M>(
  chunks: readonly (readonly M[])[],
  count: number,
  read: KeyReader<M>,
  onlyRepeated: boolean = false,
): Column | undefined {
  const codeOf = new Map<unknown, number>();
  const values: unknown[] = [];
  const codes = new Uint32Array(count);
  // A small table of recent values before the map: where few values repeat, looking there is several times faster.
  const recentValues = new Array<unknown>(RECENT_SLOTS).fill(undefined);
  const recentCodes = new Uint32Array(RECENT_SLOTS);
  let i = 0;
  for (const chunk of chunks) {
    for (const record of chunk) {
      const value = read(record);
      const slot = recentSlotOf(value);
      let code: number | undefined;
      if (value !== undefined && recentValues[slot] === value) code = recentCodes[slot] as number;
      else {
        // NaN and invalid dates must not get the same code as null and undefined.
        const key = distinctKeyOf(value) ?? (value === null || value === undefined ? null : Number.NaN);
        code = codeOf.get(key);
        if (code === undefined) {
          code = values.length;
          codeOf.set(key, code);
          values.push(key);
        }
        recentValues[slot] = value;
        recentCodes[slot] = code;
      }
      codes[i] = code;
      i += 1;
    }
    if (onlyRepeated && values.length > MIN_DISTINCT && values.length > i / 2) return undefined;
  }
  return new Column(codes, values, codeOf);
}

const RECENT_SLOTS = 128;

/** Index of a value in the table of recent values. */
function recentSlotOf(value: unknown): number {
  if (typeof value === 'number') return value & (RECENT_SLOTS - 1);
  if (typeof value !== 'string' || value.length === 0) return 0;
  return (value.length * 7 + value.charCodeAt(0) + value.charCodeAt(value.length - 1) * 3) & (RECENT_SLOTS - 1);
}

/** Up to this number of distinct values, it is too early to say that nearly all are distinct. */
const MIN_DISTINCT = 1024;

function rankValues(values: readonly unknown[], places: ReadonlyMap<unknown, number>, compare?: Order): Ranks {
  const order = compare ?? compareValues;
  const rankOf = new Uint32Array(values.length);
  const valueOfRank: unknown[] = [];
  let before: unknown;
  for (const value of sortValues(values, compare)) {
    // In the usual order two different strings are never equal; other values may be, for example two arrays with the same items.
    if (valueOfRank.length === 0 || (typeof value === 'string' && !compare) || order(before, value) !== 0)
      valueOfRank.push(value);
    rankOf[places.get(value) as number] = valueOfRank.length - 1;
    before = value;
  }
  return { rankOf, values: valueOfRank };
}

/**
 * Sorts indices of records by columns; the first column counts most. Records that are equal in all columns keep their order. Also
 * returns, as `keys`, the value that each record has in the first column, or one equal to it.
 */
export function sortByColumns(
  indices: Uint32Array,
  columns: readonly { column: Column; descending: boolean; compare?: Order | undefined }[],
): { indices: Uint32Array; keys: unknown[] } {
  let from: Uint32Array = indices;
  let to: Uint32Array = new Uint32Array(indices.length);
  const keys: unknown[] = new Array(indices.length);
  for (const { column, descending, compare } of [...columns].reverse()) {
    const { codes } = column;
    const { rankOf, values } = column.ranks(compare);
    const size = values.length;
    const positionOf = descending ? rankOf.map((rank) => size - 1 - rank) : rankOf;
    const starts = new Uint32Array(size + 1);
    for (const index of from) (starts[(positionOf[codes[index] as number] as number) + 1] as number)++;
    for (let i = 1; i <= size; i += 1) (starts[i] as number) += starts[i - 1] as number;
    for (const index of from) {
      const place = positionOf[codes[index] as number] as number;
      to[starts[place] as number] = index;
      (starts[place] as number)++;
    }
    [from, to] = [to, from === indices ? new Uint32Array(indices.length) : from];
    // After the loop above, `starts[rank]` is the end of the run of that rank.
    for (let place = 0, at = 0; place < size; place += 1)
      while (at < (starts[place] as number)) {
        keys[at] = values[descending ? size - 1 - place : place];
        at += 1;
      }
  }
  return { indices: from, keys };
}

/** Filters indices of records, those in `among` or all below `count`, by whether the code of the record passes. */
export function filterByCode(
  codes: Uint32Array,
  passes: Uint8Array,
  among: Uint32Array | undefined,
  count: number,
): Uint32Array {
  const found = new Uint32Array(among ? among.length : count);
  let passed = 0;
  for (let at = 0; at < found.length; at += 1) {
    const index = among ? (among[at] as number) : at;
    // Always written, and overwritten by the next index unless it passes: an unpredictable branch would cost more.
    found[passed] = index;
    passed += passes[codes[index] as number] as number;
  }
  return found.subarray(0, passed);
}

/** A value by which equal values are found: the time of a date; null for undefined, NaN and invalid dates. */
export function distinctKeyOf(value: unknown): unknown {
  if (typeof value === 'string') return value;
  if (value instanceof Date) return distinctKeyOf(value.getTime());
  return value === undefined || Number.isNaN(value) ? null : value;
}

function sortValues(values: readonly unknown[], compare: Order | undefined): Iterable<unknown> {
  // Such an order has a place for missing values.
  if (compare) return [...values].sort(compare);
  const present = values.filter((value) => value !== null && !Number.isNaN(value));
  const sorted = sortPresent(present);
  if (present.length === values.length) return sorted;
  return [...values.filter((value) => value === null || Number.isNaN(value)), ...sorted];
}

function sortPresent(values: unknown[]): Iterable<unknown> {
  // Without a compare function, engines sort strings and numbers several times faster.
  if (values.every((value) => typeof value === 'string')) return values.sort();
  if (values.every((value) => typeof value === 'number')) return Float64Array.from(values as number[]).sort();
  return values.sort(compareValues);
}
