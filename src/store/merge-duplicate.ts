import { inheritNotes } from '../extension/row-notes.js';
import type { BaseModel } from '../model/base-model.js';
import { coreOf, type InnerRecord, inner, setValues } from '../model/record.js';
import { InnerState } from '../model/record-state.js';
import { nextTime, settleRead } from '../model/settle.js';
import { CORE, ROW } from '../model/symbols.js';
import { MODEL } from '../operation/operation-record.js';

/** Holds records, and among them two of one row: a page that was read while a record was being created made another one of its row. */
export interface DuplicateHolder<M extends BaseModel> {
  /** Whether a record is being erased, and must stay until that has ended. */
  isErasing?(record: M): boolean;
  /** Puts the record that stays in the place of its duplicate, and forgets the duplicate. */
  replaceDuplicate(stays: M, duplicate: M): void;
}

/** Makes two records of one row one: pending changes of the duplicate move to the record that stays. */
export function mergeDuplicate<M extends BaseModel>(stays: M, duplicate: M, holder: DuplicateHolder<M>): void {
  const [kept, gone] = [inner(stays), inner(duplicate)];
  markStale(kept, gone);
  // The holder merges them when the write of the duplicate has ended.
  if (gone[CORE]?.sent || holder.isErasing?.(duplicate)) return;
  holder.replaceDuplicate(stays, duplicate);
  moveEdits(kept, gone);
}

/** Each of two records of one row may have written what the other does not know: it is read before it is written whole. */
function markStale(stays: InnerRecord, duplicate: InnerRecord): void {
  const from = duplicate[CORE];
  if (from) coreOf(stays).incomplete = from.incomplete = true;
}

/** Moves the edits of a duplicate to the record that stays. Of a field that was edited in both, the later edit counts. */
function moveEdits(stays: InnerRecord, duplicate: InnerRecord): void {
  const { [CORE]: from, [ROW]: row, [MODEL]: model } = duplicate;
  if (!from) return;
  const core = coreOf(stays);
  const { now } = model.clock;
  // The row of the duplicate does not tell how the unconfirmed updates of either ended.
  const unconfirmedFields = [from, core].flatMap((each) => [...(each.unconfirmedFields?.keys() ?? [])]);
  core.markFieldsUnconfirmed(unconfirmedFields, nextTime(model));
  // The duplicate was written later than the record that stays.
  if (from.settledAt > 0 && settleRead(stays, row, now, true)) inheritNotes(stays[ROW], row);
  const { edits, editedAt } = core;
  for (const field of edits?.keys() ?? [])
    if (!((from.editedAt[field.name] as number) > (editedAt[field.name] as number))) from.edits?.delete(field);
  const { modified } = new InnerState(duplicate);
  // A `sync()` that has planned to write the duplicate finds nothing to write.
  from.edits = undefined;
  setValues(stays, modified);
}
