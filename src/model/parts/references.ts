import type { Model } from '../model.js';
import { innerModel } from '../model-definition.js';
import { inner } from '../record.js';
import type { ReferenceHooks } from '../reference-hooks.js';
import { OWNER } from '../symbols.js';
import { type ReferringModel, referencedModel, referenceId, refuseTemporaryId } from './reference-fields.js';
import { keepParents, replaceParentId, resolveReferences } from './resolve-references.js';
import { orderWrites } from './write-order.js';

/** Handles the fields of a model that refer to other models, as `references()` in the class body declares. */
export const referenceHooks: ReferenceHooks = {
  keepParents,
  replaceParentId,
  refuseTemporaryId,
  resolveReferences,
  orderWrites,
  loadReference,
};

/** Loads the record that a field refers to. Rejects with `DefinitionError` if `references()` does not name the field. */
async function loadReference(model: ReferringModel, record: Model, name: string): Promise<Model | undefined> {
  const target = referencedModel(model, name);
  const owner = [inner(record)[OWNER]].flat().find((each) => each?.loadReference);
  if (owner?.loadReference) return owner.loadReference(record, target, name);
  const id = referenceId(record, name);
  return id === undefined ? undefined : innerModel(target).load(id);
}
