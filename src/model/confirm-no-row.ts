import type { DataError } from '../errors/data-error.js';
import type { Outcome } from '../extension/write.js';
import { holdsSent, readAgain } from './read-again.js';
import type { InnerRecord } from './record.js';
import type { RecordWrite } from './record-write.js';

/**
 * The outcome of a failed write. Some servers, such as MySQL, do not count rows whose values were equal already, so an update that
 * changed no row succeeds if the row holds what was sent. Otherwise it fails with its error.
 */
export async function failedOutcome(write: RecordWrite, at: number, error: DataError): Promise<Outcome> {
  const { action, proxy, operation, inner, innerChanges } = write;
  const [record, change] = [inner[at] as InnerRecord, innerChanges[at]];
  if (action !== 'update' || error.reason !== 'http-no-row') return { error };
  try {
    const row = await readAgain(record, proxy, operation);
    return change && holdsSent(record, change, row) ? { row } : { error };
  } catch {
    return { error };
  }
}
