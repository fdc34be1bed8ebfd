import type { Json } from './data/json.js';

/** Messages by member name; in a bulk request the name starts with the entry's index, as in `0.email`. */
export type FieldErrors = Readonly<Record<string, readonly string[]>>;

/** Members that a problem reply may have besides its status and detail. */
export interface ProblemMembers {
  readonly errors?: FieldErrors;
  /** The query parameter that was refused. */
  readonly parameter?: string;
  /** The field, inside that parameter, that was refused. */
  readonly field?: string;
  /** The stored row, for a refused conditional write. */
  readonly current?: Json;
}

const titles: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

/** A refused request. The routes answer it as `application/problem+json`. */
export class Problem extends Error {
  override readonly name = 'Problem' as const;
  readonly status: number;
  readonly members: ProblemMembers;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    detail: string,
    members: ProblemMembers = {},
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(detail);
    this.status = status;
    this.members = members;
    this.headers = headers;
  }

  /** The response in the form of RFC 9457. */
  toResponse(): Response {
    const body = {
      type: 'about:blank',
      title: titles[this.status] ?? 'Error',
      status: this.status,
      detail: this.message,
      ...this.members,
    };
    return new Response(JSON.stringify(body), {
      status: this.status,
      headers: { ...this.headers, 'Content-Type': 'application/problem+json', 'Cache-Control': 'no-store' },
    });
  }
}
