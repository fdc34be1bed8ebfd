import { countOf } from './chunks.js';
import { type Column, type KeyReader, readColumn } from './columns.js';

/** Columns of the records of a store, kept for all its views until a value changes. */
export class ColumnCache<M> {
  /** By the name of a field; null where nearly all values are distinct. */
  private readonly columns: Map<string, Column | null> = new Map();
  /** What groups keep, by the name of a field: its values as numbers, undefined where one is none. */
  readonly numbers: Map<string, Float64Array | undefined> = new Map();

  constructor(private readonly chunks: () => readonly (readonly M[])[]) {}

  /** The column of a field of all records that are not hidden; with `few`, undefined where nearly all values are distinct. */
  get(field: string, read: KeyReader<M>, few: boolean = false): Column | undefined {
    const known = this.columns.get(field);
    if (known || (known === null && few)) return known ?? undefined;
    const chunks = this.chunks();
    const column = readColumn(chunks, countOf(chunks), read, few);
    this.columns.set(field, column ?? null);
    return column;
  }

  /** Values of some fields are different, or of all, or other records are there. */
  forget(fields?: readonly string[]): void {
    for (const known of [this.columns, this.numbers]) {
      if (!fields) known.clear();
      else if (known.size > 0) for (const field of fields) known.delete(field);
    }
  }
}
