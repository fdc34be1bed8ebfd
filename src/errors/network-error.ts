import { DataError, type DataErrorOptions } from './data-error.js';
import type { MessageParams } from './messages.js';

/** The request got no complete answer. */
export class NetworkError extends DataError {
  override readonly name = 'NetworkError' as const;
  readonly code = 'network' as const;
  override readonly retryable: boolean = true;
  /** Whether a create was sent, so that the record may exist on the server now. Nothing repeats such a request by itself. */
  readonly inDoubt: boolean;

  constructor(params: MessageParams, options: DataErrorOptions & { inDoubt?: boolean } = {}) {
    super(options.inDoubt ? 'network-doubt' : 'network', params, options);
    this.inDoubt = options.inDoubt ?? false;
  }
}
