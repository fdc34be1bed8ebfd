import type { valueMessages } from '../errors/messages/values.js';
import type { MessageKey } from '../errors/messages.js';
import { isObject } from '../util/data-path.js';
import { compareDecimals, isDecimal } from './decimals.js';

/** What a validator finds wrong. */
export interface Finding {
  /** A text of the message table, or the application's own code with a `message`. */
  readonly code: MessageKey | (string & {});
  readonly params?: Readonly<Record<string, unknown>>;
  /** The text, whatever the table says. */
  readonly message?: string | undefined;
}

/** What a validator is called as. It is taken from a member, so that a function may name the type of the values that it is for. */
type Check = { check(value: unknown, record: object): Finding | undefined }['check'];

/**
 * A rule for a field's value: returns undefined when the value is right. It may name the type of the value, which is that of the
 * field: a value that the field refuses is not shown to it. Null and undefined are shown to `presence` only.
 *
 * The second argument is the record, for rules that compare fields: name the fields that the rule reads as its type. A save checks
 * the edited fields only, so give a rule that compares two fields to both. While rows are checked as they arrive
 * (`reader: { strict: true }`), the second argument holds the values of the row by field, and nothing else of a record.
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
  /** Whether it wants to see missing values. */
  readonly missing?: boolean;
}

/** Options that every validator has. */
export interface ValidatorOptions {
  /** Replaces the text. */
  message?: string;
}

function rule(
  code: keyof typeof valueMessages,
  holds: (value: never) => boolean,
  params?: object,
  options?: ValidatorOptions,
): Validator {
  const finding = { code, ...(params && { params: { ...params } }), message: options?.message };
  return (value) => (holds(value as never) ? undefined : finding);
}

/** Options of `presence`. */
export interface PresenceOptions extends ValidatorOptions {
  /** Whether a text without characters counts as a value. @default false */
  allowEmpty?: boolean;
}

/**
 * A value must be there: neither null nor undefined, nor an empty text unless `allowEmpty` is set.
 *
 * @example
 * ```ts
 * presence({ allowEmpty: true }); // refuses null and undefined only
 * ```
 */
// @__NO_SIDE_EFFECTS__
export function presence({ allowEmpty = false, ...options }: PresenceOptions = {}): Validator {
  const holds = (value: unknown) => value !== undefined && value !== null && (allowEmpty || value !== '');
  const check = rule('required', holds, undefined, options);
  return Object.assign(check, { missing: true });
}

/** The number of characters of a text or of a number's text (12.5 has four), or of items of a list. */
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

/** The least and the greatest value, both included. Texts of digits are compared as the decimals that they are. */
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

/** A text must match a pattern. */
// @__NO_SIDE_EFFECTS__
export function format(matcher: RegExp, options?: ValidatorOptions): Validator {
  return rule('format', (value) => String(value).search(matcher) >= 0, undefined, options);
}

/** An e-mail address, as browsers check it. */
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

/** An http or https address. */
// @__NO_SIDE_EFFECTS__
export function url(options?: ValidatorOptions): Validator {
  return rule('url', (value: string) => /^https?:\/\/[^\s/]+/i.test(value) && URL.canParse(value), undefined, options);
}

/** One of a list. */
// @__NO_SIDE_EFFECTS__
export function inclusion(list: readonly unknown[], options?: ValidatorOptions): Validator {
  return rule('inclusion', (value) => list.includes(value), { list }, options);
}

/** None of a list. */
// @__NO_SIDE_EFFECTS__
export function exclusion(list: readonly unknown[], options?: ValidatorOptions): Validator {
  return rule('exclusion', (value) => !list.includes(value), { list }, options);
}
