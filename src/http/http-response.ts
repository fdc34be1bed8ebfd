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
  /** Why the body is no JSON; undefined where it is, or is empty. */
  readonly malformed?: string;
  /** Rows that were handed over while the body came; it does not hold them. Undefined where none could be. */
  readonly streamed?: number;
  /** Whether the server said that what is known holds (304): of a list, `body` is that. Undefined where it was not asked. */
  readonly unchanged?: boolean;
  /** The platform's response. */
  readonly raw: Response;
}
