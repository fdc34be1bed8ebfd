import { type Data, isData } from '../util/data-path.js';
import { nearestName } from '../util/nearest.js';
import { DefinitionError } from './definition-error.js';
import { describe } from './messages.js';
import { otherName } from './other-names.js';

/** A rule that the value of an option must keep. */
export interface Rule {
  /** The end of the sentence "The option must be": `a whole number from 1`. */
  readonly expected: string;
  readonly holds: (value: unknown) => boolean;
  /** Whether no message shows the value, which may be a secret. */
  readonly isSecret?: boolean;
}

/** A rule for each option of `C`. */
export type Rules<C> = Readonly<Record<keyof C & string, Rule>>;

/** The kind of owner, which decides which names of other libraries are recognised. */
export type OptionKind =
  | 'model'
  | 'field'
  | 'store'
  | 'proxy'
  | 'methods'
  | 'reader'
  | 'call'
  | 'load'
  | 'sync'
  | 'sorter'
  | 'filter'
  | 'grouper'
  | 'dialect';

const is = (type: string, expected: string): Rule => ({ expected, holds: (value) => typeof value === type });

export const any: Rule = { expected: 'anything', holds: () => true };
export const string: Rule = /* @__PURE__ */ is('string', 'a text');
export const flag: Rule = /* @__PURE__ */ is('boolean', 'true or false');
export const callable: Rule = /* @__PURE__ */ is('function', 'a function');
export const text: Rule = {
  expected: 'a text that is not empty',
  holds: (value) => typeof value === 'string' && value !== '',
};
export const object: Rule = { expected: 'an object', holds: isData };
/** Texts by name. */
export const textsByName: Rule = {
  expected: "an object of texts, such as `{ createdAt: 'created' }`",
  holds: (value) => isData(value) && Object.values(value).every(text.holds),
};
/** Headers by name. */
export const headerSet: Rule = {
  expected: "an object of texts, such as `{ 'Accept-Language': 'de' }`",
  holds: isData,
  isSecret: true,
};
/** Parameters by name: their values may be secret. Other objects, such as maps and promises, have no members to send. */
export const parameterSet: Rule = {
  expected: "an object of parameters by name, such as `{ lang: 'de' }`",
  holds: isParameterSet,
  isSecret: true,
};
export const list: Rule = { expected: 'a list', holds: Array.isArray };
export const signal: Rule = {
  expected: 'an AbortSignal, such as the `signal` of an AbortController',
  holds: (value) => typeof (value as AbortSignal | null)?.addEventListener === 'function',
};

/**
 * Whether a value can have options as its members: an object literal, also of another realm such as an iframe, or an object of a
 * class of the application. The platform tags the objects of its own classes, such as events, signals and lists. A record has the
 * member `$`, which no option has.
 */
export function isOptionSet(value: unknown): value is Data {
  return isData(value) && Object.prototype.toString.call(value) === '[object Object]' && !('$' in value);
}

/** Whether a value has parameters as its members, as a literal or an object of a class of the application has. */
export function isParameterSet(value: unknown): boolean {
  if (!isData(value) || Symbol.iterator in value || value instanceof Date) return false;
  return typeof (value as { readonly then?: unknown }).then !== 'function';
}

/** One of some texts. */
// @__NO_SIDE_EFFECTS__
export function oneOf(...values: readonly unknown[]): Rule {
  const expected = values.map((value) => JSON.stringify(value)).join(' or ');
  return { expected, holds: (value) => values.includes(value) };
}

/** A rule that also allows null. */
// @__NO_SIDE_EFFECTS__
export function orNull({ expected, holds }: Rule): Rule {
  return { expected: `${expected} or null`, holds: (value) => value === null || holds(value) };
}

/** A whole number from `least` on. */
// @__NO_SIDE_EFFECTS__
export function wholeFrom(least: number): Rule {
  return {
    expected: `a whole number from ${least}`,
    holds: (value) => Number.isSafeInteger(value) && Number(value) >= least,
  };
}

/** Milliseconds; `Infinity` is allowed. */
// @__NO_SIDE_EFFECTS__
export function milliseconds(least: number): Rule {
  return {
    expected: `milliseconds, ${least ? 'above 0' : 'from 0'}`,
    holds: (value) => typeof value === 'number' && value >= least && (least === 0 || value > 0),
  };
}

/** Milliseconds that a timer can wait. */
export const delay: Rule = {
  expected: 'milliseconds from 0',
  holds: (value) => Number.isFinite(value) && Number(value) >= 0,
};

/** Throws `DefinitionError` for an option that `rules` does not name, and for a value that breaks its rule; undefined is not given. */
export function checkOptions(
  owner: string,
  given: unknown,
  rules: Readonly<Record<string, Rule>>,
  kind?: OptionKind,
): void {
  if (!isOptionSet(given)) throw wrongValue(`The options of ${owner}`, 'an object', given);
  for (const option of Object.keys(given)) {
    const rule = Object.hasOwn(rules, option) ? rules[option] : undefined;
    if (!rule) throw unknownOption(option, owner, Object.keys(rules), kind);
    const value = given[option];
    if (value !== undefined && !rule.holds(value)) throw brokenRule(owner, option, rule, value);
  }
}

/** Throws `DefinitionError` for an option without the value that it must have. */
export function checkGiven(option: string, value: unknown, rule: Rule): void {
  if (!rule.holds(value))
    throw new DefinitionError('option-value', { option, expected: rule.expected, value: shownValue(rule, value) });
}

/**
 * Throws `DefinitionError` for an option that a class with `static optionNames()` does not know: it would have no effect. A subclass may
 * have forgotten to name an option of its own there.
 */
export function checkNames(given: object, owner: string, known: readonly string[], kind?: OptionKind): void {
  for (const option of Object.keys(given))
    if (!known.includes(option)) throw unknownOption(option, owner, known, kind, 'option-unknown-class');
}

/** Throws `DefinitionError` for values that break their rules; names without a rule may have any value. */
export function checkValues(given: object, owner: string, rules: Readonly<Record<string, Rule>>): void {
  for (const [option, value] of Object.entries(given)) {
    const rule = Object.hasOwn(rules, option) ? rules[option] : undefined;
    if (rule && value !== undefined && !rule.holds(value)) throw brokenRule(owner, option, rule, value);
  }
}

/** Throws `DefinitionError` for arguments of a function that takes none. */
export function checkNoOptions(owner: string, given: readonly unknown[]): void {
  if (given.some((each) => each !== undefined)) throw new DefinitionError('option-none', { owner });
}

/** How a message names an option: `retry.limit`, or "`type` of the field 'name'". */
function optionName(owner: string, option: string): string {
  return owner.includes(' ') ? `\`${option}\` of ${owner}` : `${owner}.${option}`;
}

function brokenRule(owner: string, option: string, rule: Rule, value: unknown): DefinitionError {
  const { expected } = rule;
  return new DefinitionError('option-value', {
    option: optionName(owner, option),
    expected,
    value: shownValue(rule, value),
  });
}

/** A value as a message shows it. A text that may be secret is not quoted. */
function shownValue({ isSecret }: Rule, value: unknown): string {
  return isSecret && typeof value === 'string' ? 'a text' : describe(value);
}

/** The error of a value that an option cannot have. */
export function wrongValue(option: string, expected: string, value: unknown): DefinitionError {
  return new DefinitionError('option-value', { option, expected, value: describe(value) });
}

/** The error of an option that `owner` does not know: names the option that was probably meant. */
export function unknownOption(
  option: string,
  owner: string,
  known: readonly string[],
  kind?: OptionKind,
  reason: 'option-unknown' | 'option-unknown-class' = 'option-unknown',
): DefinitionError {
  const remedy = kind && otherName(kind, option);
  if (remedy) return new DefinitionError('option-other', { option, owner, remedy });
  const meant = nearestName(option, known);
  if (meant) return new DefinitionError('option-near', { option, owner, meant });
  return new DefinitionError(reason, { option, owner, known: known.join(', ') });
}
