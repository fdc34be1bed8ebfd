import { HttpError, TimeoutError } from '../errors/request-errors.js';
import type { HttpResponse } from '../http/http-response.js';
import type { Clock } from '../util/clock.js';
import { type RateReport, readRate } from './rate-headers.js';
import { RateWindow, type SentGroup } from './rate-window.js';
import { abortable, parseWait, startTimer } from './waiting.js';

/**
 * The pause after a 429 that names no time, in milliseconds: the first one, and the longest one. The pause doubles with each further
 * refusal.
 */
const [FIRST_PAUSE, LONGEST_PAUSE] = [1000, 30_000];
/** Milliseconds after a pause during which calls are sent only as answers come back, if no limit of the host is known. */
const RECOVERY_TIME = 5000;
/** How many further calls each response allows during that time; slightly more than one, so that the rate grows slowly. */
const RECOVERY_GROWTH = 1.05;

/** The options of a gate. */
export interface GateOptions {
  readonly host: string;
  readonly clock: Clock;
  readonly maxWait: number;
  /** Creates the window of the configured limit; undefined: no limit is configured. */
  readonly window: () => RateWindow | undefined;
}

/** The entry of the configured window in which a call was counted; undefined: no window counted it. */
export type Turn = SentGroup | undefined;

/** Queues the calls to one host and lets them through in their order, as fast as the limits of the host allow. */
export class HostGate {
  private configuredWindow: RateWindow | undefined = undefined;
  /** The limits that the server announced, by their numbers. */
  private announcedWindows: Map<string, RateWindow> = new Map();
  /** A pause that the server asked for: no call is let through before its end. */
  private pause: { readonly until: number; readonly response: HttpResponse } | undefined = undefined;
  /** The number of successive pauses for which the server named no time. */
  private untimedPauses = 0;
  /** The number of calls that the server still accepts before a moment, as its headers say. */
  private quota: { left: number; readonly until: number } | undefined = undefined;
  /** Like `quota`, for the time after a pause; each response raises the number of calls. */
  private recovery: { left: number; readonly until: number } | undefined = undefined;
  private inFlight = 0;
  private lastNow = Number.NEGATIVE_INFINITY;
  /** The waiting calls in their order, each as the function that lets it through, or refuses it by a rejected promise. */
  private readonly queue: Set<(turn: Turn | Promise<never>) => void> = new Set();
  private stopTimer: (() => void) | undefined = undefined;

  constructor(private readonly options: GateOptions) {}

  /**
   * Resolves when a call may be sent, after the calls that came before it. Rejects with `AbortError` if the call is aborted, with
   * `HttpError` if the server asks for a longer pause than `maxWait`, and with `TimeoutError` if its turn has not come by `until`.
   */
  async enter(signal: AbortSignal, until: number = Number.POSITIVE_INFINITY): Promise<Turn> {
    if (!signal.aborted && this.queue.size === 0 && this.delay(false) === 0) return this.admit();
    return abortable<Turn>(signal, (settle) => {
      const waiter = (turn: Turn | Promise<never>) => settle(turn);
      this.queue.add(waiter);
      // A running timer lets this call through in its turn, unless the pause is so long that all waiting calls must be refused now.
      if (!this.stopTimer || this.refusal()) this.admitWaiting();
      const timeLeft = until - this.now;
      const expire = () => settle(Promise.reject(new TimeoutError(timeLeft)));
      const hasNoLimit = timeLeft === Number.POSITIVE_INFINITY || !this.queue.has(waiter);
      const stopExpiry = hasNoLimit ? undefined : startTimer(this.options.clock, Math.max(0, timeLeft), expire);
      return () => {
        stopExpiry?.();
        this.queue.delete(waiter);
        if (this.queue.size === 0) this.cancelTimer();
      };
    });
  }

  /** Called when a call has ended, with its response: learns the limits of the host from it, and lets waiting calls through. */
  leave(turn: Turn, response: HttpResponse | undefined): void {
    this.inFlight -= 1;
    if (turn) this.configuredWindow?.countArrival(turn, this.now);
    if (response) this.learn(response);
    this.admitWaiting();
  }

  private admit(): Turn {
    const { now } = this;
    this.inFlight += 1;
    if (this.quota) this.quota.left -= 1;
    if (this.recovery) this.recovery.left -= 1;
    for (const window of this.announcedWindows.values()) window.countSend(now);
    return this.windowOfOptions()?.countSend(now);
  }

  /** Lets the waiting calls through that may be sent now, and starts a timer for the next one. */
  private readonly admitWaiting = (): void => {
    this.cancelTimer();
    for (const waiter of this.queue) {
      const refusal = this.refusal();
      const delay = refusal ? 0 : this.delay(true);
      if (delay > 0) {
        this.stopTimer = startTimer(this.options.clock, delay, this.admitWaiting);
        return;
      }
      this.queue.delete(waiter);
      waiter(refusal ? Promise.reject(refusal) : this.admit());
    }
  };

  private cancelTimer(): void {
    this.stopTimer?.();
    this.stopTimer = undefined;
  }

  /** Milliseconds until the next call may be sent. */
  private delay(waited: boolean): number {
    const { now } = this;
    this.dropExpired(now);
    let at = this.pause?.until ?? now;
    for (const limit of [this.quota, this.recovery]) if (limit && limit.left < 1) at = Math.max(at, limit.until);
    let delay = Math.max(at - now, this.windowOfOptions()?.delay(now, waited) ?? 0);
    for (const window of this.announcedWindows.values()) {
      const windowDelay = window.delay(now, waited);
      // An announced limit may be outdated: a call that would wait longer than `maxWait` is sent, and the server may refuse it.
      if (windowDelay <= this.options.maxWait) delay = Math.max(delay, windowDelay);
    }
    return delay;
  }

  /** Drops the pause and the quotas that have expired. */
  private dropExpired(now: number): void {
    for (const name of ['pause', 'quota', 'recovery'] as const) {
      if ((this[name]?.until ?? now) <= now) this[name] = undefined;
    }
  }

  private windowOfOptions(): RateWindow | undefined {
    return (this.configuredWindow ??= this.options.window());
  }

  private get windows(): RateWindow[] {
    const window = this.windowOfOptions();
    return [...(window ? [window] : []), ...this.announcedWindows.values()];
  }

  /** The current time. If the clock was set back, all remembered times are wrong and are dropped. */
  private get now(): number {
    const now = this.options.clock.now();
    if (now < this.lastNow) {
      this.configuredWindow = this.pause = this.quota = this.recovery = undefined;
      this.announcedWindows = new Map();
    }
    this.lastNow = now;
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

  /** Learns from a response whether the host asks for a pause, and which limits it announces. */
  private learn(response: HttpResponse): void {
    const { now } = this;
    this.dropExpired(now);
    const { status, headers } = response;
    const retryAfter = parseWait(headers.get('Retry-After'), now);
    const report = readRate(headers, now);
    // Some servers, such as GitHub's, answer 403 instead of 429 when the quota is used up.
    const isQuotaUsedUp = status === 403 && report.remaining === 0;
    const namesPause = (status === 503 || status === 403) && retryAfter !== undefined;
    if (status === 429 || isQuotaUsedUp || namesPause) {
      const namedWait = retryAfter ?? (report.remaining ? undefined : report.reset);
      if (namedWait === undefined && !this.pause) this.untimedPauses += 1;
      const wait = namedWait ?? Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (this.untimedPauses - 1));
      const until = Math.max(now + wait, this.pause?.until ?? 0);
      const { windows } = this;
      // Several refusals of calls that were in flight together count as one refusal.
      if (!this.pause) for (const window of windows) window.reduceBurst(now, until);
      if (windows.length === 0) this.recovery = { left: 1, until: until + RECOVERY_TIME };
      this.pause = { until, response };
    } else {
      this.untimedPauses = 0;
      if (this.recovery) this.recovery.left += RECOVERY_GROWTH;
    }
    this.adoptLimits(report, now);
  }

  /** Applies the limits that a response announces. */
  private adoptLimits({ remaining, reset, policies }: RateReport, now: number): void {
    // A quota that ends later than `maxWait` is ignored: when it is used up, the server refuses a call and announces it again.
    if (remaining !== undefined && reset !== undefined && reset <= this.options.maxWait) {
      this.quota = { left: remaining - this.inFlight, until: now + reset };
    }
    if (policies.length === 0) return;
    const previous = this.announcedWindows;
    this.announcedWindows = new Map(
      policies.map(({ requests, per }) => {
        const name = `${requests}/${per}`;
        return [name, previous.get(name) ?? new RateWindow(requests, per)];
      }),
    );
  }
}
