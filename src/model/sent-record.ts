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

/** Makes a copy of a record with other edits, from which a request can be built. */
export function copyWithEdits(record: InnerRecord, edits: Edits | undefined): InnerRecord {
  const core = coreOf(record);
  const { phantom, temporaryId, firstSentId = temporaryId, pathParams, slots } = core;
  const copy = Object.create(Object.getPrototypeOf(record)) as InnerRecord;
  initRecord(copy, record[ROW], FROM_ROW);
  // Extensions that see the copy in a request must recognise the record: by its key, and by their slots.
  const key = (core.key ??= randomUuid());
  Object.assign(coreOf(copy), {
    phantom,
    edits,
    temporaryId: firstSentId,
    pathParams,
    key,
    ...(slots && { slots }),
  });
  return copy;
}

/** A copy of a record in doubt, as it was when its create was first sent. */
export function copyAsFirstSent(record: InnerRecord): InnerRecord {
  const { firstSentEdits, sent = new Map() } = coreOf(record);
  return copyWithEdits(record, firstSentEdits ?? valuesOfSent(record, sent));
}

/** Converts written values back to field values. */
export function valuesOfSent(record: InnerRecord, sent: Edits): Edits {
  const row = withWritten(record, sent);
  return new Map([...sent.keys()].map((field) => [field, field.readExact(field.raw(row))]));
}
