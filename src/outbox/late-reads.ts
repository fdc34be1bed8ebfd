import { setNotes } from '../extension/row-notes.js';
import type { Model } from '../model/model.js';
import { nextTime } from '../model/settle.js';
import { idKeyOf } from '../store/id-index.js';
import type { ObservedStore } from '../store/store-observer.js';
import type { Data } from '../util/data-path.js';
import { nameOfId } from './change-log.js';

/** The row that a record has on the server after an outcome; undefined: it was erased. */
export interface SettledRow {
  readonly row: Readonly<Data> | undefined;
  readonly notes: object | undefined;
}

/** The number of outcomes that are kept for each store. */
const MOST = 500;

/** The latest outcomes of writes, for the responses to reads that began before: their rows are older. */
export class LateReads {
  private readonly outcomes: WeakMap<object, Map<string, SettledRow & { readonly at: number }>> = new WeakMap();

  /** Notes an outcome of a record that a store may show. `names` are the names of the record. */
  note({ recordSet, definition }: ObservedStore<Model>, names: Iterable<string>, settled: SettledRow): void {
    const known = this.outcomes.get(recordSet) ?? new Map();
    this.outcomes.set(recordSet, known);
    const at = nextTime(definition);
    for (const name of names) {
      known.delete(name);
      known.set(name, { ...settled, at });
    }
    for (const name of known.keys()) {
      if (known.size <= MOST) return;
      known.delete(name);
    }
  }

  /** Replaces the rows of a read that are older than the outcomes of their records, and hides those of erased records. */
  correct({ recordSet, definition }: ObservedStore<Model>, rows: Data[], startedAt: number): void {
    const known = this.outcomes.get(recordSet);
    for (const [at, row] of known ? rows.entries() : []) {
      const id = definition.rowId(row);
      const settled = known?.get(nameOfId(definition.name, id) ?? '');
      if (!settled || settled.at <= startedAt) continue;
      const key = idKeyOf(id);
      if (!settled.row && key !== undefined) recordSet.tombstones.set(key, settled.at);
      if (!settled.row) continue;
      const newer = { ...settled.row };
      setNotes(newer, settled.notes && { values: settled.notes as Readonly<Record<string, unknown>>, changed: false });
      rows[at] = newer;
    }
  }
}
