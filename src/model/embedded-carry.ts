import { MODEL } from '../operation/operation-record.js';
import { isData } from '../util/data-path.js';
import { isSame } from '../util/values.js';
import type { FieldDefinition } from './field-definition.js';
import { cacheOf, type InnerRecord, rebase } from './record.js';
import type { Edits } from './record-core.js';
import { CACHE, CORE, ROW } from './symbols.js';

/** The embedded records that have been handed out, by field. */
export type Held = ReadonlyMap<FieldDefinition, unknown>;

export function heldEmbedded(record: InnerRecord): Held {
  const held = new Map<FieldDefinition, unknown>();
  for (const field of record[MODEL].fields) {
    if (!field.embedding) continue;
    const value = record[CORE]?.edits?.get(field) ?? record[CACHE]?.[field.index];
    if (field.embedding.records(value).length) held.set(field, value);
  }
  return held;
}

/**
 * Embedded records stay the same objects when their parent gets another row: each takes its part of the row as its base, and
 * keeps the edits that were made since the write was sent.
 */
export function carryEmbedded(record: InnerRecord, held: Held, sent: Edits): void {
  for (const [field, value] of held) {
    const { embedding } = field;
    const records = (embedding?.records(value) ?? []) as unknown as InnerRecord[];
    const rows = [field.raw(record[ROW])].flat();
    if (!embedding || rows.length !== records.length || !rows.every(isData)) continue;
    const sentRows = [sent.get(field)].flat();
    for (const [i, child] of records.entries()) settleChild(child, rows[i] as never, sentRows[i]);
    cacheOf(record)[field.index] = value;
    if (!embedding.dirty(value)) record[CORE]?.edits?.delete(field);
  }
}

function settleChild(child: InnerRecord, row: Record<string, unknown>, sentRow: unknown): void {
  rebase(child, row);
  const edits = child[CORE]?.edits;
  if (child[CORE]) child[CORE].phantom = false;
  for (const [field, value] of edits ?? []) {
    const written = field.write(value, row);
    const wasSent = isData(sentRow) && isSame(field.raw(sentRow), written);
    if (wasSent || isSame(field.raw(row), written)) edits?.delete(field);
  }
}
