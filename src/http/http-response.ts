/** An answer whose body has been received. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Headers;
  /** Where the answer came from, after redirects. */
  readonly url: string;
  readonly redirected: boolean;
  /** The body as text; empty where the request asked for a blob. */
  readonly text: string;
  /** The body: parsed where it is JSON, a blob where one was asked for, undefined where it is empty, else the text. */
  readonly body: unknown;
  /**
   * The body with every digit: `LongNumber`s stand where `body` has the nearest number. Readers read rows from it. Undefined where
   * `body` lacks no digit.
   */
  readonly exact?: unknown;
  /** Why the body is no JSON; undefined where it is, or is empty. */
  readonly malformed?: string;
  /** Rows that were handed over while the body came; it does not hold them. Undefined where none could be. */
  readonly streamed?: number;
  /** Whether the server said that what is known holds (304): of a list, `body` is that. Undefined where it was not asked. */
  readonly unchanged?: boolean;
  /** The platform's response. */
  readonly raw: Response;
}

/** The body of an answer with every digit of its numbers. */
export function exactBody(response: HttpResponse): unknown {
  return 'exact' in response ? response.exact : response.body;
}
