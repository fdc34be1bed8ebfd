import type { DataError } from '../errors/data-error.js';
import type { Extension } from '../extension/extension.js';
import type { Keeper, RememberedWrite } from '../extension/keeper.js';
import { LAYERS } from '../extension/layers.js';
import type { SettledOutcome, Write, WriteAction } from '../extension/write.js';
import { confirm } from '../extensions/confirm.js';
import { coreOf, type InnerRecord } from '../model/record.js';
import type { RecordOwner } from '../model/record-owner.js';
import type { RecordWrite } from '../model/record-write.js';
import { settleErased, settleNotSent } from '../model/settle.js';
import { CORE } from '../model/symbols.js';
import type { Operation } from '../operation/operation.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import type { ActiveWrite, EndedWrite, QueueChanges } from './active-write.js';
import { checkMayStart } from './check-may-start.js';
import { classifyEntry } from './classify-entry.js';
import { ConcurrentWrites } from './concurrent-writes.js';
import { EntryDrafts } from './entry-drafts.js';
import { parametersOf } from './entry-parameters.js';
import { entryKeyOf } from './entry-records.js';
import type { JournalContext } from './journal-context.js';
import { offlineError } from './offline-error.js';
import type { OutboxEntry } from './outbox-entry.js';
import { type Item, lockName } from './queue.js';
import { hideErasing, innerOf, RecordKeeper } from './record-keeper.js';
import { RecordObserver } from './record-observer.js';
import { refuseSavesBeforeErase } from './refuse-saves-before-erase.js';
import { StoreLink } from './store-link.js';

/** Stores writes before they are sent and updates them when they have ended: the side of an outbox that proxies, records and stores use. */
export class Journal implements Keeper {
  readonly extensions: readonly Extension[];
  readonly records: RecordKeeper;
  readonly drafts: EntryDrafts;
  readonly stores: StoreLink;
  readonly observer: RecordObserver;
  /** The keys of the records that the outbox itself is sending, and whose locks it holds. */
  readonly sendingKeys: Set<string> = new Set();
  /** The number of ended operations whose listeners have not been called yet. */
  unreported: number = 0;
  /** The number of writes that have begun and not ended. */
  activeCount: number = 0;
  private readonly activeByOperation: WeakMap<Operation, ActiveWrite> = new WeakMap();
  private readonly concurrentWrites: ConcurrentWrites;

  constructor(private readonly context: JournalContext) {
    const owner: RecordOwner = {
      recordChanged: (record, change) => this.observer.recordChanged(innerOf(record), change),
    };
    this.concurrentWrites = new ConcurrentWrites(context);
    this.records = new RecordKeeper(context.queue, this, owner);
    this.drafts = new EntryDrafts(context.queue, context.version, () => context.now());
    this.observer = new RecordObserver(context, this.records, this.drafts, (record) =>
      this.enqueue(record, 'create', undefined),
    );
    this.stores = new StoreLink(context.queue, this.records, this);
    this.extensions = Object.freeze([
      refuseSavesBeforeErase((record) => this.willErase(record)),
      this.storingExtension(),
      confirm(),
    ]);
  }

  held(model: object, id: unknown): object | undefined {
    return this.stores.recordById(model, id);
  }

  opened(store: object): void {
    this.stores.attach(store);
    // The outbox now knows the model of the store, whose writes it could not send before.
    this.context.activityChanged();
  }

  /** The extension that stores each write before it is sent, and updates its entry when the write has ended. */
  private storingExtension(): Extension {
    return Object.freeze<Extension>({
      name: 'outbox',
      layer: LAYERS.outbox,
      keeper: this,
      queued: async (write) => {
        if (write.durable)
          await Promise.all(write.records.map((record) => this.enqueueWaiting(write, innerOf(record))));
      },
      write: async (write, next) => {
        if (write.durable) await this.begin(write);
        return next(write);
      },
      settled: async (write) => {
        if (write.durable) await this.end(write);
      },
    });
  }

  /** Stores a write that has to wait behind another write of its record, or behind a read of its row. */
  private async enqueueWaiting(write: Write, record: InnerRecord): Promise<void> {
    const { action, operation, isReading } = write;
    // A write that the outbox itself is sending is stored already.
    if (isReading && this.sendingKeys.has(entryKeyOf(record))) return;
    const { phantom, unconfirmed, saving } = coreOf(record);
    // An erase behind an unconfirmed create is stored only if the outbox repeats that create by itself.
    if (phantom && unconfirmed && !saving && !unconfirmed.queued) return;
    await this.enqueue(record, action, write);
    const item = this.context.queue.get(entryKeyOf(record));
    if (!isReading || item?.record !== record) return;
    // If the read fails, the write fails with it, so the end of this operation has to update the entry.
    this.countActive(item, 1);
    this.activeByOperation.set(operation, {
      items: [{ item, entry: item.entry }],
      isSent: true,
      release: () => undefined,
    });
  }

  private countActive(item: Item, change: 1 | -1): void {
    item.activeWrites += change;
    this.activeCount += change;
    this.context.activityChanged();
  }

  /** Ends the earlier start of a write that starts again: after its row was read, or because an extension runs the write again. */
  private endEarlierStart({ operation }: Write): void {
    const activeWrite = this.activeByOperation.get(operation);
    for (const { item } of activeWrite?.items ?? []) this.countActive(item, -1);
    activeWrite?.release();
    this.activeByOperation.delete(operation);
  }

  /** Stores a write before it is sent. If this rejects, the write must not be sent. */
  private async begin(write: Write): Promise<void> {
    const { context } = this;
    const { queue } = context;
    const { proxy, operation } = write;
    const records = write.records.map(innerOf);
    this.endEarlierStart(write);
    const parameters = parametersOf(proxy, operation);
    for (const record of records) {
      checkMayStart(context, write, record, this.sendingKeys.has(entryKeyOf(record)));
      this.records.checkName(record.constructor, () => proxy);
    }
    const checking = this.concurrentWrites.checkNotSentElsewhere(records);
    // Without another tab nothing is awaited here, so that entries are stored in the order in which records are saved.
    if (checking) await checking;
    const online = context.isOnline();
    const entries = records.map((record, at) => {
      const sent = write.frozen?.[at];
      return this.drafts.entryToSend(record, sent ? innerOf(sent) : record, write, parameters, online);
    });
    const stored = queue.commit(entries);
    const items = entries.map((entry, at) => {
      const item = queue.get(entry.key) as Item;
      if (!this.sendingKeys.has(entry.key) || !item.record)
        this.records.attach(item, records[at] as InnerRecord, proxy);
      // The count keeps the outbox from sending this write at the same time.
      this.countActive(item, 1);
      return { item, entry };
    });
    const activeWrite: ActiveWrite = { items, isSent: false, release: () => undefined };
    try {
      await stored;
    } catch (error) {
      for (const { item } of items) this.countActive(item, -1);
      throw error;
    }
    this.activeByOperation.set(operation, activeWrite);
    if (!online) throw offlineError(records);
    await this.concurrentWrites.sendEarlierWrites(items.map(({ item }) => item));
    activeWrite.release = await context.locks.acquire(
      entries.filter(({ key }) => !this.sendingKeys.has(key)).map(lockName),
    );
    await this.concurrentWrites.checkNotSentElsewhere(records);
    activeWrite.isSent = true;
  }

  /** Updates the stored entries of a write whose records have settled. Never rejects. */
  private async end(write: Write): Promise<void> {
    const { operation } = write;
    const records = write.records.map(innerOf);
    const activeWrite = this.activeByOperation.get(operation);
    if (!activeWrite) return this.endUnstored(write, records);
    this.activeByOperation.delete(operation);
    const changes: QueueChanges = { puts: [], drops: [], notifications: [] };
    const { attempts } = operation;
    for (const [at, { item, entry }] of activeWrite.items.entries()) {
      const outcome = write.outcomes[at] as SettledOutcome;
      this.collectChanges(item, entry, records[at] as InnerRecord, {
        outcome,
        attempts,
        isSent: activeWrite.isSent,
        changes,
      });
    }
    // A record that is to be erased needs no update after its create.
    if (records.some((record) => this.willErase(record))) (write as RecordWrite).follow = undefined;
    const { puts, drops, notifications } = changes;
    this.unreported += 1;
    try {
      if (puts.length + drops.length > 0) await this.context.queue.commitOrRetry(puts, drops);
    } catch (error) {
      this.context.reportProblem(error);
    }
    activeWrite.release();
    // This must not be awaited: listeners are called when the record is free, and it becomes free only after this method has ended.
    void Promise.all(notifications.map((end) => end())).then(() => {
      this.unreported -= 1;
      this.context.allReported();
    });
  }

  /** Works out the changes of the queue after the write of one record has ended. The write may have ended before it was sent. */
  private collectChanges(
    item: Item,
    entry: OutboxEntry,
    record: InnerRecord,
    { outcome, attempts, isSent, changes }: EndedWrite,
  ): void {
    const { puts, drops, notifications } = changes;
    const { error } = outcome;
    const isUnconfirmed = Boolean(coreOf(record).unconfirmed);
    const isExhausted = item.refusals + 1 >= this.context.maxAttempts;
    const entryOutcome = isSent ? classifyEntry(entry, outcome, isUnconfirmed, attempts, isExhausted) : 'queued';
    this.countActive(item, -1);
    item.isHandled = true;
    // An entry that was dropped while the write was in flight must not be stored again.
    const isStillQueued = this.context.queue.get(entry.key) === item;
    if (isStillQueued && error && (entryOutcome === 'queued' || entryOutcome === 'never-connected'))
      error.queued = true;
    if (entryOutcome === 'never-connected') settleNotSent(record);
    if (entryOutcome === 'done' && entry.action === 'create') {
      // Records that refer to the created record get its id before they are sent.
      puts.push(...this.drafts.withParentId(entry.key, record));
    }
    notifications.push(() => this.context.writeEnded(item, entry, entryOutcome, error));
    if (!isStillQueued) return;
    const next =
      error?.code === 'outbox-elsewhere'
        ? undefined
        : this.drafts.remainingAfter(item, entry, record, entryOutcome, error);
    if (next === undefined) drops.push(entry.key);
    else if (next !== item.entry) puts.push(next);
    if (next === undefined) this.records.release(item);
    // The record is hidden in this tick: if it were shown even briefly, `sync()` would find its edits and save them.
    if (next?.action === 'destroy' && entryOutcome !== 'done' && next.state === 'queued') hideErasing(record);
  }

  /**
   * Stores a write that waits behind another write of its record, or behind the create of a record that it refers to. Marks `failure`
   * as queued when the write is stored. `source` has the proxy and the parameters of the write; without it, those of the stored entry
   * stay. Never rejects.
   */
  async enqueue(
    record: InnerRecord,
    action: WriteAction,
    source: Pick<Write, 'proxy' | 'operation'> | undefined,
    failure?: DataError,
  ): Promise<void> {
    if (this.context.isClosed() || record[CORE]?.erased) return;
    try {
      const parameters = source && parametersOf(source.proxy, source.operation);
      await this.storeEntry(record, this.drafts.entryToQueue(record, action, parameters), source?.proxy);
      if (failure) failure.queued = true;
    } catch (error) {
      // The write is stored again before it is sent, and the caller then learns of the error.
      this.context.reportProblem(error);
    }
  }

  async keepUnconfirmed(object: object, proxy: object, error: DataError): Promise<void> {
    const record = innerOf(object);
    const { context } = this;
    if (context.isClosed()) return;
    try {
      const entry = this.drafts.unconfirmedCreate(
        record,
        error,
        parametersOf(proxy as DataProxy, error.operation ?? {}),
      );
      const item = await this.storeEntry(record, entry, proxy as DataProxy);
      void context.writeEnded(item, item.entry, 'unconfirmed', error);
    } catch (cause) {
      context.reportProblem(cause);
    }
  }

  /** Stores the entry of a record. Resolves when the storage has taken it. */
  private async storeEntry(record: InnerRecord, entry: OutboxEntry, proxy: DataProxy | undefined): Promise<Item> {
    const { queue } = this.context;
    const stored = queue.commit([entry]);
    const item = queue.get(entry.key) as Item;
    this.records.attach(item, record, proxy);
    await stored;
    return item;
  }

  /** Whether the outbox is going to erase a record. */
  private willErase(record: InnerRecord): boolean {
    const { action, destroy } = this.context.queue.get(entryKeyOf(record))?.entry ?? {};
    return action === 'destroy' || destroy === true;
  }

  queuesChange(object: object, name: string): boolean {
    return this.drafts.queuesChange(innerOf(object), name);
  }

  remember(object: object): RememberedWrite {
    const record = innerOf(object);
    const entryBefore = this.context.queue.get(entryKeyOf(record))?.entry;
    return {
      restoreFailed: () => this.observer.restore(record, entryBefore),
      restoreUndone: () => {
        if (!entryBefore || this.context.isClosed() || this.context.queue.get(entryBefore.key)) return;
        this.storeEntry(record, this.drafts.undone(entryBefore, record), undefined).catch(this.context.reportProblem);
      },
    };
  }

  forget(record: object): Promise<void> {
    return this.observer.forget(record);
  }

  /** Updates the queue after a write that was never stored: it was refused before it started, or the application decided about it. */
  private async endUnstored(write: Write, records: readonly InnerRecord[]): Promise<void> {
    const { action, outcomes } = write;
    for (const [at, record] of records.entries()) {
      const { error, ending } = outcomes[at] as SettledOutcome;
      // A new record was dropped, or the application gave an erase up: nothing is left to send.
      if (record[CORE]?.erased || (action === 'destroy' && !coreOf(record).failure)) await this.forget(record);
      // The server refused the create, so the record that was to be erased does not exist.
      if (action === 'create' && ending === 'refused' && this.willErase(record)) settleErased(record);
      const { destroy, state } = this.context.queue.get(entryKeyOf(record))?.entry ?? {};
      // The erase is sent when the create is confirmed; until then the record stays hidden.
      if (action === 'destroy' && destroy && state === 'queued') hideErasing(record);
      // The write is stored, and sent when the record that it refers to has been created.
      if (action !== 'destroy' && /^parent-(failed|new)$/.test(error?.reason ?? ''))
        await this.enqueue(record, action, write, error);
    }
  }
}
