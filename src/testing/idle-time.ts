import type { Clock } from '../util/clock.js';

interface Alarm {
  readonly due: number;
  readonly callback: () => void;
}

/**
 * A virtual clock that advances to the next due callback as soon as no other work is pending, so that tests never wait.
 * Uses no platform timers, so it also works in tests that replace them.
 */
export function idleTime(): Clock {
  let now = 0;
  let asked = false;
  let alarms: readonly Alarm[] = [];
  const turn = () => {
    asked = false;
    const [next] = [...alarms].sort((a, b) => a.due - b.due);
    if (!next) return;
    alarms = alarms.filter((each) => each !== next);
    now = next.due;
    next.callback();
    if (alarms.length) ask();
  };
  const ask = () => {
    if (asked) return;
    asked = true;
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      turn();
    };
    port2.postMessage(undefined);
  };
  return {
    now: () => now,
    after(ms, callback) {
      const alarm: Alarm = { due: now + ms, callback };
      alarms = [...alarms, alarm];
      ask();
      return () => {
        alarms = alarms.filter((each) => each !== alarm);
      };
    },
  };
}
