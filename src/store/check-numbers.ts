import { badValue } from '../errors/unsupported-query-error.js';

/** Throws `UnsupportedQueryError` for a value that is not a number in its range. Called before anything is sent. */
export function checkNumbers(values: Record<string, number>, least: number, most: number = Number.MAX_VALUE): void {
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === 'number' && value >= least && value <= most) continue;
    throw badValue(name, value, `a number from ${least}`);
  }
}
