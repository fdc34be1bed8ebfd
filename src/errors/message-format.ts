import type {
  formErrorMessages,
  outboxMessages,
  providerMessages,
  queryKeyMessages,
  renderingMessages,
  testingMessages,
  treeMessages,
} from '../dev/messages/entries.js';
import type {
  addressMessages,
  definitionMessages,
  extensionMessages,
  optionMessages,
  queryMessages,
  recordMessages,
  replyMessages,
  storeMessages,
} from '../dev/messages/main.js';
import { getMember, isObject } from '../util/data-path.js';
import type { changesMessages, plainChangesMessages } from './messages/changes.js';
import type { formMessages } from './messages/forms.js';
import { valueMessages } from './messages/value-texts.js';
import type { userMessages } from './user-message.js';

/** Keys of {@link messages}, and keys of texts that an application adds. */
export type MessageKey =
  | keyof typeof addressMessages
  | keyof typeof changesMessages
  | keyof typeof definitionMessages
  | keyof typeof extensionMessages
  | keyof typeof formErrorMessages
  | keyof typeof formMessages
  | keyof typeof plainChangesMessages
  | keyof typeof optionMessages
  | keyof typeof outboxMessages
  | keyof typeof providerMessages
  | keyof typeof queryKeyMessages
  | keyof typeof queryMessages
  | keyof typeof recordMessages
  | keyof typeof renderingMessages
  | keyof typeof replyMessages
  | keyof typeof storeMessages
  | keyof typeof testingMessages
  | keyof typeof treeMessages
  | keyof typeof userMessages
  | keyof typeof valueMessages
  | (string & {});
/** A table of texts, by key. */
export type Messages = Readonly<Record<string, string>>;
/** The values of the `{name}`s of a text. */
export type MessageParams = Readonly<Record<string, unknown>>;

/** The text of a finding for people: that of `table` for its key, or else the built-in one, with its parameters filled in. */
export function formatMessage(key: MessageKey, params: MessageParams = {}, table?: Messages): string {
  return fillIn(getMember(table, key) ?? getMember(valueMessages, key) ?? key, params);
}

/** A text with its parameters filled in. */
export function fillIn(text: unknown, params: MessageParams): string {
  return String(text).replace(/\{(\w+)\}/g, (all, name: string) =>
    Object.hasOwn(params, name) ? String(params[name]) : all,
  );
}

/** How a message names a value: short, and without the contents of objects. */
export function describe(value: unknown): string {
  if (typeof value === 'string') return `'${value.replace(/(.{40}).+/s, '$1…')}'`;
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'function') return describeFunction(value);
  if (!isObject(value)) return String(value);
  const kind = (Object.getPrototypeOf(value) as object | null)?.constructor?.name ?? 'Object';
  return kind === 'Object' ? 'an object' : `${/^[AEIOU]/.test(kind) ? 'an' : 'a'} ${kind}`;
}

/** A function or class by its name, never by its source. */
function describeFunction(value: object): string {
  const { name } = value as { readonly name?: unknown };
  const isClass = Object.getOwnPropertyDescriptor(value, 'prototype')?.writable === false;
  const kind = isClass ? 'class' : 'function';
  return typeof name === 'string' && name !== '' ? `the ${kind} ${name}` : `a ${kind}`;
}
