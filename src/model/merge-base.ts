import type { Data } from '../util/data-path.js';
import { coreOf, type InnerRecord } from './record.js';
import { CORE, ROW } from './symbols.js';

/**
 * Stores the row from which the edits of a record started, when an outbox has read a newer one. Any further row makes it invalid.
 */
export function keepMergeBase(record: InnerRecord, base: Readonly<Data>): void {
  coreOf(record).mergeBase = { row: record[ROW], base };
}

/** The row from which the edits of a record started; if that is not known, the current row. */
export function mergeBaseOf(record: InnerRecord): Readonly<Data> {
  const { [ROW]: row, [CORE]: core } = record;
  return core?.mergeBase?.row === row ? core.mergeBase.base : row;
}
