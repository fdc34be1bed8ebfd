import { ConflictError } from '../errors/conflict-error.js';
import type { MessageKey, MessageParams } from '../errors/messages.js';
import type { HttpErrorOptions } from '../errors/request-errors.js';
import { exactBody, type HttpResponse } from '../http/http-response.js';
import { MODEL, type OperationRecord } from '../operation/operation-record.js';
import { getMember, hasPath, isObject, parsePath, readPath } from '../util/data-path.js';
import { idKey } from '../util/id-key.js';
import type { DataProxy } from './data-proxy.js';
import type { ProxyRequest } from './proxy-request.js';

/** The error for a response that reports a conflict: the server has another version of the record. */
export function conflictError(
  { operation: { records }, body: mine }: ProxyRequest,
  reason: MessageKey,
  params: MessageParams,
  options: HttpErrorOptions,
): ConflictError {
  const [record] = records;
  return new ConflictError(reason, params, { ...options, base: record?.[MODEL].row(record), mine });
}

/**
 * Whether a write carried a version of the row, so that a 409 says that the row has changed: a condition in its headers, a lock version
 * that the dialect added, or the member `etagProperty` in its body.
 */
export function carriesVersion(
  request: ProxyRequest,
  { reader, writer }: Pick<DataProxy, 'reader' | 'writer'>,
): boolean {
  const { headers, body, versioned, operation } = request;
  const names = [headers, operation.headers].flatMap((each) => Object.keys(each ?? {}));
  if (versioned || names.some((name) => /^if-(match|unmodified-since)$/i.test(name))) return true;
  const { etagProperty } = reader;
  const row = writer.rootProperty ? readPath(body, parsePath(writer.rootProperty)) : body;
  return etagProperty !== '' && [[etagProperty], parsePath(etagProperty)].some((path) => hasPath(row, path));
}

/**
 * Whether an answer holds the row of the record as the server has it now, itself or under `current`. Its members are values then, and no
 * errors by field.
 */
export function holdsRow(response: HttpResponse, record: OperationRecord | undefined): boolean {
  if (!record || record.phantom) return false;
  const model = record[MODEL];
  const body = exactBody(response);
  const row = getMember(body, 'current') ?? body;
  const id = model.rowId(row);
  if (id === undefined || idKey(id) !== idKey(model.serverId(record))) return false;
  return model.fields.some(
    (field) =>
      field !== model.idField && field.path && hasPath(row, field.path) && !isObject(readPath(row, field.path)),
  );
}
