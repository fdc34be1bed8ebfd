import type { DataError } from '../errors/data-error.js';
import { inheritNotes } from '../extension/row-notes.js';
import type { RecordId } from '../operation/actions.js';
import { runParallel } from '../operation/batch.js';
import { MODEL } from '../operation/operation-record.js';
import { type Data, isObject } from '../util/data-path.js';
import { isSame } from '../util/values.js';
import { type Change, changeWith, folded, rowAfter } from './change.js';
import type { FieldDefinition } from './field-definition.js';
import type { ModelDefinition } from './model-definition.js';
import {
  cachedValue,
  coreOf,
  exactBase,
  guardErased,
  type InnerRecord,
  isDirty,
  isInner,
  setValues,
  twinOf,
  valuesOf,
  withWritten,
  writeEdits,
} from './record.js';
import type { Edits, ReadonlyEdits } from './record-core.js';
import { didBeginSaving } from './record-owner.js';
import { resolveWaiting, settleUndone } from './settle.js';
import { CORE, ROW } from './symbols.js';
import type { WriteOptions } from './write.js';
import { eraseRecord, saveRecord } from './write.js';
import type { WriteJob } from './write-job.js';

/** A snapshot of a record when it was sent. */
interface Snapshot {
  readonly change: Change;
  readonly row: Data;
  readonly phantom: boolean;
  readonly edits: Edits;
  /** Fields whose embedded records were edited in place, not replaced by others. */
  readonly inside: readonly FieldDefinition[];
  /** The edits in their JSON form; empty if one of them cannot be written. */
  readonly written: ReadonlyEdits;
  /** The row with the written edits in it. */
  readonly sent: Data;
  readonly temporaryId: RecordId | undefined;
  /** The time of the snapshot on the model's clock of reads and writes; for embedded records, on the clocks of their models. */
  readonly at: ReadonlyMap<InnerRecord, number>;
  /** The row after the write succeeded. */
  answered?: Data;
}

/** Undoes the writes of a `sync()` with further requests, as far as the server allows it. */
export class UndoLog {
  private readonly before: Map<WriteJob, Snapshot> = new Map();

  /** Whether a snapshot of a record was taken. */
  has(job: WriteJob): boolean {
    return this.before.has(job);
  }

  /** Takes a snapshot of a record whose write was captured. */
  remember(job: WriteJob, change: Change): void {
    this.before.set(job, snapshot(job.record, change));
  }

  /** Called when a write has ended. */
  ended(job: WriteJob, error: DataError | undefined): void {
    const before = this.before.get(job);
    if (before && !error) before.answered = job.record[ROW];
  }

  /**
   * Undoes writes, the last ones first. Each record is then pending again and keeps its later edits. Resolves with an error for
   * each write that could not be undone.
   */
  async undo(jobs: readonly WriteJob[], concurrency: number): Promise<Map<WriteJob, DataError>> {
    const failures = new Map<WriteJob, DataError>();
    const undoable = jobs.filter(({ action }) => action !== 'destroy');
    const turns = [...new Set(undoable.map(({ phase, level }) => `${phase} ${level}`))];
    const jobsByTurn = turns.map((turn) => undoable.filter(({ phase, level }) => `${phase} ${level}` === turn));
    const lastFirst = ([a]: WriteJob[], [b]: WriteJob[]) =>
      (b as WriteJob).phase - (a as WriteJob).phase || (b as WriteJob).level - (a as WriteJob).level;
    for (const turn of jobsByTurn.sort(lastFirst)) {
      const undo = (job: WriteJob) => async () => {
        // A record cannot be undone if a record that refers to it is, or may be, still on the server.
        const blocking = job.next
          .map((next) => failures.get(next) ?? next.record[CORE]?.unconfirmed)
          .find((error) => error);
        if (blocking) return void failures.set(job, blocking);
        try {
          const undoing = coreOf(job.record).run(() => this.undoOne(job));
          didBeginSaving(job.record);
          await undoing;
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
    const before = this.before.get(job) as Snapshot;
    const { proxy = job.proxy, call } = before.change;
    const options: WriteOptions = { ...EXPLICIT, calledParameters: call.calledParameters, proxy };
    guardErased(record);
    // The requests are made from a copy, so that stores and listeners do not see the intermediate states.
    if (before.phantom) {
      const copied = copyForUndo(record);
      let unconfirmed: DataError | undefined;
      try {
        await eraseRecord(copied, options);
      } catch (error) {
        // Without a response, the server may or may not have the record, as with an unconfirmed create.
        unconfirmed = copied[CORE]?.unconfirmed;
        if (!unconfirmed) throw error;
      }
      restore(record, before.row, before, { unconfirmed });
      if (!unconfirmed) return;
      await proxy.hooks.keeper?.keepUnconfirmed(record, proxy, unconfirmed);
      throw unconfirmed;
    }
    const copied = copyWithUndoEdits(record, before);
    if (isDirty(copied)) {
      const undone = withWritten(copied[ROW], writeEdits(copied));
      try {
        await saveRecord(copied, options);
      } catch (error) {
        // The server may have undone the write although no response came, so the values must be written again.
        inheritNotes(undone, copied[ROW]);
        if (copied[CORE]?.unconfirmed) restore(record, undone, before, { copied });
        throw error;
      }
    }
    restore(record, copied[ROW], before, { copied });
  }
}

/** Takes a snapshot of a record. */
function snapshot(record: InnerRecord, change: Change): Snapshot {
  const { base: row, written, action } = change;
  // The edits themselves, not those of the change: embedded records keep their identity.
  const edits: Edits = new Map([...(record[CORE]?.edits ?? [])].filter(([field]) => change.edits.has(field)));
  const inside = [...edits.keys()].filter(
    (field) => field.embedding && cachedValue(record, field) === edits.get(field),
  );
  // A repeat sends the values of its first attempt: what was edited since then is later.
  const at = new Map([
    [record, change.at],
    ...recordsInside(record).map((each) => [each, each[MODEL].clock.now] as const),
  ]);
  const temporaryId = record[CORE]?.temporaryId;
  return { change, row, phantom: action === 'create', edits, inside, written, sent: rowAfter(change), temporaryId, at };
}

/**
 * The options of the writes of a rollback. They are explicit: their records are copies that have exactly the values to write.
 * No outbox stores them, because a write that was reported as not undone must not be undone later.
 */
const EXPLICIT: WriteOptions = { durable: false, explicit: true };

/** A copy of a record with the same row, and with the given edits. */
function copyForUndo(record: InnerRecord, edits?: Edits): InnerRecord {
  const { incomplete = false, pathParams = undefined } = record[CORE] ?? {};
  return twinOf(record, record[ROW], { incomplete, edits, pathParams });
}

/**
 * A copy with the edits that write back the fields' values before the write, exactly as the server sent them: the model neither
 * converts nor validates these values.
 */
function copyWithUndoEdits(record: InnerRecord, { row, edits }: Snapshot): InnerRecord {
  const { [MODEL]: model } = record;
  const rawFields = new Map(model.fields.map((field) => [field, writesRawValues(field)]));
  const changed = [...edits.keys()].filter((field) => field.persist && !isSame(field.raw(row), field.raw(record[ROW])));
  const values = changed.map((field) => [field, field.read(field.raw(row))] as const);
  const undoEdits = values.map(
    ([field, value]) => [rawFields.get(field) as FieldDefinition, field.path ? field.raw(row) : value] as const,
  );
  const copied = copyForUndo(record, new Map(undoEdits));
  // A proxy of the application may read the field from the record.
  for (const [{ name }, value] of values) Object.defineProperty(copied, name, { value });
  const idField = rawFields.get(model.idField) as FieldDefinition;
  const definition: ModelDefinition = {
    ...model,
    fields: [...rawFields.values()],
    idField,
    idParts: model.idParts?.map((field) => rawFields.get(field) as FieldDefinition),
  };
  Object.defineProperty(copied, MODEL, { value: definition });
  return copied;
}

/**
 * A field that writes raw values unchanged. A field whose mapping is a function has no path, and keeps its own way of writing.
 */
function writesRawValues(field: FieldDefinition): FieldDefinition {
  const rawWriter = field.path && { write: (value: unknown) => value };
  return Object.assign(Object.create(field) as FieldDefinition, { ...rawWriter, check: () => [] });
}

/** The embedded records of a record, at every depth; only those that were read before. */
function recordsInside(record: InnerRecord): InnerRecord[] {
  return record[MODEL].fields.flatMap((field) => {
    if (!field.embedding) return [];
    const edits = record[CORE]?.edits;
    const value = edits?.has(field) ? edits.get(field) : cachedValue(record, field);
    const embeddedRecords = [value].flat().filter(isInner);
    return embeddedRecords.flatMap((each) => [each, ...recordsInside(each)]);
  });
}

/**
 * The fields that were edited after the record was sent and are not dirty any more: a later request of the same save has sent
 * them.
 */
function sentSince(record: InnerRecord, { at }: Snapshot): FieldDefinition[] {
  const { editedAt, edits } = coreOf(record);
  const since = at.get(record) ?? 0;
  return record[MODEL].fields.filter((field) => (editedAt[field.name] ?? 0) > since && !edits?.has(field));
}

/** The fields that become pending again, and that were changed after the write by other clients or later writes. */
function changedSince(record: InnerRecord, { phantom, edits, answered }: Snapshot): FieldDefinition[] {
  const { [MODEL]: model, [ROW]: row } = record;
  if (!answered || answered === row) return [];
  const fields = phantom ? model.fields.filter((field) => field.persist && field !== model.idField) : [...edits.keys()];
  return fields.filter((field) => !field.embedding && !isSame(field.raw(answered), field.raw(row)));
}

/**
 * The fields of a created record that this client has written since its create: by later requests. Values that the server has made are not
 * included, but where the application has set the field since.
 */
function writtenSince(record: InnerRecord, before: Snapshot): FieldDefinition[] {
  const { [MODEL]: model, [ROW]: row } = record;
  const { editedAt } = coreOf(record);
  const since = before.at.get(record) ?? 0;
  const changed = changedSince(record, before);
  return model.fields.filter((field) => {
    const mayBeWritten = field.persist && ((editedAt[field.name] ?? 0) > since || changed.includes(field));
    return mayBeWritten && !isSame(field.raw(row), field.raw(before.sent));
  });
}

/** The value of a field in the row of a record, in its JSON form. */
function writtenValue({ [ROW]: row }: InnerRecord, field: FieldDefinition): unknown {
  return field.path ? field.raw(row) : field.write(field.read(field.raw(row)), row);
}

/** A change with the values that the row of a record has for fields. */
function changeOfRow(record: InnerRecord, change: Change, fields: readonly FieldDefinition[]): Change {
  const valuesBy = (read: typeof exactBase) => new Map(fields.map((field) => [field, read(record, field)] as const));
  const edits = valuesBy(exactBase);
  return changeWith(change, { edits, live: edits, written: valuesBy(writtenValue) });
}

/** The values that the server has if it still has a created record: sent by its create, or since. A repeat sends the create again. */
function changeSoFar(record: InnerRecord, before: Snapshot): Change {
  const { change } = before;
  return changeWith(folded(change, changeOfRow(record, change, writtenSince(record, before))), { asSent: change });
}

/**
 * The objects and lists that only the row of a create had that is undone to `row`, and in which the application has edited since. A save that was
 * called on them makes the record again with them: the edits are edits of these values, and of no others that the server makes.
 */
function belowEdits(record: InnerRecord, row: Data, { change }: Snapshot): Change {
  const fields = [...coreOf(record).typed.keys()].filter((field) => {
    const lost = field.raw(record[ROW]);
    return field.persist && !field.embedding && isObject(lost) && !isSame(lost, field.raw(row));
  });
  return changeOfRow(record, change, fields);
}

/** The result of the undoing request. */
interface UndoResult {
  /** The copy from which the undoing update was sent; undefined if a create was undone, so that the record is new again. */
  readonly copied?: InnerRecord;
  /** The error that leaves it uncertain whether the server still has the record that is new again. */
  readonly unconfirmed?: DataError | undefined;
}

/** Restores the state of a record before its write, with `row` as its row. Later edits and later written values stay. */
function restore(record: InnerRecord, row: Data, before: Snapshot, { copied, unconfirmed }: UndoResult): void {
  const model = record[MODEL];
  const laterFields = [...changedSince(record, before), ...sentSince(record, before)];
  const laterValues = laterFields.map((field) => [field, exactBase(record, field)] as const);
  const laterValuesInside = recordsInside(record).map((each) => {
    return [each, valuesOf(each, sentSince(each, before), exactBase)] as const;
  });
  const change = unconfirmed && changeSoFar(record, before);
  const edits: Edits = new Map([...before.edits, ...laterValues, ...(record[CORE]?.edits ?? [])]);
  // The update that undoes the write may have got no response. The copy has its own field definitions, so fields are found by name.
  const unconfirmedFields = [...(copied?.[CORE]?.unconfirmedFields?.keys() ?? [])].flatMap(
    ({ name }) => model.field(name) ?? [],
  );
  const inside = before.inside.filter((field) => edits.get(field) === before.edits.get(field));
  const lost = copied ? undefined : belowEdits(record, row, before);
  settleUndone(
    record,
    { sentRow: before.sent, row, edits, laterFields, inside, rowBefore: before.row, unconfirmedFields },
    { wasCreate: !copied, temporaryId: before.temporaryId, unanswered: unconfirmed, change },
  );
  for (const [each, values] of laterValuesInside) setValues(each, values);
  if (lost) resolveWaiting(record, (waiting) => (waiting.action === 'destroy' ? waiting : folded(lost, waiting)));
}
