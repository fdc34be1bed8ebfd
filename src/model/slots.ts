import type { Extension } from '../extension/extension.js';
import type { BaseModel } from './base-model.js';
import { coreOf, inner } from './record.js';
import { CORE } from './symbols.js';

/** What an extension keeps of a record, as it was set; undefined: nothing. */
export function slotOf<S extends object>(record: BaseModel, { name }: Pick<Extension, 'name'>): S | undefined {
  return inner(record)[CORE]?.slots?.get(name) as S | undefined;
}

/**
 * Keeps of a record what an extension knows of it: plain data that JSON carries, since an outbox stores it with the record's write.
 * undefined forgets it.
 */
export function setSlot(record: BaseModel, { name }: Pick<Extension, 'name'>, state: object | undefined): void {
  const core = coreOf(inner(record));
  if (state) (core.slots ??= new Map()).set(name, state);
  else core.slots?.delete(name);
}
