import { historyMessages } from '../dev/texts.js';
import { ConflictError, type FieldConflict } from '../errors/conflict-error.js';
import type { DataError } from '../errors/data-error.js';
import { UnansweredError } from '../errors/request-errors.js';
import { responseOf } from '../http/http-response.js';
import { copyFieldValue, type GivenValues } from '../model/change.js';
import { copyOf, copyWith } from '../model/copy-of.js';
import { type FieldDefinition, isAlikeRaw } from '../model/field-definition.js';
import type { Model } from '../model/model.js';
import { referencesOf } from '../model/parts/reference-fields.js';
import { queuedWrite } from '../model/queued-write.js';
import { loadRecord } from '../model/read.js';
import { coreOf, exactValue, type InnerRecord, inner, reject, setField } from '../model/record.js';
import { modelAndId } from '../model/record-error.js';
import { isOwner } from '../model/record-owner.js';
import { CORE, ROW } from '../model/symbols.js';
import { captureSave, saveRecord } from '../model/write.js';
import type { AnyId } from '../operation/actions.js';
import { MODEL } from '../operation/operation-record.js';
import { willBeConditional } from '../operation/proxy-request.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import type { SyncSource } from '../store/sync-job.js';
import { syncSources } from '../store/syncer.js';
import { setWritten } from '../sync/apply-changes.js';
import type { InnerSession } from '../sync/inner-session.js';
import { isSame, sealed } from '../util/values.js';
import type { EditOp, FieldValue, KnownRaw, Op, Place, PlaceOp, Presence, Step, Subject } from './step.js';
import { type Recorder, shownNow } from './step-recorder.js';
import type { Subjects } from './subjects.js';

interface RunSettings {
  readonly isUndo: boolean;
  /** Whether it writes over what others have changed. */
  readonly overwrites: boolean;
  /** Runs a function whose changes are no steps of the user. */
  readonly quietly: (work: () => void) => void;
}

/** The unsaved values of fields that stay edits over what is written. */
type Typed = Map<EditOp, unknown>;

/** Undoes a step, or does it again. */
export class StepRun {
  /** The changes that were not undone, or not done again. */
  readonly failed: Set<Op> = new Set();
  readonly whenQueued: Promise<void>;
  private readonly ops: readonly Op[];
  /** The erases that were taken back before they were sent: doing them again erases anew. */
  private readonly withdrawn: Set<Op> = new Set();
  private readonly errors: DataError[] = [];
  private tellQueued: () => void = () => undefined;

  constructor(
    private readonly session: InnerSession,
    private readonly subjects: Subjects,
    private readonly recorder: Recorder,
    step: Step,
    private readonly settings: RunSettings,
  ) {
    this.ops = settings.isUndo ? [...step.ops].reverse() : [...step.ops];
    this.whenQueued = new Promise((resolve) => (this.tellQueued = resolve));
  }

  /** Whether the session is a fork, whose records cannot be written. */
  private get isFork(): boolean {
    return this.session.records.copies !== undefined;
  }

  get size(): number {
    return this.ops.length;
  }

  /** Whether nothing has to be written, and nothing is being written. */
  get isLocal(): boolean {
    return !this.ops.some((op) => this.isBusy(op) || this.writes(op) || this.withdraws(op));
  }

  /** Applies a step without a write. Returns the errors of changes that could not be applied. */
  applyNow(): readonly DataError[] {
    this.settings.quietly(() => {
      for (const op of this.ops) {
        this.begin(op, false);
        this.attempt(op, () => this.apply(op, false));
      }
    });
    return this.errors;
  }

  /** Applies a step, and writes what was saved of it. Never rejects. Returns the errors. */
  async write(): Promise<readonly DataError[]> {
    try {
      const written = await this.prepare();
      const conflicts = this.settings.overwrites ? [] : this.conflicts(written);
      if (conflicts.length > 0) return this.failAll(conflicts);
      await this.send(written);
    } catch (error) {
      return this.failAll([error as DataError]);
    }
    return this.errors;
  }

  private failAll(errors: readonly DataError[]): readonly DataError[] {
    for (const op of this.ops) this.failed.add(op);
    return errors;
  }

  // ── Before the write ──

  /** Waits for writes in flight, and reads rows that have no version. Returns the changes that have to be written. */
  private async prepare(): Promise<ReadonlySet<Op>> {
    for (;;) {
      const busy = this.ops.filter((op) => this.isBusy(op));
      if (busy.length === 0) break;
      await Promise.all(busy.map(({ subject }) => coreOf(subject.record).whenEnded(undefined)));
    }
    for (const op of this.ops) if (this.withdraws(op)) await this.withdraw(op);
    const written = new Set(this.ops.filter((op) => this.writes(op)));
    const unguarded = new Set([...written].filter((op) => this.mustRead(op)).map(({ subject }) => subject.record));
    await Promise.all([...unguarded].map((record) => this.read(record)));
    return written;
  }

  /** Whether a write of the record of a change is in flight. An outbox orders its writes by itself. */
  private isBusy({ subject: { record } }: Op): boolean {
    const core = record[CORE];
    return Boolean(core?.busy) && !core?.erased && !queuedWrite(record);
  }

  /** Whether the server, or an outbox, has what a change has done, so that a write undoes it. */
  private writes(op: Op): boolean {
    if (this.isFork) return false;
    const { record } = op.subject;
    if (!this.settings.isUndo) {
      // A record that is on the server still, because its queued erase was withdrawn, is not made again.
      const isThere = op.kind === 'place' && op.to === 'present' && !isErased(record) && !record.phantom;
      return op.isWritten && !isThere && !(op.kind === 'edit' && op.isUnsaved);
    }
    if (op.kind === 'place' && op.to === 'present') return op.from === 'absent' && isOnServer(record);
    // A new record was on the server before a write has undone its creation.
    if (op.kind === 'place') return isErased(record) || (record.phantom && op.isWritten && !queuedWrite(record));
    if (!op.field.persist || !op.after.isEdit || !isOnServer(record)) return false;
    const core = record[CORE];
    if (op.landed && !op.rawAfter) return false;
    if (op.rawAfter || !core?.edits?.has(op.field)) return true;
    return core.below(op.field) !== undefined || (queuedWrite(record)?.holds(op.field.name) ?? false);
  }

  /** Whether a change shows a record whose erase an outbox has not sent yet: the erase is withdrawn. */
  private withdraws(op: Op): boolean {
    if (op.kind !== 'place' || this.target(op) !== 'present') return false;
    const { record } = op.subject;
    return !isErased(record) && (queuedWrite(record)?.erases ?? false);
  }

  private async withdraw(op: Op): Promise<void> {
    const { record } = op.subject;
    await record[CORE]?.keeper?.withdrawErase(record);
    if (!isErased(record)) this.withdrawn.add(op);
  }

  /** Whether the server would not notice that somebody else has changed the row. */
  private mustRead(op: Op): boolean {
    const { record } = op.subject;
    if (isErased(record) || record.phantom || queuedWrite(record)) return false;
    const action = op.kind === 'edit' ? 'update' : 'destroy';
    return this.settings.overwrites || !willBeConditional(record, action, this.proxyOf(record));
  }

  private async read(record: InnerRecord): Promise<void> {
    try {
      // A read with headers of its own is sent without `If-None-Match`, so that the response holds the row.
      await loadRecord(record, { headers: {}, proxy: this.proxyOf(record) });
    } catch (error) {
      // The outbox sends the write later, and the server may refuse it then.
      if (!(error instanceof UnansweredError && this.proxyOf(record).hooks.keeper)) throw error;
    }
  }

  private conflicts(written: ReadonlySet<Op>): ConflictError[] {
    const found = new Map<InnerRecord, FieldConflict[]>();
    for (const op of written) {
      const { record } = op.subject;
      if (isErased(record) || queuedWrite(record)) continue;
      const fields = op.kind === 'edit' ? this.editConflict(op) : rowConflicts(op);
      if (fields.length > 0) found.set(record, [...(found.get(record) ?? []), ...fields]);
    }
    return [...found].map(([record, fields]) => this.conflictOf(record, fields));
  }

  private editConflict(op: EditOp): FieldConflict[] {
    const { field, subject, before, after } = op;
    const { isUndo } = this.settings;
    const known: KnownRaw | undefined = isUndo ? op.rawAfter : op.rawBefore;
    const theirs = field.raw(subject.record[ROW]);
    const { value: mine } = isUndo ? before : after;
    // The server may have the value already that is to be written.
    const isDone = !field.embedding && isSame(field.read(theirs), mine);
    if (!known || isDone || isAlikeRaw(field, known.raw, theirs)) return [];
    return [{ field: field.name, base: read(field, known.raw), mine: sealed(mine), theirs: read(field, theirs) }];
  }

  private conflictOf(record: InnerRecord, fields: readonly FieldConflict[]): ConflictError {
    const { isUndo } = this.settings;
    const words = isUndo ? { done: 'undone', call: 'undo' } : { done: 'done again', call: 'redo' };
    const names = fields.map(({ field }) => field).join(', ');
    const base = Object.fromEntries(fields.map((each) => [each.field, each.base]));
    const mine = Object.fromEntries(fields.map((each) => [each.field, each.mine]));
    // Nothing was sent: this is the response that a server gives to a write over a newer row.
    const raw = new Response(null, { status: 409 });
    const { status, headers } = raw;
    const response = responseOf({ value: undefined, long: false }, '', {
      status,
      headers,
      url: '',
      redirected: false,
      raw,
    });
    const error = new ConflictError(
      'history-conflict',
      { ...modelAndId(record), fields: names, ...words },
      { base, mine, theirs: record[ROW], response, messages: historyMessages },
    );
    return Object.assign(error, { fields });
  }

  // ── The write ──

  private async send(written: ReadonlySet<Op>): Promise<void> {
    const source = this.session.syncSource();
    const updates = new Map<InnerRecord, EditOp[]>();
    const creates = new Map<Model, PlaceOp>();
    const destroys = new Map<Model, PlaceOp>();
    const typed: Typed = new Map();
    this.settings.quietly(() => {
      for (const op of this.ops) {
        const isWritten = written.has(op);
        this.begin(op, isWritten || this.withdrawn.has(op));
        this.attempt(op, () => {
          if (op.kind === 'edit' && isWritten) this.keepTyped(op, typed);
          const isErase = op.kind === 'place' && this.target(op) !== 'present';
          this.apply(op, isWritten);
          if (!isWritten || this.failed.has(op)) return;
          const { record } = op.subject;
          if (op.kind === 'edit') updates.set(record, [...(updates.get(record) ?? []), op]);
          else (isErase ? destroys : creates).set(record, op);
        });
      }
      for (const record of creates.keys()) this.followIds(inner(record));
    });
    const saves = [...updates].map(([record, ops]) => this.save(record, ops, typed, source));
    const synced = creates.size + destroys.size > 0 ? this.sync(creates, destroys, source) : undefined;
    this.noticeQueued([...updates.values(), ...creates.values(), ...destroys.values()].flat());
    await Promise.all([...saves, synced]);
  }

  /** Saves the fields that were set back, and no other edit of the record. */
  private async save(
    record: InnerRecord,
    ops: readonly EditOp[],
    typed: Typed,
    source: SyncSource<Model>,
  ): Promise<void> {
    const present = coreOf(record).edits;
    const fields = ops.map(({ field }) => field).filter((field) => present?.has(field));
    if (fields.length === 0) return;
    try {
      const proxy = source.proxyOf(record);
      const edits = new Map(fields.map((field) => [field, copyFieldValue(field, present?.get(field))]));
      const given: GivenValues = { edits, live: new Map(present) };
      const captured = captureSave(record, proxy, undefined, false, given);
      const saved = saveRecord(record, { ...captured, proxy });
      this.settings.quietly(() => {
        for (const op of ops) if (typed.has(op)) setTo(record, op.field, typed.get(op));
      });
      await saved;
    } catch (error) {
      if (fields.every((field) => queuedWrite(record)?.holds(field.name))) return;
      this.fail(error as DataError, ops);
      this.settings.quietly(() => {
        for (const op of ops) this.takeBack(op);
      });
    }
  }

  /** Creates and erases records in the order of their references. */
  private async sync(
    creates: ReadonlyMap<Model, PlaceOp>,
    destroys: ReadonlyMap<Model, PlaceOp>,
    source: SyncSource<Model>,
  ): Promise<void> {
    const jobs = { create: [...creates.keys()], update: [], destroy: [...destroys.keys()] };
    // An outbox has the create of a new record that the session does not hold any more: it ends before this step does.
    const isQueued = (record: Model) => record.phantom && this.session.records.holderOf(record) === undefined;
    const stillWants: SyncSource<Model>['stillWants'] = (record, action) =>
      source.stillWants(record, action) || (action === 'destroy' && isQueued(record));
    const { outcomes } = await syncSources([{ ...source, stillWants, pending: () => jobs }]);
    for (const { record, error } of outcomes) {
      const op = creates.get(record) ?? destroys.get(record);
      const queued = queuedWrite(inner(record));
      const isKept = creates.has(record) ? queued !== undefined : queued?.erases;
      if (!error || !op || isKept) continue;
      this.fail(error, [op]);
      this.settings.quietly(() => this.takeBack(op));
    }
  }

  private fail(error: DataError, ops: readonly Op[]): void {
    this.errors.push(error);
    for (const op of ops) this.failed.add(op);
  }

  /** Tells as soon as an outbox has all writes: further steps need not wait until they are sent. */
  private noticeQueued(written: readonly Op[]): void {
    if (!written.some(({ subject }) => this.proxyOf(subject.record).hooks.keeper)) return;
    // An outbox may keep earlier writes of the record.
    const isQueued = (op: Op) => {
      const { record } = op.subject;
      const queued = queuedWrite(record);
      if (op.kind === 'place' && this.target(op) !== 'present') return isErased(record) || queued?.erases;
      return !record[CORE]?.busy || (op.kind === 'edit' ? queued?.holds(op.field.name) : queued !== undefined);
    };
    const stops: (() => void)[] = [];
    const check = () => {
      if (!written.every(isQueued)) return;
      for (const stop of stops.splice(0)) stop();
      this.tellQueued();
    };
    for (const { subject } of written) stops.push(subject.record.$.state.subscribe(check));
    check();
  }

  // ── Changes of records ──

  private begin(op: Op, isWritten: boolean): void {
    op.isWritten = isWritten;
    if (op.kind !== 'edit') return;
    if (!this.settings.isUndo) {
      // It is an edit again until it is saved.
      op.isUnsaved = false;
      if (!isWritten) Object.assign(op, { rawAfter: undefined, isSent: false });
    }
  }

  /** Keeps an unsaved edit of another origin, which the user may have made while the run waited: it stays an edit over what is written. */
  private keepTyped(op: EditOp, typed: Typed): void {
    const { record } = op.subject;
    const now = shownNow(record, op.field);
    if (!now.isEdit || queuedWrite(record)?.holds(op.field.name)) return;
    if (!this.stands(op, this.settings.isUndo ? op.after : op.before)) typed.set(op, now.value);
    else if (this.settings.isUndo) op.isUnsaved = true;
  }

  /** Whether a record shows a value of a change now. */
  private stands({ subject: { record }, field }: EditOp, { value }: FieldValue): boolean {
    return isSame(shownNow(record, field).value, this.subjects.present(record, field, value));
  }

  /** Applies a change; if that throws, the change has failed. */
  private attempt(op: Op, apply: () => void): void {
    try {
      apply();
    } catch (error) {
      this.fail(error as DataError, [op]);
    }
  }

  private target(op: PlaceOp): Presence {
    return this.settings.isUndo ? op.from : op.to;
  }

  private apply(op: Op, isWritten: boolean): void {
    const { isUndo } = this.settings;
    if (op.kind === 'edit') this.applyEdit(op, isUndo ? op.before : op.after, isWritten);
    else if (this.target(op) === 'present') this.show(op);
    else {
      const { record } = op.subject;
      op.places = this.recorder.placesOf(record);
      if (!isErased(record)) this.session.records.remove(record);
    }
  }

  private applyEdit(op: EditOp, { isEdit, value }: FieldValue, isWritten: boolean): void {
    const { subject, field, landed } = op;
    const { record } = subject;
    if (isErased(record)) return;
    const core = record[CORE];
    const isEdited = core?.edits?.has(field) ?? false;
    // A value that the server may have after all has to be written over.
    const isUncertain = core?.unconfirmedFields?.has(field) || queuedWrite(record)?.holds(field.name);
    if (!isEdit && !isWritten && !record.phantom && !isUncertain && landed !== 'commit') {
      if (isEdited) return reject(record, [field.name]);
      // Nothing of the edit is left, and nothing of it was saved.
      if (!this.isFork) return;
    }
    this.keepInStore(subject);
    setTo(record, field, this.subjects.present(record, field, value));
  }

  /** Takes a change back that could not be written. */
  private takeBack(op: Op): void {
    const { record } = op.subject;
    if (op.kind === 'edit') {
      const value = this.settings.isUndo ? op.after : op.before;
      const isStill =
        record[CORE]?.edits?.has(op.field) && this.stands(op, this.settings.isUndo ? op.before : op.after);
      // A value that the user has typed over it meanwhile stays.
      if (isErased(record) || !isStill) return;
      if (queuedWrite(record)) setTo(record, op.field, this.subjects.present(record, op.field, value.value));
      else reject(record, [op.field.name]);
    } else if (this.target(op) !== 'present') this.session.records.restore(record);
    // The server may have made a record whose create got no response: it stays, as after any such save.
    else if (!record[CORE]?.unconfirmed) {
      this.session.records.remove(record);
      if (op.erased) this.subjects.takeBack(op.subject, op.erased);
    }
  }

  /** Shows a record again: takes its removal back, adds it again, or makes a new one of the values that it had when it was erased. */
  private show(op: PlaceOp): void {
    const { subject } = op;
    const { record } = subject;
    const { records } = this.session;
    op.erased = undefined;
    if (!isErased(record)) {
      if (isOwner(record, records) && records.isHidden(record)) records.restore(record);
      else this.place(record, op.places);
      return;
    }
    const created = this.recreated(record);
    op.erased = record;
    this.subjects.recreate(subject, created);
    this.place(created, op.places);
  }

  /** A new record with the values of one that was erased. It has the same id where ids are made here, else the server gives it another one. */
  private recreated(record: InnerRecord): InnerRecord {
    const { naturalId, idParts } = record[MODEL];
    const keepsId = naturalId || idParts !== undefined || this.proxyOf(record).writer.writeRecordId;
    // Under the same id, the server may still know the rows inside by theirs.
    return inner(keepsId ? copyWith(record, record[MODEL].serverId(record) as AnyId, copyFieldValue) : copyOf(record));
  }

  /** Gives the fields of a new record that refer to others the ids that these have now. */
  private followIds(record: InnerRecord): void {
    for (const [field] of referencesOf(record)) {
      const value = exactValue(record, field);
      const present = this.subjects.present(record, field, value);
      if (!isSame(present, value)) setField(record, field, present);
    }
  }

  private place(record: InnerRecord, known: readonly Place[]): void {
    const { records } = this.session;
    const store = this.subjects.get(record)?.store;
    const places = known.length === 0 && store ? [{ store, rank: undefined }] : known;
    const open = places.flatMap(({ store, rank }) => {
      const held = store.deref();
      return held && records.stores.includes(held) && !held.recordSet.holds(record) ? [{ store: held, rank }] : [];
    });
    if (open.length === 0) {
      records.ofRecord(record).checkIds([record]);
      return records.ofRecord(record).adopt(record);
    }
    for (const { store, rank } of open) {
      const { recordSet } = store;
      recordSet.observers.tell('checkAdded', [record]);
      const next = rank === undefined ? undefined : recordSet.inPlace().find((each) => recordSet.rank(each) > rank);
      recordSet.insert(next, [record]);
    }
  }

  /** Gives a record that is on no page any more back to its store, which keeps it as long as it has edits. */
  private keepInStore({ record, store }: Subject): void {
    const held = store?.deref();
    const { records } = this.session;
    if (held && records.stores.includes(held) && records.holderOf(record) === undefined && !record.phantom)
      held.recordSet.addOffPage(record);
  }

  private proxyOf(record: InnerRecord): DataProxy {
    const { records } = this.session;
    const holder = records.holderOf(record) ?? this.subjects.get(record)?.store?.deref();
    return holder?.proxy ?? records.proxyOf(record);
  }
}

/** Sets a field to an exact value; embedded records to their JSON form. */
function setTo(record: InnerRecord, field: FieldDefinition, value: unknown): void {
  const before = field.embedding ? shownNow(record, field).value : undefined;
  if (field.embedding) setWritten(record, field, { before, mine: value, path: field.name, isDecided: () => false });
  else setField(record, field, value);
}

/** The fields of a row that somebody else has changed since the last write of its record. */
function rowConflicts({ subject: { record, ownRow } }: PlaceOp): FieldConflict[] {
  if (!ownRow) return [];
  return record[MODEL].fields.flatMap((field) => {
    const [base, theirs] = [field.raw(ownRow), field.raw(record[ROW])];
    if (!field.persist || isAlikeRaw(field, base, theirs)) return [];
    return [{ field: field.name, base: read(field, base), mine: undefined, theirs: read(field, theirs) }];
  });
}

function isErased(record: InnerRecord): boolean {
  return record[CORE]?.erased ?? false;
}

/** Whether the server has a record, or an outbox sends its create. */
function isOnServer(record: InnerRecord): boolean {
  return !isErased(record) && (!record.phantom || queuedWrite(record) !== undefined);
}

function read(field: FieldDefinition, raw: unknown): unknown {
  return sealed(field.read(raw));
}
