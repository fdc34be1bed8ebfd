import { checkGiven, checkNames, checkValues } from '../dev/checks.js';
import { inWords } from '../errors/error-context.js';
import { describe, type Messages } from '../errors/messages.js';
import { StateError } from '../errors/mistakes.js';
import type { Rule } from '../errors/option-rules.js';
import type { BaseModel } from '../model/base-model.js';
import type { RecordInput, ValuesOf } from '../model/infer.js';
import { innerModel } from '../model/model-definition.js';
import { modelClass } from '../model/model-options.js';
import { queuedWrite } from '../model/queued-write.js';
import { inner } from '../model/record.js';
import { weakOwner } from '../model/record-owner.js';
import { CORE, DEFINITION } from '../model/symbols.js';
import type { AnyId } from '../operation/actions.js';
import { MODEL } from '../operation/operation-record.js';
import { isData, isObject } from '../util/data-path.js';
import type { Query } from './query.js';
import { isFiltered, type QueryRules } from './query-rules.js';
import { type HoldingStore, RecordSet } from './record-set.js';
import { type KnownEvents, RecordView } from './record-view.js';
import { attachSession, type SharingStore } from './sharing.js';
import type { QueryOptions, RemoteSetting, StoreConfig, StoreEvents } from './store-config.js';
import { remoteSetting, STORE_OPTIONS, STORE_RULES } from './store-options.js';
import type { StoreScope } from './store-scope.js';

/** The settings of a store; undefined: as the dialect says. */
interface RemoteSettings {
  readonly remoteSort: RemoteSetting | undefined;
  readonly remoteFilter: RemoteSetting | undefined;
}

/** The rules of a store while it holds everything, and while it does not: the same unless a setting is `'auto'`. */
interface RemoteRules<M extends BaseModel> {
  readonly settings: RemoteSettings;
  readonly whole: QueryRules<M>;
  /** Made when it is needed, because the dialect may decide. */
  part: QueryRules<M> | undefined;
}

const STORE_ARGUMENT: Rule = { expected: 'an object, such as `{ model: User }`', holds: isData };
const STORE_EVENTS: readonly (keyof StoreEvents<BaseModel>)[] = [
  'change',
  'sort',
  'filterchange',
  'groupchange',
  'progress',
  'load',
  'write',
  'exception',
];

/** The part of a store that needs no server: holds records, shows them, and keeps track of pending changes. */
export abstract class Collection<M extends BaseModel, O = unknown> extends RecordView<M, O> implements HoldingStore {
  /** Only these options: if the type included sorters, a `Store<User>` could not be assigned to `Store<Model>`. */
  protected readonly config: Pick<StoreConfig<M>, 'proxy' | 'allowPartial' | 'canLoad' | 'concurrency' | 'newRecords'>;
  private isDisposed = false;
  private remote: RemoteRules<M>;

  constructor(
    config: StoreConfig<M, O>,
    protected readonly scope: StoreScope<M> = {},
  ) {
    checkGiven('The argument of a store', config, STORE_ARGUMENT);
    const { model, session } = config;
    const Class = new.target;
    inWords(messagesOf(model), () => {
      checkNames(config, 'a store', Class, 'store');
      checkValues(config, 'store', STORE_RULES);
      checkGiven('store.model', model, modelClass);
    });
    super(new RecordSet<M>(), model, config);
    this.follow();
    this.config = config;
    const { remoteSort, remoteFilter } = config;
    this.remote = { settings: { remoteSort, remoteFilter }, whole: this.rules, part: undefined };
    this.inWords(() => {
      attachSession(session, this as unknown as SharingStore);
      this.rules.refuseUnsendable(this.query);
    });
    this.recordSet.store = this;
    if (session) this.recordSet.owner = weakOwner(this.recordSet);
    if (!config.data) return;
    const { data } = config;
    this.inWords(() => {
      this.rules.compile(this.query);
      this.insertChecked(
        undefined,
        data.map((values) => new model(values)),
      );
    });
  }

  /**
   * The names of all options. A store class that has further options adds their names, because unknown options are refused:
   * `static override optionNames() { return [...super.optionNames(), 'title']; }`.
   */
  static optionNames(): readonly string[] {
    return Object.keys(STORE_OPTIONS);
  }

  /** Whether a load is in flight or scheduled. */
  abstract get loading(): boolean;

  /** Whether the server filters the records. */
  get isServerFiltered(): boolean {
    return isFiltered(this.rules.split(this.query).sent);
  }

  /** Whether `dispose()` was called. */
  get disposed(): boolean {
    return this.isDisposed;
  }

  /** Whether the store is known to hold all rows of its collection. */
  abstract get holdsAll(): boolean;

  /** Whether the server sorts and groups: with `'auto'`, while the store is not known to hold everything (`holdsAll`). */
  get remoteSort(): boolean {
    return this.isRemote('remoteSort');
  }

  /** Whether the server filters and searches: with `'auto'`, while the store is not known to hold everything (`holdsAll`). */
  get remoteFilter(): boolean {
    return this.isRemote('remoteFilter');
  }

  /**
   * Changes who sorts and groups from now on, as the option `remoteSort`. This starts no load: call `load()` for the order of the server;
   * until then the records keep the order in which they came. A load in flight is repeated for page 1, open windows load their records again, and
   * `loadMore()` begins with page 1. Throws `UnsupportedQueryError`, and changes nothing, if the store would have to sort a partly loaded
   * collection locally, or send a sorter that cannot be sent.
   *
   * @example
   * ```ts
   * users.setRemoteSort(true);
   * await users.load();
   * ```
   */
  setRemoteSort(remoteSort: RemoteSetting): void {
    this.changeRemote('remoteSort', remoteSort);
  }

  /**
   * Changes who filters and searches from now on, as the option `remoteFilter`. This starts no load: call `load()` for the records that pass on the
   * server; until then all loaded records are shown. A load in flight is repeated for page 1, open windows load their records again, and
   * `loadMore()` begins with page 1. Records that the server has filtered are no whole collection: until the next load, `clearFilter()`
   * and other filters throw. Throws `UnsupportedQueryError`, and changes nothing, if the store would have to filter a partly loaded
   * collection locally, or send a filter that cannot be sent.
   */
  setRemoteFilter(remoteFilter: RemoteSetting): void {
    this.changeRemote('remoteFilter', remoteFilter);
  }

  /**
   * Finds a record by its id, also if it is filtered out or pending on another page, but not if it was removed. The ids `7` and `'7'`
   * are the same.
   */
  getById(id: AnyId): M | undefined {
    const record = this.recordSet.index.get(id);
    return record && !this.recordSet.hidden(record) ? record : undefined;
  }

  override on<
    K extends 'change' | 'load' | 'write' | 'exception' | 'progress' | 'sort' | 'filterchange' | 'groupchange',
  >(event: K, listener: (event: StoreEvents<M>[K]) => void): () => void {
    return super.on(event as 'change', listener as never);
  }

  /**
   * Removes all records of the loaded pages, also those that are filtered out. With `silent`, the store emits no `change` for it; screens
   * that follow `list`, and views, show it all the same. Inside `batch()` and listeners it is told with the other changes.
   */
  removeAll(silent: boolean = false): M[] {
    const removeThem = () => this.takeAway(this.recordSet.inPlace());
    return silent ? this.silently(removeThem) : removeThem();
  }

  // ── Pending changes ──

  /** New records (phantoms): they were never saved. */
  getNewRecords(): M[] {
    return this.pending((record) => record.phantom);
  }

  /** Saved records with edits. */
  getUpdatedRecords(): M[] {
    return this.pending((record) => !record.phantom && record.dirty);
  }

  /** Removed records that are not erased on the server yet. */
  getRemovedRecords(): M[] {
    return [...this.recordSet.removed];
  }

  /** New and edited records. */
  getModifiedRecords(): M[] {
    return [...this.getNewRecords(), ...this.getUpdatedRecords()];
  }

  /**
   * Undoes all pending changes: drops edits and new records, and shows removed records again. Writes in flight go on, and what an outbox has
   * queued stays.
   */
  rejectChanges(): void {
    const { recordSet, scope } = this;
    scope.companion?.rejectChanges();
    for (const record of this.getNewRecords())
      if (!inner(record)[CORE]?.sent && !queuedWrite(inner(record))) recordSet.drop(record);
    for (const record of recordSet.removed) {
      if (recordSet.erasing.has(record)) recordSet.keepErasing(record);
      else recordSet.unhide(record);
    }
    for (const record of [...recordSet.pendingRecords(), ...recordSet.offPage]) {
      record.reject();
      recordSet.release(record);
    }
    scope.arrange?.();
  }

  /**
   * Accepts all edits as saved without a request, and drops removed records. New records stay new. Throws `StateError`, and changes
   * nothing, while an edited record is being saved.
   */
  commitChanges(): void {
    const { recordSet } = this;
    const edited = this.getUpdatedRecords();
    // A record with a save in flight throws here, before any other record is changed.
    edited.find((record) => inner(record)[CORE]?.sent)?.commit();
    for (const record of edited) record.commit();
    for (const record of recordSet.removed) if (!recordSet.erasing.has(record)) recordSet.drop(record);
    for (const record of recordSet.offPage) recordSet.release(record);
  }

  /** Drops all pending changes: new and removed records leave the store, and edits are dropped. No load ever does this. */
  clearPending(): void {
    this.scope.companion?.clearPending();
    for (const record of [...this.getNewRecords(), ...this.getRemovedRecords()]) this.recordSet.drop(record);
    this.rejectChanges();
  }

  // ── Internal ──

  protected override applyQuery(): void {
    super.applyQuery();
    this.recordSet.observers.tell('orderChanged');
  }

  protected override useRules(rules: QueryRules<M>): void {
    const isOther = rules !== this.rules;
    super.useRules(rules);
    if (isOther) this.recordSet.observers.tell('orderChanged');
  }

  protected override knownEvents(): KnownEvents {
    return { owner: 'a store', names: STORE_EVENTS };
  }

  /** The setting that counts if the options of the store do not say so. */
  protected abstract get defaultRemote(): RemoteSetting;

  /** Whether the rows that are shown are all rows of the collection, or no row was loaded yet. */
  protected abstract get showsAll(): boolean;

  /** The rules of the query while the store holds everything. */
  protected get wholeRules(): QueryRules<M> {
    return this.remote.whole;
  }

  /** The rules of the query while the store does not hold everything, or is not known to; the same unless a setting is `'auto'`. */
  protected get partRules(): QueryRules<M> {
    const { remote } = this;
    return (remote.part ??= this.createPartRules(remote));
  }

  private createPartRules({ whole, settings }: RemoteRules<M>): QueryRules<M> {
    const { remoteSort = this.defaultRemote, remoteFilter = this.defaultRemote } = settings;
    const [autoSort, autoFilter] = [remoteSort === 'auto', remoteFilter === 'auto'];
    if (!autoSort && !autoFilter) return whole;
    return whole.with({ remoteSort: remoteSort !== false, remoteFilter: remoteFilter !== false, autoSort, autoFilter });
  }

  private isRemote(name: keyof RemoteSettings): boolean {
    const setting = this.remote.settings[name] ?? this.defaultRemote;
    return setting === 'auto' ? !this.holdsAll : setting;
  }

  private changeRemote(name: keyof RemoteSettings, setting: RemoteSetting): void {
    this.inWords(() => {
      checkGiven(name, setting, remoteSetting);
    });
    const { remote, rules } = this;
    if (setting === (remote.settings[name] ?? this.defaultRemote)) return;
    const settings = { ...remote.settings, [name]: setting };
    this.remote = { settings, whole: remote.whole.with({ [name]: setting === true }), part: undefined };
    try {
      const next = this.showsAll ? this.wholeRules : this.partRules;
      const isSame = (each: keyof RemoteSettings) => next.options[each] === rules.options[each];
      // The present query is answered as before, so nothing has to be shown or asked again.
      if (isSame('remoteSort') && isSame('remoteFilter')) this.useRules(next);
      else this.inWords(() => this.applyChange(this.query, next));
    } catch (error) {
      this.remote = remote;
      throw error;
    }
  }

  protected override placeRecords(before: M | undefined, added: readonly (M | RecordInput<ValuesOf<M>>)[]): M[] {
    this.checkOpen();
    return this.inWords(() => {
      const records = added.map((each) => this.toRecord(each));
      return this.insertChecked(before, records);
    });
  }

  protected override removeRecords(records: readonly M[]): M[] {
    this.checkOpen();
    const wrong = records.findIndex((each) => !this.isRecord(each));
    if (wrong >= 0) this.throwForeign(records[wrong], 'foreign-removed');
    return this.takeAway(records);
  }

  private takeAway(records: readonly M[]): M[] {
    return this.scope.remove?.(records) ?? this.hide(records);
  }

  /** The error of calls after `dispose()`. */
  protected get disposedError(): StateError {
    const { name: model, messages } = this.definition;
    return new StateError('disposed', 'store-disposed', { model }, { messages });
  }

  /** Throws `StateError` after `dispose()`. */
  protected checkOpen(): void {
    if (this.isDisposed) throw this.disposedError;
  }

  protected override applyChange(query: Query<M>, rules: QueryRules<M>, options?: QueryOptions): void {
    this.checkOpen();
    super.applyChange(query, rules, options);
  }

  /** Lets go of the records, the listeners, and everything that observes them. */
  protected endCollection(): void {
    const { recordSet } = this;
    this.isDisposed = true;
    this.events.clear();
    recordSet.observers.tell('storeDisposed');
    recordSet.dispose();
    this.stop();
  }

  private insertChecked(before: M | undefined, records: M[]): M[] {
    const { recordSet } = this;
    recordSet.observers.tell('checkAdded', records);
    recordSet.insert(before, records);
    return records;
  }

  private hide(records: Iterable<M>): M[] {
    const { recordSet } = this;
    const removed = [...new Set(records)].filter((record) => recordSet.holds(record) && !recordSet.hidden(record));
    const dropped = removed.filter((record) => record.phantom && !mayBeOnServer(record));
    const parents = dropped.flatMap((record) => inner(record)[CORE]?.children ?? []);
    for (const parent of parents) {
      const refusal = parent.eraseRefusal();
      if (refusal) throw refusal;
    }
    for (const parent of parents) parent.leaveUnsaved();
    recordSet.hide(removed, recordSet.removed);
    for (const record of removed) recordSet.markChanged(record);
    for (const record of dropped) recordSet.drop(record);
    return removed;
  }

  private pending(test: (record: M) => boolean): M[] {
    return this.recordSet.pendingRecords((record) => !this.recordSet.hidden(record) && test(record));
  }

  /** Whether a value is a record that this store can hold. */
  protected isRecord(given: unknown): given is M {
    if (given instanceof this.model) return true;
    // Another class bound to the same model may have made the record.
    return isObject(given) && MODEL in given && this.recordSet.holds(given as M);
  }

  private throwForeign(given: unknown, reason: 'foreign' | 'foreign-removed' = 'foreign'): never {
    const { name: model, messages } = this.definition;
    const { [MODEL]: other } = Object(given) as Partial<BaseModel>;
    const value = other ? `a record of ${other.name}` : describe(given);
    throw new StateError('foreign', reason, { model, value }, { messages });
  }

  protected toRecord(added: M | RecordInput<ValuesOf<M>>): M {
    if (added instanceof this.model) return added;
    // An empty array would otherwise become a new record without values.
    if (!isData(added) || DEFINITION in (added.constructor ?? {})) this.throwForeign(added);
    return new (innerModel(this.model))(added, { phantom: true });
  }
}

/** The texts of a model; undefined for anything else. */
function messagesOf(model: unknown): Messages | undefined {
  return (Object(model) as { [DEFINITION]?: { messages: Messages } })[DEFINITION]?.messages;
}

/** Whether a write of a record is in flight or waiting, or may have reached the server. */
function mayBeOnServer(record: BaseModel): boolean {
  const { busy, sent } = inner(record)[CORE] ?? {};
  return Boolean(busy || sent);
}
