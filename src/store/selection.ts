import { describe } from '../errors/messages.js';
import { StateError } from '../errors/mistakes.js';
import type { BaseModel } from '../model/base-model.js';
import type { ModelDefinition } from '../model/model-definition.js';
import { inner } from '../model/record.js';
import { CORE } from '../model/symbols.js';
import type { RecordId } from '../operation/actions.js';
import { type Source, ValueSource } from '../util/value-source.js';
import { isSame } from '../util/values.js';
import { type IdKey, idKeyOf, serverId } from './id-index.js';
import type { Query } from './query.js';
import { isFiltered, type QueryRules } from './query-rules.js';
import type { RecordSet } from './record-set.js';
import type { PagesOptions } from './store-config.js';

/** Number of ids in one request for selected records that the store does not hold. */
const IDS_PER_REQUEST = 100;

/** A selection at one moment: the value of the source `store.selection`. Frozen. */
export interface SelectionSnapshot<M> {
  /** Number of selected records; undefined if all that match are selected and their number is not known. */
  readonly count: number | undefined;
  /** Whether all records that match the query are selected, also those that are not loaded, except for those deselected since. */
  readonly all: boolean;
  /** Whether a record, or the record with an id, is selected. The same function until the selection changes. */
  readonly isSelected: SelectionTest<M>;
}

/** Tells whether a record, or the record with an id, is selected. */
// A method type, because parameters of methods are bivariant: a selection of users is one of models.
export type SelectionTest<M> = { isSelected(item: M | RecordId): boolean }['isSelected'];

/** The parts of a store that its selection uses. */
export interface SelectableStore<M extends BaseModel> {
  readonly recordSet: RecordSet<M>;
  readonly definition: ModelDefinition;
  readonly pageSize: number;
  readonly query: Query<M>;
  readonly rules: QueryRules<M>;
  readonly totalCount: number | undefined;
  /** The part of the query that the server has applied to the rows that it has counted; undefined: to none. */
  readonly sent: Query<M> | undefined;
  /** Whether the store holds all rows that match on the server. */
  readonly holdsAll: boolean;
  /** The records that the store shows, in order. */
  shown(): readonly M[];
  isRecord(value: unknown): value is M;
  pages(query: Query<M>, options: PagesOptions): AsyncGenerator<readonly M[], void, undefined>;
  checkOpen(): void;
}

/** The id of a record; a new record is known by itself. */
type Key<M> = IdKey | M;

/**
 * The records that the user has selected, by id: over pages, sorting and reloads. A new record stays selected when it gets its id; an erased
 * one leaves the selection. The store holds the selected records that it has loaded, also when it shows another page.
 *
 * @example
 * ```ts
 * users.selection.selectAll();
 * users.selection.deselect(7);
 * for await (const page of users.selection.pages()) {
 *   for (const user of page) user.name = user.name.trim();
 *   (await users.sync()).orThrow();
 * }
 * ```
 */
export class Selection<M extends BaseModel> implements Source<SelectionSnapshot<M>> {
  /** The records that were selected one by one, each with the id that requests send. */
  private picked: Map<Key<M>, unknown> = new Map();
  /** The query of which all records are selected. */
  private all: Query<M> | undefined = undefined;
  /** The records that are left out of all. */
  private except: Set<Key<M>> = new Set();
  /** The keys that records had when they were last seen. */
  private keys: WeakMap<M, Key<M>> = new WeakMap();
  private isSelectedNow: SelectionTest<M> = this.newTest();
  private readonly source: ValueSource<SelectionSnapshot<M>> = new ValueSource<SelectionSnapshot<M>>((previous) =>
    this.read(previous),
  );
  /** Adds a listener; returns the function that removes it. */
  readonly subscribe: (listener: () => void) => () => void = this.source.subscribe;
  /** Returns the present snapshot: the same object until the selection has changed. */
  readonly get: () => SelectionSnapshot<M> = this.source.get;

  constructor(private readonly store: SelectableStore<M>) {
    store.recordSet.observers.attach({
      keeps: (record) => this.picked.has(keyOf(record)),
      recordAdded: (record) => this.follow(record),
      recordChanged: (record) => this.follow(record),
      recordDropped: (record, replacedBy) => this.dropped(record, replacedBy),
      statusChanged: () => this.source.update(),
      storeDisposed: () => {
        this.change(() => this.reset());
        this.source.end(true);
      },
    });
  }

  /** Number of selected records; undefined if all that match are selected and their number is not known. */
  get count(): number | undefined {
    const { all, picked, except } = this;
    if (!all) return picked.size;
    const total = this.matching(all);
    if (total === undefined) return undefined;
    const left = [...except].filter((key) => typeof key !== 'object');
    return Math.max(total - left.length, 0) + picked.size;
  }

  /** Whether a record, or the record with an id, is selected; false for anything else. */
  isSelected(item: M | RecordId): boolean {
    const known = this.find(item);
    if (!known) return false;
    const { key, record } = known;
    if (this.picked.has(key)) return true;
    return this.all !== undefined && typeof key !== 'object' && !this.except.has(key) && this.matches(record);
  }

  /** Selects records, or the records with these ids. Throws `StateError` for anything else. */
  select(...items: (M | RecordId)[]): void {
    this.set(items, () => true);
  }

  /** Takes records, or the records with these ids, out of the selection. Throws `StateError` for what is neither. */
  deselect(...items: (M | RecordId)[]): void {
    this.set(items, () => false);
  }

  /** Selects a record that is not selected, and takes it out otherwise. Throws `StateError` for what is neither a record nor an id. */
  toggle(item: M | RecordId): void {
    this.set([item], () => !this.isSelected(item));
  }

  /**
   * Selects the records from one to another, in the order in which the store shows them, both included. Throws `StateError` if the store
   * does not show both.
   */
  selectRange(from: M | RecordId, to: M | RecordId): void {
    const shown = this.store.shown();
    const [start, end] = [from, to].map((item) => {
      const { key } = this.check(item);
      const at = shown.findIndex((record) => keyOf(record) === key);
      if (at < 0) throw this.refusal('selection-range', item);
      return at;
    }) as [number, number];
    this.select(...shown.slice(Math.min(start, end), Math.max(start, end) + 1));
  }

  /**
   * Selects all records that match the query of the store, also those that are not loaded, and the new ones that it shows. It replaces what
   * was selected. This ends when the store filters or searches otherwise, or gets other parameters: then nothing of it is selected.
   */
  selectAll(): void {
    this.store.checkOpen();
    this.change(() => {
      this.reset();
      const { query, recordSet } = this.store;
      this.all = query;
      for (const record of this.store.shown()) if (record.phantom) this.pick(record);
      for (const record of recordSet.pendingRecords(({ phantom }) => phantom)) {
        this.keys.set(record, record);
        if (!this.picked.has(record)) this.except.add(record);
      }
    });
  }

  /** Selects nothing. */
  clear(): void {
    this.change(() => this.reset());
  }

  /**
   * Reads all selected records, page by page, for a bulk action. Those that the store holds are given as they are, without a request;
   * those of "all that match" are read by `store.pages()`, and selected ids of other records by a filter `in`. What is selected in the
   * loop does not count. A record that no longer exists on the server, and one that was removed here, is left out.
   *
   * @param options The options of `store.pages()`.
   */
  pages(options: PagesOptions = {}): AsyncGenerator<readonly M[], void, undefined> {
    const { store, all } = this;
    store.checkOpen();
    const [except, picked] = [new Set(this.except), new Map(this.picked)];
    // Wrong options throw at once.
    const matching = store.pages(all ?? store.query, options);
    return this.readPages(all && matching, picked, except, options);
  }

  /** The store is about to answer another query: what is selected of the query before ends if that has other records. */
  queryChanged(): void {
    const { all, store } = this;
    if (!all || isSame(matchOf(all), matchOf(store.query))) return;
    this.restart();
  }

  /** The server gives other rows for the same query from now on. */
  restart(): void {
    if (!this.all) return;
    this.change(() => {
      this.all = undefined;
      this.except.clear();
    });
  }

  private async *readPages(
    matching: AsyncGenerator<readonly M[], void, undefined> | undefined,
    picked: Map<Key<M>, unknown>,
    except: ReadonlySet<Key<M>>,
    options: PagesOptions,
  ): AsyncGenerator<readonly M[], void, undefined> {
    const { store } = this;
    const { recordSet } = store;
    const { limit = store.pageSize } = options;
    for await (const page of matching ?? []) {
      for (const record of page) picked.delete(keyOf(record));
      const selected = page.filter((record) => !except.has(keyOf(record)));
      if (selected.length > 0) yield selected;
    }
    const held = [...picked.keys()].flatMap((key) => this.held(key) ?? []);
    const inUse = new Set<M>(held);
    const detach = recordSet.observers.attach({ keeps: (record) => inUse.has(record) });
    try {
      const size = limit > 0 ? limit : Math.max(held.length, 1);
      for (let start = 0; start < held.length; start += size) {
        store.checkOpen();
        const page = held.slice(start, start + size).filter((each) => recordSet.holds(each) && !recordSet.hidden(each));
        for (const record of page) picked.delete(keyOf(record));
        if (page.length > 0) yield page;
      }
    } finally {
      detach();
      for (const record of inUse) recordSet.release(record);
    }
    const heldKeys = new Set(held.map(keyOf));
    const missing = [...picked].filter(([key]) => typeof key !== 'object' && !heldKeys.has(key));
    for (let start = 0; start < missing.length; start += IDS_PER_REQUEST) {
      const asked = new Map(missing.slice(start, start + IDS_PER_REQUEST));
      for await (const page of store.pages(this.queryOf([...asked.values()]), options)) {
        // A server that ignores the filter sends other records, which nobody has selected.
        const selected = page.filter((record) => asked.delete(keyOf(record)));
        if (selected.length > 0) yield selected;
      }
      this.forget([...asked.keys()]);
    }
  }

  /** Takes records out of the selection that the server does not have. */
  private forget(keys: readonly Key<M>[]): void {
    const gone = keys.filter((key) => this.picked.has(key) && !this.held(key));
    if (gone.length === 0) return;
    this.change(() => {
      for (const key of gone) this.picked.delete(key);
    });
  }

  /** The query for the records with some ids, whatever the store filters by. */
  private queryOf(ids: readonly unknown[]): Query<M> {
    const { query, definition } = this.store;
    const filters = [{ property: definition.idField.name, operator: 'in', value: ids }];
    return query.with({ filters, search: '', sorters: [], groupers: [] } as never);
  }

  private set(items: readonly (M | RecordId)[], isSelected: () => boolean): void {
    this.store.checkOpen();
    const found = items.map((item) => this.check(item));
    this.change(() => {
      const selects = isSelected();
      for (const { key, record, id } of found) {
        if (record) this.keys.set(record, key);
        const isNew = typeof key === 'object';
        const isOfAll = this.all !== undefined && !isNew && this.matches(record);
        if (selects) {
          this.except.delete(key);
          if (!isOfAll) this.picked.set(key, id);
        } else {
          this.picked.delete(key);
          // A new record that is left out stays so when it gets its id.
          if (isOfAll || (this.all && isNew)) this.except.add(key);
          if (record) this.store.recordSet.release(record);
        }
      }
    });
  }

  /** Runs a function that changes what is selected, and tells the listeners. */
  private change(change: () => void): void {
    change();
    this.isSelectedNow = this.newTest();
    this.source.update();
  }

  /** A function for snapshots: another one after each change, so that what remembers its results asks again. */
  private newTest(): SelectionTest<M> {
    return (item) => this.isSelected(item);
  }

  private reset(): void {
    const records = [...this.picked.keys()].flatMap((key) => this.held(key) ?? []);
    this.all = undefined;
    this.picked = new Map();
    this.except = new Set();
    for (const record of records) this.store.recordSet.release(record);
  }

  private read(previous: SelectionSnapshot<M> | undefined): SelectionSnapshot<M> {
    const { count, isSelectedNow: isSelected } = this;
    if (previous?.isSelected === isSelected && previous.count === count) return previous;
    return Object.freeze({ count, all: this.all !== undefined, isSelected });
  }

  /** Follows the key of a record: a new one gets an id, and an id may change. */
  private follow(record: M): void {
    const { keys, picked, except } = this;
    if (picked.size + except.size === 0 && !this.all) return;
    const [key, before] = [keyOf(record), keys.get(record)];
    if (key === before) return;
    keys.set(record, key);
    // A record that was made after all were selected is not one of them.
    if (before === undefined) {
      if (record.phantom && this.all) except.add(record);
      return;
    }
    const isPicked = picked.delete(before);
    const isLeftOut = except.delete(before);
    if (!isPicked && !isLeftOut) return;
    this.change(() => {
      const isOfAll = this.all && !isFiltered(this.all);
      if (isPicked && !isOfAll) picked.set(key, record.getId());
      if (isLeftOut) except.add(key);
    });
  }

  /** The store no longer holds a record. */
  private dropped(record: M, replacedBy: M | undefined): void {
    const core = inner(record)[CORE];
    if (replacedBy || !(core?.erased || core?.phantom)) return;
    const key = this.keys.get(record) ?? keyOf(record);
    const isPicked = this.picked.delete(key);
    if (this.except.delete(key) || isPicked) this.change(() => undefined);
  }

  /** Whether a record is one of all that match; one that is not loaded counts as one. */
  private matches(record: M | undefined): boolean {
    const { rules, recordSet } = this.store;
    if (!record || !this.all || !recordSet.holds(record)) return true;
    return rules.compile(this.all).filter?.(record) ?? true;
  }

  /** Number of saved records that match a query; undefined if it is not known. */
  private matching(query: Query<M>): number | undefined {
    const { store } = this;
    const { sent, local } = store.rules.split(query);
    const isCounted = store.sent === undefined || isSame(matchOf(store.sent), matchOf(sent));
    if (!isCounted) return undefined;
    if (!isFiltered(local)) return store.totalCount;
    return store.holdsAll ? store.shown().filter((record) => !record.phantom).length : undefined;
  }

  private pick(record: M): void {
    const key = keyOf(record);
    this.keys.set(record, key);
    this.picked.set(key, record.getId());
  }

  /** The record with a key that the store holds. */
  private held(key: Key<M>): M | undefined {
    const { recordSet } = this.store;
    const record = typeof key === 'object' ? key : recordSet.index.getSaved(key);
    return record && recordSet.holds(record) && keyOf(record) === key ? record : undefined;
  }

  private check(item: unknown): Found<M> {
    const found = this.find(item);
    if (!found) throw this.refusal('selection-item', item);
    return found;
  }

  private refusal(reason: 'selection-item' | 'selection-range', item: unknown): StateError {
    const { name: model, messages } = this.store.definition;
    const value = this.store.isRecord(item) ? `a ${model} with the id ${String(item.getId())}` : describe(item);
    return new StateError('foreign', reason, { model, value }, { messages });
  }

  /** Finds the key of a record or id; undefined for anything else, for an erased record and for a new record of another store. */
  private find(item: unknown): Found<M> | undefined {
    const { store } = this;
    const { recordSet, definition } = store;
    if (store.isRecord(item)) {
      if (item.erased || (item.phantom && !recordSet.holds(item))) return undefined;
      return { key: keyOf(item), record: item, id: item.getId() };
    }
    if (typeof item !== 'string' && typeof item !== 'number') return undefined;
    const key = idKeyOf(item);
    if (key === undefined) return undefined;
    const record = recordSet.index.getSaved(key);
    if (record) return { key: keyOf(record), record, id: record.getId() };
    return { key, record: undefined, id: definition.idField.read(item) };
  }
}

/** A record or id that may be selected. */
interface Found<M> {
  readonly key: Key<M>;
  /** The record, if the store holds it or the caller gave it. */
  readonly record: M | undefined;
  readonly id: unknown;
}

function keyOf<M extends BaseModel>(record: M): Key<M> {
  return inner(record)[CORE]?.phantom ? record : (idKeyOf(serverId(record)) ?? record);
}

/** The parts of a query that decide which records match. */
function matchOf<M extends BaseModel>({ filters, search, params, pathParams }: Query<M>): object {
  return { filters, search, params, pathParams };
}
