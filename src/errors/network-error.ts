import { DataError, type DataErrorOptions } from './data-error.js';

/** The request got no complete answer. */
export class NetworkError extends DataError {
  override readonly name = 'NetworkError' as const;
  readonly code = 'network' as const;
  override readonly retryable: boolean = true;
  /** Whether a create was sent, so that the record may exist on the server now. Without an idempotency key nothing repeats it by itself. */
  readonly inDoubt: boolean;

  constructor(cause: unknown, { inDoubt = false, ...options }: DataErrorOptions & { inDoubt?: boolean } = {}) {
    super(inDoubt ? 'doubt' : 'network', { why: why(cause) }, { ...options, cause });
    this.inDoubt = inDoubt;
  }
}

/** The platform hides the reason ("fetch failed") in the cause. */
function why(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, cause } = error;
  const inner = cause as { code?: string; message?: string } | undefined;
  return inner ? `${message} (${inner.code ?? inner.message})` : message;
}
