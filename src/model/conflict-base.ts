import type { Data } from '../util/data-path.js';
import type { InnerRecord } from './record.js';
import { ROW } from './symbols.js';

/** What an outbox knows of rows that it read itself, and nobody else has seen: what the server had when the edits were made. */
const seen: WeakMap<Readonly<Data>, Readonly<Data>> = new WeakMap();

/** Keeps what the edits of a record started from, where its row was read since. It holds until the record has another row. */
export function keepBase(record: InnerRecord, base: Readonly<Data>): void {
  seen.set(record[ROW], base);
}

/** The row that the edits of a record started from, as far as is known. */
export function baseOf(record: InnerRecord): Readonly<Data> {
  return seen.get(record[ROW]) ?? record[ROW];
}
