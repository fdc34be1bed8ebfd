import { notesOf, setNotes } from '../extension/row-notes.js';
import type { BulkEntry, ResultSet } from '../operation/result-set.js';
import { type Data, deletePath, getMember, isData, parsePath, readPath } from '../util/data-path.js';
import type { JsonReader } from './json-reader.js';

/** What the answer to a bulk write says of each record, as a dialect has read it, or as the reader's options say. Read once. */
export function bulkEntriesOf(result: ResultSet, status: number | undefined, reader: JsonReader): readonly BulkEntry[] {
  result.entries ??= itemsOf(result.rows as Data[], status).map((item) => {
    const entry = toEntry(item, status, reader);
    const notes = isData(item) ? notesOf(item) : undefined;
    if (notes && entry.row) setNotes(entry.row, notes);
    return entry;
  });
  return result.entries;
}

/** The entries of a reply: its rows, or those that lie inside a multi-status. */
function itemsOf(rows: readonly Data[], status: number | undefined): readonly Data[] {
  const [only] = rows;
  if (status !== 207 || rows.length !== 1) return rows;
  const inside = ['results', 'responses', 'items', 'data'].map((name) => getMember(only, name)).find(Array.isArray);
  return ((inside ?? rows) as unknown[]).filter(isData);
}

/** An entry as the reader's options say, or as is usual in a multi-status. */
function toEntry(item: Data, answerStatus: number | undefined, reader: JsonReader): BulkEntry {
  const statusPath = reader.statusProperty || (answerStatus === 207 ? 'status' : '');
  const status = statusPath ? statusOf(readPath(item, parsePath(statusPath))) : undefined;
  if (status === undefined) return { item, row: item };
  const at = (path: string) => (path ? readPath(item, parsePath(path)) : undefined);
  const usual = ['body', 'data', 'resource', 'record'].map((name) => at(name)).find(isData);
  const inner = reader.bodyProperty ? at(reader.bodyProperty) : usual;
  if (status >= 400) return { item, status, row: undefined, problem: [at('error'), inner].find(isData) ?? item };
  if (isData(inner))
    return { item, status, row: 'id' in item && !('id' in inner) ? { ...inner, id: item['id'] } : inner };
  const row = { ...item };
  deletePath(row, parsePath(statusPath));
  return { item, status, row };
}

/** A status as a number, or in the words of HTTP: `HTTP/1.1 404 Not Found`. */
function statusOf(value: unknown): number | undefined {
  const [code] = /\b[1-5]\d\d\b/.exec(String(value)) ?? [];
  return code === undefined ? undefined : Number(code);
}
