import { hasErrorBrand } from '../errors/data-error.js';
import { inWords } from '../errors/error-context.js';
import { StateError } from '../errors/mistakes.js';
import { MODEL, type RecordModel } from '../operation/operation-record.js';
import { copyPlain, isTooDeep, MAX_DEPTH } from '../util/values.js';
import type { FieldDefinition } from './field-definition.js';
import type { InnerRecord } from './record.js';
import { checkSendable, findLost } from './sendable.js';

/** The value of a member that no field declares, as a row holds it. Throws `StateError` for a value that JSON cannot carry. */
export function acceptMember({ messages }: RecordModel, name: string, value: unknown): unknown {
  return inWords(messages, () => {
    if (isTooDeep(value)) throw new StateError('field', 'field-depth', { field: name, most: MAX_DEPTH });
    checkSendable(name, value, findLost(value)?.[0].path);
    return value instanceof Date ? value.toISOString() : copyPlain(value);
  });
}

/** The value of a field as it is kept. Throws `StateError`, with the text of the model, for a value that JSON cannot carry. */
export function acceptValue(record: InnerRecord, field: FieldDefinition, value: unknown): unknown {
  try {
    return field.accept(value);
  } catch (error) {
    throw hasErrorBrand(error) ? error.inWords(record[MODEL].messages) : error;
  }
}
