/**
 * A format of bodies other than JSON, such as `xml()` of `repose/xml`: the option `codec` of a proxy. Readers and writers work with the
 * same values as with JSON, so that all their options apply.
 *
 * @example
 * ```ts
 * const lines: BodyCodec = {
 *   name: 'lines',
 *   mediaType: 'text/plain',
 *   write: (body) => Object.values(Object(body)).join('\n'),
 *   parse: (text) => ({ lines: text.split('\n') }),
 * };
 * ```
 */
export interface BodyCodec {
  /** Name of the format in messages. */
  readonly name: string;
  /** Media type for `Accept` and `Content-Type`. */
  readonly mediaType: string;
  /**
   * Writes the body of a request. The body may contain dates, and `LongNumber`s for numbers that JavaScript cannot hold. What is thrown
   * refuses the request: `ValidationError` with the message.
   */
  write(body: unknown): string;
  /**
   * Parses the body of a response, which is not empty. Throws for a malformed text: of a response that is a success, this makes a
   * `ReadError` with the message.
   */
  parse(text: string): unknown;
}

/** A body as it is sent. */
export interface EncodedBody {
  readonly body: string | FormData;
  /** The `Content-Type`; undefined if the platform sets it, as for `FormData`. */
  readonly contentType: string | undefined;
  /** The body for people, which `explain` shows. */
  readonly text: string;
}
