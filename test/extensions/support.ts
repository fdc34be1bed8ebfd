import { getEventListeners } from 'node:events';
import { type Action, type Clock, type Extension, type HttpResponse, Operation, ProxyRequest, RestProxy } from 'repose';
import type { Send } from 'repose/extend';
import type { CallController } from '../../src/util/abort.js';

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

/** A request of a test, which is recognised by the name of its model. */
export interface TestRequest extends ProxyRequest {
  readonly model: string;
}

/** The members of a test's request that differ from those of the others. */
export interface TestRequestConfig
  extends Partial<
    Pick<ProxyRequest, 'method' | 'target' | 'proxyHeaders' | 'repeatable' | 'timeout' | 'until' | 'queueTime'>
  > {
  readonly action?: Action;
  readonly model?: string;
  /** Aborts the request. */
  readonly signal?: AbortSignal;
}

export function requestOf(config: TestRequestConfig = {}): TestRequest {
  const { action = 'read', model = 'user', signal, ...members } = config;
  const operation: Operation = new Operation({ action, model: { name: model } as never });
  const request = new ProxyRequest({ operation });
  if (signal) request.controller = { signal } as CallController;
  return Object.assign(
    request,
    { method: 'GET', target: 'https://api.test/users/7?secret=1', model, repeatable: true, timeout: 30_000 },
    { proxyHeaders: {} },
    members,
  );
}

/** Sends requests through one extension, as a proxy with a clock and a time limit would. */
export function through(
  extension: Extension,
  clock: Clock,
  timeout: number = 30_000,
): (request: ProxyRequest, next: Send) => Promise<HttpResponse> {
  const proxy = new RestProxy({ clock, timeout });
  return (request, next) => extension.send?.(request, next, proxy) as Promise<HttpResponse>;
}

export function answer(status = 200, headers: Record<string, string> = {}): HttpResponse {
  const raw = new Response(null, { status, headers });
  return { status, headers: raw.headers, url: '', redirected: false, text: '', body: undefined, raw };
}

/** An attempt, with its number and its time limit. */
export interface SentAttempt {
  readonly attempt: number;
  readonly timeout: number;
}

/** Answers by a script of answers and errors; the last one repeats. */
export function scripted(...script: (HttpResponse | Error)[]): Send & { sent: SentAttempt[] } {
  const sent: SentAttempt[] = [];
  const send = async (request: ProxyRequest) => {
    request.operation.attempts += 1;
    sent.push({ attempt: request.operation.attempts, timeout: request.timeout });
    const next = script.length > 1 ? script.shift() : script[0];
    if (!next || next instanceof Error) throw next ?? new Error('nothing scripted');
    return next;
  };
  return Object.assign(send, { sent });
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
