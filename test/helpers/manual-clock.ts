import type { Clock } from 'repose';

/** A clock that stands still until a test moves it. */
export interface ManualClock extends Clock {
  /** Milliseconds that each alarm still has to wait. */
  readonly waiting: readonly number[];
  /** Lets time pass, and runs the alarms that are due. */
  advance(ms: number): void;
}

export function manualClock(): ManualClock {
  let now = 0;
  const alarms = new Map<() => void, number>();
  return {
    now: () => now,
    after(ms, callback) {
      const alarm = () => callback();
      alarms.set(alarm, now + ms);
      return () => alarms.delete(alarm);
    },
    get waiting() {
      return [...alarms.values()].map((due) => due - now);
    },
    advance(ms) {
      now += ms;
      for (const [alarm, due] of alarms) {
        if (due > now) continue;
        alarms.delete(alarm);
        alarm();
      }
    },
  };
}
