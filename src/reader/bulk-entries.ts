import { notesOf, setNotes } from '../extension/row-notes.js';
import type { HttpResponse } from '../http/http-response.js';
import { modelOf } from '../operation/operation-record.js';
import type { ProxyRequest } from '../operation/proxy-request.js';
import type { BulkEntry, ResultSet } from '../operation/result-set.js';
import { type Data, deletePath, getMember, isData, parsePath, readPath } from '../util/data-path.js';
import { changedNoRow, type JsonReader } from './json-reader.js';

/** The answered bulk write whose entries are read. A proxy of the application may have neither a request nor a response. */
type Answered = Pick<ProxyRequest, 'operation'> & { readonly response: HttpResponse | undefined };

/** The entries of a bulk response, one per record: those that the dialect read, else read by the reader's options. Cached in `result`. */
export function bulkEntriesOf(
  result: ResultSet,
  { operation, response }: Answered,
  reader: JsonReader,
): readonly BulkEntry[] {
  const { saved } = reader;
  const model = modelOf(operation);
  result.entries ??= itemsOf(result.rows as Data[], response?.status).map((item) => {
    const read = toEntry(item, response?.status, reader);
    const failed = (read.status ?? 0) >= 400;
    if (!failed && operation.request && changedNoRow(item, operation.request, reader))
      return { item, status: 404, row: undefined, affected: 0 };
    const entry = saved && read.row ? { ...read, row: reader.savedRow(item, saved, model, operation.request) } : read;
    const notes = isData(item) ? notesOf(item) : undefined;
    if (notes && entry.row) setNotes(entry.row, notes);
    return entry;
  });
  return result.entries;
}

/** The entries of a reply: its rows, or the entries inside a multi-status body. */
function itemsOf(rows: readonly Data[], status: number | undefined): readonly Data[] {
  const [only] = rows;
  if (status !== 207 || rows.length !== 1) return rows;
  const inside = ['results', 'responses', 'items', 'data'].map((name) => getMember(only, name)).find(Array.isArray);
  return ((inside ?? rows) as unknown[]).filter(isData);
}

/** Reads an entry by the reader's options, else in the usual form of a multi-status. */
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

/** The status from a number, or from a status line such as `HTTP/1.1 404 Not Found`. */
function statusOf(value: unknown): number | undefined {
  const [code] = /\b[1-5]\d\d\b/.exec(String(value)) ?? [];
  return code === undefined ? undefined : Number(code);
}
