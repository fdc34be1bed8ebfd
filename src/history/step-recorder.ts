import type { FieldDefinition } from '../model/field-definition.js';
import type { Model } from '../model/model.js';
import { referencesOf } from '../model/parts/reference-fields.js';
import { writtenIn } from '../model/parts/wire-values.js';
import { queuedWrite } from '../model/queued-write.js';
import { exactBase, exactValue, type InnerRecord, inner, writeEdits } from '../model/record.js';
import { isOwner, type RecordChange } from '../model/record-owner.js';
import { CORE, ROW } from '../model/symbols.js';
import { MODEL } from '../operation/operation-record.js';
import type { SharingStore } from '../store/sharing.js';
import type { SharedRecords } from '../sync/shared-records.js';
import { isSame } from '../util/values.js';
import type { EditOp, FieldValue, Place, PlaceOp, Presence, Step, Subject } from './step.js';
import type { Subjects } from './subjects.js';

/** Takes the changes that a recorder has found. */
export interface StepTaker {
  /** Whether changes are made by the user now, and not by an `undo()` or a program. */
  readonly isRecording: boolean;
  /** The step of what is done now. */
  openStep(): Step;
  /** A step got another change, or lost one. */
  stepChanged(step: Step): void;
  /** A record was written, or a write of it has begun. */
  sealed(subject: Subject): void;
}

/** The edits of a record, by field. */
type Edited = ReadonlyMap<FieldDefinition, unknown>;

const NO_EDITS: Edited = new Map();

/** Finds out what the user does in a session, from what its records tell, and makes changes of steps of it. */
export class Recorder {
  /** The edits of each record when it last told something. */
  private readonly edits: WeakMap<Model, Edited> = new WeakMap();
  private readonly presences: WeakMap<Model, Presence> = new WeakMap();
  /** The edits that a record is about to get from a duplicate of it. */
  private readonly moving: WeakMap<Model, Edited> = new WeakMap();
  private readonly detachers: (() => void)[] = [];

  constructor(
    private readonly records: SharedRecords,
    private readonly subjects: Subjects,
    private readonly taker: StepTaker,
  ) {
    // Each function leads to its store, which the session must not hold.
    const stops = new WeakMap<SharingStore, () => void>();
    const noticed = (record: Model, change?: RecordChange) => this.noticePresence(inner(record), change?.kind);
    const added = (record: Model) => {
      // A record of a row that was read is no step.
      if (inner(record)[CORE]) noticed(record);
    };
    const follow = (store: SharingStore) =>
      stops.set(
        store,
        store.recordSet.observers.attach({
          recordAdded: added,
          recordChanged: noticed,
          recordDropped: (record) => noticed(record),
        }),
      );
    // Changes before the first call of `historyOf()` are in no step.
    for (const record of new Set([...records.all(), ...records.pending, ...records.removed])) this.meet(inner(record));
    for (const store of records.stores) {
      for (const record of store.recordSet.removed) this.meet(inner(record));
      follow(store);
    }
    this.detachers.push(
      records.observers.attach({
        recordChanged: (record, change) => this.noticed(inner(record), change),
        recordJoined: (record) => this.settle(inner(record), undefined),
        recordReplaced: (record, stays) => this.replaced(inner(record), inner(stays)),
        storeAttached: follow,
      }),
      () => {
        for (const store of records.stores) stops.get(store)?.();
      },
    );
  }

  end(): void {
    for (const detach of this.detachers.splice(0)) detach();
  }

  /** The places that a record has in the stores of the session. */
  placesOf(record: InnerRecord): readonly Place[] {
    return this.records.holdersOf(record).map((store) => {
      const { recordSet } = store;
      const rank = recordSet.isInPlace(record) ? recordSet.rank(record) : undefined;
      return { store: new WeakRef(store), rank };
    });
  }

  /** Takes the state of a record that was in the session before its history. */
  private meet(record: InnerRecord): void {
    this.settle(record, undefined);
    const now = this.presenceOf(record);
    if (now !== 'present' || record.phantom) this.presences.set(record, now);
  }

  private noticed(record: InnerRecord, change: RecordChange | undefined): void {
    this.noticePresence(record, change?.kind);
    if (!change || record[CORE]?.erased) return;
    const isUser = change.fields !== undefined && change.previousId === undefined;
    if (isUser && (change.kind === 'set' || change.kind === 'reject')) this.noticeEdits(record, change);
    else this.settle(record, change.kind);
  }

  // ── Edits ──

  private noticeEdits(record: InnerRecord, { kind, fields = [] }: RecordChange): void {
    const before = this.edits.get(record) ?? NO_EDITS;
    const moved = this.moving.get(record);
    const queued = kind === 'set' ? queuedWrite(record) : undefined;
    const after = new Map(before);
    for (const name of fields) {
      const field = record[MODEL].field(name);
      if (!field) continue;
      const values = [shownBefore(record, field, before), shownNow(record, field)] as const;
      if (values[1].isEdit) after.set(field, values[1].value);
      else after.delete(field);
      if (values[0].isEdit === values[1].isEdit && isSame(values[0].value, values[1].value)) continue;
      // An outbox shows a value that was saved in another tab, or before the page was opened; a merge shows one of a duplicate.
      const isShown = queued?.holds(name) || (moved?.has(field) && isSame(moved.get(field), values[1].value));
      if (!isShown && this.taker.isRecording) this.recordEdit(record, field, ...values);
    }
    this.moving.delete(record);
    this.remember(record, after);
  }

  private remember(record: InnerRecord, edits: Edited): void {
    if (edits.size > 0) this.edits.set(record, edits);
    else this.edits.delete(record);
  }

  private recordEdit(record: InnerRecord, field: FieldDefinition, before: FieldValue, after: FieldValue): void {
    const subject = this.subjectOf(record);
    const step = this.taker.openStep();
    if (!after.isEdit) step.takesBack = true;
    const last = lastEdit(subject, field, (op) => op.step === step);
    if (!last)
      step.add({
        ...{ kind: 'edit', subject, step, field, before, after },
        ...{
          isWritten: false,
          isUnsaved: false,
          isSent: false,
          landed: undefined,
          rawBefore: undefined,
          rawAfter: undefined,
        },
      });
    else if (last.before.isEdit === after.isEdit && isSame(last.before.value, after.value)) step.delete(last);
    else {
      last.after = after;
      step.changed();
    }
    this.taker.stepChanged(step);
  }

  /** The edits of a record have changed otherwise than by the user: notes what the server has, where an edit has become the value of the row. */
  private settle(record: InnerRecord, kind: RecordChange['kind'] | undefined): void {
    const before = this.edits.get(record) ?? NO_EDITS;
    const subject = this.subjects.get(record);
    const now = record[CORE]?.edits;
    if (subject) {
      this.noteServer(subject, before, kind);
      if (kind === 'saving' || kind === 'saved' || kind === 'commit') this.taker.sealed(subject);
    }
    this.remember(record, new Map([...(now?.keys() ?? [])].map((field) => [field, shownNow(record, field).value])));
  }

  private noteServer(subject: Subject, before: Edited, kind: RecordChange['kind'] | undefined): void {
    const { record } = subject;
    const now = record[CORE]?.edits;
    if (kind === 'saving') this.noteSent(subject);
    if (kind === 'commit') return noteLanded(subject, (field) => before.has(field), 'commit');
    const queued = queuedWrite(record);
    // A refusal says that the server does not have the value.
    const isRefused = (field: FieldDefinition) => kind === 'failed' && !record[CORE]?.unconfirmedFields?.has(field);
    for (const [field, op] of subject.sent) if (isRefused(field)) op.isSent = false;
    for (const field of before.keys()) if (queued?.holds(field.name)) this.markSent(subject, field);
    for (const field of before.keys()) {
      const sent = kind === 'saved' && now?.has(field) ? subject.sent.get(field) : undefined;
      if (sent) noteRawOf(sent, field.raw(record[ROW]));
      else if (!now?.has(field)) this.noteRaw(subject, field, field.raw(record[ROW]));
    }
    // A rollback makes edits again of what was saved.
    for (const field of now?.keys() ?? []) if (!before.has(field)) this.forgetRaw(subject, field);
    if (kind === 'saved') subject.ownRow = record[ROW];
  }

  private noteRaw(subject: Subject, field: FieldDefinition, raw: unknown): void {
    const op = runningEdit(subject, field) ?? lastEdit(subject, field, ({ step }) => step.state === 'done');
    if (!op) return;
    if (op.isSent || op.step.state === 'running') noteRawOf(op, raw);
    else noteLanded(subject, (each) => each === field, 'theirs');
  }

  private markSent(subject: Subject, field: FieldDefinition): void {
    const op = lastEdit(subject, field, ({ step }) => step.state === 'done');
    if (op) op.isSent = true;
  }

  private forgetRaw(subject: Subject, field: FieldDefinition): void {
    const done = lastEdit(subject, field, ({ step }) => step.state === 'done');
    if (done) done.rawAfter = undefined;
  }

  /** Notes which edits a write has sent that has begun, because the user may edit their fields again before it ends. */
  private noteSent(subject: Subject): void {
    subject.sent.clear();
    for (const [field, value] of subject.record[CORE]?.sent ?? []) {
      noteBase(subject, field);
      const isSent = ({ step, after }: EditOp) => step.state === 'done' && isSame(after.value, value);
      const op = runningEdit(subject, field) ?? lastEdit(subject, field, isSent);
      if (!op) continue;
      op.isSent = true;
      subject.sent.set(field, op);
    }
  }

  // ── Records that come and go ──

  private noticePresence(record: InnerRecord, kind: RecordChange['kind'] | undefined): void {
    // All other changes leave a record where it is; most of them are edits.
    if (kind !== undefined && kind !== 'erasing' && kind !== 'restored' && kind !== 'erased') return;
    // An attempt of an erase has failed that an outbox keeps: the record is hidden again at once.
    if (kind === 'restored' && queuedWrite(record)?.erases) return;
    const known = this.presences.get(record);
    const before = known ?? (record.phantom ? 'absent' : 'present');
    if (record[CORE]?.erased) return this.noticeErased(record, before);
    const now = this.presenceOf(record, kind === 'erasing');
    if (now !== 'present' || known !== undefined || record.phantom) this.presences.set(record, now);
    if (before === now) return;
    if (kind === 'restored') return this.forgetRemoval(record);
    const queued = queuedWrite(record);
    // An outbox shows what was saved in another tab, or before the page was opened; a fork shows what its parent has.
    const isHeld = queued !== undefined || record[CORE]?.unconfirmed !== undefined;
    const isShown =
      before === 'absent' ? isHeld || this.records.copies?.pairOf(record) : now !== 'present' && queued?.erases;
    if (isShown || !this.taker.isRecording) return;
    const subject = this.subjectOf(record);
    const places = this.placesOf(record);
    const step = (kind === 'erasing' ? this.stepOfParent(record) : undefined) ?? this.taker.openStep();
    this.recordPlace(step, {
      kind: 'place',
      subject,
      step,
      from: before,
      to: now,
      places,
      isWritten: false,
      erased: undefined,
    });
  }

  /** Whether the session shows a record. No store hides one that only the session holds, such as that of a detail page, while it is erased. */
  private presenceOf(record: InnerRecord, isErasing: boolean = false): Presence {
    const isHidden = isErasing || this.records.isHidden(record);
    if (record.phantom) return isOwner(record, this.records) && !isHidden ? 'present' : 'absent';
    return isHidden ? 'removed' : 'present';
  }

  private recordPlace(step: Step, op: PlaceOp): void {
    const inStep = op.subject.ops.filter((each) => each.step === step);
    const earlier = inStep.find(({ kind }) => kind === 'place');
    if (earlier?.kind === 'place' && earlier.from === op.to) {
      // A record that came and went within a step leaves nothing to undo.
      for (const each of inStep) if (each === earlier || op.to === 'absent') step.delete(each);
    } else step.add(op);
    this.taker.stepChanged(step);
  }

  /** A record was erased. If the user has not removed it here, somebody else has erased it, and nothing of it can be undone. */
  private noticeErased(record: InnerRecord, before: Presence): void {
    this.presences.set(record, 'removed');
    this.edits.delete(record);
    const subject = this.subjects.get(record);
    if (!subject || before !== 'present') return;
    for (const op of [...subject.ops]) {
      op.step.delete(op);
      this.taker.stepChanged(op.step);
    }
  }

  /** The erase of a record has failed, so that there is no removal to undo. */
  private forgetRemoval(record: InnerRecord): void {
    const ops = this.subjects.get(record)?.ops ?? [];
    const removal = ops.findLast((op) => op.kind === 'place' && op.to !== 'present' && op.step.state === 'done');
    if (!removal) return;
    removal.step.delete(removal);
    this.taker.stepChanged(removal.step);
  }

  /** The step in which the user has removed the record to which another record refers, which is erased with it. */
  private stepOfParent(record: InnerRecord): Step | undefined {
    for (const [field, target] of referencesOf(record)) {
      const parent = this.records.ofModel(target).known(exactValue(record, field));
      const ops = parent && this.subjects.get(parent)?.ops;
      const removal = ops?.findLast((op) => op.kind === 'place' && op.to === 'removed' && op.step.state === 'done');
      if (removal) return removal.step;
    }
    return undefined;
  }

  private replaced(record: InnerRecord, stays: InnerRecord): void {
    if (record === stays) return;
    const edits = this.edits.get(record);
    if (edits) this.moving.set(stays, edits);
    this.subjects.replace(record, stays);
  }

  private subjectOf(record: InnerRecord): Subject {
    const subject = this.subjects.of(record);
    const store = this.records.holderOf(record);
    if (store) subject.store = new WeakRef(store);
    return subject;
  }
}

function shownBefore(record: InnerRecord, field: FieldDefinition, edits: Edited): FieldValue {
  if (edits.has(field)) return { isEdit: true, value: edits.get(field) };
  const value = field.embedding ? writtenIn(field, record[ROW]) : exactBase(record, field);
  return { isEdit: false, value };
}

/** The value of a field now. */
export function shownNow(record: InnerRecord, field: FieldDefinition): FieldValue {
  const edits = record[CORE]?.edits;
  if (!edits?.has(field)) return shownBefore(record, field, NO_EDITS);
  const value = edits.get(field);
  if (!field.embedding) return { isEdit: true, value };
  return { isEdit: true, value: writeEdits(record, new Map([[field, value]]), record[ROW], true).get(field) };
}

/**
 * Notes the value over which a write is sent, as that before the edit. It is another one than the user has seen if the row was read meanwhile, as
 * by `keepMine()` of a conflict: the write takes the value of somebody else away, and its opposite brings that back.
 */
function noteBase(subject: Subject, field: FieldDefinition): void {
  const { record, ownRow } = subject;
  // The value that the last write of the record has left is that of a step, which may be undone by a write that waits.
  const isOwn = ownRow && isSame(field.raw(ownRow), field.raw(record[ROW]));
  if (isOwn || runningEdit(subject, field)) return;
  const done = doneEdits(subject, field);
  // The steps before the one that began with the value of the row were saved earlier.
  const first = done.findLastIndex(({ before }) => !before.isEdit);
  const op = done[first];
  if (!op || done.slice(first).some(({ rawAfter }) => rawAfter)) return;
  const value = field.embedding ? writtenIn(field, record[ROW]) : exactBase(record, field);
  if (isSame(op.before.value, value)) return;
  op.before = { isEdit: false, value };
  op.step.changed();
}

/** The edits of fields have become values of the row, without a write. */
function noteLanded(subject: Subject, isField: (field: FieldDefinition) => boolean, how: EditOp['landed']): void {
  for (const op of subject.ops)
    if (op.kind === 'edit' && isField(op.field) && op.step.state === 'done' && !op.rawAfter) op.landed = how;
}

function runningEdit(subject: Subject, field: FieldDefinition): EditOp | undefined {
  return lastEdit(subject, field, (op) => op.step.state === 'running' && op.isWritten);
}

/** Notes what the server has after a write of an edit, or of its opposite. */
function noteRawOf(op: EditOp, raw: unknown): void {
  const { step, subject, field, before } = op;
  if (step.state !== 'running' || !step.isUndoing) {
    op.rawAfter = { raw };
    return;
  }
  op.rawBefore = { raw };
  // The edit before this one has its value on the server from now on, also if it was never saved by itself.
  const earlier = subject.ops.slice(0, subject.ops.indexOf(op));
  const previous = earlier.findLast((each): each is EditOp => each.kind === 'edit' && each.field === field);
  if (previous?.step.state !== 'done' || !previous.after.isEdit) return;
  if (isSame(previous.after.value, before.value)) previous.rawAfter = { raw };
}

/** The edits of a field that are done, the latest last. */
function doneEdits(subject: Subject, field: FieldDefinition): readonly EditOp[] {
  return subject.ops.filter((op): op is EditOp => op.kind === 'edit' && op.field === field && op.step.state === 'done');
}

function lastEdit(subject: Subject, field: FieldDefinition, test: (op: EditOp) => boolean): EditOp | undefined {
  return subject.ops.findLast((op): op is EditOp => op.kind === 'edit' && op.field === field && test(op));
}
