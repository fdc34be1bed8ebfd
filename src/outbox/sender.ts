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

/** What a sender works with. */
export interface SenderHost extends Waits {
  readonly queue: Queue;
  readonly locks: RecordLocks;
  readonly journal: Journal;
  readonly connection: Connection;
  readonly concurrency: number;
  /** Marks a write as one that is not sent any more. */
  fail(item: Item, outcome: EntryOutcome, error: DataError): Promise<void>;
  problem(error: unknown): void;
}

/** Sends again what is queued: each record in its order, several records at a time, by itself. */
export class Sender {
  started: boolean = false;
  private active = 0;
  private stopTimer: (() => void) | undefined = undefined;
  private readonly stopOnline: () => void;
  /** Those who wait until nothing more is to be done for now. */
  private readonly rounds: Set<() => void> = new Set();
  private readonly empties: Set<() => void> = new Set();
  private over = false;
  /** When the timer rings. */
  private nextAt = Number.POSITIVE_INFINITY;

  constructor(private readonly host: SenderHost) {
    this.stopOnline = host.connection.onOnline(() => this.hurry());
  }

  /** Sends what is due, and sees to it that the rest will be. */
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
      // Of several writes of one record the first goes first.
      const first = !earlier.has(name);
      earlier.add(name);
      if (!first || item.running || item.flights > 0 || (item.record && coreOf(item.record).busy)) continue;
      // No longer than was meant, also where the clock was set back.
      item.dueAt = Math.min(item.dueAt, now + item.wait);
      if (item.dueAt > now) next = Math.min(next, item.dueAt);
      else void this.send(item);
    }
    this.nextAt = next;
    if (next < Number.POSITIVE_INFINITY)
      this.stopTimer = host.clock.after(Math.min(next - now, 2 ** 31 - 1), () => this.pump());
    this.tell();
  }

  /** What is queued is due now. */
  hurry(): void {
    for (const item of this.host.queue.items.values()) {
      item.dueAt = 0;
      // What is on its way may have been sent too early.
      item.hurried = item.flights > 0 || item.running !== undefined;
    }
    this.pump();
  }

  /** Sends everything once, now; resolves when all have been tried. */
  flush(): Promise<void> {
    return new Promise((resolve) => {
      this.rounds.add(resolve);
      this.hurry();
    });
  }

  /** Resolves when nothing is queued. */
  drained(): Promise<void> {
    return new Promise((resolve) => {
      this.empties.add(resolve);
      this.tell();
    });
  }

  /** Sends a write, if it is not on its way already; never rejects. */
  send(item: Item): Promise<void> {
    item.running ??= this.run(item);
    return item.running;
  }

  /** A write was not taken: it waits. */
  postpone(item: Item, error: DataError | undefined): void {
    backOff(item, error, this.host);
    // Looking at all that waits would take long where much does.
    if (item.dueAt > this.host.clock.now() && item.dueAt >= this.nextAt && this.rounds.size === 0) this.tell();
    else this.pumpAfter(item);
  }

  /** Looks for what is due when the lane of a record is free. */
  pumpAfter({ record }: Item): void {
    void Promise.resolve(record && coreOf(record).lane.ended(undefined)).then(() => this.pump());
  }

  /** Stops for good; what is on its way goes on. */
  async stop(): Promise<void> {
    this.over = true;
    this.stopTimer?.();
    this.stopOnline();
    for (const item of this.host.queue.items.values()) {
      await item.running;
      // One that a record or store is sending.
      if (item.record && coreOf(item.record).busy) await coreOf(item.record).lane.ended(undefined);
    }
    for (const resolve of [...this.rounds, ...this.empties]) resolve();
  }

  /** Why a write cannot go yet: the state of the record that it refers to. */
  blockOf({ entry }: Item): { field: string; key: string; why: 'waits' | 'failed' | 'gone' } | undefined {
    for (const [field, key] of Object.entries(entry.dependsOn)) {
      // What follows the create is no reason to hold that back: it was sent without.
      if (entry.attempts > 0 && Object.hasOwn(entry.later ?? {}, field)) continue;
      const parent = this.host.queue.get(key);
      if (!parent) return { field, key, why: 'gone' };
      const stuck = parent.entry.state !== 'queued' || ['failed', 'gone'].includes(this.blockOf(parent)?.why ?? '');
      return { field, key, why: stuck ? 'failed' : 'waits' };
    }
    return undefined;
  }

  /** Whether a write is to be sent as soon as it can be. */
  isWaiting(item: Item): boolean {
    const { journal } = this.host;
    return item.entry.state === 'queued' && journal.records.knows(item) && !this.blockOf(item);
  }

  /** Whether a write will be sent without anybody's doing. */
  private isQueued(item: Item): boolean {
    const { journal } = this.host;
    const known = item.entry.state === 'queued' && journal.records.knows(item);
    return (
      item.running !== undefined ||
      item.flights > 0 ||
      (known && [undefined, 'waits'].includes(this.blockOf(item)?.why))
    );
  }

  /** Tells those who wait. */
  tell(): void {
    const { host, rounds, empties } = this;
    // Whoever waits for the end of all hears first how each has ended.
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
      // What was refused before it was noted has not been told of yet.
      if (!item.judged) await this.refuse(item, error as DataError);
    } finally {
      host.journal.sending.delete(key);
      release?.();
      this.active -= 1;
      item.running = undefined;
      this.pump();
    }
  }

  /** Whether a write is still to be sent: another tab may have done so. */
  private async isStill(item: Item): Promise<boolean> {
    const { queue } = this.host;
    const { key } = item.entry;
    if (queue.get(key) !== item) return false;
    if (!queue.storage.shared) return true;
    const { entry: before } = item;
    const entry = await queue.stored(key);
    if (queue.get(key) !== item) return false;
    if (!entry) await this.gone(item);
    // What was saved here meanwhile, or could not be stored, is newer.
    else if (item.entry === before && !queue.isStale(key)) queue.place(item, entry);
    return entry !== undefined && item.entry.state === 'queued';
  }

  /** Another tab has sent a write: its record is not to be written any more. */
  async gone(item: Item): Promise<void> {
    const { queue, journal } = this.host;
    const { entry, record } = item;
    queue.remove(entry.key);
    // What refers to it has its id by now.
    for (const each of queue.referring(entry.key)) {
      const stored = await queue.stored(each.entry.key).catch(() => undefined);
      if (stored && queue.get(stored.key) === each) queue.place(each, stored);
    }
    journal.records.release(item);
    if (!record) return;
    const core = coreOf(record);
    // What it was made into comes with the next load.
    if (entry.action !== 'update') queueMicrotask(() => !core.erased && settleErased(record));
    else if (!core.busy && holdsEntry(record, entry)) commit(record);
  }

  private async write(item: Item): Promise<void> {
    const { records } = this.host.journal;
    const { entry } = item;
    const record = records.recordOf(item);
    const proxy = records.proxyOf(item);
    const use = (operation: Operation) => operation;
    // A write of its own is under way: that one decides.
    if (coreOf(record).busy) return;
    const look = refreshBeforeWrite(item, record, proxy);
    if (look) await look;
    // What became of it meanwhile decides.
    if (look && (this.host.queue.get(entry.key)?.entry !== entry || coreOf(record).busy)) return;
    if (entry.action === 'destroy') await eraseRecord(record, () => proxy, undefined, use);
    else if (holdsEntry(record, entry)) await saveRecord(record, () => proxy, { repeat: true }, use);
    // What was saved goes; what was edited since, and not saved, stays.
    else await saveRecord(record, () => proxy, { repeat: true, edits: entryEdits(record, entry) }, use);
  }

  private async refuse(item: Item, error: DataError): Promise<void> {
    // What was dropped or set aside meanwhile does not come back.
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

/** The entry, for those who hold another state of it. */
export type EntryRef = Pick<OutboxEntry, 'key'>;
