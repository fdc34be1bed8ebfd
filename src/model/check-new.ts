import { checkOptions } from '../dev/checks.js';
import { hasErrorBrand } from '../errors/data-error.js';
import { inWords } from '../errors/error-context.js';
import { StateError } from '../errors/mistakes.js';
import { wrongValue } from '../errors/option-rules.js';
import { MODEL, type RecordModel } from '../operation/operation-record.js';
import { isData } from '../util/data-path.js';
import { copyPlain, isTooDeep, MAX_DEPTH } from '../util/values.js';
import type { FieldDefinition } from './field-definition.js';
import { RECORD_RULES } from './model-options.js';
import type { InnerRecord } from './record.js';
import { checkSendable } from './sendable.js';

/**
 * Throws `DefinitionError` if the values of a new record are not an object of values by field name, and for unknown options.
 */
export function checkNew({ name, messages }: RecordModel, values: object, options: { phantom?: boolean }): void {
  inWords(messages, () => {
    if (!isData(values) || MODEL in values)
      throw wrongValue(
        `The values of a new ${name}`,
        'an object of values by field (`record.$.copy()` copies a record)',
        values,
      );
    checkOptions(`new ${name}`, options, RECORD_RULES);
  });
}

/** The value of a member that no field declares, as a row holds it. Throws `StateError` for a value that JSON cannot carry. */
export function acceptMember({ messages }: RecordModel, name: string, value: unknown): unknown {
  return inWords(messages, () => {
    if (isTooDeep(value)) throw new StateError('field', 'field-depth', { field: name, most: MAX_DEPTH });
    checkSendable(name, value);
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
