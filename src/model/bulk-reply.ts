import { problemReaders } from '../dialect/define-dialect.js';
import type { DataError } from '../errors/data-error.js';
import { readBy } from '../errors/problem.js';
import type { HttpResponse } from '../http/http-response.js';
import type { Operation } from '../operation/operation.js';
import { MODEL } from '../operation/operation-record.js';
import type { ProxyRequest } from '../operation/proxy-request.js';
import type { BulkEntry, ResultSet } from '../operation/result-set.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import { noRowError, responseError } from '../proxy/decode.js';
import { bulkEntriesOf } from '../reader/bulk-entries.js';
import { type Data, getMember, isData } from '../util/data-path.js';
import { idKey } from '../util/id-key.js';
import { rounded } from '../util/rounded.js';
import { type Change, rowAfter } from './change.js';
import { hasSentValues } from './read-again.js';
import { coreOf, type InnerRecord } from './record.js';

/** How many rows in a place that may be wrong are compared with all others: a server may change a value of each row. */
const MOST_COMPARED = 20;

/** The outcome of one record, as the response to a bulk write reports it. */
export interface ReadEntry {
  readonly row: Data | undefined;
  readonly error: DataError | undefined;
}

/**
 * Reads the response to a bulk write. Returns a function that gives the outcome of the record at an index. The entry of a record
 * is found by its client id, by its id, or by its position if there is one entry for each record. If the row of a new record has
 * the values that were sent for another one, in whose place there are others, the server has another order: rows in the wrong
 * place are found by their values. An entry is either the row itself, or an object with a status and the row or the error.
 */
export function readEntries(
  operation: Operation,
  proxy: DataProxy,
  result: ResultSet,
  ids: readonly unknown[],
): (at: number) => ReadEntry | undefined {
  const records = operation.records as readonly InnerRecord[];
  const { clientIdProperty, writeRecordId } = proxy.writer;
  const { [MODEL]: model } = records[0] as InnerRecord;
  const create = operation.action === 'create';
  const entries = bulkEntriesOf(result, { operation, response: operation.response }, proxy.reader);
  const sentIds = new Set(create && !writeRecordId && !model.naturalId ? [] : ids.map(idKey));
  const entryKey = ({ row, item }: BulkEntry): unknown => {
    const parts = [item, row];
    const clientId =
      clientIdProperty && parts.map((each) => getMember(each, clientIdProperty)).find((each) => each != null);
    if (clientId || clientId === 0) return clientId;
    const id = model.rowId(row) ?? model.rowId(item);
    // The id of a created row identifies the record only if the client has sent that id.
    return create && !sentIds.has(idKey(id)) ? undefined : id;
  };
  const entriesByKey = new Map<string, BulkEntry>();
  for (const entry of entries) {
    const key = entryKey(entry);
    // If two entries report the same record, a failure counts.
    if (key !== undefined && !isFailure(entriesByKey.get(idKey(key)))) entriesByKey.set(idKey(key), entry);
  }
  const ordered = entries.length === ids.length;
  const isUnnamed = (entry: BulkEntry) => entryKey(entry) === undefined;
  const isJudged = create && ordered && entries.every((entry) => isUnnamed(entry) && isData(entry.row));
  const sent = isJudged ? records.map((record) => rowAfter(coreOf(record).change as Change)) : [];
  const fits = (place: number, at: number) => hasSentValues(model, sent[at] as Data, entries[place]?.row as Data);
  // The places whose row does not have the values that its record has sent.
  const changed = [...sent.keys()].filter((at) => !fits(at, at));
  const isMoved = changed.slice(0, MOST_COMPARED).some((place) => changed.some((at) => fits(place, at)));
  const moved = new Set(isMoved ? changed : []);
  const created = new Set<string>();
  // Two new records cannot have the same row, so the response says nothing about the second one.
  const isTaken = ({ row }: BulkEntry): boolean => {
    const id = create ? model.rowId(row) : undefined;
    const taken = id !== undefined && created.has(idKey(id));
    if (id !== undefined) created.add(idKey(id));
    return taken;
  };
  return (at) => {
    const record = records[at] as InnerRecord;
    const named = entriesByKey.get(idKey(ids[at]));
    const inOrder = ordered || records.length === 1 ? [at] : [];
    const places = moved.has(at) ? changed.filter((place) => fits(place, at)) : inOrder;
    const placed = places.flatMap((place) => entries[place] ?? []);
    const candidates = named ? [named] : placed.filter((each) => records.length === 1 || isUnnamed(each));
    const entry = candidates.find((each) => !isTaken(each));
    if (!entry) return undefined;
    return { row: entry.row, error: isFailure(entry) ? entryError(entry, operation, proxy, record, at) : undefined };
  };
}

function isFailure(entry: BulkEntry | undefined): boolean {
  return (entry?.status ?? 0) >= 400;
}

/** The error of an entry, made as if the entry were the response to a request for this record alone. */
function entryError(
  { status = 0, affected, problem, item }: BulkEntry,
  operation: Operation,
  proxy: DataProxy,
  record: InnerRecord,
  at: number,
): DataError {
  const { request, response } = operation;
  const { [MODEL]: model } = record;
  const body = problem ?? item;
  // A proxy of the application may have neither a request nor a response.
  const none = { headers: new Headers(), url: '', redirected: false, raw: new Response(null, { status }), text: '' };
  const { headers, url, redirected, raw, text } = response ?? none;
  const entryResponse: HttpResponse = { status, headers, url, redirected, raw, text, body: rounded(body), exact: body };
  const entryOperation: Operation = Object.assign(Object.create(operation) as Operation, {
    records: [record],
    response: entryResponse,
  });
  const sent = Array.isArray(request?.body) ? request.body[at] : request?.body;
  const entryRequest = Object.assign(Object.create(request ?? null) as ProxyRequest, {
    ...{ operation: entryOperation, response: entryResponse, body: sent },
  });
  const read = readBy(problemReaders(proxy), entryResponse.body, status);
  const error = affected === 0 ? noRowError(entryResponse, read) : responseError(entryRequest, read, model, proxy);
  return error.inContext(entryOperation, model.messages);
}
