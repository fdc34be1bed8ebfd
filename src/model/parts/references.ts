import type { BaseModel } from '../base-model.js';
import { innerModel } from '../model-definition.js';
import type { ModelPart } from '../model-part.js';
import { createPhantoms } from './phantom-index.js';
import { type ReferringModel, referencedModel, referenceId } from './reference-fields.js';
import { keepParents, refuseTemporaryId, resolveReferences } from './resolve-references.js';
import { orderWrites } from './write-order.js';

/**
 * The part of references to other models, which `references()` in the class body declares. New records are sent before the records
 * that refer to them, and their new ids replace the temporary ids in these; no temporary id is ever sent.
 *
 * @example
 * ```ts
 * import { Model as CoreModel } from 'repose/core';
 *
 * class SmallModel extends CoreModel {
 *   static override readonly parts: readonly ModelPart[] = [references];
 * }
 * class Customer extends SmallModel.define({ fields: { id: 'int' } }) {}
 * class Invoice extends SmallModel.define({ fields: { id: 'int', customerId: 'int' } }) {
 *   static override references = () => ({ customerId: Customer });
 * }
 * ```
 */
export const references: ModelPart = {
  name: 'references',
  references: {
    createPhantoms,
    keepParents,
    refuseTemporaryId,
    resolveReferences,
    orderWrites,
    loadReference,
  },
};

/** Loads the record that a field refers to. Rejects with `DefinitionError` if `references()` does not name the field. */
async function loadReference(model: ReferringModel, record: BaseModel, name: string): Promise<BaseModel | undefined> {
  const target = innerModel(referencedModel(model, name));
  const id = referenceId(record, name);
  return id === undefined ? undefined : target.load(id);
}
