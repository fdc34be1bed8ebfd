import type { OperationRecord } from '../operation/operation-record.js';
import { DataError } from './data-error.js';
import type { MessageKey, MessageParams, Messages } from './messages.js';

/** A record was not sent, because a record that it refers to has no id yet. Temporary ids are never sent (H10). */
export class DependencyError extends DataError {
  override readonly name = 'DependencyError' as const;
  readonly code = 'dependency' as const;
  /** The record that it refers to. */
  declare readonly parent: OperationRecord;

  constructor(
    reason: MessageKey,
    params: MessageParams,
    parent: OperationRecord,
    cause?: unknown,
    messages?: Messages,
  ) {
    super(reason, params, { cause, messages });
    // Not enumerable: records must not get into logs.
    Object.defineProperty(this, 'parent', { value: parent });
  }
}
