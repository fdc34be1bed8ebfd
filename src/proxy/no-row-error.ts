import type { Problem } from '../errors/problem.js';
import { HttpError } from '../errors/request-errors.js';
import type { HttpResponse } from '../http/http-response.js';

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
