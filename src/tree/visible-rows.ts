import type { Model } from '../model/model.js';
import type { FollowedList } from '../store/change-feed.js';
import { cutChunks } from '../store/chunks.js';
import type { Place, Touched } from '../store/sorted-list.js';
import { RowList } from './row-list.js';
import { compareItems, isWithin, itemOf, type TreeBranch, type TreeItem } from './tree-item.js';

/** The members of the hierarchy that its visible rows use. */
export interface RowsOwner<M extends Model> {
  readonly root: TreeBranch<M>;
  readonly items: ReadonlyMap<M, TreeItem<M>>;
  refresh(): void;
  isOpen(item: TreeItem<M>): boolean;
  isKept(item: TreeItem<M>): boolean;
  /** The children of a branch in their order. */
  sortedItems(branch: TreeBranch<M>): readonly TreeItem<M>[];
}

/**
 * The records that are visible, in their order. The list is built when it is first read; from then on, each change costs a binary search
 * and the chunks that it touches. A change of everything drops the list, and the next read builds it again.
 */
export class VisibleRows<M extends Model> implements FollowedList<M> {
  private list: RowList<M> | undefined = undefined;

  constructor(
    private readonly owner: RowsOwner<M>,
    readonly observer: { deliver(): void },
  ) {}

  get(): RowList<M> {
    this.owner.refresh();
    return (this.list ??= this.build());
  }

  find(record: M): Place | undefined {
    const list = this.get();
    const item = this.owner.items.get(record);
    return item && this.isVisible(item) ? list.find(record) : undefined;
  }

  takeTouched(again: boolean): Touched<M> | undefined {
    return this.list?.takeTouched(again);
  }

  /** Drops the list, because anything may have changed. */
  reset(): void {
    this.list = undefined;
  }

  /** Whether a record is visible: it and all above it pass the filter, and all above it are expanded. */
  isVisible(item: TreeItem<M>): boolean {
    const { owner } = this;
    if (!owner.isKept(item)) return false;
    let { branch } = item;
    for (let above = itemOf(branch); above; above = itemOf(branch)) {
      if (!owner.isOpen(above)) return false;
      ({ branch } = above);
    }
    return branch === owner.root;
  }

  /** An item was put in its place, with all below it. */
  added(item: TreeItem<M>): void {
    if (this.list && this.isVisible(item)) this.list.insertRun(this.rowsOf(item));
  }

  /** An item is about to leave its place, with all below it. */
  removing(item: TreeItem<M>): void {
    const { list } = this;
    const place = list && this.isVisible(item) ? list.find(item.record) : undefined;
    if (place) list?.deleteRun(place, (record) => this.isUpTo(record, item));
  }

  /** An item was expanded. */
  opened(item: TreeItem<M>): void {
    if (this.list && this.isVisible(item)) this.list.insertRun(this.rowsOf(item).slice(1));
  }

  /** An item was collapsed. */
  closed(item: TreeItem<M>): void {
    const { list } = this;
    const place = list && this.isVisible(item) ? list.find(item.record) : undefined;
    if (place) list?.deleteRun({ chunk: place.chunk, at: place.at + 1 }, (record) => this.isUpTo(record, item));
  }

  /** Whether a visible record is not behind those below an item. */
  private isUpTo(record: M, item: TreeItem<M>): boolean {
    const other = this.owner.items.get(record) as TreeItem<M>;
    return isWithin(other, item) || compareItems(other, item) < 0;
  }

  private rowsOf(item: TreeItem<M>): M[] {
    return [item.record, ...(this.owner.isOpen(item) ? this.rowsBelow(item) : [])];
  }

  private rowsBelow(branch: TreeBranch<M>): M[] {
    const { owner } = this;
    const rows: M[] = [];
    // A stack instead of recursion, because chains can be as deep as there are records.
    const stack: TreeItem<M>[] = [];
    const push = (above: TreeBranch<M>) => {
      const items = owner.sortedItems(above);
      for (let at = items.length - 1; at >= 0; at -= 1) stack.push(items[at] as TreeItem<M>);
    };
    push(branch);
    for (let item = stack.pop(); item; item = stack.pop()) {
      if (!owner.isKept(item)) continue;
      rows.push(item.record);
      if (item.items.length > 0 && owner.isOpen(item)) push(item);
    }
    return rows;
  }

  private build(): RowList<M> {
    const { root, items } = this.owner;
    return new RowList<M>(cutChunks(this.rowsBelow(root)), (a, b) =>
      compareItems(items.get(a) as TreeItem<M>, items.get(b) as TreeItem<M>),
    );
  }
}
