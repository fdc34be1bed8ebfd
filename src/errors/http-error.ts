import type { HttpResponse } from '../http/http-response.js';
import { DataError, type DataErrorOptions } from './data-error.js';
import type { MessageKey, MessageParams } from './messages.js';
import type { Problem } from './problem.js';

/** Options of errors about an answer. */
export interface HttpErrorOptions extends DataErrorOptions {
  response: HttpResponse;
  problem?: Problem | undefined;
}

/** The server answered with a status that is not a success, or with a body that says that the request failed. */
export class HttpError<Code extends string = 'http'> extends DataError {
  override readonly name: string = 'HttpError';
  readonly code: Code = 'http' as Code;
  override readonly retryable: boolean;
  /** HTTP status of the answer. */
  readonly status: number;
  /** The platform's response; its body is read already. */
  readonly response: Response;
  /** The body: parsed if it is JSON, otherwise as text. */
  readonly body: unknown;
  /** The contents of the body, in one shape for all servers. */
  readonly problem: Problem | undefined;

  constructor(reason: MessageKey, params: MessageParams, options: HttpErrorOptions) {
    super(reason, params, options);
    const { response } = options;
    this.status = response.status;
    this.response = response.raw;
    this.body = response.body;
    this.problem = options.problem;
    this.retryable = [408, 429, 502, 503, 504].includes(response.status);
  }
}
