import type { Keeper } from '../extension/keeper.js';
import type { Model } from '../model/model.js';
import { type InnerModel, innerModel } from '../model/model-definition.js';
import { type InnerRecord, inner } from '../model/record.js';
import { CORE, DEFINITION } from '../model/symbols.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import type { ObservedStore } from '../store/store-observer.js';
import type { Data } from '../util/data-path.js';
import { type ChangeLog, type ForeignOutcome, nameOfId, type Seen } from './change-log.js';
import type { HeldRecord } from './held-record.js';
import { LateReads, type SettledRow } from './late-reads.js';
import type { Screen } from './screen.js';

/** Connects stores with the records of queued writes. */
export class StoreLink {
  private readonly stores: Set<WeakRef<ObservedStore<Model>>> = new Set();
  private readonly late: LateReads = new LateReads();

  constructor(
    private readonly log: ChangeLog,
    private readonly screen: Screen,
    private readonly keeper: Keeper,
  ) {}

  /** The record with stored changes, by its id. */
  recordById(model: object, id: unknown): object | undefined {
    const Class = model as InnerModel;
    const held = this.log.byId(Class[DEFINITION].name, id);
    return held && this.screen.recordIfAny(held, Class);
  }

  /** Adds the new records with stored creates to a new store, and observes the rows that the store reads later. */
  attach(observed: object): void {
    const store = observed as ObservedStore<Model>;
    const Class = innerModel(store.model);
    this.screen.registerStore(Class, readerOf(store.proxySource));
    this.stores.add(new WeakRef(store));
    this.insert(store, [...this.log.records.values()]);
    store.recordSet.observers.attach({
      rowsComing: (rows, startedAt) => {
        if (startedAt !== undefined) this.late.correct(store, rows, startedAt);
        this.attachQueuedWrites(store, rows);
      },
      recordChanged: (record) => this.attachKeeper(inner(record)),
      recordDropped: (record) => this.recordDropped(inner(record)),
    });
  }

  /** Shows in the stores what other tabs have stored, or what was found when the outbox was opened. */
  show(seen: readonly Seen[]): void {
    this.showIn(seen.filter((each) => each.added.length > 0).map(({ held }) => held));
  }

  /** Gives a created record the changes of its row that were stored by the id of the row: a tab may have read the row before the response. */
  created({ key, model }: HeldRecord): void {
    const id = this.log.idOf(key);
    const byId = id === null ? undefined : this.log.byId(model, id);
    if (byId && !byId.isEmpty) this.showIn([byId]);
  }

  private showIn(added: readonly HeldRecord[]): void {
    if (added.length === 0) return;
    for (const ref of this.stores) {
      const store = ref.deref();
      if (!store) this.stores.delete(ref);
      else this.insert(store, added);
    }
  }

  /** Shows an outcome of another tab in the stores that have the record, although this tab has read no change of it. */
  settledElsewhere(outcome: ForeignOutcome): void {
    const { of, row, notes } = outcome;
    const name = of && nameOfId(of.model, of.id);
    if (!of || name === undefined) return;
    this.settled({ model: of.model, names: [name] }, { row: row as Data | undefined, notes });
    for (const ref of this.stores) {
      const store = ref.deref();
      const shown = store?.definition.name === of.model ? store.recordSet.index.getSaved(of.id) : undefined;
      if (shown && !inner(shown)[CORE]?.erased) this.screen.showSettled(inner(shown), outcome);
    }
  }

  /** Notes the row that a record has on the server now, which answers to earlier reads do not know. */
  settled({ model, names }: { model: string; names: Iterable<string> }, settled: SettledRow): void {
    for (const ref of this.stores) {
      const store = ref.deref();
      if (store?.definition.name === model) this.late.note(store, names, settled);
    }
  }

  /** Adds the new records among these to a store, and gives stored changes to the records that it has. */
  private insert(store: ObservedStore<Model>, all: readonly HeldRecord[]): void {
    const Class = innerModel(store.model);
    const own = all.filter(({ model }) => model === store.definition.name);
    const created: InnerRecord[] = [];
    for (const held of own) {
      const shown = this.shownIn(store, held);
      // The record that this outbox has made to send the changes is shown nowhere.
      const isShown = held.record && (held.record === shown || this.screen.isHeldElsewhere(held.record));
      if (shown && !isShown) {
        this.screen.attach(held, shown, undefined);
        this.screen.show(held, [], held.changes);
      }
      const isNew = held.first?.action === 'create';
      const record = isNew ? this.screen.recordIfAny(held, Class) : undefined;
      if (record && !record[CORE]?.erased && !store.recordSet.holds(record)) created.push(record);
    }
    if (created.length > 0) store.recordSet.insert(undefined, created);
    for (const held of own) {
      const { record, erases, changes } = held;
      if (record && erases && changes[0]?.progress.state !== 'unconfirmed') this.screen.hide(record);
      // A model whose changes could not be sent may be known now.
      if (record) this.screen.tell(held);
    }
  }

  /** The record of a store that stored changes are about, though it did not come from this outbox. */
  private shownIn({ recordSet, definition }: ObservedStore<Model>, held: HeldRecord): InnerRecord | undefined {
    const id = held.first?.id ?? this.log.idOf(held.key);
    const record = held.first?.action === 'create' || id === undefined ? undefined : recordSet.index.getSaved(id);
    return record && definition.serverId(inner(record)) !== undefined ? inner(record) : undefined;
  }

  /** Gives the store the records with stored changes before it makes other records from the same rows. */
  private attachQueuedWrites({ recordSet, model, definition }: ObservedStore<Model>, rows: readonly Data[]): void {
    if (this.log.records.size === 0) return;
    for (const row of rows) {
      const id = definition.rowId(row);
      const held = this.log.byId(definition.name, id);
      if (!held || held.changes.length === 0 || recordSet.index.getSaved(id)) continue;
      const record = this.screen.recordIfAny(held, innerModel(model));
      if (record) recordSet.addOffPage(record, held.erases);
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

  private dropUnheldCreate(record: InnerRecord): void {
    const held = this.log.get(record);
    if (held?.record !== record || held.activeWrites > 0 || this.screen.isHeldElsewhere(record)) return;
    void this.keeper.forget(record);
  }
}

/**
 * A function that gives the present proxy of a store. It is made here, because a function made beside others that read the store would
 * keep the first store of each model in memory as long as the outbox exists.
 */
function readerOf(source: ObservedStore<Model>['proxySource']): () => DataProxy {
  return () => source.get();
}
