import type { FieldDefinition } from '../model/field-definition.js';
import type { Model } from '../model/model.js';
import { referencesOf } from '../model/parts/reference-fields.js';
import type { InnerRecord } from '../model/record.js';
import { DEFINITION } from '../model/symbols.js';
import { MODEL } from '../operation/operation-record.js';
import { serverId } from '../store/id-index.js';
import { idKey } from '../util/id-key.js';
import type { Subject } from './step.js';

/** Most former ids that are remembered of records that are in no step any more: other records may still refer to them. */
const MOST_FORMER = 1000;
/** Most former ids of one record, which gets another id each time when its erase is undone. */
const MOST_OF_ONE = 20;

/** The records that are in steps, by their objects and by the ids that they had before. */
export class Subjects {
  private readonly byRecord: WeakMap<Model, Subject> = new WeakMap();
  /** By model and id: the records that were created again under another id, after they had been erased. */
  private readonly byFormerId: Map<string, Subject> = new Map();
  /** The number of former ids at which those of forgotten records are let go of. */
  private bound = MOST_FORMER;

  get(record: Model): Subject | undefined {
    return this.byRecord.get(record);
  }

  of(record: InnerRecord): Subject {
    const known = this.byRecord.get(record);
    if (known) return known;
    const subject: Subject = { record, ops: [], store: undefined, ownRow: undefined, sent: new Map(), formerIds: [] };
    this.byRecord.set(record, subject);
    return subject;
  }

  /** Another object takes the place of a record: a duplicate of its row. */
  replace(record: Model, stays: InnerRecord): void {
    const subject = this.byRecord.get(record);
    if (!subject) return;
    const other = this.byRecord.get(stays);
    this.byRecord.delete(record);
    if (!other) {
      subject.record = stays;
      this.byRecord.set(stays, subject);
      return;
    }
    for (const op of subject.ops) op.subject = other;
    other.ops.push(...subject.ops.splice(0));
  }

  /** A new record takes the place of one that was erased. */
  recreate(subject: Subject, created: InnerRecord): void {
    const key = formerKey(subject.record[MODEL].name, serverId(subject.record));
    if (key !== undefined) this.rememberId(key, subject);
    this.byRecord.delete(subject.record);
    subject.record = created;
    this.byRecord.set(created, subject);
  }

  private rememberId(key: string, subject: Subject): void {
    const { byFormerId } = this;
    const { formerIds } = subject;
    byFormerId.set(key, subject);
    formerIds.push(key);
    if (formerIds.length > MOST_OF_ONE) byFormerId.delete(formerIds.shift() as string);
    if (byFormerId.size <= this.bound) return;
    for (const [former, { ops }] of byFormerId)
      if (ops.length === 0 && byFormerId.size > MOST_FORMER) byFormerId.delete(former);
    // Looking at all of them each time would take too long if steps tell of that many records.
    this.bound = Math.max(MOST_FORMER, byFormerId.size * 2);
  }

  /** The record that was erased takes its place again, because no other one could be created. */
  takeBack(subject: Subject, erased: InnerRecord): void {
    this.byRecord.delete(subject.record);
    subject.record = erased;
    this.byRecord.set(erased, subject);
  }

  /** The present form of a value: the id of a record that has got another one is that id. */
  present(record: InnerRecord, field: FieldDefinition, value: unknown): unknown {
    const [, target] = referencesOf(record).find(([each]) => each === field) ?? [];
    if (!target || value === undefined || value === null) return value;
    const key = formerKey(target[DEFINITION].name, value);
    const subject = key === undefined ? undefined : this.byFormerId.get(key);
    const now = subject?.record ?? target[DEFINITION].phantoms?.get(value);
    return now ? now.getId() : value;
  }

  clear(): void {
    this.byFormerId.clear();
  }
}

function formerKey(model: string, id: unknown): string | undefined {
  const key = idKey(id);
  return key === undefined ? undefined : `${model} ${String(key)}`;
}
