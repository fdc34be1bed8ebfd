import { LongNumber } from '../util/long-number.js';
import { DataError, type DataErrorOptions } from './data-error.js';
import type { MessageKey, MessageParams } from './messages.js';
import { quote } from './quote.js';

/** The server answered with success, but the answer is not what was asked for. */
export class ReadError extends DataError {
  override readonly name = 'ReadError' as const;
  readonly code = 'read' as const;

  constructor(reason: MessageKey, params: MessageParams = {}, options: DataErrorOptions = {}) {
    // Names, ids and addresses here are those of the server, which may be of any length.
    const quoted = Object.entries(params).map(([name, value]) => [
      name,
      typeof value === 'string' || value instanceof LongNumber ? quote(String(value)) : value,
    ]);
    super(reason, Object.fromEntries(quoted), options);
  }
}
