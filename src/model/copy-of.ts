import type { AnyId } from '../operation/actions.js';
import { MODEL } from '../operation/operation-record.js';
import { idPartsError } from '../proxy/address.js';
import type { CompositeId } from '../util/composite-id.js';
import { setMember } from '../util/data-path.js';
import type { FieldDefinition } from './field-definition.js';
import type { Model } from './model.js';
import { exactValue, type InnerRecord, inner, isInner, valuesOf, writeBaseLike } from './record.js';
import { CORE, ROW } from './symbols.js';

/**
 * Makes a new record (a phantom) with the same values, and with the given id or a temporary one. The create sends the given id
 * only if creates send ids (`identifier: 'natural'`, `writer: { writeRecordId: true }`). Embedded records are copied as well, and get no ids
 * from their originals, unless these ids are natural or consist of several fields.
 *
 * @example
 * ```ts
 * users.add(copyOf(user));
 * ```
 */
export function copyOf<M extends Model>(record: M, id?: AnyId): M {
  return copyWith(record, id, (_, value) => copiesInside(value));
}

/** Copies a record. An embedded record belongs to one holder, so `copyInside` makes those of the copy. */
export function copyWith<M extends Model>(record: M, id: AnyId | undefined, copyInside: CopyInside): M {
  const { idField, idParts } = record[MODEL];
  if (id === undefined) return copyValues(inner(record), {}, copyInside) as object as M;
  if (!idParts) return copyValues(inner(record), { [idField.name]: id }, copyInside) as object as M;
  if (!(Array.isArray(id) && id.length === idParts.length)) throw idPartsError(record[MODEL], id);
  const ids = Object.fromEntries(idParts.map((field, at) => [field.name, (id as CompositeId)[at]]));
  return copyValues(inner(record), ids, copyInside) as object as M;
}

type CopyInside = (field: FieldDefinition, value: unknown) => unknown;

function copyValues(original: InnerRecord, ids: object, copyInside: CopyInside): InnerRecord {
  const { fields, idField, idParts, keepsUndeclared } = original[MODEL];
  const isOwn = (field: FieldDefinition) => field === idField || idParts?.includes(field);
  const copied = fields.filter((field) => !isOwn(field) && field.writable);
  const values = valuesOf(original, copied, (_, field) => {
    const value = exactValue(original, field);
    return field.embedding ? copyInside(field, value) : value;
  });
  for (const name of keepsUndeclared ? Object.keys(original[ROW]) : [])
    if (original[MODEL].keepsMember(name)) setMember(values, name, original[ROW][name]);
  const Class = original.constructor as new (data: object, options: object) => InnerRecord;
  const copy = new Class({ ...ids, ...values }, { phantom: true });
  for (const field of copied) writeBaseLike(copy, field, original[ROW]);
  return copy;
}

/**
 * Copies embedded records. They get no ids but those of the application, which are values: the server must not take the copies for the records
 * of the original.
 */
function copiesInside(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copiesInside);
  if (!isInner(value)) return value;
  const { naturalId, idField, idParts } = value[MODEL];
  const ids = valuesOf(value, idParts ?? (naturalId ? [idField] : []), (_, field) => {
    const id = exactValue(value, field);
    return id === value[CORE]?.temporaryId ? undefined : id;
  });
  return copyValues(value, ids, (_, inside) => copiesInside(inside));
}
