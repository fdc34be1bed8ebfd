import { StateError } from '../errors/state-error.js';
import type { BaseModel } from '../model/base-model.js';
import type { ModelType } from '../model/field.js';
import type { ValuesOf } from '../model/infer.js';
import type { ModelDefinition } from '../model/model-definition.js';
import { inner } from '../model/record.js';
import type { RecordChange } from '../model/record-owner.js';
import { CORE, DEFINITION } from '../model/symbols.js';
import type { RecordId } from '../operation/actions.js';
import { type Filter, type Grouper, type Sorter, toFilters, toGrouper, toSorters } from '../operation/query.js';
import { EventEmitter } from '../util/event-emitter.js';
import { ChangeFeed } from './change-feed.js';
import { Contents } from './contents.js';
import { compileQuery, type LocalQuery, type QueryState } from './query-state.js';
import { createSnapshot, type Snapshot } from './snapshot.js';
import type { StoreConfig, StoreEvents } from './store-config.js';
import { storeTexts } from './texts.js';
import { View } from './view.js';

/** Records as a store holds and shows them: all of it that needs no server. */
export abstract class Collection<M extends BaseModel> implements Iterable<M> {
  readonly model: ModelType<M>;
  readonly remoteSort: boolean;
  readonly remoteFilter: boolean;
  /** Not the whole of it: with sorters in it, a `Store<User>` would be no `Store<Model>`. */
  protected readonly config: Pick<StoreConfig<M>, 'proxy' | 'partial' | 'holdEdited' | 'concurrency'>;
  protected readonly definition: ModelDefinition;
  protected readonly query: QueryState;
  protected readonly contents: Contents<M>;
  protected readonly events: EventEmitter<StoreEvents<M>> = new EventEmitter();
  private readonly feed: ChangeFeed<M>;
  private readonly view: View<M>;
  private local: LocalQuery<M> | undefined = undefined;
  private snapshot: Snapshot<M> | undefined = undefined;

  constructor(config: StoreConfig<M>) {
    const {
      model,
      remoteSort = false,
      remoteFilter = false,
      sorters = [],
      filters = [],
      groupField,
      groupDir,
    } = config;
    const { grouper = groupField && { property: groupField, direction: groupDir } } = config;
    this.config = config;
    this.model = model;
    this.definition = (model as unknown as { [DEFINITION]: ModelDefinition })[DEFINITION];
    this.remoteSort = remoteSort;
    this.remoteFilter = remoteFilter;
    this.query = {
      sorters: toSorters([...sorters]),
      filters: toFilters([...filters]),
      grouper: grouper === undefined ? undefined : toGrouper(grouper),
      remoteSort,
      remoteFilter,
    };
    this.contents = new Contents<M>({
      recordChanged: (record, change) => this.recordChanged(record as M, change),
    });
    const { contents } = this;
    this.view = new View<M>(
      () => [...contents.source].filter((record) => !contents.hidden(record)),
      () => (this.local ??= this.compile(this.query)),
      config.holdEdited ?? false,
    );
    this.feed = new ChangeFeed<M>(() => this.view.list(), this.events);
    if (!config.data) return;
    this.compile(this.query);
    this.contents.insert(
      undefined,
      config.data.map((values) => new model(values)),
    );
  }

  // ── What is shown ──

  /** Number of records shown. */
  get count(): number {
    return this.view.list().length;
  }

  /** Whether a load is under way. */
  abstract get loading(): boolean;

  get sorters(): readonly Sorter[] {
    return this.query.sorters;
  }

  get filters(): readonly Filter[] {
    return this.query.filters;
  }

  get grouper(): Grouper | undefined {
    return this.query.grouper;
  }

  [Symbol.iterator](): Iterator<M> {
    return this.view.list()[Symbol.iterator]();
  }

  getAt(index: number): M | undefined {
    return this.view.list()[index];
  }

  /** The record with an id, shown or pending; `7` and `'7'` are one. */
  getById(id: RecordId): M | undefined {
    const record = this.contents.index.get(id);
    return record && !this.contents.hidden(record) ? record : undefined;
  }

  /** The place at which a record is shown, or -1. */
  indexOf(record: M): number {
    return this.view.list().indexOf(record);
  }

  /** The first record shown that a function accepts. */
  find(test: (record: M) => boolean): M | undefined {
    return this.view.list().find(test);
  }

  /** Records shown from one place up to, without, another. */
  getRange(start?: number, end?: number): M[] {
    return this.view.list().slice(start, end);
  }

  first(): M | undefined {
    return this.getAt(0);
  }

  last(): M | undefined {
    return this.getAt(this.count - 1);
  }

  /** What is shown now, for good: the snapshot never changes, and is the same one until the store does. */
  getSnapshot(): Snapshot<M> {
    const { version } = this.feed;
    if (this.snapshot?.version !== version) this.snapshot = createSnapshot(this.view.list(), version);
    return this.snapshot;
  }

  // ── Adding and removing ──

  /** Adds records at the end; plain values become new records (phantoms). Throws `StateError` for an id that is there already. */
  add(...records: (M | Partial<ValuesOf<M>>)[]): M[] {
    return this.place(undefined, records);
  }

  /** Adds records before the one shown at a place. */
  insert(index: number, ...records: (M | Partial<ValuesOf<M>>)[]): M[] {
    return this.place(this.getAt(index), records);
  }

  /** Removes records: hidden at once, erased by the next `sync()`. New ones are just dropped. Returns those that were here. */
  remove(...records: M[]): M[] {
    return this.hide(records);
  }

  /** Removes the record shown at a place. */
  removeAt(index: number): M | undefined {
    const record = this.getAt(index);
    return record && this.remove(record)[0];
  }

  /** Removes every record in place, shown or filtered out. */
  removeAll(): M[] {
    return this.hide(this.contents.source);
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
    return [...this.contents.removed];
  }

  /** New and edited records. */
  getModifiedRecords(): M[] {
    return [...this.getNewRecords(), ...this.getUpdatedRecords()];
  }

  /** Undoes everything that is pending: edits are dropped, removed records are back, new ones go. What is on its way goes on. */
  rejectChanges(): void {
    for (const record of this.getNewRecords()) if (!inner(record)[CORE]?.sent) this.contents.drop(record);
    this.contents.removed.clear();
    for (const record of this.contents.all()) {
      record.reject();
      this.contents.release(record);
    }
    this.changed();
  }

  /** Makes all edits the base without a request, and forgets removals. New records stay new. Throws `StateError` during a write. */
  commitChanges(): void {
    const { contents } = this;
    const edited = this.getUpdatedRecords();
    // The one that is being saved refuses, before any other is changed.
    edited.find((record) => inner(record)[CORE]?.sent)?.commit();
    for (const record of edited) record.commit();
    for (const record of contents.removed) if (!contents.erasing.has(record)) contents.drop(record);
    for (const record of contents.away) contents.release(record);
    this.changed();
  }

  /** Forgets what is pending: new and removed records go, edits are dropped. Nothing else ever does. */
  clearPending(): void {
    for (const record of [...this.getNewRecords(), ...this.getRemovedRecords()]) this.contents.drop(record);
    this.rejectChanges();
  }

  // ── Events ──

  /** Listens to the store; returns the function that stops it. */
  on<E extends keyof StoreEvents<M>>(event: E, listener: (event: StoreEvents<M>[E]) => void): () => void {
    if (event === 'change') this.feed.start();
    return this.events.on(event, listener);
  }

  /** Delivers the changes of this tick now. */
  flush(): void {
    this.feed.flush();
  }

  // ── Inside ──

  /** What is shown has changed; with a record, only its values have. */
  protected changed(record?: M): void {
    if (record) this.view.look(record);
    else this.view.reset();
    this.feed.touch(record);
  }

  /** Sorts, filters and groups by something else. */
  protected use(part: Partial<QueryState>): void {
    Object.assign(this.query, part);
    this.local = undefined;
    this.changed();
  }

  /** Throws `UnsupportedQueryError` for a query that cannot be answered here. */
  protected compile(query: QueryState): LocalQuery<M> {
    return compileQuery(query, this.definition, this.model.prototype as object);
  }

  private place(before: M | undefined, given: readonly (M | Partial<ValuesOf<M>>)[]): M[] {
    const records = given.map((each) => this.toRecord(each));
    this.contents.insert(before, records);
    this.changed();
    return records;
  }

  private hide(records: Iterable<M>): M[] {
    const { contents } = this;
    const here = [...new Set(records)].filter((record) => contents.holds(record) && !contents.hidden(record));
    for (const record of here) {
      if (record.phantom && !inner(record)[CORE]?.lane.busy) contents.drop(record);
      else contents.removed.add(record);
    }
    this.changed();
    return here;
  }

  private pending(test: (record: M) => boolean): M[] {
    return this.contents.all().filter((record) => inner(record)[CORE] && !this.contents.hidden(record) && test(record));
  }

  private toRecord(given: M | Partial<ValuesOf<M>>): M {
    if (given instanceof (this.model as unknown as new () => M)) return given;
    if (DEFINITION in (given.constructor ?? {}))
      throw new StateError('foreign', 'foreign', { model: this.definition.name }, { messages: storeTexts });
    const Model = this.model as unknown as new (values: object, options: object) => M;
    return new Model(given, { phantom: true });
  }

  private recordChanged(record: M, { kind, previousId, same }: RecordChange): void {
    const { contents } = this;
    const wasHidden = contents.hidden(record);
    if (kind === 'erasing') contents.erasing.add(record);
    else if (kind === 'erased') contents.bury(record, this.loading);
    else if (kind === 'restored') {
      contents.erasing.delete(record);
      contents.removed.delete(record);
    } else if (contents.rename(record, previousId)) this.view.reset();
    // What a load in flight brings may be older than what is known of a record here.
    if (kind !== 'set' && !this.loading) contents.release(record);
    const isHidden = kind === 'erased' || contents.hidden(record);
    if (wasHidden !== isHidden) this.changed();
    else if (!isHidden && !same) this.changed(record);
  }
}
