import { DefinitionError } from '../errors/definition-error.js';
import { getMember } from '../util/data-path.js';
import type { BaseModel } from './base-model.js';

/** Loads the record that a field refers to. Rejects with `DefinitionError` for a field that refers to none. */
export async function related(
  model: typeof BaseModel,
  record: BaseModel,
  name: string,
): Promise<BaseModel | undefined> {
  const target = getMember(model.references(), name) as { load(id: unknown): Promise<BaseModel> } | undefined;
  if (!target) throw new DefinitionError('field-unknown', { field: name, model: model.name });
  const id = (record as unknown as { get(name: string): unknown }).get(name);
  return id === undefined || id === null || id === '' ? undefined : target.load(id);
}
