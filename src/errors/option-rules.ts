import { type Data, isData } from '../util/data-path.js';
import { describe } from './message-format.js';
import { DefinitionError } from './mistakes.js';

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

type RulesByName = Readonly<Record<string, Rule>>;

/** The kind of owner, which decides which names of other libraries are recognised. */
export type OptionKind =
  | 'model'
  | 'field'
  | 'store'
  | 'proxy'
  | 'methods'
  | 'reader'
  | 'writer'
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

/** Rules, and further ones. A bundler can drop the call, but not an object that spreads another one. */
// @__NO_SIDE_EFFECTS__
export function rulesOf<A extends RulesByName, B extends RulesByName>(some: A, others: B): A & B {
  return { ...some, ...others };
}

/** A rule in other words. */
// @__NO_SIDE_EFFECTS__
export function worded({ holds, isSecret = false }: Rule, expected: string): Rule {
  return { expected, holds, isSecret };
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

/** The error of a value that an option cannot have. */
export function wrongValue(option: string, expected: string, value: unknown): DefinitionError {
  return new DefinitionError('option-value', { option, expected, value: describe(value) });
}
