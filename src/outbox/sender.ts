import { type DataError, isGone } from '../errors/data-error.js';
import { ValidationError } from '../errors/validation-error.js';
import { noteValues } from '../extension/row-notes.js';
import type { Outcome, SettledOutcome, Write, WriteStep } from '../extension/write-hook.js';
import { COMPARES, isRefusedRead, unsent } from '../extensions/unknown-tag.js';
import { type Change, changeWith, viewOf } from '../model/change.js';
import { randomUuid } from '../model/identifier.js';
import type { Model } from '../model/model.js';
import { writtenIn } from '../model/parts/wire-values.js';
import { readAgain } from '../model/read-again.js';
import { coreOf, type InnerRecord, withWritten } from '../model/record.js';
import { modelAndId } from '../model/record-error.js';
import { acceptNewer, nextTime, setNewer, settleNotSent, settleRead } from '../model/settle.js';
import { ROW } from '../model/symbols.js';
import { findIssues } from '../model/validate.js';
import { begin, isGivenUp, needsWholeRow, type RecordWrite, runSteps, sendOne, takenBack } from '../model/write.js';
import { Operation } from '../operation/operation.js';
import { MODEL } from '../operation/operation-record.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import { saysGone } from '../store/gone-record.js';
import type { Data } from '../util/data-path.js';
import { isSame } from '../util/values.js';
import { asSeen, changeOf, localRow, removesEdited, rowBefore, valuesBefore } from './change-values.js';
import { classifyEntry } from './classify-entry.js';
import type { HeldRecord } from './held-record.js';
import { type Job, nextJob, sentBy } from './next-job.js';
import { entryName } from './outbox-entry.js';
import { OutboxError } from './outbox-error.js';
import { type LockContext, lockAndRead } from './record-locks.js';
import {
  isAgainstConflict,
  isInConflict,
  isOne,
  isUnanswered,
  type LoggedChange,
  type Progress,
  UNSENT,
} from './stored-change.js';
import { errorData, revivedError } from './stored-error.js';
import { unsentError } from './unsent-error.js';

/** The parts and settings of an outbox that sending uses. */
export interface SendContext extends LockContext {
  readonly maxAttempts: number;
  isOnline(): boolean;
  /** Whether this page may send: without locks, one page does. */
  maySend(): boolean;
  /** Called when the changes of a record were sent, refused, or got no response. */
  ended(held: HeldRecord, end: WriteEnd): void;
  activityChanged(): void;
  /** Called when a write of a record has ended that found nothing to send. */
  unused(held: HeldRecord): void;
  reportProblem(error: unknown): void;
}

/** How sending changes has ended. */
export interface WriteEnd {
  readonly group: readonly LoggedChange[];
  readonly outcome: 'done' | 'queued' | 'never-connected' | 'unconfirmed' | 'failed';
  readonly error: DataError | undefined;
  readonly record: InnerRecord;
}

/** The place in the log of the changes that a write sends of a record. */
export interface StoredPlace {
  readonly held: HeldRecord;
  /** The key of the last change that the write sends: what was saved later is sent by its own call. */
  readonly upTo: number;
}

/** The part of a write that belongs to one record. */
interface Part extends StoredPlace {
  readonly record: InnerRecord;
  job: Job | undefined;
  change: Change | undefined;
  /** The error of the write that sent the change of this one with others, while this one waited, and was refused. */
  refusal: DataError | undefined;
  /** The progress before this attempt. */
  before: readonly (readonly [LoggedChange, Progress])[];
}

/** The part of a record of which the request is known. */
type ReadyPart = Part & { job: Job };

function partOf(place: StoredPlace, record: InnerRecord): Part {
  return { ...place, record, job: undefined, change: undefined, refusal: undefined, before: [] };
}

/** A write of an outbox, from its lock to its end. */
interface Run {
  readonly parts: readonly Part[];
  /** Whether the request may have been sent. */
  isSent: boolean;
  release: () => void;
}

const NOTHING_HELD = (): void => undefined;

/** Sends the stored changes of records: what is to be done is read from the storage under the lock of the record, and made of that alone. */
export class Sender {
  private readonly runs: WeakMap<Write, Run> = new WeakMap();
  /** The number of writes that have begun and not ended. */
  activeCount = 0;

  constructor(private readonly context: SendContext) {}

  /** Tells that a create is unconfirmed that was sent outside of this outbox. */
  tellUnconfirmed(held: HeldRecord, record: InnerRecord, error: DataError): void {
    this.context.ended(held, { group: held.changes, outcome: 'unconfirmed', error, record });
  }

  /** Whether a write has begun to send. */
  hasBegun(write: Write): boolean {
    return this.runs.has(write);
  }

  /** Lets the end of a write count for its stored change, although it has sent nothing yet: it reads a row first. */
  watch(write: Write, { held, upTo }: StoredPlace, record: InnerRecord): void {
    const group = held.changes.filter(({ key }) => key === upTo);
    const job: Job = { does: 'send', action: write.action, group, isRepeat: false };
    const part = partOf({ held, upTo: Number.POSITIVE_INFINITY }, record);
    this.begin(write, [Object.assign(part, { job, before: progressOf(group) })]).isSent = true;
  }

  /**
   * Runs a write of records whose changes are stored: locks the records, reads what is stored of them, stores that it is sent, and sends it.
   * How it has ended is stored by `settle`, when the records have settled.
   */
  async send(publicWrite: Write, given: readonly StoredPlace[], next: WriteStep): Promise<readonly Outcome[]> {
    const write = publicWrite as RecordWrite;
    const { log } = this.context;
    const begun = this.runs.get(write);
    // The steps of the write run again: its lock is held, and what it sends is known.
    if (begun?.parts[0]?.change) return this.request(write, begun, next);
    this.leave(write);
    const parts = given.map((place, at) => partOf(place, write.inner[at] as InnerRecord));
    const run = this.begin(write, parts);
    const name = modelAndId(write.inner[0] as InnerRecord);
    if (!this.context.isOnline()) throw unsentError('outbox-offline', name, new Error('offline'));
    if (!this.context.maySend()) throw unsentError('outbox-elsewhere', name, new Error('another page sends'));
    run.release = await lockAndRead(this.context, parts);
    for (const part of parts) part.job = this.repeatAsked(write, part) ?? log.jobOf(part.held, part.upTo);
    const ended: (Outcome | undefined)[] = [];
    for (const part of parts) {
      const failed = (error: DataError) => {
        if (parts.length === 1) throw error;
        return { error };
      };
      ended.push(await this.decide(write, part).catch(failed));
    }
    // The other records of the request are sent one by one.
    const alone = ({ record }: Part) =>
      unsentError('outbox-order', modelAndId(record), new Error('of the same request'));
    if (ended.some((each) => each)) return parts.map((part, at) => ended[at] ?? { error: alone(part) });
    for (const part of parts) await this.prepare(write, part as ReadyPart);
    const conflict = this.conflictIn(write, parts as readonly ReadyPart[]);
    if (conflict) return conflict;
    if (this.startsAnew(write, run)) return runSteps(write, sendOne);
    return this.request(write, run, next).catch((error: DataError) => {
      // The changes are stored no longer as they were read under the lock: the application has taken some back.
      if (error.code !== 'outbox-taken-over' || run.isSent) throw error;
      for (const { held } of parts) held.running = [];
      this.leave(write);
      return this.send(write, given, next);
    });
  }

  /**
   * The job of a save with which the application repeats an unconfirmed create: under its key it is the same create, without a key it is
   * a new one.
   */
  private repeatAsked(write: RecordWrite, { held }: Part): Job | undefined {
    const open = held.changes.filter(isUnanswered);
    if (write.action !== 'create' || write.options.stored || open[0]?.change.action !== 'create') return undefined;
    if (write.resend) return { does: 'send', action: 'create', group: open, isRepeat: true };
    const unsent = held.changes.map((each) => {
      return open.includes(each) ? { ...each, progress: { ...UNSENT, attempts: each.progress.attempts } } : each;
    });
    return write.repeat ? nextJob(unsent, this.context.log.idOf) : undefined;
  }

  /** Ends the write of a record if there is nothing to send, or something else than the write was made for. */
  private async decide(write: RecordWrite, part: Part): Promise<Outcome | undefined> {
    const { held, record, job } = part;
    const { log } = this.context;
    if (held.known.isDropped(record, part.upTo)) {
      if (!coreOf(record).unconfirmed) settleNotSent(record);
      return { error: takenBack(record, true) };
    }
    if (job?.does === 'send' && job.action === write.action && !(job.isRepeat && write.inner.length > 1))
      return undefined;
    if (job?.does === 'drop' && write.action === 'destroy') {
      await log.remove(held, job.group, 'dropped', { id: null }, false);
      return { row: undefined };
    }
    const { messages } = record[MODEL];
    const { model, key } = held;
    const name = entryName(held.first ?? job?.group[0]?.change ?? { model, key, action: 'update' });
    const isKnown = held.changes.some(({ progress }) => progress.state === 'unconfirmed') && !write.options.stored;
    if (job?.does === 'unconfirmed' || isKnown) {
      const error = new OutboxError('outbox-unconfirmed', { ...name }, { messages });
      if (job) await this.refuse(held, record, job, 'unconfirmed', error);
      this.context.screen.restoreState(held, record);
      throw error;
    }
    if (job?.does === 'refuse') {
      const [field] = job.parent as readonly [string, string];
      const error = new OutboxError('outbox-parent', { ...name, field, why: 'was never created' }, { messages });
      await this.refuse(held, record, job, 'refused', error);
      throw error;
    }
    const inConflict = held.changes.find(isInConflict);
    if (inConflict && !job) {
      part.refusal =
        held.error ??
        this.context.screen.conflictOf(held, record) ??
        revivedError(inConflict.progress.error, inConflict.change, false);
      throw part.refusal;
    }
    const isLeft = held.changes.some(({ progress }) => progress.state === 'queued' || progress.state === 'attempted');
    // The rest is sent in the same turn of the lane, or by the outbox.
    if (isLeft && !(job?.does === 'send' && write.inner.length === 1) && !write.options.stored)
      throw unsentError('outbox-order', { ...name }, held.error ?? new Error('it waits for another one'));
    const own = held.changes.find(({ key }) => key === part.upTo);
    if (own?.progress.state === 'refused') {
      const why = revivedError(own.progress.error, own.change, false);
      part.refusal = new OutboxError('outbox-refused', { ...name, why: why.message }, { cause: why, messages });
      throw part.refusal;
    }
    return { error: takenBack(record) };
  }

  /** Stores that a group needs a decision of the application, and tells it. */
  private async refuse(
    held: HeldRecord,
    record: InnerRecord,
    { group }: Job,
    state: 'unconfirmed' | 'refused',
    error: DataError,
  ): Promise<void> {
    const isRefused = state === 'refused';
    const progress = (each: LoggedChange): Progress => ({
      ...(isRefused ? UNSENT : each.progress),
      state,
      error: error.toJSON(),
    });
    await this.context.log.update(
      held,
      group.map((each) => [each, progress(each)] as const),
    );
    this.context.ended(held, { group, outcome: isRefused ? 'failed' : 'unconfirmed', error, record });
  }

  /** Makes what a record sends, from its stored changes. */
  private async prepare(write: RecordWrite, part: ReadyPart): Promise<void> {
    const { log, screen } = this.context;
    const { held, record, job } = part;
    const proxy = write.options.stored || job.isRepeat ? screen.proxyOf(held, job.group, write.proxy) : write.proxy;
    const live = job.group.flatMap(({ own }) => own?.change ?? []);
    screen.resolve(record, job.group);
    const { base, edited } = await this.baseOf(part, proxy, live.length === job.group.length ? live : []);
    const saved = write.innerChanges[write.inner.indexOf(record)];
    const change = changeOf(record, job, base, log.idOf, live, proxy);
    // A save that has added nothing to what is stored ends with the last of that.
    const isLast = job.group.at(-1)?.key === held.changes.at(-1)?.key;
    const savedAt = saved && isLast && held.known.keyOf(record, saved.at) === undefined ? saved.at : 0;
    part.change = changeWith(change, { seen: saved?.seen ?? edited, at: Math.max(change.at, savedAt) });
    part.before = held.changes.map((each) => [each, each.progress] as const);
    if (write.inner.length === 1) write.proxy = part.change.proxy ?? proxy;
    if (write.options.stored || job.isRepeat) Object.assign(write.operation, part.change.call);
    // Another tab or process may have made the earlier attempt, of which the record knows nothing.
    if (job.isRepeat && job.action !== 'create') write.operation.unclear = true;
    if (write.options.stored && !job.isRepeat && job.action !== 'destroy') {
      const issues = findIssues(viewOf(record, part.change), true);
      if (issues.length > 0) throw new ValidationError(issues);
    }
  }

  /**
   * The outcomes of a write that edits a line of a list which somebody else has removed, or removes one which was edited, unless the application
   * has decided that already. Nothing is sent. Undefined: the write does no such thing.
   */
  private conflictIn(write: RecordWrite, parts: readonly ReadyPart[]): readonly Outcome[] | undefined {
    const { idOf } = this.context.log;
    const isOpen = ({ record, job, change }: ReadyPart) =>
      job.action === 'update' &&
      !job.group.some(isAgainstConflict) &&
      removesEdited(record, job, (change as Change).base, idOf);
    const [part] = parts.filter(isOpen);
    if (!part) return undefined;
    const { record, job } = part;
    // Each record of a request with several ones is then sent alone.
    if (parts.length > 1)
      throw unsentError('outbox-order', modelAndId(record), new Error('a line was changed on the server'));
    const { base } = part.change as Change;
    const before = valuesBefore(record[MODEL], job.group);
    part.change = changeWith(part.change as Change, { seen: withWritten(base, before) });
    const { extensions = [] } = write.proxy as { readonly extensions?: readonly object[] };
    if (!extensions.some((each) => COMPARES in each)) return unsent(write, part.change, base);
    // The extension makes the error, with the calls that resolve it.
    setNewer(record, new Map([...(coreOf(record).newer ?? []), ...before]));
    return undefined;
  }

  /**
   * The row into which the values of a job are written. It is read from the server if it may have changed, and that matters. `edited`: the row
   * on which they were made, if somebody has changed an edited field since.
   */
  private async baseOf(
    { held: { isDecided }, record, job }: ReadyPart,
    proxy: DataProxy,
    live: readonly Change[],
  ): Promise<{ readonly base: Readonly<Data>; readonly edited?: Data }> {
    const { [MODEL]: model } = record;
    const { action, group } = job;
    if (action === 'create') return { base: localRow(model, live[0]?.base) };
    const [first] = group as readonly [LoggedChange];
    const { notes, rowVersion } = first.change;
    const id = first.change.id ?? this.context.log.idOf(first.change.key);
    const isKnown = !coreOf(record).incomplete && !coreOf(record).phantom;
    const known = coreOf(record).phantom ? rowBefore(model, group, id) : record[ROW];
    const isConflict = !isDecided && group.some((each) => isAgainstConflict(each) && !isInConflict(each));
    const makeChange = (base: Readonly<Data>) => changeOf(record, job, base, this.context.log.idOf, live, proxy);
    const isNeeded =
      isConflict ||
      (action === 'update' &&
        !isKnown &&
        needsWholeRow(proxy, new Operation({ action, records: [record] }), makeChange(known).written));
    const before = valuesBefore(model, group);
    const changedIn = (row: Readonly<Data>) => {
      const { written } = makeChange(row);
      return [...before].filter(([field, base]) => {
        const theirs = writtenIn(field, row);
        return !isSame(theirs, base) && !isSame(theirs, written.get(field));
      });
    };
    // Changes of another tab or process: this one may show another row than theirs.
    const isForeign = action === 'update' && live.length === 0 && !isDecided;
    const isCompared = isForeign && Boolean(notes ?? rowVersion);
    if (!isNeeded && !isCompared) {
      // Theirs had no version. Where rows have ETags, it is read before it is written, and compared with what was edited.
      const isNewer = isForeign && isKnown && changedIn(known).length > 0;
      return { base: known, ...(isNewer && { edited: asSeen(withWritten(known, before), { notes: {} }) }) };
    }
    const isTheirs = isKnown && isSame(known, { ...known, ...rowVersion }) && changedIn(known).length === 0;
    const read = isNeeded || !isTheirs ? this.readRow(record, proxy, action, isConflict) : known;
    const row = await Promise.resolve(read).catch((error: DataError) => {
      // Rows that are not read singly are sent on the condition of the row that was edited.
      if (isNeeded || !isRefusedRead(error)) throw error;
      return known;
    });
    if (!row) return { base: known };
    // The application has decided to write over the row.
    if (isConflict) acceptNewer(record, makeChange(row).edits.keys());
    const changed = isConflict || !isCompared ? [] : changedIn(row);
    if (changed.length === 0) return { base: row };
    setNewer(record, new Map([...(coreOf(record).newer ?? []), ...changed]));
    return { base: row, edited: asSeen(withWritten(row, before), first.change) };
  }

  /** Reads the row of a record, which the record then shows under its edits. Undefined: the record is gone, which the write will tell. */
  private async readRow(
    record: InnerRecord,
    proxy: DataProxy,
    action: Job['action'],
    mayBeGone: boolean,
  ): Promise<Data | undefined> {
    const startedAt = nextTime(record[MODEL]);
    try {
      const row = await readAgain(record, proxy, new Operation({ action, records: [record] }));
      settleRead(record, row, startedAt);
      return row;
    } catch (error) {
      if (mayBeGone && isGone(error)) return undefined;
      throw error;
    }
  }

  /**
   * Whether the steps of the write run anew with the state of the first attempt, which another tab or process may have made: extensions
   * have looked for a key of the create before the storage was read.
   */
  private startsAnew(write: RecordWrite, { parts: [part] }: Run): boolean {
    const { held, record, job, change } = part as Part;
    if (write.action !== 'create' || !(job?.isRepeat || write.resend)) return false;
    this.context.screen.restoreState(held, record, change);
    write.resend = false;
    write.repeatable = false;
    // The steps have captured what the call has saved, and must find the first attempt instead.
    write.innerChanges = [];
    write.captured = undefined;
    return true;
  }

  /** Stores that an attempt is made, and makes it. */
  private async request(write: RecordWrite, run: Run, next: WriteStep): Promise<readonly Outcome[]> {
    const { log } = this.context;
    for (const { job, record } of run.parts) {
      // The proxy sends no keys any more, by which the server could recognise the repeat.
      if (job?.isRepeat && job.group[0]?.progress.repeatable && write.action === 'create' && !write.repeatable)
        throw new OutboxError('outbox-unconfirmed', entryName(job.group[0].change), {
          messages: record[MODEL].messages,
        });
    }
    const isRepeatable = write.action === 'create' && write.inner.length === 1 && write.repeatable;
    for (const { held, record, job } of run.parts) {
      const slots = coreOf(record).slots;
      const kept = slots && slots.size > 0 ? Object.fromEntries(slots) : undefined;
      held.running = job?.group ?? [];
      const attempt = randomUuid();
      await log.update(
        held,
        (job ? sentBy(job) : []).map((each) => {
          const attempts = each.progress.attempts + 1;
          const repeatable = isRepeatable || undefined;
          return [each, { state: 'attempted', attempts, attempt, repeatable, slots: kept }] as const;
        }),
      );
      held.running = held.changes.filter((each) => held.running.some((one) => isOne(one, each)));
    }
    if (!write.resend)
      begin(
        write,
        run.parts.map(({ change }) => change as Change),
      );
    run.isSent = true;
    return erasedIfGone(write, await next(write));
  }

  /** Stores how a write has ended. */
  async settle(write: Write): Promise<void> {
    const run = this.runs.get(write);
    if (!run) return;
    this.runs.delete(write);
    for (const { held } of run.parts) held.isHandled = true;
    try {
      for (const [at, part] of run.parts.entries())
        await this.settlePart(write as RecordWrite, run, part, write.outcomes[at] as SettledOutcome);
    } finally {
      for (const { held } of run.parts) {
        held.running = [];
        held.activeWrites -= 1;
        this.context.log.letGo(held);
      }
      this.activeCount -= run.parts.length;
      run.release();
      this.context.activityChanged();
    }
  }

  private async settlePart(write: RecordWrite, run: Run, part: Part, outcome: SettledOutcome): Promise<void> {
    const { log, screen } = this.context;
    const { held, record, job } = part;
    const { error } = outcome;
    const core = coreOf(record);
    const hasNothingToSend = (error && isGivenUp(error)) || part.refusal || (job && job.does !== 'send');
    if (hasNothingToSend) return this.context.unused(held);
    // Changes that were dropped while they were in flight must not be stored again.
    const group = (job?.group ?? []).flatMap((each) => held.changes.find((one) => isOne(one, each)) ?? []);
    if (error?.code === 'outbox-unconfirmed') return this.giveUp(held, group, error, record);
    // Without a job, nothing was read of the record: the storage has failed, or this page may not send.
    const end = error && !job ? 'queued' : this.endOf(write, run, part, group, outcome);
    if (error && (end === 'queued' || end === 'never-connected') && (job ? group : held.changes).length > 0) {
      error.queued = true;
      noteKept(write, part);
    }
    if (end === 'never-connected' && run.isSent) settleNotSent(record);
    const progress = this.progressAfter(run, part, group, end, error);
    // Until the call has rejected, nobody was told.
    held.endedAt = Number.POSITIVE_INFINITY;
    try {
      if (end !== 'done') await log.updateSurely(held, progress);
      else if (group.length > 0) await this.removeSent(write, part, group);
    } catch (cause) {
      this.context.reportProblem(cause);
    }
    held.endedAt = record[MODEL].clock.now;
    this.context.ended(held, { group: job?.group ?? [], outcome: end, error, record });
    // The record is hidden in this tick: if it were shown even briefly, `sync()` would find its edits and save them.
    if (held.erases && !core.erased) screen.hide(record);
  }

  /** Decides about a group when its write has ended. */
  private endOf(
    { action, operation }: RecordWrite,
    { isSent }: Run,
    { held, record }: Part,
    group: readonly LoggedChange[],
    outcome: SettledOutcome,
  ): WriteEnd['outcome'] {
    const [first] = sentBy({ action, group });
    const { attempts = 0, repeatable } = first?.progress ?? {};
    if (!isSent) return classifyEntry({ action, repeatable, attempts: 1 }, outcome, false, 1, false);
    const isExhausted = held.refusals + 1 >= this.context.maxAttempts;
    const isUnconfirmed = Boolean(coreOf(record).unconfirmed);
    return classifyEntry({ action, repeatable, attempts }, outcome, isUnconfirmed, operation.attempts, isExhausted);
  }

  /** Removes what was sent, with the row of the response. Other records of the same row that have saved a part of it are settled too. */
  private async removeSent(
    { action }: RecordWrite,
    { held, record }: Part,
    group: readonly LoggedChange[],
  ): Promise<void> {
    const { log, screen } = this.context;
    const id = action === 'create' ? record[MODEL].serverId(record) : undefined;
    const row = action === 'destroy' ? undefined : record[ROW];
    const notes = row && noteValues(row);
    const others = new Set([...group.map(({ own }) => own), held].flatMap((each) => each?.record ?? []));
    const erased = action === 'destroy' || undefined;
    const sent = { type: 'sent', changes: group, tab: '', id, row, notes, erased } as const;
    const removed = log.remove(held, group, 'sent', { id, row, notes }, true);
    for (const other of others) if (other !== record) screen.show(held, [sent], [], other);
    await removed;
  }

  private async giveUp(
    held: HeldRecord,
    group: readonly LoggedChange[],
    error: DataError,
    record: InnerRecord,
  ): Promise<void> {
    const progress = group.map(
      (each) =>
        [each, { ...each.progress, repeatable: undefined, state: 'unconfirmed', error: errorData(error) }] as const,
    );
    await this.context.log.updateSurely(held, progress).catch(this.context.reportProblem);
    this.context.ended(held, { group, outcome: 'unconfirmed', error, record });
  }

  /** The progress of the changes of a group when its write has failed. */
  private progressAfter(
    { isSent }: Run,
    { before, record, job }: Part,
    group: readonly LoggedChange[],
    end: WriteEnd['outcome'],
    error: DataError | undefined,
  ): (readonly [LoggedChange, Progress])[] {
    const data = error && errorData(error);
    const sent = job ? sentBy({ ...job, group }) : group;
    const after = sent.map((each): readonly [LoggedChange, Progress] => {
      const was = before.find(([one]) => isOne(one, each))?.[1] ?? each.progress;
      if (end === 'never-connected' || (!isSent && end === 'queued')) return [each, was];
      if (end === 'queued') {
        const isOpen = Boolean(coreOf(record).unconfirmed);
        const attempts = isOpen || each.change.action !== 'create' ? each.progress.attempts : 0;
        return [each, { ...each.progress, attempts, state: isOpen ? 'attempted' : 'queued', error: was.error }];
      }
      if (end === 'unconfirmed') return [each, { ...each.progress, state: 'unconfirmed', error: data }];
      const attempts = job?.action === 'create' ? 0 : each.progress.attempts;
      return [each, { state: 'refused', attempts, error: data }];
    });
    return after.filter(([each, progress]) => progress !== each.progress);
  }

  private begin(write: Write, parts: readonly Part[]): Run {
    const run: Run = { parts, isSent: false, release: NOTHING_HELD };
    this.runs.set(write, run);
    for (const { held } of parts) held.activeWrites += 1;
    this.activeCount += parts.length;
    this.context.activityChanged();
    return run;
  }

  /** Ends the earlier start of a write that starts again. */
  private leave(write: Write): void {
    const run = this.runs.get(write);
    if (!run) return;
    this.runs.delete(write);
    for (const { held } of run.parts) held.activeWrites -= 1;
    this.activeCount -= run.parts.length;
    run.release();
  }
}

/** The outcomes of a write; an erase is done if the server says that it does not have the record any more. */
function erasedIfGone({ action, records }: RecordWrite, outcomes: readonly Outcome[]): readonly Outcome[] {
  if (action !== 'destroy') return outcomes;
  return outcomes.map((outcome, at) =>
    outcome.error && saysGone(outcome.error, records[at] as Model) ? { row: undefined } : outcome,
  );
}

function progressOf(group: readonly LoggedChange[]): (readonly [LoggedChange, Progress])[] {
  return group.map((each) => [each, each.progress] as const);
}

/** Notes up to which change the saves of a record have told that they are kept. */
function noteKept({ action, options }: RecordWrite, { held, upTo }: Part): void {
  if (options.stored) return;
  // The saves that wait behind a create end with its error.
  const told = action === 'create' ? Number.POSITIVE_INFINITY : upTo;
  held.keptUpTo = Math.max(held.keptUpTo, Math.min(told, held.changes.at(-1)?.key ?? 0));
}
