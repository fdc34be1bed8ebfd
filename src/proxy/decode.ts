import { remedyOf } from '../dev/checks.js';
import type { replyMessages } from '../dev/messages/main.js';
import { ConflictError } from '../errors/conflict-error.js';
import type { DataError } from '../errors/data-error.js';
import { boundedProblem, type Problem } from '../errors/problem.js';
import { ReadError } from '../errors/read-error.js';
import { AuthError, HttpError } from '../errors/request-errors.js';
import { type Issue, ValidationError } from '../errors/validation-error.js';
import { exactBody, type HttpResponse } from '../http/http-response.js';
import { isFollowed, isRedirect, redirectError } from '../http/send.js';
import { followLink } from '../http/url.js';
import { isList, type Operation } from '../operation/operation.js';
import { MODEL, modelOf, type OperationRecord, type RecordModel, rowOf } from '../operation/operation-record.js';
import { ownPath } from '../operation/own-path.js';
import { isAskedForChange, ProxyRequest } from '../operation/proxy-request.js';
import { ResultSet } from '../operation/result-set.js';
import { getMember, hasPath, isObject, parsePath, readPath } from '../util/data-path.js';
import { idKey } from '../util/id-key.js';
import { idOfLocation } from './address.js';
import type { AjaxProxy } from './ajax-proxy.js';
import type { DataProxy } from './data-proxy.js';

/** Reads the response to a request into a result set. Throws the error that it reports, and `ReadError` for what it should not say. */
export function decode(request: ProxyRequest, proxy: AjaxProxy): ResultSet {
  const { operation, action, bulk } = request;
  const { dialect, singleton } = proxy;
  const { status, unchanged } = request.response as HttpResponse;
  const context = { request, options: proxy };
  const [record] = operation.records;
  let result: ResultSet;
  if (action !== 'read') result = dialect.readSaved(context);
  // The requested record has not changed, so its own row is the result.
  else if (status === 304 && !unchanged && record) result = new ResultSet({ rows: [rowOf(record)] });
  else result = dialect.readPage(context);
  if (!result.success) throw errorOfAnswer(request, proxy, result.affected === 0);
  if (action === 'update' && status === 201 && !bulk && !singleton) checkMadeAnew(request, proxy);
  const { url } = result.next ?? {};
  if (url !== undefined) result.next = { url: followLink(url, request.target, proxy.trustLinks) ?? url };
  // The `Location` of a bulk create names no single record, and a singleton has no id.
  if (action === 'create' && !bulk && !singleton) result.locationId = idOfLocation(request, proxy);
  return result;
}

/**
 * Throws `ReadError` if the answer to an update says that it has made a record. The method of creates, such as PUT with `createBy: 'put'`,
 * may be answered so. CouchDB answers so to each update, which has a condition.
 */
function checkMadeAnew(request: ProxyRequest, proxy: AjaxProxy): void {
  const { operation, method } = request;
  const methodOfCreates = proxy.getMethod(new ProxyRequest({ operation, action: 'create' }));
  if (method !== methodOfCreates && !carriesCondition(request, proxy)) throw new ReadError('response-created');
}

/** Throws the error of a response whose status is no success, and of one that nothing has asked for. */
export function checkStatus(request: ProxyRequest, proxy: AjaxProxy): void {
  const response = request.response as HttpResponse;
  const { redirected, raw, status, unchanged } = response;
  if (isRedirect(raw) || (redirected && !isFollowed(request))) throw redirectError(response, request.action === 'read');
  // A 304 that no extension asked for must not count as a success: it would commit a save, or empty a store.
  if (status === 304 && !unchanged && !isAskedForChange(request)) throw new ReadError('response-unchanged');
  if (!raw.ok && status !== 304 && !standsForPage(request, proxy)) throw errorOfAnswer(request, proxy);
}

/** Whether an unsuccessful response stands for a page of a list, as the dialect says. */
function standsForPage(request: ProxyRequest, proxy: AjaxProxy): boolean {
  const { dialect } = proxy;
  if (!dialect.isPage || request.named !== undefined || !isList(request.operation)) return false;
  return dialect.isPage({ request, options: proxy });
}

/**
 * The error that a response reports by its status or in its body. `changedNoRow`: a write was answered with a success, but has changed no
 * row.
 */
function errorOfAnswer(request: ProxyRequest, proxy: AjaxProxy, changedNoRow: boolean = false): DataError {
  const { operation } = request;
  const problem = proxy.dialect.readError({ request, options: proxy });
  if (changedNoRow) return noRowError(request.response as HttpResponse, problem);
  return responseError(request, problem, modelOf(operation), proxy);
}

/** The parts of a proxy that know the form of bodies. */
type BodyParts = Pick<DataProxy, 'reader' | 'writer'>;

/**
 * The error for an error response, with the server's field names replaced by those of the model; servers may name fields with the
 * wrapper of the body (`product.price`) or without.
 */
export function responseError(
  request: ProxyRequest,
  read: Problem,
  model: RecordModel | undefined,
  proxy: BodyParts,
): DataError {
  const { operation } = request;
  const response = answerOf(request, read);
  const { status } = response;
  const problem = ownProblem(read, response, operation, model, proxy);
  const { invalid = false, issues } = problem;
  if (!invalid && (status === 401 || status === 403))
    return new AuthError(reasonOf(status), detailOf(problem), { response, problem });
  if (status === 412 || status === 428) return answerError('conflict', request, problem);
  const mayRefuseValues = status === 400 || status === 409 || (response.raw.ok && operation.action !== 'read');
  if (invalid || status === 422 || (mayRefuseValues && issues.some(({ path }) => path.length > 0)))
    return new ValidationError(issues, { status, problem, remedy: remedyOf(idRemedy, operation, issues, proxy) });
  // A lock version that the dialect added says so too.
  const carriesVersion = request.versioned !== undefined || carriesCondition(request, proxy);
  const isStale = status === 409 && operation.action !== 'create' && carriesVersion;
  return answerError(isStale ? 'conflict' : 'http', request, problem);
}

/** The error of a response that is told as a conflict, in which the server has another version of the record, or as none. */
export function answerError(kind: 'conflict' | 'http', request: ProxyRequest, problem: Problem): HttpError<string> {
  const response = answerOf(request, problem);
  const { detail } = detailOf(problem);
  if (kind === 'http') return new HttpError(reasonOf(response.status), { detail }, { response, problem });
  const [record] = request.operation.records;
  return new ConflictError(
    response.status === 428 ? 'http-condition' : 'http-conflict',
    { detail: detail + (remedyOf(changedTagRemedy, request) ?? '') },
    { response, problem, base: record?.[MODEL].row(record), mine: request.body },
  );
}

/** The remedy if the condition of a write was an ETag that something has changed on the way here: it never matches. */
function changedTagRemedy({ headers, operation }: ProxyRequest): string | undefined {
  const given = Object.entries({ ...headers, ...operation.headers });
  const [, tag = ''] = given.find(([name]) => /^if-match$/i.test(name)) ?? [];
  if (!/^W\/|[-;:](gzip|br|zstd|deflate)"$/.test(tag)) return undefined;
  return `, as it does for ever if a proxy has changed the ETag while it compressed the response: \`If-Match: ${tag}\` then needs \`etags({ ifMatch })\`, such as \`(etag) => etag.replace('W/', '')\``;
}

/** The response, with the status that counts: a response with success may report a failure, whose status is then in the body. */
function answerOf({ response }: ProxyRequest, { status }: Problem): HttpResponse {
  const answer = response as HttpResponse;
  return answer.raw.ok && status >= 400 ? { ...answer, status } : answer;
}

/** The problem as the error keeps it, with the names of the fields. */
function ownProblem(
  read: Problem,
  response: HttpResponse,
  { records }: Operation,
  model: RecordModel | undefined,
  { writer }: BodyParts,
): Problem {
  const { wrapper, ...problem } = boundedProblem(read);
  if ((response.status === 409 || response.status === 412) && holdsRow(response, records[0]))
    return { ...problem, issues: [] };
  const root = writer.rootProperty ? parsePath(writer.rootProperty) : [];
  return {
    ...problem,
    issues: problem.issues.map((issue) => ({ ...issue, path: ownPath(issue.path, root, model, wrapper) })),
  };
}

/** The server's text. The built-in text continues after it, so its full stop is removed. */
function detailOf({ detail, title, issues }: Problem): { readonly detail: string } {
  const text = detail ?? title ?? issues[0]?.message;
  return { detail: text ? `: ${text.replace(/\.$/, '')}` : '' };
}

/** The key of the text for a status; the text includes the remedy. */
function reasonOf(status: number): Extract<keyof typeof replyMessages, `http${string}`> {
  if (status < 300) return 'http-refused';
  if (status === 401) return 'http-sign-in';
  if (status === 403) return 'http-forbidden';
  if (status === 404 || status === 410) return 'http-not-found';
  if (status === 405 || status === 501) return 'http-method';
  if (status === 406 || status === 415) return 'http-type';
  if (status === 409) return 'http-clash';
  if ([408, 425, 429, 502, 503, 504].includes(status)) return 'http-later';
  return status < 500 ? 'http' : 'http-server';
}

/** The remedy if the server found fault with the id of a create: by default a create does not send an id that the application set. */
function idRemedy(
  { action, records: [record] }: Operation,
  issues: readonly Issue[],
  { writer }: BodyParts,
): string | undefined {
  const model = record?.[MODEL];
  if (action !== 'create' || !model || model.naturalId || writer.writeRecordId) return undefined;
  const { name: field } = model.idField;
  const isLeftOut = issues.some(({ path }) => path[0] === field) && !model.edits(record).has(model.idField);
  if (!isLeftOut) return undefined;
  return `A new ${model.name} does not send its id '${field}': if the application gives it, set \`identifier: 'natural'\` in \`define\``;
}

/**
 * Whether a write was sent on the condition that the row is there and has not changed: by its headers, or by the member `etagProperty` in its
 * body.
 */
export function carriesCondition(
  { headers, body, operation }: ProxyRequest,
  { reader: { etagProperty }, writer: { rootProperty } }: BodyParts,
): boolean {
  const names = [headers, operation.headers].flatMap((each) => Object.keys(each ?? {}));
  if (names.some((name) => /^if-(match|unmodified-since)$/i.test(name))) return true;
  const row = rootProperty ? readPath(body, parsePath(rootProperty)) : body;
  return etagProperty !== '' && [[etagProperty], parsePath(etagProperty)].some((path) => hasPath(row, path));
}

/**
 * Whether a response holds the row of the record as the server has it now, itself or under `current`. Its members are values then, and no
 * errors by field.
 */
function holdsRow(response: HttpResponse, record: OperationRecord | undefined): boolean {
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

/**
 * The error for an update or destroy that was answered with a success, but has changed no row: its status is 404, as the record is
 * missing.
 */
export function noRowError(response: HttpResponse, problem: Problem): HttpError {
  const { detail } = problem;
  return new HttpError(
    'http-no-row',
    { detail: detail ? ` (${detail.replace(/\.$/, '')})` : '' },
    { response: { ...response, status: 404 }, problem: { ...problem, status: 404 } },
  );
}
