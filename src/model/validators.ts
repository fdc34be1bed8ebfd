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
type Check = { check(value: unknown): Finding | undefined }['check'];

/**
 * A rule for a field's value: undefined when it holds. Is called for null and undefined by `presence` only. It may name the type of
 * its argument, which is that of the field: what the field refuses, it is not asked about.
 *
 * @example
 * ```ts
 * const even = (value: number) => (value % 2 ? { code: 'even', message: 'must be even' } : undefined);
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

/** A value must be there: neither null nor undefined nor ''. */
// @__NO_SIDE_EFFECTS__
export function presence(options?: ValidatorOptions): Validator {
  const check = rule('required', (value) => value !== undefined && value !== null && value !== '', undefined, options);
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
