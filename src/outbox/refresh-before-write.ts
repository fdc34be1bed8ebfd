import type { HttpError } from '../errors/http-error.js';
import { changedNotes, type NoteValues } from '../extension/row-notes.js';
import { loadRecord } from '../model/read.js';
import { coreOf, type InnerRecord } from '../model/record.js';
import { keepEditedBase } from '../model/settle.js';
import { ROW } from '../model/symbols.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import { isSame } from '../util/values.js';
import { sentEdits, writtenRaw } from './entry-records.js';
import { isAgainstConflict, type OutboxEntry } from './outbox-entry.js';
import type { Item } from './queue.js';

/**
 * Reads the record's row before a write is sent, if other users have changed it (a conflict) or may have changed it since the edits
 * were stored. Undefined: no read is needed.
 */
export function refreshBeforeWrite(
  { entry, wasStored }: Item,
  record: InnerRecord,
  proxy: DataProxy,
): Promise<void> | undefined {
  if (isAgainstConflict(entry)) return load(record, proxy).catch(ignoreGone);
  return entry.action === 'update' && entry.notes && wasStored
    ? refreshAndCompare(entry, entry.notes, record, proxy)
    : undefined;
}

/**
 * Compares the row that the server has now with the row that was edited. Changes to other fields are no conflict. If an edited field
 * was changed, the write is sent with the old ETag, so that the server refuses it.
 */
async function refreshAndCompare(
  entry: OutboxEntry,
  notes: NoteValues,
  record: InnerRecord,
  proxy: DataProxy,
): Promise<void> {
  const { base } = entry;
  if (coreOf(record).incomplete) await load(record, proxy);
  const edits = [...sentEdits(record, entry)];
  const isAffected = edits.some(([field, mine]) => {
    const theirs = field.raw(record[ROW]);
    return !isSame(theirs, base[field.name]) && !isSame(theirs, mine);
  });
  if (!isAffected) return;
  // The notes hold the ETag of the row that was edited, which makes the server refuse the write. The user has not seen the row that was read
  // here, so the conflict must show the values on which the edits were made.
  const editedOver = edits.map(([field]) => [field, writtenRaw(field, base[field.name], record[ROW])] as const);
  keepEditedBase(record, new Map(editedOver), changedNotes({ values: notes }));
}

function load(record: InnerRecord, proxy: DataProxy): Promise<void> {
  return loadRecord(
    record,
    () => proxy,
    undefined,
    (operation) => operation,
  );
}

/** Ignores that the row is gone: the answer to the write will say so. Throws any other error. */
function ignoreGone(error: HttpError): void {
  const { status, reason } = error;
  if (status !== 404 && status !== 410 && reason !== 'reply-record') throw error;
}
