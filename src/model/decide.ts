import type { Model } from './model.js';
import { inner } from './record.js';
import { recordError } from './record-error.js';
import { CORE } from './symbols.js';
import { settleByHand } from './write.js';

/**
 * Decides how an unconfirmed create has ended, after the application has looked the record up: pass the row that the
 * create has made, or null if it made none. An outbox then sends the saves and erases that wait for this decision; if the
 * create made no record, a waiting erase is done without a request. Does nothing for other records. Throws
 * `StateError` while a write is in flight, and `AddressError` for a row without an id.
 *
 * @example
 * ```ts
 * const found: { id: number; name: string }[] = []; // the rows found by a value that only this record has
 * if (user.$.unconfirmed) decide(user, found[0] ?? null);
 * ```
 */
export function decide(record: Model, row: object | null): void {
  const decided = inner(record);
  const { phantom, unconfirmed, saving } = decided[CORE] ?? {};
  if (!phantom || !unconfirmed) return;
  if (saving) throw recordError(decided, 'busy', 'busy', { call: 'decide()' });
  settleByHand(decided, row);
}
