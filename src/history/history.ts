import { checkCall } from '../dev/checks.js';
import { any, milliseconds, type Rules, wholeFrom } from '../errors/option-rules.js';
import type { StoreObserver } from '../store/store-observer.js';
import { type Clock, systemClock } from '../util/clock.js';
import { RunningHistory } from './running-history.js';

/** Options of {@link history}. */
export interface HistoryOptions {
  /**
   * Number of steps that can be undone. The oldest one is forgotten first.
   * @default 100
   */
  readonly limit?: number;
  /**
   * Milliseconds within which further edits of the same field belong to the same step, as when a text is typed. 0: each turn is a step.
   * @default 500
   */
  readonly pause?: number;
  /**
   * The source of time, for tests.
   * @default the time of the platform
   */
  readonly clock?: Clock;
}

const HISTORY_RULES: Rules<HistoryOptions> = {
  limit: /* @__PURE__ */ wholeFrom(1),
  pause: /* @__PURE__ */ milliseconds(0),
  clock: any,
};

/**
 * The part that records what the user does in a session, for `session.history`. It is in no list by itself. Throws `DefinitionError` for
 * wrong options.
 *
 * @example
 * ```ts
 * import { history } from 'repose/history';
 *
 * class AppSession extends Session {
 *   static override readonly parts: readonly StoreObserver[] = [...Session.parts, history({ limit: 200 })];
 * }
 * ```
 */
export function history(options: HistoryOptions = {}): StoreObserver {
  checkCall('history', options, HISTORY_RULES, 'call');
  const { limit = 100, pause = 500, clock = systemClock } = options;
  return {
    openHistory: (session) => new RunningHistory(session, { limit, pause, clock }),
  };
}
