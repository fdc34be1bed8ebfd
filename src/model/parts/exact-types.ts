import { isNumeric, numberOf } from '../../util/long-number.js';
import { compareDecimals, DECIMAL, isDecimal, WHOLE } from '../decimals.js';
import type { FieldTypeHandler } from '../field-types.js';
import type { ModelPart } from '../model-part.js';

const typesByName: Readonly<Record<string, FieldTypeHandler>> = {
  dateonly: { is: (value) => typeof value === 'string' && isDay(value), read: () => undefined },
  decimal: {
    is: isDecimal,
    read: (raw) => (typeof raw === 'number' && DECIMAL.test(String(raw)) ? String(raw) : undefined),
    keepsDigits: true,
    readLong: ({ digits }) => (DECIMAL.test(digits) ? digits : undefined),
    write: (value, raw) => (isNumeric(raw) && isDecimal(value) ? numberOf(value) : value),
    compare: compareDecimals,
  },
  bigint: {
    is: (value) => typeof value === 'bigint',
    read: (raw) =>
      Number.isSafeInteger(raw) || (typeof raw === 'string' && WHOLE.test(raw)) ? BigInt(raw as string) : undefined,
    keepsDigits: true,
    readLong: ({ digits }) => (/^-?\d+$/.test(digits) ? BigInt(digits) : undefined),
    write: (value, raw) => {
      if (typeof value !== 'bigint') return value;
      return isNumeric(raw) ? numberOf(String(value)) : String(value);
    },
  },
};

/**
 * The part of exact field types: `dateonly`, `decimal`, and `bigint` for integers of any length. They keep every digit.
 *
 * @example
 * ```ts
 * import { Model as CoreModel } from 'repose/core';
 *
 * class SmallModel extends CoreModel {
 *   static override readonly parts: readonly ModelPart[] = [exactTypes];
 * }
 * class Invoice extends SmallModel.define({ fields: { id: 'bigint', due: 'dateonly', total: 'decimal' } }) {}
 * ```
 */
export const exactTypes: ModelPart = { name: 'exactTypes', fieldTypes: typesByName };

/** Whether a text is a day that exists in the calendar. */
function isDay(text: string): boolean {
  const [, month, day] = /^\d{4}-(\d\d)-(\d\d)$/.exec(text) ?? [];
  const date = new Date(`${text}T00:00:00Z`);
  return month !== undefined && date.getUTCMonth() + 1 === Number(month) && date.getUTCDate() === Number(day);
}
