import type { Clock } from '../util/clock.js';
import type { FaultingFetchOptions } from './faulting-fetch.js';
import { randomFaults, seededRandom, shareOf } from './faults.js';
import { idleTime } from './idle-time.js';
import { misuse } from './refusal.js';
import type { RestServerOptions, ServerFaults } from './rest-config.js';

type Network = Pick<RestServerOptions, 'latency' | 'clock' | 'faults'>;

/** The faults in the form that a faulting `fetch` accepts. */
export function faultsOf({ faults = [] }: Network, seed: number): NonNullable<FaultingFetchOptions['faults']> {
  // The server itself delays the reordered responses.
  const { reorder: _, ...shares } = sharesOf(faults) ?? {};
  return sharesOf(faults) ? randomFaults({ seed, shares }) : (faults as readonly []);
}

/** Creates a function that waits for the latency of a response. An abort ends the wait. */
export function delayer({ latency = 0, clock, faults = [] }: Network, seed: number): (signal: AbortSignal) => unknown {
  const [least, most] = rangeOf(latency);
  const reorder = shareOf('reorder', sharesOf(faults)?.reorder);
  if (most === 0 && reorder === 0) return () => undefined;
  // A separate random sequence, so that a change of latency does not change the faults.
  const random = seededRandom(seed + 1);
  const time = clock ?? idleTime();
  return (signal) => {
    const [length, chance, behind] = [random(), random(), random()];
    const usual = least + length * (most - least);
    return wait(usual + (chance < reorder ? (1 + 9 * behind) * (most || 1) : 0), time, signal);
  };
}

function wait(ms: number, clock: Clock, signal: AbortSignal): Promise<void> | undefined {
  if (ms <= 0) return undefined;
  return new Promise((resolve) => {
    const end = () => {
      signal.removeEventListener('abort', end);
      stop();
      resolve();
    };
    const stop = clock.after(ms, end);
    signal.addEventListener('abort', end);
  });
}

function sharesOf(faults: NonNullable<RestServerOptions['faults']>): ServerFaults | undefined {
  return typeof faults === 'function' || Array.isArray(faults) ? undefined : (faults as ServerFaults);
}

function rangeOf(latency: NonNullable<RestServerOptions['latency']>): readonly [number, number] {
  const [least, most] = typeof latency === 'number' ? [latency, latency] : latency;
  if (!(least >= 0 && most >= least && most < Number.POSITIVE_INFINITY))
    throw misuse('test-latency', { value: JSON.stringify(latency) });
  return [least, most];
}
