import { getMember, isObject } from '../util/data-path.js';
import { addressMessages } from './messages/addresses.js';
import { definitionMessages } from './messages/definitions.js';
import { extensionMessages } from './messages/extensions.js';
import type { formMessages } from './messages/forms.js';
import { optionMessages } from './messages/options.js';
import type { outboxMessages } from './messages/outbox.js';
import { queryMessages } from './messages/queries.js';
import type { queryKeyMessages } from './messages/query-keys.js';
import { recordMessages } from './messages/records.js';
import type { renderingMessages } from './messages/rendering.js';
import { replyMessages } from './messages/replies.js';
import { storeMessages } from './messages/stores.js';
import type { testingMessages } from './messages/testing.js';
import { valueMessages } from './messages/values.js';

/** The texts that errors and issues find by their key alone. Errors of other entries bring their texts with them. */
export const coreMessages: typeof addressMessages &
  typeof queryMessages &
  typeof replyMessages &
  typeof definitionMessages &
  typeof recordMessages &
  typeof valueMessages &
  typeof storeMessages &
  typeof extensionMessages &
  typeof optionMessages = {
  ...addressMessages,
  ...queryMessages,
  ...replyMessages,
  ...definitionMessages,
  ...recordMessages,
  ...valueMessages,
  ...storeMessages,
  ...extensionMessages,
  ...optionMessages,
};

/** Keys of {@link messages}, and keys of texts that an application adds. */
export type MessageKey =
  | keyof typeof coreMessages
  | keyof typeof formMessages
  | keyof typeof outboxMessages
  | keyof typeof queryKeyMessages
  | keyof typeof renderingMessages
  | keyof typeof testingMessages
  | (string & {});
/** A table of texts, by key. */
export type Messages = Readonly<Record<string, string>>;
/** The values of the `{name}`s of a text. */
export type MessageParams = Readonly<Record<string, unknown>>;

/** The text of a key with its parameters filled in. `table` replaces texts of the core or adds others. */
export function formatMessage(key: MessageKey, params: MessageParams = {}, table?: Messages): string {
  return String(getMember(table, key) ?? getMember(coreMessages, key) ?? key).replace(
    /\{(\w+)\}/g,
    (all, name: string) => (Object.hasOwn(params, name) ? String(params[name]) : all),
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
