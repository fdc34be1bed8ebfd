import type { DataError } from '../errors/data-error.js';
import { inheritNotes } from '../extension/row-notes.js';
import { runParallel } from '../operation/batch.js';
import { MODEL } from '../operation/operation-record.js';
import { type Data, isObject } from '../util/data-path.js';
import { isSame } from '../util/values.js';
import type { BaseModel } from './base-model.js';
import type { FieldDefinition } from './field-definition.js';
import type { ModelDefinition } from './model-definition.js';
import {
  cachedValue,
  cacheValue,
  coreOf,
  exactBase,
  guardErased,
  type InnerRecord,
  inner,
  isDirty,
  rebase,
  setValues,
  valuesOf,
  withWritten,
  writeEdits,
} from './record.js';
import type { Edits } from './record-core.js';
import { didChange, willChange } from './record-owner.js';
import type { WriteOptions } from './record-write.js';
import { dropSettled, nextTime } from './settle.js';
import { CORE, ROW } from './symbols.js';
import { eraseRecord, saveRecord } from './write.js';
import type { WriteJob } from './write-job.js';

/** What a record was when it was sent. */
interface Before {
  readonly row: Data;
  readonly phantom: boolean;
  readonly edits: Edits;
  /** Fields that were edited in records inside, not given others. */
  readonly inside: readonly FieldDefinition[];
  /** The edits in JSON; none where one of them cannot be written. */
  readonly written: Edits;
  /** The row with the edits in it. */
  readonly sent: Data;
  readonly temporaryId: string | number | undefined;
  /** When that was, on the model's clock of reads and writes; of records inside, on those of their models. */
  readonly at: ReadonlyMap<InnerRecord, number>;
  /** The row as the server had it after the write. */
  answered?: Data;
}

/** Takes back what a `sync()` has written, as far as a server lets it: with requests that undo what was done. */
export class UndoLog {
  private readonly before: Map<WriteJob, Before> = new Map();

  /** Keeps what a record is now: it is about to be sent. */
  remember(job: WriteJob): void {
    const core = coreOf(job.record);
    this.before.set(job, snapshot(job.record));
    // What is sent of an update is decided after its row was read, and edits made meanwhile go with it.
    if (core.phantom) return;
    core.willSend = () => {
      this.before.set(job, snapshot(job.record));
      core.willSend = undefined;
    };
  }

  /** A write has ended. */
  ended(job: WriteJob, error: DataError | undefined): void {
    const before = this.before.get(job);
    coreOf(job.record).willSend = undefined;
    if (before && !error) before.answered = job.record[ROW];
  }

  /**
   * Undoes writes, the last ones first; each record is then pending again, with the edits made since on top. Resolves with why
   * it could not be done, for those where it could not.
   */
  async undo(jobs: readonly WriteJob[], concurrency: number): Promise<Map<WriteJob, DataError>> {
    const failures = new Map<WriteJob, DataError>();
    const left = jobs.filter(({ action }) => action !== 'destroy');
    const turns = [...new Set(left.map(({ phase, level }) => `${phase} ${level}`))];
    const inTurn = turns.map((turn) => left.filter(({ phase, level }) => `${phase} ${level}` === turn));
    const last = ([a]: WriteJob[], [b]: WriteJob[]) =>
      (b as WriteJob).phase - (a as WriteJob).phase || (b as WriteJob).level - (a as WriteJob).level;
    for (const turn of inTurn.sort(last)) {
      const undo = (job: WriteJob) => async () => {
        // What still refers to it keeps it, or may do so, for all that is known.
        const kept = job.next
          .map((next) => failures.get(next) ?? next.record[CORE]?.unconfirmed)
          .find((error) => error);
        if (kept) return void failures.set(job, kept);
        try {
          await coreOf(job.record).lane.run(() => this.undoOne(job));
        } catch (error) {
          failures.set(job, error as DataError);
        }
      };
      await runParallel(turn.map(undo), concurrency);
    }
    return failures;
  }

  private async undoOne(job: WriteJob): Promise<void> {
    const { record } = job;
    const { proxy } = job;
    const before = this.before.get(job) as Before;
    guardErased(record);
    // The requests are those of a twin: nobody sees how it is done.
    const copied = copyForUndo(record);
    if (before.phantom) {
      let unconfirmed: DataError | undefined;
      try {
        await eraseRecord(
          copied,
          () => proxy,
          EXPLICIT,
          (operation) => operation,
        );
      } catch (error) {
        // Without an answer, the record may be there or be gone: that is what a create in doubt is.
        unconfirmed = copied[CORE]?.unconfirmed;
        if (!unconfirmed) throw error;
      }
      restore(record, before.row, before, { unconfirmed });
      if (unconfirmed) coreOf(record).sentBy = proxy;
      for (const next of job.next)
        for (const dependency of next.parents) if (dependency.job === job) dependency.undone();
      if (!unconfirmed) return;
      await job.proxy.hooks.keeper?.keepInDoubt(record, job.proxy, unconfirmed);
      throw unconfirmed;
    }
    takeBackIn(copied, before);
    if (isDirty(copied)) {
      const undone = withWritten(copied, writeEdits(copied));
      try {
        await saveRecord(
          copied,
          () => proxy,
          EXPLICIT,
          (operation) => operation,
        );
      } catch (error) {
        // The server may have undone it all the same: what was written is to be written again.
        inheritNotes(undone, copied[ROW]);
        if (copied[CORE]?.unconfirmed) restore(record, undone, before, { copied });
        throw error;
      }
    }
    restore(record, copied[ROW], before, { copied });
  }
}

/** What a record is now. */
function snapshot(record: InnerRecord): Before {
  const { [ROW]: row, [CORE]: core } = record;
  const { phantom = false, temporaryId } = core ?? {};
  const edits: Edits = new Map(core?.edits);
  const inside = [...edits.keys()].filter(
    (field) => field.embedding && cachedValue(record, field) === edits.get(field),
  );
  const written = writtenEdits(record);
  const sent = withWritten(record, written);
  const at = new Map([record, ...recordsInside(record)].map((each) => [each, each[MODEL].clock.now]));
  return { row, phantom, edits, inside, written, sent, temporaryId, at };
}

/** The edits in JSON. Where one cannot be written nothing is sent, and there is nothing to undo. */
function writtenEdits(record: InnerRecord): Edits {
  try {
    return writeEdits(record);
  } catch {
    return new Map();
  }
}

/**
 * The writes of an undo are explicit: they say what the server is to have, and are made from records of their own. No outbox keeps
 * them, since what is told as not undone must not be undone later.
 */
const EXPLICIT: WriteOptions = { durable: false, explicit: true };

/** Another record with the same row, and nothing else. */
function copyForUndo(record: InnerRecord): InnerRecord {
  const copied = inner((record.constructor as typeof BaseModel).fromRow(record[ROW]));
  const { incomplete = false, pathParams = undefined } = record[CORE] ?? {};
  Object.assign(coreOf(copied), { incomplete, pathParams });
  return copied;
}

/**
 * Gives a twin the edits that write fields back as the server gave them: what the model would make of the values, and whether it
 * would take them, is not asked.
 */
function takeBackIn(copied: InnerRecord, { row, edits }: Before): void {
  const { [MODEL]: model } = copied;
  const asGiven = new Map(model.fields.map((field) => [field, sentAsGiven(field)]));
  const changed = [...edits.keys()].filter((field) => field.persist && !isSame(field.raw(row), field.raw(copied[ROW])));
  const given: Edits = new Map();
  for (const field of changed) {
    const [raw, value] = [field.raw(row), field.read(field.raw(row))];
    given.set(asGiven.get(field) as FieldDefinition, field.path ? raw : value);
    // Proxies of one's own may ask the record.
    Object.defineProperty(copied, field.name, { value });
  }
  coreOf(copied).edits = given;
  const idField = asGiven.get(model.idField) as FieldDefinition;
  const definition: ModelDefinition = { ...model, fields: [...asGiven.values()], idField };
  Object.defineProperty(copied, MODEL, { value: definition });
}

/** A field whose values are what rows hold. One whose mapping is a function has to be written by its own. */
function sentAsGiven(field: FieldDefinition): FieldDefinition {
  const own = field.path && { write: (value: unknown) => value };
  return Object.assign(Object.create(field) as FieldDefinition, { ...own, check: () => [] });
}

/** The records that a record holds, as far as somebody has looked at them. */
function recordsInside(record: InnerRecord): InnerRecord[] {
  return record[MODEL].fields.flatMap((field) => {
    if (!field.embedding) return [];
    const edits = record[CORE]?.edits;
    const value = edits?.has(field) ? edits.get(field) : cachedValue(record, field);
    const held = [value].flat().filter((each) => isObject(each) && MODEL in each) as InnerRecord[];
    return held.flatMap((each) => [each, ...recordsInside(each)]);
  });
}

/** The fields that were edited since a record was sent, and are not dirty: a later request of the same save has carried them. */
function sentSince(record: InnerRecord, { at }: Before): FieldDefinition[] {
  const { editedAt, edits } = coreOf(record);
  const since = at.get(record) ?? 0;
  return record[MODEL].fields.filter((field) => (editedAt[field.name] ?? 0) > since && !edits?.has(field));
}

/** The fields that are pending again, and that others or later writes have changed. */
function changedSince(record: InnerRecord, { phantom, edits, answered }: Before): FieldDefinition[] {
  const { [MODEL]: model, [ROW]: row } = record;
  if (!answered || answered === row) return [];
  const fields = phantom ? model.fields.filter((field) => field.persist && field !== model.idField) : [...edits.keys()];
  return fields.filter((field) => !field.embedding && !isSame(field.raw(answered), field.raw(row)));
}

/**
 * What the server has of a created record, by the edits of its create: with what a later request has written. Values that the
 * server has made are none of these.
 */
function writtenByNow(record: InnerRecord, before: Before): Edits {
  const { [MODEL]: model, [ROW]: row } = record;
  const { editedAt } = coreOf(record);
  const since = before.at.get(record) ?? 0;
  const changed = changedSince(record, before);
  const later = model.fields.filter((field) => {
    const mayBeWritten = field.persist && ((editedAt[field.name] ?? 0) > since || changed.includes(field));
    return mayBeWritten && !isSame(field.raw(row), field.raw(before.sent));
  });
  const written = (field: FieldDefinition) =>
    field.path ? field.raw(row) : field.write(field.read(field.raw(row)), row);
  return new Map([...before.written, ...later.map((field) => [field, written(field)] as const)]);
}

/** On what a record goes on after its write was undone. */
interface Restored {
  /** The record that the undoing update was sent from; without one, the record is new again. */
  readonly copied?: InnerRecord;
  /** Why it is not known whether the record, which is new again, is still on the server. */
  readonly unconfirmed?: DataError | undefined;
}

/** Makes a record what it was, on another row. What was edited or written since stays. */
function restore(record: InnerRecord, row: Data, before: Before, { copied, unconfirmed }: Restored): void {
  const model = record[MODEL];
  const core = coreOf(record);
  const previousId = model.serverId(record);
  const written = unconfirmed && writtenByNow(record, before);
  const kept = [...changedSince(record, before), ...sentSince(record, before)];
  const since = kept.map((field) => [field, exactBase(record, field)] as const);
  const sinceInside = recordsInside(record).map((each) => {
    return [each, valuesOf(each, sentSince(each, before), exactBase)] as const;
  });
  willChange(record);
  // What took the place of a record has nothing of it.
  for (const field of kept) if (field.embedding) cacheValue(record, field, undefined);
  // Records inside have taken over what came back: they are what was sent again, then that is edits of what there was before.
  rebase(record, before.sent);
  const edits: Edits = (core.edits = new Map([...before.edits, ...since, ...(core.edits ?? [])]));
  const inside = before.inside.filter((field) => edits.get(field) === before.edits.get(field));
  for (const field of edits.keys())
    if (field.embedding && !inside.includes(field)) cacheValue(record, field, undefined);
  rebase(record, row, new Map(inside.map((field) => [field, field.raw(before.row)])));
  // The update that undoes the write may have got no answer. A twin has field definitions of its own.
  const unconfirmedFields = [...(copied?.[CORE]?.unconfirmedFields?.keys() ?? [])].flatMap(
    ({ name }) => model.field(name) ?? [],
  );
  core.markFieldsUnconfirmed(unconfirmedFields, nextTime(model));
  if (unconfirmed) {
    // What was written is what the server may have: it is settled against that.
    core.unconfirmed = core.error = core.failure = unconfirmed;
    core.sent = written;
    if (edits.size === 0) core.edits = undefined;
  } else dropSettled(record);
  core.settledAt = nextTime(model);
  if (!copied) {
    core.phantom = true;
    core.temporaryId = before.temporaryId;
    core.created = 0;
  }
  core.settleLane();
  didChange(record, { kind: 'reject', previousId });
  for (const [each, values] of sinceInside) setValues(each, values);
}
