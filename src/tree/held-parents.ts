import type { FieldDefinition } from '../model/field-definition.js';
import type { Model } from '../model/model.js';
import { inner } from '../model/record.js';
import { CORE, ROW } from '../model/symbols.js';

/**
 * The parents of records whose rows do not name them. They are kept beside the rows, so that a PUT does not send a member that the server does
 * not have, and a later row of the same kind does not make a root of the record.
 */
export class HeldParents<M extends Model> {
  private readonly ids: WeakMap<M, unknown> = new WeakMap();

  constructor(
    private readonly field: FieldDefinition,
    private readonly read: (record: M) => unknown,
  ) {}

  /** The id of the parent of a record: the one that the record names, or the one that is kept for it. */
  idOf(record: M): unknown {
    const { ids, field } = this;
    if (!ids.has(record)) return this.read(record);
    const { [CORE]: core, [ROW]: row } = inner(record);
    return core?.edits?.has(field) || field.raw(row) !== undefined ? this.read(record) : ids.get(record);
  }

  /** Keeps an id for records that do not name their parent. Returns those for which another id, or none, was kept before. */
  keep(records: readonly M[], id: unknown): M[] {
    const { ids, field } = this;
    const unnamed = records.filter((record) => field.raw(inner(record)[ROW]) === undefined);
    const changed = unnamed.filter((record) => ids.get(record) !== id);
    for (const record of changed) ids.set(record, id);
    return changed;
  }

  /** Keeps the parent that the row of a record names now, for later rows that do not name it. */
  rowChanged(record: M): void {
    const id = this.field.raw(inner(record)[ROW]);
    if (id !== undefined && this.ids.has(record)) this.ids.set(record, id);
  }
}
