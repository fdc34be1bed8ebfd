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

/** What a journal needs of its outbox. */
export interface JournalHost {
  readonly queue: Queue;
  readonly locks: RecordLocks;
  readonly version: number;
  readonly maxAttempts: number;
  now(): number;
  online(): boolean;
  closed(): boolean;
  /** Sends what is queued of another object of the same record, and waits for it. */
  sendNow(item: Item): Promise<void>;
  /** Another tab has sent a write that was found. */
  gone(item: Item): Promise<void>;
  /** How a write ended; resolves when that has been told. */
  ended(item: Item, entry: OutboxEntry, outcome: EntryOutcome, error: DataError | undefined): Promise<void> | void;
  /** Nothing holds back any more what waited for the decision about a write: the write that follows it, and those that refer to it. */
  released(item: Item): void;
  /** Everything has been told of. */
  told(): void;
  problem(error: unknown): void;
}

/** Notes writes before they are sent and when they have ended: what proxies, records and stores know of an outbox. */
export class Journal implements Keeper {
  readonly extensions: readonly Extension[];
  readonly records: RecordKeeper;
  readonly drafts: EntryDrafts;
  readonly stores: StoreLink;
  /** Keys of records that the outbox itself is sending, whose locks it holds. */
  readonly sending: Set<string> = new Set();
  /** Ends of operations that listeners are yet to hear of. */
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

  /** Keeps writes from before they are sent until they have ended. */
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

  /** Keeps a write that stands behind another one of its record, or behind a read of its row. */
  private async stageWaiting(write: Write, record: InnerRecord): Promise<void> {
    const { action, proxy, operation, isReading } = write;
    // The outbox itself is about to send it: it is stored already.
    if (isReading && this.sending.has(entryKeyOf(record))) return;
    const { phantom, unconfirmed, saving } = coreOf(record);
    // Behind a create in doubt an erase goes only where the create goes by itself.
    if (phantom && unconfirmed && !saving && !unconfirmed.queued) return;
    await this.enqueue(record, action, proxy);
    const item = this.host.queue.get(entryKeyOf(record));
    if (!isReading || item?.record !== record) return;
    // How the read ends is how the write ends, unless it is sent.
    item.flights += 1;
    this.flights.set(operation, { items: [{ item, entry: item.entry }], sent: true, release: () => undefined });
  }

  /** A write is sent now whose row has been read before, or that an extension runs once more. */
  private beginAnew({ operation }: Write): void {
    const flight = this.flights.get(operation);
    for (const { item } of flight?.items ?? []) item.flights -= 1;
    flight?.release();
    this.flights.delete(operation);
  }

  /** Makes a write durable before it is sent. Where it rejects, nothing is to be sent. */
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
    // What is saved while this one is noted comes behind it.
    if (waits) await waits;
    const online = host.online();
    const entries = records.map((record) => this.drafts.draft(record, write, online));
    const stored = queue.commit(entries);
    const items = entries.map((entry, at) => {
      const item = queue.get(entry.key) as Item;
      if (!this.sending.has(entry.key) || !item.record) this.records.keep(item, records[at] as InnerRecord, proxy);
      // From now on, the outbox is not to send it by itself.
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

  /** A write has ended, and its records say how. Never rejects. */
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
    // Nothing else follows the create of a record that is to be erased.
    if (records.some((record) => this.erases(record))) write.follow = undefined;
    const { puts, drops, ends } = ending;
    this.ending += 1;
    try {
      if (puts.length + drops.length > 0) await this.host.queue.settle(puts, drops);
    } catch (error) {
      this.host.problem(error);
    }
    flight.release();
    // Not waited for: it is told when the record is free, for which this has to end first.
    void Promise.all(ends.map((end) => end())).then(() => {
      this.ending -= 1;
      this.host.told();
    });
  }

  /** Takes in how the write of one record has ended, which may have been before it was sent. */
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
    // What was dropped meanwhile does not come back.
    const kept = this.host.queue.get(entry.key) === item;
    if (kept && error && (entryOutcome === 'queued' || entryOutcome === 'never-connected')) error.queued = true;
    if (entryOutcome === 'never-connected') settleUnsent(record);
    if (entryOutcome === 'done' && entry.action === 'create') {
      // From now on the entry is of a saved record, or there is none: what is saved meanwhile must not look like a create.
      puts.push(...this.drafts.referring(entry.key, record));
    }
    ends.push(() => this.host.ended(item, entry, entryOutcome, error));
    if (!kept) return;
    const next =
      error?.code === 'outbox-elsewhere' ? undefined : this.drafts.next(item, entry, record, entryOutcome, error);
    if (next === undefined) drops.push(entry.key);
    else if (next !== item.entry) puts.push(next);
    if (next === undefined) this.records.release(item);
    // At once: shown for a moment, its edits would be taken for something to save.
    if (next?.action === 'destroy' && entryOutcome !== 'done' && next.state === 'queued') hide(record);
  }

  /**
   * Makes a write durable that waits, behind another of its record or of a record that it refers to; `failure` then says that it is
   * queued. Never rejects.
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
      // It is noted once more before it is sent: then whoever saves hears of it.
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

  /** Stores the entry of a record; resolves when that is durable. */
  private async store(record: InnerRecord, entry: OutboxEntry, proxy: DataProxy | undefined): Promise<Item> {
    const { queue } = this.host;
    const stored = queue.commit([entry]);
    const item = queue.get(entry.key) as Item;
    this.records.keep(item, record, proxy);
    await stored;
    return item;
  }

  /** Whether a record is erased as soon as that can be done. */
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

  /** Takes a write that failed out of the queue, but for what was in it before. */
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

  /** Settles the entry of a create whose record was found on the server. */
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

  /** A write ended that was never noted: it was refused before, or somebody has decided about it. */
  private async endUnnoted({ action, proxy, outcomes }: Write, records: readonly InnerRecord[]): Promise<void> {
    for (const [at, record] of records.entries()) {
      const { error, ending } = outcomes[at] as SettledOutcome;
      // A new record that was dropped, or an erase that was given up.
      if (record[CORE]?.erased || (action === 'destroy' && !coreOf(record).failure)) await this.forget(record);
      // The create that an erase waited for has made no record.
      if (action === 'create' && ending === 'refused' && this.erases(record)) settleErased(record);
      const { destroy, state } = this.host.queue.get(entryKeyOf(record))?.entry ?? {};
      // It goes as soon as the create is certain.
      if (action === 'destroy' && destroy && state === 'queued') hide(record);
      // It goes when the record that it refers to has been created.
      if (action !== 'destroy' && /^parent-(failed|new)$/.test(error?.reason ?? ''))
        await this.enqueue(record, action, proxy, error);
    }
  }

  private recordChanged(record: InnerRecord, { kind }: RecordChange): void {
    const item = this.host.queue.get(entryKeyOf(record));
    if (!item || item.record !== record || item.flights > 0 || record[CORE]?.busy) return;
    const { action, state, destroy } = item.entry;
    if (kind === 'erased') void this.forget(record);
    // A look-up has told what became of it.
    else if (kind === 'saved' && action === 'create') void this.confirm(item, record).catch(this.host.problem);
    // Nothing is left to write: it was given up, is written by other means, or the server has it.
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
