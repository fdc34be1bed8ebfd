import type { ModelType } from '../model/field.js';
import type { Model } from '../model/model.js';
import { innerModel } from '../model/model-definition.js';
import { referenceId } from '../model/parts/reference-fields.js';
import { inner } from '../model/record.js';
import {
  addOwner,
  isOwner,
  type RecordChange,
  type RecordOwner,
  removeOwner,
  storesOf,
  type WrittenRows,
} from '../model/record-owner.js';
import { CORE, OWNER, ROW, SETTINGS } from '../model/symbols.js';
import type { RecordId } from '../operation/actions.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import { requestFailed } from '../store/gone-record.js';
import { idKeyOf, serverId } from '../store/id-index.js';
import { type DuplicateHolder, mergeDuplicate } from '../store/merge-duplicate.js';
import type { SharingStore } from '../store/sharing.js';
import type { Data } from '../util/data-path.js';
import { Notifier } from '../util/notifier.js';
import type { Copies } from './copies.js';
import { IncludedRecords } from './included-records.js';
import { ModelRecords } from './model-records.js';
import { ReferenceReader } from './reference-reader.js';
import type { Session } from './session.js';
import { SessionStores } from './session-stores.js';

/** The hooks of those who follow a session. */
export interface SessionObserver {
  /** A record changed, or came or went. `change`: what its owners were told; undefined: it came or went. */
  readonly recordChanged: (record: Model, change?: RecordChange) => void;
  readonly storeAttached: (store: SharingStore) => void;
  /** The session meets a model for the first time, before it reads a row of it. */
  readonly modelMet?: (model: ModelType<Model>) => void;
  /** A record with edits or another state of its own has joined the session. */
  readonly recordJoined?: (record: Model) => void;
  /** Another record of the same row takes the place of a record, and gets its edits next. */
  readonly recordReplaced?: (record: Model, stays: Model) => void;
}

/** The states from which a page was rendered: stores that are made later show them too. */
export interface PageState {
  storeOpened(store: SharingStore): void;
}

/** The records that a session and its stores share: one object per id, and which of them are pending. */
export class SharedRecords implements RecordOwner, DuplicateHolder<Model> {
  private readonly sessionStores: SessionStores = new SessionStores();
  /** The proxies that write pending records of stores that were disposed of. */
  private readonly formerProxies: WeakMap<Model, DataProxy> = new WeakMap();
  /**
   * New and edited records, and those being saved. The session holds only these, and removed ones; others exist as long as the
   * application or a store holds them.
   */
  readonly pending: Set<Model> = new Set();
  /** Removed records that are in no store. */
  removed: Set<Model> = new Set();
  /** Whoever follows the records and stores: the status of the session, while it is watched. */
  readonly observers: Notifier<SessionObserver> = new Notifier();
  /** The models of which the session or its stores have read rows, or were given some. */
  readonly readModels: Set<unknown> = new Set();
  /** The states of the page; undefined: it was not rendered on a server. */
  hydration: PageState | undefined = undefined;
  /** Pending records that refer to a parent without a store of children: such a store takes them when it is made. */
  readonly unplaced: Set<Model> = new Set();
  /** The copies, if the session is a fork. */
  copies: Copies | undefined = undefined;
  /** Rows of other models that came with records. */
  readonly included: IncludedRecords = new IncludedRecords(this);
  /** Whether the stores of children of this session follow its records. */
  followsChildren = false;
  /** Reads what fields refer to. */
  readonly references: ReferenceReader;
  /** Called for a load or write of a record that has failed. */
  readonly requestFailed: typeof requestFailed = requestFailed;
  private readonly models: Map<unknown, ModelRecords> = new Map();

  constructor(readonly session: Session) {
    this.references = new ReferenceReader(session);
  }

  /** Attaches the session to a store: records that the store loads or gets are shared with the other stores. */
  attach(store: SharingStore): void {
    const { recordSet } = store;
    const { sessionStores } = this;
    const records = this.ofModel(store.model);
    const holdPending = (record: Model) =>
      sessionStores.hold(store, record, recordSet.holds(record) && (isPending(record) || recordSet.hidden(record)));
    sessionStores.add(
      store,
      recordSet.observers.attach({
        opened: () => this.hydration?.storeOpened(store),
        rowsComing: (rows) => this.shareExisting(store, rows),
        startTimes: () => this.included.startTimes(this.knownModels),
        rowsIncluded: ({ result, startTimes }, records) => this.included.take(result.included, startTimes, records),
        checkAdded: (added) => records.checkIds(added),
        recordAdded: (record) => {
          records.adopt(record);
          if (inner(record)[CORE]) holdPending(record);
        },
        recordChanged: holdPending,
        recordDropped: (record, replacedBy) => {
          holdPending(record);
          this.recordDropped(record, replacedBy);
        },
        watched: (isWatched) => sessionStores.hold(store, this, isWatched),
        storeDisposed: () => this.detach(store),
      }),
    );
    this.observers.tell('storeAttached', store);
  }

  /** Detaches the session from a store that is being disposed of. The session itself keeps its pending changes. */
  private detach(store: SharingStore): void {
    const { recordSet } = store;
    const removed = [...recordSet.removed];
    const pending = [...recordSet.pendingRecords(isPending), ...removed];
    this.sessionStores.delete(store);
    if (pending.length > 0) {
      const { proxy } = store;
      for (const record of pending) this.formerProxies.set(record, proxy);
    }
    for (const record of removed) {
      this.removed.add(record);
      this.observers.tell('recordChanged', record);
    }
  }

  /** The proxy that writes a record which no store of the session holds. */
  proxyOf(record: Model): DataProxy {
    return this.formerProxies.get(record) ?? (record.constructor as typeof Model).proxy;
  }

  /** Whether rows lack members that the server has, for a record which no store of the session holds. */
  isIncomplete(record: Model): boolean {
    const isSendable =
      this.formerProxies.has(record) ||
      innerModel(record.constructor as ModelType<Model>)[SETTINGS]?.proxy !== undefined;
    return isSendable && this.proxyOf(record).reader.rows === 'incomplete';
  }

  ofModel(model: ModelType<Model>): ModelRecords {
    let records = this.models.get(model);
    if (!records) {
      records = new ModelRecords(
        (record) => {
          const isNew = !isOwner(inner(record), this);
          addOwner(inner(record), this);
          this.copies?.adopted(inner(record));
          this.updatePending(record);
          // Nearly all records that a load adds have no state but their row, and cannot change the status.
          if (!inner(record)[CORE]) return;
          if (isNew) this.observers.tell('recordJoined', record);
          this.observers.tell('recordChanged', record);
        },
        (id) => this.copies?.find(model, id),
      );
      this.models.set(model, records);
      this.observers.tell('modelMet', model);
    }
    return records;
  }

  /** All records that still exist. */
  all(): Model[] {
    return [...this.models.values()].flatMap((records) => records.all());
  }

  /** The models that the session has records of, or had. */
  get knownModels(): readonly unknown[] {
    return [...this.models.keys()];
  }

  get stores(): readonly SharingStore[] {
    return this.sessionStores.all;
  }

  /** The first store that holds a record. */
  holderOf(record: Model): SharingStore | undefined {
    return this.holdersOf(record)[0];
  }

  /** The stores that hold a record. They are found by the record, because a session may have thousands of stores. */
  holdersOf(record: Model): readonly SharingStore[] {
    return storesOf(inner(record)).filter((store) => this.sessionStores.has(store)) as readonly SharingStore[];
  }

  /** Whether a record was removed, or is being erased. */
  isHidden(record: Model): boolean {
    return this.removed.has(record) || this.holdersOf(record).some(({ recordSet }) => recordSet.hidden(record));
  }

  forget(record: Model): void {
    this.ofRecord(record).forget(record);
    this.pending.delete(record);
    this.unplaced.delete(record);
    this.removed.delete(record);
    removeOwner(inner(record), this);
    this.observers.tell('recordChanged', record);
  }

  /** Removes a record from the stores that hold it, or only from the session if none does. */
  remove(record: Model): void {
    const holders = this.holdersOf(record);
    for (const store of holders) store.remove(record);
    if (holders.length > 0 || record.erased) return;
    const { busy, sent } = inner(record)[CORE] ?? {};
    if (record.phantom && !busy && !sent) return this.forgetNew(record);
    this.removed.add(record);
    this.observers.tell('recordChanged', record);
  }

  /** Forgets a new record, and what `onErase` says of its children. */
  private forgetNew(record: Model): void {
    const children = inner(record)[CORE]?.children?.writes;
    const refusal = children?.eraseRefusal();
    if (refusal) throw refusal;
    children?.leaveUnsaved();
    this.forget(record);
  }

  /** Takes the removal of a record back. */
  restore(record: Model): void {
    for (const { recordSet } of this.holdersOf(record)) if (recordSet.removed.has(record)) recordSet.unhide(record);
    if (this.removed.delete(record)) this.observers.tell('recordChanged', record);
  }

  /** Takes a removed record out of the session and of its stores, without an erase. */
  leave(record: Model): void {
    for (const { recordSet } of this.holdersOf(record)) recordSet.drop(record);
    this.forget(record);
  }

  clear(): void {
    for (const records of this.models.values()) records.all().forEach(this.forget, this);
    this.pending.forEach(this.forget, this);
    for (const store of this.stores) this.sessionStores.delete(store);
    this.hydration = undefined;
    this.models.clear();
  }

  rowWritten(record: Model, written: WrittenRows): void {
    // The stores that hold the record are owners themselves.
    for (const store of this.sessionStores.lists)
      if (store.model === record.constructor && !store.recordSet.holds(record)) store.rowWritten(record, written);
  }

  async loadReference(record: Model, target: ModelType<Model>, name: string): Promise<Model | undefined> {
    const found = await this.resolveReference(record, target, name);
    if (found) return found;
    const id = referenceId(record, name);
    // The server has no such record. Asked for it alone, it says so by an error.
    return id === undefined ? undefined : this.session.load(target, id);
  }

  /** Finds or reads the record that a field of a record refers to; undefined: the field is empty, or the server has no such record. */
  async resolveReference(record: Model, target: ModelType<Model>, name: string): Promise<Model | undefined> {
    const known = this.session.getById(target, Reflect.get(record, name) as RecordId);
    const id = known ? undefined : referenceId(record, name);
    return known ?? (id === undefined ? undefined : this.references.read(target, id));
  }

  recordChanged(record: Model, change: RecordChange): void {
    this.applyChange(record, change);
    if (change.kind === 'loaded' && !change.same) this.copies?.loaded(inner(record));
    this.observers.tell('recordChanged', record, change);
  }

  private applyChange(record: Model, { kind, previousId }: RecordChange): void {
    if (kind === 'erased') {
      // A read that began before the erase must not bring the record back into a store. For the session, the id stays known as
      // erased.
      this.pending.delete(record);
      this.unplaced.delete(record);
      this.removed.delete(record);
      for (const { recordSet, model, loading } of this.stores)
        if (loading && model === record.constructor) recordSet.addTombstone(record, serverId(record));
      return;
    }
    if (kind === 'restored') this.removed.delete(record);
    const records = this.ofRecord(record);
    const before = records.find(serverId(record));
    if (previousId !== undefined) {
      this.tellIfErased(record, records);
      // If the created record got the id of another record, that id stays with the other record, until the two are merged below.
      if (!before || idKeyOf(previousId) !== idKeyOf(serverId(record))) records.set(record, previousId);
      // Another store may have read the row while the create was in flight, and made a duplicate of the record, which the session then knows.
      for (const { recordSet } of before && before !== record ? this.stores : []) {
        const other = recordSet.index.getSaved(serverId(record));
        if (other?.constructor === record.constructor && !recordSet.holds(record))
          recordSet.reindex(record, previousId);
      }
    }
    this.updatePending(record);
    const stays = records.find(serverId(record));
    const duplicate = stays === record ? before : record;
    if (stays && duplicate && duplicate !== stays && !this.holderOf(duplicate)) mergeDuplicate(stays, duplicate, this);
  }

  /** Tells the stores of a created record if another store has shown its row while the create was in flight, and erased it. */
  private tellIfErased(record: Model, records: ModelRecords): void {
    const { [CORE]: core, [ROW]: before } = inner(record);
    if (!core || !records.isErasedSince(serverId(record), core.begunAt)) return;
    for (const store of this.holdersOf(record)) store.rowWritten(record, { before, after: undefined });
  }

  replaceDuplicate(stays: Model, duplicate: Model): void {
    const removed = this.removed.has(duplicate);
    this.observers.tell('recordReplaced', duplicate, stays);
    this.forget(duplicate);
    if (removed) this.remove(stays);
  }

  /** The records of the model of a record. */
  ofRecord(record: Model): ModelRecords {
    return this.ofModel(record.constructor as ModelType<Model>);
  }

  /** Gives a store the records that the session has for some rows, before the store makes records of the rows. */
  private shareExisting({ recordSet, model, definition }: SharingStore, rows: readonly Data[]): void {
    this.readModels.add(model);
    const records = this.ofModel(model);
    for (const row of rows) {
      const id = definition.rowId(row);
      const record = recordSet.index.getSaved(id) ?? records.find(id);
      if (record && !record.phantom && !recordSet.holds(record)) recordSet.addOffPage(record);
    }
  }

  private recordDropped(record: Model, replacedBy: Model | undefined): void {
    if (replacedBy) {
      this.observers.tell('recordReplaced', record, replacedBy);
      // Other stores that have read the row show the same object from now on.
      for (const { recordSet } of this.holdersOf(record)) recordSet.reindex(replacedBy, undefined);
    }
    if (replacedBy || (record.phantom && !this.holderOf(record))) this.forget(record);
  }

  private updatePending(record: Model): void {
    if (isPending(record)) this.pending.add(record);
    else {
      this.pending.delete(record);
      this.unplaced.delete(record);
    }
  }
}

/** The records of the session that a record belongs to; undefined: it is in none. */
export function sharedRecordsOf(record: Model): SharedRecords | undefined {
  const owner = inner(record)[OWNER];
  const owners = Array.isArray(owner) ? owner : [owner];
  return owners.find((each) => each instanceof SharedRecords);
}

/** Whether a record is new, edited or being saved, or its last write has failed. */
function isPending(record: Model): boolean {
  const core = inner(record)[CORE];
  if (!core || core.erased) return false;
  return Boolean(core.phantom || core.sent || core.saving || core.error || core.edits?.size);
}
