import { checkGiven, checkOptions } from '../dev/checks.js';
import { type Clock, systemClock } from '../util/clock.js';
import type { Source } from '../util/value-source.js';
import {
  eventsOfPage,
  KEEP_FRESH_RULES,
  type KeepFreshOptions,
  type PageEvents,
  REFRESHABLE,
} from './keep-fresh-options.js';
import type { StoreStatus } from './status-feed.js';

/** A store or a window: an object that can load its records again. */
export interface Refreshable {
  readonly status: Source<StoreStatus>;
  readonly disposed: boolean;
  reload(): Promise<unknown>;
}

/**
 * Refreshes a store or window by `reload()`: when the page gets the focus or is shown again, when the network is back, and in an
 * interval. Returns the function that stops it; `dispose()` of the store or window stops it as well. No refresh begins before the first load, during a load, while the page is hidden, or
 * while there are pending changes, queued writes or a save, because a newer row under an edit would hide a conflict. A refresh that waits for the page
 * or for pending changes is made when they allow it. The error of a refresh comes as the event `exception` and in `status`; the next
 * occasion tries again. Throws `DefinitionError` for anything but a store or window, and for wrong options.
 *
 * @example
 * ```ts
 * const stop = keepFresh(users, { every: 60_000, staleAfter: 10_000 });
 * // When the screen is closed:
 * stop();
 * ```
 */
export function keepFresh(shown: Refreshable, options: KeepFreshOptions = {}): () => void {
  checkGiven('The first argument of keepFresh()', shown, REFRESHABLE);
  checkOptions('keepFresh', options, KEEP_FRESH_RULES);
  const refresher = new Refresher(shown, options);
  return () => refresher.stop();
}

class Refresher {
  private readonly clock: Clock;
  private readonly events: PageEvents | undefined;
  private readonly staleAfter: number;
  /** When the last load succeeded. */
  private loadedAt: number;
  private lastStatus: StoreStatus;
  /** Whether a refresh is wanted, and waits if it cannot begin now. */
  private isDue = false;
  private isStopped = false;
  private readonly detachers: (() => void)[] = [];
  private cancelTimer: (() => void) | undefined = undefined;

  constructor(
    private readonly shown: Refreshable,
    { onFocus = true, onReconnect = true, every, staleAfter = 0, clock = systemClock, events }: KeepFreshOptions,
  ) {
    this.clock = clock;
    this.events = events ?? eventsOfPage();
    this.staleAfter = staleAfter;
    this.loadedAt = clock.now();
    this.lastStatus = shown.status.get();
    if (shown.disposed) return;
    this.detachers.push(shown.status.subscribe(() => this.statusChanged()));
    const request = () => this.request();
    this.listen('visibilitychange', onFocus ? request : () => this.refreshIfDue());
    if (onFocus) this.listen('focus', request);
    if (onReconnect) this.listen('online', request);
    if (every !== undefined) this.startTimer(every);
  }

  stop(): void {
    this.isStopped = true;
    this.cancelTimer?.();
    for (const detach of this.detachers.splice(0)) detach();
  }

  private listen(event: string, listener: () => void): void {
    const { events } = this;
    events?.addEventListener(event, listener);
    this.detachers.push(() => events?.removeEventListener(event, listener));
  }

  private startTimer(every: number): void {
    this.cancelTimer = this.clock.after(every, () => {
      this.startTimer(every);
      this.request();
    });
  }

  private statusChanged(): void {
    const { lastStatus, shown } = this;
    if (shown.disposed) return this.stop();
    const status = shown.status.get();
    this.lastStatus = status;
    const hasEnded = lastStatus.loading && !status.loading;
    if (status.loaded && !status.error && (hasEnded || !lastStatus.loaded)) {
      this.loadedAt = this.clock.now();
      this.isDue = false;
    }
    // Listeners of a status are called in the middle of a change, when a store must not load.
    if (this.isDue) queueMicrotask(() => this.refreshIfDue());
  }

  /** An occasion to refresh: the focus, the network or the interval. */
  private request(): void {
    const { loaded, loading } = this.shown.status.get();
    const age = this.clock.now() - this.loadedAt;
    // A load in flight brings newer rows by itself.
    if (loaded && !loading && age >= this.staleAfter) this.isDue = true;
    this.refreshIfDue();
  }

  private refreshIfDue(): void {
    if (!this.isDue || !this.mayRefresh()) return;
    this.isDue = false;
    // The store or window reports the error itself.
    this.shown.reload().catch(() => undefined);
  }

  private mayRefresh(): boolean {
    const { loading, saving, pending, queued } = this.shown.status.get();
    const isHidden = this.events?.document?.visibilityState === 'hidden';
    return !this.isStopped && !loading && !saving && pending + queued === 0 && !isHidden;
  }
}
