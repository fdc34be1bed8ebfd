import { badValue } from '../errors/unsupported-query-error.js';
import { isDecimal, numberOfText } from '../model/decimals.js';
import type { FieldDefinition } from '../model/field-definition.js';
import type { ModelDefinition } from '../model/model-definition.js';
import { type Filter, isEmpty, operatorOf } from '../operation/query-parts.js';

/**
 * The condition with a value of the type of its field: `'9'` against a number is 9. Parts of texts and values that a `convert` gets stay as they
 * are. Throws `UnsupportedQueryError` for a value that the field cannot have: it would show all rows, or none.
 */
export function typedCondition(condition: Filter, model: ModelDefinition): Filter {
  const { property = '', value, convert } = condition;
  const field = model.field(property);
  const isWhole = /^(eq|ne|[lg][te]|n?in|between)$/.test(operatorOf(condition) ?? '');
  if (!field || !isWhole || convert || isEmpty(condition)) return condition;
  const toTyped = (each: unknown) => typedValue(each, field);
  return { ...condition, value: Array.isArray(value) ? value.map(toTyped) : toTyped(value) };
}

/** A value of a filter as a value of its field. */
function typedValue(value: unknown, field: FieldDefinition): unknown {
  const { name, type, config, takes } = field;
  // Fields of any other type take every value.
  if (value === null || value === undefined || (!takes && type !== 'string')) return value;
  const typed = field.accept(value);
  // Whole numbers may be compared with a fraction, and with numbers that JavaScript cannot hold.
  if (/^(int|number)$/.test(type) && isDecimal(String(typed))) return numberOfText(String(typed)) ?? typed;
  // A field with a `convert` or a `format` takes other values from rows than it has.
  if (!takes || config.convert || config.format || takes(typed)) return typed;
  throw badValue(`the value of a filter on '${name}'`, value, `of the type '${type}'`);
}
