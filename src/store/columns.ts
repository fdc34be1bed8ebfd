import { compareValues } from '../operation/local-query.js';

/** Reads a key of a record. */
export type KeyReader<M> = { read(record: M): unknown }['read'];
type Order = (a: unknown, b: unknown) => number;

/** The values of one key of many records: each distinct value once, and for each record which of them it has. */
export class Column {
  private ranked: Ranks | undefined = undefined;

  constructor(
    /** For each record, the place of its value in `values`. */
    readonly codes: Uint32Array,
    readonly values: readonly unknown[],
    /** The place of each value; until they are ranked. */
    private places: ReadonlyMap<unknown, number> | undefined,
  ) {}

  /** The values in order. Only the distinct ones are compared, and in the usual order once. */
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

/** Values as whole numbers in their order, the same for values that are equal. */
export interface Ranks {
  readonly rankOf: Uint32Array;
  /** A value of each rank. */
  readonly values: readonly unknown[];
}

/** Reads a key of records that come in chunks; undefined where nearly all values would be distinct, with `few`. */
export function readColumn<M>(
  chunks: readonly (readonly M[])[],
  count: number,
  read: KeyReader<M>,
  few: boolean = false,
): Column | undefined {
  const ids = new Map<unknown, number>();
  const values: unknown[] = [];
  const codes = new Uint32Array(count);
  // Where few values come again and again, a glance costs a fraction of what a map does.
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
        // What is no number or no date is not the same as nothing.
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

/** Where a value is looked for first. */
function glanceOf(value: unknown): number {
  if (typeof value === 'number') return value & (GLANCES - 1);
  if (typeof value !== 'string' || value.length === 0) return 0;
  return (value.length * 7 + value.charCodeAt(0) + value.charCodeAt(value.length - 1) * 3) & (GLANCES - 1);
}

/** So many distinct values are no sign yet that nearly all are. */
const MANY = 1024;

function rankValues(values: readonly unknown[], places: ReadonlyMap<unknown, number>, compare?: Order): Ranks {
  const order = compare ?? compareValues;
  const rankOf = new Uint32Array(values.length);
  const ranked: unknown[] = [];
  let before: unknown;
  for (const value of sortValues(values, compare)) {
    // Texts that differ have different places; of other values, several may have one.
    if (ranked.length === 0 || (typeof value === 'string' && !compare) || order(before, value) !== 0)
      ranked.push(value);
    rankOf[places.get(value) as number] = ranked.length - 1;
    before = value;
  }
  return { rankOf, values: ranked };
}

/**
 * Sorts indices by columns, the first being the strongest; those that are equal in all stay in their order. With what they have
 * in the first column, or what is equal there.
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
    // Each place now starts where the next one did.
    for (let place = 0, at = 0; place < size; place += 1)
      while (at < (starts[place] as number)) {
        keys[at] = values[descending ? size - 1 - place : place];
        at += 1;
      }
  }
  return { indices: from, keys };
}

/** Those of some indices, or of all up to `count`, whose code passes. */
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
    // Written always, and kept where it passes: a branch that cannot be foreseen costs more.
    found[passed] = index;
    passed += passes[codes[index] as number] as number;
  }
  return found.subarray(0, passed);
}

/** What makes values one: dates are their time, and what has no place in an order is null. */
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
  // Without a function to call, the platform sorts texts and numbers several times faster.
  if (values.every((value) => typeof value === 'string')) return values.sort();
  if (values.every((value) => typeof value === 'number')) return Float64Array.from(values as number[]).sort();
  return values.sort(compareValues);
}
