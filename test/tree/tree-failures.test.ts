import { Model, plain, ReadError, receive, reference } from 'repose';
import { restServer } from 'repose/testing';
import { TreeStore } from 'repose/tree';
import { describe, expect, test } from 'vitest';
import { byName, Folder, type FolderRow, folders, rowsOf, shown } from './support.js';

/** A server with folders whose responses to some requests are kept back or replaced. */
function shakyFolders(rows: readonly FolderRow[]) {
  const server = restServer({ collections: { '/folders': [...rows] } });
  const lines: string[] = [];
  const rule: {
    answer?: (method: string, url: URL) => Response | undefined;
    hold?: { readonly reached: () => void; readonly until: Promise<void> } | undefined;
  } = {};
  const fetch: typeof globalThis.fetch = async (input, init = {}) => {
    const url = new URL(String(input));
    const { method = 'GET' } = init;
    lines.push(`${method} ${url.pathname}${url.search}`);
    const own = rule.answer?.(method, url);
    if (own) return own;
    const response = await server.fetch(String(input), init);
    if (method === 'GET' && rule.hold) {
      rule.hold.reached();
      await rule.hold.until;
    }
    return response;
  };
  const model = Folder.with({
    proxy: { type: 'rest', url: '/folders', baseUrl: server.baseUrl, fetch, dialect: plain() },
  }) as typeof Folder;
  return { server, model, lines, rule };
}

/** A promise, and the function that resolves it. */
function gate(): { closed: Promise<void>; open: () => void } {
  let open = () => {};
  const closed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { closed, open };
}

const lazy = (parent: Folder | undefined) => ({ params: { parentId: parent?.id ?? '' } });

describe('an erase of a branch', () => {
  const failing = async () => {
    const made = shakyFolders(rowsOf('a', 'a.x', 'a.y', 'a.y.q'));
    made.rule.answer = (method, { pathname }) =>
      method === 'DELETE' && pathname === '/folders/4' ? Response.json({}, { status: 500 }) : undefined;
    const tree = new TreeStore({ model: made.model });
    await tree.load();
    await tree.expandAll();
    return { ...made, tree };
  };

  test('does not go on to the records above one whose erase has failed', async () => {
    const { tree, lines, server, rule } = await failing();
    tree.remove(byName(tree, 'a'));
    const batch = await tree.sync();
    expect(lines.slice(1).sort()).toEqual(['DELETE /folders/2', 'DELETE /folders/4']);
    expect(batch.failures.map(({ record, error }) => [record.name, error?.code]).sort()).toEqual([
      ['a', 'skipped'],
      ['a.y', 'skipped'],
      ['a.y.q', 'http'],
    ]);
    expect(shown(tree)).toEqual(['-a', '  -a.y', '    a.y.q']);
    expect(tree.issues).toEqual([]);
    // Nothing is sent that nobody asks for again.
    await tree.sync();
    expect(lines.length).toBe(3);
    rule.answer = () => undefined;
    tree.remove(byName(tree, 'a'));
    (await tree.sync()).orThrow();
    expect(server.rows('/folders')).toEqual([]);
    expect(tree.list.get().count).toBe(0);
  });
});

describe('a load of children', () => {
  const opened = async () => {
    const made = shakyFolders(rowsOf('a', 'b', 'a.x', 'b.y'));
    const tree = new TreeStore({ model: made.model, lazy });
    await tree.load();
    const [a, b] = [byName(tree, 'a'), byName(tree, 'b')];
    await tree.expand(a);
    await tree.expand(b);
    const [answered, shown] = [gate(), gate()];
    made.rule.hold = { reached: answered.open, until: shown.closed };
    const loading = tree.loadChildren(a);
    await answered.closed;
    return { ...made, tree, a, loading, open: shown.open };
  };

  test('keeps a record that was moved here and saved since it began', async () => {
    const { tree, a, loading, open } = await opened();
    tree.move(byName(tree, 'b.y'), a);
    (await tree.sync()).orThrow();
    open();
    await loading;
    expect(shown(tree)).toEqual(['-a', '  +a.x', '  +b.y', 'b']);
  });

  test('keeps records that were received since it began, known ones and new ones', async () => {
    const { tree, loading, open } = await opened();
    receive(tree.store, [
      { id: 4, parentId: 1, name: 'b.y' },
      { id: 9, parentId: 1, name: 'pushed' },
    ]);
    open();
    await loading;
    expect(shown(tree)).toEqual(['-a', '  +a.x', '  +b.y', '  +pushed', 'b']);
  });

  test.each(['wait', 'root'] as const)(
    'brings nothing below a record that was erased since it began: %s',
    async (orphans) => {
      const { model, rule, server } = shakyFolders(rowsOf('a', 'b', 'a.x', 'a.y'));
      const tree = new TreeStore({ model, lazy, orphans, cascade: 'server' });
      await tree.load();
      const [answered, given] = [gate(), gate()];
      rule.hold = { reached: answered.open, until: given.closed };
      const expanding = tree.expand(byName(tree, 'a'));
      await answered.closed;
      tree.remove(byName(tree, 'a'));
      (await tree.sync()).orThrow();
      given.open();
      expect(await expanding).toEqual([]);
      expect([shown(tree), tree.store.count, tree.issues]).toEqual([['+b'], 1, []]);
      expect(server.rows('/folders').length).toBe(3);
    },
  );

  test('lets the records below go with a record that the response lacks', async () => {
    for (const orphans of ['wait', 'root'] as const) {
      const { server, model } = shakyFolders(rowsOf('a', 'b', 'a.x', 'a.x.z', 'a.x.z.q', 'a.x.e'));
      const tree = new TreeStore({ model, lazy, orphans });
      await tree.load();
      await tree.expandAll();
      byName(tree, 'a.x.e').name = 'edited';
      server.setRows('/folders', rowsOf('a', 'b'));
      await tree.reload();
      expect([...tree.store].map(({ name }) => name)).toEqual(['a', 'b', 'edited']);
      expect(tree.issues.map(({ record }) => record.name)).toEqual(['edited']);
    }
  });
});

describe('a server that sends pages although nothing asks for them', () => {
  const many = Array.from({ length: 45 }, (_, at) => ({ id: at + 1, parentId: at < 25 ? null : 1, name: `n${at}` }));
  const paging = (rule: ReturnType<typeof shakyFolders>['rule'], hasLinks: boolean) => {
    rule.answer = (_method, url) => {
      const parent = url.searchParams.get('parentId');
      const page = Number(url.searchParams.get('page') ?? 1);
      const rows = many.filter(({ parentId }) => parent === null || String(parentId ?? '') === parent);
      url.searchParams.set('page', String(page + 1));
      const headers = hasLinks
        ? page * 10 < rows.length && { Link: `<${url.href}>; rel="next"` }
        : { 'X-Total-Count': String(rows.length) };
      return Response.json(rows.slice((page - 1) * 10, page * 10), { headers: headers || {} });
    };
  };

  test('is asked for all of them, by the addresses that it gives', async () => {
    const { model, rule, lines } = shakyFolders([]);
    paging(rule, true);
    const whole = new TreeStore({ model });
    expect((await whole.load()).length).toBe(45);
    expect([whole.roots.length, whole.store.count, lines.length]).toEqual([25, 45, 5]);
    expect((await whole.reload()).length).toBe(45);
    const tree = new TreeStore({ model, lazy });
    expect((await tree.load()).length).toBe(25);
    expect((await tree.expand(tree.store.getById(1) as Folder)).length).toBe(20);
    await tree.reload();
    expect(tree.list.get().count).toBe(45);
  });

  test('is an error where the rest cannot be asked for', async () => {
    const { model, rule } = shakyFolders([]);
    paging(rule, false);
    for (const config of [{}, { lazy }]) {
      const tree = new TreeStore({ model, ...config });
      await expect(tree.load()).rejects.toMatchObject({ name: 'ReadError', reason: 'tree-partial' });
      expect([tree.list.get().count, tree.error?.message]).toEqual([0, expect.stringContaining('has 10 of')]);
    }
  });
});

describe('nested rows', () => {
  test('without an id, but with children, are refused: nothing would name the parent', () => {
    const { model } = folders([]);
    const data = [{ name: 'a', children: [{ name: 'b' }] }] as never;
    const refused = expect.objectContaining({ name: 'ReadError', reason: 'tree-nested-id' });
    expect(() => new TreeStore({ model, nested: 'children', data })).toThrow(refused);
    const tree = new TreeStore({ model, nested: 'children' });
    expect(() => tree.store.setRecords(data)).toThrow(ReadError);
    expect(tree.store.count).toBe(0);
  });

  test('are not sent back, also if they came with the response to a write or with a read of the record', async () => {
    const bodies: unknown[] = [];
    const row = (name: unknown) => ({ id: 1, name, parentId: null, children: [{ id: 2, name: 'b', children: [] }] });
    const { model: given } = folders([]);
    const fetch: typeof globalThis.fetch = async (url, { method, body } = {}) => {
      if (method === 'PUT') bodies.push(JSON.parse(String(body)));
      const answer = row(method === 'PUT' ? 'saved' : 'read');
      return Response.json(String(url).endsWith('/1') ? answer : [answer]);
    };
    const model = given.with({
      proxy: { type: 'rest', url: '/folders', baseUrl: 'https://example.com', fetch, actionMethods: { update: 'PUT' } },
    }) as typeof Folder;
    const tree = new TreeStore({ model, nested: 'children' });
    await tree.load();
    const folder = tree.store.getById(1) as Folder;
    for (const name of ['x', 'y']) {
      folder.name = name;
      (await tree.sync()).orThrow();
    }
    await folder.load();
    folder.name = 'z';
    (await tree.sync()).orThrow();
    expect(bodies).toEqual(['x', 'y', 'z'].map((name) => ({ id: 1, name, parentId: null })));
    expect([folder.dirty, tree.store.count]).toEqual([false, 2]);
  });

  test('of a later response tell which children are gone', async () => {
    let children: object[] = [{ id: 2, name: 'b', children: [{ id: 3, name: 'c', children: [] }] }];
    const { model, lines } = folders([], {
      collections: {},
      otherwise: () => Response.json([{ id: 1, name: 'a', children }]),
    });
    const tree = new TreeStore({ model, nested: 'children', lazy });
    await tree.load();
    await tree.expandAll();
    expect(shown(tree)).toEqual(['-a', '  -b', '    c']);
    children = [{ id: 2, name: 'b', children: [] }];
    await tree.load();
    expect(shown(tree)).toEqual(['-a', '  b']);
    expect([tree.store.count, lines().length]).toEqual([2, 2]);
  });
});

describe('the field of the parent', () => {
  const declared = { id: 'int', parentId: reference('int', { allowNull: true }), name: 'string' } as const;

  test('must be a reference, because a temporary id must not be sent', () => {
    class Loose extends Model.define({ name: 'loose', fields: declared }) {}
    for (const config of [{}, { parentField: 'parentId' as const }])
      expect(() => new TreeStore({ model: Loose, ...config })).toThrow(
        expect.objectContaining({ name: 'DefinitionError', reason: 'tree-parent-field' }),
      );
  });

  test('may be a reference with options', () => {
    class Kept extends Model.define({ name: 'kept', fields: declared }) {
      static override references() {
        return { parentId: { model: Kept, onErase: 'restrict' } };
      }
    }
    const tree = new TreeStore({ model: Kept, data: [{ id: 1 }, { id: 2, parentId: 1 }] });
    expect(tree.roots.map(({ children }) => children.length)).toEqual([1]);
  });
});

test('a node with 200,000 children is walked', () => {
  const { model } = folders([]);
  const rows = Array.from({ length: 200_000 }, (_, at) => ({ id: at + 1, parentId: at ? 1 : null, name: '' }));
  const tree = new TreeStore({ model, data: rows });
  tree.check(tree.store.getById(1) as Folder, true);
  expect(tree.checkedRecords.length).toBe(200_000);
});
