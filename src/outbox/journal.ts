import type { DataError } from '../errors/data-error.js';
import { NetworkError } from '../errors/network-error.js';
import type { Extension } from '../extension/extension.js';
import type { Keeper } from '../extension/keeper.js';
import { LAYERS } from '../extension/layers.js';
import type { SettledOutcome, Write, WriteAction } from '../extension/write.js';
import { confirm } from '../extensions/confirm.js';
import { coreOf, type InnerRecord, isDirty } from '../model/record.js';
import { didChange, type RecordChange, type RecordOwner } from '../model/record-owner.js';
import { settleErased, settleUnsent } from '../model/settle.js';
import { CORE } from '../model/symbols.js';
import type { Operation } from '../operation/operation.js';
import { MODEL } from '../operation/operation-record.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import { checkKept } from './check-kept.js';
import { classifyEntry, type EntryOutcome } from './classify-entry.js';
import { EntryDrafts } from './entry-drafts.js';
import { entryKeyOf, isWritten } from './entry-records.js';
import type { EndedWrite, Ending, Flight } from './flight.js';
import { orderWrites } from './order-writes.js';
import { OtherWrites } from './other-writes.js';
import type { OutboxEntry } from './outbox-entry.js';
import { errorData, type Item, lockName, type Queue, withState } from './queue.js';
import { hide, innerOf, RecordKeeper } from './record-keeper.js';
import type { RecordLocks } from './record-locks.js';
import { StoreLink } from './store-link.js';

/** The parts and settings of an outbox that its journal uses. */
export interface JournalHost {
  readonly queue: Queue;
  readonly locks: RecordLocks;
  readonly version: number;
  readonly maxAttempts: number;
  now(): number;
  online(): boolean;
  closed(): boolean;
  /** Sends a queued write. Resolves when it has been tried. */
  sendNow(item: Item): Promise<void>;
  /** Called when another tab has sent a stored write. */
  gone(item: Item): Promise<void>;
  /** Called when a write has ended. Resolves when the listeners have been called. */
  ended(item: Item, entry: OutboxEntry, outcome: EntryOutcome, error: DataError | undefined): Promise<void> | void;
  /** Called when a create was confirmed: a write that follows it, and writes that refer to its record, can be sent now. */
  released(item: Item): void;
  /** Called when the listeners have been called for every write that has ended. */
  told(): void;
  /** Reports a problem with the storage. */
  problem(error: unknown): void;
}

/** Stores writes before they are sent and updates them when they have ended: the side of an outbox that proxies, records and stores use. */
export class Journal implements Keeper {
  readonly extensions: readonly Extension[];
  readonly records: RecordKeeper;
  readonly drafts: EntryDrafts;
  readonly stores: StoreLink;
  /** The keys of the records that the outbox itself is sending, and whose locks it holds. */
  readonly sending: Set<string> = new Set();
  /** The number of ended operations whose listeners have not been called yet. */
  ending: number = 0;
  private readonly flights: WeakMap<Operation, Flight> = new WeakMap();
  private readonly others: OtherWrites;

  constructor(private readonly host: JournalHost) {
    const owner: RecordOwner = { recordChanged: (record, change) => this.recordChanged(innerOf(record), change) };
    this.others = new OtherWrites(host);
    this.records = new RecordKeeper(host.queue, this, owner);
    this.drafts = new EntryDrafts(host.queue, host.version, () => host.now());
    this.stores = new StoreLink(host.queue, this.records, this);
    this.extensions = Object.freeze([orderWrites((record) => this.erases(record)), this.noteWrites(), confirm()]);
  }

  held(model: object, id: unknown): object | undefined {
    return this.stores.recordOf(model, id);
  }

  opened(store: object): void {
    this.stores.attach(store);
  }

  /** The extension that stores each write before it is sent, and updates its entry when the write has ended. */
  private noteWrites(): Extension {
    return Object.freeze<Extension>({
      name: 'outbox',
      layer: LAYERS.outbox,
      keeper: this,
      queued: async (write) => {
        if (write.durable) await Promise.all(write.records.map((record) => this.stageWaiting(write, innerOf(record))));
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
  private async stageWaiting(write: Write, record: InnerRecord): Promise<void> {
    const { action, proxy, operation, isReading } = write;
    // A write that the outbox itself is sending is stored already.
    if (isReading && this.sending.has(entryKeyOf(record))) return;
    const { phantom, unconfirmed, saving } = coreOf(record);
    // An erase behind an unconfirmed create is stored only if the outbox repeats that create by itself.
    if (phantom && unconfirmed && !saving && !unconfirmed.queued) return;
    await this.enqueue(record, action, proxy);
    const item = this.host.queue.get(entryKeyOf(record));
    if (!isReading || item?.record !== record) return;
    // If the read fails, the write fails with it, so the end of this operation has to update the entry.
    item.flights += 1;
    this.flights.set(operation, { items: [{ item, entry: item.entry }], sent: true, release: () => undefined });
  }

  /** Ends the earlier start of a write that starts again: after its row was read, or because an extension runs the write again. */
  private beginAnew({ operation }: Write): void {
    const flight = this.flights.get(operation);
    for (const { item } of flight?.items ?? []) item.flights -= 1;
    flight?.release();
    this.flights.delete(operation);
  }

  /** Stores a write before it is sent. If this rejects, the write must not be sent. */
  private async begin(write: Write): Promise<void> {
    const { host } = this;
    const { queue } = host;
    const { proxy, operation } = write;
    const records = write.records.map(innerOf);
    this.beginAnew(write);
    for (const record of records) {
      checkKept(host, write, record, this.sending.has(entryKeyOf(record)));
      this.records.check(record[MODEL], () => proxy);
    }
    const waits = this.others.checkFound(records);
    // Without another tab nothing is awaited here, so that entries are stored in the order in which records are saved.
    if (waits) await waits;
    const online = host.online();
    const entries = records.map((record) => this.drafts.draft(record, write, online));
    const stored = queue.commit(entries);
    const items = entries.map((entry, at) => {
      const item = queue.get(entry.key) as Item;
      if (!this.sending.has(entry.key) || !item.record) this.records.keep(item, records[at] as InnerRecord, proxy);
      // The count keeps the outbox from sending this write at the same time.
      item.flights += 1;
      return { item, entry };
    });
    const flight: Flight = { items, sent: false, release: () => undefined };
    try {
      await stored;
    } catch (error) {
      for (const { item } of items) item.flights -= 1;
      throw error;
    }
    this.flights.set(operation, flight);
    if (!online) throw new NetworkError(new Error('offline'));
    await this.others.catchUp(items.map(({ item }) => item));
    flight.release = await host.locks.acquire(entries.filter(({ key }) => !this.sending.has(key)).map(lockName));
    await this.others.checkFound(records);
    flight.sent = true;
  }

  /** Updates the stored entries of a write whose records have settled. Never rejects. */
  private async end(write: Write): Promise<void> {
    const { operation } = write;
    const records = write.records.map(innerOf);
    const flight = this.flights.get(operation);
    if (!flight) return this.endUnnoted(write, records);
    this.flights.delete(operation);
    const ending: Ending = { puts: [], drops: [], ends: [] };
    const { attempts } = operation;
    for (const [at, { item, entry }] of flight.items.entries()) {
      const outcome = write.outcomes[at] as SettledOutcome;
      this.settle(item, entry, records[at] as InnerRecord, { outcome, attempts, isSent: flight.sent, ending });
    }
    // A record that is to be erased needs no update after its create.
    if (records.some((record) => this.erases(record))) write.follow = undefined;
    const { puts, drops, ends } = ending;
    this.ending += 1;
    try {
      if (puts.length + drops.length > 0) await this.host.queue.settle(puts, drops);
    } catch (error) {
      this.host.problem(error);
    }
    flight.release();
    // This must not be awaited: listeners are called when the record is free, and it becomes free only after this method has ended.
    void Promise.all(ends.map((end) => end())).then(() => {
      this.ending -= 1;
      this.host.told();
    });
  }

  /** Works out the changes of the queue after the write of one record has ended. The write may have ended before it was sent. */
  private settle(
    item: Item,
    entry: OutboxEntry,
    record: InnerRecord,
    { outcome, attempts, isSent, ending }: EndedWrite,
  ): void {
    const { puts, drops, ends } = ending;
    const { error } = outcome;
    const inDoubt = Boolean(coreOf(record).unconfirmed);
    const worn = item.refusals + 1 >= this.host.maxAttempts;
    const entryOutcome = isSent ? classifyEntry(entry, outcome, inDoubt, attempts, worn) : 'queued';
    item.flights -= 1;
    item.judged = true;
    // An entry that was dropped while the write was in flight must not be stored again.
    const kept = this.host.queue.get(entry.key) === item;
    if (kept && error && (entryOutcome === 'queued' || entryOutcome === 'never-connected')) error.queued = true;
    if (entryOutcome === 'never-connected') settleUnsent(record);
    if (entryOutcome === 'done' && entry.action === 'create') {
      // Records that refer to the created record get its id before they are sent.
      puts.push(...this.drafts.referring(entry.key, record));
    }
    ends.push(() => this.host.ended(item, entry, entryOutcome, error));
    if (!kept) return;
    const next =
      error?.code === 'outbox-elsewhere' ? undefined : this.drafts.next(item, entry, record, entryOutcome, error);
    if (next === undefined) drops.push(entry.key);
    else if (next !== item.entry) puts.push(next);
    if (next === undefined) this.records.release(item);
    // The record is hidden in this tick: if it were shown even briefly, `sync()` would find its edits and save them.
    if (next?.action === 'destroy' && entryOutcome !== 'done' && next.state === 'queued') hide(record);
  }

  /**
   * Stores a write that waits behind another write of its record, or behind the create of a record that it refers to. Marks `failure`
   * as queued when the write is stored. Never rejects.
   */
  async enqueue(
    record: InnerRecord,
    action: WriteAction,
    proxy: DataProxy | undefined,
    failure?: DataError,
  ): Promise<void> {
    if (this.host.closed() || record[CORE]?.erased) return;
    try {
      await this.store(record, this.drafts.queuedEntry(record, action), proxy);
      if (failure) failure.queued = true;
    } catch (error) {
      // The write is stored again before it is sent, and the caller then learns of the error.
      this.host.problem(error);
    }
  }

  async keepInDoubt(given: object, proxy: object, error: DataError): Promise<void> {
    const record = innerOf(given);
    const { host } = this;
    if (host.closed()) return;
    try {
      const item = await this.store(record, this.drafts.inDoubt(record, error), proxy as DataProxy);
      void host.ended(item, item.entry, 'unconfirmed', error);
    } catch (cause) {
      host.problem(cause);
    }
  }

  /** Stores the entry of a record. Resolves when the storage has taken it. */
  private async store(record: InnerRecord, entry: OutboxEntry, proxy: DataProxy | undefined): Promise<Item> {
    const { queue } = this.host;
    const stored = queue.commit([entry]);
    const item = queue.get(entry.key) as Item;
    this.records.keep(item, record, proxy);
    await stored;
    return item;
  }

  /** Whether the outbox is going to erase a record. */
  private erases(record: InnerRecord): boolean {
    const { action, destroy } = this.host.queue.get(entryKeyOf(record))?.entry ?? {};
    return action === 'destroy' || destroy === true;
  }

  queuesChange(given: object, name: string): boolean {
    return this.drafts.queuesChange(innerOf(given), name);
  }

  remember(given: object): () => void {
    const record = innerOf(given);
    const before = this.host.queue.get(entryKeyOf(record))?.entry;
    return () => this.takeOut(record, before);
  }

  /** Removes a failed write from the queue, and restores the entry that the queue had before. */
  private takeOut(record: InnerRecord, before: OutboxEntry | undefined): void {
    const { queue, problem } = this.host;
    const { failure } = coreOf(record);
    const item = queue.get(entryKeyOf(record));
    if (!failure?.queued || !item || item.flights > 0 || item.entry.state !== 'queued') return;
    const { entry } = item;
    failure.queued = false;
    const kept =
      entry.action === 'create' && entry.attempts > 0 ? withState(entry, 'unconfirmed', errorData(failure)) : before;
    if (kept) queue.settle([kept], []).catch(problem);
    else void this.forget(record);
    if (entry.action === 'destroy' && before?.action !== 'destroy') didChange(record, { kind: 'restored' });
  }

  /** Updates the queue after the record of an unconfirmed create was found on the server. */
  async confirm(item: Item, record: InnerRecord): Promise<void> {
    const { queue } = this.host;
    const { entry } = item;
    const rest = this.drafts.rest(entry, entry, record);
    const puts = [...(rest ? [rest] : []), ...this.drafts.referring(entry.key, record)];
    if (!rest) this.records.release(item);
    else if (rest.action === 'destroy') hide(record);
    try {
      await queue.settle(puts, rest ? [] : [entry.key]);
    } finally {
      this.host.released(item);
    }
  }

  async forget(record: object): Promise<void> {
    const key = entryKeyOf(innerOf(record));
    const item = this.host.queue.get(key);
    if (!item) return;
    this.records.release(item);
    await this.host.queue.settle([], [key]).catch(this.host.problem);
  }

  /** Updates the queue after a write that was never stored: it was refused before it started, or the application decided about it. */
  private async endUnnoted({ action, proxy, outcomes }: Write, records: readonly InnerRecord[]): Promise<void> {
    for (const [at, record] of records.entries()) {
      const { error, ending } = outcomes[at] as SettledOutcome;
      // A new record was dropped, or the application gave an erase up: nothing is left to send.
      if (record[CORE]?.erased || (action === 'destroy' && !coreOf(record).failure)) await this.forget(record);
      // The server refused the create, so the record that was to be erased does not exist.
      if (action === 'create' && ending === 'refused' && this.erases(record)) settleErased(record);
      const { destroy, state } = this.host.queue.get(entryKeyOf(record))?.entry ?? {};
      // The erase is sent when the create is confirmed; until then the record stays hidden.
      if (action === 'destroy' && destroy && state === 'queued') hide(record);
      // The write is stored, and sent when the record that it refers to has been created.
      if (action !== 'destroy' && /^parent-(failed|new)$/.test(error?.reason ?? ''))
        await this.enqueue(record, action, proxy, error);
    }
  }

  private recordChanged(record: InnerRecord, { kind }: RecordChange): void {
    const item = this.host.queue.get(entryKeyOf(record));
    if (!item || item.record !== record || item.flights > 0 || record[CORE]?.busy) return;
    const { action, state, destroy } = item.entry;
    if (kind === 'erased') void this.forget(record);
    // The application has looked the record up and settled its create.
    else if (kind === 'saved' && action === 'create') void this.confirm(item, record).catch(this.host.problem);
    // The edits were rejected or committed, or the server's row holds them already: nothing is left to send.
    else if (
      action === 'update' &&
      !isDirty(record) &&
      (kind === 'reject' || kind === 'commit' || (kind === 'loaded' && isWritten(record, item.entry)))
    )
      void this.forget(record);
    else if (kind === 'reject' && action === 'create' && item.entry.later)
      void this.enqueue(record, 'create', undefined);
    else if (kind === 'restored' && (action === 'destroy' || destroy) && state === 'queued') hide(record);
  }
}
