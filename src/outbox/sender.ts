import type { DataError } from '../errors/data-error.js';
import { commit, coreOf } from '../model/record.js';
import { settleErased } from '../model/settle.js';
import { eraseRecord, saveRecord } from '../model/write.js';
import type { Operation } from '../operation/operation.js';
import { type BackoffSettings, scheduleRetry } from './backoff.js';
import { classifyEntry, type EntryOutcome } from './classify-entry.js';
import { entryEdits, holdsEntry } from './entry-records.js';
import type { Journal } from './journal.js';
import type { Connection } from './outbox-config.js';
import type { OutboxEntry } from './outbox-entry.js';
import { type Item, lockName, type Queue } from './queue.js';
import type { RecordLocks } from './record-locks.js';
import { refreshBeforeWrite } from './refresh-before-write.js';

/** The parts and settings of an outbox that its sender uses. */
export interface SenderContext extends BackoffSettings {
  readonly queue: Queue;
  readonly locks: RecordLocks;
  readonly journal: Journal;
  readonly connection: Connection;
  readonly concurrency: number;
  /** Marks a write as failed or unconfirmed, so that it is not sent again by itself. */
  fail(item: Item, outcome: EntryOutcome, error: DataError): Promise<void>;
  reportProblem(error: unknown): void;
}

/** Sends the queued writes: several records at a time, and the writes of each record in their order. */
export class Sender {
  isStarted: boolean = false;
  private activeCount = 0;
  private stopTimer: (() => void) | undefined = undefined;
  private readonly stopOnline: () => void;
  /** Resolves the promises of `flush()`. */
  private readonly flushWaiters: Set<() => void> = new Set();
  /** Resolves the promises of `drained()`. */
  private readonly drainWaiters: Set<() => void> = new Set();
  private isStopped = false;
  /** When the timer calls `pump()` next, in milliseconds since 1970. */
  private nextAt = Number.POSITIVE_INFINITY;

  constructor(private readonly context: SenderContext) {
    this.stopOnline = context.connection.onOnline(() => this.sendAllNow());
  }

  /** Sends the writes that are due, and starts a timer for the next one. */
  pump(): void {
    const { context, flushWaiters } = this;
    if (this.isStopped) return;
    this.stopTimer?.();
    this.stopTimer = undefined;
    this.nextAt = Number.POSITIVE_INFINITY;
    if (!(this.isStarted || flushWaiters.size > 0) || !context.connection.online) return this.resolveWaiters();
    const now = context.clock.now();
    const recordsBefore = new Set<string>();
    let nextDue = Number.POSITIVE_INFINITY;
    for (const item of context.queue.items.values()) {
      if (this.activeCount >= context.concurrency) return;
      if (!this.isReady(item)) continue;
      const name = lockName(item.entry);
      // Only the first write of a record may be sent; the others wait behind it.
      const isFirst = !recordsBefore.has(name);
      recordsBefore.add(name);
      if (!isFirst || item.sending || item.activeWrites > 0 || (item.record && coreOf(item.record).busy)) continue;
      // If the clock was set back, the write must not wait longer than its backoff.
      item.dueAt = Math.min(item.dueAt, now + item.wait);
      if (item.dueAt > now) nextDue = Math.min(nextDue, item.dueAt);
      else void this.send(item);
    }
    this.nextAt = nextDue;
    if (nextDue < Number.POSITIVE_INFINITY)
      this.stopTimer = context.clock.after(Math.min(nextDue - now, 2 ** 31 - 1), () => this.pump());
    this.resolveWaiters();
  }

  /** Makes all queued writes due now, and sends them. */
  sendAllNow(): void {
    for (const item of this.context.queue.items.values()) {
      item.dueAt = 0;
      // A write in flight may have been sent before the network was back, so it is repeated at once if it fails.
      item.retryAtOnce = item.activeWrites > 0 || item.sending !== undefined;
    }
    this.pump();
  }

  /** Sends all queued writes once. Resolves when each has been tried. */
  flush(): Promise<void> {
    return new Promise((resolve) => {
      this.flushWaiters.add(resolve);
      this.sendAllNow();
    });
  }

  /** Resolves when no write is queued. */
  drained(): Promise<void> {
    return new Promise((resolve) => {
      this.drainWaiters.add(resolve);
      this.resolveWaiters();
    });
  }

  /** Sends a write, or joins the attempt that is running. Never rejects. */
  send(item: Item): Promise<void> {
    item.sending ??= this.sendLocked(item);
    return item.sending;
  }

  /** Sets the wait of a write that failed temporarily. */
  postpone(item: Item, error: DataError | undefined): void {
    scheduleRetry(item, error, this.context);
    // `pump` looks at every queued write, which is slow for thousands of them, so it is called only if the timer must change.
    if (item.dueAt > this.context.clock.now() && item.dueAt >= this.nextAt && this.flushWaiters.size === 0)
      this.resolveWaiters();
    else this.pumpAfter(item);
  }

  /** Calls `pump` when no write of the item's record is in flight any more. */
  pumpAfter({ record }: Item): void {
    void Promise.resolve(record && coreOf(record).lane.whenEnded(undefined)).then(() => this.pump());
  }

  /** Stops sending for good. Resolves when the writes in flight have ended. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.stopTimer?.();
    this.stopOnline();
    for (const item of this.context.queue.items.values()) {
      await item.sending;
      // A write that a record or store sends is not in `item.sending`.
      if (item.record && coreOf(item.record).busy) await coreOf(item.record).lane.whenEnded(undefined);
    }
    for (const resolve of [...this.flushWaiters, ...this.drainWaiters]) resolve();
  }

  /** Why a write cannot be sent yet: the state of a new record that it refers to. Undefined: it can be sent. */
  blockOf({ entry }: Item): { field: string; key: string; why: 'waits' | 'failed' | 'gone' } | undefined {
    for (const [field, key] of Object.entries(entry.dependsOn)) {
      // A reference that was saved after the create was first sent delays only the update that follows, not the repeated create.
      if (entry.attempts > 0 && Object.hasOwn(entry.later ?? {}, field)) continue;
      const parent = this.context.queue.get(key);
      if (!parent) return { field, key, why: 'gone' };
      const isStuck = parent.entry.state !== 'queued' || ['failed', 'gone'].includes(this.blockOf(parent)?.why ?? '');
      return { field, key, why: isStuck ? 'failed' : 'waits' };
    }
    return undefined;
  }

  /** Whether a write is queued and nothing but its backoff keeps it from being sent. */
  isReady(item: Item): boolean {
    const { journal } = this.context;
    return item.entry.state === 'queued' && journal.records.canSend(item) && !this.blockOf(item);
  }

  /** Whether a write is being sent, or will be sent without a decision of the application. */
  private willBeSent(item: Item): boolean {
    const { journal } = this.context;
    const isSendable = item.entry.state === 'queued' && journal.records.canSend(item);
    return (
      item.sending !== undefined ||
      item.activeWrites > 0 ||
      (isSendable && [undefined, 'waits'].includes(this.blockOf(item)?.why))
    );
  }

  /** Resolves the promises of `flush()` and `drained()` if there is nothing left to wait for. */
  resolveWaiters(): void {
    const { context, flushWaiters, drainWaiters } = this;
    // Listeners are called for each ended write before these promises resolve.
    if (flushWaiters.size + drainWaiters.size === 0 || context.journal.unreported > 0) return;
    if (drainWaiters.size > 0 && !this.someItem((item) => this.willBeSent(item))) resolveAll(drainWaiters);
    if (flushWaiters.size === 0 || this.activeCount > 0) return;
    const now = context.clock.now();
    const isDue = (item: Item) => this.isReady(item) && item.dueAt <= now && item.activeWrites === 0;
    if (!context.connection.online || !this.someItem(isDue)) resolveAll(flushWaiters);
  }

  private someItem(test: (item: Item) => boolean): boolean {
    for (const item of this.context.queue.items.values()) if (test(item)) return true;
    return false;
  }

  private async sendLocked(item: Item): Promise<void> {
    const { context } = this;
    const { key } = item.entry;
    this.activeCount += 1;
    item.isHandled = false;
    let release: (() => void) | undefined;
    try {
      release = await context.locks.acquire([lockName(item.entry)]);
      if (!(await this.isStillQueued(item))) return;
      context.journal.sendingKeys.add(key);
      await this.sendEntry(item);
    } catch (error) {
      // A write that failed before the journal stored it has not been handled by the journal.
      if (!item.isHandled) await this.endBeforeSending(item, error as DataError);
    } finally {
      context.journal.sendingKeys.delete(key);
      release?.();
      this.activeCount -= 1;
      item.sending = undefined;
      this.pump();
    }
  }

  /** Whether a write still has to be sent. Reads its entry again if another tab may have sent it. */
  private async isStillQueued(item: Item): Promise<boolean> {
    const { queue } = this.context;
    const { key } = item.entry;
    if (queue.get(key) !== item) return false;
    if (!queue.storage.shared) return true;
    const { entry: before } = item;
    const entry = await queue.readStored(key);
    if (queue.get(key) !== item) return false;
    if (!entry) await this.dropSentElsewhere(item);
    // An entry that was saved here in the meantime, or could not be stored, is newer than the stored one.
    else if (item.entry === before && !queue.isUnstored(key)) queue.replaceEntry(item, entry);
    return entry !== undefined && item.entry.state === 'queued';
  }

  /** Drops a write that another tab has sent, and updates its record. */
  async dropSentElsewhere(item: Item): Promise<void> {
    const { queue, journal } = this.context;
    const { entry, record } = item;
    queue.remove(entry.key);
    // The other tab has stored the id of the created record in the entries that refer to it.
    for (const each of queue.referring(entry.key)) {
      const stored = await queue.readStored(each.entry.key).catch(() => undefined);
      if (stored && queue.get(stored.key) === each) queue.replaceEntry(each, stored);
    }
    journal.records.release(item);
    if (!record) return;
    const core = coreOf(record);
    // A created or erased record is removed here; a created one comes back with its id by the next load.
    if (entry.action !== 'update') queueMicrotask(() => !core.erased && settleErased(record));
    else if (!core.busy && holdsEntry(record, entry)) commit(record);
  }

  private async sendEntry(item: Item): Promise<void> {
    const { records } = this.context.journal;
    const { entry } = item;
    const record = records.recordOf(item);
    const proxy = records.proxyOf(item);
    const noCallbacks = (operation: Operation) => operation;
    // A save or erase of the application is in flight, whose outcome updates the entry.
    if (coreOf(record).busy) return;
    const refresh = refreshBeforeWrite(item, record, proxy);
    if (refresh) await refresh;
    // If the entry was changed or the record was saved during the read, that change is sent instead.
    if (refresh && (this.context.queue.get(entry.key)?.entry !== entry || coreOf(record).busy)) return;
    if (entry.action === 'destroy') await eraseRecord(record, () => proxy, undefined, noCallbacks);
    else if (holdsEntry(record, entry)) await saveRecord(record, () => proxy, { repeat: true }, noCallbacks);
    // The record has further edits that were not saved: only the stored values are sent, and the other edits stay pending.
    else await saveRecord(record, () => proxy, { repeat: true, given: entryEdits(record, entry) }, noCallbacks);
  }

  private async endBeforeSending(item: Item, error: DataError): Promise<void> {
    // An entry that was dropped or replaced in the meantime must not be changed.
    if (this.context.queue.get(item.entry.key) !== item) return;
    const outcome = classifyEntry(item.entry, { error, ending: 'noNews' }, false, 0, false);
    if (outcome === 'queued' || outcome === 'never-connected') scheduleRetry(item, error, this.context);
    else await this.context.fail(item, outcome, error);
  }
}

function resolveAll(waiting: Set<() => void>): void {
  const all = [...waiting];
  waiting.clear();
  for (const resolve of all) resolve();
}

/** Identifies a stored write by its key, so that a caller may pass an outdated copy of its entry. */
export type EntryRef = Pick<OutboxEntry, 'key'>;
