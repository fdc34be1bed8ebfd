import { inDevelopment } from '../dev/checks.js';
import { renderingMessages } from '../dev/texts.js';
import { StateError } from '../errors/mistakes.js';
import { wrongValue } from '../errors/option-rules.js';
import type { Active, Listed } from '../store/shown.js';
import { isObject } from '../util/data-path.js';
import type { Source } from '../util/value-source.js';

/** Throws `DefinitionError` for a value without a list. */
export function listedIn<C extends Listed<unknown>>(collection: C): C {
  if (!hasSource(collection, 'list')) throw wrongValue('What shows a list', 'a store, a view or a window', collection);
  return collection;
}

/** Throws `DefinitionError` for a value without a status. */
export function activeIn<A extends Active<unknown>>(active: A): A {
  if (!hasSource(active, 'status'))
    throw wrongValue('What shows a status', 'a store, a window, a session or an outbox', active);
  return active;
}

/** Throws `DefinitionError` for a value that is no record. */
export function recordIn<R>(record: R): R {
  const state = isObject(record) ? (record as { readonly $?: unknown }).$ : undefined;
  if (!hasSource(state, 'state')) throw wrongValue('The record on a screen', 'a record', record);
  return record;
}

/** Throws `DefinitionError` for a value that is no source. */
export function checkSource(source: unknown): void {
  if (!hasSource({ source }, 'source')) throw wrongValue('What a screen follows', 'a source', source);
}

/** In a development build, throws `DefinitionError` for a value that is no source. */
export function sourceIn<S>(source: S): S {
  inDevelopment(checkSource, source);
  return source;
}

function hasSource(owner: unknown, name: string): boolean {
  const source = isObject(owner) ? (owner as Readonly<Record<string, unknown>>)[name] : undefined;
  return isObject(source) && typeof (source as Partial<Source<unknown>>).subscribe === 'function';
}

/** Refuses to wait for a record while a page is rendered on a server. */
export function refuseToWait(model: object): never {
  const { name } = model as { readonly name: string };
  throw new StateError('unresolvable', 'rendered-wait', { model: name }, { messages: renderingMessages });
}
