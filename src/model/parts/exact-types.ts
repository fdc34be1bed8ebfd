import { isNumeric, numberOf } from '../../util/long-number.js';
import { compareDecimals, DECIMAL, isDecimal, WHOLE } from '../decimals.js';
import type { FieldTypeHandler } from '../field-types.js';

/** The type of exact decimal numbers, which are texts. */
export const decimalType: FieldTypeHandler = {
  is: isDecimal,
  read: (raw) => (typeof raw === 'number' && DECIMAL.test(String(raw)) ? String(raw) : undefined),
  keepsDigits: true,
  readLong: ({ digits }) => (DECIMAL.test(digits) ? digits : undefined),
  write: (value, raw) => (isNumeric(raw) && isDecimal(value) ? numberOf(value) : value),
  compare: compareDecimals,
};

/** The type of whole numbers of any length. */
export const bigintType: FieldTypeHandler = {
  is: (value) => typeof value === 'bigint',
  read: (raw) =>
    Number.isSafeInteger(raw) || (typeof raw === 'string' && WHOLE.test(raw)) ? BigInt(raw as string) : undefined,
  keepsDigits: true,
  readLong: ({ digits }) => (/^-?\d+$/.test(digits) ? BigInt(digits) : undefined),
  write: (value, raw) => {
    if (typeof value !== 'bigint') return value;
    return isNumeric(raw) ? numberOf(String(value)) : String(value);
  },
};
