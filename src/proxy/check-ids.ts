import { idOf } from '../dialect/steps.js';
import { AddressError } from '../errors/address-error.js';
import { isValidId, sendableId } from '../http/url.js';
import type { Operation } from '../operation/operation.js';
import { MODEL, modelOf, type RecordModel, type WireField } from '../operation/operation-record.js';
import { LongNumber } from '../util/long-number.js';

/**
 * Throws `AddressError` if an operation has an id that must not be sent (H2), wherever its dialect puts it: into the path, a parameter
 * or the body.
 */
export function checkIds(operation: Operation): void {
  const { action, records, anyId } = operation;
  if (records.length < 2) return checkId(idOf(operation), anyId && action === 'read' ? undefined : modelOf(operation));
  for (const record of records) if (!record.phantom) checkId(record[MODEL].serverId(record), record[MODEL]);
}

/** Throws `AddressError` for an id that cannot be sent, or that the type of the model's id field does not take (H2). */
export function checkId(id: unknown, model: RecordModel | undefined): void {
  if (!isValidId(id)) return;
  sendableId(id);
  if (!model || takesId(id, model.idField)) return;
  const { name: field, type } = model.idField;
  throw new AddressError('id-field', { value: id, model: model.name, field, type });
}

function takesId(id: unknown, field: WireField): boolean {
  if (!field.takes || field.takes(id) || id instanceof LongNumber) return true;
  if (typeof id !== 'string') return field.takes(String(id));
  if (!/^-?\d+$/.test(id)) return false;
  // An address holds text: `'7'` is the id of record 7, also where a schema takes only numbers, or the number would lose digits (H6).
  return /^(?:int|number|decimal)$/.test(field.type) || field.takes(Number(id));
}
