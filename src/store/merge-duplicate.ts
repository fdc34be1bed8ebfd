import { inheritNotes } from '../extension/row-notes.js';
import type { FieldDefinition } from '../model/field-definition.js';
import type { Model } from '../model/model.js';
import { coreOf, type InnerRecord, inner, setValues, valuesOf } from '../model/record.js';
import { forgetEdits, markFieldsUnconfirmed, markIncomplete, settleRead } from '../model/settle.js';
import { CORE, ROW } from '../model/symbols.js';
import { MODEL } from '../operation/operation-record.js';

/**
 * Holds records, among them two records of the same row. This happens when a load reads the row of a record while the create of that
 * record is in flight: the load makes a second record of the row.
 */
export interface DuplicateHolder<M extends Model> {
  /** Whether a record is being erased: then it must stay until the erase has ended. */
  isErasing?(record: M): boolean;
  /** Puts the record that stays in the place of the duplicate, and drops the duplicate. */
  replaceDuplicate(stays: M, duplicate: M): void;
}

/** Merges two records of the same row: pending changes of the duplicate move to the record that stays. */
export function mergeDuplicate<M extends Model>(stays: M, duplicate: M, holder: DuplicateHolder<M>): void {
  const [target, source] = [inner(stays), inner(duplicate)];
  markStale(target, source);
  // The holder calls this again when the writes of the duplicate have ended. Those that wait are sent by the duplicate.
  if (source[CORE]?.sent || source[CORE]?.entries.length || holder.isErasing?.(duplicate)) return;
  holder.replaceDuplicate(stays, duplicate);
  moveEdits(target, source);
}

/**
 * Marks both records as incomplete, so that the row is read before the next PUT: each of the two may have written values that the
 * other record does not know.
 */
function markStale(stays: InnerRecord, duplicate: InnerRecord): void {
  if (duplicate[CORE]) for (const record of [stays, duplicate]) markIncomplete(record);
}

/** Moves the edits of the duplicate to the record that stays. If both edited a field, the later edit wins. */
function moveEdits(stays: InnerRecord, duplicate: InnerRecord): void {
  const { [CORE]: sourceCore, [ROW]: row, [MODEL]: model } = duplicate;
  const { now } = model.clock;
  const takeRow = () => settleRead(stays, row, now, true) && inheritNotes(stays[ROW], row);
  const isNewerVersion = model.isOlder?.(stays[ROW], row) === true;
  if (!sourceCore) {
    if (isNewerVersion) takeRow();
    return;
  }
  const core = coreOf(stays);
  // Neither row shows whether an unconfirmed update of one of the records reached the server, so its fields stay unconfirmed.
  const unconfirmedFields = [sourceCore, core].flatMap((each) => [...(each.unconfirmedFields?.keys() ?? [])]);
  markFieldsUnconfirmed(stays, unconfirmedFields);
  // A duplicate that was written has a newer row than the record that stays.
  if (sourceCore.settledAt > 0 || isNewerVersion) takeRow();
  const isNewer = ({ name }: FieldDefinition) => (sourceCore.editedAt[name] ?? 0) > (core.editedAt[name] ?? 0);
  const moved = [...(sourceCore.edits?.keys() ?? [])].filter((field) => !core.edits?.has(field) || isNewer(field));
  const values = valuesOf(duplicate, moved);
  forgetEdits(duplicate);
  setValues(stays, values);
}
