import { delay, object, type Rules } from '../errors/option-rules.js';
import type { Clock } from '../util/clock.js';

/** Options of a form. */
export interface FormOptions {
  /**
   * Saves the edits that many milliseconds after the last call of `set()`, if the model finds no errors. A failed save is not repeated
   * before the next edit.
   * @default edits are saved by `submit()` only
   */
  autosave?: number | undefined;
  /** The source of time for `autosave`. @default the clock of the platform */
  clock?: Clock | undefined;
}

export const FORM_RULES: Rules<FormOptions> = { autosave: delay, clock: object };
