import type { QueuedWrite } from '../extension/keeper.js';
import { MODEL } from '../operation/operation-record.js';
import type { FieldDefinition } from './field-definition.js';
import { type InnerRecord, isDirty, reject } from './record.js';
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

/**
 * Drops the edits of a record; with names, those of these fields. If an outbox keeps a write of the record, only what is saved nowhere is
 * dropped: the record shows what the outbox sends. Throws `StateError` for an unknown name.
 */
export function rejectUnsaved(record: InnerRecord, names?: readonly string[]): void {
  const core = record[CORE];
  const queued = queuedWrite(record);
  const fields = names?.map((name) => record[MODEL].field(name));
  if (!core || !queued || fields?.includes(undefined)) return reject(record, names);
  if (core.busy) {
    // Saves that wait behind the write in flight are taken back.
    reject(record, names);
    return core.keeper?.showSaved(record, names);
  }
  const isUnsaved = (field: FieldDefinition) => (fields?.includes(field) ?? true) && !queued.holds(field.name);
  const unsaved = [...(core.edits?.keys() ?? [])].filter(isUnsaved).map(({ name }) => name);
  const others = unsaved.filter((name) => !queued.writes(name));
  if (others.length > 0) reject(record, others);
  const saved = unsaved.filter((name) => queued.writes(name));
  if (saved.length > 0) core.keeper?.showSaved(record, saved);
}
