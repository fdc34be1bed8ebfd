import type { Data } from '../util/data-path.js';
import { coreOf, type InnerRecord } from './record.js';
import { CORE, ROW } from './symbols.js';

/** Keeps what the edits of a record started from, where an outbox has read its row since. It holds until the record has another row. */
export function keepBase(record: InnerRecord, base: Readonly<Data>): void {
  coreOf(record).startedFrom = { row: record[ROW], base };
}

/** The row that the edits of a record started from, as far as is known. */
export function baseOf(record: InnerRecord): Readonly<Data> {
  const { [ROW]: row, [CORE]: core } = record;
  return core?.startedFrom?.row === row ? core.startedFrom.base : row;
}
