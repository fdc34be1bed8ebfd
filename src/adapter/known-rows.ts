import type { Data } from '../util/data-path.js';
import { isSame } from '../util/values.js';

/** A row as the server sent it, with the values that a library got of it. */
export interface KnownRow {
  readonly row: Data;
  readonly values: Readonly<Data>;
}

/** The most records whose rows are remembered. */
const MOST_RECORDS = 5000;
/** The most versions of one row: a form may have been opened before the row was read again. */
const MOST_VERSIONS = 4;

/**
 * The rows that a data provider has received. Libraries hold plain objects, which lack what a write needs: the version of the row, and its
 * members that no field declares.
 */
export class KnownRows {
  /** Versions of rows by the keys of their ids, the newest last. */
  private readonly rows: Map<string, readonly KnownRow[]> = new Map();

  remember(key: string, known: KnownRow): void {
    const others = (this.rows.get(key) ?? []).filter(({ values }) => !isSame(values, known.values));
    this.rows.delete(key);
    this.rows.set(key, [...others, known].slice(-MOST_VERSIONS));
    if (this.rows.size > MOST_RECORDS) this.rows.delete(this.rows.keys().next().value as string);
  }

  forget(key: string): void {
    this.rows.delete(key);
  }

  /** The row whose values a library got, or the newest row if it does not say which; undefined: it is not remembered. */
  find(key: string, values: Readonly<Data> | undefined): KnownRow | undefined {
    const versions = this.rows.get(key) ?? [];
    if (!values) return versions.at(-1);
    return versions.findLast((known) =>
      Object.keys(known.values).every((name) => isSame(known.values[name], values[name])),
    );
  }
}
