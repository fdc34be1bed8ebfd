import type { MessageKey, MessageParams } from './messages.js';
import { UnansweredError, type UnansweredErrorOptions } from './unanswered-error.js';

/** Options of {@link NetworkError}. */
export interface NetworkErrorOptions extends UnansweredErrorOptions {
  /** The key of another text. @default `network`, or `network-unconfirmed` if a create may have been done */
  reason?: MessageKey | undefined;
  /** Parameters of that text, besides `why`. */
  params?: MessageParams | undefined;
}

/** The request got no complete answer. */
export class NetworkError extends UnansweredError {
  override readonly name = 'NetworkError' as const;
  readonly code = 'network' as const;
  override readonly retryable: boolean = true;

  constructor(cause: unknown, options: NetworkErrorOptions = {}) {
    const { reason = options.unconfirmed ? 'network-unconfirmed' : 'network', params } = options;
    super(reason, { ...params, why: why(cause) }, { ...options, cause });
  }
}

/** The reason of a failed request. Platforms only say "fetch failed" and keep the reason in `cause`. */
function why(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, cause } = error;
  const inner = cause as { code?: string; message?: string } | undefined;
  return inner ? `${message} (${inner.code ?? inner.message})` : message;
}
