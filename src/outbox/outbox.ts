import type { Extension } from '../extension/extension.js';
import { announce, coreOf, type InnerRecord, setValues, writeEdits } from '../model/record.js';
import { didChange, willChange } from '../model/record-owner.js';
import { settleErased, settleSaved } from '../model/settle.js';
import { Operation } from '../operation/operation.js';
import { systemClock } from '../util/clock.js';
import { callSafely, EventEmitter } from '../util/event-emitter.js';
import { isSame } from '../util/values.js';
import { browserConnection } from './connection.js';
import { EntryCodec } from './entry-codec.js';
import { createValues, editedValues, type RecordClass, sentEdits } from './entry-records.js';
import { Journal } from './journal.js';
import type { DroppedWrite, FailedWrite, OutboxConfig, OutboxEvents, OutboxRecord } from './outbox-config.js';
import { isAgainstConflict, type OutboxEntry } from './outbox-entry.js';
import { OutboxError } from './outbox-error.js';
import { errorData, type Item, Queue, withState } from './queue.js';
import { publicOf } from './record-keeper.js';
import { type LockManager, RecordLocks } from './record-locks.js';
import { type EntryRef, Sender } from './sender.js';

/**
 * Keeps writes until the server has answered them, also over the end of the process, and sends them again by itself.
 *
 * @example
 * ```ts
 * const outbox = await Outbox.open({ scope: 'user-7', storage: indexedDbStorage(), models: [User] });
 * const users = new Store({ model: User, proxy: { use: [outbox] } });
 * ```
 */
export class Outbox {
  /** What a proxy uses of it, in its `use`. */
  readonly extensions: readonly Extension[];
  /** Whose writes these are. */
  readonly scope: string;
  private readonly events: EventEmitter<OutboxEvents> = new EventEmitter();
  private readonly found: OutboxError[] = [];
  private readonly queue: Queue;
  private readonly inner: Journal;
  private readonly sender: Sender;
  private isClosed = false;
  private closing: Promise<void> | undefined = undefined;
  private told = false;

  /** Use {@link Outbox.open}. */
  private constructor(
    private readonly config: OutboxConfig,
    locks: RecordLocks,
  ) {
    const { scope, storage, version = 1, migrate, encrypt, decrypt, backoff, clock = systemClock } = config;
    const { connection = browserConnection(), maxAttempts = 10, concurrency = 4, random = Math.random } = config;
    this.scope = scope;
    const codec = new EntryCodec({ scope, version, migrate, encrypt, decrypt });
    this.queue = new Queue(scope, storage, codec, () => this.tell());
    const { queue } = this;
    const problem = (error: unknown) => this.problem(error as OutboxError);
    this.inner = new Journal({
      ...{ queue, locks, version, maxAttempts, problem },
      now: () => clock.now(),
      online: () => connection.online,
      closed: () => this.isClosed,
      sendNow: (item) => this.sender.send(item),
      gone: (item) => this.sender.gone(item),
      ended: (item, entry, outcome, error) => {
        if (error) item.error = error;
        if (outcome === 'done') this.events.emit('sent', { entry, record: publicOf(item.record as InnerRecord) });
        else if (outcome === 'queued' || outcome === 'never-connected') return this.sender.postpone(item, error);
        this.sender.pumpAfter(item);
        return outcome === 'done' ? undefined : this.tellFailed(item);
      },
      released: (item) => this.sender.pumpAfter(item),
      told: () => this.sender.tell(),
    });
    this.extensions = this.inner.extensions;
    this.sender = new Sender({
      ...{ queue, locks, connection, clock, concurrency, random, problem, journal: this.inner },
      base: backoff?.base ?? 1000,
      max: backoff?.max ?? 60_000,
      fail: async (item, outcome, error) => {
        item.error = error;
        await queue
          .settle([withState(item.entry, outcome === 'unconfirmed' ? 'unconfirmed' : 'failed', errorData(error))], [])
          .catch(problem);
        await this.tellFailed(item);
      },
    });
    for (const model of config.models ?? []) this.inner.records.declare(model as unknown as RecordClass);
  }

  /**
   * Opens an outbox: reads what is stored of its scope, and begins to send it. Rejects with `OutboxError` where the storage cannot
   * be read or written, or is in use; nothing that is stored is lost then.
   */
  static async open(config: OutboxConfig): Promise<Outbox> {
    const { scope, storage, autoStart = true, clock = systemClock } = config;
    if (typeof scope !== 'string' || scope === '') throw new OutboxError('outbox-scope');
    const { locks = (globalThis as { navigator?: { locks?: LockManager } }).navigator?.locks } = config;
    if (storage.shared && locks === undefined) throw new OutboxError('outbox-locks');
    const outbox = new Outbox(config, new RecordLocks((storage.shared && locks) || undefined));
    try {
      await storage.open((problem) => outbox.problem(problem as OutboxError));
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
    // What was never sent, and is to be erased, is done.
    const isUnmade = ({ action, attempts, destroy }: OutboxEntry) => action === 'create' && attempts === 0 && destroy;
    const drops = outbox.entries.filter(isUnmade).map(({ key }) => key);
    if (drops.length > 0)
      await outbox.queue.settle([], drops).catch((problem) => outbox.problem(problem as OutboxError));
    for (const item of outbox.queue.items.values()) {
      const { action, attempts, repeatable, state } = item.entry;
      // Nobody knows whether it was sent before the process ended.
      if (action === 'create' && state === 'queued' && attempts > 0 && !repeatable)
        outbox.queue.place(
          item,
          withState(item.entry, 'unconfirmed', new OutboxError('outbox-unconfirmed', { ...item.entry }).toJSON()),
        );
    }
    if (autoStart) {
      outbox.sender.started = true;
      // First the application makes its stores.
      clock.after(0, () => outbox.sender.pump());
    }
    return outbox;
  }

  /** Number of writes that are kept: those that are sent by themselves, and those that wait for a decision. */
  get size(): number {
    return this.queue.items.size + this.queue.unreadable.size;
  }

  /** The writes that are kept and can be read, in their order. */
  get entries(): readonly OutboxEntry[] {
    return [...this.queue.items.values()].map(({ entry }) => entry);
  }

  /** The writes that are not sent by themselves, and why. */
  get failed(): readonly FailedWrite[] {
    const items = [...this.queue.items.values()].flatMap((item) => this.failureOf(item) ?? []);
    const unreadable = [...this.queue.unreadable.values()].map(({ item, error }): FailedWrite => {
      return { key: item.key, state: 'unreadable', entry: undefined, error: error.toJSON(), record: undefined };
    });
    return [...items, ...unreadable];
  }

  /** What was found on opening, and since, that somebody should know of. */
  get problems(): readonly OutboxError[] {
    return this.found;
  }

  /** Listens; returns the function that stops it. */
  on<E extends keyof OutboxEvents>(event: E, listener: (event: OutboxEvents[E]) => void): () => void {
    return this.events.on(event, listener);
  }

  /** Sends everything that is queued now, without waiting; resolves when each has been tried once. */
  flush(): Promise<void> {
    return this.isClosed ? Promise.resolve() : this.sender.flush();
  }

  /** Resolves when nothing is queued any more. What failed, or is in doubt, does not count. */
  drained(): Promise<void> {
    return this.isClosed ? Promise.resolve() : this.sender.drained();
  }

  /** Sends nothing by itself until `resume()`; what records and stores save is sent. */
  pause(): void {
    this.sender.started = false;
  }

  /** Goes on after `pause()`, or begins. */
  resume(): void {
    this.sender.started = true;
    this.sender.pump();
  }

  /**
   * Queues a write again: one that failed, or a create in doubt, which may then be made a second time. After a conflict it goes
   * over what the others have written, which is read first. One that is on its way stays so. Rejects with `OutboxError` where there
   * is no such write any more.
   */
  async retry(write: EntryRef): Promise<void> {
    const item = await this.item(write);
    // Of what is being sent nobody can have decided that it was not done.
    if (item.flights > 0) return;
    // Whoever asks for it has decided that it was not done.
    const attempts = item.entry.action === 'create' && !item.entry.repeatable ? 0 : item.entry.attempts;
    await this.queue.commit([queuedAgain({ ...item.entry, attempts })]);
    this.again(item);
  }

  /** Changes what a write sends, and queues it again, as `retry` does. Values are those of the record's fields. */
  async repair(write: EntryRef, values: object): Promise<void> {
    const item = await this.item(write);
    const record = this.inner.records.recordOf(item);
    setValues(record, values);
    await this.queue.commit([queuedAgain(this.repaired(item, record))]);
    this.again(item);
  }

  /** Gives a write up: a new record is dropped, edits are taken back, a record that was to be erased is shown again. */
  async drop(write: EntryRef): Promise<void> {
    if (this.queue.unreadable.has(write.key)) return this.queue.erase([write.key]);
    const item = await this.item(write);
    const { entry, record } = item;
    await this.eraseItems([entry.key]);
    if (record && !coreOf(record).busy) takeBack(record, entry);
    this.sender.pump();
  }

  /**
   * Settles a create that is in doubt: this is its row on the server. What was saved or erased behind it, and what refers to it, is
   * sent now. Rejects with `OutboxError` for a write that is no create, or is being sent.
   */
  async confirm(write: EntryRef, row: object): Promise<OutboxRecord> {
    const item = await this.item(write);
    const record = this.inner.records.recordOf(item);
    const core = coreOf(record);
    if (item.entry.action !== 'create' || core.busy) throw new OutboxError('outbox-state');
    const operation: Operation = new Operation({ action: 'create', records: [record] });
    await core.lane.run(async () => {
      core.sent ??= new Map();
      settleSaved(record, operation, row);
      await this.inner.confirm(item, record);
    });
    return publicOf(record);
  }

  /**
   * Drops all writes of a scope, by default the own one, and tells which. Records keep their edits.
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
        const own = queue.get(item.key)?.entry;
        const entry = own ?? (await queue.read(item).catch(() => undefined));
        return { key: item.key, scope, entry };
      }),
    );
    // What is yet to be stored is no less of it.
    for (const { entry } of scope === this.scope ? queue.items.values() : [])
      if (!dropped.some(({ key }) => key === entry.key)) dropped.push({ key: entry.key, scope, entry });
    const items = await this.eraseItems(dropped.map(({ key }) => key));
    for (const { entry, record } of items)
      if (entry.action === 'destroy' && record && !coreOf(record).busy) takeBack(record, entry);
    this.sender.pump();
    return dropped;
  }

  /** Stops sending, waits for what is on its way, and lets go of the storage. What is queued stays there. */
  close(): Promise<void> {
    this.closing ??= this.end();
    return this.closing;
  }

  private async end(): Promise<void> {
    this.isClosed = true;
    await this.sender.stop();
    await this.queue.handedOver();
    await this.queue.storage.close();
    this.events.clear();
  }

  /** The write that a decision is about. In another tab somebody may have decided before. */
  private async item({ key }: EntryRef): Promise<Item> {
    const { queue } = this;
    const item = queue.get(key);
    if (item && queue.storage.shared) {
      await queue.handedOver();
      if (!(await queue.storage.get(key)) && queue.get(key) === item) await this.sender.gone(item);
    }
    if (!item || queue.get(key) !== item) throw new OutboxError('outbox-state');
    return item;
  }

  /** Erases writes, and lets go of their records; where the storage refuses, they are followed as before. */
  private async eraseItems(keys: readonly string[]): Promise<Item[]> {
    const { queue, inner } = this;
    const items = keys.flatMap((key) => queue.get(key) ?? []);
    await queue.erase(keys);
    // One that was saved anew meanwhile is followed for that.
    for (const item of items) if (!queue.get(item.entry.key)) inner.records.release(item);
    return items;
  }

  private repaired({ entry, flights }: Item, record: InnerRecord): OutboxEntry {
    const { cleared: _, ...rest } = entry;
    if (entry.action !== 'create') return { ...rest, ...editedValues(record, entry.base) };
    // It may have been done, or is on its way: it stays what it was, and what is different follows.
    if (flights > 0 || (entry.attempts > 0 && entry.repeatable)) return this.inner.drafts.withLater(entry, record);
    return { ...rest, ...createValues(record), attempts: 0, repeatable: undefined, slots: undefined, later: undefined };
  }

  private again(item: Item): void {
    Object.assign(item, { dueAt: 0, failures: 0, refusals: 0, error: undefined });
    this.sender.pump();
  }

  /** Tells of a write that is not sent by itself, when its record is free: so that a listener can end a conflict, or save anew. */
  private async tellFailed(item: Item): Promise<void> {
    const { record, entry } = item;
    if (entry.state !== 'queued' && record) await coreOf(record).lane.ended(undefined);
    const failure = this.queue.get(entry.key) === item ? this.failureOf(item) : undefined;
    if (failure && item.entry.state !== 'queued') this.events.emit('failed', failure);
  }

  private failureOf(item: Item): FailedWrite | undefined {
    const { entry, record } = item;
    const { key, state, model } = entry;
    const of = { key, entry, record: record && publicOf(record) };
    const block = this.sender.blockOf(item);
    if (state !== 'queued') {
      const made = this.inner.stores.restore(item);
      const error = item.error?.toJSON() ?? entry.error ?? {};
      return { ...of, state, error, record: made && publicOf(made) };
    }
    if (!this.inner.records.knows(item))
      return { ...of, state: 'unreadable', error: new OutboxError('outbox-model', { model }).toJSON() };
    if (!block || block.why === 'waits') return undefined;
    const why = block.why === 'gone' ? 'was never saved, or dropped' : 'could not be created';
    const error = new OutboxError('outbox-parent', { model, id: entry.id ?? key, field: block.field, why });
    return { ...of, state: 'held', error: error.toJSON() };
  }

  private problem(error: OutboxError): void {
    this.found.push(error);
    // A storage that is full for days shall not fill the memory.
    if (this.found.length > 100) this.found.shift();
    if (this.config.onProblem) callSafely(this.config.onProblem, error);
    this.events.emit('problem', error);
  }

  /** Tells of changes, once a tick. */
  private tell(): void {
    if (this.told) return;
    this.told = true;
    queueMicrotask(() => {
      this.told = false;
      this.events.emit('change', { size: this.size });
      this.sender.tell();
    });
  }
}

/** An entry that is to be sent again. After a conflict the row is read first, and it goes against that: the one that was edited is known to be old. */
function queuedAgain(entry: OutboxEntry): OutboxEntry {
  return isAgainstConflict(entry)
    ? withState({ ...entry, notes: undefined }, 'queued', entry.error)
    : withState(entry, 'queued');
}

/** Takes back what a write that was given up would have written. */
function takeBack(record: InnerRecord, entry: OutboxEntry): void {
  if (entry.action === 'create') settleErased(record);
  else if (entry.action === 'destroy') didChange(record, { kind: 'restored' });
  else {
    const now = writeEdits(record);
    const sent = [...sentEdits(record, entry)].filter(
      ([field, value]) => now.has(field) && isSame(now.get(field), value),
    );
    const fields = sent.map(([field]) => field);
    const { edits } = coreOf(record);
    for (const field of fields) field.embedding?.reject(record, edits?.get(field));
    willChange(
      record,
      fields.map(({ name }) => name),
    );
    // The edit itself goes, for setting the base value may be an edit as well.
    for (const field of fields) edits?.delete(field);
    if (fields.length > 0) announce(record, fields);
  }
}
