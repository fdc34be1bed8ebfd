import type { MessageKey, MessageParams } from './messages.js';
import { UnansweredError, type UnansweredErrorOptions } from './unanswered-error.js';

/** What a {@link NetworkError} is made from. */
export interface NetworkErrorOptions extends UnansweredErrorOptions {
  /** Another text than that of a request without an answer. */
  reason?: MessageKey | undefined;
  /** What that text is filled with, beside `why`. */
  params?: MessageParams | undefined;
}

/** The request got no complete answer. */
export class NetworkError extends UnansweredError {
  override readonly name = 'NetworkError' as const;
  readonly code = 'network' as const;
  override readonly retryable: boolean = true;

  constructor(cause: unknown, options: NetworkErrorOptions = {}) {
    const { reason = options.inDoubt ? 'network-unconfirmed' : 'network', params } = options;
    super(reason, { ...params, why: why(cause) }, { ...options, cause });
  }
}

/** The platform hides the reason ("fetch failed") in the cause. */
function why(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, cause } = error;
  const inner = cause as { code?: string; message?: string } | undefined;
  return inner ? `${message} (${inner.code ?? inner.message})` : message;
}
