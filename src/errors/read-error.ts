import { LongNumber } from '../util/long-number.js';
import { DataError, type DataErrorOptions } from './data-error.js';
import type { MessageKey, MessageParams } from './message-format.js';
import { quote } from './quoted-text.js';

/**
 * The server answered with success, but the response is not what was asked for.
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
    super(reason, { ...params, ...quotedTexts(params) }, options);
  }
}

/** The texts among parameters, as messages quote them: names, ids and addresses here are those of the server, of any length. */
function quotedTexts(params: MessageParams): MessageParams {
  const texts = Object.entries(params).filter(([, value]) => typeof value === 'string' || value instanceof LongNumber);
  return Object.fromEntries(texts.map(([name, text]) => [name, quote(String(text))]));
}
