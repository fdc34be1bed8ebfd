import { DataError, type DataErrorOptions } from './data-error.js';
import type { MessageKey, MessageParams } from './messages.js';

const texts = {
  'query-unsupported': 'The {dialect} dialect cannot say {what}',
  'query-field': "'{property}' is no field of {model}",
  'query-value': '{name} must be {expected}, not {value}',
  'query-partial': 'Only a part is loaded: {what} it would mislead. Set remote{remote} or `partial: true`',
};

/** The query cannot be said in the server's dialect, or answered from what the store holds; nothing was sent. */
export class UnsupportedQueryError extends DataError {
  override readonly name = 'UnsupportedQueryError' as const;
  readonly code = 'unsupported-query' as const;

  constructor(reason: MessageKey, params: MessageParams, options: DataErrorOptions = {}) {
    super(reason, params, { ...options, messages: { ...texts, ...options.messages } });
  }
}
