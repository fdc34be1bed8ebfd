import { HttpError } from '../errors/http-error.js';
import { TimeoutError } from '../errors/timeout-error.js';
import type { HttpResponse } from '../http/http-response.js';
import type { Clock } from '../util/clock.js';
import { type RateReport, readRate } from './rate-headers.js';
import { RateWindow, type Sent } from './rate-window.js';
import { abortable, startTimer, waitOf } from './waiting.js';

/** How long a host that refused is left alone where it does not say: at first, and at most; it doubles. */
const [FIRST_PAUSE, LONGEST_PAUSE] = [1000, 30_000];
/** Milliseconds after a pause in which calls go only as answers come, where no limit is known. */
const CAREFUL = 5000;
/** How many calls an answer permits then: few more than before. */
const GROWTH = 1.05;

/** What a gate is made from. */
export interface GateOptions {
  readonly host: string;
  readonly clock: Clock;
  readonly maxWait: number;
  /** Makes the window of the configured limit, where there is one. */
  readonly window: () => RateWindow | undefined;
}

/** What a call has been let through with. */
export type Turn = Sent | undefined;

/** The calls to one host: they go in the order in which they came, as its limits permit. */
export class HostGate {
  private own: RateWindow | undefined = undefined;
  /** Limits that the server told, by their numbers. */
  private told: Map<string, RateWindow> = new Map();
  /** Nothing goes before. */
  private pause: { readonly until: number; readonly response: HttpResponse } | undefined = undefined;
  /** Pauses one after another for which the server gave no time. */
  private strikes = 0;
  /** So many more go before the moment. */
  private quota: { left: number; readonly until: number } | undefined = undefined;
  /** As `quota`, after a pause: each answer permits more. */
  private careful: { left: number; readonly until: number } | undefined = undefined;
  private flying = 0;
  private seen = Number.NEGATIVE_INFINITY;
  /** Calls that wait, in their order; an error refuses them. */
  private readonly queue: Set<(turn: Turn | Promise<never>) => void> = new Set();
  private stopTimer: (() => void) | undefined = undefined;

  constructor(private readonly options: GateOptions) {}

  /**
   * Lets a call go when it may, after those that came before. Rejects with `AbortError`, with `HttpError` where it would take too
   * long, and with `TimeoutError` where its turn has not come by the given moment.
   */
  async enter(signal: AbortSignal, until: number = Number.POSITIVE_INFINITY): Promise<Turn> {
    if (!signal.aborted && this.queue.size === 0 && this.delay(false) === 0) return this.take();
    return abortable<Turn>(signal, (settle) => {
      const waiter = (turn: Turn | Promise<never>) => settle(turn);
      this.queue.add(waiter);
      // Who waits already has a timer, unless nobody may wait.
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

  /** Takes in what an answer tells; undefined where none came. */
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

  /** Lets those go that may, and comes back when the next one may. */
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

  /** Milliseconds until the next call may go. */
  private delay(waited: boolean): number {
    const { now } = this;
    this.forget(now);
    let at = this.pause?.until ?? now;
    for (const limit of [this.quota, this.careful]) if (limit && limit.left < 1) at = Math.max(at, limit.until);
    let delay = Math.max(at - now, this.ownWindow()?.delay(now, waited) ?? 0);
    for (const window of this.told.values()) {
      const told = window.delay(now, waited);
      // For so long nobody waits on the strength of what was said before: the server may refuse.
      if (told <= this.options.maxWait) delay = Math.max(delay, told);
    }
    return delay;
  }

  /** Drops what holds no more. */
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

  /** The time. A clock that was set back makes all that was noted worthless. */
  private get now(): number {
    const now = this.options.clock.now();
    if (now < this.seen) {
      this.own = this.pause = this.quota = this.careful = undefined;
      this.told = new Map();
    }
    this.seen = now;
    return now;
  }

  /** The error of a call that would have to wait for too long. */
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
    // Some say 403 where they mean 429.
    const spent = status === 403 && report.remaining === 0;
    if (status === 429 || spent || ((status === 503 || status === 403) && after !== undefined)) {
      const told = after ?? (report.remaining ? undefined : report.reset);
      if (told === undefined && !this.pause) this.strikes += 1;
      const wait = told ?? Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (this.strikes - 1));
      const until = Math.max(now + wait, this.pause?.until ?? 0);
      const { windows } = this;
      // Answers to one wave of requests are one refusal.
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
    // Of a moment far away the server will tell again, with a refusal.
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
