import { DataError, type DataErrorOptions } from './data-error.js';
import type { MessageKey, MessageParams } from './message-format.js';
import { changeTexts, quote } from './quoted-text.js';

/**
 * The server answered with success, but the response is not what was asked for: HTML, malformed JSON, no id. Also a redirect that is not
 * followed: of a write, or of a read to another origin.
 *
 * @example
 * ```ts
 * await User.load(7).catch((error: unknown) => {
 *   if (error instanceof ReadError) show(error.message); // GET /users/7 answered 200 with HTML instead of JSON: …
 * });
 * ```
 */
export class ReadError extends DataError {
  override readonly name = 'ReadError' as const;
  readonly code = 'read' as const;

  constructor(reason: MessageKey, params: MessageParams = {}, options: DataErrorOptions = {}) {
    // Names, ids and addresses here are those of the server, of any length.
    super(reason, { ...params, ...changeTexts(params, quote) }, options);
  }
}
