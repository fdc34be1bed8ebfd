import { AddressError } from '../errors/mistakes.js';
import { isValidId, sendableId } from '../http/url.js';
import type { Operation } from '../operation/operation.js';
import { MODEL, type RecordModel, type WireField } from '../operation/operation-record.js';
import { LongNumber } from '../util/long-number.js';

/**
 * Throws `AddressError` if the type of an operation's id field does not take one of its ids, which would then name something else
 * (H2), wherever the dialect puts the ids. Types that take every text are not asked.
 */
export function checkIds(operation: Operation): void {
  const { action, records, id, model, anyId } = operation;
  if (anyId && action === 'read') return;
  if (records.length === 0) return checkId(id, model);
  for (const record of records) {
    const { [MODEL]: own, phantom } = record;
    if (own.idField.takes) checkId(phantom ? id : own.serverId(record), own);
  }
}

/** Throws `AddressError` for an id that the type of the model's id field does not take (H2). */
export function checkId(id: unknown, model: RecordModel | undefined): void {
  if (!model?.idField.takes || !isValidId(id) || takesId(id, model.idField)) return;
  // An object or a number without its digits has an error of its own.
  sendableId(id);
  const { name: field, type } = model.idField;
  throw new AddressError('id-field', { value: id, model: model.name, field, type });
}

/** Throws `AddressError` for texts that no request may carry as ids, whether they go into the address or the body (H2). */
export function checkIdTexts({ records, id }: Operation): void {
  if (typeof id === 'string') sendableId(id);
  for (const record of records) {
    const own = record.phantom ? undefined : record[MODEL].serverId(record);
    if (typeof own === 'string') sendableId(own);
  }
}

function takesId(id: unknown, field: WireField): boolean {
  if (!field.takes || field.takes(id) || id instanceof LongNumber) return true;
  if (typeof id !== 'string') return field.takes(String(id));
  if (!/^-?\d+$/.test(id)) return false;
  // An address holds text: `'7'` is the id of record 7, also where a schema takes only numbers, or the number would lose digits (H6).
  return /^(?:int|number|decimal)$/.test(field.type) || field.takes(Number(id));
}
