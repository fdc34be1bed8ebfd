import type { VALUES, ValuesOf } from '../model/infer.js';
import type { Model } from '../model/model.js';
import type { ModelDefinition } from '../model/model-definition.js';
import { currentValue, type InnerRecord, inner, isInner } from '../model/record.js';
import { ROW } from '../model/symbols.js';
import { MODEL } from '../operation/operation-record.js';
import { compositeText } from '../util/composite-id.js';
import { copyPlain } from '../util/values.js';

/** The values of a record as a plain object, as libraries hold it: embedded records are plain objects as well, and it always has an `id`. */
export type PlainRow<M extends Model> = {
  [K in Exclude<keyof ValuesOf<M>, 'id'>]: PlainValue<ValuesOf<M>[K]>;
} & { id: IdOf<ValuesOf<M>> };

type PlainValue<T> = T extends { readonly [VALUES]: infer V }
  ? { [K in keyof V]: PlainValue<V[K]> }
  : T extends readonly { readonly [VALUES]: infer V }[]
    ? { [K in keyof V]: PlainValue<V[K]> }[]
    : T;

/** The id of a row: that of the record. An id of several fields is a text. */
type IdOf<V> = V extends { id: infer I extends string | number } ? I : string | number;

/** The values of a record as a plain object. */
export function plainRow(record: Model): Record<string, unknown> {
  const values = plainValues(inner(record));
  const { idField, idParts } = inner(record)[MODEL];
  const id = record.getId() as unknown;
  if (idParts) return { ...values, id: Array.isArray(id) ? compositeText(id) : id };
  return idField.name === 'id' ? values : { ...values, id };
}

/** The values that are there. The temporary id of a record that has none on the server stays out. */
function plainValues(record: InnerRecord): Record<string, unknown> {
  const { fields, idField, idParts } = record[MODEL] as ModelDefinition;
  const hasId = idParts !== undefined || idField.raw(record[ROW]) !== undefined;
  const shown = fields.filter((field) => field !== idField || hasId);
  const entries = shown.map((field) => [field.name, plainValue(currentValue(record, field))] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

function plainValue(value: unknown): unknown {
  if (isInner(value)) return plainValues(value);
  return Array.isArray(value) && value.some(isInner) ? value.map(plainValue) : copyPlain(value);
}
