import { DefinitionError } from '../../errors/definition-error.js';
import { fieldHint } from '../../errors/known-names.js';
import { MODEL } from '../../operation/operation-record.js';
import { rounded } from '../../util/rounded.js';
import type { FieldDefinition } from '../field-definition.js';
import type { ModelDefinition } from '../model-definition.js';
import { baseValue, cacheValue, coreOf, type InnerRecord, isConfirmed, valuesOf, writeBase } from '../record.js';
import { didChange, willChange } from '../record-owner.js';
import { CACHE, CORE, DEFINITION, ROW } from '../symbols.js';

/** A model that fields refer to. */
export type Target = (abstract new (...args: never) => object) & { readonly [DEFINITION]: ModelDefinition };
/** A field that refers to a model. */
export type Reference = readonly [field: FieldDefinition, target: Target];

/** The models that the fields of a record refer to, by field name. */
export function targetsOf(record: object): Readonly<Record<string, Target>> | undefined {
  return (record.constructor as { references?(): Record<string, Target> }).references?.();
}

/**
 * The fields of a record that refer to models. Throws `DefinitionError` if `references()` names an unknown field, because the
 * temporary ids in the field that was meant would be sent.
 */
export function referencesOf(record: InnerRecord): Reference[] {
  const model = record[MODEL];
  return Object.entries(targetsOf(record) ?? {}).map(([name, target]) => {
    const field = model.field(name);
    if (!field) {
      const hint = fieldHint(name, model.fields);
      throw new DefinitionError(
        'reference-field',
        { field: name, model: model.name, hint },
        { messages: model.messages },
      );
    }
    return [field, target];
  });
}

/** The value of a field that the server does not have yet: for a new record the field's value, for a saved record the edit. */
export function unsentValue(record: InnerRecord, field: FieldDefinition): unknown {
  const core = record[CORE];
  if (core?.edits?.has(field)) return core.edits.get(field);
  return core?.phantom ? baseValue(record, field) : undefined;
}

/** Sets a field to the new id of the record that it refers to. On a new record this does not count as an edit. */
export function setReferenceId(record: InnerRecord, field: FieldDefinition, id: unknown): void {
  const core = coreOf(record);
  const value = field.accept(id);
  const previousId = record[MODEL].serverId(record);
  willChange(record, field.names);
  // During a write, the sent values are compared with the unchanged row later, so the new id becomes an edit.
  if (core.sent && !core.edits?.has(field)) core.edits = new Map([...(core.edits ?? []), [field, value]]);
  else if (core.edits?.has(field)) {
    if (isConfirmed(record, field, value)) core.edits.delete(field);
    else core.edits.set(field, value);
  } else {
    const written = field.write(value, record[ROW]);
    writeBase(record, new Map([[field, written]]));
    if (record[CACHE] && field.slot >= 0) record[CACHE][field.slot] = undefined;
    if (!field.isDirect(written) || written !== value) cacheValue(record, field, rounded(value));
  }
  didChange(record, { kind: 'set', fields: field.names, previousId });
  core.events?.emit('set', { record, modified: valuesOf(record, [field]) });
}
