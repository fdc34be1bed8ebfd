import { getEventListeners } from 'node:events';
import type { Clock } from 'repose';
import type { Call, Exchange } from '../../../src/http/exchange.js';
import type { HttpResponse } from '../../../src/http/http-response.js';

/** A clock that runs through its alarms in their order, and lets what they cause happen before it goes on. */
export class EventClock implements Clock {
  private time = 0;
  private readonly alarms = new Set<{ readonly due: number; readonly callback: () => void }>();

  constructor(start = 0) {
    this.time = start;
  }

  now(): number {
    return this.time;
  }

  after(ms: number, callback: () => void): () => void {
    if (!(ms >= 0 && ms < 2 ** 31)) throw new Error(`no timer takes ${ms} ms`);
    const alarm = { due: this.time + ms, callback };
    this.alarms.add(alarm);
    return () => this.alarms.delete(alarm);
  }

  /** How many alarms are set. */
  get alarmed(): number {
    return this.alarms.size;
  }

  /** Sets the time without an alarm. */
  set(time: number): void {
    this.time = time;
  }

  /** Lets time pass. */
  async advance(ms: number): Promise<void> {
    const end = this.time + ms;
    await settled();
    for (let next = this.next(); next && next.due <= end; next = this.next()) {
      this.alarms.delete(next);
      this.time = Math.max(this.time, next.due);
      next.callback();
      await settled();
    }
    this.time = end;
  }

  private next() {
    return [...this.alarms].reduce<{ due: number; callback: () => void } | undefined>(
      (first, each) => (first && first.due <= each.due ? first : each),
      undefined,
    );
  }
}

/** Lets everything happen that waits for nothing but its turn. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

export function callOf(config: Partial<Call> = {}): Call {
  return {
    ...{ method: 'GET', url: 'https://api.test/users/7?secret=1', action: 'read', model: 'user', repeatable: true },
    ...{ attempt: 0, repeated: false, queued: 0, timeout: 30_000, delivered: false, headers: {} },
    signal: new AbortController().signal,
    ...config,
  };
}

export function answer(status = 200, headers: Record<string, string> = {}): HttpResponse {
  const raw = new Response(null, { status, headers });
  return { status, headers: raw.headers, url: '', redirected: false, text: '', body: undefined, raw };
}

/** Sends by a script: an answer, or an error that it fails with; the last one stays. */
export function scripted(...script: (HttpResponse | Error)[]): Exchange & { calls: Call[] } {
  const calls: Call[] = [];
  const send = async (call: Call) => {
    call.attempt += 1;
    calls.push({ ...call });
    const next = script.length > 1 ? script.shift() : script[0];
    if (!next || next instanceof Error) throw next ?? new Error('nothing scripted');
    return next;
  };
  return Object.assign(send, { calls });
}

/** How something ended: its value, or its error. */
export interface Ended<T> {
  value?: T;
  error?: unknown;
}

/** Keeps how a promise ends, so that a test may look. */
export function ending<T>(promise: Promise<T>): Ended<T> {
  const ended: Ended<T> = {};
  promise.then(
    (value) => {
      ended.value = value;
    },
    (error: unknown) => {
      ended.error = error;
    },
  );
  return ended;
}

/** How many listen to an abort. */
export function listeners(signal: AbortSignal): number {
  return getEventListeners(signal, 'abort').length;
}
