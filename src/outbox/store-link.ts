import type { Keeper } from '../extension/keeper.js';
import type { BaseModel } from '../model/base-model.js';
import { type InnerRecord, inner } from '../model/record.js';
import { CORE, DEFINITION } from '../model/symbols.js';
import { idKeyOf } from '../store/id-index.js';
import type { ObservedStore } from '../store/store-observer.js';
import type { Data } from '../util/data-path.js';
import { entryKeyOf, type RecordClass } from './entry-records.js';
import type { Item, Queue } from './queue.js';
import { hide, type RecordKeeper } from './record-keeper.js';

/** Gives stores the records of writes that wait. */
export class StoreLink {
  constructor(
    private readonly queue: Queue,
    private readonly records: RecordKeeper,
    private readonly journal: Keeper,
  ) {}

  /** The record of a write that waits, by its id. */
  recordOf(model: object, id: unknown): object | undefined {
    const Class = model as RecordClass;
    const item = this.queue.byId(Class[DEFINITION].name).get(idKeyOf(id) as never);
    return item && this.restore(item, Class);
  }

  /** A store is made: gives it the new records that wait, and those that it reads later. */
  attach(observed: object): void {
    const store = observed as ObservedStore<BaseModel>;
    const Class = store.model as unknown as RecordClass;
    const { name } = store.definition;
    this.records.learn(Class, () => store.proxy);
    const waiting = [...this.queue.items.values()].filter(
      ({ entry }) => entry.model === name && entry.action === 'create',
    );
    const records = waiting.flatMap((item) => this.restore(item, Class) ?? []);
    if (records.length > 0) store.recordSet.insert(undefined, records.map(baseOf));
    for (const { entry, record } of waiting) if (record && entry.destroy && entry.state === 'queued') hide(record);
    store.recordSet.observers.attach({
      rowsComing: (rows) => this.attachQueuedWrites(store, rows),
      recordChanged: (record) => this.keepWritesOf(inner(record)),
      recordDropped: (record) => this.recordDropped(inner(record)),
    });
  }

  /** Rows are about to become records: the store first takes the records of those that have a write which waits. */
  private attachQueuedWrites({ recordSet, model, definition }: ObservedStore<BaseModel>, rows: readonly Data[]): void {
    if (this.queue.items.size === 0) return;
    const byId = this.queue.byId(definition.name);
    for (const row of byId.size > 0 ? rows : []) {
      const id = idKeyOf(definition.rowId(row));
      const item = id === undefined ? undefined : byId.get(id);
      if (!item || recordSet.index.getSaved(id)) continue;
      const record = this.restore(item, model as unknown as RecordClass);
      if (record) recordSet.expect(baseOf(record), item.entry.action === 'destroy' && item.entry.state === 'queued');
    }
  }

  /** A record that is saved by itself is kept too: its class may know of no outbox. */
  private keepWritesOf({ [CORE]: core }: InnerRecord): void {
    if (core) core.keeper ??= this.journal;
  }

  /** A new record that was removed from the last store that had it is not to be created. */
  private recordDropped(record: InnerRecord): void {
    const { [CORE]: core } = record;
    if (core?.keeper === this.journal && core.phantom && !core.busy && !core.unconfirmed)
      queueMicrotask(() => this.forgetUnheld(record));
  }

  /** The record of a write that waits; undefined where there can be none, which sending it tells. */
  restore(item: Item, Class?: RecordClass): InnerRecord | undefined {
    try {
      return this.records.recordOf(item, Class);
    } catch {
      return undefined;
    }
  }

  private forgetUnheld(record: InnerRecord): void {
    const item = this.queue.get(entryKeyOf(record));
    if (item?.record !== record || item.flights > 0 || this.records.isShown(record)) return;
    void this.journal.forget(record);
  }
}

/** A record as stores hold it. */
function baseOf(record: InnerRecord): BaseModel {
  return record as unknown as BaseModel;
}
