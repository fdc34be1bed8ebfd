import type { NodeRow, Tree, TreeChange, TreeKit } from './tree-kit.js';

/** A node as an application writes it by hand. */
interface PlainNode {
  readonly id: number;
  readonly name: string;
  parent: PlainNode | undefined;
  children: PlainNode[];
  expanded: boolean;
  /** Whether the filter keeps the node, or one below it. */
  kept: boolean;
}

/** Plain objects that hold their children, and an array of the visible ones. */
export const plainTree: TreeKit = {
  name: 'floor',
  hold: (rows) => new PlainTree(rows),
};

class PlainTree implements Tree {
  private readonly byId = new Map<number, PlainNode>();
  private nodes: PlainNode[] = [];
  private roots: PlainNode[] = [];
  private shown: PlainNode[] = [];
  private isFiltered = false;
  /** The parents that moved nodes had before, to undo the moves. */
  private readonly moved = new Map<PlainNode, PlainNode | undefined>();
  private listener: ((change: TreeChange) => void) | undefined;
  /** The changes of this tick. */
  private splices: { index: number; remove: number; records: PlainNode[] }[] = [];

  constructor(private readonly rows: readonly NodeRow[]) {}

  get count(): number {
    return this.shown.length;
  }

  idAt(index: number): number {
    return (this.shown[index] as PlainNode).id;
  }

  arrange(): number {
    this.nodes = this.rows.map(({ id, name }) => {
      const node = { id, name, parent: undefined, children: [], expanded: false, kept: true };
      this.byId.set(id, node);
      return node;
    });
    for (const [at, { parentId }] of this.rows.entries()) {
      const node = this.nodes[at] as PlainNode;
      node.parent = parentId === null ? undefined : this.byId.get(parentId);
      (node.parent?.children ?? this.roots).push(node);
    }
    this.roots.sort(byName);
    this.shown = [...this.roots];
    return this.count;
  }

  expandAll(): number {
    for (const node of this.nodes) {
      node.expanded = node.children.length > 0;
      node.children.sort(byName);
    }
    this.shown = this.rowsBelow(this.roots);
    return this.count;
  }

  setExpanded(id: number, expanded: boolean): void {
    const node = this.byId.get(id) as PlainNode;
    if (node.expanded === expanded || node.children.length === 0) return;
    const index = this.shown.indexOf(node);
    if (expanded) node.expanded = true;
    if (index >= 0) {
      if (expanded) this.splice(index + 1, 0, this.rowsBelow(node.children));
      else this.splice(index + 1, this.countBelow(node), []);
    }
    if (!expanded) node.expanded = false;
  }

  move(id: number, parentId: number): boolean {
    const node = this.byId.get(id) as PlainNode;
    const parent = this.byId.get(parentId) as PlainNode;
    for (let above: PlainNode | undefined = parent; above; above = above.parent) if (above === node) return false;
    if (!this.moved.has(node)) this.moved.set(node, node.parent);
    const siblings = node.parent?.children ?? this.roots;
    const rows = [node, ...(node.expanded ? this.rowsBelow(node.children) : [])];
    const from = this.shown.indexOf(node);
    if (from >= 0) this.splice(from, rows.length, []);
    siblings.splice(siblings.indexOf(node), 1);
    node.parent = parent;
    const place = placeOf(parent.children, node);
    parent.children.splice(place, 0, node);
    const before = parent.children[place - 1];
    if (parent.expanded && this.isVisible(parent))
      this.splice(
        before ? this.shown.indexOf(before) + this.countBelow(before) + 1 : this.shown.indexOf(parent) + 1,
        0,
        rows,
      );
    return true;
  }

  filter(text: string): number {
    this.isFiltered = true;
    for (const node of this.nodes) node.kept = false;
    for (const node of this.nodes) {
      if (!node.name.includes(text)) continue;
      for (let above: PlainNode | undefined = node; above && !above.kept; above = above.parent) above.kept = true;
    }
    this.shown = this.rowsBelow(this.roots);
    return this.count;
  }

  clearFilter(): number {
    this.isFiltered = false;
    for (const node of this.nodes) node.kept = true;
    this.shown = this.rowsBelow(this.roots);
    return this.count;
  }

  listen(listener: (change: TreeChange) => void): void {
    this.listener = listener;
  }

  private splice(index: number, remove: number, records: PlainNode[]): void {
    // Arguments are limited in number, so long runs are joined instead.
    if (records.length > 10_000)
      this.shown = [...this.shown.slice(0, index), ...records, ...this.shown.slice(index + remove)];
    else this.shown.splice(index, remove, ...records);
    if (!this.listener) return;
    if (this.splices.length === 0) queueMicrotask(() => this.flush());
    this.splices.push({ index, remove, records });
  }

  private flush(): void {
    const { splices } = this;
    this.splices = [];
    this.listener?.({ splices });
  }

  private isVisible(node: PlainNode): boolean {
    for (let above = node.parent; above; above = above.parent) if (!above.expanded) return false;
    return true;
  }

  /** How many nodes below a node are visible. */
  private countBelow({ expanded, children }: PlainNode): number {
    if (!expanded) return 0;
    let count = children.length;
    for (const child of children) count += this.countBelow(child);
    return count;
  }

  private rowsBelow(nodes: readonly PlainNode[]): PlainNode[] {
    const rows: PlainNode[] = [];
    const walk = (each: readonly PlainNode[]) => {
      for (const node of each) {
        if (!node.kept) continue;
        rows.push(node);
        if (node.expanded || this.isFiltered) walk(node.children);
      }
    };
    walk(nodes);
    return rows;
  }
}

function byName(a: PlainNode, b: PlainNode): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

/** The place of a node among others that are sorted, by binary search. */
function placeOf(sorted: readonly PlainNode[], node: PlainNode): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (byName(sorted[middle] as PlainNode, node) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
