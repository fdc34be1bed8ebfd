import { AbortError } from '../errors/request-errors.js';
import type { Clock } from '../util/clock.js';

/** The longest delay that the timers of all platforms support, in milliseconds. */
const MAX_DELAY = 2 ** 31 - 1;

/** The longest wait that is returned, about thirty years, so that the end of the wait is always a valid date. */
const MAX_WAIT = 1e12;

/**
 * Calls back after `ms` milliseconds, or after the longest delay that a timer supports; the caller checks the clock then. Returns the
 * function that stops the timer.
 */
export function startTimer(clock: Clock, ms: number, callback: () => void): () => void {
  return clock.after(Math.ceil(Math.min(ms, MAX_DELAY)), callback);
}

/**
 * Waits until `start` calls `settle`, which it must not do before it returns. The function that `start` returns is called when the
 * wait ends, to clean up. An abort of the signal rejects with `AbortError` at once. No listener is left behind in any case.
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

/** Resolves after `ms` milliseconds. Rejects with `AbortError` if the signal is aborted first. */
export function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return abortable<void>(signal, (settle) => startTimer(clock, ms, () => settle()));
}

/**
 * The wait that a header such as `Retry-After` asks for, in milliseconds from now. Servers send seconds from now, seconds or
 * milliseconds since 1970, or a date. Undefined: the header is missing or cannot be understood.
 */
export function parseWait(text: string | null, now: number): number | undefined {
  const value = text?.trim() ?? '';
  let wait = Number.NaN;
  if (/^\d+(\.\d+)?$/.test(value)) {
    const number = Number(value);
    // A number above thirty years of seconds is a moment since 1970, not a wait.
    wait = number > 1e11 ? number - now : number > 1e9 ? number * 1000 - now : number * 1000;
  } else if (/^(?:mon|tue|wed|thu|fri|sat|sun)|^\d{4}-\d\d-\d\d/i.test(value)) {
    // HTTP dates are in GMT, also in the old form that ends with the year and names no zone.
    wait = Date.parse(/ \d{4}$/.test(value) ? `${value} GMT` : value) - now;
  }
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(0, wait), MAX_WAIT);
}
