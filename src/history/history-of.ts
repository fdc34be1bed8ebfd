import { checkCall } from '../dev/checks.js';
import { any, milliseconds, type Rules, wholeFrom } from '../errors/option-rules.js';
import { innerSession } from '../sync/inner-session.js';
import type { Session } from '../sync/session.js';
import { type Clock, systemClock } from '../util/clock.js';
import { RunningHistory } from './running-history.js';
import type { SessionHistory } from './session-history.js';

/** Options of {@link historyOf}. */
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
 * The steps of the user in a session, to undo and redo them. The first call begins to record them, with its options: what was done before
 * is in no step. Later calls return the same history. A fork that is made later records its steps too; they send nothing. Throws `DefinitionError` for wrong options.
 *
 * @example
 * ```ts
 * import { historyOf } from 'repose/history';
 *
 * const steps = historyOf(session, { limit: 200 });
 * await steps.undo();
 * ```
 */
export function historyOf(session: Session, options: HistoryOptions = {}): SessionHistory {
  checkCall('historyOf', options, HISTORY_RULES, 'call');
  const inside = innerSession(session);
  if (inside.steps) return inside.steps as RunningHistory;
  const { limit = 100, pause = 500, clock = systemClock } = options;
  const steps = new RunningHistory(inside, { limit, pause, clock });
  inside.steps = steps;
  if (session.disposed) steps.end();
  return steps;
}
