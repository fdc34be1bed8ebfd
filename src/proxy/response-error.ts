import { AuthError } from '../errors/auth-error.js';
import type { DataError } from '../errors/data-error.js';
import { HttpError } from '../errors/http-error.js';
import type { Issue } from '../errors/issue.js';
import type { replyMessages } from '../errors/messages/replies.js';
import { formatMessage } from '../errors/messages.js';
import type { Problem } from '../errors/problem.js';
import { ValidationError } from '../errors/validation-error.js';
import type { HttpResponse } from '../http/http-response.js';
import type { Operation } from '../operation/operation.js';
import { MODEL, type RecordModel } from '../operation/operation-record.js';
import { ownPath } from '../operation/own-path.js';
import { parsePath } from '../util/data-path.js';
import type { DataProxy } from './data-proxy.js';
import type { ProxyRequest } from './proxy-request.js';
import { conflictError } from './response-conflict.js';

/** Whether a status reports a conflict: the server has another version of the record. */
function isConflict(status: number): boolean {
  return status === 409 || status === 412 || status === 428;
}

/**
 * The error for an error response, with the server's field names replaced by those of the model. `wrapper` is the path that the writer
 * wraps bodies in: servers may name fields with it (`product.price`) or without. `remedyOf` may add a remedy to the validation
 * errors of the server.
 */
export function responseError(
  request: ProxyRequest,
  read: Problem,
  model: RecordModel | undefined,
  wrapper: string,
  remedyOf?: (issues: readonly Issue[]) => string | undefined,
): DataError {
  const { response: answer, operation } = request as { response: HttpResponse } & ProxyRequest;
  // An answer with success may report a failure, whose status is then in the body.
  const status = answer.raw.ok && read.status >= 400 ? read.status : answer.status;
  const response = status === answer.status ? answer : { ...answer, status };
  const root = wrapper ? parsePath(wrapper) : [];
  const issues = read.issues.map((issue) => ({ ...issue, path: ownPath(issue.path, root, model) }));
  const problem: Problem = { ...read, issues };
  const text = problem.detail ?? problem.title ?? problem.issues[0]?.message;
  // The built-in text continues after the server's text, so the server's full stop is removed.
  const params = { detail: text ? `: ${text.replace(/\.$/, '')}` : '' };
  const options = { response, problem };
  const { invalid = false } = problem;
  if (!invalid && (status === 401 || status === 403)) return new AuthError(reasonOf(status), params, options);
  if (isConflict(status)) return conflictError(request, reasonOf(status), params, options);
  if (
    invalid ||
    status === 422 ||
    ((status === 400 || (response.raw.ok && operation.action !== 'read')) &&
      problem.issues.some((issue) => issue.path.length > 0))
  ) {
    return new ValidationError(problem.issues, { status, problem, remedy: remedyOf?.(problem.issues) });
  }
  return new HttpError(reasonOf(status), params, options);
}

/** The key of the text for a status; the text includes the remedy. */
function reasonOf(status: number): Extract<keyof typeof replyMessages, `http${string}`> {
  if (status < 300) return 'http-refused';
  if (status === 401) return 'http-sign-in';
  if (status === 403) return 'http-forbidden';
  if (status === 404 || status === 410) return 'http-not-found';
  if (status === 405 || status === 501) return 'http-method';
  if (status === 406 || status === 415) return 'http-type';
  if (status === 409 || status === 412) return 'http-conflict';
  if (status === 428) return 'http-condition';
  if ([408, 425, 429, 502, 503, 504].includes(status)) return 'http-later';
  return status < 500 ? 'http' : 'http-server';
}

/** The remedy if the server found fault with the id of a create: by default a create does not send an id that the application set. */
export function idRemedy(
  { action, records: [record] }: Operation,
  issues: readonly Issue[],
  { writer, messages }: Pick<DataProxy, 'writer' | 'messages'>,
): string | undefined {
  const model = record?.[MODEL];
  if (action !== 'create' || !model || model.naturalId || writer.writeRecordId) return undefined;
  const { name: field } = model.idField;
  const isLeftOut = issues.some(({ path }) => path[0] === field) && !model.edits(record).has(model.idField);
  return isLeftOut ? formatMessage('id-not-sent', { model: model.name, field }, messages) : undefined;
}
