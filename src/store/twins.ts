import { coreOf, type InnerRecord, setValues } from '../model/record.js';
import { InnerState } from '../model/record-state.js';
import { settleRead } from '../model/settle.js';
import { CORE, ROW } from '../model/symbols.js';
import { MODEL } from '../operation/operation-record.js';

// A row that is read while its record is being created makes a second record of it.

/** Of two records of one row, each may have written what the other does not know: it is read before either is written whole. */
export function distrust(stays: InnerRecord, goes: InnerRecord): void {
  const from = goes[CORE];
  if (from) coreOf(stays).partial = from.partial = true;
}

/** What is to be written of one of two records of one row is to be of the other. Of a field that both have, the one edited last says what. */
export function takeOver(stays: InnerRecord, goes: InnerRecord): void {
  const { [CORE]: from, [ROW]: row, [MODEL]: model } = goes;
  if (!from) return;
  if (from.settledAt > 0 && settleRead(stays, row, model.clock.now, true)) coreOf(stays).etag = from.etag;
  const { edits, editedAt } = coreOf(stays);
  for (const field of edits?.keys() ?? [])
    if (!((from.editedAt[field.name] as number) > (editedAt[field.name] as number))) from.edits?.delete(field);
  const { modified } = new InnerState(goes);
  // What a `sync()` has planned for it has nothing left to write.
  from.edits = undefined;
  setValues(stays, modified);
}
