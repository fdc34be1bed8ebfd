import type { Keeper } from '../extension/keeper.js';
import type { BaseModel } from '../model/base-model.js';
import { type InnerRecord, inner } from '../model/record.js';
import { CORE, DEFINITION } from '../model/symbols.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import { idKeyOf } from '../store/id-index.js';
import type { ObservedStore } from '../store/store-observer.js';
import type { Data } from '../util/data-path.js';
import { entryKeyOf, type RecordClass } from './entry-records.js';
import type { Item, Queue } from './queue.js';
import { hideErasing, type RecordKeeper } from './record-keeper.js';

/** Connects stores with the records of queued writes. */
export class StoreLink {
  constructor(
    private readonly queue: Queue,
    private readonly records: RecordKeeper,
    private readonly keeper: Keeper,
  ) {}

  /** The record of a queued write, by its id. */
  recordById(model: object, id: unknown): object | undefined {
    const Class = model as RecordClass;
    const item = this.queue.byId(Class[DEFINITION].name).get(idKeyOf(id) as never);
    return item && this.restore(item, Class);
  }

  /** Adds the new records with queued creates to a new store, and observes the rows that the store reads later. */
  attach(observed: object): void {
    const store = observed as ObservedStore<BaseModel>;
    const Class = store.model as unknown as RecordClass;
    const { definition, proxySource } = store;
    const { name } = definition;
    this.records.registerStore(Class, readerOf(proxySource));
    const waiting = [...this.queue.items.values()].filter(
      ({ entry }) => entry.model === name && entry.action === 'create',
    );
    const records = waiting.flatMap((item) => this.restore(item, Class) ?? []);
    if (records.length > 0) store.recordSet.insert(undefined, records.map(baseOf));
    for (const { entry, record } of waiting)
      if (record && entry.destroy && entry.state === 'queued') hideErasing(record);
    store.recordSet.observers.attach({
      rowsComing: (rows) => this.attachQueuedWrites(store, rows),
      recordChanged: (record) => this.attachKeeper(inner(record)),
      recordDropped: (record) => this.recordDropped(inner(record)),
    });
  }

  /** Gives the store the records of queued writes before it makes other records from the same rows. */
  private attachQueuedWrites({ recordSet, model, definition }: ObservedStore<BaseModel>, rows: readonly Data[]): void {
    if (this.queue.items.size === 0) return;
    const byId = this.queue.byId(definition.name);
    for (const row of byId.size > 0 ? rows : []) {
      const id = idKeyOf(definition.rowId(row));
      const item = id === undefined ? undefined : byId.get(id);
      if (!item || recordSet.index.getSaved(id)) continue;
      const record = this.restore(item, model as unknown as RecordClass);
      if (record)
        recordSet.addOffPage(baseOf(record), item.entry.action === 'destroy' && item.entry.state === 'queued');
    }
  }

  /** Connects a record of the store with this outbox, so that its writes are kept even if the proxy of its class uses no outbox. */
  private attachKeeper({ [CORE]: core }: InnerRecord): void {
    if (core) core.keeper ??= this.keeper;
  }

  /** Drops the queued create of a new record that was removed from its last store. */
  private recordDropped(record: InnerRecord): void {
    const { [CORE]: core } = record;
    if (core?.keeper === this.keeper && core.phantom && !core.busy && !core.unconfirmed)
      queueMicrotask(() => this.dropUnheldCreate(record));
  }

  /** The record of a queued write; undefined: it cannot be made, and sending the write will fail with the reason. */
  restore(item: Item, Class?: RecordClass): InnerRecord | undefined {
    try {
      return this.records.recordOf(item, Class);
    } catch {
      return undefined;
    }
  }

  private dropUnheldCreate(record: InnerRecord): void {
    const item = this.queue.get(entryKeyOf(record));
    if (item?.record !== record || item.activeWrites > 0 || this.records.isHeldElsewhere(record)) return;
    void this.keeper.forget(record);
  }
}

/**
 * A function that gives the present proxy of a store. It is made here, because a function made beside others that read the store would
 * keep the first store of each model in memory as long as the outbox exists.
 */
function readerOf(source: ObservedStore<BaseModel>['proxySource']): () => DataProxy {
  return () => source.get();
}

/** A record with the type that stores use. */
function baseOf(record: InnerRecord): BaseModel {
  return record as unknown as BaseModel;
}
