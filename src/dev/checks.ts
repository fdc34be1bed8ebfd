import { inWords } from '../errors/error-context.js';
import { describe, type Messages } from '../errors/message-format.js';
import { DefinitionError } from '../errors/mistakes.js';
import { callable, isOptionSet, type OptionKind, type Rule, wrongValue } from '../errors/option-rules.js';
import { getMember } from '../util/data-path.js';
import { nearestName, otherName } from './other-names.js';

// The checks for slips of the pen in a development build. A production build has `production/checks.ts` in place of this file, and no trace
// of a call that is a statement of its own.

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

/** Throws `DefinitionError` for options of a call that it does not have, or with values that it does not take; undefined is not given. */
export function checkCall(
  owner: string,
  options: unknown,
  rules: Readonly<Record<string, Rule>>,
  kind: OptionKind = 'call',
): void {
  if (options !== undefined) checkOptions(owner, options, rules, kind);
}

/** Calls a check that stands beside what it is about, or that other callers need in both builds. */
export function inDevelopment<A extends readonly unknown[]>(check: (...given: A) => void, ...given: A): void {
  check(...given);
}

/** Tells a developer in the console of a mistake that is no error: nothing fails, and the screen does not show it. */
export function warn(text: string): void {
  // biome-ignore lint/suspicious/noConsole: the console is where a developer looks while nothing fails
  console.warn(text);
}

/** A rejected promise for options that a call does not accept; undefined if it accepts them. */
export function rejectMistake(
  check: ((options: unknown) => void) | undefined,
  options: unknown,
  messages: Messages | undefined,
): Promise<never> | undefined {
  if (options === undefined) return undefined;
  try {
    inWords(messages, () => check?.(options));
    return undefined;
  } catch (error) {
    return Promise.reject(error);
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
export function checkNames(
  given: object,
  owner: string,
  Class: { optionNames(): readonly string[] },
  kind?: OptionKind,
): void {
  const known = Class.optionNames();
  for (const option of Object.keys(given))
    if (!known.includes(option)) throw unknownOption(option, owner, known, kind, 'option-unknown-class');
}

/** Throws `DefinitionError` for values that break their rules; names without a rule may have any value. */
export function checkValues(
  given: object | null | undefined,
  owner: string,
  rules: Readonly<Record<string, Rule>>,
): void {
  for (const [option, value] of Object.entries(given ?? {})) {
    const rule = Object.hasOwn(rules, option) ? rules[option] : undefined;
    if (rule && value !== undefined && !rule.holds(value)) throw brokenRule(owner, option, rule, value);
  }
}

/** Throws `DefinitionError` for arguments of a function that takes none. */
export function checkNoOptions(owner: string, given: readonly unknown[]): void {
  if (given.some((each) => each !== undefined)) throw new DefinitionError('option-none', { owner });
}

/** Throws `DefinitionError` for an event that `owner` does not have, and for a listener that is no function. */
export function checkEvent(
  owner: string,
  event: unknown,
  known: readonly string[],
  listener: unknown,
  kind: 'event' | 'recordEvent' | 'outboxEvent' = 'event',
): void {
  if (typeof event !== 'string' || !known.includes(event)) throw unknownEvent(owner, String(event), known, kind);
  if (!callable.holds(listener)) throw wrongValue(`The listener of '${event}'`, callable.expected, listener);
}

function unknownEvent(owner: string, event: string, known: readonly string[], kind: string): DefinitionError {
  const remedy = otherName(kind, event);
  if (remedy) return new DefinitionError('event-other', { event, owner, remedy });
  const meant = nearestName(event, known);
  if (meant) return new DefinitionError('event-near', { event, owner, meant });
  return new DefinitionError('event-unknown', { event, owner, known: known.join(', ') });
}

/** Throws `DefinitionError` for a function of an extension that is nearly called like a hook: it would never be called. */
export function checkHookNames(extension: object, name: string, hooks: readonly string[]): void {
  for (const [member, value] of Object.entries(extension)) {
    const isOwn = typeof value !== 'function' || hooks.includes(member);
    if (!isOwn && nearestName(member, hooks)) throw unknownOption(member, `the extension '${name}'`, hooks);
  }
}

/** Whether an object has no members without a rule. */
export function hasOnly(given: object, rules: object): boolean {
  return Object.keys(given).every((name) => Object.hasOwn(rules, name));
}

/** Whether a name is a slip of the pen for one of some names. */
export function isMisspelt(name: string, known: readonly string[]): boolean {
  return !known.includes(name) && nearestName(name, known) !== undefined;
}

/**
 * The end of a text about an unknown name: the known name that was probably meant, or else all of them. `what` says what they are,
 * such as `its options`.
 */
export function hintOf(given: string, known: readonly string[], what: string): string {
  const meant = nearestName(given, known);
  return meant === undefined ? `; ${what} are ${known.join(', ')}` : `: did you mean '${meant}'?`;
}

/** As {@link hintOf}, about a type of fields that is not known: another library may call it so. */
export function typeHint(given: unknown, known: readonly string[]): string {
  if (given === undefined) return ': a name that is imported in a circle, or misspelt, is undefined';
  if (isModel(given)) return ": import `embed` from 'repose', and write `embed(Model)`";
  if (Array.isArray(given) && isModel(given[0])) return ": import `embed` from 'repose', and write `embed([Model])`";
  if (typeof getMember(given, 'type') === 'object')
    return ': `decimal()` and the like take the options of the field, `decimal({ allowNull: true })`';
  const name = typeof given === 'string' ? given : '';
  const remedy = otherName('fieldType', name);
  return remedy ? `: ${remedy}` : hintOf(name, [...known, 'enum', 'decimal()', 'bigint()'], 'the known types');
}

function isModel(value: unknown): boolean {
  return typeof value === 'function' && 'define' in value;
}

/** As {@link hintOf}, about a name that is not a field of a model. */
export function fieldHint(given: unknown, fields: readonly { readonly name: string }[]): string {
  if (typeof given !== 'string') return ': a name must be a text';
  return hintOf(
    given,
    fields.map(({ name }) => name),
    'its fields',
  );
}

/** As {@link fieldHint}, about a name in a query: many servers write a descending order as `-title`. */
export function propertyHint(given: string, fields: readonly { readonly name: string }[]): string {
  const descending = given.startsWith('-') ? given.slice(1) : undefined;
  return fields.some(({ name }) => name === descending)
    ? `: did you mean \`{ property: '${descending}', direction: 'DESC' }\`?`
    : fieldHint(given, fields);
}

/** The error of an option that `owner` does not know: names the option that was probably meant. */
function unknownOption(
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

/** The remedies for values that JSON cannot carry, by the kind of value. */
const sendableRemedies: Readonly<Record<string, string>> = {
  Map: 'set an object instead (`Object.fromEntries(map)`)',
  Set: 'set an array instead (`[...set]`)',
  FileList: 'set a file (`files[0]`) or an array of files (`[...files]`)',
  Promise: 'set what it resolves to (`await` it first)',
  function: 'set a value; behaviour belongs into the class body',
  symbol: 'set a text instead',
};

/** The remedy for a value that JSON cannot carry. */
export function sendableRemedy(kind: string): string {
  return sendableRemedies[kind] ?? 'set plain data instead';
}

/** The remedies for values that cannot be saved, by the code of the problem. */
const valueRemedies = {
  'id-required': ": give a new record its id, which the server does not make (`identifier: 'natural'`)",
  codec: '. Change the value, or give the field a `serialize` that does',
  json: '. Give the field a `serialize`, or send such a body with `fetch`',
  'json-file': ". To send it, add `formBodies()` to `use` of the proxy, and set `writer: { type: 'multipart' }`",
} as const;

/** The remedy for a value that cannot be saved, which follows the problem in its message. */
export function valueRemedy(code: keyof typeof valueRemedies): string {
  return valueRemedies[code];
}

/** A remedy that takes more to find out: what `find` returns. */
export function remedyOf<A extends readonly unknown[]>(
  find: (...given: A) => string | undefined,
  ...given: A
): string | undefined {
  return find(...given);
}
