import { ConflictError } from '../errors/conflict-error.js';
import type { HttpErrorOptions } from '../errors/http-error.js';
import type { MessageParams } from '../errors/messages.js';
import { exactBody } from '../http/http-response.js';
import { MODEL, type RecordModel } from '../operation/operation-record.js';
import { getMember } from '../util/data-path.js';
import { idKey } from '../util/same-id.js';
import type { ProxyRequest } from './proxy-request.js';

/** The error of an answer which says that the server has another version of the record; with that one, where the body holds it. */
export function conflictError(
  { operation, body: mine }: ProxyRequest,
  model: RecordModel | undefined,
  params: MessageParams,
  options: HttpErrorOptions,
): ConflictError {
  const body = exactBody(options.response);
  const [record] = operation.records;
  const base = record?.[MODEL].row(record);
  const id = record && !record.phantom ? model?.serverId(record) : undefined;
  const nameOf = (row: unknown) => model?.rowId(row);
  // A body may have an id of its own, or be the row of the record that is in the way.
  const isOther = (row: unknown) => idKey(nameOf(row) ?? id) !== idKey(id ?? nameOf(row));
  const row = getMember(body, 'current') ?? (nameOf(body) === undefined ? undefined : body);
  const theirs = isOther(row) ? undefined : row;
  return new ConflictError('http', params, { ...options, base, mine, theirs });
}
