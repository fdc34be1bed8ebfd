import { checkEvent } from '../dev/checks.js';
import type { Extension } from '../extension/extension.js';
import { noteValues, setNotes } from '../extension/row-notes.js';
import type { FieldDefinition } from '../model/field-definition.js';
import { randomUuid } from '../model/identifier.js';
import { innerModel } from '../model/model-definition.js';
import { keyOf } from '../model/parts/wire-values.js';
import { coreOf, setValues, writeEdits } from '../model/record.js';
import { addOpen, changeOfAttempt, settleSaved } from '../model/settle.js';
import { ROW } from '../model/symbols.js';
import { Operation } from '../operation/operation.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import { systemClock } from '../util/clock.js';
import type { Data } from '../util/data-path.js';
import { callSafely, type Listener, type Listeners, Notifier } from '../util/notifier.js';
import { showByJson } from '../util/show-by-json.js';
import type { Source } from '../util/value-source.js';
import { ChangeCodec } from './change-codec.js';
import { ChangeLog } from './change-log.js';
import { browserConnection } from './connection.js';
import { Decisions } from './decisions.js';
import type { HeldRecord } from './held-record.js';
import type { DiscardedWrite, FailedWrite, OutboxConfig, OutboxEvents, OutboxRecord } from './outbox-config.js';
import { type EntryRef, entryName, entryOf, type OutboxEntry } from './outbox-entry.js';
import { OutboxError } from './outbox-error.js';
import { checkOutbox } from './outbox-options.js';
import { type OutboxStatus, OutboxStatusFeed } from './outbox-status.js';
import { Pump } from './pump.js';
import { type LockManager, RecordLocks } from './record-locks.js';
import { Screen } from './screen.js';
import { Sender, type WriteEnd } from './sender.js';
import { SendingPage } from './sending-page.js';
import { withStorageErrors } from './storage/storage-error.js';
import { StoreLink } from './store-link.js';
import type { StoredChange } from './stored-change.js';
import { revivedError } from './stored-error.js';
import { WriteHooks } from './write-hooks.js';

/**
 * Stores writes until the server has confirmed them, across restarts, and sends them again by itself.
 *
 * @example
 * ```ts
 * const outbox = new Outbox({ scope: 'user-7', storage: indexedDbStorage(), models: [User] });
 * const users = new Store({ model: User, proxy: { use: [outbox] } });
 * await outbox.ready;
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
  /**
   * Resolves when the stored writes of the scope have been read; they are sent from then on. A write that is saved before waits for it.
   * Rejects with `OutboxError` if the storage cannot be read or written, or is in use; the stored writes are not lost then, and every
   * write of this outbox fails with the same error.
   */
  readonly ready: Promise<void>;
  private readonly events: Notifier<Listeners<OutboxEvents>> = new Notifier();
  private readonly problemLog: OutboxError[] = [];
  private readonly log: ChangeLog;
  private readonly locks: RecordLocks;
  /** Chooses the page that sends, where there are no locks. */
  private readonly sendingPage: SendingPage | undefined = undefined;
  private readonly screen: Screen;
  private readonly stores: StoreLink;
  private readonly sender: Sender;
  private readonly pump: Pump;
  private readonly decisions: Decisions;
  private readonly statusFeed: OutboxStatusFeed;
  private isOpen = false;
  private isClosed = false;
  /** Whether this outbox has opened the storage. Another one may have it otherwise. */
  private hasStorage = false;
  private closing: Promise<void> | undefined = undefined;
  private isChangeScheduled = false;
  /** The number of ended writes whose listeners have not been called yet. */
  private unreported = 0;
  private stopWatching: () => void = () => undefined;
  /** Ends the lock that this outbox holds for its life. */
  private leave: () => void = () => undefined;
  /** The outboxes of other tabs whose end is awaited. */
  private readonly othersAwaited: Set<string> = new Set();

  /** Throws `DefinitionError` or `OutboxError` for wrong options. */
  constructor(private readonly config: OutboxConfig) {
    checkOutbox(config);
    const { scope, version = 1, migrate, encrypt, decrypt, backoff, clock = systemClock } = config;
    const { connection = browserConnection(), maxAttempts = 10, concurrency = 4, random = Math.random } = config;
    const { locks = (globalThis as { navigator?: { locks?: LockManager } }).navigator?.locks } = config;
    const storage = withStorageErrors(config.storage, (error) => this.statusFeed.failed(error));
    this.scope = scope;
    this.locks = new RecordLocks(scope, (storage.shared && locks) || undefined);
    if (storage.shared && locks === undefined)
      this.sendingPage = new SendingPage({
        ...{ scope, storage, clock },
        changed: (isSending) => this.sendingPageChanged(isSending),
        reportProblem: (error) => this.reportProblem(error as OutboxError),
      });
    const maySend = () => this.sendingPage?.isSending ?? true;
    const codec = new ChangeCodec({ scope, version, migrate, encrypt, decrypt });
    this.log = new ChangeLog(scope, storage, randomUuid(), codec, (held, isSaved) => {
      if (held) this.screen.tell(held, isSaved);
      this.statusFeed.update();
      this.scheduleChangeEvent();
    });
    const { log } = this;
    const reportProblem = (error: unknown) => this.reportProblem(error as OutboxError);
    const hooks: WriteHooks = new WriteHooks(() => ({
      ...{
        log,
        screen: this.screen,
        sender: this.sender,
        decisions: this.decisions,
        stores: this.stores,
      },
      ...{ version, reportProblem },
      now: () => clock.now(),
      isClosed: () => this.isClosed,
      pump: () => {
        this.statusFeed.update();
        if (this.isOpen) clock.after(0, () => this.pump.pump());
      },
    }));
    this.extensions = hooks.extensions;
    this.screen = new Screen(log, hooks, hooks.owner);
    this.stores = new StoreLink(log, this.screen, hooks);
    this.sender = new Sender({
      ...{ log, locks: this.locks, screen: this.screen, maxAttempts, reportProblem, maySend },
      isOnline: () => connection.online,
      ended: (held, end) => this.writeEnded(held, end),
      activityChanged: () => {
        this.statusFeed.update();
        // A write that found nothing to send was waited for, too.
        this.pump.resolveWaiters();
      },
      unused: (held) => this.pump.pumpAfter(held),
    });
    this.decisions = new Decisions({
      ...{ log, locks: this.locks, screen: this.screen, maySend },
      decided: (held) => {
        if (this.isOpen && !this.isClosed) this.pump.pumpAfter(held);
      },
    });
    this.pump = new Pump({
      look: () => this.look(),
      ...{ log, screen: this.screen, connection, clock, concurrency, random, reportProblem, maySend },
      base: backoff?.base ?? 1000,
      max: backoff?.max ?? 60_000,
      isSending: () => this.sender.activeCount > 0,
      isBusy: () => this.unreported > 0 || this.sender.activeCount > 0 || this.decisions.active > 0,
      failed: (held, error) => {
        this.statusFeed.failed(error);
        this.emitFailed(held);
      },
    });
    this.statusFeed = new OutboxStatusFeed({
      ...{ connection },
      size: () => this.size,
      failed: () => this.countFailed(),
      sending: () => this.sender.activeCount,
      isPaused: () => !this.pump.isStarted,
    });
    for (const model of config.models ?? []) this.screen.registerModel(innerModel(model));
    this.pump.isStarted = config.autoStart ?? true;
    this.ready = this.start();
    this.ready.catch(() => undefined);
  }

  /** Opens the storage and reads it. */
  private async start(): Promise<void> {
    const { log, config } = this;
    const { storage } = log;
    const { clock = systemClock } = config;
    try {
      const seen = await log.begin(async () => {
        const problem = (error: Error) => this.reportProblem(error as OutboxError);
        await storage.open(problem, () => this.closing);
        this.hasStorage = true;
        // Before the first read, so that nothing is missed that another tab stores behind it.
        this.stopWatching = storage.watch(({ scope, records }) => {
          if (scope === this.scope) void this.look(records).then(() => this.pump.pump());
        });
        await this.takeLock();
        await this.sendingPage?.open();
      });
      this.stores.show(seen);
      if (await this.isAlone()) await log.prune().catch((error) => this.reportProblem(error));
    } catch (error) {
      this.isOpen = true;
      this.statusFeed.failed(error as OutboxError);
      // The storage may be in use by another outbox, which must not be closed.
      await (this.hasStorage && !this.closing ? this.close().catch(() => undefined) : this.pump.stop());
      throw error;
    }
    this.isOpen = true;
    this.waitForOthers(this.log.records.values());
    // The application can create its stores in this tick, before the first write is sent.
    clock.after(0, () => this.pump.pump());
  }

  /** Sends what other pages have left, or tells that another page sends. */
  private sendingPageChanged(isSending: boolean): void {
    if (!isSending) return this.reportProblem(new OutboxError('outbox-locks'));
    this.statusFeed.succeeded();
    // Opening the outbox reads everything, and sends it.
    if (this.isOpen) void this.look().then(() => this.pump.sendAllNow());
  }

  /** Holds a lock for the life of this outbox, so that other tabs are told when it ends. */
  private async takeLock(): Promise<void> {
    const { storage } = this.config;
    if (storage.shared) this.leave = await this.locks.acquire([`tab/${this.log.tab}`]);
  }

  /** Whether it is certain that no other tab uses the storage: such a tab might need ids that no stored change needs. */
  private async isAlone(): Promise<boolean> {
    if (!this.config.storage.shared) return true;
    const held = await this.locks.heldNames().catch(() => undefined);
    return held?.filter((name) => name.startsWith('tab/')).length === 1;
  }

  /** Sends what other tabs have stored: at once if they are gone, else after a while, because they are probably sending it. */
  private waitForOthers(records: Iterable<HeldRecord>): void {
    const { storage, backoff, clock = systemClock } = this.config;
    if (!storage.shared) return;
    for (const held of records) {
      const foreign = held.changes.filter(({ own, change }) => !own && change.tab !== this.log.tab);
      for (const { change } of foreign) {
        if (this.othersAwaited.has(change.tab)) continue;
        this.othersAwaited.add(change.tab);
        if (change.tab === '') continue;
        held.wait = backoff?.base ?? 1000;
        held.dueAt = clock.now() + held.wait;
        void this.locks.acquire([`tab/${change.tab}`]).then(
          (release) => {
            release();
            void this.look().then(() => this.pump.sendAllNow());
          },
          // The lock is asked for again when changes of that tab are read next.
          () => this.othersAwaited.delete(change.tab),
        );
      }
    }
  }

  /** The proxies that send the stored writes of registered models, for an inspector. */
  protected get proxies(): readonly DataProxy[] {
    return this.screen.proxies;
  }

  /** Reads what other tabs have changed, of these records or of all, and shows it. */
  private async look(records?: readonly string[]): Promise<void> {
    if (this.isClosed || !this.config.storage.shared) return;
    try {
      const { seen, others } = await this.log.look(records);
      if (this.isClosed) return;
      for (const outcome of others) this.stores.settledElsewhere(outcome);
      for (const { held, outcomes, added } of seen) {
        this.screen.show(held, outcomes, added);
        for (const { type, row, notes } of outcomes)
          if (type === 'sent') this.stores.settled(held, { row: row as Data | undefined, notes });
        if (outcomes.some(({ id }) => id !== undefined)) this.stores.created(held);
        // The write that has just been answered still ends with its record.
        if (held.isUnused && held.activeWrites === 0) this.screen.release(held);
      }
      this.stores.show(seen);
      this.waitForOthers(seen.map(({ held }) => held));
    } catch (error) {
      this.reportProblem(error as OutboxError);
    }
  }

  /** The form of logs for an outbox: how many writes it keeps, without their values. */
  toJSON(): object {
    return { scope: this.scope, size: this.size, closed: this.isClosed };
  }

  /** The number of stored writes: queued ones, and those that wait for a decision. */
  get size(): number {
    return this.log.records.size;
  }

  /**
   * The stored writes that can be read, in their order.
   *
   * @example
   * ```ts
   * for (const { action, model, values, attempts } of outbox.entries)
   *   console.log(`${action} ${model}`, Object.keys(values), `${attempts} attempts`);
   * ```
   */
  get entries(): readonly OutboxEntry[] {
    return [...this.log.records.values()].flatMap((held) => (held.changes.length > 0 ? this.entryOf(held) : []));
  }

  /** The writes that the outbox does not send by itself because the application has to decide about them. */
  get failed(): readonly FailedWrite[] {
    return [...this.log.records.values()].flatMap((held) => this.failureOf(held) ?? []);
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

  /**
   * Adds a listener for an event. Returns the function that removes the listener.
   *
   * `failed` comes when its record is free again, so that a listener can save it anew, or end the `ConflictError` in `record.$.error`.
   *
   * @example
   * ```ts
   * outbox.on('failed', ({ key, error }) => show(key, error?.userMessage)); // asks the user: retry or discard
   * ```
   */
  on<E extends 'change' | 'sent' | 'failed' | 'problem'>(event: E, listener: Listener<OutboxEvents[E]>): () => void {
    checkEvent('an outbox', event, ['change', 'sent', 'failed', 'problem'], listener, 'outboxEvent');
    return this.events.on(event, listener);
  }

  /**
   * Sends all queued writes now, without waiting for their backoff. Resolves when each has been tried once. Rejects with `OutboxError` if the
   * storage could not be opened.
   *
   * @example
   * ```ts
   * await outbox.send(); // "Send now"
   * show(outbox.size); // what has not been sent, such as writes that the server has refused
   * ```
   */
  send(): Promise<void> {
    return this.whenOpen(async () => {
      await this.look();
      await this.pump.flush();
      if (!this.isClosed) await this.screen.readUnread();
    });
  }

  /**
   * Resolves when no write is queued any more. Failed and unconfirmed writes do not count. Rejects with `OutboxError` if the
   * storage could not be opened.
   *
   * @example
   * ```ts
   * await outbox.drained(); // such as before a sign-out: everything that could be sent has been sent
   * ```
   */
  drained(): Promise<void> {
    return this.whenOpen(() => this.pump.drained());
  }

  /**
   * Stops sending queued writes until `resume()`. A `save()`, `erase()` or `sync()` of the application is still sent.
   *
   * @example
   * ```ts
   * outbox.pause(); // such as while each byte costs
   * show(outbox.status.get().paused); // true, for a button "Send now" that calls `resume()`
   * ```
   */
  pause(): void {
    this.pump.isStarted = false;
    this.statusFeed.update();
  }

  /**
   * Starts sending queued writes, after `pause()` or with `autoStart: false`.
   *
   * @example
   * ```ts
   * const outbox = new Outbox({ scope: 'user-7', storage: indexedDbStorage(), models: [User], autoStart: false });
   * await fetch('/session', { method: 'POST' }); // the user signs in
   * outbox.resume();
   * ```
   */
  resume(): void {
    this.pump.isStarted = true;
    this.statusFeed.update();
    this.pump.pump();
  }

  /**
   * Queues a failed write, or an unconfirmed create, again. Retrying an unconfirmed create may create a duplicate. After a conflict, the
   * server's row is read first, and the edits are then written over it. A write in flight is left alone. Rejects with `OutboxError` if
   * the write no longer exists.
   *
   * @example
   * ```ts
   * for (const write of outbox.failed) await outbox.retry(write); // "Send again"
   * ```
   */
  async retry(write: EntryRef): Promise<void> {
    const held = await this.find(write);
    await this.sendAgain(held);
  }

  /**
   * Changes the given values of a write, and nothing else, and queues it again, as `retry` does. `values` holds values of the record's
   * fields. Rejects with `OutboxError` if the write no longer exists.
   *
   * @example
   * ```ts
   * for (const write of outbox.failed)
   *   if (write.error.code === 'validation') await outbox.repair(write, { name: 'Ada Lovelace' }); // as the user has corrected it
   * ```
   */
  async repair(write: EntryRef, values: object): Promise<void> {
    const held = await this.find(write);
    const record = this.screen.recordOf(held);
    setValues(record, values);
    const isGiven = ([{ name }]: readonly [FieldDefinition, unknown]) => Object.hasOwn(values, name);
    const written = writeEdits(record, new Map([...coreOf(record).edits].filter(isGiven)));
    const changed = [...written].map(([field, value]) => [field.name, value] as const);
    const first = held.first as OutboxEntry;
    await this.log.append([
      {
        held,
        own: { record, change: undefined },
        make: () =>
          Object.freeze({
            ...{ version: first.version, scope: this.scope, model: first.model, key: keyOf(record), tab: this.log.tab },
            ...{ action: 'update', id: first.action === 'create' ? undefined : first.id, parameters: first.parameters },
            values: Object.fromEntries(changed.filter(([, value]) => value !== undefined)),
            cleared: changed.filter(([, value]) => value === undefined).map(([name]) => name),
            base: {},
            dependsOn: {},
            createdAt: (this.config.clock ?? systemClock).now(),
          }),
      },
    ]);
    await this.sendAgain(held);
  }

  /**
   * Gives a write up: a new record is erased here, the edits of an update are rolled back, a record with a queued erase is shown again. An
   * erase that was refused is given up alone: what was saved before it is sent. If the write was sent, its row is then read, because the
   * server may have carried out an attempt that got no response. Rejects with `OutboxError` if the write no longer exists.
   *
   * The call of a write that was not sent rejects with `AbortError` (`save-dropped`).
   *
   * @example
   * ```ts
   * for (const write of outbox.failed) await outbox.discard(write); // "Give up"
   * ```
   */
  async discard(write: EntryRef): Promise<void> {
    const held = await this.find(write);
    const { record } = held;
    const dropped = await this.decisions.drop(held);
    await this.dropUnreadable(held);
    this.statusFeed.succeeded();
    if (record) this.screen.takeBackWhenFree(record, dropped);
    const wasSent = dropped.some(({ progress }) => progress.attempts > 0);
    if (record && wasSent) void this.screen.readAfterDrop(held, record, dropped);
    this.pump.pump();
  }

  /**
   * Confirms an unconfirmed create, whose record was found on the server: `row` is its row there. Later edits or an erase of the record,
   * and writes of records that refer to it, are sent now. Rejects with `OutboxError` if the write is not a create or is in flight.
   *
   * `decide(record, row)` does the same.
   *
   * @example
   * ```ts
   * for (const write of outbox.failed) {
   *   const { record } = write;
   *   if (write.state !== 'unconfirmed' || !(record instanceof User)) continue;
   *   const rows = await (await fetch(`/users?name=${encodeURIComponent(record.name ?? '')}`)).json();
   *   if (rows.length > 0) await outbox.confirm(write, rows[0]);
   *   else await outbox.retry(write);
   * }
   * ```
   */
  async confirm(write: EntryRef, row: object): Promise<OutboxRecord> {
    const held = await this.find(write);
    const record = this.screen.recordOf(held);
    const core = coreOf(record);
    if (held.first?.action !== 'create' || core.busy) throw new OutboxError('outbox-state');
    const operation: Operation = new Operation({ action: 'create', records: [record] });
    await core.run(async () => {
      const open = held.changes.filter(({ progress }) => progress.state !== 'queued');
      if (!core.change)
        addOpen(record, this.screen.changeOf(held, record, open.length > 0 ? open : held.changes.slice(0, 1)));
      settleSaved(record, changeOfAttempt(record, row), operation, row);
      setNotes(record[ROW], undefined);
      await this.decisions.confirmed(held, record);
    });
    this.pump.pumpAfter(held);
    return record;
  }

  /**
   * Drops all writes of a scope, by default of this outbox's own scope. Resolves with the dropped writes. Records keep their edits. Rejects
   * with `OutboxError` if the storage cannot be read or written.
   *
   * @example
   * ```ts
   * const dropped = await outbox.clear(); // on sign-out, when the user has been asked
   * ```
   */
  async clear(scope: string = this.scope): Promise<readonly DiscardedWrite[]> {
    await this.ready;
    const { items } = await this.log.readScope(scope);
    if (scope !== this.scope) {
      const stored = await this.log.changesOf(items);
      await this.log.removeItems(scope, items);
      return [...stored].map(([name, changes]): DiscardedWrite => {
        const entry = changes.length > 0 ? entryOf(changes, undefined) : undefined;
        return { key: entry?.key ?? name, scope, entry };
      });
    }
    const dropped: DiscardedWrite[] = [];
    for (const held of [...this.log.records.values()]) {
      const entry = held.changes.length > 0 ? this.entryOf(held) : undefined;
      const { record } = held;
      const given = await this.decisions.giveUp(held, 'dropped', false);
      const erases = given.filter(({ change }) => change.action === 'destroy');
      await this.dropUnreadable(held);
      dropped.push({ key: entry?.key ?? held.name, scope, entry });
      if (erases.length > 0 && record) this.screen.takeBackWhenFree(record, erases);
    }
    this.statusFeed.succeeded();
    this.pump.pump();
    return dropped;
  }

  /**
   * Stops sending, waits for writes in flight, and closes the storage. Queued writes stay in it. Another outbox that is opened with the
   * storage meanwhile waits for this.
   *
   * @example
   * ```ts
   * await outbox.close(); // such as on sign-out: what user 7 has saved stays in the storage
   * const next = new Outbox({ scope: 'user-8', storage: indexedDbStorage() });
   * ```
   */
  close(): Promise<void> {
    this.closing ??= this.shutDown();
    return this.closing;
  }

  private async shutDown(): Promise<void> {
    await (this.isOpen ? undefined : this.ready.catch(() => undefined));
    this.isClosed = true;
    this.stopWatching();
    await this.pump.stop();
    await this.log.handedOver();
    await this.sendingPage?.close();
    try {
      if (this.hasStorage) await this.log.storage.close();
    } finally {
      this.hasStorage = false;
      this.leave();
      this.statusFeed.source.end();
      this.events.clear();
    }
  }

  private async whenOpen(act: () => Promise<void>): Promise<void> {
    // Rejects after a failed opening too, because nothing is sent then.
    await this.ready;
    return this.isClosed ? undefined : act();
  }

  /** The record that a decision is about. Rejects with `OutboxError` if nothing of it is stored any more, for example after a decision in another tab. */
  private async find({ key }: EntryRef): Promise<HeldRecord> {
    await this.ready;
    const held = this.log.find(key);
    if (held && this.config.storage.shared && held.activeWrites === 0)
      await this.decisions.locked(held, async () => undefined);
    if (!held || held.isEmpty) throw new OutboxError('outbox-state');
    return held;
  }

  private async dropUnreadable(held: HeldRecord): Promise<void> {
    if (held.unreadable.size === 0) return;
    const { items } = await this.log.readScope(this.scope);
    await this.log.removeItems(
      this.scope,
      items.filter(({ key }) => held.unreadable.has(key)),
    );
    held.keepUnreadable(() => false);
    this.log.letGo(held);
    this.screen.tell(held);
    this.scheduleChangeEvent();
  }

  private async sendAgain(held: HeldRecord): Promise<void> {
    // The outcome of a write in flight is not known yet, so there is nothing to decide.
    if (held.activeWrites > 0) return;
    await this.decisions.retry(held);
    this.statusFeed.succeeded();
    held.startAfresh();
    this.pump.pump();
  }

  private entryOf({ changes, key }: HeldRecord): OutboxEntry {
    return entryOf(changes, this.log.idOf(key));
  }

  /** Tells how a write has ended, and decides when the rest of its record is sent. */
  private writeEnded(held: HeldRecord, { group, outcome, error, record }: WriteEnd): void {
    held.error = error ?? held.error;
    if (error) this.statusFeed.failed(error);
    else this.statusFeed.succeeded();
    if (outcome === 'queued' || outcome === 'never-connected') return this.pump.postpone(held, error);
    held.isDecided = false;
    if (outcome === 'done') {
      held.startAfresh();
      const entry = group.length > 0 ? entryOf(group, this.log.idOf(held.key)) : undefined;
      const row = coreOf(record).erased ? undefined : record[ROW];
      this.stores.settled(held, { row, notes: row && noteValues(row) });
      this.stores.created(held);
      this.reportAfter(() => {
        if (entry) this.events.emit('sent', { entry, record });
        if (held.isUnused) this.screen.release(held);
      });
    } else this.emitFailed(held);
    this.pump.pumpAfter(held);
  }

  /** Calls a listener in a later tick: the record becomes free only after its write has been settled. */
  private reportAfter(report: () => void): void {
    this.unreported += 1;
    queueMicrotask(() => {
      report();
      this.unreported -= 1;
      this.pump.resolveWaiters();
    });
  }

  /** Emits `failed` for changes once their record is no longer busy, so that a listener can resolve a conflict or save again. */
  private emitFailed(held: HeldRecord): void {
    this.unreported += 1;
    const { record } = held;
    const isFree = Promise.resolve(record && coreOf(record).whenEnded(undefined));
    void isFree.then(() => {
      const failure = held.isEmpty ? undefined : this.failureOf(held);
      if (failure && failure.state !== 'held') this.events.emit('failed', failure);
      this.unreported -= 1;
      this.pump.resolveWaiters();
    });
  }

  private countFailed(): number {
    let count = 0;
    for (const held of this.log.records.values()) if (this.screen.prospectOf(held).waitsFor) count += 1;
    return count;
  }

  private failureOf(held: HeldRecord): FailedWrite | undefined {
    const { waitsFor: state, field = '', isGone } = this.screen.prospectOf(held);
    if (!state) return undefined;
    const entry = held.changes.length > 0 ? this.entryOf(held) : undefined;
    const record = state === 'held' || state === 'unreadable' ? held.record : this.screen.recordIfAny(held);
    const common = { key: entry?.key ?? held.name, state, entry, record };
    const [unreadable] = held.unreadable.values();
    if (unreadable) return { ...common, entry: undefined, record: undefined, error: unreadable };
    if (state === 'unreadable') return { ...common, error: new OutboxError('outbox-model', { model: held.model }) };
    if (state !== 'held') {
      const stored = held.changes.find(({ progress }) => progress.error)?.progress.error;
      const { first } = held;
      return {
        ...common,
        error:
          held.error ??
          held.conflict ??
          revivedError(stored, first as StoredChange, state === 'unconfirmed', this.screen.wordsOf(held)),
      };
    }
    const why = isGone ? 'was never saved, or dropped' : 'could not be created';
    return {
      ...common,
      error: new OutboxError('outbox-parent', { ...entryName(held.first as StoredChange), field, why }),
    };
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
      this.pump.resolveWaiters();
    });
  }
}
