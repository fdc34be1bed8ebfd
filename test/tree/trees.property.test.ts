import fc from 'fast-check';
import { differenceOf, receive } from 'repose';
import { TreeStore } from 'repose/tree';
import { expect, test } from 'vitest';
import { Folder } from './support.js';

const at = fc.nat({ max: 30 });
const name = fc.constantFrom('a', 'b', 'c', 'ab');
const place = fc.option(fc.nat({ max: 4 }), { nil: undefined });
const parent = fc.option(at, { nil: null });
/** Ids of parents in rows of a server: some exist, some do not, and some lead to a circle. */
const parentId = fc.option(fc.integer({ min: 1, max: 14 }), { nil: null });
const row = fc.record({ id: fc.integer({ min: 1, max: 12 }), parentId, name });

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('append' as const), parent, name }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('insert' as const), parent, place: fc.nat({ max: 4 }), name }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('move' as const), at, parent, place }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('remove' as const), at }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('rename' as const), at, name }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('setParent' as const), at, parentId }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('receive' as const), rows: fc.array(row, { maxLength: 4 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('leave' as const), id: fc.integer({ min: 1, max: 12 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('setRecords' as const), rows: fc.array(row, { maxLength: 12 }) }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('expand' as const), at }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('collapse' as const), at }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('expandAll' as const, 'collapseAll' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('filter' as const),
      text: fc.constantFrom('a', 'b', 'c'),
      auto: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom('clearFilter' as const, 'reject' as const, 'flush' as const) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('sort' as const), by: fc.constantFrom([], ['name' as const]) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('check' as const), at, checked: fc.boolean() }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** Rows in which nearly all parents exist, so that branches are deep. */
const deepRows = fc
  .array(fc.record({ above: fc.integer({ min: 1, max: 3 }), name }), { minLength: 5, maxLength: 12 })
  .map((all) => all.map(({ above, name }, at) => ({ id: at + 1, parentId: at < above ? null : at + 1 - above, name })));

const options = fc.record({
  folderSort: fc.boolean(),
  orphans: fc.constantFrom('wait' as const, 'root' as const),
  cascade: fc.constantFrom('each' as const, 'server' as const),
  positionField: fc.constantFrom(undefined, 'position' as const),
});

/** A tree and a plain model of it, which is walked from scratch after each step. */
class World {
  readonly tree: TreeStore<Folder>;
  private readonly expanded = new Set<Folder>();
  private readonly collapsed = new Set<Folder>();
  private readonly own = new Set<Folder>();
  private filterText: string | undefined;
  private auto = false;
  private sorters: readonly 'name'[] | undefined;
  private readonly replayed: Folder[] = [];

  constructor(
    rows: readonly object[],
    private readonly config: typeof options extends fc.Arbitrary<infer O> ? O : never,
  ) {
    const { positionField, ...others } = config;
    this.tree = new TreeStore({ model: Folder, ...others, ...(positionField && { positionField }) });
    this.tree.store.setRecords(rows);
    this.replayed.push(...this.tree.list.get());
    this.tree.on('change', (change) => {
      const { splices } = differenceOf(change);
      for (const { index, remove, records } of splices) this.replayed.splice(index, remove, ...records);
    });
  }

  private get records(): Folder[] {
    return [...this.tree.store];
  }

  private pick(index: number): Folder | undefined {
    const { records } = this;
    return records[index % records.length];
  }

  run(next: Step): void {
    const { tree } = this;
    if (next.do === 'append' || next.do === 'insert') {
      const above = next.parent === null ? null : (this.pick(next.parent) ?? null);
      if (next.do === 'append') tree.append(above, { name: next.name });
      else tree.insert(above, next.place, { name: next.name });
    } else if (next.do === 'move') {
      const record = this.pick(next.at);
      if (!record) return;
      const above = next.parent === null ? null : (this.pick(next.parent) ?? null);
      const isBelow = above !== null && this.pathOf(above).includes(record);
      const move = () => tree.move(record, above, next.place);
      if (isBelow) expect(move).toThrow(expect.objectContaining({ reason: 'tree-under-itself' }));
      else move();
    } else if (next.do === 'remove') {
      const record = this.pick(next.at);
      if (record) tree.remove(record);
    } else if (next.do === 'rename') this.pick(next.at)?.set('name', next.name);
    else if (next.do === 'setParent') this.pick(next.at)?.set('parentId', next.parentId);
    else if (next.do === 'receive') receive(tree.store, next.rows);
    else if (next.do === 'leave') receive(tree.store, [], { removed: [next.id] });
    else if (next.do === 'setRecords') tree.store.setRecords(next.rows);
    else if (next.do === 'expand' || next.do === 'collapse') {
      const record = this.pick(next.at);
      if (!record) return;
      const isOpening = next.do === 'expand';
      if (isOpening && this.childrenOf(record).length === 0) return void tree.expand(record);
      if (isOpening) void tree.expand(record);
      else tree.collapse(record);
      if (this.filterText !== undefined && this.auto) {
        if (isOpening) this.collapsed.delete(record);
        else this.collapsed.add(record);
      } else if (isOpening) this.expanded.add(record);
      else this.expanded.delete(record);
    } else if (next.do === 'expandAll' || next.do === 'collapseAll') {
      if (next.do === 'expandAll') void tree.expandAll();
      else tree.collapseAll();
      const isFiltered = this.filterText !== undefined && this.auto;
      for (const record of this.records) {
        if (isFiltered && next.do === 'expandAll') this.collapsed.delete(record);
        else if (isFiltered) this.collapsed.add(record);
        else if (next.do === 'expandAll' && this.childrenOf(record).length > 0) this.expanded.add(record);
        else this.expanded.delete(record);
      }
    } else if (next.do === 'filter') {
      tree.filter({ property: 'name', operator: 'contains', value: next.text }, { autoExpand: next.auto });
      this.filterText = next.text;
      this.auto = next.auto;
      this.collapsed.clear();
    } else if (next.do === 'clearFilter') {
      tree.clearFilter();
      this.filterText = undefined;
    } else if (next.do === 'reject') tree.store.reject();
    else if (next.do === 'flush') tree.flush();
    else if (next.do === 'sort') {
      tree.sort(next.by);
      this.sorters = next.by;
    } else if (next.do === 'check') this.check(next.at, next.checked);
  }

  private check(index: number, checked: boolean): void {
    const record = this.pick(index);
    if (!record) return;
    this.tree.check(record, checked);
    const mark = (each: Folder) => {
      if (!this.isKept(each)) return;
      for (const child of this.childrenOf(each)) mark(child);
      this.setOwn(each, this.childrenOf(each).length > 0 ? this.stateOf(each) === 'all' : checked);
    };
    mark(record);
    for (const above of this.pathOf(record).slice(1)) this.setOwn(above, this.stateOf(above) === 'all');
  }

  private setOwn(record: Folder, checked: boolean): void {
    if (checked) this.own.add(record);
    else this.own.delete(record);
  }

  /** The parent that a record names, if it is there. */
  private named(record: Folder): Folder | undefined {
    const { parentId: id } = record;
    return id === null || id === undefined ? undefined : this.tree.store.getById(id);
  }

  private isInCycle(record: Folder): boolean {
    const seen = new Set<Folder>();
    const present = new Set(this.records);
    for (let above = this.named(record); above && present.has(above) && !seen.has(above); above = this.named(above)) {
      if (above === record) return true;
      seen.add(above);
    }
    return false;
  }

  private isRoot(record: Folder): boolean {
    if (record.parentId === null || record.parentId === undefined) return true;
    if (!this.named(record)) return this.isLost(record) && this.config.orphans === 'root';
    return this.isInCycle(record);
  }

  /** Whether the parent is not only hidden until its erase has ended. */
  private isLost(record: Folder): boolean {
    return !this.tree.store.pending.removed.some((each) => String(each.id) === String(record.parentId));
  }

  private pathOf(record: Folder): Folder[] {
    const present = new Set(this.records);
    const path: Folder[] = [];
    let each: Folder | undefined = record;
    while (each && present.has(each)) {
      path.push(each);
      each = this.isRoot(each) ? undefined : this.named(each);
    }
    return path;
  }

  private childrenOf(record: Folder): Folder[] {
    return this.ordered(this.records.filter((each) => !this.isRoot(each) && this.named(each) === record));
  }

  private ordered(records: Folder[]): Folder[] {
    const { folderSort, positionField } = this.config;
    const by = this.sorters ?? (positionField ? ['position' as const] : []);
    const kind = (record: Folder) =>
      folderSort && this.records.some((each) => !this.isRoot(each) && this.named(each) === record) ? 0 : 1;
    // Null comes first, and the sort is stable.
    const key = (record: Folder) => by.map((property) => record[property] ?? Number.NEGATIVE_INFINITY)[0] ?? 0;
    return records.sort((a, b) => kind(a) - kind(b) || (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0));
  }

  private isKept(record: Folder): boolean {
    const { filterText } = this;
    return (
      filterText === undefined ||
      record.name.includes(filterText) ||
      this.childrenOf(record).some((each) => this.isKept(each))
    );
  }

  private stateOf(record: Folder): string {
    const children = this.childrenOf(record);
    if (children.length === 0) return this.own.has(record) ? 'all' : 'none';
    const states = new Set(children.map((each) => this.stateOf(each)));
    return states.size === 1 ? ([...states][0] as string) : 'some';
  }

  private walk(records: readonly Folder[], depth: number): [Folder, number][] {
    return records
      .filter((record) => this.isKept(record))
      .flatMap((record) => {
        const isOpen =
          this.filterText !== undefined && this.auto ? !this.collapsed.has(record) : this.expanded.has(record);
        return [[record, depth] as [Folder, number], ...(isOpen ? this.walk(this.childrenOf(record), depth + 1) : [])];
      });
  }

  verify(isDelivered: boolean): void {
    const { tree, records } = this;
    const list = tree.list.get();
    const expected = this.walk(this.ordered(records.filter((record) => this.isRoot(record))), 0);
    const visible = list.slice();
    expect(visible.map((record) => [record.id, tree.nodeOf(record)?.depth])).toEqual(
      expected.map(([record, depth]) => [record.id, depth]),
    );
    expect(new Set(visible).size).toBe(visible.length);
    for (const [index, record] of visible.entries()) {
      const node = tree.nodeOf(record);
      expect(node?.index).toBe(index);
      if (node?.parent) expect(node.parent.index).toBeLessThan(index);
    }
    for (const record of records) {
      if (this.isRoot(record) || this.named(record))
        expect([record.id, tree.nodeOf(record)?.checked]).toEqual([record.id, this.stateOf(record)]);
    }
    if (!isDelivered) return;
    tree.flush();
    expect(this.replayed).toEqual(visible);
  }
}

test('the visible records are those of a plain walk, after any steps', () => {
  fc.assert(
    fc.property(
      options,
      fc.oneof(fc.uniqueArray(row, { maxLength: 12, selector: ({ id }) => id }), deepRows),
      fc.array(fc.tuple(step, fc.boolean(), fc.boolean()), { maxLength: 25 }),
      (config, rows, steps) => {
        const world = new World(rows, config);
        world.verify(true);
        for (const [next, isDelivered, isSorted] of steps) {
          world.run(next);
          world.verify(isDelivered);
          // Sorting anew builds the list from scratch, and must change nothing.
          if (isSorted) world.tree.sort(world.tree.sorters);
          world.verify(false);
        }
        world.tree.dispose();
      },
    ),
    { numRuns: 300 },
  );
});
