import { getEventListeners } from 'node:events';
import type { Clock, Extension } from 'repose';
import type { Call, Send } from '../../src/extension/call.js';
import type { HttpResponse } from '../../src/http/http-response.js';

/** A clock that runs its alarms in order, and lets their effects happen before the next one. */
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

/** Lets everything happen that needs only turns of the event loop. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** A call of a test, which is recognised by the name of its model. */
export interface TestCall extends Call {
  readonly model: string;
}

export function callOf(config: Partial<TestCall> & { readonly action?: string } = {}): TestCall {
  const { action = 'read', model = 'user', ...members } = config;
  const request = { action, operation: { action, records: [], model: { name: model } } };
  return {
    ...{
      method: 'GET',
      url: 'https://api.test/users/7?secret=1',
      model,
      repeatable: true,
      blob: false,
      body: undefined,
    },
    ...{ attempt: 0, repeated: false, queueTime: 0, timeout: 30_000, delivered: false, headers: {}, onHeaders: [] },
    signal: new AbortController().signal,
    ...({ request } as unknown as Pick<Call, 'request' | 'proxy'>),
    ...members,
  };
}

/** Sends calls through one extension, as a proxy with a clock and a time limit would. */
export function through(
  extension: Extension,
  clock: Clock,
  timeout: number = 30_000,
): (call: Call, next: Send) => Promise<HttpResponse> {
  return (call, next) => {
    Object.assign(call, { proxy: { clock, timeout } });
    return extension.send?.(call, next) as Promise<HttpResponse>;
  };
}

export function answer(status = 200, headers: Record<string, string> = {}): HttpResponse {
  const raw = new Response(null, { status, headers });
  return { status, headers: raw.headers, url: '', redirected: false, text: '', body: undefined, raw };
}

/** Answers by a script of answers and errors; the last one repeats. */
export function scripted(...script: (HttpResponse | Error)[]): Send & { calls: Call[] } {
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

/** Records how a promise ends, for a test to read. */
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

/** Number of abort listeners. */
export function listeners(signal: AbortSignal): number {
  return getEventListeners(signal, 'abort').length;
}
