import type { BaseModel } from './base-model.js';
import type { FieldDefinition } from './field-definition.js';
import type { InnerRecord } from './record.js';
import { addOwner, type RecordChange, type RecordOwner } from './record-owner.js';

/** Hears of edits inside an embedded record for the record that holds it. */
export class EmbeddedOwner implements RecordOwner {
  constructor(private readonly changed: () => void) {}

  recordChanged(_record: BaseModel, { kind }: RecordChange): void {
    if (kind === 'set' || kind === 'reject') this.changed();
  }
}

/** Makes the records in a value of an embedding field tell of edits. */
export function watchEmbedded(field: FieldDefinition, value: unknown, changed: () => void): void {
  const owner = new EmbeddedOwner(changed);
  for (const record of field.embedding?.records(value) ?? []) addOwner(record as unknown as InnerRecord, owner);
}
