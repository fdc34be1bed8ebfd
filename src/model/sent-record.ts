import type { FieldDefinition } from './field-definition.js';
import { randomId } from './identifier.js';
import { coreOf, type InnerRecord, initRecord, withWritten } from './record.js';
import type { Edits } from './record-core.js';
import { FROM_ROW, ROW } from './symbols.js';

/** A value of a field, with records of its own inside. */
export function copyOf(field: FieldDefinition, value: unknown): unknown {
  return field.embedding ? field.read(field.embedding.type.write?.(value, undefined)) : value;
}

/** Edits that stay as they are, also when records inside are edited further. */
export function copyEdits(edits: Edits = new Map()): Edits {
  return new Map([...edits].map(([field, value]) => [field, copyOf(field, value)]));
}

/** A record as it is, with these edits: for requests, which are made from records. */
export function asSent(record: InnerRecord, edits: Edits | undefined): InnerRecord {
  const core = coreOf(record);
  const { phantom, temporaryId, createId = temporaryId, pathParams, slots } = core;
  const first = Object.create(Object.getPrototypeOf(record)) as InnerRecord;
  initRecord(first, record[ROW], FROM_ROW);
  // Whoever is given the request sees the same record, by its key and by what extensions know of it.
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

/** A new record as it was when its create, which is in doubt, was first sent. */
export function firstSent(record: InnerRecord): InnerRecord {
  const { createEdits, sent = new Map() } = coreOf(record);
  return asSent(record, createEdits ?? valuesOfSent(record, sent));
}

/** The values that were written as this, by field. */
export function valuesOfSent(record: InnerRecord, sent: Edits): Edits {
  const row = withWritten(record, sent);
  return new Map([...sent.keys()].map((field) => [field, field.readExact(field.raw(row))]));
}
