import type { HttpError } from '../errors/http-error.js';
import type { NoteValues } from '../extension/row-notes.js';
import { keepBase } from '../model/conflict-base.js';
import { loadRecord } from '../model/read.js';
import { coreOf, type InnerRecord, withWritten } from '../model/record.js';
import { ROW } from '../model/symbols.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import { isSame } from '../util/values.js';
import { sentEdits, withNotes, writtenRaw } from './entry-records.js';
import { isAgainstConflict, type OutboxEntry } from './outbox-entry.js';
import type { Item } from './queue.js';

/** Reads the row before a write goes, where others are known to have written it, or may have; undefined where nobody can. */
export function refreshBeforeWrite(
  { entry, found }: Item,
  record: InnerRecord,
  proxy: DataProxy,
): Promise<void> | undefined {
  if (isAgainstConflict(entry)) return load(record, proxy).catch(passGone);
  return entry.action === 'update' && entry.notes && found ? compare(entry, entry.notes, record, proxy) : undefined;
}

/**
 * Looks at what others have written since the edits were made: what touches none of the edited fields is no conflict, the rest
 * is for the server to refuse.
 */
async function compare(entry: OutboxEntry, notes: NoteValues, record: InnerRecord, proxy: DataProxy): Promise<void> {
  const { base } = entry;
  if (coreOf(record).incomplete) await load(record, proxy);
  const edits = [...sentEdits(record, entry)];
  const isAffected = edits.some(([field, mine]) => {
    const theirs = field.raw(record[ROW]);
    return !isSame(theirs, base[field.name]) && !isSame(theirs, mine);
  });
  if (!isAffected) return;
  // With the ETag of the row that was edited.
  record[ROW] = withNotes(record[ROW], notes);
  // Nobody has seen the row that was read here: the conflict is told, and merged, from what the edits were made over.
  const before = edits.map(([field]) => [field, writtenRaw(field, base[field.name], record[ROW])] as const);
  keepBase(record, withWritten(record, new Map(before)));
}

function load(record: InnerRecord, proxy: DataProxy): Promise<void> {
  return loadRecord(
    record,
    () => proxy,
    undefined,
    (operation) => operation,
  );
}

/** That there is no row any more is for the answer to the write to tell. */
function passGone(error: HttpError): void {
  const { status, reason } = error;
  if (status !== 404 && status !== 410 && reason !== 'reply-record') throw error;
}
