import { countOf } from './chunks.js';
import { type Column, filterByCode, type KeyReader, readColumn } from './columns.js';
import type { FieldCondition } from './compile-query.js';

/** Caches the columns of all visible records of a store, for all its views, until a value changes. */
export class ColumnCache<M> {
  /** Columns by the name of their field; null if nearly all values of the field are distinct. */
  private readonly columns: Map<string, Column | null> = new Map();
  /** For summaries of groups: the values of a field as numbers, by its name; undefined if a value is no number. */
  readonly numbers: Map<string, Float64Array | undefined> = new Map();

  constructor(private readonly chunks: () => readonly (readonly M[])[]) {}

  /** The column of a field. With `onlyRepeated`, undefined if nearly all values of the field are distinct. */
  get(field: string, read: KeyReader<M>, onlyRepeated: boolean = false): Column | undefined {
    const cached = this.columns.get(field);
    if (cached || (cached === null && onlyRepeated)) return cached ?? undefined;
    const chunks = this.chunks();
    const column = readColumn(chunks, countOf(chunks), read, onlyRepeated);
    this.columns.set(field, column ?? null);
    return column;
  }

  /**
   * Indices of the records that meet all conditions, found by testing each distinct value once. With `onlyRepeated`, undefined if nearly all
   * values of a field are distinct: then a column costs more than it saves, unless it is used several times.
   */
  passing(
    conditions: readonly FieldCondition<M>[],
    count: number,
    onlyRepeated: boolean = false,
  ): Uint32Array | undefined {
    let found: Uint32Array | undefined;
    for (const { field, read, test } of conditions) {
      const column = this.get(field, read, onlyRepeated);
      if (!column) return undefined;
      // A loop, because `Uint8Array.from` calls an iterator for each value, which is slower.
      const { values } = column;
      const passes = new Uint8Array(values.length);
      for (let at = 0; at < values.length; at += 1) if (test(values[at])) passes[at] = 1;
      found = filterByCode(column.codes, passes, found, count);
    }
    return found;
  }

  /** Drops the columns of some fields whose values changed; without `fields`, all columns, because records came or went. */
  forget(fields?: readonly string[]): void {
    for (const columns of [this.columns, this.numbers]) {
      if (!fields) columns.clear();
      else if (columns.size > 0) for (const field of fields) columns.delete(field);
    }
  }
}
