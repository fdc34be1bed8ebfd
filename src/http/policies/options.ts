import { DefinitionError } from '../../errors/definition-error.js';
import { describe } from '../../errors/messages.js';
import { isPlain } from '../../util/values.js';
import { policyTexts } from './texts.js';

/** What a value of an option must be. */
export interface Rule {
  /** As a text says it: `a whole number from 1`. */
  readonly expected: string;
  readonly holds: (value: unknown) => boolean;
}

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
  if (!isPlain(given)) throw wrongValue(name, 'an object', given);
  for (const [option, value] of Object.entries(given)) {
    const rule = Object.hasOwn(rules, option) ? rules[option] : undefined;
    if (!rule) {
      const params = { option: `${name}.${option}`, known: Object.keys(rules).join(', ') };
      throw new DefinitionError('policy-option', params, { messages: policyTexts });
    }
    if (value !== undefined && !rule.holds(value)) throw wrongValue(`${name}.${option}`, rule.expected, value);
  }
}

/** Throws `DefinitionError` for options that no request can be sent with. */
export function checkSending({ timeout, fetch }: { readonly timeout: unknown; readonly fetch: unknown }): void {
  const { expected, holds } = milliseconds(0);
  if (!holds(timeout ?? 0)) throw wrongValue('timeout', expected, timeout);
  if (fetch && typeof fetch !== 'function') throw wrongValue('fetch', 'a function', fetch);
}

/** The error of a value that an option cannot have. */
export function wrongValue(option: string, expected: string, value: unknown): DefinitionError {
  return new DefinitionError('policy-value', { option, expected, value: describe(value) }, { messages: policyTexts });
}
