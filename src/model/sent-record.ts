import type { RecordId } from '../operation/actions.js';
import type { Data } from '../util/data-path.js';
import type { FieldDefinition } from './field-definition.js';
import { randomUuid } from './identifier.js';
import { coreOf, type InnerRecord, initRecord, withWritten } from './record.js';
import type { Edits } from './record-core.js';
import { FROM_ROW, ROW } from './symbols.js';

/** Copies a value of a field, including its embedded records. */
export function copyFieldValue(field: FieldDefinition, value: unknown): unknown {
  return field.embedding ? field.read(field.embedding.type.write?.(value, undefined)) : value;
}

/** Copies edits, so that later edits of embedded records do not change them. */
export function copyEdits(edits: Edits = new Map()): Edits {
  return new Map([...edits].map(([field, value]) => [field, copyFieldValue(field, value)]));
}

/** Makes a copy of a record with another row and other edits, from which a request can be built. */
export function twinOf(
  record: InnerRecord,
  row: Readonly<Data>,
  edits: Edits | undefined,
  temporaryId: unknown,
  pathParams: Readonly<Record<string, unknown>> | undefined,
): InnerRecord {
  const core = coreOf(record);
  const { phantom, slots } = core;
  const twin = Object.create(Object.getPrototypeOf(record)) as InnerRecord;
  initRecord(twin, row, FROM_ROW);
  // Extensions that see the copy in a request must recognise the record: by its key, and by their slots.
  const key = (core.key ??= randomUuid());
  if (phantom) coreOf(twin).apply({ type: 'made', temporaryId: temporaryId as RecordId | undefined });
  Object.assign(coreOf(twin), { edits, pathParams, key, ...(slots && { slots }) });
  return twin;
}

/** Makes a copy of a record with other edits. */
export function copyWithEdits(record: InnerRecord, edits: Edits | undefined): InnerRecord {
  const { temporaryId, pathParams } = coreOf(record);
  return twinOf(record, record[ROW], edits, temporaryId, pathParams);
}

/** Converts written values back to field values. */
export function valuesOfSent(record: InnerRecord, sent: Edits): Edits {
  const row = withWritten(record, sent);
  return new Map([...sent.keys()].map((field) => [field, field.readExact(field.raw(row))]));
}
