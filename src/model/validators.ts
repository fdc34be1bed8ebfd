import { checkGiven, checkOptions } from '../dev/checks.js';
import type { MessageKey } from '../errors/message-format.js';
import type { valueMessages } from '../errors/messages/value-texts.js';
import { flag, isOptionSet, type Rule, rulesOf, string, wholeFrom } from '../errors/option-rules.js';
import { isObject } from '../util/data-path.js';
import { compareDecimals, isDecimal } from './decimals.js';

/** The finding of a validator: why it refuses a value. */
export interface Finding {
  /** A key of the table of messages, or a code of the application with its own `message`. */
  readonly code: MessageKey | (string & {});
  /** Values for the placeholders (`{name}`) of the text. */
  readonly params?: Readonly<Record<string, unknown>>;
  /** The text; it takes precedence over the table. */
  readonly message?: string | undefined;
}

/**
 * The call signature of a validator. It is the type of a method, so that a validator may declare a narrower type for its argument.
 */
type Check = { check(value: unknown, record: object): Finding | undefined }['check'];

/**
 * A rule for a field's value. It is called with a value, and returns undefined if the value is valid. It is not called with
 * null and undefined unless `missing` is set, nor with values that the field's type refuses; so its argument may have the type
 * of the field.
 *
 * The second argument is the record, for rules that compare fields; its type names the fields that the rule reads. A save
 * checks only the edited fields, so give a rule that compares two fields to both of them. With `reader: { strict: true }`, rows
 * are checked as they arrive; the second argument then is an object with the values of the row by field name, not a record.
 *
 * @example
 * ```ts
 * const even = (value: number) => (value % 2 ? { code: 'even', message: 'must be even' } : undefined);
 *
 * const afterStart = (end: Date, record: { readonly start: Date }) =>
 *   end < record.start ? { code: 'order', message: 'must not be before the start' } : undefined;
 * ```
 */
export interface Validator extends Check {
  /** Whether the validator is also called with null and undefined. @default false */
  readonly missing?: boolean;
  /**
   * The rule as data, which `fieldsOf(User)` shows to forms. A validator of the application may have one, too:
   * `Object.assign(short, { constraint: { kind: 'length', max: 3 } })`.
   */
  readonly constraint?: Constraint;
}

/** The rule of a validator as data. */
export type Constraint =
  | { readonly kind: 'presence'; readonly allowEmpty: boolean }
  | { readonly kind: 'length'; readonly min?: number | undefined; readonly max?: number | undefined }
  | { readonly kind: 'range'; readonly min?: RangeLimit | undefined; readonly max?: RangeLimit | undefined }
  | { readonly kind: 'format'; readonly pattern: RegExp }
  | { readonly kind: 'email' }
  | { readonly kind: 'url' }
  | { readonly kind: 'inclusion' | 'exclusion'; readonly list: readonly unknown[] };

type RangeLimit = number | bigint | Date | string;

/** Options of every validator. */
export interface ValidatorOptions {
  /** Replaces the text. */
  message?: string;
}

/** The rules of the options of each validator. */
const MESSAGE_RULES = { message: string };
const LENGTH_RULES = /* @__PURE__ */ rulesOf(MESSAGE_RULES, {
  min: /* @__PURE__ */ wholeFrom(0),
  max: {
    expected: 'a whole number from 0',
    holds: (value) => value === Number.POSITIVE_INFINITY || wholeFrom(0).holds(value),
  },
}) satisfies Record<string, Rule>;
const LIMIT: Rule = {
  expected: 'a number, a date or a text of digits',
  holds: (value) => (typeof value === 'object' ? value instanceof Date : /^(number|bigint|string)$/.test(typeof value)),
};
const LIST: Rule = {
  expected: "a list of values, such as `['open', 'done']`",
  holds: Array.isArray,
  isSecret: true,
};
const PATTERN: Rule = {
  expected: 'a regular expression, such as `/^[a-z]+$/`',
  holds: (value) => Object.prototype.toString.call(value) === '[object RegExp]',
  isSecret: true,
};

function rule(
  code: keyof typeof valueMessages,
  constraint: Constraint,
  holds: (value: never) => boolean,
  params?: object,
  options?: ValidatorOptions,
): Validator {
  const finding = { code, ...(params && { params: { ...params } }), message: options?.message };
  return Object.assign((value: unknown) => (holds(value as never) ? undefined : finding), {
    constraint: Object.freeze(constraint),
  });
}

/** Throws `DefinitionError` for wrong options of a validator; undefined is not given. */
function checkSettings(
  validator: string,
  given: unknown,
  rules: Readonly<Record<string, Rule>> = MESSAGE_RULES,
  example: string = "{ message: 'is wrong' }",
): void {
  if (given === undefined) return;
  // A validator that is not called in the declaration is given a value of the field here, which may be secret.
  const expected = `an object, such as \`${example}\` (in a declaration, call it: \`validators: [${validator}(…)]\`)`;
  checkGiven(`The options of \`${validator}\``, given, { expected, holds: isOptionSet, isSecret: true });
  checkOptions(validator, given, rules);
}

/** A validator that demands a value: the type of a field with it has no `undefined`. */
export interface Presence extends Validator {
  readonly constraint: Extract<Constraint, { kind: 'presence' }>;
}

/** Options of `presence`. */
export interface PresenceOptions extends ValidatorOptions {
  /** Whether '' counts as a value. @default false */
  allowEmpty?: boolean;
}

/**
 * The value must be present: not null, not undefined and, unless `allowEmpty` is set, not ''. A text of white space only, such as `'  '`,
 * passes: add `format(/\S/)` to refuse it. Throws `DefinitionError` for wrong options.
 *
 * @example
 * ```ts
 * presence({ allowEmpty: true }); // refuses null and undefined only
 * ```
 */
// @__NO_SIDE_EFFECTS__
export function presence(options: PresenceOptions = {}): Presence {
  checkSettings('presence', options, { allowEmpty: flag, ...MESSAGE_RULES });
  const { allowEmpty = false } = options;
  const holds = (value: unknown) => value !== undefined && value !== null && (allowEmpty || value !== '');
  const constraint = Object.freeze({ kind: 'presence' as const, allowEmpty });
  return Object.assign(rule('required', constraint, holds, undefined, options), { constraint, missing: true });
}

/**
 * Limits the number of characters of a text or of a number's text (12.5 has four), or the number of items of an array. Throws
 * `DefinitionError` for wrong options.
 *
 * @example
 * ```ts
 * class Product extends Model.define({
 *   fields: { id: 'int', code: { type: 'string', validators: [length({ min: 3, max: 8 })] } },
 * }) {}
 * show(new Product({ code: 'A1' }).$.validate().map(({ message }) => message)); // ['must be 3 to 8 characters long']
 * ```
 */
// @__NO_SIDE_EFFECTS__
export function length(options: { min?: number; max?: number } & ValidatorOptions): Validator {
  checkSettings('length', options ?? null, LENGTH_RULES, '{ min: 1, max: 40 }');
  const { min = 0, max = Number.POSITIVE_INFINITY } = options;
  const code = max === Number.POSITIVE_INFINITY ? 'minLength' : min === 0 ? 'maxLength' : 'length';
  const holds = (value: unknown) => {
    const measured = (isObject(value) ? value : String(value)) as { length: number };
    return measured.length >= min && measured.length <= max;
  };
  return rule(code, { kind: 'length', min: options.min, max: options.max }, holds, { min, max }, options);
}

/**
 * Limits a value to the range from `min` to `max`, both included. Texts of decimal digits are compared as numbers, exactly. Throws
 * `DefinitionError` for wrong options.
 *
 * @example
 * ```ts
 * range({ min: 1, max: 100 }); // 1 and 100 are valid
 * range({ min: new Date('2026-01-01') }); // no day before 2026
 * range({ max: '99999999999999999.99' }); // a decimal of any length
 * ```
 */
// @__NO_SIDE_EFFECTS__
export function range<T extends number | bigint | Date | string>(
  options: { min?: T; max?: T } & ValidatorOptions,
): Validator {
  checkSettings('range', options ?? null, { min: LIMIT, max: LIMIT, ...MESSAGE_RULES }, '{ min: 1, max: 10 }');
  const { min, max } = options;
  const code = max === undefined ? 'min' : min === undefined ? 'max' : 'range';
  return rule(
    code,
    { kind: 'range', min, max },
    (value: T) => (min === undefined || isAtMost(min, value)) && (max === undefined || isAtMost(value, max)),
    { min, max },
    options,
  );
}

/** Whether one limit or value is at most another one; texts of decimal digits are compared as numbers. */
export function isAtMost(a: unknown, b: unknown): boolean {
  return isDecimal(a) && isDecimal(b) ? compareDecimals(a, b) <= 0 : (a as number) <= (b as number);
}

/**
 * The text must match a pattern. Throws `DefinitionError` for an argument that is no regular expression, and for wrong options.
 *
 * @example
 * ```ts
 * format(/^[A-Z]{2}\d{4}$/, { message: 'must be two letters and four digits' }); // AB1234
 * ```
 */
// @__NO_SIDE_EFFECTS__
export function format(matcher: RegExp, options?: ValidatorOptions): Validator {
  checkGiven('The argument of `format`', matcher, PATTERN);
  checkSettings('format', options);
  return rule(
    'format',
    { kind: 'format', pattern: matcher },
    (value) => String(value).search(matcher) >= 0,
    undefined,
    options,
  );
}

/**
 * The text must be an e-mail address, by the rule of browsers. Throws `DefinitionError` for wrong options.
 *
 * @example
 * ```ts
 * class Customer extends Model.define({
 *   fields: { id: 'int', mail: { type: 'string', validators: [email()] } },
 * }) {}
 * ```
 */
// @__NO_SIDE_EFFECTS__
export function email(options?: ValidatorOptions): Validator {
  checkSettings('email', options);
  return rule(
    'email',
    { kind: 'email' },
    (value) =>
      /^[\w.!#$%&'*+/=?^`{|}~-]+@[a-z\d](?:[a-z\d-]*[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]*[a-z\d])?)+$/i.test(value),
    undefined,
    options,
  );
}

/**
 * The text must be an http or https address. Throws `DefinitionError` for wrong options.
 *
 * @example
 * ```ts
 * url({ message: 'must begin with https:// or http://' }); // accepts https://example.com/a
 * ```
 */
// @__NO_SIDE_EFFECTS__
export function url(options?: ValidatorOptions): Validator {
  checkSettings('url', options);
  return rule(
    'url',
    { kind: 'url' },
    (value: string) => /^https?:\/\/[^\s/]+/i.test(value) && URL.canParse(value),
    undefined,
    options,
  );
}

/**
 * The value must be one of a list. Throws `DefinitionError` for an argument that is no list, and for wrong options.
 *
 * @example
 * ```ts
 * inclusion(['open', 'done'], { message: 'must be open or done' });
 * ```
 */
// @__NO_SIDE_EFFECTS__
export function inclusion(list: readonly unknown[], options?: ValidatorOptions): Validator {
  checkGiven('The first argument of `inclusion`', list, LIST);
  checkSettings('inclusion', options);
  const known = new Set(list);
  return rule('inclusion', { kind: 'inclusion', list }, (value) => known.has(value), { list }, options);
}

/**
 * The value must not be one of a list. Throws `DefinitionError` for an argument that is no list, and for wrong options.
 *
 * @example
 * ```ts
 * exclusion(['admin', 'root'], { message: 'is reserved' });
 * ```
 */
// @__NO_SIDE_EFFECTS__
export function exclusion(list: readonly unknown[], options?: ValidatorOptions): Validator {
  checkGiven('The first argument of `exclusion`', list, LIST);
  checkSettings('exclusion', options);
  const known = new Set(list);
  return rule('exclusion', { kind: 'exclusion', list }, (value) => !known.has(value), { list }, options);
}
