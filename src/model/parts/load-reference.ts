import { DefinitionError } from '../../errors/definition-error.js';
import { MODEL } from '../../operation/operation-record.js';
import { getMember } from '../../util/data-path.js';
import type { BaseModel } from '../base-model.js';
import { inner } from '../record.js';

/** Loads the record that a field refers to. Rejects with `DefinitionError` for a field that refers to none. */
export async function loadReference(
  model: { readonly name: string; references(): object },
  record: BaseModel,
  name: string,
): Promise<BaseModel | undefined> {
  const target = getMember(model.references(), name) as { load(id: unknown): Promise<BaseModel> } | undefined;
  if (!target) throw new DefinitionError('field-unknown', { field: name, model: model.name });
  // The id as the server gave it, or as it was edited; the temporary id of a new record is refused.
  const id = inner(record)[MODEL].templateValue(inner(record), name, false);
  return id === undefined || id === null || id === '' ? undefined : target.load(id);
}
