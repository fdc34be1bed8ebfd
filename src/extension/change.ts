import type { RecordId } from '../operation/actions.js';
import type { WriteAction } from './write.js';

/**
 * The values that a write sends for one record, as they were when the application asked for the write. A change is plain data and frozen
 * at every depth: what the application edits later belongs to another change, and no extension can change it.
 *
 * @example
 * ```ts
 * const journal: Extension = {
 *   name: 'journal',
 *   layer: LAYERS.checks + 1,
 *   write(write, next) {
 *     for (const { action, id, values } of write.changes) console.log(action, id, Object.keys(values));
 *     return next(write);
 *   },
 * };
 * ```
 */
export interface Change {
  /**
   * When the change was captured, on a clock that counts the reads and writes of the model. It is the same in each attempt at the change,
   * and no other change of the model has it.
   */
  readonly at: number;
  readonly action: WriteAction;
  /** The id as the server knows it; undefined for a create. */
  readonly id: RecordId | undefined;
  /** The row on which the edits were made, or which is erased, as it was received. */
  readonly base: Readonly<Record<string, unknown>>;
  /** The edited fields, by name, in the form in which JSON carries them; an embedded record is a row. Empty for an erase. */
  readonly values: Readonly<Record<string, unknown>>;
}
