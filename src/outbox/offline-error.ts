import type { NetworkError } from '../errors/network-error.js';
import type { InnerRecord } from '../model/record.js';
import { modelAndId } from '../model/record-error.js';
import { unsentError } from './unsent-error.js';

/** The error of a write that was kept, and not sent, because there is no network. */
export function offlineError(records: readonly InnerRecord[]): NetworkError {
  const [record] = records as readonly [InnerRecord];
  return unsentError('outbox-offline', modelAndId(record), new Error('offline'));
}
