import { NetworkError } from '../errors/network-error.js';
import type { InnerRecord } from '../model/record.js';
import { modelAndId } from '../model/record-error.js';

/** The error of a write that was kept, and not sent, because there is no network. */
export function offlineError(records: readonly InnerRecord[]): NetworkError {
  const [record] = records as readonly [InnerRecord];
  return new NetworkError(new Error('offline'), { reason: 'outbox-offline', params: modelAndId(record) });
}
