import { describe } from '../errors/messages.js';
import { DefinitionError } from '../errors/mistakes.js';
import type { BaseModel } from '../model/base-model.js';
import { getMember } from '../util/data-path.js';
import type { StoreObserver } from './store-observer.js';

/** The names of the parts in this package. */
export type StorePartName = 'bulkForm' | 'rollback' | 'streamIntake';

/** The parts in the static list of the class of a store or session. Throws `DefinitionError` if it is not a list of parts. */
export function partsOf<M extends BaseModel>(owner: object): readonly StoreObserver<M>[] {
  const { name, parts } = owner.constructor as unknown as { name: string; parts: readonly StoreObserver<M>[] };
  if (!Array.isArray(parts)) throw invalidParts(name, describe(parts));
  const wrong = parts.findIndex((part) => typeof getMember(part, 'name') !== 'string');
  if (wrong >= 0) throw invalidParts(name, `a list with ${describe(parts[wrong])}`);
  return parts;
}

/** The error for a call or option that needs a part which is missing in the list of the class. */
export function storePartMissing(part: StorePartName, what: string): DefinitionError {
  return new DefinitionError('store-part-missing', { part, what });
}

function invalidParts(store: string, value: string): DefinitionError {
  return new DefinitionError('store-part-invalid', { store, value });
}
