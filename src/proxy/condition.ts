import { MODEL } from '../operation/operation-record.js';
import type { JsonReader } from '../reader/json-reader.js';
import type { ProxyRequest } from './proxy-request.js';

/** Whether ETags are kept and sent; a function says what becomes of each before it goes into `If-Match`. */
export type Conditional = boolean | ((etag: string) => string | undefined);

/** The header that makes a request conditional on the row that is known; none where nothing is. */
export function conditionOf(
  { action, bulk, named, operation }: ProxyRequest,
  { conditional, reader }: { readonly conditional: Conditional; readonly reader: JsonReader },
): Record<string, string> {
  const {
    records: [record],
    etag,
  } = operation;
  // A call that is no CRUD is about another resource than the row; one about several rows has no one tag.
  if (!conditional || named !== undefined || bulk || action === 'create') return {};
  if (action === 'read') return etag ? { 'If-None-Match': etag } : {};
  const known = etag ?? (record && (record[MODEL].etag(record) ?? reader.etagOf(record[MODEL].row(record))));
  const sent = known && typeof conditional === 'function' ? conditional(known) : known;
  return sent ? { 'If-Match': sent } : {};
}

/** Finds the ETag of a row of an answer: the row's own (`etagProperty`), else the header's where the answer is about one record. */
export function etagsOf(
  { operation, response }: ProxyRequest,
  reader: JsonReader,
): (row: unknown) => string | undefined {
  const { records, id, singleton } = operation;
  // Of a list the header is that of the page.
  const header = records.length === 1 || id !== undefined || singleton ? response?.headers.get('ETag') : undefined;
  return (row) => reader.etagOf(row) ?? header ?? undefined;
}
