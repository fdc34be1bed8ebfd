import type { FieldDefinition } from './field-definition.js';
import { randomId } from './identifier.js';
import { coreOf, type InnerRecord, initRecord, withWritten } from './record.js';
import type { Edits } from './record-core.js';
import { FROM_ROW, ROW } from './symbols.js';

/** Copies a value of a field, including its embedded records. */
export function copyOf(field: FieldDefinition, value: unknown): unknown {
  return field.embedding ? field.read(field.embedding.type.write?.(value, undefined)) : value;
}

/** Copies edits, so that later edits of embedded records do not change them. */
export function copyEdits(edits: Edits = new Map()): Edits {
  return new Map([...edits].map(([field, value]) => [field, copyOf(field, value)]));
}

/** Makes a copy of a record with other edits, from which a request can be built. */
export function asSent(record: InnerRecord, edits: Edits | undefined): InnerRecord {
  const core = coreOf(record);
  const { phantom, temporaryId, createId = temporaryId, pathParams, slots } = core;
  const first = Object.create(Object.getPrototypeOf(record)) as InnerRecord;
  initRecord(first, record[ROW], FROM_ROW);
  // Extensions that see the copy in a request must recognise the record: by its key, and by their slots.
  const key = (core.key ??= randomId());
  Object.assign(coreOf(first), {
    phantom,
    edits,
    temporaryId: createId,
    pathParams,
    key,
    ...(slots && { slots }),
  });
  return first;
}

/** A copy of a record in doubt, as it was when its create was first sent. */
export function firstSent(record: InnerRecord): InnerRecord {
  const { createEdits, sent = new Map() } = coreOf(record);
  return asSent(record, createEdits ?? valuesOfSent(record, sent));
}

/** Converts written values back to field values. */
export function valuesOfSent(record: InnerRecord, sent: Edits): Edits {
  const row = withWritten(record, sent);
  return new Map([...sent.keys()].map((field) => [field, field.readExact(field.raw(row))]));
}
