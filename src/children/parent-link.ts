import { fieldHint } from '../dev/checks.js';
import { describe, type Messages } from '../errors/message-format.js';
import { DefinitionError, StateError } from '../errors/mistakes.js';
import type { ModelType, ReferenceConfig } from '../model/field.js';
import type { FieldDefinition } from '../model/field-definition.js';
import type { Model } from '../model/model.js';
import { type InnerModel, innerModel, type ModelDefinition } from '../model/model-definition.js';
import { referencedModel } from '../model/parts/reference-fields.js';
import { type InnerRecord, inner } from '../model/record.js';
import { DEFINITION } from '../model/symbols.js';
import { MODEL } from '../operation/operation-record.js';
import { targetOf } from '../operation/reference-target.js';
import { getMember } from '../util/data-path.js';

/** The way from children to their parent: the field that holds its id, and the options of the reference. */
export interface ParentLink {
  readonly parent: InnerRecord;
  readonly field: FieldDefinition;
  /** The model that the field refers to: that of the parent, or a base class of it. */
  readonly target: InnerModel;
  readonly options: Partial<ReferenceConfig>;
}

/**
 * Finds the reference by which records of a model belong to a parent. Throws `DefinitionError` if there is none, or several and `by` names
 * none of them, and `StateError` for what is no record.
 */
export function linkTo(Class: typeof Model, parent: Model, by: string | undefined): ParentLink {
  const model = checkedModel(Class);
  const { name, messages } = model;
  const { [MODEL]: parentModel } = Object(parent) as Partial<Model>;
  if (!parentModel)
    throw new StateError('foreign', 'children-parent', { model: name, value: describe(parent) }, { messages });
  const { name: parentName } = parentModel;
  if (parentModel.idParts)
    throw new DefinitionError('children-composite', { model: name, parent: parentName }, { messages });
  const references = Class.references();
  const leads = (each: string) => parent instanceof (targetOf(references[each]) as typeof Model);
  if (by !== undefined) {
    referencedModel(Class, by);
    if (!leads(by))
      throw new DefinitionError('children-by', { model: name, parent: parentName, field: by }, { messages });
  }
  const fields = by === undefined ? Object.keys(references).filter(leads) : [by];
  const [fieldName] = fields;
  if (fieldName === undefined)
    throw new DefinitionError('children-none', { model: name, parent: parentName }, { messages });
  if (fields.length > 1)
    throw new DefinitionError(
      'children-several',
      { model: name, parent: parentName, fields: fields.join(', ') },
      { messages },
    );
  const field = model.field(fieldName);
  if (!field) {
    const hint = fieldHint(fieldName, model.fields);
    throw new DefinitionError('reference-field', { field: fieldName, model: name, hint }, { messages });
  }
  const reference = getMember(references, fieldName);
  const options: Partial<ReferenceConfig> = typeof reference === 'function' ? {} : (reference as ReferenceConfig);
  checkOnErase(options.onErase, field, name, messages);
  return {
    parent: inner(parent),
    field,
    target: innerModel(targetOf(reference) as ModelType<Model>),
    options,
  };
}

/** The definition of a model. Throws `DefinitionError` for what is none. */
export function checkedModel(model: unknown): ModelDefinition {
  const { [DEFINITION]: definition } = Object(model) as Partial<InnerModel>;
  if (definition) return definition;
  throw new DefinitionError('children-model', { value: describe(model) });
}

/** Throws `DefinitionError` for an unknown value of `onErase`, and for one that the field does not allow. */
function checkOnErase(onErase: unknown, field: FieldDefinition, model: string, messages: Messages): void {
  if (!['erase', 'restrict', 'detach', 'server', 'ignore', undefined].includes(onErase as string | undefined)) {
    const params = { field: field.name, model, value: describe(onErase) };
    throw new DefinitionError('children-on-erase', params, { messages });
  }
  if (onErase === 'detach' && !field.config.allowNull)
    throw new DefinitionError('children-detach', { field: field.name, model }, { messages });
}
