import { nearestName } from '../util/nearest.js';
import { isPlainObject } from '../util/values.js';
import { DefinitionError } from './definition-error.js';
import { describe } from './messages.js';

/** A rule that the value of an option must keep. */
export interface Rule {
  /** As a text says it: `a whole number from 1`. */
  readonly expected: string;
  readonly holds: (value: unknown) => boolean;
}

/** A function. */
export const text: Rule = {
  expected: 'a text that is not empty',
  holds: (value) => typeof value === 'string' && value !== '',
};
export const flag: Rule = { expected: 'true or false', holds: (value) => typeof value === 'boolean' };
export const callable: Rule = { expected: 'a function', holds: (value) => typeof value === 'function' };

/** A whole number that is not below another. */
export function wholeFrom(least: number): Rule {
  return {
    expected: `a whole number from ${least}`,
    holds: (value) => Number.isInteger(value) && Number(value) >= least,
  };
}

/** Milliseconds, also without end. */
export function milliseconds(least: number): Rule {
  return {
    expected: `milliseconds, ${least ? 'above 0' : 'from 0'}`,
    holds: (value) => typeof value === 'number' && value >= least && (least === 0 || value > 0),
  };
}

/** Throws `DefinitionError` for an option that nobody knows, and for a value that is none; undefined is not given. */
export function checkOptions(name: string, given: unknown, rules: Readonly<Record<string, Rule>>): void {
  if (!isPlainObject(given)) throw wrongValue(name, 'an object', given);
  for (const [option, value] of Object.entries(given)) {
    const rule = Object.hasOwn(rules, option) ? rules[option] : undefined;
    if (!rule) throw unknownOption(option, name, Object.keys(rules));
    if (value !== undefined && !rule.holds(value)) throw wrongValue(`${name}.${option}`, rule.expected, value);
  }
}

/** Throws `DefinitionError` for an option without the value that it must have. */
export function checkGiven(option: string, value: unknown, rule: Rule): void {
  if (!rule.holds(value)) throw wrongValue(option, rule.expected, value);
}

/** Throws `DefinitionError` for an option that `owner` does not know: it would have no effect. */
export function checkNames(given: object, owner: string, known: readonly string[]): void {
  for (const option of Object.keys(given)) if (!known.includes(option)) throw unknownOption(option, owner, known);
}

/** The error of a value that an option cannot have. */
export function wrongValue(option: string, expected: string, value: unknown): DefinitionError {
  return new DefinitionError('option-value', { option, expected, value: describe(value) });
}

/** The error of an option that `owner` does not know, with the known name that was probably meant. */
function unknownOption(option: string, owner: string, known: readonly string[]): DefinitionError {
  const meant = nearestName(option, known);
  const hint = meant ? `: did you mean '${meant}'?` : `; its options are ${known.join(', ')}`;
  return new DefinitionError('option-unknown', { option, owner, hint });
}
