import { compareValues } from '../operation/local-query.js';

/** Reads the value that a record is sorted, filtered or grouped by. */
export type KeyReader<M> = { read(record: M): unknown }['read'];
type Order = (a: unknown, b: unknown) => number;

/**
 * One value of each of many records, stored as a list of the distinct values and, for each record, a code: the index of its value
 * in that list.
 */
export class Column {
  private ranked: Ranks | undefined = undefined;

  constructor(
    /** For each record, the index of its value in `values`. */
    readonly codes: Uint32Array,
    readonly values: readonly unknown[],
    /** Index of each value in `values`; dropped when the values are ranked. */
    private places: ReadonlyMap<unknown, number> | undefined,
  ) {}

  /** Ranks the distinct values. The result is cached, but for an order given by `compare`. */
  ranks(compare?: Order): Ranks {
    if (this.ranked && !compare) return this.ranked;
    const places = this.places ?? new Map(this.values.map((value, place) => [value, place]));
    const ranks = rankValues(this.values, places, compare);
    if (compare) return ranks;
    this.places = undefined;
    this.ranked = ranks;
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
 * Reads one value of each record into a column. With `few` set, gives up and returns undefined if nearly all values are distinct.
 */
export function readColumn<M>(
  chunks: readonly (readonly M[])[],
  count: number,
  read: KeyReader<M>,
  few: boolean = false,
): Column | undefined {
  const ids = new Map<unknown, number>();
  const values: unknown[] = [];
  const codes = new Uint32Array(count);
  // A small table of recent values before the map: where few values repeat, looking there is several times faster.
  const seen = new Array<unknown>(GLANCES).fill(undefined);
  const seenIds = new Uint32Array(GLANCES);
  let i = 0;
  for (const chunk of chunks) {
    for (const record of chunk) {
      const given = read(record);
      const glance = glanceOf(given);
      let id: number | undefined;
      if (given !== undefined && seen[glance] === given) id = seenIds[glance] as number;
      else {
        // NaN and invalid dates must not get the same code as null and undefined.
        const value = distinct(given) ?? (given === null || given === undefined ? null : Number.NaN);
        id = ids.get(value);
        if (id === undefined) {
          id = values.length;
          ids.set(value, id);
          values.push(value);
        }
        seen[glance] = given;
        seenIds[glance] = id;
      }
      codes[i] = id;
      i += 1;
    }
    if (few && values.length > MANY && values.length > i / 2) return undefined;
  }
  return new Column(codes, values, ids);
}

const GLANCES = 128;

/** Index of a value in the table of recent values. */
function glanceOf(value: unknown): number {
  if (typeof value === 'number') return value & (GLANCES - 1);
  if (typeof value !== 'string' || value.length === 0) return 0;
  return (value.length * 7 + value.charCodeAt(0) + value.charCodeAt(value.length - 1) * 3) & (GLANCES - 1);
}

/** Up to this number of distinct values, it is too early to say that nearly all are distinct. */
const MANY = 1024;

function rankValues(values: readonly unknown[], places: ReadonlyMap<unknown, number>, compare?: Order): Ranks {
  const order = compare ?? compareValues;
  const rankOf = new Uint32Array(values.length);
  const ranked: unknown[] = [];
  let before: unknown;
  for (const value of sortValues(values, compare)) {
    // In the usual order two different strings are never equal; other values may be, for example two arrays with the same items.
    if (ranked.length === 0 || (typeof value === 'string' && !compare) || order(before, value) !== 0)
      ranked.push(value);
    rankOf[places.get(value) as number] = ranked.length - 1;
    before = value;
  }
  return { rankOf, values: ranked };
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
    const placeOf = descending ? rankOf.map((rank) => size - 1 - rank) : rankOf;
    const starts = new Uint32Array(size + 1);
    for (const index of from) (starts[(placeOf[codes[index] as number] as number) + 1] as number)++;
    for (let i = 1; i <= size; i += 1) (starts[i] as number) += starts[i - 1] as number;
    for (const index of from) {
      const place = placeOf[codes[index] as number] as number;
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
export function passingCodes(
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
export function distinct(value: unknown): unknown {
  if (typeof value === 'string') return value;
  if (value instanceof Date) return distinct(value.getTime());
  return value === undefined || Number.isNaN(value) ? null : value;
}

function sortValues(values: readonly unknown[], compare: Order | undefined): Iterable<unknown> {
  const present = values.filter((value) => value !== null && !Number.isNaN(value));
  const sorted = sortPresent(present, compare);
  if (present.length === values.length) return sorted;
  return [...values.filter((value) => value === null || Number.isNaN(value)), ...sorted];
}

function sortPresent(values: unknown[], compare: Order | undefined): Iterable<unknown> {
  if (compare) return values.sort(compare);
  // Without a compare function, engines sort strings and numbers several times faster.
  if (values.every((value) => typeof value === 'string')) return values.sort();
  if (values.every((value) => typeof value === 'number')) return Float64Array.from(values as number[]).sort();
  return values.sort(compareValues);
}
