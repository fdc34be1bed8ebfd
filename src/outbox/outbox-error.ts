import { outboxMessages } from '../dev/texts.js';
import { DataError, type DataErrorOptions } from '../errors/data-error.js';
import type { MessageParams } from '../errors/message-format.js';

/** The values of {@link OutboxError.code}. */
export type OutboxCode =
  | 'outbox-scope'
  | 'outbox-locked'
  | 'outbox-opened-twice'
  | 'outbox-taken-over'
  | 'outbox-blocked'
  | 'outbox-disconnected'
  | 'outbox-emptied'
  | 'outbox-set-aside'
  | 'outbox-locks'
  | 'outbox-storage'
  | 'outbox-quota'
  | 'outbox-version'
  | 'outbox-format'
  | 'outbox-truncated'
  | 'outbox-damaged'
  | 'outbox-decrypt'
  | 'outbox-migrate'
  | 'outbox-names'
  | 'outbox-other-scope'
  | 'outbox-model'
  | 'outbox-field'
  | 'outbox-parent'
  | 'outbox-refused'
  | 'outbox-unconfirmed'
  | 'outbox-erase'
  | 'outbox-state'
  | 'outbox-closed';

/** The codes after which the same call may succeed later. */
const RETRYABLE: ReadonlySet<OutboxCode> = new Set<OutboxCode>([
  'outbox-storage',
  'outbox-quota',
  'outbox-locked',
  'outbox-taken-over',
  'outbox-blocked',
  'outbox-disconnected',
]);

/**
 * The outbox cannot open, store, read or send something. No stored write is lost. Exported by `repose/outbox`.
 *
 * @example
 * ```ts
 * import { OutboxError } from 'repose/outbox';
 *
 * await outbox.ready.catch((error: unknown) => {
 *   if (!(error instanceof OutboxError)) throw error;
 *   show(error.code, error.userMessage); // such as 'outbox-quota' if the disk is full
 * });
 * ```
 */
export class OutboxError extends DataError {
  override readonly name = 'OutboxError' as const;
  readonly code: OutboxCode;
  /**
   * Whether the same call may succeed later.
   *
   * @default `outbox-storage`, `outbox-quota`, `outbox-locked`, `outbox-taken-over`, `outbox-blocked`, `outbox-disconnected`
   */
  override readonly retryable: boolean;

  constructor(code: OutboxCode, params: MessageParams = {}, options: DataErrorOptions = {}) {
    super(code, params, { ...options, messages: { ...outboxMessages, ...options.messages } });
    this.code = code;
    this.retryable = RETRYABLE.has(code);
  }
}
