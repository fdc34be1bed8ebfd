import type { DataError } from '../errors/data-error.js';
import type { Operation } from '../operation/operation.js';
import type { FieldDefinition } from './field-definition.js';
import { coreOf, type InnerRecord, initRecord } from './record.js';
import type { Edits } from './record-core.js';
import { CORE, FROM_ROW, ROW } from './symbols.js';

/** Whether a refusal may be what the server says when it is told again of what it has done. */
export function mayBeDone(record: InnerRecord, operation: Operation, error: DataError): boolean {
  const { action, repeated, unclear } = operation;
  const { status = 0 } = error as { status?: number };
  const again = repeated || unclear || record[CORE]?.doubt?.operation?.action === action;
  return again && action !== 'create' && [404, 409, 410, 412].includes(status);
}

/** A value of a field, with records of its own inside. */
export function copyOf(field: FieldDefinition, value: unknown): unknown {
  return field.embedding ? field.read(field.embedding.type.write?.(value, undefined)) : value;
}

/** Edits that stay as they are, also when records inside are edited further. */
export function copyEdits(edits: Edits = new Map()): Edits {
  return new Map([...edits].map(([field, value]) => [field, copyOf(field, value)]));
}

/** A record as it is, or was when its create was first sent: for requests, which are made from records. */
export function asSent(record: InnerRecord, edits: Edits | undefined): InnerRecord {
  const { phantom, temporaryId, createId = temporaryId, etag, pathParams } = coreOf(record);
  const first = Object.create(Object.getPrototypeOf(record)) as InnerRecord;
  initRecord(first, record[ROW], FROM_ROW);
  Object.assign(coreOf(first), { phantom, edits, temporaryId: createId, etag, pathParams });
  return first;
}
