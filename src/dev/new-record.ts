import { inWords } from '../errors/error-context.js';
import { flag, type Rules, wrongValue } from '../errors/option-rules.js';
import { MODEL, type RecordModel } from '../operation/operation-record.js';
import { isData } from '../util/data-path.js';
import { checkOptions } from './checks.js';

/** The options of `new User(values, options)`. */
const RECORD_RULES: Rules<{ phantom?: boolean }> = { phantom: flag };

/**
 * Throws `DefinitionError` if the values of a new record are not an object of values by field name, and for unknown options.
 */
export function checkNew({ name, messages }: RecordModel, values: object, options: { phantom?: boolean }): void {
  inWords(messages, () => {
    if (!isData(values) || MODEL in values)
      throw wrongValue(
        `The values of a new ${name}`,
        'an object of values by field (`copyOf(record)` copies a record)',
        values,
      );
    checkOptions(`new ${name}`, options, RECORD_RULES);
  });
}
