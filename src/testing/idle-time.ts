import type { Clock } from '../util/clock.js';

interface Alarm {
  readonly due: number;
  readonly callback: () => void;
}

/**
 * Time that passes only when nothing else is left to happen: what is due first happens first, and nobody waits for it.
 * Needs no timer, so it also passes where tests have replaced the platform's.
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
