import { UnansweredError, type UnansweredErrorOptions } from './unanswered-error.js';

/** The request got no complete answer. */
export class NetworkError extends UnansweredError {
  override readonly name = 'NetworkError' as const;
  readonly code = 'network' as const;
  override readonly retryable: boolean = true;

  constructor(cause: unknown, options: UnansweredErrorOptions = {}) {
    super(options.inDoubt ? 'network-unconfirmed' : 'network', { why: why(cause) }, { ...options, cause });
  }
}

/** The platform hides the reason ("fetch failed") in the cause. */
function why(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, cause } = error;
  const inner = cause as { code?: string; message?: string } | undefined;
  return inner ? `${message} (${inner.code ?? inner.message})` : message;
}
