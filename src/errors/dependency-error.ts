import type { OperationRecord } from '../operation/operation-record.js';
import { DataError } from './data-error.js';
import type { MessageKey, MessageParams } from './messages.js';

/** A record was not sent because one that it refers to has no id yet: a temporary id never leaves (H10). */
export class DependencyError extends DataError {
  override readonly name = 'DependencyError' as const;
  readonly code = 'dependency' as const;
  /** The record that it refers to. */
  declare readonly parent: OperationRecord;

  constructor(reason: MessageKey, params: MessageParams, parent: OperationRecord, cause?: unknown) {
    const messages = {
      'parent-failed': "{model} {id} was not sent: its '{field}', {parent} {parentId}, could not be saved ({why})",
      'parent-new': "{model} {id} was not sent: its '{field}', {parent} {parentId}, was never saved: save it first",
      'parent-gone': "{model} {id} was not sent: its '{field}', {parent} {parentId}, was dropped before it was saved",
      'parent-circle': "{model} {id} was not sent: by its '{field}' new records refer to each other in a circle",
    };
    super(reason, params, { cause, messages });
    // Not enumerable: logs should not hold records.
    Object.defineProperty(this, 'parent', { value: parent });
  }
}
