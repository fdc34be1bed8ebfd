import { LongPlacer } from './long-placer.js';
import { findLongRuns, hasLongExponent } from './long-runs.js';
import { placeLongNumbers } from './place-long-numbers.js';

/** Data that is nested deeper makes recursive functions fail, `JSON.stringify` too. */
export const MOST_LEVELS: number = 1000;
/** Text of this length or less cannot be deeper: each level is opened and closed. */
const SHALLOW_LENGTH = 2 * MOST_LEVELS;
/** Why text is refused that is nested deeper than {@link MOST_LEVELS} levels. */
export const TOO_DEEP: string = `nested deeper than ${MOST_LEVELS} levels`;

/** Data from a JSON text. */
export interface ParsedJson {
  readonly value: unknown;
  /** Whether the data holds a `LongNumber`. */
  readonly long: boolean;
}

/**
 * Reads JSON; numbers that JavaScript cannot hold become `LongNumber`s. Throws `SyntaxError`, and `RangeError` with the message
 * {@link TOO_DEEP} for data that is nested too deeply.
 */
export function parseJson(text: string): ParsedJson {
  const value: unknown = JSON.parse(text);
  const runs = findLongRuns(text);
  if (!runs && text.length <= SHALLOW_LENGTH && !mayHoldExtreme(text)) return { value, long: false };
  const placer = new LongPlacer(text, runs ?? [], MOST_LEVELS);
  const holder = [value];
  if (!placer.visit(holder, 0)) throw new RangeError(TOO_DEEP);
  const isExtreme = placer.negativeZero || (placer.extreme && hasLongExponent(text));
  if (!isExtreme && placer.complete) return { value: holder[0], long: placer.long };
  // The quick way may have placed some of them wrongly: it begins again with fresh data.
  return placeLongNumbers(text, JSON.parse(text));
}

/** Whether a text may hold a short number that JavaScript changes: one with a long exponent, or a negative zero. */
function mayHoldExtreme(text: string): boolean {
  return hasLongExponent(text) || text.includes('-0');
}
