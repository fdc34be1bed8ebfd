import { AbortError } from '../errors/abort-error.js';
import type { Clock } from '../util/clock.js';

/** The longest time that timers of all platforms keep. */
const LONGEST = 2 ** 31 - 1;

/** Thirty years: what is said to be later can be no date. */
const FAR = 1e12;

/** Calls back after `ms`, or after the longest time that a timer keeps: the caller looks at the clock then. */
export function startTimer(clock: Clock, ms: number, callback: () => void): () => void {
  return clock.after(Math.ceil(Math.min(ms, LONGEST)), callback);
}

/**
 * Waits for what `start` begins, later on; the function that it returns ends it. An abort rejects with `AbortError` at once.
 * However it ends, no listener and nothing of what was begun is left.
 */
export function abortable<T>(
  signal: AbortSignal,
  start: (settle: (value: T | PromiseLike<T>) => void) => (() => void) | undefined,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    let end: (() => void) | undefined;
    const settle = (value: T | PromiseLike<T>) => {
      signal.removeEventListener('abort', abort);
      end?.();
      resolve(value);
    };
    const abort = () => {
      signal.removeEventListener('abort', abort);
      end?.();
      reject(new AbortError('abort', {}, { cause: signal.reason }));
    };
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort);
    end = start(settle);
  });
}

/** Lets time pass. */
export function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return abortable<void>(signal, (settle) => startTimer(clock, ms, () => settle()));
}

/** What a server says about time, as milliseconds from now: seconds from now, seconds or milliseconds since 1970, or a date. Undefined where it says nothing. */
export function waitOf(text: string | null, now: number): number | undefined {
  const value = text?.trim() ?? '';
  let wait = Number.NaN;
  if (/^\d+(\.\d+)?$/.test(value)) {
    const number = Number(value);
    // No server means thirty years: such numbers are moments.
    wait = number > 1e11 ? number - now : number > 1e9 ? number * 1000 - now : number * 1000;
  } else if (/^(?:mon|tue|wed|thu|fri|sat|sun)|^\d{4}-\d\d-\d\d/i.test(value)) {
    // A date of HTTP is GMT, also in the form that ends with the year and does not say so.
    wait = Date.parse(/ \d{4}$/.test(value) ? `${value} GMT` : value) - now;
  }
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(0, wait), FAR);
}
