import type { AnyId } from '../operation/actions.js';
import { MODEL } from '../operation/operation-record.js';
import { idPartsError } from '../proxy/address.js';
import type { CompositeId } from '../util/composite-id.js';
import { setMember } from '../util/data-path.js';
import { copyFieldValue } from './change.js';
import type { FieldDefinition } from './field-definition.js';
import type { Model } from './model.js';
import { exactValue, inner, valuesOf, writeBaseLike } from './record.js';
import { ROW } from './symbols.js';

/**
 * Makes a new record (a phantom) with the same values, and with the given id or a temporary one. The create sends the given id
 * only if creates send ids (`identifier: 'natural'`, `writer: { writeRecordId: true }`).
 *
 * @example
 * ```ts
 * users.add(copyOf(user));
 * ```
 */
export function copyOf<M extends Model>(record: M, id?: AnyId): M {
  const original = inner(record);
  const { fields, idField, idParts, keepsUndeclared } = original[MODEL];
  const isOwn = (field: FieldDefinition) => field === idField || idParts?.includes(field);
  const copied = fields.filter((field) => !isOwn(field) && field.writable);
  const values = valuesOf(original, copied, (each, field) => {
    // An embedded record belongs to one holder, so the copy gets embedded records of its own.
    return copyFieldValue(field, exactValue(each, field));
  });
  for (const name of keepsUndeclared ? Object.keys(original[ROW]) : [])
    if (original[MODEL].keepsMember(name)) setMember(values, name, original[ROW][name]);
  const Class = original.constructor as new (data: object, options: object) => M;
  if (idParts && id !== undefined && !(Array.isArray(id) && id.length === idParts.length))
    throw idPartsError(original[MODEL], id);
  const ids = (idParts ?? [idField]).map((field, at) => [field.name, idParts ? (id as CompositeId)?.[at] : id]);
  const copy = new Class(id === undefined ? values : { ...Object.fromEntries(ids), ...values }, { phantom: true });
  for (const field of copied) writeBaseLike(inner(copy), field, original[ROW]);
  return copy;
}
