import type { Model } from '../model/model.js';
import { inner } from '../model/record.js';
import { CORE } from '../model/symbols.js';
import { countOf, joinChunks, pickItems } from '../store/chunks.js';
import type { CompiledQuery } from '../store/compile-query.js';
import { type IdKey, idKeyOf, idsOf } from '../store/id-index.js';
import type { RecordSet } from '../store/record-set.js';
import type { StoreObserver } from '../store/store-observer.js';
import type { CheckedState } from './tree-config.js';
import { descendantsOf, type ItemOwner, isWithin, itemOf, TreeBranch, TreeItem } from './tree-item.js';
import { type RowsOwner, VisibleRows } from './visible-rows.js';

/** How the records of a tree are arranged. */
export interface HierarchyRules<M extends Model> {
  readonly recordSet: RecordSet<M>;
  readonly parentField: string;
  readonly leafField: string | undefined;
  readonly rootId: unknown;
  readonly folderSort: boolean;
  readonly isLazy: boolean;
  readonly showsOrphans: boolean;
  /** Reads a field of a record. */
  read(record: M, field: string): unknown;
  /** The list of visible records may have changed; `record` is one whose values changed. */
  changed(record?: M): void;
  /** The changes of the tick are being delivered. */
  deliver(): void;
  /** A record was erased that had others below. */
  erased(below: readonly M[]): void;
}

type ItemOrder<M extends Model> = (a: TreeItem<M>, b: TreeItem<M>) => number;

/** Up to this number, records that come or go are taken one by one. */
const SMALL_COUNT = 64;

/**
 * Arranges the records of a store below each other, by the id of the parent that each one names, and follows their changes. It is built when
 * it is first read. Nothing can make it endless: records that are among their own ancestors hang at the root.
 */
export class Hierarchy<M extends Model> implements ItemOwner<M>, RowsOwner<M>, StoreObserver<M> {
  readonly root: TreeBranch<M> = new TreeBranch<M>();
  readonly items: Map<M, TreeItem<M>> = new Map();
  readonly rows: VisibleRows<M>;
  /** The items whose state somebody watches. */
  readonly watchedItems: Set<TreeItem<M>> = new Set();
  /** The records that are among their own ancestors. */
  cyclic: readonly TreeItem<M>[] = [];
  /** The items whose parent the tree does not hold, by the key of its id. */
  readonly orphans: Map<IdKey | undefined, Set<TreeItem<M>>> = new Map();
  private isBuilt = false;
  /** The ids of records that are not known yet, and whose rows told all their children. */
  private readonly told: Set<IdKey | undefined> = new Set();
  private walks = 0;
  private compare: ItemOrder<M>;
  private filter: CompiledQuery<M> | undefined = undefined;
  private expandsMatches = false;
  /** The items that were collapsed while the filter shows all others expanded. */
  private readonly collapsedInFilter: Set<TreeItem<M>> = new Set();

  constructor(
    private readonly rules: HierarchyRules<M>,
    private order: CompiledQuery<M>,
  ) {
    this.rows = new VisibleRows<M>(this, rules);
    this.compare = this.comparer();
  }

  // ── Reading ──

  get(record: M): TreeItem<M> | undefined {
    this.refresh();
    const item = this.items.get(record);
    return item?.isPresent ? item : undefined;
  }

  refresh(): void {
    if (!this.isBuilt) this.build();
  }

  isOpen(item: TreeItem<M>): boolean {
    return this.filter && this.expandsMatches ? !this.collapsedInFilter.has(item) : item.isExpanded;
  }

  isKept({ passes, keptBelow }: TreeItem<M>): boolean {
    return !this.filter || passes || keptBelow > 0;
  }

  isLeaf(item: TreeItem<M>): boolean {
    const { leafField, isLazy } = this.rules;
    if (item.items.length > 0) return false;
    const isLeaf = leafField === undefined ? undefined : this.rules.read(item.record, leafField);
    if (typeof isLeaf === 'boolean' && (isLeaf || !(isLazy && item.load.loaded))) return isLeaf;
    return !isLazy || item.load.loaded || item.record.phantom;
  }

  indexOf(item: TreeItem<M>): number {
    const place = this.rows.find(item.record);
    return place ? this.rows.get().indexOf(place) : -1;
  }

  childrenOf(branch: TreeBranch<M>): readonly TreeItem<M>[] {
    this.refresh();
    return this.sortedItems(branch);
  }

  sortedItems(branch: TreeBranch<M>): readonly TreeItem<M>[] {
    if (branch.isSorted) return branch.items;
    if (branch.items.length > 1) branch.items.sort(this.compare);
    for (let at = 0; at < branch.items.length; at += 1) (branch.items[at] as TreeItem<M>).rank = at;
    branch.isSorted = true;
    return branch.items;
  }

  // ── Changing what is shown ──

  /** Sorts all branches anew. */
  setOrder(order: CompiledQuery<M>): void {
    this.order = order;
    this.compare = this.comparer();
    this.root.isSorted = false;
    for (const item of this.items.values()) item.isSorted = false;
    this.rows.reset();
    this.rules.changed();
  }

  /** Shows only the records that pass, and those above them. */
  setFilter(filter: CompiledQuery<M> | undefined, expandsMatches: boolean): void {
    this.filter = filter?.filter ? filter : undefined;
    this.expandsMatches = expandsMatches;
    this.collapsedInFilter.clear();
    this.guard(() => this.applyFilter());
    this.rows.reset();
    this.rules.changed();
  }

  setOpen(item: TreeItem<M>, isOpen: boolean): void {
    this.refresh();
    if (this.isOpen(item) === isOpen) return;
    if (!this.filter || !this.expandsMatches) item.isExpanded = isOpen;
    else if (isOpen) this.collapsedInFilter.delete(item);
    else this.collapsedInFilter.add(item);
    if (isOpen) this.rows.opened(item);
    else this.rows.closed(item);
    this.rules.changed();
  }

  setAllOpen(isOpen: boolean): void {
    this.refresh();
    const { collapsedInFilter, filter, items } = this;
    collapsedInFilter.clear();
    if (!filter || !this.expandsMatches)
      for (const item of items.values()) item.isExpanded = isOpen && item.items.length > 0;
    else if (!isOpen) for (const item of items.values()) collapsedInFilter.add(item);
    this.rows.reset();
    this.rules.changed();
  }

  /** The load state of an item has changed: in a lazy tree it may be a leaf now. */
  loadChanged(branch: TreeBranch<M>): void {
    const item = itemOf(branch);
    if (item && this.isBuilt && this.rules.folderSort) this.guard(() => this.reorder(item));
    this.rules.changed();
  }

  /** The rows of some records told all their children. */
  childrenTold(ids: readonly unknown[]): void {
    for (const id of ids) {
      const record = this.rules.recordSet.index.get(id);
      const item = record && this.items.get(record);
      if (item) item.load.loaded = true;
      else this.told.add(idKeyOf(id));
    }
  }

  /** The records directly below one, and all below it: each one before those below it. */
  recordsBelow(record: M): { readonly children: readonly M[]; readonly all: readonly M[] } {
    this.refresh();
    const item = this.items.get(record);
    if (!item) return { children: [], all: [] };
    return {
      children: item.items.map((each) => each.record),
      all: descendantsOf(item).map((each) => each.record),
    };
  }

  // ── Check marks ──

  checkedState(item: TreeItem<M>): CheckedState {
    this.refresh();
    if (item.knownCheck) return item.knownCheck;
    const open = descendantsOf(item, (each) => each.knownCheck === undefined);
    // Those below come later in the list, so their states are known first.
    for (const each of [item, ...open].reverse()) each.knownCheck ??= stateOf(each);
    return item.knownCheck ?? 'none';
  }

  /** Checks an item and all below it that the filter keeps, or takes their check marks away. */
  setChecked(item: TreeItem<M>, isChecked: boolean): void {
    this.refresh();
    const items = [item, ...descendantsOf(item, (each) => this.isKept(each))].filter((each) => this.isKept(each));
    for (const each of items) each.ownCheck = isChecked;
    for (const each of items) each.knownCheck = undefined;
    this.forgetChecks(item);
    for (const each of items) if (each.items.length > 0) each.ownCheck = this.checkedState(each) === 'all';
    for (let above = itemOf(item.branch); above; above = itemOf(above.branch))
      above.ownCheck = this.checkedState(above) === 'all';
    this.rules.changed();
  }

  stateWatched(item: TreeItem<M>, isWatched: boolean): void {
    if (isWatched) this.watchedItems.add(item);
    else this.watchedItems.delete(item);
  }

  // ── Called by the store (StoreObserver) ──

  recordsReplaced(): void {
    this.reset();
  }

  recordsShown(records: readonly M[]): void {
    if (this.isBuilt && records.length > SMALL_COUNT + this.items.size / 4) return this.reset();
    this.guard(() => {
      for (const record of records) this.itemFor(record).isPresent = true;
      for (const record of records) this.place(this.items.get(record) as TreeItem<M>);
      for (const record of records) this.adopt(record);
    });
    this.rules.changed();
  }

  recordsHidden(records: readonly M[]): void {
    if (this.isBuilt && records.length > SMALL_COUNT + this.items.size / 4) return this.reset();
    this.guard(() => {
      for (const record of records) {
        const item = this.items.get(record);
        if (!item?.isPresent) continue;
        this.leave(item);
        item.isPresent = false;
      }
    });
    this.rules.changed();
  }

  valuesChanged(record: M, fields: readonly string[] | undefined): void {
    this.guard(() => {
      const item = this.items.get(record);
      if (!item?.isPresent) return;
      if (isAmong(this.rules.parentField, fields) && !this.isSettled(item)) {
        this.leave(item);
        this.place(item);
      } else if (this.affectsOrder(fields)) this.reorder(item);
      if (this.filter && isAffected(this.filter, fields)) this.setPasses(item, this.test(record));
    });
    this.rules.changed(record);
  }

  hiddenChanged(record: M): void {
    this.rules.changed(record);
  }

  recordChanged(record: M): void {
    // The record may have got an id by which others name their parent.
    if (this.isBuilt && this.orphans.size > 0) this.guard(() => this.adopt(record));
  }

  recordDropped(record: M): void {
    const item = this.items.get(record);
    if (!item || !this.isBuilt) return;
    this.items.delete(record);
    this.collapsedInFilter.delete(item);
    if (item.items.length === 0) return;
    if (inner(record)[CORE]?.erased) this.rules.erased(descendantsOf(item).map((each) => each.record));
    this.guard(() => {
      for (const child of [...item.items]) {
        this.leave(child);
        this.place(child);
      }
    });
    this.rules.changed();
  }

  /** A record is not erased while one below it is not. */
  keepsBranch(record: M): boolean {
    return this.items.has(record);
  }

  /** Stops: nothing hangs in the tree from now on. */
  end(): void {
    this.items.clear();
    this.orphans.clear();
    this.cyclic = [];
    empty(this.root);
    this.rows.reset();
    this.isBuilt = true;
    this.rules.changed();
  }

  // ── Internal ──

  /** Follows a change. If a function of the application throws, everything is built again, and the next reader gets the error. */
  private guard(follow: () => void): void {
    if (!this.isBuilt) return;
    try {
      follow();
    } catch {
      this.reset();
    }
  }

  private reset(): void {
    this.isBuilt = false;
    this.rows.reset();
    this.rules.changed();
  }

  private build(): void {
    const { recordSet, showsOrphans } = this.rules;
    const { root, items } = this;
    // Removed records and those of an earlier response are parents still, although they are not shown.
    const records = [...recordSet.inPlace(), ...recordSet.offPage];
    this.walks += 1;
    const { walks } = this;
    const all = records.map((record) => {
      const item = this.itemFor(record);
      item.isPresent = recordSet.isPresent(record);
      item.walk = walks;
      empty(item);
      return item;
    });
    empty(root);
    this.orphans.clear();
    if (items.size > all.length) for (const [record, item] of items) if (item.walk !== walks) items.delete(record);
    for (const item of all) [item.wanted, item.wantedKey] = this.wantedOf(item);
    this.cyclic = this.findCycles(all);
    const inCycle = new Set(this.cyclic);
    for (const item of all) {
      if (!item.isPresent) continue;
      if (!item.wanted) this.addOrphan(item);
      const branch = inCycle.has(item) ? root : (item.wanted ?? (showsOrphans ? root : undefined));
      item.branch = branch;
      branch?.items.push(item);
    }
    this.rows.reset();
    // A filter of the application may read the tree.
    this.isBuilt = true;
    try {
      this.applyFilter();
    } catch (error) {
      this.isBuilt = false;
      throw error;
    }
  }

  /** The items that come back to themselves by their parents. Visits each item once. */
  private findCycles(all: readonly TreeItem<M>[]): TreeItem<M>[] {
    const found: TreeItem<M>[] = [];
    const before = this.walks;
    for (const item of all) {
      if (item.walk > before) continue;
      this.walks += 1;
      let at: TreeItem<M> | undefined = item;
      while (at?.isPresent && at.walk <= before) {
        at.walk = this.walks;
        at = itemOf(at.wanted);
      }
      if (!at?.isPresent || at.walk !== this.walks) continue;
      const first: TreeItem<M> = at;
      do {
        found.push(at);
        at = at.wanted as TreeItem<M>;
      } while (at !== first);
    }
    return found;
  }

  private itemFor(record: M): TreeItem<M> {
    let item = this.items.get(record);
    if (!item) {
      item = new TreeItem<M>(record, this);
      if (this.told.size > 0) item.load.loaded = this.told.delete(idsOf(record)[0]);
      this.items.set(record, item);
    }
    return item;
  }

  /** The branch that a record names as its parent, and the key of the id by which it does. */
  private wantedOf({
    record,
    wanted,
    wantedKey,
  }: TreeItem<M>): [wanted: TreeBranch<M> | undefined, key: IdKey | undefined] {
    const { rules, root, items } = this;
    const id = rules.read(record, rules.parentField);
    if (id === null || id === undefined || id === '' || id === rules.rootId) return [root, undefined];
    const key = idKeyOf(id);
    const known = itemOf(wanted);
    // A new parent got its id, but this record still has the temporary one.
    if (known && key === wantedKey && items.get(known.record) === known) return [known, key];
    const parent = rules.recordSet.index.get(id);
    return [parent && items.get(parent), key];
  }

  /** Whether an item hangs where its record says. */
  private isSettled(item: TreeItem<M>): boolean {
    const [wanted, key] = this.wantedOf(item);
    return wanted === item.wanted && key === item.wantedKey;
  }

  /** Puts a present item where its record says. */
  private place(item: TreeItem<M>): void {
    if (this.cyclic.length > 0) return this.reset();
    [item.wanted, item.wantedKey] = this.wantedOf(item);
    const { wanted } = item;
    if (!wanted) this.addOrphan(item);
    const branch = wanted ?? (this.rules.showsOrphans ? this.root : undefined);
    if (isWithin(itemOf(branch), item)) return this.reset();
    if (this.filter) item.passes = this.test(item.record);
    if (branch) this.attach(item, branch);
  }

  /** Takes an item away from where it hangs. */
  private leave(item: TreeItem<M>): void {
    if (this.cyclic.length > 0) return this.reset();
    this.removeOrphan(item);
    if (item.branch) this.detach(item, item.branch);
  }

  /** Puts the records in place that wait for a record with the ids of this one. */
  private adopt(record: M): void {
    if (this.orphans.size === 0 || !this.items.has(record)) return;
    for (const id of idsOf(record))
      for (const item of [...(this.orphans.get(id) ?? [])]) {
        this.leave(item);
        this.place(item);
      }
  }

  private addOrphan(item: TreeItem<M>): void {
    const others = this.orphans.get(item.wantedKey);
    if (others) others.add(item);
    else this.orphans.set(item.wantedKey, new Set([item]));
  }

  private removeOrphan(item: TreeItem<M>): void {
    const others = this.orphans.get(item.wantedKey);
    if (others?.delete(item) && others.size === 0) this.orphans.delete(item.wantedKey);
  }

  private attach(item: TreeItem<M>, branch: TreeBranch<M>): void {
    item.branch = branch;
    // An expanded item without children is visible already, so what comes below it must be in order.
    if (branch.items.length === 0) branch.isSorted = true;
    if (branch.isSorted) this.insert(item, branch);
    else branch.items.push(item);
    this.forgetChecks(item);
    const folder = this.rules.folderSort && branch.items.length === 1 ? itemOf(branch) : undefined;
    const shown = this.isKept(item) ? this.addKept(branch) : undefined;
    if (folder) this.reorder(folder, shown ?? folder);
    else this.rows.added(shown ?? item);
  }

  private detach(item: TreeItem<M>, branch: TreeBranch<M>): void {
    const isKept = this.isKept(item);
    this.rows.removing((isKept ? this.lastKept(branch) : undefined) ?? item);
    this.forgetChecks(item);
    if (isKept) this.removeKept(branch);
    branch.items.splice(branch.items.indexOf(item), 1);
    item.branch = undefined;
    const folder = this.rules.folderSort && branch.items.length === 0 ? itemOf(branch) : undefined;
    if (folder) this.reorder(folder);
  }

  /** Moves an item to the place among its neighbours that fits its values; `shown` is what gets visible with it. */
  private reorder(item: TreeItem<M>, shown: TreeItem<M> = item): void {
    const { branch } = item;
    // Visible items hang at sorted branches, so this one is not visible yet.
    if (!branch?.isSorted) return this.rows.added(shown);
    if (!this.order.steady) {
      branch.isSorted = false;
      this.rows.reset();
      return;
    }
    this.rows.removing(item);
    branch.items.splice(branch.items.indexOf(item), 1);
    this.insert(item, branch);
    this.rows.added(shown);
  }

  private insert(item: TreeItem<M>, { items }: TreeBranch<M>): void {
    let low = 0;
    let high = items.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.compare(items[middle] as TreeItem<M>, item) < 0) low = middle + 1;
      else high = middle;
    }
    items.splice(low, 0, item);
    const before = items[low - 1]?.rank;
    const behind = items[low + 1]?.rank;
    if (before === undefined || behind === undefined) item.rank = before === undefined ? (behind ?? 1) - 1 : before + 1;
    else {
      item.rank = (before + behind) / 2;
      // No number is left between the two neighbours.
      if (item.rank === before || item.rank === behind)
        for (let at = 0; at < items.length; at += 1) (items[at] as TreeItem<M>).rank = at;
    }
  }

  /** Orders items under the same parent. Made once for each order, because branches are sorted many at a time. */
  private comparer(): ItemOrder<M> {
    const { folderSort, recordSet } = this.rules;
    const { order } = this.order;
    const byRank: ItemOrder<M> = (a, b) => recordSet.rank(a.record) - recordSet.rank(b.record);
    const byValues: ItemOrder<M> = order ? (a, b) => order(a.record, b.record) || byRank(a, b) : byRank;
    if (!folderSort) return byValues;
    return (a, b) => Number(this.isLeaf(a)) - Number(this.isLeaf(b)) || byValues(a, b);
  }

  private affectsOrder(fields: readonly string[] | undefined): boolean {
    const { folderSort, leafField } = this.rules;
    const byKind = folderSort && leafField !== undefined && isAmong(leafField, fields);
    return byKind || (this.order.order !== undefined && isAffected(this.order, fields));
  }

  private test(record: M): boolean {
    return this.filter?.filter?.(record) ?? true;
  }

  private applyFilter(): void {
    const { filter } = this;
    if (!filter) return;
    const passing = this.passing(filter);
    for (const item of this.items.values()) {
      item.passes = false;
      item.keptBelow = 0;
    }
    for (const item of passing) {
      const wasKept = item.keptBelow > 0;
      item.passes = true;
      if (!wasKept) this.addKept(item.branch);
    }
  }

  /** The items whose records pass a filter. Texts are typed into filters letter by letter, so the columns are used several times. */
  private passing({ conditions }: CompiledQuery<M>): TreeItem<M>[] {
    const { items, rules } = this;
    const chunks = rules.recordSet.present();
    const indices = conditions && rules.recordSet.columns.passing(conditions, countOf(chunks));
    if (!indices) return [...items.values()].filter((item) => item.isPresent && this.test(item.record));
    return joinChunks(pickItems(chunks, indices)).map((record) => items.get(record) as TreeItem<M>);
  }

  private setPasses(item: TreeItem<M>, passes: boolean): void {
    if (item.passes === passes) return;
    const { branch } = item;
    if (item.keptBelow > 0) item.passes = passes;
    else if (passes) {
      item.passes = true;
      this.rows.added(this.addKept(branch) ?? item);
    } else {
      this.rows.removing(this.lastKept(branch) ?? item);
      item.passes = false;
      this.removeKept(branch);
    }
  }

  /** One more item is kept at a branch. Returns the uppermost item above it that is kept since then. */
  private addKept(branch: TreeBranch<M> | undefined): TreeItem<M> | undefined {
    let uppermost: TreeItem<M> | undefined;
    for (let item = itemOf(branch); item && this.filter; item = itemOf(item.branch)) {
      const wasKept = item.passes || item.keptBelow > 0;
      item.keptBelow += 1;
      if (wasKept) break;
      uppermost = item;
    }
    return uppermost;
  }

  private removeKept(branch: TreeBranch<M> | undefined): void {
    for (let item = itemOf(branch); item && this.filter; item = itemOf(item.branch)) {
      item.keptBelow -= 1;
      if (item.passes || item.keptBelow > 0) break;
    }
  }

  /** The uppermost item that is kept only for one kept item at a branch. */
  private lastKept(branch: TreeBranch<M> | undefined): TreeItem<M> | undefined {
    let uppermost: TreeItem<M> | undefined;
    for (let item = itemOf(branch); item && this.filter; item = itemOf(item.branch)) {
      if (item.passes || item.keptBelow > 1) break;
      uppermost = item;
    }
    return uppermost;
  }

  private forgetChecks(item: TreeItem<M>): void {
    for (let above = itemOf(item.branch); above; above = itemOf(above.branch)) above.knownCheck = undefined;
    item.knownCheck = undefined;
  }
}

function empty<M extends Model>(branch: TreeBranch<M>): void {
  if (branch.items.length > 0) branch.items = [];
  branch.isSorted = false;
  if (!(branch instanceof TreeItem)) return;
  branch.branch = undefined;
  branch.knownCheck = undefined;
}

/** The state of an item, if those of all that hang directly at it are known. */
function stateOf<M extends Model>({ items, ownCheck }: TreeItem<M>): CheckedState {
  if (items.length === 0) return ownCheck ? 'all' : 'none';
  if (items.every(({ knownCheck }) => knownCheck === 'all')) return 'all';
  return items.every(({ knownCheck }) => knownCheck === 'none') ? 'none' : 'some';
}

function isAmong(field: string, fields: readonly string[] | undefined): boolean {
  return !fields || fields.includes(field);
}

function isAffected<M>({ fields: used }: CompiledQuery<M>, fields: readonly string[] | undefined): boolean {
  return !used || !fields || fields.some((name) => used.has(name));
}
