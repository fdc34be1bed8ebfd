import { AuthError } from '../errors/auth-error.js';
import { ConflictError } from '../errors/conflict-error.js';
import type { DataError } from '../errors/data-error.js';
import { HttpError } from '../errors/http-error.js';
import type { Issue } from '../errors/issue.js';
import type { Messages } from '../errors/messages.js';
import type { Problem } from '../errors/problem.js';
import { ValidationError } from '../errors/validation-error.js';
import type { HttpResponse } from '../http/http-response.js';
import { MODEL, type RecordModel } from '../operation/operation-record.js';
import { getMember, isData } from '../util/data-path.js';
import type { ProxyRequest } from './proxy-request.js';

/** The error of an answer that is no success, with the fields under our names. */
export function responseError(
  request: ProxyRequest,
  read: Problem,
  model: RecordModel | undefined,
  messages?: Messages,
): DataError {
  const { operation, method, url } = request;
  const response = request.response as HttpResponse;
  const { status, body } = response;
  const problem: Problem = { ...read, issues: read.issues.map((issue) => ({ ...issue, path: ownPath(issue, model) })) };
  const text = problem.detail ?? problem.title ?? problem.issues[0]?.message;
  const params = { method, url, status, detail: text ? `: ${text}` : '' };
  const options = { operation, messages, response, problem };
  if (status === 401 || status === 403) return new AuthError('http', params, options);
  if (status === 409 || status === 412 || status === 428) {
    const record = operation.records[0];
    const base = record?.[MODEL].row(record) ?? {};
    const theirs = getMember(body, 'current') ?? (model?.rowId(body) !== undefined ? body : undefined);
    return new ConflictError('http', params, {
      ...options,
      base,
      mine: isData(request.body) ? request.body : {},
      theirs: isData(theirs) ? theirs : undefined,
    });
  }
  if (status === 422 || (status === 400 && problem.issues.some((issue) => issue.path.length > 0))) {
    return new ValidationError(problem.issues, { operation, messages, status, problem });
  }
  return new HttpError('http', params, options);
}

/** A server's member as the field that is mapped to it. */
function ownPath({ path }: Issue, model: RecordModel | undefined): readonly PropertyKey[] {
  for (const field of model?.fields ?? []) {
    const mapped = field.path;
    if (mapped?.every((name, i) => String(path[i]) === name)) return [field.name, ...path.slice(mapped.length)];
  }
  return path;
}
