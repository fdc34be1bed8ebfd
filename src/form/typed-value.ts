import type { BaseModel } from '../model/base-model.js';
import { inner } from '../model/record.js';
import { MODEL } from '../operation/operation-record.js';

/** The field types that have no empty text, so that an empty input means no value. */
const TYPES_WITHOUT_TEXT: readonly string[] = ['int', 'number', 'decimal', 'bigint', 'boolean', 'date', 'dateonly'];

/**
 * The value to set for a value from an input. An emptied input gives `''` or null; a field without an empty text then has no value: null
 * if the field allows null, else undefined.
 */
export function typedValue(record: BaseModel, name: string, value: unknown): unknown {
  const field = inner(record)[MODEL].field(name);
  const isEmptyText = value === '' && TYPES_WITHOUT_TEXT.includes(field?.type ?? '');
  if (!field || (!isEmptyText && value !== null)) return value;
  return field.config.allowNull ? null : undefined;
}
