import { HttpError } from '../errors/http-error.js';
import { TimeoutError } from '../errors/timeout-error.js';
import type { HttpResponse } from '../http/http-response.js';
import type { Clock } from '../util/clock.js';
import { type RateReport, readRate } from './rate-headers.js';
import { RateWindow, type Sent } from './rate-window.js';
import { abortable, startTimer, waitOf } from './waiting.js';

/**
 * The pause after a 429 that names no time, in milliseconds: the first one, and the longest one. The pause doubles with each further
 * refusal.
 */
const [FIRST_PAUSE, LONGEST_PAUSE] = [1000, 30_000];
/** Milliseconds after a pause during which calls are sent only as answers come back, if no limit of the host is known. */
const CAREFUL = 5000;
/** How many further calls each answer allows during that time; slightly more than one, so that the rate grows slowly. */
const GROWTH = 1.05;

/** The options of a gate. */
export interface GateOptions {
  readonly host: string;
  readonly clock: Clock;
  readonly maxWait: number;
  /** Creates the window of the configured limit; undefined: no limit is configured. */
  readonly window: () => RateWindow | undefined;
}

/** The entry of the configured window in which a call was counted; undefined: no window counted it. */
export type Turn = Sent | undefined;

/** Queues the calls to one host and lets them through in their order, as fast as the limits of the host allow. */
export class HostGate {
  private own: RateWindow | undefined = undefined;
  /** The limits that the server announced, by their numbers. */
  private told: Map<string, RateWindow> = new Map();
  /** A pause that the server asked for: no call is let through before its end. */
  private pause: { readonly until: number; readonly response: HttpResponse } | undefined = undefined;
  /** The number of successive pauses for which the server named no time. */
  private strikes = 0;
  /** The number of calls that the server still accepts before a moment, as its headers say. */
  private quota: { left: number; readonly until: number } | undefined = undefined;
  /** Like `quota`, for the time after a pause; each answer raises the number of calls. */
  private careful: { left: number; readonly until: number } | undefined = undefined;
  private flying = 0;
  private seen = Number.NEGATIVE_INFINITY;
  /** The waiting calls in their order, each as the function that lets it through, or refuses it by a rejected promise. */
  private readonly queue: Set<(turn: Turn | Promise<never>) => void> = new Set();
  private stopTimer: (() => void) | undefined = undefined;

  constructor(private readonly options: GateOptions) {}

  /**
   * Resolves when a call may be sent, after the calls that came before it. Rejects with `AbortError` if the call is aborted, with
   * `HttpError` if the server asks for a longer pause than `maxWait`, and with `TimeoutError` if its turn has not come by `until`.
   */
  async enter(signal: AbortSignal, until: number = Number.POSITIVE_INFINITY): Promise<Turn> {
    if (!signal.aborted && this.queue.size === 0 && this.delay(false) === 0) return this.take();
    return abortable<Turn>(signal, (settle) => {
      const waiter = (turn: Turn | Promise<never>) => settle(turn);
      this.queue.add(waiter);
      // A running timer lets this call through in its turn, unless the pause is so long that all waiting calls must be refused now.
      if (!this.stopTimer || this.refusal()) this.drain();
      const time = until - this.now;
      const expire = () => settle(Promise.reject(new TimeoutError(time)));
      const endless = time === Number.POSITIVE_INFINITY || !this.queue.has(waiter);
      const stopTime = endless ? undefined : startTimer(this.options.clock, Math.max(0, time), expire);
      return () => {
        stopTime?.();
        this.queue.delete(waiter);
        if (this.queue.size === 0) this.stop();
      };
    });
  }

  /** Called when a call has ended, with its answer: learns the limits of the host from it, and lets waiting calls through. */
  leave(turn: Turn, response: HttpResponse | undefined): void {
    this.flying -= 1;
    if (turn) this.own?.arrived(turn, this.now);
    if (response) this.learn(response);
    this.drain();
  }

  private take(): Turn {
    const { now } = this;
    this.flying += 1;
    if (this.quota) this.quota.left -= 1;
    if (this.careful) this.careful.left -= 1;
    for (const window of this.told.values()) window.take(now);
    return this.ownWindow()?.take(now);
  }

  /** Lets the waiting calls through that may be sent now, and starts a timer for the next one. */
  private readonly drain = (): void => {
    this.stop();
    for (const waiter of this.queue) {
      const refusal = this.refusal();
      const delay = refusal ? 0 : this.delay(true);
      if (delay > 0) {
        this.stopTimer = startTimer(this.options.clock, delay, this.drain);
        return;
      }
      this.queue.delete(waiter);
      waiter(refusal ? Promise.reject(refusal) : this.take());
    }
  };

  private stop(): void {
    this.stopTimer?.();
    this.stopTimer = undefined;
  }

  /** Milliseconds until the next call may be sent. */
  private delay(waited: boolean): number {
    const { now } = this;
    this.forget(now);
    let at = this.pause?.until ?? now;
    for (const limit of [this.quota, this.careful]) if (limit && limit.left < 1) at = Math.max(at, limit.until);
    let delay = Math.max(at - now, this.ownWindow()?.delay(now, waited) ?? 0);
    for (const window of this.told.values()) {
      const told = window.delay(now, waited);
      // An announced limit may be outdated: a call that would wait longer than `maxWait` is sent, and the server may refuse it.
      if (told <= this.options.maxWait) delay = Math.max(delay, told);
    }
    return delay;
  }

  /** Drops the pause and the quotas that have expired. */
  private forget(now: number): void {
    for (const name of ['pause', 'quota', 'careful'] as const) {
      if ((this[name]?.until ?? now) <= now) this[name] = undefined;
    }
  }

  private ownWindow(): RateWindow | undefined {
    return (this.own ??= this.options.window());
  }

  private get windows(): RateWindow[] {
    const own = this.ownWindow();
    return [...(own ? [own] : []), ...this.told.values()];
  }

  /** The current time. If the clock was set back, all remembered times are wrong and are dropped. */
  private get now(): number {
    const now = this.options.clock.now();
    if (now < this.seen) {
      this.own = this.pause = this.quota = this.careful = undefined;
      this.told = new Map();
    }
    this.seen = now;
    return now;
  }

  /** The error for calls that would have to wait longer than `maxWait`; undefined: they may wait. */
  private refusal(): HttpError | undefined {
    const { now, pause } = this;
    const { host, maxWait } = this.options;
    if (!pause || pause.until - now <= maxWait) return undefined;
    const until = new Date(pause.until).toISOString();
    return new HttpError('rate-pause', { host, until }, { response: pause.response });
  }

  private learn(response: HttpResponse): void {
    const { now } = this;
    this.forget(now);
    const { status, headers } = response;
    const after = waitOf(headers.get('Retry-After'), now);
    const report = readRate(headers, now);
    // Some servers, such as GitHub's, answer 403 instead of 429 when the quota is used up.
    const spent = status === 403 && report.remaining === 0;
    if (status === 429 || spent || ((status === 503 || status === 403) && after !== undefined)) {
      const told = after ?? (report.remaining ? undefined : report.reset);
      if (told === undefined && !this.pause) this.strikes += 1;
      const wait = told ?? Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (this.strikes - 1));
      const until = Math.max(now + wait, this.pause?.until ?? 0);
      const { windows } = this;
      // Several refusals of calls that were in flight together count as one refusal.
      if (!this.pause) for (const window of windows) window.narrow(now, until);
      if (windows.length === 0) this.careful = { left: 1, until: until + CAREFUL };
      this.pause = { until, response };
    } else {
      this.strikes = 0;
      if (this.careful) this.careful.left += GROWTH;
    }
    this.follow(report, now);
  }

  private follow({ remaining, reset, policies }: RateReport, now: number): void {
    // A quota that ends later than `maxWait` is ignored: when it is used up, the server refuses a call and announces it again.
    if (remaining !== undefined && reset !== undefined && reset <= this.options.maxWait) {
      this.quota = { left: remaining - this.flying, until: now + reset };
    }
    if (policies.length === 0) return;
    const known = this.told;
    this.told = new Map(
      policies.map(({ requests, per }) => {
        const name = `${requests}/${per}`;
        return [name, known.get(name) ?? new RateWindow(requests, per)];
      }),
    );
  }
}
