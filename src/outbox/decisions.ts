import { noteValues } from '../extension/row-notes.js';
import type { InnerRecord } from '../model/record.js';
import { coreOf } from '../model/record.js';
import { entryAt } from '../model/record-core.js';
import { didChange } from '../model/record-owner.js';
import { keepAsEdits } from '../model/settle.js';
import { ROW } from '../model/symbols.js';
import { MODEL } from '../operation/operation-record.js';
import { fieldOf } from './change-values.js';
import type { HeldRecord } from './held-record.js';
import { fieldsOfChange, partOf } from './known-changes.js';
import { OutboxError } from './outbox-error.js';
import { type LockContext, lockAndRead } from './record-locks.js';
import {
  isAgainstConflict,
  isInConflict,
  isUnanswered,
  type LoggedChange,
  type Progress,
  type StoredChange,
  UNSENT,
} from './stored-change.js';

/** The parts of an outbox that decisions about stored changes use. */
export interface DecisionContext extends LockContext {
  /** Whether this page may send: without locks, one page does. */
  maySend(): boolean;
  /** Called when a decision has changed what is stored of a record. */
  decided(held: HeldRecord): void;
}

/**
 * Decisions about stored changes that are not made by a response of the server. Each takes the lock of the record, and reads again what
 * is stored of it.
 */
export class Decisions {
  /** The number of decisions that are being stored. */
  active = 0;

  constructor(private readonly context: DecisionContext) {}

  /** Runs a decision about a record under its lock. */
  locked<T>(held: HeldRecord, decide: () => Promise<T>): Promise<T> {
    return this.counted(held, async () => {
      const release = await lockAndRead(this.context, [{ held }]);
      try {
        // The page that sends may be waiting for the response.
        const mayBeSending = held.changes.some(({ progress }) => progress.state === 'attempted');
        if (mayBeSending && !this.context.maySend()) throw new OutboxError('outbox-locks');
        return await decide();
      } finally {
        release();
      }
    });
  }

  private async counted<T>(held: HeldRecord, decide: () => Promise<T>): Promise<T> {
    const { log, screen } = this.context;
    this.active += 1;
    // A save that is stored meanwhile belongs to the same place, even if this decision leaves nothing there.
    held.changing += 1;
    try {
      return await decide();
    } finally {
      this.active -= 1;
      held.changing -= 1;
      this.context.decided(held);
      if (held.isUnused) screen.release(held);
      log.letGo(held);
    }
  }

  /** Gives changes of a record up. `type` is what became of them. If the storage fails, `surely` makes it be done later. */
  giveUp(
    held: HeldRecord,
    type: 'dropped' | 'sent',
    surely: boolean,
    which: (each: LoggedChange) => boolean = () => true,
  ): Promise<readonly LoggedChange[]> {
    const { log } = this.context;
    return this.locked(held, async () => {
      const group = held.changes.filter(which);
      const isCreate = group.some(({ change }) => change.action === 'create');
      const { record } = held;
      const row = type === 'sent' && record ? { row: record[ROW], notes: noteValues(record[ROW]) } : {};
      if (group.length > 0) await log.remove(held, group, type, { ...(isCreate && { id: null }), ...row }, surely);
      return group;
    });
  }

  /**
   * Gives changes up that were rejected. If nobody has begun to send them, this needs no lock: whoever sends them notes that first, which fails
   * when they are stored no longer. A write that has asked for the lock before would send them otherwise.
   */
  async withdraw(held: HeldRecord, changes: readonly LoggedChange[]): Promise<void> {
    const { log } = this.context;
    const isUnsent = () => changes.every((each) => held.changes.includes(each) && each.progress.state === 'queued');
    const isGivenUp = ({ key }: LoggedChange) => changes.some((each) => each.key === key);
    await this.counted(held, () =>
      log.withdraw(held, changes, isUnsent).catch(async () => {
        // It may have been withdrawn meanwhile.
        if (held.changes.some(isGivenUp)) await this.giveUp(held, 'dropped', true, isGivenUp);
      }),
    );
  }

  /** Gives a write up. A refused erase is given up alone: what was saved before it is sent. */
  drop(held: HeldRecord): Promise<readonly LoggedChange[]> {
    return this.giveUp(held, 'dropped', false, ({ change }) => !held.hasRefusedErase || change.action === 'destroy');
  }

  /** Queues what was refused or is unconfirmed again. A conflict is noted: the row is then read before it is sent. */
  async retry(held: HeldRecord): Promise<void> {
    await this.locked(held, async () => {
      if (held.changes.length === 0) throw new OutboxError('outbox-state');
      await this.requeue(held);
    });
  }

  /**
   * A newer save of a record: what was refused is sent with it, and an erase is cancelled. `decides`: it was called after the last attempt had
   * ended, so that it decides a conflict.
   */
  async renew(held: HeldRecord, decides: boolean): Promise<void> {
    const erases = held.changes.filter(({ change }) => change.action === 'destroy');
    const last = held.changes.at(-1);
    const isCancelled = erases.length > 0 && last?.change.action !== 'destroy';
    const isRefused = held.changes.length > 0 && held.changes.every(({ progress }) => progress.state === 'refused');
    if (!isCancelled && !isRefused && !held.changes.some(isInConflict)) return;
    await this.locked(held, async () => {
      if (isCancelled) {
        const isRefusedErase = erases.every(({ progress }) => progress.state === 'refused');
        await this.context.log.remove(held, erases, isRefusedErase ? 'refused' : 'dropped', {}, false);
        if (held.record) didChange(held.record, { kind: 'restored' });
      }
      await this.requeue(held, (each) => each.progress.state === 'refused' && (decides || !isInConflict(each)));
    });
  }

  /** The application says that an unconfirmed create was not done: it waits for the next save, and is another create then. */
  async notCreated(held: HeldRecord): Promise<void> {
    await this.locked(held, async () => {
      const open = held.changes.filter(({ progress }) => progress.state !== 'queued');
      await this.context.log.update(
        held,
        open.map((each) => [each, { state: 'refused', attempts: 0, error: each.progress.error }] as const),
      );
    });
  }

  /** The create of a record was found to be done: its record is settled with the row of the server. */
  async confirmed(held: HeldRecord, record: InnerRecord): Promise<void> {
    const { log, screen } = this.context;
    await this.locked(held, async () => {
      // Another tab may have confirmed the create meanwhile: what was saved after it is still to be sent.
      if (!held.changes.some(({ change }) => change.action === 'create')) return;
      const open = held.changes.filter(isUnanswered);
      const group = open.length > 0 ? open : held.changes.slice(0, 1);
      const [id, row] = [record[MODEL].serverId(record), record[ROW]];
      if (held.erases) screen.hide(record);
      await log.remove(held, group, 'sent', { id, row, notes: noteValues(row) }, true);
    });
  }

  /**
   * Takes what a failed `sync()` has stored out again, and restores what was stored before. `calledAt` is when the sync was called, on the
   * model's clock: a save that was called before it may have been stored after it.
   */
  async restore(
    held: HeldRecord,
    record: InnerRecord,
    before: readonly LoggedChange[],
    calledAt: number,
  ): Promise<void> {
    const { failure } = coreOf(record);
    if (failure) failure.queued = false;
    await this.locked(held, async () => {
      const { log } = this.context;
      const capturedAt = ({ own }: LoggedChange) => own?.change?.at ?? Number.POSITIVE_INFINITY;
      const isEarlierCall = (each: LoggedChange) => capturedAt(each) <= calledAt;
      const isBefore = (each: LoggedChange) => isEarlierCall(each) || before.some(({ key }) => key === each.key);
      const open = held.changes.filter(isUnanswered);
      if (open.some(({ change }) => change.action === 'create')) {
        // The server may have the record, so the create is not dropped, and not sent either.
        const error = failure?.toJSON();
        await log.update(
          held,
          open.map((each) => [each, { ...each.progress, state: 'unconfirmed', error }] as const),
        );
        return;
      }
      const core = coreOf(record);
      // A save that was called meanwhile is sent in its own turn, which may have begun.
      const isLater = (each: LoggedChange) => {
        const at = capturedAt(each);
        return core.change?.at === at || entryAt(core, at) !== undefined;
      };
      // A later save of a new record is stored as what it adds to the create: it needs that create, and asks for all of its values.
      const isNeeded = ({ change }: LoggedChange) => change.action === 'create' && held.changes.some(isLater);
      const own = held.changes.filter((each) => !isBefore(each) && !isLater(each) && !isNeeded(each));
      const wasErase = own.some(({ change }) => change.action === 'destroy');
      if (own.length > 0) await log.remove(held, own, 'dropped', {}, true);
      const progressOf = (each: LoggedChange): Progress =>
        before.find(({ key }) => key === each.key)?.progress ?? (isEarlierCall(each) ? each.progress : UNSENT);
      if (held.changes.length > 0)
        await log.update(
          held,
          held.changes.map((each) => [each, progressOf(each)] as const),
        );
      if (wasErase) didChange(record, { kind: 'restored' });
    });
  }

  /**
   * Stores again what a `sync()` has sent and undone: it waits as before. What the record shows in these fields was set later, and stays an
   * edit. Fields of saves that were stored meanwhile are left out: those saves are newer, and one of a new record creates it. Saves that were
   * stored as updates of a record whose create was undone need that create again.
   */
  async restoreUndone(held: HeldRecord, record: InnerRecord, undone: readonly LoggedChange[]): Promise<void> {
    const { log } = this.context;
    await this.locked(held, async () => {
      const again: Pick<LoggedChange, 'change' | 'progress'>[] = undone.flatMap((each) => {
        const change = withoutNewer(each.change, held.changes);
        return change ? [{ ...each, change }] : [];
      });
      const [firstSave] = held.changes;
      const hasCreate = [...held.changes, ...again].some(({ change }) => change.action === 'create');
      const create = held.known.createOf(record);
      if (firstSave && create && coreOf(record).phantom && !hasCreate) {
        const isRefused = held.changes.every(({ progress }) => progress.state === 'refused');
        again.unshift({ change: create, progress: isRefused ? firstSave.progress : UNSENT });
      }
      if (again.length === 0) return;
      const known = new Set(held.changes.map(({ key }) => key));
      await log.append(again.map(({ change }) => ({ held, own: { record, change: undefined }, make: () => change })));
      const added = held.changes.filter(({ key }) => !known.has(key));
      const refused = added.flatMap((each, at) => {
        const { state, error } = again[at]?.progress ?? UNSENT;
        return state === 'refused' ? [[each, { ...UNSENT, state, error }] as const] : [];
      });
      if (refused.length > 0) await log.update(held, refused);
      const names = again.flatMap(({ change }) => [...Object.keys(change.values), ...(change.cleared ?? [])]);
      keepAsEdits(
        record,
        names.map((name) => fieldOf(record[MODEL], name)),
      );
    });
  }

  private async requeue(
    held: HeldRecord,
    which: (each: LoggedChange) => boolean = ({ progress }) => progress.state !== 'queued',
  ): Promise<void> {
    const progress = held.changes.filter(which).map((each): readonly [LoggedChange, Progress] => {
      const { change, progress } = each;
      const { attempts, repeatable, slots, error, state } = progress;
      // By its decision, the application has said that a create was not done that cannot be repeated as it was.
      const isOpen = state === 'attempted' || (state === 'unconfirmed' && repeatable && !change.hasOwnRequest);
      if (isOpen) return [each, { state: 'attempted', attempts, repeatable, slots }];
      // An update that was aborted may have been done.
      const again = change.action === 'create' ? UNSENT : { ...UNSENT, attempts };
      return [each, isAgainstConflict(each) ? { ...again, error } : again];
    });
    if (progress.length > 0) await this.context.log.update(held, progress);
  }
}

/** The part of a change that no newer change writes again; undefined if there is none. */
function withoutNewer(change: StoredChange, newer: readonly LoggedChange[]): StoredChange | undefined {
  if (change.action === 'create') return newer.some((each) => each.change.action === 'create') ? undefined : change;
  if (change.action === 'destroy') return change;
  const names = new Set(newer.flatMap((each) => fieldsOfChange(each.change)));
  const left = partOf(change, (name) => !names.has(name));
  return fieldsOfChange(left).length > 0 ? left : undefined;
}
