import type { Extension } from '../extension/extension.js';
import type { BaseModel } from './base-model.js';
import { coreOf, inner } from './record.js';
import { CORE } from './symbols.js';

/** The state that an extension has stored for a record by {@link setSlot}; undefined if there is none. */
export function slotOf<S extends object>(record: BaseModel, { name }: Pick<Extension, 'name'>): S | undefined {
  return inner(record)[CORE]?.slots?.get(name) as S | undefined;
}

/**
 * Stores the state of an extension for a record. It must be plain data that JSON can carry, because an outbox stores it with the
 * record's writes. undefined removes it.
 */
export function setSlot(record: BaseModel, { name }: Pick<Extension, 'name'>, state: object | undefined): void {
  const core = coreOf(inner(record));
  if (state) (core.slots ??= new Map()).set(name, state);
  else core.slots?.delete(name);
}
