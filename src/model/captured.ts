import { DefinitionError } from '../errors/mistakes.js';
import type { Change as ShownChange } from '../extension/write-hook.js';
import type { RecordId } from '../operation/actions.js';
import { MODEL } from '../operation/operation-record.js';
import { rounded } from '../util/rounded.js';
import { copyPlain, deepFreeze } from '../util/values.js';
import type { Change } from './change.js';
import { coreOf, type InnerRecord } from './record.js';
import { addOwner, type RecordOwner } from './record-owner.js';

// Extensions see copies of the changes that a write sends: they can read them, and not change them.

/** A change as extensions see it: a copy, because the row and the values of the change belong to the record. */
export function shownChange({ at, action, id, base, written }: Change): ShownChange {
  const values = Object.fromEntries([...written].map(([{ name }, value]) => [name, value]));
  const shown = { at, action, id: id as RecordId | undefined, base: readable(base), values: readable(values) };
  return Object.freeze(shown);
}

function readable<T>(value: T): T {
  return deepFreeze(copyPlain(rounded(value) as T));
}

/** Makes each edit of a captured record, and of the records in it, an error. */
export function protectCaptured(record: InnerRecord): void {
  addOwner(record, guard);
  for (const [field, value] of coreOf(record).edits ?? []) field.embedding?.adopt(record, field, value);
}

const refuseEdit = (record: object): never => {
  throw capturedError(`A captured record of ${(record as InnerRecord)[MODEL].name}`);
};

/** The owner of captured records. It is told before a value changes. */
const guard: RecordOwner = Object.freeze({ recordChanging: refuseEdit, recordChanged: refuseEdit });

/** The error of an extension that changes what a write has captured. */
export function capturedError(what: string): DefinitionError {
  return new DefinitionError('write-captured', { what });
}
