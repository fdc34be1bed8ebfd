import type { InnerRecord } from '../model/record.js';
import { CORE, DEFINITION } from '../model/symbols.js';
import type { WriteJournal } from '../operation/write-journal.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import { keyOf as idKeyOf } from '../store/id-index.js';
import type { RecordSet } from '../store/record-set.js';
import type { SharedModel } from '../store/sharing.js';
import { keyOf, type RecordClass } from './entry-records.js';
import type { Item, Queue } from './queue.js';
import { hide, innerOf, publicOf, type RecordKeeper } from './record-keeper.js';

type StoreRecordSet = RecordSet<never>;

/** Gives stores the records of writes that wait. */
export class StoreLink {
  constructor(
    private readonly queue: Queue,
    private readonly keeper: RecordKeeper,
    private readonly journal: WriteJournal,
  ) {}

  /** The record of a write that waits, by its id. */
  recordOf(model: object, id: unknown): object | undefined {
    const Class = model as RecordClass;
    const item = this.queue.byId(Class[DEFINITION].name).get(idKeyOf(id) as never);
    return item && this.restore(item, Class);
  }

  /** A store is made: it takes the new records that wait. */
  attach(recordSet: object, model: object, proxy: () => object, shared?: object): void {
    const Class = model as RecordClass;
    const { name } = Class[DEFINITION];
    this.keeper.learn(Class, proxy as () => DataProxy);
    const into = recordSet as StoreRecordSet;
    const waiting = [...this.queue.items.values()].filter(
      ({ entry }) => entry.model === name && entry.action === 'create',
    );
    const records = waiting.flatMap((item) => this.restore(item, Class) ?? []);
    if (records.length > 0) into.insert(undefined, records.map(publicOf) as never[]);
    for (const record of records) (shared as SharedModel | undefined)?.adopt(publicOf(record));
    for (const { entry, record } of waiting) if (record && entry.destroy && entry.state === 'queued') hide(record);
    into.pins.add({
      keeps: () => false,
      touched: (record) => {
        const own = innerOf(record);
        // Also what is saved by the record itself is kept, whose class may know of no outbox.
        if (own[CORE] && into.holds(record)) own[CORE].journal ??= this.journal;
        // Whoever removes a new record from the last store that has it does not want it created.
        if (
          own[CORE]?.journal === this.journal &&
          own[CORE].phantom &&
          !own[CORE].busy &&
          !own[CORE].doubt &&
          !into.holds(record)
        )
          queueMicrotask(() => this.forgetUnheld(own));
      },
    });
  }

  /** A store is about to take rows in: first it takes the records that have writes which wait. */
  lay(recordSet: object, model: object, rows: readonly unknown[], shared?: object): void {
    const Class = model as RecordClass;
    const definition = Class[DEFINITION];
    const into = recordSet as StoreRecordSet;
    if (this.queue.items.size === 0) return;
    const byId = this.queue.byId(definition.name);
    for (const row of byId.size > 0 ? rows : []) {
      const id = idKeyOf(definition.rowId(row));
      const item = id === undefined ? undefined : byId.get(id);
      if (!item || into.index.getSaved(id) || (shared as SharedModel | undefined)?.find(id)) continue;
      const record = this.restore(item, Class);
      if (!record) continue;
      into.expect(publicOf(record) as never, item.entry.action === 'destroy' && item.entry.state === 'queued');
      (shared as SharedModel | undefined)?.adopt(publicOf(record));
    }
  }

  /** The record of a write that waits; undefined where there can be none, which sending it tells. */
  restore(item: Item, Class?: RecordClass): InnerRecord | undefined {
    try {
      return this.keeper.recordOf(item, Class);
    } catch {
      return undefined;
    }
  }

  private forgetUnheld(record: InnerRecord): void {
    const item = this.queue.get(keyOf(record));
    if (item?.record !== record || item.flights > 0 || this.keeper.isShown(record)) return;
    void this.journal.forget(record);
  }
}
