import type { DataError } from '../errors/data-error.js';
import { parseWait } from '../extensions/waiting.js';
import type { Clock } from '../util/clock.js';
import type { HeldRecord } from './held-record.js';

/** The settings that decide how long a failed write waits. `base` and `max` are in milliseconds. */
export interface BackoffSettings {
  readonly clock: Clock;
  readonly base: number;
  readonly max: number;
  random(): number;
}

/** The members of an error that decide how long to wait. */
type Failure = Partial<DataError> & { readonly status?: number; readonly response?: Response };

/** Sets the time at which a failed write is sent again. */
export function scheduleRetry(
  item: HeldRecord,
  error: DataError | undefined,
  { clock, base, max, random }: BackoffSettings,
): void {
  const { status, response, params = {} }: Failure = error ?? {};
  const now = clock.now();
  // A pause of `rateLimit()` says nothing about this write, which is sent when the pause is over.
  const isPaused = isRatePause(error);
  if (!isPaused) item.failures += 1;
  if (status !== undefined && status !== 401 && !isPaused) item.refusals += 1;
  const bound = status === 401 ? max : Math.min(max, base * 2 ** Math.max(0, item.failures - 1));
  const requestedWait = isPaused
    ? Date.parse(String(params['until'])) - now
    : parseWait(response?.headers?.get('Retry-After') ?? null, now);
  item.wait = Math.max(requestedWait || 0, Math.ceil((bound * (1 + random())) / 2));
  item.dueAt = item.retryAtOnce ? 0 : now + item.wait;
  item.retryAtOnce = false;
}

/** Whether `rateLimit()` refused to send the write. The status of such an error belongs to the response to another call. */
export function isRatePause(error: DataError | undefined): boolean {
  return error?.reason === 'rate-pause';
}
