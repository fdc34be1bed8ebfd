import { describe } from '../errors/message-format.js';
import { StateError } from '../errors/mistakes.js';
import { isValidId } from '../http/url.js';
import type { Model } from '../model/model.js';
import type { ModelDefinition } from '../model/model-definition.js';
import { inner } from '../model/record.js';
import { CORE } from '../model/symbols.js';
import type { AnyId } from '../operation/actions.js';
import { type CompositeId, idOfValues } from '../util/composite-id.js';
import { type Source, ValueSource } from '../util/value-source.js';
import { isSame } from '../util/values.js';
import { listedPages } from './all-pages.js';
import { hasPending } from './gone-record.js';
import { type IdKey, idKeyOf, serverId } from './id-index.js';
import { type InnerStore, innerStore, type ListedRows } from './inner-store.js';
import type { Query } from './query.js';
import { isFiltered } from './query-rules.js';
import type { Store } from './store.js';
import type { PagesOptions } from './store-config.js';

/** Number of ids in one request for selected records that the store does not hold. */
const IDS_PER_REQUEST = 100;

/** A selection at one moment: the value of the source `selectionOf(store)`. Frozen. */
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
export type SelectionTest<M> = { isSelected(item: M | AnyId): boolean }['isSelected'];

/** The id of a record; a new record is known by itself. */
type Key<M> = IdKey | M;

/**
 * The records that the user has selected, by id: over pages, sorting and reloads. A new record stays selected when it gets its id; an
 * erased one leaves the selection. The store holds the selected records that it has loaded, also when it shows another page.
 *
 * Another order changes nothing. Another filter, search or parameter, and a load that asks for other rows, keeps what was selected by id.
 * Ids that the server does not have leave the selection when they are read, or with a load of the whole collection.
 *
 * @example
 * ```ts
 * selectionOf(users).selectAll();
 * selectionOf(users).deselect(7);
 * for await (const page of selectionOf(users).pages()) {
 *   for (const user of page) user.team = 'A';
 *   (await users.sync()).orThrow();
 * }
 * ```
 */
export class Selection<M extends Model> implements Source<SelectionSnapshot<M>> {
  /** The records that were selected one by one, each with the id that requests send. */
  private picked: Map<Key<M>, unknown> = new Map();
  /** The rows that are all selected. */
  private all: All<M> | undefined = undefined;
  /** The records that are left out of all. */
  private except: Set<Key<M>> = new Set();
  /** The keys that records had when they were last seen. */
  private keys: WeakMap<M, Key<M>> = new WeakMap();
  /** The selections that bulk actions are reading, as they were when the reading began. */
  private readonly readings: Set<Chosen<M>> = new Set();
  private isSelectedNow: SelectionTest<M> = this.newTest();
  /** How the rows of the store were asked for when it was last loaded, or when the selection was made. */
  private asked: object;
  /** Whether rows of another list are selected too, such as that of other parameters, which a whole list says nothing about. */
  private isMixed = false;
  private readonly source: ValueSource<SelectionSnapshot<M>> = new ValueSource<SelectionSnapshot<M>>((previous) =>
    this.read(previous),
  );
  /** Adds a listener; returns the function that removes it. */
  readonly subscribe: (listener: () => void) => () => void = this.source.subscribe;
  /** Returns the present snapshot: the same object until the selection has changed. */
  readonly get: () => SelectionSnapshot<M> = this.source.get;

  constructor(private readonly store: InnerStore<M>) {
    this.asked = askedFor(store.listed);
    store.recordSet.observers.attach({
      selection: this,
      keeps: (record) => this.picked.has(keyOf(record)),
      recordAdded: (record) => this.follow(record),
      recordChanged: (record) => this.follow(record),
      recordDropped: (record, replacedBy) => this.dropped(record, replacedBy),
      statusChanged: () => this.source.update(),
      querySet: () => this.queryChanged(),
      loaded: () => this.listedChanged(),
      restarted: () => {
        this.keepOthers();
        this.restart();
      },
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

  /**
   * Whether a record, or the record with an id, is selected; false for anything else.
   *
   * @example
   * ```ts
   * for (const user of users) show(user.name, selectionOf(users).isSelected(user));
   * ```
   */
  isSelected(item: M | AnyId): boolean {
    const known = this.find(item);
    if (!known) return false;
    const { key, record } = known;
    if (this.picked.has(key)) return true;
    return this.all !== undefined && typeof key !== 'object' && !this.except.has(key) && this.matches(record);
  }

  /**
   * Selects records, or the records with these ids. Throws `StateError` for anything else.
   *
   * @example
   * ```ts
   * users.add(user);
   * selectionOf(users).select(user); // or by its id: select(7)
   * show(selectionOf(users).count); // 1
   * ```
   */
  select(...items: (M | AnyId)[]): void {
    this.set(items, () => true);
  }

  /**
   * Takes records, or the records with these ids, out of the selection. Throws `StateError` for what is neither.
   *
   * @example
   * ```ts
   * selectionOf(users).selectAll();
   * selectionOf(users).deselect(7, 8); // all but these two
   * ```
   */
  deselect(...items: (M | AnyId)[]): void {
    this.set(items, () => false);
  }

  /**
   * Selects a record that is not selected, and takes it out otherwise. Throws `StateError` for what is neither a record nor an id.
   *
   * @example
   * ```ts
   * users.add(user);
   * selectionOf(users).toggle(7);
   * show(selectionOf(users).isSelected(user)); // true
   * ```
   */
  toggle(item: M | AnyId): void {
    this.set([item], () => !this.isSelected(item));
  }

  /**
   * Selects the records from one to another, in the order in which the store shows them, both included; in a tree, in the order of its
   * visible records. Throws `StateError` if not both are shown.
   *
   * @example
   * ```ts
   * let last = users.getAt(0);
   * function clicked(user: User, { shiftKey }: MouseEvent) {
   *   if (shiftKey && last) selectionOf(users).selectRange(last, user);
   *   else selectionOf(users).toggle(user);
   *   last = user;
   * }
   * ```
   */
  selectRange(from: M | AnyId, to: M | AnyId): void {
    const shown = this.store.recordsOnScreen();
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
   *
   * @example
   * ```ts
   * users.filter({ property: 'team', value: 'A' });
   * selectionOf(users).selectAll(); // all of team A, also those on other pages
   * show(selectionOf(users).count); // undefined until the server has told how many there are
   * ```
   */
  selectAll(): void {
    this.store.checkOpen();
    this.change(() => {
      this.reset();
      const { query, listed, recordSet } = this.store;
      this.all = { query, listed };
      for (const record of this.store.list.get()) if (record.phantom) this.pick(record);
      for (const record of recordSet.pendingRecords(({ phantom }) => phantom)) {
        this.keys.set(record, record);
        if (!this.picked.has(record)) this.except.add(record);
      }
    });
  }

  /**
   * Selects nothing.
   *
   * @example
   * ```ts
   * selectionOf(users).clear(); // such as after a bulk action
   * ```
   */
  clear(): void {
    this.change(() => this.reset());
  }

  /**
   * Reads all selected records, page by page, for a bulk action. Those that the store holds are given as they are, without a request;
   * those of "all that match" are read by `pagesOf(store)`, with the options of the load that showed them, and selected ids of other
   * records by a filter `in`. What is selected in the loop does not count, and neither does a record that is created meanwhile. A record
   * that no longer exists on the server, and one that was removed here, is left out.
   *
   * Ids are read 100 at a time. `count` and `total` follow the erase of records that were given here, also of those on no loaded
   * page.
   *
   * @param options The options of `pagesOf(store)`.
   */
  pages(options: PagesOptions = {}): AsyncGenerator<readonly M[], void, undefined> {
    const { store, all } = this;
    store.checkOpen();
    const chosen = { picked: new Map(this.picked), except: new Set(this.except) };
    const { query, part } = all?.listed ?? { query: store.query, part: undefined };
    // Wrong options throw at once.
    const matching = listedPages(store, query, options, part);
    return this.readSelected(all, all && !all.listed.given ? matching : undefined, chosen, options);
  }

  /** The store is about to answer another query: what is selected of the query before ends if that has other records. */
  private queryChanged(): void {
    const { all, store } = this;
    if (all && !isSame(matchOf(all.query), matchOf(store.query))) this.restart();
  }

  /** The store shows other rows: what is selected of all ends if the server was asked for them in another way. */
  private listedChanged(): void {
    const { all, store } = this;
    const asked = askedFor(store.listed);
    const isSameList = isSame(this.asked, asked);
    this.asked = asked;
    if (all && !isSame(askedFor(all.listed), asked)) this.restart();
    if (!isSameList) this.keepOthers();
    else if (!this.isMixed && store.holdsAll) this.forgetAbsent();
  }

  /** The store shows another list from now on: what was selected of the one before stays. */
  private keepOthers(): void {
    this.isMixed = this.picked.size + this.except.size > 0;
  }

  /** Takes the records out of the selection that are not among all rows of the collection. New and changed ones stay. */
  private forgetAbsent(): void {
    const { picked, except, store } = this;
    const { recordSet } = store;
    const isAbsent = (key: Key<M>) => {
      const record = this.held(key);
      if (!record) return typeof key !== 'object';
      return !recordSet.isInPlace(record) && !record.phantom && !hasPending(record);
    };
    const absent = [...picked.keys(), ...except].filter(isAbsent);
    if (absent.length === 0) return;
    this.change(() => {
      for (const key of absent) {
        const record = this.held(key);
        picked.delete(key);
        except.delete(key);
        if (record) recordSet.release(record);
      }
    });
  }

  /** The server gives other rows for the same query from now on. */
  private restart(): void {
    if (!this.all) return;
    this.change(() => {
      this.all = undefined;
      this.except.clear();
    });
  }

  /** Reads what is chosen. Until that has ended, the chosen keys follow their records. */
  private async *readSelected(
    all: All<M> | undefined,
    matching: AsyncGenerator<readonly M[], void, undefined> | undefined,
    chosen: Chosen<M>,
    options: PagesOptions,
  ): AsyncGenerator<readonly M[], void, undefined> {
    // Records may have got their ids since the call.
    for (const [key, id] of [...chosen.picked]) if (isSaved(key)) this.rename(chosen, key, keyOf(key), id);
    for (const key of [...chosen.except]) if (isSaved(key)) this.rename(chosen, key, keyOf(key));
    if (all && this.all === all) for (const key of this.except) if (!chosen.picked.has(key)) chosen.except.add(key);
    if (all?.listed.given)
      for (const record of this.given(all))
        if (!chosen.except.has(keyOf(record))) chosen.picked.set(keyOf(record), record.getId());
    this.readings.add(chosen);
    try {
      yield* this.readPages(matching, chosen, options);
    } finally {
      this.readings.delete(chosen);
    }
  }

  private async *readPages(
    matching: AsyncGenerator<readonly M[], void, undefined> | undefined,
    { picked, except }: Chosen<M>,
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
      for await (const page of listedPages(store, this.queryOf([...asked.values()]), options)) {
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
    const filters = idFilters(definition, ids);
    return query.with({ filters, search: '', sorters: [], groupers: [] } as never);
  }

  private set(items: readonly (M | AnyId)[], isSelected: () => boolean): void {
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
    this.isMixed = false;
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
    const { keys, picked, except, readings } = this;
    if (picked.size + except.size + readings.size === 0 && !this.all) return;
    const [key, before] = [keyOf(record), keys.get(record)];
    if (key === before) return;
    keys.set(record, key);
    // A record that was made after all were selected is not one of them.
    if (before === undefined) {
      if (record.phantom && this.all) except.add(record);
      if (record.phantom) for (const reading of readings) reading.except.add(record);
      return;
    }
    for (const reading of readings) this.rename(reading, before, key, record.getId());
    const isPicked = picked.delete(before);
    const isLeftOut = except.delete(before);
    if (!isPicked && !isLeftOut) return;
    this.change(() => {
      const isOfAll = this.all && !isFiltered(this.all.query);
      if (isPicked && !isOfAll) picked.set(key, record.getId());
      if (isLeftOut) except.add(key);
    });
  }

  /** Puts the present key of a record in the place of an earlier one. */
  private rename({ picked, except }: Chosen<M>, before: Key<M>, key: Key<M>, id?: unknown): void {
    if (picked.delete(before)) picked.set(key, id);
    if (except.delete(before)) except.add(key);
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
    return rules.compile(this.all.query).filter?.(record) ?? true;
  }

  /** The saved records that the application has given, and that match. */
  private given({ query }: All<M>): M[] {
    const { rules, recordSet } = this.store;
    const { filter } = rules.compile(query);
    const isOneOfAll = (record: M) => !record.phantom && !recordSet.hidden(record) && (filter?.(record) ?? true);
    return recordSet.inPlace().filter(isOneOfAll);
  }

  /** Number of saved records that match; undefined if it is not known. */
  private matching(all: All<M>): number | undefined {
    const { store } = this;
    if (all.listed.given) return this.given(all).length;
    const { sent, local } = store.rules.split(all.query);
    const { sentQuery } = store;
    const isCounted = sentQuery === undefined || isSame(matchOf(sentQuery), matchOf(sent));
    if (!isCounted) return undefined;
    if (!isFiltered(local)) return store.total;
    return store.holdsAll ? [...store.list.get()].filter((record) => !record.phantom).length : undefined;
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
    const { idParts } = definition;
    const isId = idParts
      ? Array.isArray(item) && item.length === idParts.length && item.every(isPart)
      : typeof item === 'string' || typeof item === 'number';
    const key = isId ? idKeyOf(item) : undefined;
    if (key === undefined) return undefined;
    const record = recordSet.index.getSaved(key);
    if (record) return { key: keyOf(record), record, id: record.getId() };
    const id = idParts ? idOfValues(item as CompositeId) : definition.idField.read(item);
    return { key, record: undefined, id };
  }
}

/**
 * The records of a store that the user has selected, as a source for a screen: by id, over pages, sorting and reloads. Each store has one
 * selection, made when it is first asked for.
 *
 * @example
 * ```ts
 * const selection = selectionOf(users);
 * selection.select(7, 8);
 * selection.subscribe(() => console.log(selection.count));
 * ```
 */
export function selectionOf<M extends Model>(store: Store<M>): Selection<M> {
  const inside = innerStore(store);
  const [known] = inside.recordSet.observers.having('selection');
  return (known?.selection as Selection<M> | undefined) ?? new Selection<M>(inside);
}

/** Whether a value may be a part of an id of several fields. */
function isPart(value: unknown): boolean {
  return (typeof value === 'string' || typeof value === 'number') && isValidId(value);
}

/** The filters for records with some ids. */
function idFilters({ idField, idParts }: ModelDefinition, ids: readonly unknown[]): readonly object[] {
  if (!idParts) return [{ property: idField.name, operator: 'in', value: ids }];
  const conditionsOf = (id: CompositeId) => idParts.map(({ name }, at) => ({ property: name, value: id[at] }));
  const [first, ...others] = ids as readonly CompositeId[];
  if (first && others.length === 0) return conditionsOf(first);
  return [{ or: (ids as readonly CompositeId[]).map((id) => ({ and: conditionsOf(id) })) }];
}

/** Records that are selected, by their keys. */
interface Chosen<M> {
  /** The records that were selected one by one, each with the id that requests send. */
  readonly picked: Map<Key<M>, unknown>;
  /** The records that are left out of all. */
  readonly except: Set<Key<M>>;
}

/** The rows that are all selected. */
interface All<M extends Model> {
  /** The query of the store when they were selected. */
  readonly query: Query<M>;
  readonly listed: ListedRows<M>;
}

/** A record or id that may be selected. */
interface Found<M> {
  readonly key: Key<M>;
  /** The record, if the store holds it or the caller gave it. */
  readonly record: M | undefined;
  readonly id: unknown;
}

function keyOf<M extends Model>(record: M): Key<M> {
  return inner(record)[CORE]?.phantom ? record : (idKeyOf(serverId(record)) ?? record);
}

/** Whether a key is a record that was new, and has an id now. */
function isSaved<M extends Model>(key: Key<M>): key is M {
  return typeof key === 'object' && keyOf(key) !== key;
}

/** The parts of a load that decide, beside filters, which rows come. */
function askedFor<M extends Model>({ query, part, given }: ListedRows<M>): object {
  const { params, pathParams } = query;
  return { params, pathParams, part, given };
}

/** The parts of a query that decide which records match. */
function matchOf<M extends Model>({ filters, search, params, pathParams }: Query<M>): object {
  return { filters, search, params, pathParams };
}
