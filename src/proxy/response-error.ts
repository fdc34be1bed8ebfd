import { AuthError } from '../errors/auth-error.js';
import { ConflictError } from '../errors/conflict-error.js';
import type { DataError } from '../errors/data-error.js';
import { HttpError } from '../errors/http-error.js';
import type { Issue } from '../errors/issue.js';
import type { Problem } from '../errors/problem.js';
import { ValidationError } from '../errors/validation-error.js';
import type { HttpResponse } from '../http/http-response.js';
import { MODEL, type RecordModel } from '../operation/operation-record.js';
import { getMember } from '../util/data-path.js';
import type { ProxyRequest } from './proxy-request.js';

/** The error of an answer that is no success, with the fields under our names. */
export function responseError(request: ProxyRequest, read: Problem, model: RecordModel | undefined): DataError {
  const { response, operation } = request as { response: HttpResponse } & ProxyRequest;
  const { status, body } = response;
  const problem: Problem = { ...read, issues: read.issues.map((issue) => ({ ...issue, path: ownPath(issue, model) })) };
  const text = problem.detail ?? problem.title ?? problem.issues[0]?.message;
  const detail = text ? `: ${text}` : '';
  const options = { response, problem };
  if (status === 401 || status === 403) return new AuthError('http', { detail }, options);
  if (status === 409 || status === 412 || status === 428) {
    const [record] = operation.records;
    const base = record?.[MODEL].row(record);
    const id = record && !record.phantom ? model?.serverId(record) : undefined;
    const named = model?.rowId(body);
    // A body may have an id of its own, which is none of the record.
    const isRow = named !== undefined && String(named) === String(id ?? named);
    const theirs = getMember(body, 'current') ?? (isRow ? body : undefined);
    return new ConflictError('http', { detail }, { ...options, base, mine: request.body, theirs });
  }
  if (
    status === 422 ||
    ((status === 400 || (response.raw.ok && operation.action !== 'read')) &&
      problem.issues.some((issue) => issue.path.length > 0))
  ) {
    return new ValidationError(problem.issues, { status, problem });
  }
  return new HttpError('http', { detail }, options);
}

/** A server's member as the field that is mapped to it, or to what is nearest around it. */
function ownPath({ path }: Issue, model: RecordModel | undefined): readonly PropertyKey[] {
  let own = path;
  let most = 0;
  for (const { name, path: mapped } of model?.fields ?? []) {
    if (!mapped || mapped.length <= most || !mapped.every((each, i) => String(path[i]) === each)) continue;
    most = mapped.length;
    own = [name, ...path.slice(most)];
  }
  return own;
}
