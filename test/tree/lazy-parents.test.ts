import { Model, plain, receive, reference } from 'repose';
import { TreeStore } from 'repose/tree';
import { describe, expect, test } from 'vitest';
import { Folder, shown } from './support.js';

type Rows = Readonly<Record<string, readonly object[]>>;

/** A lazy tree whose server has these rows for each node. */
function treeOf(rows: Rows, config: object = {}, model: typeof Folder = Folder): TreeStore<Folder> {
  const answer = (url: string | URL | Request) => rows[new URL(String(url)).searchParams.get('node') ?? ''] ?? [];
  const fetch = (url: string | URL | Request) => Promise.resolve(Response.json(answer(url)));
  const proxy = { type: 'rest', url: '/folders', baseUrl: 'http://rest.test', fetch, dialect: plain() } as const;
  const lazy = (parent: Folder | undefined) => ({ params: { node: parent?.id ?? 'root' } });
  return new TreeStore<Folder>({ model: model.with({ proxy }) as typeof Folder, lazy, ...config });
}

const ROWS: Rows = {
  root: [
    { id: 1, name: 'a' },
    { id: 9, name: 'b' },
  ],
  1: [
    { id: 2, name: 'a.x' },
    { id: 3, name: 'a.y' },
  ],
  2: [{ id: 4, name: 'a.x.z' }],
};

describe('rows of a lazy tree that do not repeat the id of their parent', () => {
  test('belong to the parent whose children were asked for', async () => {
    const tree = treeOf(ROWS);
    await tree.load();
    const children = await tree.expand(tree.list.get().at(0) as Folder);
    const parentOf = (child: Folder) => tree.nodeOf(child)?.parent?.record.id;
    expect(children.map((child) => [child.name, parentOf(child), child.dirty])).toEqual([
      ['a.x', 1, false],
      ['a.y', 1, false],
    ]);
    await tree.expandAll();
    expect(shown(tree)).toEqual(['-a', '  -a.x', '    a.x.z', '  a.y', 'b']);
  });

  test('stay there when the tree is loaded again', async () => {
    const tree = treeOf(ROWS);
    await tree.expandAll();
    await tree.reload();
    expect(shown(tree)).toEqual(['-a', '  -a.x', '    a.x.z', '  a.y', 'b']);
  });

  test('belong there where the field has a path', async () => {
    class Mapped extends Model.define({
      name: 'folder',
      fields: {
        id: 'int',
        name: 'string',
        parentId: reference('int', { allowNull: true, mapping: 'parent.id' }),
      },
    }) {
      static override references() {
        return { parentId: Mapped };
      }
    }
    const tree = treeOf(ROWS, {}, Mapped as never);
    await tree.expandAll();
    expect(shown(tree)).toEqual(['-a', '  -a.x', '    a.x.z', '  a.y', 'b']);
  });

  test('belong there where rows are nested', async () => {
    const rows = { root: [{ id: 1, name: 'a' }], 1: [{ id: 2, name: 'a.x', children: [{ id: 4, name: 'a.x.z' }] }] };
    const tree = treeOf(rows, { nested: 'children' });
    await tree.load();
    await tree.expand(tree.list.get().at(0) as Folder);
    await tree.expand(tree.store.getById(2) as Folder);
    expect(shown(tree)).toEqual(['-a', '  -a.x', '    +a.x.z']);
  });

  test('do not make a folder its own parent', async () => {
    const tree = treeOf({ ...ROWS, 1: [{ id: 1, name: 'a' }, ...(ROWS[1] as object[])] });
    await tree.load();
    await tree.expand(tree.list.get().at(0) as Folder);
    expect(shown(tree)).toEqual(['-a', '  +a.x', '  +a.y', '+b']);
  });
});

test('a row of a lazy tree that names its place keeps it', async () => {
  const moved = [
    { id: 2, name: 'a.x', parentId: 9 },
    { id: 3, name: 'top', parentId: null },
  ];
  const tree = treeOf({ ...ROWS, 1: moved });
  await tree.load();
  await tree.expand(tree.list.get().at(0) as Folder);
  expect(tree.nodeOf(tree.store.getById(3) as Folder)?.depth).toBe(0);
  expect(tree.store.getById(2)?.parentId).toBe(9);
});

describe('the parent of rows that do not repeat it is kept beside the row', () => {
  interface Sent {
    readonly method: string;
    readonly path: string;
    readonly body: unknown;
  }

  /** The tree with `a` and what is below it open, and the writes that its server gets. Its rows never name a parent. */
  async function openTree(
    config: object = {},
  ): Promise<{ tree: TreeStore<Folder>; sent: Sent[]; rows: Rows; node: (id: number) => Folder }> {
    const rows: Record<string, readonly object[]> = { ...ROWS };
    const sent: Sent[] = [];
    const fetch = async (url: string | URL | Request, init: RequestInit = {}) => {
      const { pathname, searchParams } = new URL(String(url));
      const { method = 'GET', body } = init;
      const id = Number(pathname.split('/')[2]);
      const row = Object.values(rows)
        .flat()
        .find((each) => (each as { id: number }).id === id) as object;
      if (method === 'GET') return Response.json(id ? row : (rows[searchParams.get('node') ?? ''] ?? []));
      const values = JSON.parse(String(body));
      sent.push({ method, path: pathname, body: values });
      const { parentId: _, ...known } = values;
      return Response.json({ ...row, ...known });
    };
    const proxy = {
      type: 'rest',
      url: '/folders',
      baseUrl: 'http://rest.test',
      fetch,
      dialect: plain(),
      ...config,
    } as const;
    const lazy = (parent: Folder | undefined) => ({ params: { node: parent?.id ?? 'root' } });
    const tree = new TreeStore<Folder>({ model: Folder.with({ proxy }) as typeof Folder, lazy });
    await tree.expandAll();
    return { tree, sent, rows, node: (id) => tree.store.getById(id) as Folder };
  }

  const OPEN = ['-a', '  -a.x', '    a.x.z', '  a.y', 'b'];

  test('a PUT does not send it, and the record stays in its place', async () => {
    const { tree, sent, node } = await openTree({ actionMethods: { update: 'PUT' } });
    node(2).name = 'A.X';
    await node(2).save();
    expect(sent).toEqual([{ method: 'PUT', path: '/folders/2', body: { id: 2, name: 'A.X' } }]);
    expect(shown(tree)).toEqual(['-a', '  -A.X', '    a.x.z', '  a.y', 'b']);
  });

  test('a load of the child alone leaves it below its parent', async () => {
    const { tree, node } = await openTree();
    await node(2).load();
    await node(4).load();
    expect(shown(tree)).toEqual(OPEN);
  });

  test('a row of the child that was received leaves it below its parent', async () => {
    const { tree } = await openTree();
    receive(tree.store, [{ id: 2, name: 'A.X' }]);
    expect(shown(tree)).toEqual(['-a', '  -A.X', '    a.x.z', '  a.y', 'b']);
  });

  test('a record that is moved is sent with its new parent, and stays there', async () => {
    const { tree, sent, node } = await openTree();
    tree.move(node(2), node(9));
    expect(shown(tree)).toEqual(['-a', '  a.y', '-b', '  -a.x', '    a.x.z']);
    await tree.sync();
    expect(sent).toEqual([{ method: 'PATCH', path: '/folders/2', body: { parentId: 9 } }]);
    await node(2).load();
    expect(tree.nodeOf(node(2))?.parent?.record).toBe(node(9));
  });

  test('a record that is moved to the root is sent so, and stays there', async () => {
    const { tree, sent, node } = await openTree();
    tree.move(node(2), null);
    await tree.sync();
    expect(sent).toEqual([{ method: 'PATCH', path: '/folders/2', body: { parentId: null } }]);
    await node(2).load();
    expect(shown(tree)).toEqual(['-a', '  a.y', 'b', '-a.x', '  a.x.z']);
  });

  test('a move that is taken back leads to where the record was', async () => {
    const { tree, node } = await openTree();
    tree.move(node(2), null);
    tree.store.rejectChanges();
    expect(node(2).dirty).toBe(false);
    expect(tree.nodeOf(node(2))?.parent?.record).toBe(node(1));
  });

  test('a record that another branch answers with hangs there', async () => {
    const { tree, rows, node } = await openTree();
    Object.assign(rows, { 1: [{ id: 3, name: 'a.y' }], 9: [{ id: 2, name: 'a.x' }] });
    await tree.reload();
    await tree.expandAll();
    expect(shown(tree)).toEqual(['-a', '  a.y', '-b', '  -a.x', '    a.x.z']);
    expect(node(2).dirty).toBe(false);
  });
});
