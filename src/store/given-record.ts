import { describe } from '../errors/message-format.js';
import { StateError } from '../errors/mistakes.js';
import type { ModelType } from '../model/field.js';
import type { RecordInput, ValuesOf } from '../model/infer.js';
import type { Model } from '../model/model.js';
import { innerModel } from '../model/model-definition.js';
import { DEFINITION } from '../model/symbols.js';
import { MODEL } from '../operation/operation-record.js';
import { isData } from '../util/data-path.js';

/** A record that was given to a store, or a new one with the given values. Throws `StateError` for anything else. */
export function givenRecord<M extends Model>(model: ModelType<M>, given: M | RecordInput<ValuesOf<M>>): M {
  if (given instanceof model) return given;
  // An empty array would otherwise become a new record without values.
  if (!isData(given) || DEFINITION in (given.constructor ?? {})) throw foreignError(model, given, 'foreign');
  return new (innerModel(model))(given, { phantom: true });
}

/** The error of a value that is no record of a model. */
export function foreignError<M extends Model>(
  model: ModelType<M>,
  given: unknown,
  reason: 'foreign' | 'foreign-removed',
): StateError {
  const { name, messages } = innerModel(model)[DEFINITION];
  const { [MODEL]: other } = Object(given) as Partial<Model>;
  const value = other ? `a record of ${other.name}` : describe(given);
  return new StateError('foreign', reason, { model: name, value }, { messages });
}
