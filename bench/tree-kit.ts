/** A row of a tree, as a server sends it. */
export interface NodeRow {
  readonly id: number;
  readonly parentId: number | null;
  readonly name: string;
}

/** The changes of the visible nodes in a tick: the steps that bring a copy of the list up to date. */
export interface TreeChange {
  readonly splices: readonly {
    readonly index: number;
    readonly remove: number;
    readonly records: ArrayLike<unknown>;
  }[];
}

/** Nodes below each other, by name, of which a flat list shows those that are visible. */
export interface Tree {
  /** How many nodes are visible. */
  readonly count: number;
  /** The id of the visible node at an index. */
  idAt(index: number): number;
  /** Arranges the nodes below their parents; returns how many are visible. */
  arrange(): number;
  expandAll(): number;
  setExpanded(id: number, expanded: boolean): void;
  /** Moves a node below another one, and returns true; returns false if it would get below itself. */
  move(id: number, parentId: number): boolean;
  /** Shows the nodes whose names hold a text, and those above them. */
  filter(text: string): number;
  clearFilter(): number;
  /** Calls a function once for the changes of a tick. */
  listen(listener: (change: TreeChange) => void): void;
  close?(): void;
}

/** A subject of this workload. */
export interface TreeKit {
  readonly name: string;
  /** Holds nodes that are not arranged yet. */
  hold(rows: readonly NodeRow[]): Tree;
}
