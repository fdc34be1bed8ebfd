import type { OperationRecord } from '../operation/operation-record.js';
import type { RecordConflict } from './conflict-error.js';
import { DataError, type DataErrorOptions } from './data-error.js';
import type { MessageKey, MessageParams, Messages } from './message-format.js';

/**
 * A record refers to a new one (`parent`) that could not be saved, was dropped or never saved, or that refers back to it. Nothing was sent:
 * temporary ids never are.
 *
 * @example
 * ```ts
 * const order = new Order({ customer: 'Ada' });
 * const line = new Line({ orderId: order.id, sku: 'A-1' });
 * await line.save().catch((error: unknown) => {
 *   if (error instanceof DependencyError) show(error.parent === order); // true: save the order first
 * });
 * ```
 */
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

/**
 * Thrown by `batch.orThrow()` if some records of the batch could not be written: `errors` has the error of each.
 *
 * @example
 * ```ts
 * users.add({ name: 'Grace' }, { name: 'Alan' });
 * const batch = await users.sync();
 * try {
 *   batch.orThrow();
 * } catch (error) {
 *   if (error instanceof BatchError) for (const each of error.errors) show(each.userMessage);
 * }
 * ```
 */
export class BatchError extends DataError {
  override readonly name = 'BatchError' as const;
  readonly code = 'batch' as const;
  /** The error of each record that failed. */
  readonly errors: readonly DataError[];

  constructor(errors: readonly DataError[], total: number) {
    super('sync', { count: errors.length, total, first: errors[0]?.message ?? 'none' }, { cause: errors[0] });
    this.errors = errors;
  }
}

/**
 * Thrown by `dialog.merge()` and `applyChanges()` if both sides have changed a field to different values, or one side has changed a record that
 * the other one has removed. Nothing was changed: decide about the `conflicts`, and call it again.
 *
 * @example
 * ```ts
 * try {
 *   dialog.merge();
 * } catch (error) {
 *   if (!(error instanceof MergeError)) throw error;
 *   for (const { field, mine, theirs } of error.conflicts) show(field, mine, theirs); // such as 'name' 'Grace' 'Ada'
 *   dialog.merge(({ mine }) => mine); // the fork wins
 * }
 * ```
 */
export class MergeError extends DataError {
  override readonly name = 'MergeError' as const;
  readonly code = 'merge' as const;
  /** The fields that are not decided. */
  declare readonly conflicts: readonly RecordConflict[];

  /** @param fields Names the records and fields, for the message. */
  constructor(conflicts: readonly RecordConflict[], fields: string) {
    super('merge', { count: conflicts.length, fields });
    // Not enumerable: records must not get into logs.
    Object.defineProperty(this, 'conflicts', { value: conflicts });
  }
}

/** Codes of {@link SyncError}. */
export type SyncCode = 'skipped' | 'undone' | 'not-undone';

/**
 * The outcome of a record that `sync()` did not write, or wrote and undid, because the write of another record failed. `skipped`: not
 * sent. `undone`: written, then undone. `not-undone`: written and not undone, or it is not known whether it was undone (`undoError`).
 *
 * @example
 * ```ts
 * users.add({ name: 'Grace' }, { name: 'Alan' });
 * const { outcomes } = await users.sync({ onFailure: rollback }); // the server refuses Alan
 * for (const { record, error } of outcomes)
 *   if (error instanceof SyncError) show(record.name, error.code); // 'Grace' 'undone': created, then erased again
 * ```
 */
export class SyncError extends DataError {
  override readonly name = 'SyncError' as const;
  readonly code: SyncCode;

  constructor(code: SyncCode, reason: MessageKey, params: MessageParams, options?: DataErrorOptions) {
    super(reason, params, options);
    this.code = code;
  }
}
