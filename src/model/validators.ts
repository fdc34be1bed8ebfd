import type { valueMessages } from '../errors/messages/values.js';
import type { MessageKey } from '../errors/messages.js';
import { checkNames, checkValues, string } from '../errors/option-rules.js';
import { isObject } from '../util/data-path.js';
import { isPlainObject } from '../util/values.js';
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
}

/** Options of every validator. */
export interface ValidatorOptions {
  /** Replaces the text. */
  message?: string;
}

function rule(
  code: keyof typeof valueMessages,
  holds: (value: never) => boolean,
  params?: object,
  options?: ValidatorOptions,
  more: readonly string[] = Object.keys(params ?? {}),
): Validator {
  // A validator that is not called in the declaration is given a value here: the check of the field says so.
  if (isPlainObject(options)) {
    checkNames(options, 'a validator', [...more, 'message']);
    checkValues(options, 'a validator', { message: string });
  }
  const finding = { code, ...(params && { params: { ...params } }), message: options?.message };
  return (value) => (holds(value as never) ? undefined : finding);
}

/** Options of `presence`. */
export interface PresenceOptions extends ValidatorOptions {
  /** Whether '' counts as a value. @default false */
  allowEmpty?: boolean;
}

/**
 * The value must be present: not null, not undefined and, unless `allowEmpty` is set, not ''. A text of white space only, such as `'  '`,
 * passes: add `format(/\S/)` to refuse it.
 *
 * @example
 * ```ts
 * presence({ allowEmpty: true }); // refuses null and undefined only
 * ```
 */
// @__NO_SIDE_EFFECTS__
export function presence({ allowEmpty = false, ...options }: PresenceOptions = {}): Validator {
  const holds = (value: unknown) => value !== undefined && value !== null && (allowEmpty || value !== '');
  const check = rule('required', holds, undefined, options, ['allowEmpty']);
  return Object.assign(check, { missing: true });
}

/** Limits the number of characters of a text or of a number's text (12.5 has four), or the number of items of an array. */
// @__NO_SIDE_EFFECTS__
export function length({
  min = 0,
  max = Number.POSITIVE_INFINITY,
  ...options
}: { min?: number; max?: number } & ValidatorOptions): Validator {
  const code = max === Number.POSITIVE_INFINITY ? 'minLength' : min === 0 ? 'maxLength' : 'length';
  const holds = (value: unknown) => {
    const measured = (isObject(value) ? value : String(value)) as { length: number };
    return measured.length >= min && measured.length <= max;
  };
  return rule(code, holds, { min, max }, options);
}

/** Limits a value to the range from `min` to `max`, both included. Texts of decimal digits are compared as numbers, exactly. */
// @__NO_SIDE_EFFECTS__
export function range<T extends number | bigint | Date | string>({
  min,
  max,
  ...options
}: { min?: T; max?: T } & ValidatorOptions): Validator {
  const code = max === undefined ? 'min' : min === undefined ? 'max' : 'range';
  return rule(
    code,
    (value: T) => (min === undefined || isAtMost(min, value)) && (max === undefined || isAtMost(value, max)),
    { min, max },
    options,
  );
}

function isAtMost(a: unknown, b: unknown): boolean {
  return isDecimal(a) && isDecimal(b) ? compareDecimals(a, b) <= 0 : (a as number) <= (b as number);
}

/** The text must match a pattern. */
// @__NO_SIDE_EFFECTS__
export function format(matcher: RegExp, options?: ValidatorOptions): Validator {
  return rule('format', (value) => String(value).search(matcher) >= 0, undefined, options);
}

/** The text must be an e-mail address, by the rule of browsers. */
// @__NO_SIDE_EFFECTS__
export function email(options?: ValidatorOptions): Validator {
  return rule(
    'email',
    (value) =>
      /^[\w.!#$%&'*+/=?^`{|}~-]+@[a-z\d](?:[a-z\d-]*[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]*[a-z\d])?)+$/i.test(value),
    undefined,
    options,
  );
}

/** The text must be an http or https address. */
// @__NO_SIDE_EFFECTS__
export function url(options?: ValidatorOptions): Validator {
  return rule('url', (value: string) => /^https?:\/\/[^\s/]+/i.test(value) && URL.canParse(value), undefined, options);
}

/** The value must be one of a list. */
// @__NO_SIDE_EFFECTS__
export function inclusion(list: readonly unknown[], options?: ValidatorOptions): Validator {
  return rule('inclusion', (value) => list.includes(value), { list }, options);
}

/** The value must not be one of a list. */
// @__NO_SIDE_EFFECTS__
export function exclusion(list: readonly unknown[], options?: ValidatorOptions): Validator {
  return rule('exclusion', (value) => !list.includes(value), { list }, options);
}
