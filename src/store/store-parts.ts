import { DefinitionError } from '../errors/definition-error.js';
import { describe } from '../errors/messages.js';
import type { BaseModel } from '../model/base-model.js';
import { getMember } from '../util/data-path.js';
import type { StoreObserver } from './store-observer.js';

/** The parts that the package brings. */
export type StorePartName = 'bulkForm' | 'rollback' | 'streamIntake';

/** The parts in the static list of a class. Throws `DefinitionError` for a list that holds something else. */
export function partsOf<M extends BaseModel>(owner: object): readonly StoreObserver<M>[] {
  const { name, parts } = owner.constructor as unknown as { name: string; parts: readonly StoreObserver<M>[] };
  if (!Array.isArray(parts)) throw invalidParts(name, describe(parts));
  const wrong = parts.findIndex((part) => typeof getMember(part, 'name') !== 'string');
  if (wrong >= 0) throw invalidParts(name, `a list with ${describe(parts[wrong])}`);
  return parts;
}

/** The error of a call or option that needs a part which the list of the class does not have. */
export function storePartMissing(part: StorePartName, what: string): DefinitionError {
  return new DefinitionError('store-part-missing', { part, what });
}

function invalidParts(store: string, value: string): DefinitionError {
  return new DefinitionError('store-part-invalid', { store, value });
}
