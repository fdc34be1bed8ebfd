import { Model, plain, reference } from 'repose';
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
    expect(children.map(({ name, parentId, dirty }) => [name, parentId, dirty])).toEqual([
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
