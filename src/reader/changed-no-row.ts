import { modelOf, type RecordModel } from '../operation/operation-record.js';
import type { ProxyRequest } from '../proxy/proxy-request.js';
import { type Data, getMember, isData } from '../util/data-path.js';
import type { JsonReader } from './json-reader.js';
import { readPlace } from './place.js';

/** Members by which servers tell how many rows a write has changed. */
const USUAL_COUNTS = [
  ...['affected', 'affectedRows', 'affected_rows', 'changedRows', 'changes', 'count', 'deleted', 'deletedCount'],
  ...['matchedCount', 'modifiedCount', 'numRowsAffected', 'rowCount', 'rowsAffected', 'rows_affected'],
];

/**
 * Whether the response to an update or destroy says that no row was changed; for a bulk write, whether an entry of the response says so.
 * `body` is undefined for a response without a body.
 */
export function changedNoRow(body: unknown, request: ProxyRequest, reader: JsonReader): boolean {
  const { action, operation } = request;
  if (action !== 'update' && action !== 'destroy') return false;
  const { affected, empty, rootProperty } = reader;
  if (body === undefined) return (typeof empty === 'string' ? empty : empty[action]) === 'missing';
  if (affected !== '') return isZero(readPlace(body, affected, request));
  // The first response to an update may count rows of another kind; after a repeat, a missing record is likely.
  if (action === 'update' && !operation.repeated && !operation.unclear) return false;
  const model = modelOf(operation);
  const inside = typeof rootProperty === 'string' ? readPlace(body, rootProperty, request) : undefined;
  return [body, inside].some((each) => isData(each) && namesZero(each, model));
}

/** Whether a count of rows is 0. */
function isZero(count: unknown): boolean {
  return count === 0 || count === '0';
}

/** Whether a response that is no row tells by a usual name that no row was changed. */
function namesZero(answer: Data, model: RecordModel | undefined): boolean {
  if (model?.rowId(answer) !== undefined) return false;
  const isField = (name: string) => model?.fields.some(({ path }) => path?.[0] === name) ?? false;
  return USUAL_COUNTS.some((name) => isZero(getMember(answer, name)) && !isField(name));
}
