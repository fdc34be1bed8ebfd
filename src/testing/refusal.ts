import { setMembers } from '../util/data-path.js';

/** A response of the test server before it becomes a `Response`. */
export interface Reply {
  readonly status: number;
  /** Sent as JSON; undefined: no body. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  412: 'Precondition Failed',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  428: 'Precondition Required',
  500: 'Internal Server Error',
};

/** Thrown if the test server refuses a request; sent as `application/problem+json` (RFC 9457). */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly more: { readonly headers?: Readonly<Record<string, string>>; readonly members?: object } = {},
  ) {
    super(message);
  }

  /** The body of the response, with the reason. */
  get problem(): object {
    const { status, message: detail } = this;
    const problem = { title: TITLES[status], status, detail };
    setMembers(problem, this.more.members);
    return problem;
  }

  get reply(): Reply {
    return {
      status: this.status,
      body: this.problem,
      headers: { 'Content-Type': 'application/problem+json', ...this.more.headers },
    };
  }
}
