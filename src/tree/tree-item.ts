import type { AnyDataError } from '../errors/is-data-error.js';
import type { Model } from '../model/model.js';
import { ValueSource } from '../util/value-source.js';
import { reuseMembers } from '../util/values.js';
import type { CheckedState, TreeNode, TreeNodeState } from './tree-config.js';

/** The load of the children of a node. */
export interface ChildrenLoad<M> {
  /** Whether a response has brought all children. */
  loaded: boolean;
  /** The load in flight, which further calls share. */
  promise: Promise<readonly M[]> | undefined;
  error: AnyDataError | undefined;
}

/** A place under which items hang: the root of the tree, or an item. */
export class TreeBranch<M extends Model> {
  /** The items that hang here, in their order if `isSorted`. Hidden records hang nowhere. */
  items: TreeItem<M>[] = [];
  isSorted = false;
  readonly load: ChildrenLoad<M> = { loaded: false, promise: undefined, error: undefined };
}

/** The members of the hierarchy that an item reads. */
export interface ItemOwner<M extends Model> {
  isOpen(item: TreeItem<M>): boolean;
  isLeaf(item: TreeItem<M>): boolean;
  indexOf(item: TreeItem<M>): number;
  checkedState(item: TreeItem<M>): CheckedState;
  childrenOf(branch: TreeBranch<M>): readonly TreeItem<M>[];
  /** Brings the hierarchy up to date. */
  refresh(): void;
  /** The state of an item got its first listener, or lost the last one. */
  stateWatched(item: TreeItem<M>, isWatched: boolean): void;
}

/** A record in the tree: where it hangs, and its state on the screen. The object stays the same while the store holds the record. */
export class TreeItem<M extends Model> extends TreeBranch<M> implements TreeNode<M> {
  /** The branch at which the item hangs; undefined: it is hidden, or its parent is not known. */
  branch: TreeBranch<M> | undefined = undefined;
  /** The branch that the record names as its parent, and the key of the id by which it names it. */
  wanted: TreeBranch<M> | undefined = undefined;
  wantedKey: string | number | undefined = undefined;
  isPresent = false;
  /** Orders the item among those that hang at the same branch, if that is sorted. */
  rank = 0;
  isExpanded = false;
  /** The check mark of the item itself: it counts while nothing hangs below. */
  ownCheck = false;
  knownCheck: CheckedState | undefined = undefined;
  /** Whether the filter lets the record pass, and below how many items that hang here it lets one pass. */
  passes = false;
  keptBelow = 0;
  /** The number of the walk that has visited the item last. */
  walk = 0;
  private source: ValueSource<TreeNodeState> | undefined = undefined;

  constructor(
    readonly record: M,
    private readonly owner: ItemOwner<M>,
  ) {
    super();
  }

  get parent(): TreeItem<M> | undefined {
    this.owner.refresh();
    return itemOf(this.branch);
  }

  get children(): readonly TreeItem<M>[] {
    return [...this.owner.childrenOf(this)];
  }

  get depth(): number {
    this.owner.refresh();
    return depthOf(this);
  }

  get index(): number {
    return this.owner.indexOf(this);
  }

  get expanded(): boolean {
    return !this.leaf && this.owner.isOpen(this);
  }

  get leaf(): boolean {
    this.owner.refresh();
    return this.owner.isLeaf(this);
  }

  get loading(): boolean {
    return this.load.promise !== undefined;
  }

  get error(): AnyDataError | undefined {
    return this.load.error;
  }

  get checked(): CheckedState {
    return this.owner.checkedState(this);
  }

  get state(): ValueSource<TreeNodeState> {
    this.source ??= new ValueSource<TreeNodeState>(
      (previous) => {
        const { depth, expanded, leaf, loading, error, checked } = this;
        return reuseMembers<TreeNodeState>(previous, { depth, expanded, leaf, loading, error, checked });
      },
      (isWatched) => this.owner.stateWatched(this, isWatched),
      'never',
    );
    return this.source;
  }
}

/** The item that a branch is; undefined for the root. */
export function itemOf<M extends Model>(branch: TreeBranch<M> | undefined): TreeItem<M> | undefined {
  return branch instanceof TreeItem ? branch : undefined;
}

/** The number of items above an item. */
function depthOf<M extends Model>(item: TreeItem<M>): number {
  let depth = 0;
  for (let above = itemOf(item.branch); above; above = itemOf(above.branch)) depth += 1;
  return depth;
}

/** Compares two items that hang in one tree: an item comes before those below it. */
export function compareItems<M extends Model>(a: TreeItem<M>, b: TreeItem<M>): number {
  // Most items that are compared hang at the same branch.
  if (a.branch === b.branch) return a.rank - b.rank;
  const difference = depthOf(a) - depthOf(b);
  let [left, right] = [liftBy(a, difference), liftBy(b, -difference)];
  if (left === right) return difference;
  while (left.branch !== right.branch) {
    left = left.branch as TreeItem<M>;
    right = right.branch as TreeItem<M>;
  }
  return left.rank - right.rank;
}

function liftBy<M extends Model>(item: TreeItem<M>, levels: number): TreeItem<M> {
  let lifted = item;
  for (let level = 0; level < levels; level += 1) lifted = lifted.branch as TreeItem<M>;
  return lifted;
}

/** Whether an item is another one, or hangs somewhere below it. */
export function isWithin<M extends Model>(item: TreeItem<M> | undefined, other: TreeItem<M>): boolean {
  let above = item;
  while (above && above !== other) above = itemOf(above.branch);
  return above !== undefined;
}

/** The items below a branch: each one before those below it. */
export function descendantsOf<M extends Model>(
  branch: TreeBranch<M>,
  goesBelow: (item: TreeItem<M>) => boolean = () => true,
): TreeItem<M>[] {
  const found: TreeItem<M>[] = [];
  // A stack instead of recursion, because chains can be as deep as there are records.
  const stack = [...branch.items].reverse();
  for (let item = stack.pop(); item; item = stack.pop()) {
    found.push(item);
    if (!goesBelow(item)) continue;
    for (let at = item.items.length - 1; at >= 0; at -= 1) stack.push(item.items[at] as TreeItem<M>);
  }
  return found;
}
