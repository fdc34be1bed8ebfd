import { coreOf, type InnerRecord, reportSet, writeEdits } from '../model/record.js';
import { didChange, willChange } from '../model/record-owner.js';
import { settleErased } from '../model/settle.js';
import { isSame } from '../util/values.js';
import { sentEdits } from './entry-records.js';
import type { OutboxEntry } from './outbox-entry.js';

/** Rolls back the changes of a write that was given up, in its record. */
export function rollBack(record: InnerRecord, entry: OutboxEntry): void {
  if (entry.action === 'create') settleErased(record);
  else if (entry.action === 'destroy') didChange(record, { kind: 'restored' });
  else {
    const writtenEdits = writeEdits(record);
    const unchanged = [...sentEdits(record, entry)].filter(
      ([field, value]) => writtenEdits.has(field) && isSame(writtenEdits.get(field), value),
    );
    const fields = unchanged.map(([field]) => field);
    const { edits } = coreOf(record);
    for (const field of fields) field.embedding?.reject(record, edits?.get(field));
    willChange(
      record,
      fields.map(({ name }) => name),
    );
    // The edits are deleted rather than set back, because setting a field to its base value may count as an edit.
    for (const field of fields) edits?.delete(field);
    if (fields.length > 0) reportSet(record, fields);
  }
}
