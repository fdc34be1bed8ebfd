import { hasErrorBrand } from '../errors/data-error.js';
import { MODEL } from '../operation/operation-record.js';
import type { FieldDefinition } from './field-definition.js';
import type { InnerRecord } from './record.js';

/** The value of a field as it is kept. Throws `StateError`, with the text of the model, for a value that JSON cannot carry. */
export function acceptValue(record: InnerRecord, field: FieldDefinition, value: unknown): unknown {
  try {
    return field.accept(value);
  } catch (error) {
    throw hasErrorBrand(error) ? error.inWords(record[MODEL].messages) : error;
  }
}
