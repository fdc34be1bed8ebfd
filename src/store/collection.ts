import { checkGiven, checkNames, checkOptions, checkValues, flag, type Rule } from '../errors/option-rules.js';
import { StateError } from '../errors/state-error.js';
import type { BaseModel } from '../model/base-model.js';
import type { Given, ValuesOf } from '../model/infer.js';
import { inner } from '../model/record.js';
import type { RecordChange } from '../model/record-owner.js';
import { CORE, DEFINITION } from '../model/symbols.js';
import type { RecordId } from '../operation/actions.js';
import { isData } from '../util/data-path.js';
import { CountDelta, isUndoneCreate } from './count-delta.js';
import { type LocalQuery, type QueryState, refuseFunctions } from './query-state.js';
import { RecordSet } from './record-set.js';
import { type KnownEvents, RecordView } from './record-view.js';
import { attachSession, type SharingStore } from './sharing.js';
import type { StoreConfig, StoreEvents, ViewConfig } from './store-config.js';
import type { StoreObserver } from './store-observer.js';
import { STORE_RULES, VIEW_RULES } from './store-options.js';
import { partsOf } from './store-parts.js';
import { View } from './view.js';

const STORE_ARGUMENT: Rule = { expected: 'an object, such as `{ model: User }`', holds: isData };
const STORE_EVENTS: readonly (keyof StoreEvents<BaseModel>)[] = ['change', 'progress', 'load', 'write', 'exception'];

/** Records as a store holds and shows them: all of it that needs no server. */
export abstract class Collection<M extends BaseModel, O = unknown> extends RecordView<M, O> {
  /**
   * The parts of the stores of this class: a list that a subclass shortens or extends. Throws `DefinitionError`, when a store is
   * made, for what is no list of parts.
   * @default none; in the main entry `bulkForm`, `rollback` and `streamIntake`
   */
  static readonly parts: readonly StoreObserver[] = [];

  protected readonly countDelta: CountDelta<M> = new CountDelta(this.recordSet);
  /** Not the whole of it: with sorters in it, a `Store<User>` would be no `Store<Model>`. */
  protected readonly config: Pick<StoreConfig<M>, 'proxy' | 'allowPartial' | 'canLoad' | 'concurrency'>;

  constructor(config: StoreConfig<M, O>) {
    checkGiven('The argument of a store', config, STORE_ARGUMENT);
    checkNames(config, 'a store', new.target.optionNames(), 'store');
    checkValues(config, 'store', STORE_RULES);
    const { model, session } = config;
    checkGiven('store.model', model, STORE_RULES.model);
    super(new RecordSet<M>(), model, config);
    this.recordSet.views.add(this.liveList);
    this.config = config;
    for (const part of partsOf<M>(this)) this.recordSet.observers.attach(part);
    attachSession(session, this as unknown as SharingStore);
    refuseFunctions(this.query, config.allowPartial);
    this.recordSet.owner = {
      recordChanged: (record, change) => this.recordChanged(record as M, change),
      recordChanging: (record, fields) => this.recordSet.valuesChanging(record as M, fields),
    };
    if (!config.data) return;
    this.compile(this.query);
    const records = config.data.map((values) => new model(values));
    this.admit(undefined, records);
  }

  /**
   * The names of all options. A store class with options of its own adds them, since unknown names are refused:
   * `static override optionNames() { return [...super.optionNames(), 'title']; }`.
   */
  static optionNames(): readonly string[] {
    return Object.keys(STORE_RULES);
  }

  /** Whether a load is under way. */
  abstract get loading(): boolean;

  /** Whether sorting and grouping are left to the server. */
  get remoteSort(): boolean {
    return this.query.remoteSort;
  }

  /** Whether filtering is left to the server. */
  get remoteFilter(): boolean {
    return this.query.remoteFilter;
  }

  /**
   * Leaves sorting and grouping to the server from now on, or does them here. Loads nothing: call `load()` for the server's order;
   * until then records stand in the order in which they came. Windows ask for their rows anew. Throws `UnsupportedQueryError`, and
   * changes nothing, where only a part is loaded that would be sorted here, and for a sorter that cannot be sent.
   *
   * @example
   * ```ts
   * users.setRemoteSort(true);
   * await users.load();
   * ```
   */
  setRemoteSort(remoteSort: boolean): void {
    checkGiven('remoteSort', remoteSort, flag);
    if (remoteSort !== this.remoteSort) this.setQuery({ remoteSort });
  }

  /**
   * Leaves filtering and searching to the server from now on, or does them here. Loads nothing: call `load()` for the records that
   * the server lets pass; until then all that are loaded are shown. Windows ask for their rows anew. Throws `UnsupportedQueryError`,
   * and changes nothing, where only a part is loaded that would be filtered here, and for a filter that cannot be sent.
   */
  setRemoteFilter(remoteFilter: boolean): void {
    checkGiven('remoteFilter', remoteFilter, flag);
    if (remoteFilter === this.remoteFilter) return;
    this.setQuery({ remoteFilter, search: this.localSearch(this.searchText, remoteFilter) });
  }

  /** The record with an id, shown or pending; `7` and `'7'` are one. */
  getById(id: RecordId): M | undefined {
    const record = this.recordSet.index.get(id);
    return record && !this.recordSet.hidden(record) ? record : undefined;
  }

  /**
   * Another view of the same records, sorted, filtered and grouped here in a way of its own; live until it is disposed of.
   * Throws `UnsupportedQueryError`.
   */
  view<const V>(config: ViewConfig<M, V> = {}): View<M, V> {
    checkOptions('view', config, VIEW_RULES, 'store');
    return new View<M, V>(this.recordSet, this.model, config, {
      placeRecords: (before, given) => this.placeRecords(before as M | undefined, given as readonly M[]),
      removeRecords: (records) => this.removeRecords(records as readonly M[]),
    });
  }

  override on<K extends keyof StoreEvents<M>>(event: K, listener: (event: StoreEvents<M>[K]) => void): () => void {
    return super.on(event as 'change', listener as never);
  }

  /** Removes every record in place, shown or filtered out. */
  removeAll(): M[] {
    return this.hide(this.recordSet.inPlace());
  }

  // ── Pending ──

  /** Records that were never saved. */
  getNewRecords(): M[] {
    return this.pending((record) => record.phantom);
  }

  /** Saved records with edits. */
  getUpdatedRecords(): M[] {
    return this.pending((record) => !record.phantom && record.dirty);
  }

  /** Removed records that are not erased yet. */
  getRemovedRecords(): M[] {
    return [...this.recordSet.removed];
  }

  /** New and edited records. */
  getModifiedRecords(): M[] {
    return [...this.getNewRecords(), ...this.getUpdatedRecords()];
  }

  /** Undoes everything that is pending: edits are dropped, removed records are back, new ones go. What is on its way goes on. */
  rejectChanges(): void {
    const { recordSet } = this;
    for (const record of this.getNewRecords()) if (!inner(record)[CORE]?.sent) recordSet.drop(record);
    for (const record of recordSet.removed) if (!recordSet.erasing.has(record)) recordSet.unhide(record);
    recordSet.removed.clear();
    for (const record of [...recordSet.pendingRecords(), ...recordSet.offPage]) {
      record.reject();
      recordSet.release(record);
    }
  }

  /** Makes all edits the base without a request, and forgets removals. New records stay new. Throws `StateError` during a write. */
  commitChanges(): void {
    const { recordSet } = this;
    const edited = this.getUpdatedRecords();
    // The one that is being saved refuses, before any other is changed.
    edited.find((record) => inner(record)[CORE]?.sent)?.commit();
    for (const record of edited) record.commit();
    for (const record of recordSet.removed) if (!recordSet.erasing.has(record)) recordSet.drop(record);
    for (const record of recordSet.offPage) recordSet.release(record);
  }

  /** Forgets what is pending: new and removed records go, edits are dropped. Nothing else ever does. */
  clearPending(): void {
    for (const record of [...this.getNewRecords(), ...this.getRemovedRecords()]) this.recordSet.drop(record);
    this.rejectChanges();
  }

  // ── Inside ──

  protected override knownEvents(): KnownEvents {
    return { owner: 'a store', names: STORE_EVENTS };
  }

  protected override compile(query: QueryState): LocalQuery<M> {
    refuseFunctions(query, this.config.allowPartial);
    return super.compile(query);
  }

  protected override placeRecords(before: M | undefined, given: readonly (M | Given<ValuesOf<M>>)[]): M[] {
    const records = given.map((each) => this.toRecord(each));
    return this.admit(before, records);
  }

  protected override removeRecords(records: readonly M[]): M[] {
    if (records.some(Array.isArray)) this.refuse();
    return this.hide(records);
  }

  private admit(before: M | undefined, records: M[]): M[] {
    const { recordSet } = this;
    for (const observer of recordSet.observers.having('checkAdded')) observer.checkAdded(records);
    recordSet.insert(before, records);
    return records;
  }

  private hide(records: Iterable<M>): M[] {
    const { recordSet } = this;
    const here = [...new Set(records)].filter((record) => recordSet.holds(record) && !recordSet.hidden(record));
    recordSet.hide(here, recordSet.removed);
    for (const record of here) recordSet.markChanged(record);
    for (const record of here) if (record.phantom && !isUnderWay(record)) recordSet.drop(record);
    return here;
  }

  private pending(test: (record: M) => boolean): M[] {
    return this.recordSet.pendingRecords((record) => !this.recordSet.hidden(record) && test(record));
  }

  private refuse(): never {
    throw new StateError('foreign', 'foreign', { model: this.definition.name });
  }

  private toRecord(given: M | Given<ValuesOf<M>>): M {
    if (given instanceof (this.model as unknown as new () => M)) return given;
    // An array without items would become a record without values.
    if (!isData(given) || DEFINITION in (given.constructor ?? {})) this.refuse();
    const Model = this.model as unknown as new (values: object, options: object) => M;
    return new Model(given, { phantom: true });
  }

  /** Whether the server shows only some of the collection. */
  private isFilteredRemotely(): boolean {
    const { filters, searchText } = this.query;
    return this.remoteFilter && (filters.length > 0 || searchText !== '');
  }

  private recordChanged(record: M, change: RecordChange): void {
    const { recordSet } = this;
    const { kind, previousId, same, fields } = change;
    this.countDelta.count(record, change, this.isFilteredRemotely());
    recordSet.remember(record);
    if (kind === 'reject' && isUndoneCreate(record, previousId)) recordSet.addTombstone(record, previousId);
    if (kind === 'erasing') recordSet.hide([record], recordSet.erasing);
    else if (kind === 'erased') recordSet.forgetErased(record, this.loading);
    else if (kind === 'restored') {
      recordSet.unhide(record);
      recordSet.rename(record, previousId);
    } else {
      if (!same) recordSet.valuesChanged(record, fields);
      if (!fields || fields.includes(this.definition.idField.name)) recordSet.rename(record, previousId);
    }
    // What a load in flight brings may be older than what is known of a record here.
    if (kind !== 'set' && !this.loading) recordSet.release(record);
    if (!same && recordSet.holds(record)) recordSet.markChanged(record);
  }
}

/** Whether a write of a record is on its way, or may have been done. */
function isUnderWay(record: BaseModel): boolean {
  const { busy, sent } = inner(record)[CORE] ?? {};
  return Boolean(busy || sent);
}
