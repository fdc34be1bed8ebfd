import type { DataError } from '../errors/data-error.js';
import { commit, coreOf } from '../model/record.js';
import { settleErased } from '../model/settle.js';
import { eraseRecord, saveRecord } from '../model/write.js';
import type { Operation } from '../operation/operation.js';
import { backOff, type Waits } from './backoff.js';
import { classifyEntry, type EntryOutcome } from './classify-entry.js';
import { entryEdits, holdsEntry } from './entry-records.js';
import type { Journal } from './journal.js';
import type { Connection } from './outbox-config.js';
import type { OutboxEntry } from './outbox-entry.js';
import { type Item, lockName, type Queue } from './queue.js';
import type { RecordLocks } from './record-locks.js';
import { refreshBeforeWrite } from './refresh-before-write.js';

/** The parts and settings of an outbox that its sender uses. */
export interface SenderHost extends Waits {
  readonly queue: Queue;
  readonly locks: RecordLocks;
  readonly journal: Journal;
  readonly connection: Connection;
  readonly concurrency: number;
  /** Marks a write as failed or unconfirmed, so that it is not sent again by itself. */
  fail(item: Item, outcome: EntryOutcome, error: DataError): Promise<void>;
  problem(error: unknown): void;
}

/** Sends the queued writes: several records at a time, and the writes of each record in their order. */
export class Sender {
  started: boolean = false;
  private active = 0;
  private stopTimer: (() => void) | undefined = undefined;
  private readonly stopOnline: () => void;
  /** Resolves the promises of `flush()`. */
  private readonly rounds: Set<() => void> = new Set();
  /** Resolves the promises of `drained()`. */
  private readonly empties: Set<() => void> = new Set();
  private over = false;
  /** When the timer calls `pump()` next, in milliseconds since 1970. */
  private nextAt = Number.POSITIVE_INFINITY;

  constructor(private readonly host: SenderHost) {
    this.stopOnline = host.connection.onOnline(() => this.hurry());
  }

  /** Sends the writes that are due, and starts a timer for the next one. */
  pump(): void {
    const { host, rounds } = this;
    if (this.over) return;
    this.stopTimer?.();
    this.stopTimer = undefined;
    this.nextAt = Number.POSITIVE_INFINITY;
    if (!(this.started || rounds.size > 0) || !host.connection.online) return this.tell();
    const now = host.clock.now();
    const earlier = new Set<string>();
    let next = Number.POSITIVE_INFINITY;
    for (const item of host.queue.items.values()) {
      if (this.active >= host.concurrency) return;
      if (!this.isWaiting(item)) continue;
      const name = lockName(item.entry);
      // Only the first write of a record may be sent; the others wait behind it.
      const first = !earlier.has(name);
      earlier.add(name);
      if (!first || item.running || item.flights > 0 || (item.record && coreOf(item.record).busy)) continue;
      // If the clock was set back, the write must not wait longer than its backoff.
      item.dueAt = Math.min(item.dueAt, now + item.wait);
      if (item.dueAt > now) next = Math.min(next, item.dueAt);
      else void this.send(item);
    }
    this.nextAt = next;
    if (next < Number.POSITIVE_INFINITY)
      this.stopTimer = host.clock.after(Math.min(next - now, 2 ** 31 - 1), () => this.pump());
    this.tell();
  }

  /** Makes all queued writes due now, and sends them. */
  hurry(): void {
    for (const item of this.host.queue.items.values()) {
      item.dueAt = 0;
      // A write in flight may have been sent before the network was back, so it is repeated at once if it fails.
      item.hurried = item.flights > 0 || item.running !== undefined;
    }
    this.pump();
  }

  /** Sends all queued writes once. Resolves when each has been tried. */
  flush(): Promise<void> {
    return new Promise((resolve) => {
      this.rounds.add(resolve);
      this.hurry();
    });
  }

  /** Resolves when no write is queued. */
  drained(): Promise<void> {
    return new Promise((resolve) => {
      this.empties.add(resolve);
      this.tell();
    });
  }

  /** Sends a write, or joins the attempt that is running. Never rejects. */
  send(item: Item): Promise<void> {
    item.running ??= this.run(item);
    return item.running;
  }

  /** Sets the wait of a write that failed temporarily. */
  postpone(item: Item, error: DataError | undefined): void {
    backOff(item, error, this.host);
    // `pump` looks at every queued write, which is slow for thousands of them, so it is called only if the timer must change.
    if (item.dueAt > this.host.clock.now() && item.dueAt >= this.nextAt && this.rounds.size === 0) this.tell();
    else this.pumpAfter(item);
  }

  /** Calls `pump` when no write of the item's record is in flight any more. */
  pumpAfter({ record }: Item): void {
    void Promise.resolve(record && coreOf(record).lane.ended(undefined)).then(() => this.pump());
  }

  /** Stops sending for good. Resolves when the writes in flight have ended. */
  async stop(): Promise<void> {
    this.over = true;
    this.stopTimer?.();
    this.stopOnline();
    for (const item of this.host.queue.items.values()) {
      await item.running;
      // A write that a record or store sends is not in `item.running`.
      if (item.record && coreOf(item.record).busy) await coreOf(item.record).lane.ended(undefined);
    }
    for (const resolve of [...this.rounds, ...this.empties]) resolve();
  }

  /** Why a write cannot be sent yet: the state of a new record that it refers to. Undefined: it can be sent. */
  blockOf({ entry }: Item): { field: string; key: string; why: 'waits' | 'failed' | 'gone' } | undefined {
    for (const [field, key] of Object.entries(entry.dependsOn)) {
      // A reference that was saved after the create was first sent delays only the update that follows, not the repeated create.
      if (entry.attempts > 0 && Object.hasOwn(entry.later ?? {}, field)) continue;
      const parent = this.host.queue.get(key);
      if (!parent) return { field, key, why: 'gone' };
      const stuck = parent.entry.state !== 'queued' || ['failed', 'gone'].includes(this.blockOf(parent)?.why ?? '');
      return { field, key, why: stuck ? 'failed' : 'waits' };
    }
    return undefined;
  }

  /** Whether a write is queued and nothing but its backoff keeps it from being sent. */
  isWaiting(item: Item): boolean {
    const { journal } = this.host;
    return item.entry.state === 'queued' && journal.records.knows(item) && !this.blockOf(item);
  }

  /** Whether a write is being sent, or will be sent without a decision of the application. */
  private isQueued(item: Item): boolean {
    const { journal } = this.host;
    const known = item.entry.state === 'queued' && journal.records.knows(item);
    return (
      item.running !== undefined ||
      item.flights > 0 ||
      (known && [undefined, 'waits'].includes(this.blockOf(item)?.why))
    );
  }

  /** Resolves the promises of `flush()` and `drained()` if there is nothing left to wait for. */
  tell(): void {
    const { host, rounds, empties } = this;
    // Listeners are called for each ended write before these promises resolve.
    if (rounds.size + empties.size === 0 || host.journal.ending > 0) return;
    if (empties.size > 0 && !this.has((item) => this.isQueued(item))) settle(empties);
    if (rounds.size === 0 || this.active > 0) return;
    const now = host.clock.now();
    const isDue = (item: Item) => this.isWaiting(item) && item.dueAt <= now && item.flights === 0;
    if (!host.connection.online || !this.has(isDue)) settle(rounds);
  }

  private has(test: (item: Item) => boolean): boolean {
    for (const item of this.host.queue.items.values()) if (test(item)) return true;
    return false;
  }

  private async run(item: Item): Promise<void> {
    const { host } = this;
    const { key } = item.entry;
    this.active += 1;
    item.judged = false;
    let release: (() => void) | undefined;
    try {
      release = await host.locks.acquire([lockName(item.entry)]);
      if (!(await this.isStill(item))) return;
      host.journal.sending.add(key);
      await this.write(item);
    } catch (error) {
      // A write that failed before the journal stored it has not been handled by the journal.
      if (!item.judged) await this.refuse(item, error as DataError);
    } finally {
      host.journal.sending.delete(key);
      release?.();
      this.active -= 1;
      item.running = undefined;
      this.pump();
    }
  }

  /** Whether a write still has to be sent. Reads its entry again if another tab may have sent it. */
  private async isStill(item: Item): Promise<boolean> {
    const { queue } = this.host;
    const { key } = item.entry;
    if (queue.get(key) !== item) return false;
    if (!queue.storage.shared) return true;
    const { entry: before } = item;
    const entry = await queue.stored(key);
    if (queue.get(key) !== item) return false;
    if (!entry) await this.gone(item);
    // An entry that was saved here in the meantime, or could not be stored, is newer than the stored one.
    else if (item.entry === before && !queue.isStale(key)) queue.place(item, entry);
    return entry !== undefined && item.entry.state === 'queued';
  }

  /** Drops a write that another tab has sent, and updates its record. */
  async gone(item: Item): Promise<void> {
    const { queue, journal } = this.host;
    const { entry, record } = item;
    queue.remove(entry.key);
    // The other tab has stored the id of the created record in the entries that refer to it.
    for (const each of queue.referring(entry.key)) {
      const stored = await queue.stored(each.entry.key).catch(() => undefined);
      if (stored && queue.get(stored.key) === each) queue.place(each, stored);
    }
    journal.records.release(item);
    if (!record) return;
    const core = coreOf(record);
    // A created or erased record is removed here; a created one comes back with its id by the next load.
    if (entry.action !== 'update') queueMicrotask(() => !core.erased && settleErased(record));
    else if (!core.busy && holdsEntry(record, entry)) commit(record);
  }

  private async write(item: Item): Promise<void> {
    const { records } = this.host.journal;
    const { entry } = item;
    const record = records.recordOf(item);
    const proxy = records.proxyOf(item);
    const use = (operation: Operation) => operation;
    // A save or erase of the application is in flight, whose outcome updates the entry.
    if (coreOf(record).busy) return;
    const look = refreshBeforeWrite(item, record, proxy);
    if (look) await look;
    // If the entry was changed or the record was saved during the read, that change is sent instead.
    if (look && (this.host.queue.get(entry.key)?.entry !== entry || coreOf(record).busy)) return;
    if (entry.action === 'destroy') await eraseRecord(record, () => proxy, undefined, use);
    else if (holdsEntry(record, entry)) await saveRecord(record, () => proxy, { repeat: true }, use);
    // The record has further edits that were not saved: only the stored values are sent, and the other edits stay pending.
    else await saveRecord(record, () => proxy, { repeat: true, edits: entryEdits(record, entry) }, use);
  }

  private async refuse(item: Item, error: DataError): Promise<void> {
    // An entry that was dropped or replaced in the meantime must not be changed.
    if (this.host.queue.get(item.entry.key) !== item) return;
    const outcome = classifyEntry(item.entry, { error, ending: 'noNews' }, false, 0, false);
    if (outcome === 'queued' || outcome === 'never-connected') backOff(item, error, this.host);
    else await this.host.fail(item, outcome, error);
  }
}

function settle(waiting: Set<() => void>): void {
  const all = [...waiting];
  waiting.clear();
  for (const resolve of all) resolve();
}

/** Identifies a stored write by its key, so that a caller may pass an outdated copy of its entry. */
export type EntryRef = Pick<OutboxEntry, 'key'>;
