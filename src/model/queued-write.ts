import type { QueuedWrite } from '../extension/keeper.js';
import type { FieldDefinition } from './field-definition.js';
import { type InnerRecord, isDirty } from './record.js';
import { CORE } from './symbols.js';

/** The saves and the erase of a record that an outbox keeps and sends by itself; undefined: none. */
export function queuedWrite(record: InnerRecord): QueuedWrite | undefined {
  return record[CORE]?.keeper?.queuedWrite(record);
}

/** Whether a field has an edit that is saved nowhere: neither on the server nor in an outbox. */
export function isUnsaved(record: InnerRecord, field: FieldDefinition): boolean {
  return (record[CORE]?.edits?.has(field) ?? false) && !queuedWrite(record)?.holds(field.name);
}

/** Whether a record has edits that are saved nowhere: neither on the server nor in an outbox. */
export function hasUnsaved(record: InnerRecord, queued: QueuedWrite | undefined): boolean {
  if (!queued) return isDirty(record);
  return [...(record[CORE]?.edits?.keys() ?? [])].some((field) => field.persist && !queued.holds(field.name));
}
