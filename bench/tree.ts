import { differenceOf, Model, reference } from 'repose';
import { TreeStore } from 'repose/tree';
import { orderOf, randomFrom } from './data.js';
import { type Digest, measure, type Row, type Step } from './harness.js';
import { plainTree } from './tree-floor.js';
import type { NodeRow, Tree, TreeChange, TreeKit } from './tree-kit.js';

/** How many nodes hang below each node that is no leaf. */
const WIDTH = 8;
/** How many nodes are collapsed, expanded or moved in a turn. */
const COUNT = 1_000;
const TEXTS: readonly string[] = ['a1', 'b2', 'c3', 'd4', 'e5', 'f6', 'g7', 'h8', 'i9', 'j0', 'kk', 'zz'];

class Folder extends Model.define({
  name: 'folder',
  fields: { id: 'int', parentId: reference('int', { allowNull: true }), name: { type: 'string', defaultValue: '' } },
}) {
  static override references() {
    return { parentId: Folder };
  }
}

/** Rows of a tree, in a random order: nodes come before their parents and behind them. */
function treeRows(n: number, seed: number): NodeRow[] {
  const random = randomFrom(seed);
  const rows = Array.from({ length: n }, (_, at): NodeRow => {
    const name = `${Math.floor(random() * 2_000_000_000).toString(36)} ${at}`;
    return { id: at + 1, parentId: at < WIDTH ? null : Math.floor(at / WIDTH), name };
  });
  for (let at = n - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1));
    [rows[at], rows[other]] = [rows[other] as NodeRow, rows[at] as NodeRow];
  }
  return rows;
}

const repose: TreeKit = {
  name: 'repose',
  hold(rows) {
    const tree = new TreeStore({ model: Folder, sorters: ['name'] });
    tree.store.setRecords(rows);
    return new RecordTree(tree);
  },
};

class RecordTree implements Tree {
  constructor(private readonly tree: TreeStore<Folder>) {}

  get count(): number {
    return this.tree.list.get().count;
  }

  idAt(index: number): number {
    return this.tree.list.get().at(index)?.id as number;
  }

  arrange(): number {
    return this.count;
  }

  expandAll(): number {
    void this.tree.expandAll();
    return this.count;
  }

  setExpanded(id: number, expanded: boolean): void {
    const record = this.tree.store.getById(id) as Folder;
    if (expanded) void this.tree.expand(record);
    else this.tree.collapse(record);
  }

  move(id: number, parentId: number): boolean {
    const { tree } = this;
    const record = tree.store.getById(id) as Folder;
    const parent = tree.store.getById(parentId) as Folder;
    try {
      tree.move(record, parent);
      return true;
    } catch {
      return false;
    }
  }

  filter(text: string): number {
    this.tree.filter({ property: 'name', operator: 'contains', value: text });
    return this.count;
  }

  clearFilter(): number {
    this.tree.clearFilter();
    return this.count;
  }

  listen(listener: (change: TreeChange) => void): void {
    this.tree.on('change', (change) => listener(differenceOf(change)));
  }

  close(): void {
    this.tree.dispose();
  }
}

/** A tree, and the nodes that a turn changes. */
interface Turn {
  readonly tree: Tree;
  /** Ids of nodes that have others below. */
  readonly folders: readonly number[];
  readonly moves: readonly { readonly id: number; readonly parentId: number }[];
  /** The number of visible nodes by the changes that the listener got. */
  counted: number;
}

function turnOf(kit: TreeKit, n: number, seed: number): Turn {
  const random = randomFrom(seed + 1_000);
  const folder = () => 1 + Math.floor(random() * Math.floor((n - 1) / WIDTH));
  const folders = Array.from({ length: COUNT }, folder);
  const moves = folders.map(() => ({ id: 1 + Math.floor(random() * n), parentId: folder() }));
  return { tree: kit.hold(treeRows(n, seed)), folders, moves, counted: 0 };
}

const check = ({ tree }: Turn): Digest => ({ count: tree.count, order: orderOf(tree.count, (at) => tree.idAt(at)) });

/** Each change is one of a tick, as a click is, and the list is read after it. */
const steps: readonly Step<Turn>[] = [
  { case: 'arrange the nodes', run: ({ tree }) => tree.arrange(), check },
  { case: 'expand all', run: ({ tree }) => tree.expandAll(), check },
  {
    case: `${COUNT} nodes are collapsed and expanded`,
    run: ({ tree, folders }) => {
      let shown = 0;
      for (const id of folders) {
        for (const isExpanded of [false, true]) {
          tree.setExpanded(id, isExpanded);
          shown += tree.count;
        }
      }
      return shown;
    },
    check,
  },
  {
    case: `${COUNT} nodes are moved`,
    run: ({ tree, moves }) => {
      let moved = 0;
      for (const { id, parentId } of moves) {
        if (tree.move(id, parentId)) moved += 1;
        if (tree.count === 0) throw new Error('no node is visible');
      }
      return moved;
    },
    check,
  },
  {
    case: `${TEXTS.length} filters that keep the nodes above`,
    run: ({ tree }) => TEXTS.map((text) => tree.filter(text)),
    check,
  },
  { case: 'clear the filter', run: ({ tree }) => tree.clearFilter(), check },
];

/** Changes with a listener that keeps count, as a grid that applies the splices to its rows does. */
const listenedSteps: readonly Step<Turn>[] = [
  {
    case: `${COUNT} nodes are collapsed and expanded, with a listener`,
    run: async (turn) => {
      for (const id of turn.folders) {
        for (const isExpanded of [false, true]) {
          turn.tree.setExpanded(id, isExpanded);
          // The listener is called at the end of the tick.
          await undefined;
        }
      }
      return turn.counted;
    },
    check: checkCount,
  },
  {
    case: `${COUNT} nodes are moved, with a listener`,
    run: async (turn) => {
      for (const { id, parentId } of turn.moves) {
        turn.tree.move(id, parentId);
        await undefined;
      }
      return turn.counted;
    },
    check: checkCount,
  },
];

function checkCount(turn: Turn): Digest {
  const { tree, counted } = turn;
  if (counted !== tree.count) throw new Error(`The events lead to ${counted} nodes, not to ${tree.count}`);
  return check(turn);
}

/** `npm run bench -- tree`: nodes are expanded, moved and filtered, while a flat list of the visible ones is kept up to date. */
export async function tree(quick: boolean): Promise<Row[]> {
  const n = quick ? 2_000 : 100_000;
  const kits = [plainTree, repose];
  const close = ({ tree: held }: Turn) => held.close?.();
  const session = { workload: 'tree', n, unit: 'ms', warmUp: quick ? 1 : 2, runs: quick ? 2 : 9 } as const;
  const rows = await measure({
    ...session,
    subjects: kits.map((kit) => ({ name: kit.name, prepare: (turn) => turnOf(kit, n, turn), close })),
    steps,
  });
  const listened = await measure({
    ...session,
    subjects: kits.map((kit) => ({
      name: kit.name,
      prepare: (at) => {
        const turn = turnOf(kit, n, at);
        turn.tree.arrange();
        turn.counted = turn.tree.expandAll();
        turn.tree.listen(({ splices }) => {
          for (const { remove, records } of splices) turn.counted += records.length - remove;
        });
        return turn;
      },
      close,
    })),
    steps: listenedSteps,
  });
  return [...rows, ...listened];
}
