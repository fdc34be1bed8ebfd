import { flag, milliseconds, object, type Rule, type Rules } from '../errors/option-rules.js';
import type { Clock } from '../util/clock.js';

/** The events of a page that tell when data should be refreshed, and whether the page is hidden: `window`, or an object like it. */
export interface PageEvents {
  readonly document?: { readonly visibilityState?: string } | undefined;
  addEventListener(event: string, listener: () => void): void;
  removeEventListener(event: string, listener: () => void): void;
}

/** Options of {@link keepFresh}. */
export interface KeepFreshOptions {
  /** Whether to refresh when the page is shown again or gets the focus. Only in browsers. @default true */
  onFocus?: boolean;
  /** Whether to refresh when the network is back. Only in browsers. @default true */
  onReconnect?: boolean;
  /** Refreshes in this interval, in milliseconds. @default no interval */
  every?: number;
  /**
   * Does not refresh data that are younger than this, in milliseconds. The age is counted from the last load that succeeded; for data
   * that were loaded before the call of `keepFresh()`, from that call. @default 0
   */
  staleAfter?: number;
  /** The source of time; for tests. */
  clock?: Clock;
  /** The source of the events `focus`, `visibilitychange` and `online`; for tests. @default the window of the browser; elsewhere none */
  events?: PageEvents;
}

/** Platforms run a timer with a longer delay at once. */
const LONGEST_DELAY = 2 ** 31 - 1;

const interval: Rule = {
  expected: `milliseconds from 1 to ${LONGEST_DELAY} (24 days)`,
  holds: (value) => typeof value === 'number' && value >= 1 && value <= LONGEST_DELAY,
};

const pageEvents: Rule = {
  expected: 'an object with `addEventListener()` and `removeEventListener()`, such as `window`',
  holds: (value) => hasMethods(value, 'addEventListener', 'removeEventListener'),
};

const clock: Rule = {
  expected: 'an object with `now()` and `after()`, such as `systemClock`',
  holds: (value) => hasMethods(value, 'now', 'after'),
};

/** The options that `keepFresh()` accepts. */
export const KEEP_FRESH_RULES: Rules<KeepFreshOptions> = {
  onFocus: flag,
  onReconnect: flag,
  every: interval,
  staleAfter: /* @__PURE__ */ milliseconds(0),
  clock,
  events: pageEvents,
};

/** The first argument of `keepFresh()`. */
export const REFRESHABLE: Rule = {
  expected: 'a store or a window (for a view, its store)',
  holds: (value) => hasMethods(value, 'reload') && object.holds((value as { readonly status?: unknown }).status),
};

function hasMethods(value: unknown, ...names: readonly string[]): boolean {
  return object.holds(value) && names.every((name) => typeof (value as Record<string, unknown>)[name] === 'function');
}

/** The window of a browser, or the global object of a worker; undefined on platforms without events. */
export function eventsOfPage(): PageEvents | undefined {
  const platform = globalThis as Partial<PageEvents>;
  return platform.addEventListener ? (platform as PageEvents) : undefined;
}
