import type { Data } from '../util/data-path.js';
import { isSame } from '../util/values.js';

/** A row as the server sent it, with the values that a library got of it. */
export interface KnownRow {
  /** Undefined: only some of its fields were read. */
  readonly row: Data | undefined;
  readonly values: Readonly<Data>;
}

/** A row that was read whole. */
export type WholeRow = KnownRow & { readonly row: Data };

/** A row that is remembered. `isSaved`: a save of the library has brought it. */
type Version = KnownRow & { readonly isSaved: boolean };

/** The rows of a record that a library got. */
interface Versions {
  /** The newest last. */
  readonly rows: readonly Version[];
  /** The fields whose values have changed without a save of the library, so that a form may show the ones before. */
  readonly changed: ReadonlySet<string>;
}

/** The most records whose rows are remembered. */
const MOST_RECORDS = 5000;
/** The most versions of one row: a form may have been opened before the row was read again. */
const MOST_VERSIONS = 4;

const NOTHING: Versions = { rows: [], changed: new Set() };

/**
 * The rows that a data provider has received. Libraries hold plain objects, which lack what a write needs: the version of the row, and its
 * members that no field declares.
 */
export class KnownRows {
  /** By the keys of the ids. */
  private readonly records: Map<string, Versions> = new Map();

  /** Remembers a row that was read, or that a save has brought. `saved` are the fields that the library has saved. */
  remember(key: string, known: KnownRow, saved?: readonly string[]): void {
    const { rows, changed } = this.records.get(key) ?? NOTHING;
    const others = rows.filter(({ row, values }) => !isSame(values, known.values) || (row && !known.row));
    const latest = rows.at(-1);
    const differing = latest ? changedNames(latest, known) : [];
    const isSaved = saved !== undefined || (latest?.isSaved === true && differing.length === 0);
    const names = [...changed, ...differing].filter((name) => !saved?.includes(name));
    this.records.delete(key);
    const next = [...others, { ...known, isSaved }].slice(-MOST_VERSIONS);
    this.records.set(key, { rows: next, changed: new Set(names) });
    if (this.records.size > MOST_RECORDS) this.records.delete(this.records.keys().next().value as string);
  }

  forget(key: string): void {
    this.records.delete(key);
  }

  /** The whole row whose values a library got, or the newest one if it does not say which; undefined: it is not remembered. */
  find(key: string, values: Readonly<Data> | undefined): WholeRow | undefined {
    const { rows } = this.records.get(key) ?? NOTHING;
    return rows.filter(isWhole).findLast((known) => !values || hasValues(values, known));
  }

  /** Whether all rows since then were brought by saves of the library, so that the user has made the changes. */
  isOwnSince(key: string, known: KnownRow): boolean {
    const { rows } = this.records.get(key) ?? NOTHING;
    return rows.slice(rows.findIndex(({ values }) => values === known.values) + 1).every(({ isSaved }) => isSaved);
  }

  /** The newest row that a library got of a record, whole or not. */
  latest(key: string): KnownRow | undefined {
    return this.records.get(key)?.rows.at(-1);
  }

  /** The fields of which a form may show values that are older than those of the newest row. */
  changedFields(key: string): ReadonlySet<string> {
    return (this.records.get(key) ?? NOTHING).changed;
  }

  /** The last other value of a field that was remembered. */
  valueBefore(key: string, name: string): unknown {
    const { rows } = this.records.get(key) ?? NOTHING;
    const now = rows.at(-1)?.values[name];
    return rows.findLast(({ values }) => Object.hasOwn(values, name) && !isSame(values[name], now))?.values[name];
  }

  /** The user was told that a record has changed, and knows its newest row now. */
  told(key: string): void {
    const known = this.records.get(key);
    if (known) this.records.set(key, { ...known, changed: new Set() });
  }
}

function isWhole(known: Version): known is Version & WholeRow {
  return known.row !== undefined;
}

/** Whether a library that holds these values got them of a row. */
function hasValues(values: Readonly<Data>, known: KnownRow): boolean {
  return Object.keys(known.values).every((name) => isSame(known.values[name], values[name]));
}

/** The fields that differ in two rows of a record. A row of which some fields were read tells nothing of the others. */
function changedNames(before: KnownRow, after: KnownRow): readonly string[] {
  const names = new Set([...Object.keys(before.values), ...Object.keys(after.values)]);
  const isTold = ({ row, values }: KnownRow, name: string) => row !== undefined || Object.hasOwn(values, name);
  return [...names].filter(
    (name) => isTold(before, name) && isTold(after, name) && !isSame(before.values[name], after.values[name]),
  );
}
