import { hintOf } from '../../dev/checks.js';
import { DefinitionError } from '../../errors/mistakes.js';
import type { RecordId } from '../../operation/actions.js';
import { MODEL } from '../../operation/operation-record.js';
import { targetOf } from '../../operation/reference-target.js';
import { getMember } from '../../util/data-path.js';
import { type Change, changeWith } from '../change.js';
import type { AnyModel, Reference as Declared, ModelType } from '../field.js';
import type { FieldDefinition } from '../field-definition.js';
import type { Model } from '../model.js';
import { type InnerModel, innerModel } from '../model-definition.js';
import { baseValue, coreOf, exactValue, type InnerRecord, inner, writeEdits } from '../record.js';
import { resolveWaiting, settleReference } from '../settle.js';
import { CORE, DEFINITION } from '../symbols.js';
import { unsavedError } from './dependency.js';

/** A model that fields refer to. */
export type Target = InnerModel;
/** A field that refers to a model. */
export type Reference = readonly [field: FieldDefinition, target: Target];

/** The models that the fields of a record refer to, by field name. */
export function targetsOf(record: object): Readonly<Record<string, Target>> | undefined {
  const references = (record.constructor as { references?(): Record<string, Declared> }).references?.();
  // Most models name the other models alone; then nothing has to be copied for each edit.
  if (!references || Object.values(references).every((each) => typeof each === 'function'))
    return references as Record<string, Target> | undefined;
  return Object.fromEntries(
    Object.entries(references).map(([name, each]) => [name, innerModel(targetOf(each) as AnyModel)]),
  );
}

/** Throws `AddressError` if the value of a field is the temporary id of a new record, which must not go into an address. */
export function refuseTemporaryId(record: object, field: string, value: unknown): void {
  if (targetsOf(record)?.[field]?.[DEFINITION].phantoms?.isIssued(value)) throw unsavedError(field);
}

/** The fields of a record that refer to models. The first record of a class has checked that `references()` names only such fields. */
export function referencesOf(record: InnerRecord): Reference[] {
  return Object.entries(targetsOf(record) ?? {}).map(([name, target]) => [
    record[MODEL].field(name) as FieldDefinition,
    target,
  ]);
}

/** Whether `references()` of a model names a field. */
export function isReference(model: object, name: string): boolean {
  return Object.hasOwn((model as { references?(): object }).references?.() ?? {}, name);
}

/** A model class that `references()` may name models for. */
export interface ReferringModel extends ModelType<Model> {
  readonly name: string;
  references(): object;
}

/** The model that a field refers to. Throws `DefinitionError` if `references()` does not name the field. */
export function referencedModel(model: ReferringModel, name: string): ModelType<Model> {
  const references = model.references();
  const target = targetOf(getMember(references, name));
  if (target) return target;
  const hint = hintOf(name, Object.keys(references), 'its references');
  const { messages } = innerModel(model)[DEFINITION];
  throw new DefinitionError('reference-unknown', { field: name, model: model.name, hint }, { messages });
}

/**
 * The id in a field that refers to a model; undefined: the field is empty. Throws `AddressError` for the temporary id of a new record, which
 * the server does not know.
 */
export function referenceId(record: Model, name: string): RecordId | undefined {
  const { [MODEL]: model, [CORE]: core } = inner(record);
  const field = model.field(name) as FieldDefinition;
  const { convert, serialize } = field.config;
  // An id goes back in the form in which it was received, unless the field reads its id from that, or writes it in another form.
  const isOwnForm = convert ?? (serialize && (core?.phantom || core?.edits?.has(field)));
  const id = isOwnForm ? exactValue(inner(record), field) : model.templateValue(inner(record), name, false);
  if (isOwnForm) refuseTemporaryId(record, name, id);
  return id === undefined || id === null || id === '' ? undefined : (id as RecordId);
}

/**
 * The value of a field that the server does not have yet: for a new record the field's value, for a saved record the edit. With `change`,
 * the value that this waiting change sends.
 */
export function unsentValue(record: InnerRecord, field: FieldDefinition, change?: Change): unknown {
  const core = record[CORE];
  const edits = change ? change.edits : core?.edits;
  if (edits?.has(field)) return edits.get(field);
  return core?.phantom ? baseValue(record, field) : undefined;
}

/** Whether a field, or a waiting change of it, refers to the record with this id, and the server does not have this value yet. */
export function refersTo(record: InnerRecord, field: FieldDefinition, id: unknown): boolean {
  const changes = [undefined, ...coreOf(record).waiting];
  return changes.some((change) => String(unsentValue(record, field, change)) === String(id));
}

/**
 * Replaces the id `from` in a reference by the id `to`, in the record and in the changes that wait. On a new record this does not count as
 * an edit.
 */
export function setReferenceId(record: InnerRecord, field: FieldDefinition, from: unknown, to: unknown): void {
  const core = coreOf(record);
  const value = field.accept(to);
  const isReplaced = (each: unknown) => String(each) === String(from);
  resolveWaiting(record, (change) =>
    isReplaced(change.edits.get(field)) ? withValue(record, change, field, value) : change,
  );
  const isEdited = core.edits?.has(field);
  const replacesBase = core.phantom && isReplaced(baseValue(record, field));
  // The application has set the field to another record since the write was asked for.
  if (isEdited ? !isReplaced(core.edits?.get(field)) && !replacesBase : !isReplaced(unsentValue(record, field))) return;
  // During a write, the sent values are compared with the unchanged row later, so the new id becomes an edit.
  const isEdit = isEdited ? isReplaced(core.edits?.get(field)) : core.sent !== undefined;
  settleReference(record, field, value, isEdit);
}

/** A change with another value of an edited field. */
function withValue(record: InnerRecord, change: Change, field: FieldDefinition, value: unknown): Change {
  const edits = new Map(change.edits).set(field, value);
  const live = new Map(change.live).set(field, value);
  return changeWith(change, { edits, live, written: writeEdits(record, edits, change.base) });
}
