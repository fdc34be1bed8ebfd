import { checkEvent } from '../dev/checks.js';
import type { Extension } from '../extension/extension.js';
import { coreOf, type InnerRecord, setValues } from '../model/record.js';
import { changeOfAttempt, settleSaved } from '../model/settle.js';
import { Operation } from '../operation/operation.js';
import { systemClock } from '../util/clock.js';
import { callSafely, EventEmitter, type Listener } from '../util/event-emitter.js';
import { showByJson } from '../util/show-by-json.js';
import type { Source } from '../util/source.js';
import { browserConnection } from './connection.js';
import { EntryCodec } from './entry-codec.js';
import { createValues, editedValues, type RecordClass, rollBack } from './entry-records.js';
import { Journal } from './journal.js';
import type { DroppedWrite, FailedWrite, OutboxConfig, OutboxEvents, OutboxRecord } from './outbox-config.js';
import { entryName, type OutboxEntry } from './outbox-entry.js';
import { OutboxError } from './outbox-error.js';
import { checkOutbox } from './outbox-options.js';
import type { OutboxStatus } from './outbox-status.js';
import { errorData, type Item, Queue, requeued, withState } from './queue.js';
import { publicOf } from './record-keeper.js';
import { type LockManager, RecordLocks } from './record-locks.js';
import { type EntryRef, Sender } from './sender.js';
import { OutboxStatusFeed } from './status-feed.js';

/**
 * Stores writes until the server has confirmed them, across restarts, and sends them again by itself.
 *
 * @example
 * ```ts
 * const outbox = await Outbox.open({ scope: 'user-7', storage: indexedDbStorage(), models: [User] });
 * const users = new Store({ model: User, proxy: { use: [outbox] } });
 * ```
 */
export class Outbox {
  static {
    showByJson(this.prototype);
  }

  /** The extensions of the outbox. A proxy gets them if the outbox is in its `use` list. */
  readonly extensions: readonly Extension[];
  /** The user or tenant to whom the writes belong. */
  readonly scope: string;
  private readonly events: EventEmitter<OutboxEvents> = new EventEmitter();
  private readonly problemLog: OutboxError[] = [];
  private readonly queue: Queue;
  private readonly journal: Journal;
  private readonly sender: Sender;
  private readonly statusFeed: OutboxStatusFeed;
  private isClosed = false;
  private closing: Promise<void> | undefined = undefined;
  private isChangeScheduled = false;

  /** Use {@link Outbox.open}. */
  private constructor(
    private readonly config: OutboxConfig,
    locks: RecordLocks,
  ) {
    const { scope, storage, version = 1, migrate, encrypt, decrypt, backoff, clock = systemClock } = config;
    const { connection = browserConnection(), maxAttempts = 10, concurrency = 4, random = Math.random } = config;
    this.scope = scope;
    const codec = new EntryCodec({ scope, version, migrate, encrypt, decrypt });
    this.queue = new Queue(scope, storage, codec, () => {
      this.statusFeed.update();
      this.scheduleChangeEvent();
    });
    const { queue } = this;
    const reportProblem = (error: unknown) => this.reportProblem(error as OutboxError);
    this.journal = new Journal({
      ...{ queue, locks, version, maxAttempts, reportProblem },
      now: () => clock.now(),
      isOnline: () => connection.online,
      isClosed: () => this.isClosed,
      sendNow: (item) => this.sender.send(item),
      sentElsewhere: (item) => this.sender.dropSentElsewhere(item),
      writeEnded: (item, entry, outcome, error) => {
        item.error = error ?? item.error;
        if (error) this.statusFeed.failed(error);
        else this.statusFeed.succeeded();
        if (outcome === 'done') this.events.emit('sent', { entry, record: publicOf(item.record as InnerRecord) });
        else if (outcome === 'queued' || outcome === 'never-connected') return this.sender.postpone(item, error);
        this.sender.pumpAfter(item);
        return outcome === 'done' ? undefined : this.emitFailed(item);
      },
      activityChanged: () => this.statusFeed.update(),
      createConfirmed: (item) => this.sender.pumpAfter(item),
      allReported: () => this.sender.resolveWaiters(),
    });
    this.extensions = this.journal.extensions;
    this.sender = new Sender({
      ...{ queue, locks, connection, clock, concurrency, random, reportProblem, journal: this.journal },
      base: backoff?.base ?? 1000,
      max: backoff?.max ?? 60_000,
      fail: async (item, outcome, error) => {
        item.error = error;
        await queue
          .commitOrRetry(
            [withState(item.entry, outcome === 'unconfirmed' ? 'unconfirmed' : 'failed', errorData(error))],
            [],
          )
          .catch(reportProblem);
        this.statusFeed.failed(error);
        await this.emitFailed(item);
      },
    });
    this.statusFeed = new OutboxStatusFeed({ queue, connection, journal: this.journal, sender: this.sender });
    for (const model of config.models ?? []) this.journal.records.registerModel(model as unknown as RecordClass);
  }

  /**
   * Opens an outbox: reads the stored writes of its scope and starts sending them. Rejects with `OutboxError` if the storage cannot be
   * read or written, or is in use; the stored writes are not lost then.
   */
  static async open(config: OutboxConfig): Promise<Outbox> {
    checkOutbox(config);
    const { storage, autoStart = true, clock = systemClock } = config;
    const { locks = (globalThis as { navigator?: { locks?: LockManager } }).navigator?.locks } = config;
    if (storage.shared && locks === undefined) throw new OutboxError('outbox-locks');
    const outbox = new Outbox(config, new RecordLocks((storage.shared && locks) || undefined));
    try {
      await storage.open((problem) => outbox.reportProblem(problem as OutboxError));
    } catch (error) {
      await outbox.sender.stop();
      throw error;
    }
    try {
      await outbox.queue.load();
    } catch (error) {
      await outbox.close();
      throw error;
    }
    // A new record that was never sent and is to be erased needs no request.
    const wasNeverSent = ({ action, attempts, destroy }: OutboxEntry) =>
      action === 'create' && attempts === 0 && destroy;
    const drops = outbox.entries.filter(wasNeverSent).map(({ key }) => key);
    if (drops.length > 0)
      await outbox.queue.commitOrRetry([], drops).catch((problem) => outbox.reportProblem(problem as OutboxError));
    for (const item of outbox.queue.items.values()) {
      const { action, attempts, repeatable, state } = item.entry;
      // The process may have ended after the create was sent, so repeating the create could make a duplicate.
      if (action === 'create' && state === 'queued' && attempts > 0 && !repeatable)
        outbox.queue.replaceEntry(
          item,
          withState(item.entry, 'unconfirmed', new OutboxError('outbox-unconfirmed', entryName(item.entry)).toJSON()),
        );
    }
    if (autoStart) {
      outbox.setStarted(true);
      // The application can create its stores in this tick, before the first write is sent.
      clock.after(0, () => outbox.sender.pump());
    }
    return outbox;
  }

  /** The form of logs for an outbox: how many writes it keeps, without their values. */
  toJSON(): object {
    return { scope: this.scope, size: this.size, closed: this.isClosed };
  }

  /** The number of stored writes: queued ones, and those that wait for a decision. */
  get size(): number {
    return this.queue.items.size + this.queue.unreadable.size;
  }

  /** The stored writes that can be read, in their order. */
  get entries(): readonly OutboxEntry[] {
    return [...this.queue.items.values()].map(({ entry }) => entry);
  }

  /** The writes that the outbox does not send by itself because the application has to decide about them. */
  get failed(): readonly FailedWrite[] {
    const items = [...this.queue.items.values()].flatMap((item) => this.failureOf(item) ?? []);
    const unreadable = [...this.queue.unreadable.values()].map(({ item, error }): FailedWrite => {
      return { key: item.key, state: 'unreadable', entry: undefined, error: error.toJSON(), record: undefined };
    });
    return [...items, ...unreadable];
  }

  /** The last 100 problems, from opening on, such as a damaged file or a failed write to the storage. */
  get problems(): readonly OutboxError[] {
    return this.problemLog;
  }

  /**
   * The activity of the outbox as a source, for a screen: `{ waiting, failed, sending, online, paused, error }`. It tells its listeners at
   * once, in the same call, and costs nothing while nobody listens.
   *
   * @example
   * ```ts
   * outbox.status.subscribe(() => {
   *   const { waiting, failed, online } = outbox.status.get();
   *   console.log(online ? `${waiting} to send, ${failed} need you` : `offline, ${waiting} kept`);
   * });
   * ```
   */
  get status(): Source<OutboxStatus> {
    return this.statusFeed.source;
  }

  /** Adds a listener for an event. Returns the function that removes the listener. */
  on<E extends 'change' | 'sent' | 'failed' | 'problem'>(event: E, listener: Listener<OutboxEvents[E]>): () => void {
    checkEvent('an outbox', event, ['change', 'sent', 'failed', 'problem'], listener, 'outboxEvent');
    return this.events.on(event, listener);
  }

  /** Sends all queued writes now, without waiting for their backoff. Resolves when each has been tried once. */
  flush(): Promise<void> {
    return this.isClosed ? Promise.resolve() : this.sender.flush();
  }

  /** Resolves when no write is queued any more. Failed and unconfirmed writes do not count. */
  drained(): Promise<void> {
    return this.isClosed ? Promise.resolve() : this.sender.drained();
  }

  /** Stops sending queued writes until `resume()`. A `save()`, `erase()` or `sync()` of the application is still sent. */
  pause(): void {
    this.setStarted(false);
  }

  /** Starts sending queued writes, after `pause()` or with `autoStart: false`. */
  resume(): void {
    this.setStarted(true);
    this.sender.pump();
  }

  /**
   * Queues a failed write, or an unconfirmed create, again. Retrying an unconfirmed create may create a duplicate. After a conflict, the
   * server's row is read first, and the edits are then written over it. A write in flight is left alone. Rejects with `OutboxError` if
   * the write no longer exists.
   */
  async retry(write: EntryRef): Promise<void> {
    const item = await this.findItem(write);
    // The outcome of a write in flight is not known yet, so there is nothing to decide.
    if (item.activeWrites > 0) return;
    // By calling `retry`, the application has decided that the create did not succeed, so it counts as never sent.
    const attempts = item.entry.action === 'create' && !item.entry.repeatable ? 0 : item.entry.attempts;
    await this.queue.commit([requeued({ ...item.entry, attempts })]);
    this.sendAgainNow(item);
  }

  /**
   * Changes the values of a write and queues it again, as `retry` does. `values` holds values of the record's fields. Rejects with
   * `OutboxError` if the write no longer exists.
   */
  async repair(write: EntryRef, values: object): Promise<void> {
    const item = await this.findItem(write);
    const record = this.journal.records.recordOf(item);
    setValues(record, values);
    await this.queue.commit([requeued(this.repairedEntry(item, record))]);
    this.sendAgainNow(item);
  }

  /**
   * Gives a write up: a new record is erased here, the edits of an update are rolled back, a record with a queued erase is shown again.
   * Rejects with `OutboxError` if the write no longer exists.
   */
  async drop(write: EntryRef): Promise<void> {
    const item = this.queue.unreadable.has(write.key) ? undefined : await this.findItem(write);
    await this.removeItems([write.key]);
    if (item?.record && !coreOf(item.record).busy) rollBack(item.record, item.entry);
    this.sender.pump();
  }

  /**
   * Confirms an unconfirmed create, whose record was found on the server: `row` is its row there. Later edits or an erase of the record,
   * and writes of records that refer to it, are sent now. Rejects with `OutboxError` if the write is not a create or is in flight.
   */
  async confirm(write: EntryRef, row: object): Promise<OutboxRecord> {
    const item = await this.findItem(write);
    const record = this.journal.records.recordOf(item);
    const core = coreOf(record);
    if (item.entry.action !== 'create' || core.busy) throw new OutboxError('outbox-state');
    const operation: Operation = new Operation({ action: 'create', records: [record] });
    await core.lane.run(async () => {
      settleSaved(record, changeOfAttempt(record, row), operation, row);
      await this.journal.observer.confirmCreate(item, record);
    });
    return publicOf(record);
  }

  /**
   * Drops all writes of a scope, by default of this outbox's own scope. Resolves with the dropped writes. Records keep their edits.
   *
   * @example
   * ```ts
   * const dropped = await outbox.clear(); // on sign-out, when the user has been asked
   * ```
   */
  async clear(scope: string = this.scope): Promise<readonly DroppedWrite[]> {
    const { queue } = this;
    const stored = (await queue.storage.all()).filter((item) => item.scope === scope);
    const dropped = await Promise.all(
      stored.map(async (item): Promise<DroppedWrite> => {
        const queued = queue.get(item.key)?.entry;
        const entry = queued ?? (await queue.read(item).catch(() => undefined));
        return { key: item.key, scope, entry };
      }),
    );
    // Writes that are not stored yet belong to the scope as well.
    for (const { entry } of scope === this.scope ? queue.items.values() : [])
      if (!dropped.some(({ key }) => key === entry.key)) dropped.push({ key: entry.key, scope, entry });
    const items = await this.removeItems(dropped.map(({ key }) => key));
    for (const { entry, record } of items)
      if (entry.action === 'destroy' && record && !coreOf(record).busy) rollBack(record, entry);
    this.sender.pump();
    return dropped;
  }

  /** Stops sending, waits for writes in flight, and closes the storage. Queued writes stay in it. */
  close(): Promise<void> {
    this.closing ??= this.shutDown();
    return this.closing;
  }

  private async shutDown(): Promise<void> {
    this.isClosed = true;
    await this.sender.stop();
    await this.queue.handedOver();
    await this.queue.storage.close();
    this.statusFeed.source.end();
    this.events.clear();
  }

  /** The write that a decision is about; the error before the decision is settled. Rejects with `OutboxError` if it no longer exists, for example after a decision in another tab. */
  private async findItem({ key }: EntryRef): Promise<Item> {
    const { queue } = this;
    const item = queue.get(key);
    if (item && queue.storage.shared) {
      await queue.handedOver();
      if (!(await queue.storage.get(key)) && queue.get(key) === item) await this.sender.dropSentElsewhere(item);
    }
    if (!item || queue.get(key) !== item) throw new OutboxError('outbox-state');
    this.statusFeed.succeeded();
    return item;
  }

  /** Removes writes and stops observing their records. If the storage fails, everything stays as it was. */
  private async removeItems(keys: readonly string[]): Promise<Item[]> {
    const { queue, journal } = this;
    const items = keys.flatMap((key) => queue.get(key) ?? []);
    await queue.erase(keys);
    this.statusFeed.succeeded();
    // A record that was saved again in the meantime has a new entry, for which it is still observed.
    for (const item of items) if (!queue.get(item.entry.key)) journal.records.release(item);
    return items;
  }

  private repairedEntry({ entry, activeWrites }: Item, record: InnerRecord): OutboxEntry {
    const { cleared: _, ...rest } = entry;
    if (entry.action !== 'create') return { ...rest, ...editedValues(record, entry.base) };
    // A create that may have succeeded has to be repeated with the same values, so the changed values follow as an update.
    if (activeWrites > 0 || (entry.attempts > 0 && entry.repeatable))
      return this.journal.drafts.withLater(entry, record);
    return { ...rest, ...createValues(record), attempts: 0, repeatable: undefined, slots: undefined, later: undefined };
  }

  private setStarted(isStarted: boolean): void {
    this.sender.isStarted = isStarted;
    this.statusFeed.update();
  }

  private sendAgainNow(item: Item): void {
    Object.assign(item, { dueAt: 0, failures: 0, refusals: 0, error: undefined });
    this.sender.pump();
  }

  /** Emits `failed` for a write once its record is no longer busy, so that a listener can resolve a conflict or save again. */
  private async emitFailed(item: Item): Promise<void> {
    const { record, entry } = item;
    if (entry.state !== 'queued' && record) await coreOf(record).lane.whenEnded(undefined);
    const failure = this.queue.get(entry.key) === item ? this.failureOf(item) : undefined;
    if (failure && item.entry.state !== 'queued') this.events.emit('failed', failure);
  }

  private failureOf(item: Item): FailedWrite | undefined {
    const { entry, record } = item;
    const { key, state, model } = entry;
    const common = { key, entry, record: record && publicOf(record) };
    const block = this.sender.blockOf(item);
    if (state !== 'queued') {
      const ownRecord = this.journal.stores.restore(item);
      const error = item.error?.toJSON() ?? entry.error ?? {};
      return { ...common, state, error, record: ownRecord && publicOf(ownRecord) };
    }
    if (!this.journal.records.canSend(item))
      return { ...common, state: 'unreadable', error: new OutboxError('outbox-model', { model }).toJSON() };
    if (!block || block.why === 'waits') return undefined;
    const why = block.why === 'gone' ? 'was never saved, or dropped' : 'could not be created';
    const error = new OutboxError('outbox-parent', { ...entryName(entry), field: block.field, why });
    return { ...common, state: 'held', error: error.toJSON() };
  }

  private reportProblem(error: OutboxError): void {
    this.problemLog.push(error);
    // A storage that fails for days must not fill the memory with problems.
    if (this.problemLog.length > 100) this.problemLog.shift();
    if (this.config.onProblem) callSafely(this.config.onProblem, error);
    this.statusFeed.failed(error);
    this.events.emit('problem', error);
  }

  /** Emits `change`, once for all changes of a tick. */
  private scheduleChangeEvent(): void {
    if (this.isChangeScheduled) return;
    this.isChangeScheduled = true;
    queueMicrotask(() => {
      this.isChangeScheduled = false;
      this.events.emit('change', { size: this.size });
      this.sender.resolveWaiters();
    });
  }
}
