import { LongPlacer } from './long-placer.js';
import { findLongRuns, hasLongExponent } from './long-runs.js';
import { placeLongNumbers } from './place-long-numbers.js';
import { MAX_DEPTH } from './values.js';

/** A text of at most this length cannot be nested deeper, because each level needs two brackets. */
const SHALLOW_LENGTH = 2 * MAX_DEPTH;
/** The reason for refusing a text that is nested deeper than {@link MAX_DEPTH} levels. */
export const TOO_DEEP: string = `nested deeper than ${MAX_DEPTH} levels`;

/** The result of {@link parseJson}. */
export interface ParsedJson {
  readonly value: unknown;
  /** Whether the data contains a `LongNumber`. */
  readonly long: boolean;
}

/**
 * Parses JSON. Numbers that JavaScript cannot hold become `LongNumber`s. Throws `SyntaxError` for a text that is not JSON, and
 * `RangeError` with the message {@link TOO_DEEP} for data that is nested too deeply.
 */
export function parseJson(text: string): ParsedJson {
  const value: unknown = JSON.parse(text);
  const runs = findLongRuns(text);
  if (!runs && text.length <= SHALLOW_LENGTH && !mayHoldExtreme(text)) return { value, long: false };
  const placer = new LongPlacer(text, runs ?? [], MAX_DEPTH);
  const holder = [value];
  if (!placer.visit(holder, 0)) throw new RangeError(TOO_DEEP);
  const isExtreme = placer.negativeZero || (placer.extreme && hasLongExponent(text));
  if (!isExtreme && placer.complete) return { value: holder[0], long: placer.long };
  // The fast way may have placed some numbers wrongly, so the slow way starts from freshly parsed data.
  return placeLongNumbers(text, JSON.parse(text));
}

/** Whether a text may contain a short number that JavaScript changes: one with a long exponent, or a negative zero. */
function mayHoldExtreme(text: string): boolean {
  return hasLongExponent(text) || text.includes('-0');
}
