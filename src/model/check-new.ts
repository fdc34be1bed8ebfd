import { checkOptions, wrongValue } from '../errors/option-rules.js';
import { MODEL } from '../operation/operation-record.js';
import { isData } from '../util/data-path.js';
import { RECORD_RULES } from './model-options.js';

/**
 * Throws `DefinitionError` if the values of a new record are not an object of values by field name, and for unknown options.
 */
export function checkNew(model: string, values: object, options: { phantom?: boolean }): void {
  if (!isData(values) || MODEL in values)
    throw wrongValue(
      `The values of a new ${model}`,
      'an object of values by field (`record.$.copy()` copies a record)',
      values,
    );
  checkOptions(`new ${model}`, options, RECORD_RULES);
}
