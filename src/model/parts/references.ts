import { hintOf } from '../../dev/checks.js';
import { DefinitionError } from '../../errors/mistakes.js';
import { MODEL } from '../../operation/operation-record.js';
import { getMember } from '../../util/data-path.js';
import type { BaseModel } from '../base-model.js';
import type { ModelPart } from '../model-part.js';
import { inner } from '../record.js';
import { createPhantoms } from './phantom-index.js';
import { keepParents, refuseTemporaryId, resolveReferences } from './resolve-references.js';
import { orderWrites } from './write-order.js';

/**
 * The part of references to other models, which `references()` in the class body declares. New records are sent before the records
 * that refer to them, and their new ids replace the temporary ids in these; no temporary id is ever sent.
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
async function loadReference(
  model: { readonly name: string; references(): object },
  record: BaseModel,
  name: string,
): Promise<BaseModel | undefined> {
  const references = model.references();
  const target = getMember(references, name) as { load(id: unknown): Promise<BaseModel> } | undefined;
  if (!target) {
    const hint = hintOf(name, Object.keys(references), 'its references');
    const { messages } = inner(record)[MODEL];
    throw new DefinitionError('reference-unknown', { field: name, model: model.name, hint }, { messages });
  }
  // Throws `AddressError` for the temporary id of a new record, which the server does not know.
  const id = inner(record)[MODEL].templateValue(inner(record), name, false);
  return id === undefined || id === null || id === '' ? undefined : target.load(id);
}
