import {
  differenceOf,
  Model,
  plain,
  ReadError,
  receive,
  reference,
  refreshStale,
  Session,
  StateError,
  Store,
  selectionOf,
} from 'repose';
import { TreeStore } from 'repose/tree';
import { describe, expect, test } from 'vitest';
import { byName, Folder, folders, rowsOf, shown } from './support.js';

const names = ['b', 'a', 'a.z', 'a.y', 'b.x', 'a.y.q'];

async function loaded(config: object = {}, rows = rowsOf(...names)) {
  const made = folders(rows);
  const tree = new TreeStore({ model: made.model, ...config });
  await tree.load();
  return { ...made, tree };
}

describe('a tree', () => {
  test('shows the roots, and below an expanded node its children', async () => {
    const { tree, lines } = await loaded({ sorters: ['name'] });
    expect(shown(tree)).toEqual(['+a', '+b']);
    await tree.expand(byName(tree, 'a'));
    expect(shown(tree)).toEqual(['-a', '  +a.y', '  a.z', '+b']);
    void tree.expandAll();
    expect(shown(tree)).toEqual(['-a', '  -a.y', '    a.y.q', '  a.z', '-b', '  b.x']);
    tree.collapse(byName(tree, 'a'));
    expect(shown(tree)).toEqual(['+a', '-b', '  b.x']);
    tree.collapseAll();
    expect(shown(tree)).toEqual(['+a', '+b']);
    expect(lines()).toEqual(['GET /folders']);
  });

  test('tells the state of each node', async () => {
    const { tree } = await loaded({ sorters: ['name'] });
    const y = byName(tree, 'a.y');
    const node = tree.nodeOf(y);
    expect([node?.depth, node?.index, node?.leaf, node?.expanded, node?.checked]).toEqual([
      1,
      -1,
      false,
      false,
      'none',
    ]);
    expect(node?.parent?.record.name).toBe('a');
    expect(node?.children.map(({ record }) => record.name)).toEqual(['a.y.q']);
    expect(await tree.reveal(6)).toBe(byName(tree, 'a.y.q'));
    expect([node?.index, node?.expanded, tree.nodeOf(y)]).toEqual([1, true, node]);
    expect(tree.roots.map(({ record }) => record.name)).toEqual(['a', 'b']);
    expect(await tree.reveal(99)).toBeUndefined();
  });

  test('tells its listeners once per tick, with splices that lead to the new list', async () => {
    const { tree } = await loaded({ sorters: ['name'] });
    const list = tree.list.get().slice();
    let told = 0;
    tree.list.subscribe(() => {
      told += 1;
    });
    tree.on('change', (change) => {
      const { splices } = differenceOf(change);
      for (const { index, remove, records } of splices) list.splice(index, remove, ...records);
    });
    void tree.expandAll();
    tree.collapse(byName(tree, 'b'));
    byName(tree, 'a.z').parentId = 1;
    await Promise.resolve();
    expect(told).toBe(1);
    expect(list).toEqual(tree.list.get().slice());
    await tree.expand(byName(tree, 'b'));
    tree.flush();
    expect(list.map(({ name }) => name)).toEqual(['a', 'a.y', 'a.y.q', 'b', 'a.z', 'b.x']);
    expect(told).toBe(2);
  });

  test('tells the listeners of a node when its state changes', async () => {
    const { tree } = await loaded({ sorters: ['name'] });
    const state = tree.nodeOf(byName(tree, 'a'))?.state;
    const seen: unknown[] = [];
    state?.subscribe(() => seen.push(state.get().expanded));
    void tree.expand(byName(tree, 'a'));
    tree.flush();
    byName(tree, 'b').name = 'c';
    tree.flush();
    tree.collapse(byName(tree, 'a'));
    tree.flush();
    expect(seen).toEqual([true, false]);
  });

  test('puts folders first', async () => {
    const { tree } = await loaded({ folderSort: true }, rowsOf('c', 'b', 'a', 'a.x'));
    expect(shown(tree)).toEqual(['+a', 'c', 'b']);
    tree.append(byName(tree, 'b'), { name: 'n' });
    expect(shown(tree)).toEqual(['+b', '+a', 'c']);
    tree.remove(byName(tree, 'a.x'));
    expect(shown(tree)).toEqual(['+b', 'c', 'a']);
  });

  test('follows edits, rows that come, and records that go', async () => {
    const { tree } = await loaded({ sorters: ['name'] });
    void tree.expandAll();
    byName(tree, 'a.z').name = 'A';
    byName(tree, 'a.y').parentId = 1;
    expect(shown(tree)).toEqual(['-a', '  A', '-b', '  -a.y', '    a.y.q', '  b.x']);
    receive(tree.store, [{ id: 7, parentId: 5, name: 'new' }], { removed: [1] });
    // Folder 1 has edits of others only, so it leaves; those below it have lost their parent.
    expect(shown(tree)).toEqual(['-a', '  A']);
    expect(tree.issues.map(({ record, error }) => [record.name, error.reason])).toEqual([
      ['a.y', 'tree-orphan'],
      ['b.x', 'tree-orphan'],
    ]);
    receive(tree.store, [{ id: 1, parentId: null, name: 'back' }]);
    void tree.expand(byName(tree, 'back'));
    expect(shown(tree)).toEqual(['-a', '  A', '-back', '  -a.y', '    a.y.q', '  +b.x']);
    expect(tree.issues).toEqual([]);
  });

  test('keeps what is expanded when it is loaded again', async () => {
    const { tree, server } = await loaded({ sorters: ['name'] });
    void tree.expandAll();
    server.setRows('/folders', rowsOf('b', 'a', 'a.z', 'a.y', 'b.x', 'a.y.q', 'a.c'));
    await tree.reload();
    expect(shown(tree)).toEqual(['-a', '  a.c', '  -a.y', '    a.y.q', '  a.z', '-b', '  b.x']);
  });

  test('finds the field of the parent in references(), and refuses one that is not declared', async () => {
    class Part extends Model.define({
      name: 'part',
      fields: { id: 'int', whole: reference('int', { allowNull: true }) },
    }) {
      static override references() {
        return { whole: Part };
      }
    }
    const tree = new TreeStore({ model: Part, data: [{ id: 1 }, { id: 2, whole: 1 }] });
    expect(tree.roots.map(({ record, children }) => [record.id, children.length])).toEqual([[1, 1]]);
    class Loose extends Model.define({ name: 'loose', fields: { id: 'int' } }) {}
    expect(() => new TreeStore({ model: Loose })).toThrow(
      'The tree of loose has no field that refers to the parent of a record: declare it in `references()` of the model, because the id of a new parent could not reach its children',
    );
    // @ts-expect-error The model has no such field.
    expect(() => new TreeStore({ model: Part, positionField: 'pos' })).toThrow(
      "The option `positionField` of the tree names 'pos', which is not a field of part",
    );
    // @ts-expect-error There is no such option.
    expect(() => new TreeStore({ model: Part, sort: [] })).toThrow("'sort'");
  });

  test('ends with its store', async () => {
    const { tree } = await loaded();
    let told = 0;
    tree.list.subscribe(() => {
      told += 1;
    });
    tree.dispose();
    expect([tree.list.get().count, told, tree.store.disposed]).toEqual([0, 1, true]);
    await expect(tree.load()).rejects.toBeInstanceOf(StateError);
  });

  test('shows the records of a session', async () => {
    const { model } = folders(rowsOf(...names));
    const session = new Session();
    const tree = new TreeStore({ model, session, sorters: ['name'] });
    const store = new Store({ model, session, pageSize: 0 });
    await Promise.all([tree.load(), store.load()]);
    expect(store.getById(2)).toBe(tree.roots[0]?.record);
    (store.getById(2) as Folder).name = 'z';
    expect(shown(tree)).toEqual(['+b', '+z']);
  });
});

describe('adding, moving and removing', () => {
  test('creates a new parent before its new children', async () => {
    const { tree, lines, server } = await loaded({ sorters: ['name'] });
    const parent = tree.append(null, { name: 'new' });
    tree.append(parent, { name: 'child' });
    void tree.expandAll();
    expect(shown(tree).slice(-2)).toEqual(['-new', '  child']);
    (await tree.sync()).orThrow();
    expect(lines().slice(1)).toEqual([
      'POST /folders {"name":"new","parentId":null}',
      'POST /folders {"name":"child","parentId":7}',
    ]);
    expect(shown(tree).slice(-2)).toEqual(['-new', '  child']);
    expect(server.rows('/folders')).toHaveLength(8);
    expect(tree.store.status.get().pending).toBe(0);
  });

  test('inserts before the child at an index, and moves below another parent', async () => {
    const { tree, lines } = await loaded({}, rowsOf('a', 'a.1', 'a.2', 'b'));
    void tree.expandAll();
    tree.insert(byName(tree, 'a'), 1, { name: 'x' });
    tree.insert(null, 0, { name: 'first' });
    expect(shown(tree)).toEqual(['first', '-a', '  a.1', '  x', '  a.2', 'b']);
    tree.move(byName(tree, 'b'), byName(tree, 'a'), 0);
    tree.move(byName(tree, 'a.1'), byName(tree, 'a'));
    tree.move(byName(tree, 'a.2'), null, 1);
    expect(shown(tree)).toEqual(['first', 'a.2', '-a', '  b', '  x', '  a.1']);
    expect(tree.store.pending.edited.map(({ name, parentId }) => [name, parentId])).toEqual([
      ['a.2', null],
      ['b', 1],
    ]);
    expect(lines()).toEqual(['GET /folders']);
  });

  test('refuses to move a record below itself, before anything changes', async () => {
    const { tree } = await loaded({ sorters: ['name'] });
    for (const target of ['a', 'a.y.q'])
      expect(() => tree.move(byName(tree, 'a'), byName(tree, target), 0)).toThrow(
        expect.objectContaining({ code: 'unresolvable', reason: 'tree-under-itself' }),
      );
    expect(tree.store.status.get().pending).toBe(0);
    const stranger = new Folder({ id: 1, name: 'stranger' });
    expect(() => tree.move(stranger, null)).toThrow(
      expect.objectContaining({ code: 'foreign', reason: 'tree-unknown' }),
    );
    expect(() => tree.append(stranger, { name: 'x' })).toThrow(StateError);
    class Other extends Model.define({ name: 'other', fields: { id: 'int', title: 'string' } }) {}
    expect(() => tree.append(null, new Other({ title: 'x' }))).toThrow(StateError);
    expect([tree.store.count, tree.store.status.get().pending]).toEqual([6, 0]);
    await expect(tree.expand(stranger)).rejects.toBeInstanceOf(StateError);
  });

  test('writes the positions of as few records as possible', async () => {
    const rows = rowsOf('a', 'b', 'c', 'd').map((row, at) => ({ ...row, position: at * 2 }));
    const { tree } = await loaded({ positionField: 'position' }, rows);
    const changed = () => tree.store.pending.edited.map(({ name, position }) => `${name} ${position}`);
    tree.move(byName(tree, 'd'), null, 1);
    expect([shown(tree), changed()]).toEqual([['a', 'd', 'b', 'c'], ['d 1']]);
    tree.move(byName(tree, 'c'), null, 1);
    expect(shown(tree)).toEqual(['a', 'c', 'd', 'b']);
    expect(changed()).toEqual(['d 5', 'b 6']);
    tree.append(null, { name: 'e' });
    expect(shown(tree)).toEqual(['a', 'c', 'd', 'b', 'e']);
    expect(changed()).toEqual(['d 5', 'b 6']);
  });

  test('erases a record with all below it, those below first', async () => {
    const { tree, lines, server } = await loaded({ sorters: ['name'] });
    void tree.expandAll();
    tree.remove(byName(tree, 'a'));
    expect(shown(tree)).toEqual(['-b', '  b.x']);
    (await tree.sync()).orThrow();
    const erased = lines().slice(1);
    expect(erased.indexOf('DELETE /folders/6')).toBeLessThan(erased.indexOf('DELETE /folders/4'));
    expect(erased.at(-1)).toBe('DELETE /folders/2');
    expect(server.rows('/folders').map(({ name }) => name)).toEqual(['b', 'b.x']);
  });

  test('leaves the records below to a server that erases them', async () => {
    const { tree, lines } = await loaded({ sorters: ['name'], cascade: 'server' });
    void tree.expandAll();
    const edited = byName(tree, 'a.z');
    expect(tree.remove(byName(tree, 'a')).map(({ name }) => name)).toEqual(['a']);
    expect(shown(tree)).toEqual(['-b', '  b.x']);
    const syncing = tree.sync();
    edited.name = 'edited';
    (await syncing).orThrow();
    expect(
      lines()
        .slice(1)
        .filter((line) => line.startsWith('DELETE')),
    ).toEqual(['DELETE /folders/2']);
    expect([...tree.store].map(({ name }) => name)).toEqual(['b', 'edited', 'b.x']);
    expect(tree.issues.map(({ record }) => record.name)).toEqual(['edited']);
  });

  test('shows a record again at its place if its erase fails', async () => {
    const { tree, server } = await loaded({ sorters: ['name'], cascade: 'server' });
    void tree.expandAll();
    server.setRows('/folders', []);
    const made = folders(rowsOf(...names), {
      collections: { '/folders': { rows: rowsOf(...names), methods: ['GET'] } },
    });
    const other = new TreeStore({ model: made.model, sorters: ['name'], cascade: 'server' });
    await other.load();
    void other.expandAll();
    const before = shown(other);
    other.remove(byName(other, 'a'));
    expect(shown(other)).toEqual(['-b', '  b.x']);
    const batch = await other.sync();
    expect(batch.failures).toHaveLength(1);
    other.store.reject();
    expect(shown(other)).toEqual(before);
  });
});

describe('a lazy tree', () => {
  const lazily = async (rows = rowsOf(...names), config: object = {}, options = {}) => {
    const made = folders(rows, options);
    const lazy = (parent: Folder | undefined) => ({ params: { parentId: parent?.id ?? '' } });
    const tree = new TreeStore({ model: made.model, sorters: ['name'], lazy, ...config });
    return { ...made, tree };
  };

  test('asks for the children of a node once, when it is first expanded', async () => {
    const { tree, lines } = await lazily();
    expect([tree.loaded, tree.loading]).toEqual([false, false]);
    const loading = tree.load();
    expect([tree.loaded, tree.loading, tree.status.get().loading]).toEqual([false, true, true]);
    await Promise.all([loading, tree.load()]);
    await tree.ready;
    expect([tree.loaded, tree.loading, shown(tree)]).toEqual([true, false, ['+a', '+b']]);
    const a = byName(tree, 'a');
    const node = tree.nodeOf(a);
    const both = Promise.all([tree.expand(a), tree.expand(a)]);
    expect([node?.loading, node?.expanded]).toEqual([true, true]);
    expect((await both).map((children) => children.map(({ name }) => name))).toEqual([
      ['a.y', 'a.z'],
      ['a.y', 'a.z'],
    ]);
    expect([node?.loading, shown(tree)]).toEqual([false, ['-a', '  +a.y', '  +a.z', '+b']]);
    await tree.expand(byName(tree, 'a.z'));
    tree.collapse(a);
    await tree.expand(a);
    expect(shown(tree)).toEqual(['-a', '  +a.y', '  a.z', '+b']);
    expect(lines()).toEqual(['GET /folders?parentId=', 'GET /folders?parentId=2', 'GET /folders?parentId=3']);
  });

  test('reads again what it shows when rows were missed, and other nodes when they are expanded next', async () => {
    const { tree, lines, server } = await lazily();
    await tree.load();
    await tree.expand(byName(tree, 'a'));
    await tree.expand(byName(tree, 'b'));
    tree.collapse(byName(tree, 'b'));
    const before = lines().length;
    server.setRows('/folders', [
      ...rowsOf(...names),
      { id: 91, parentId: 2, name: 'a.new' },
      { id: 92, parentId: 1, name: 'b.new' },
    ]);
    receive(tree.store, [], { gap: true });
    expect(tree.status.get().stale).toBe(true);
    await refreshStale(tree.store);
    expect([lines().slice(before), tree.status.get().stale]).toEqual([
      ['GET /folders?parentId=', 'GET /folders?parentId=2'],
      false,
    ]);
    await tree.expand(byName(tree, 'b'));
    expect(shown(tree).filter((line) => line.includes('new'))).toEqual(['  +a.new', '  +b.new']);
  });

  test('asks by a filter on the parent', async () => {
    const { model, server } = await lazily();
    const proxy = {
      type: 'rest',
      url: '/folders',
      baseUrl: server.baseUrl,
      fetch: server.fetch,
      noCache: false,
    } as const;
    const tree = new TreeStore({ model: Folder, proxy, sorters: ['name'], lazy: true });
    await tree.load();
    await tree.expand(byName(tree, 'b'));
    expect(shown(tree)).toEqual(['+a', '-b', '  +b.x']);
    expect(server.requests.map(({ url }) => decodeURIComponent(new URL(url).search))).toEqual([
      '?filter=[{"property":"parentId","operator":"eq","value":null}]',
      '?filter=[{"property":"parentId","operator":"eq","value":1}]',
    ]);
    // The plain dialect has no words for roots, unless it is given some.
    await expect(new TreeStore({ model, lazy: true }).load()).rejects.toMatchObject({ code: 'unsupported-query' });
  });

  test('sorts the children that come below a node which was shown expanded before', async () => {
    const { tree } = await lazily(rowsOf('a', 'a.2', 'a.1'));
    await tree.load();
    const expanding = tree.expand(byName(tree, 'a'));
    expect(shown(tree)).toEqual(['-a']);
    await expanding;
    expect(shown(tree)).toEqual(['-a', '  +a.1', '  +a.2']);
    tree.move(byName(tree, 'a.2'), byName(tree, 'a'), 0);
    expect(shown(tree)).toEqual(['-a', '  +a.1', '  +a.2']);
  });

  test('asks for its roots by a filter of its own, where the server cannot be asked for null', async () => {
    const { model, server, lines } = await lazily(
      rowsOf(...names).map((row) => ({ ...row, parentId: row.parentId ?? 0 })),
    );
    const tree = new TreeStore({ model, sorters: ['name'], lazy: true, rootId: 0 });
    await tree.load();
    expect(shown(tree)).toEqual(['+a', '+b']);
    server.setRows('/folders', rowsOf('b', 'a'));
    const other = new TreeStore({ model, lazy: true, rootFilter: { property: 'name', operator: 'eq', value: 'a' } });
    await other.load();
    const all = new TreeStore({ model, sorters: ['name'], lazy: true, rootFilter: [] });
    await all.load();
    expect([shown(other), shown(all)]).toEqual([['+a'], ['+a', '+b']]);
    expect(lines()).toEqual(['GET /folders?parentId=0', 'GET /folders?name=a', 'GET /folders']);
    // @ts-expect-error The model has no such field.
    expect(() => new TreeStore({ model, lazy: true, rootFilter: { property: 'top', value: 1 } })).toThrow("'top'");
  });

  test('expandAll asks for all children that are missing, some at a time', async () => {
    const { tree, server, lines } = await lazily(rowsOf('a', 'b', 'c', 'a.1', 'a.2', 'b.1', 'a.1.x'));
    let open = 0;
    let most = 0;
    const { fetch } = server;
    const counted: typeof globalThis.fetch = async (...given) => {
      open += 1;
      most = Math.max(most, open);
      // The other requests of the level begin before this one is answered.
      await Promise.resolve();
      return fetch(...given).finally(() => {
        open -= 1;
      });
    };
    const model = Folder.with({
      proxy: { type: 'rest', url: '/folders', baseUrl: server.baseUrl, fetch: counted, dialect: plain() },
    }) as typeof Folder;
    const all = new TreeStore({
      model,
      sorters: ['name'],
      lazy: (parent) => ({ params: { parentId: parent?.id ?? '' } }),
    });
    await all.expandAll({ concurrency: 2 });
    expect(shown(all)).toEqual(['-a', '  -a.1', '    a.1.x', '  a.2', '-b', '  b.1', 'c']);
    expect(most).toBe(2);
    const requests = lines().length;
    await all.expandAll();
    expect([requests, lines().length, tree.loaded]).toEqual([8, 8, false]);
  });

  test('expandAll ends at the first failure, and when its signal is aborted', async () => {
    const { tree, server, lines } = await lazily(rowsOf('a', 'b', 'a.1', 'b.1', 'a.1.x'));
    await tree.load();
    const stop = new AbortController();
    const expanding = tree.expandAll({ signal: stop.signal, concurrency: 1 });
    stop.abort();
    await expect(expanding).rejects.toMatchObject({ code: 'abort' });
    // The request that was in flight has brought its records.
    expect([shown(tree), lines().length]).toEqual([['-a', '  +a.1', '+b'], 2]);
    await expect(tree.expandAll({ signal: stop.signal })).rejects.toMatchObject({ code: 'abort' });
    expect(lines()).toHaveLength(2);
    server.setRows('/folders', rowsOf('a', 'b', 'a.1', 'b.1', 'a.1.x'));
    await tree.expandAll();
    expect(shown(tree)).toEqual(['-a', '  -a.1', '    a.1.x', '-b', '  b.1']);
    // @ts-expect-error There is no such option.
    await expect(tree.expandAll({ deep: true })).rejects.toThrow("'deep'");
    const { tree: failing, lines: tried } = await lazily(rowsOf('a', 'b'), {
      lazy: (parent: Folder | undefined) => ({ url: parent ? '/nothing' : '/folders' }),
    });
    await expect(failing.expandAll({ concurrency: 1 })).rejects.toMatchObject({ code: 'http', status: 404 });
    expect(tried()).toEqual(['GET /folders', 'GET /nothing']);
    expect(failing.nodeOf(byName(failing, 'a'))?.error?.code).toBe('http');
  });

  test('loadAll asks for all that is missing, and opens nothing: a filter finds it, and leaves the tree as it was', async () => {
    const { tree, lines } = await lazily(rowsOf('a', 'b', 'a.1', 'b.1', 'a.1.x'));
    await tree.load();
    await tree.expand(byName(tree, 'b'));
    await tree.loadAll();
    // The answer tells that `b.1` is a leaf.
    const before = ['+a', '-b', '  b.1'];
    expect(shown(tree)).toEqual(before);
    tree.filter({ property: 'name', operator: 'like', value: 'x' });
    expect(shown(tree)).toEqual(['-a', '  -a.1', '    a.1.x']);
    tree.clearFilter();
    expect(shown(tree)).toEqual(before);
    const requests = lines().length;
    await tree.loadAll();
    expect(lines()).toHaveLength(requests);
  });

  test('loadAll loads a tree that is not loaded, tells the first failure, and ends with its signal', async () => {
    const { tree, lines } = await lazily(rowsOf('a', 'a.1', 'a.1.x'));
    const stop = AbortSignal.abort();
    await expect(tree.loadAll({ signal: stop })).rejects.toMatchObject({ code: 'abort' });
    expect(lines()).toEqual([]);
    await tree.loadAll();
    expect([shown(tree), tree.loaded]).toEqual([['+a'], true]);
    const whole = folders(rowsOf('a', 'a.1'));
    const all = new TreeStore({ model: whole.model });
    await all.loadAll();
    await all.loadAll();
    expect([shown(all), whole.lines()]).toEqual([['+a'], ['GET /folders']]);
    const { tree: failing, lines: tried } = await lazily(rowsOf('a', 'b'), {
      lazy: (parent: Folder | undefined) => ({ url: parent ? '/nothing' : '/folders' }),
    });
    await expect(failing.loadAll({ concurrency: 1 })).rejects.toMatchObject({ code: 'http', status: 404 });
    expect(tried()).toEqual(['GET /folders', 'GET /nothing']);
    // @ts-expect-error There is no such option.
    await expect(failing.loadAll({ deep: true })).rejects.toThrow("'deep'");
  });

  test('keeps the error of a node, and asks again', async () => {
    const { tree, server } = await lazily(rowsOf(...names), {}, { seed: 1, faults: { drop: 1 } });
    await expect(tree.load()).rejects.toMatchObject({ code: 'network' });
    expect(tree.error?.code).toBe('network');
    server.heal();
    await tree.retry();
    expect([tree.error, shown(tree)]).toEqual([undefined, ['+a', '+b']]);
    const { tree: other, server: shaky } = await lazily();
    await other.load();
    shaky.setRows('/folders', rowsOf(...names));
    expect(other.nodeOf(byName(other, 'a'))?.error).toBeUndefined();
  });

  test('reads the records above a record that is to be shown', async () => {
    const { tree, lines } = await lazily();
    await tree.load();
    const found = await tree.reveal(6);
    expect(found?.name).toBe('a.y.q');
    expect(shown(tree)).toEqual(['-a', '  -a.y', '    +a.y.q', '  +a.z', '+b']);
    expect(lines().slice(1, 3)).toEqual(['GET /folders/6', 'GET /folders/4']);
    expect(await tree.reveal(77)).toBeUndefined();
  });

  test('takes rows that are pushed, wherever their parent is', async () => {
    const { tree } = await lazily();
    await tree.load();
    await tree.expand(byName(tree, 'a'));
    receive(tree.store, [
      { id: 8, parentId: 2, name: 'a.a' },
      { id: 9, parentId: 77, name: 'lost' },
    ]);
    expect(shown(tree)).toEqual(['-a', '  +a.a', '  +a.y', '  +a.z', '+b']);
    expect(tree.issues.map(({ record }) => record.name)).toEqual(['lost']);
    expect(tree.store.status.get().stale).toBe(false);
  });

  test('lets children go that a new response lacks, but none with changes', async () => {
    const { tree, server } = await lazily();
    await tree.load();
    const a = byName(tree, 'a');
    await tree.expand(a);
    byName(tree, 'a.z').name = 'edited';
    tree.append(a, { name: 'new' });
    server.setRows('/folders', rowsOf('b', 'a'));
    await tree.loadChildren(a);
    expect(shown(tree)).toEqual(['-a', '  +edited', '  new', '+b']);
  });
});

describe('nested rows', () => {
  const nested = [
    {
      id: 1,
      name: 'a',
      children: [
        { id: 2, name: 'b', children: [] },
        { id: 3, name: 'c' },
      ],
    },
    { id: 4, name: 'd', children: [{ id: 5, name: 'e', parentId: 4 }] },
  ];
  const treeOf = (rows: unknown, config: object = {}) => {
    const { model } = folders([], {
      collections: {},
      otherwise: () => Response.json(rows),
    });
    return new TreeStore({ model, nested: 'children', ...config });
  };

  test('become records of their own', async () => {
    const tree = treeOf(nested);
    await tree.load();
    void tree.expandAll();
    expect(shown(tree)).toEqual(['-a', '  b', '  c', '-d', '  e']);
    expect(tree.store.getById(2)?.parentId).toBe(1);
    expect(tree.store.status.get().pending).toBe(0);
  });

  test('tell a lazy tree which children it has', async () => {
    const tree = treeOf(nested, { lazy: () => ({}) });
    await tree.load();
    for (const name of ['a', 'd']) await tree.expand(byName(tree, name));
    expect(shown(tree)).toEqual(['-a', '  b', '  +c', '-d', '  +e']);
  });

  test('that are no objects, or in no list, are refused with their place', async () => {
    await expect(treeOf([{ id: 1, children: [{ id: 2 }, 7] }]).load()).rejects.toThrow(
      'rows[0].children[1] is 7, not an object',
    );
    const wrong = treeOf([{ id: 1, children: { id: 2 } }]);
    await expect(wrong.load()).rejects.toBeInstanceOf(ReadError);
    expect(wrong.list.get().count).toBe(0);
  });
});

describe('wrong parents', () => {
  test('records among their own ancestors are shown as roots, and told', async () => {
    const rows = [
      { id: 1, parentId: 2, name: 'a' },
      { id: 2, parentId: 3, name: 'b' },
      { id: 3, parentId: 1, name: 'c' },
      { id: 4, parentId: 2, name: 'd' },
      { id: 5, parentId: 5, name: 'self' },
    ];
    const { tree } = await loaded({ sorters: ['name'] }, rows);
    void tree.expandAll();
    expect(shown(tree)).toEqual(['a', '-b', '  d', 'c', 'self']);
    expect(tree.issues.map(({ record, error }) => [record.name, error.reason])).toEqual([
      ['a', 'tree-cycle'],
      ['b', 'tree-cycle'],
      ['c', 'tree-cycle'],
      ['self', 'tree-cycle'],
    ]);
    byName(tree, 'c').parentId = null;
    void tree.expandAll();
    expect(shown(tree)).toEqual(['-c', '  -b', '    a', '    d', 'self']);
    byName(tree, 'c').parentId = 1;
    expect(shown(tree)).toEqual(['a', '-b', '  d', 'c', 'self']);
  });

  test('records without their parent wait for it, or are shown as roots', async () => {
    const rows = [
      { id: 1, parentId: 9, name: 'lost' },
      { id: 2, parentId: 1, name: 'below' },
      { id: 3, parentId: null, name: 'root' },
    ];
    const { tree } = await loaded({ sorters: ['name'] }, rows);
    expect(shown(tree)).toEqual(['root']);
    expect(await tree.reveal(2)).toBeUndefined();
    const { tree: other } = await loaded({ sorters: ['name'], orphans: 'root' }, rows);
    expect(shown(other)).toEqual(['+lost', 'root']);
    receive(other.store, [{ id: 9, parentId: 3, name: 'found' }]);
    void other.expandAll();
    expect(shown(other)).toEqual(['-root', '  -found', '    -lost', '      below']);
  });

  test('a chain of 100,000 records is shown without recursion', async () => {
    const count = 100_000;
    const data = Array.from({ length: count }, (_, at) => ({ id: at + 1, parentId: at || null, name: 'n' }));
    const tree = new TreeStore({ model: Folder, data });
    void tree.expandAll();
    expect(tree.list.get().count).toBe(count);
    const last = tree.list.get().at(count - 1) as Folder;
    expect(tree.nodeOf(last)?.depth).toBe(count - 1);
    tree.check(last, true);
    expect(tree.nodeOf(tree.list.get().at(0) as Folder)?.checked).toBe('all');
  });
});

describe('filters and check marks', () => {
  test('a filter keeps the records above a match, and shows them expanded', async () => {
    const { tree } = await loaded({ sorters: ['name'] });
    await tree.expand(byName(tree, 'b'));
    tree.filter({ property: 'name', operator: 'contains', value: 'q' });
    expect(shown(tree)).toEqual(['-a', '  -a.y', '    a.y.q']);
    tree.collapse(byName(tree, 'a.y'));
    expect(shown(tree)).toEqual(['-a', '  +a.y']);
    const x = byName(tree, 'b.x');
    x.name = 'q';
    expect(shown(tree)).toEqual(['-a', '  +a.y', '-b', '  q']);
    x.name = 'x';
    expect(shown(tree)).toEqual(['-a', '  +a.y']);
    tree.clearFilter();
    expect(shown(tree)).toEqual(['+a', '-b', '  x']);
    tree.filter({ property: 'name', value: 'a.y.q' }, { autoExpand: false });
    expect(shown(tree)).toEqual(['+a']);
    // @ts-expect-error The model has no such field.
    expect(() => tree.filter({ property: 'title', value: 'x' })).toThrow("'title'");
  });

  test('a range is selected in the order of the visible records', async () => {
    const { tree } = await loaded({ sorters: ['name'] });
    const selection = selectionOf(tree.store);
    await tree.expand(byName(tree, 'a'));
    selection.selectRange(byName(tree, 'a.y'), byName(tree, 'b'));
    expect([...tree.store].filter((each) => selection.isSelected(each)).map(({ name }) => name)).toEqual([
      'b',
      'a.z',
      'a.y',
    ]);
    expect(() => selection.selectRange(byName(tree, 'a'), byName(tree, 'b.x'))).toThrow(
      expect.objectContaining({ reason: 'selection-range' }),
    );
  });

  test('a filter by a function may look at the nodes above', async () => {
    const { tree } = await loaded({ sorters: ['name'] });
    const isIn = (name: string) => (record: Folder) => {
      for (let at = tree.nodeOf(record); at; at = at.parent) if (at.record.name === name) return true;
      return false;
    };
    // The tree is not built yet.
    tree.filter({ filterFn: isIn('a') });
    expect(shown(tree)).toEqual(['-a', '  -a.y', '    a.y.q', '  a.z']);
    tree.store.setRecords(rowsOf('c', 'a', 'a.1', 'c.1'));
    expect(shown(tree)).toEqual(['-a', '  a.1']);
    tree.filter({
      filterFn: () => {
        throw new Error('a mistake');
      },
    });
    expect(() => tree.list.get()).toThrow('a mistake');
    tree.filter({ filterFn: isIn('c') });
    expect(shown(tree)).toEqual(['-c', '  c.1']);
  });

  test('a filter follows edits that come between two filters on the same field', async () => {
    const rows = Array.from({ length: 100 }, (_, at) => ({ id: at + 1, parentId: null, name: `n${at}` }));
    const { tree } = await loaded({}, rows);
    const find = (value: string) => {
      tree.filter({ property: 'name', operator: 'startsWith', value });
      return shown(tree);
    };
    expect(find('n9')).toHaveLength(11);
    byName(tree, 'n0').name = 'n9-edited';
    tree.remove(byName(tree, 'n9'));
    tree.append(null, { name: 'n9-new' });
    expect(find('n9-')).toEqual(['n9-edited', 'n9-new']);
    expect(find('n9')).toHaveLength(12);
  });

  test('check marks go down, and up as all, some or none', async () => {
    const { tree } = await loaded({ sorters: ['name'] });
    const state = (name: string) => tree.nodeOf(byName(tree, name))?.checked;
    tree.check(byName(tree, 'a.y'), true);
    expect(['a', 'a.y', 'a.y.q', 'a.z', 'b'].map(state)).toEqual(['some', 'all', 'all', 'none', 'none']);
    tree.check(byName(tree, 'a.z'), true);
    expect(state('a')).toBe('all');
    expect(tree.checkedRecords.map(({ name }) => name)).toEqual(['a', 'a.y', 'a.y.q', 'a.z']);
    tree.append(byName(tree, 'a'), { name: 'new' });
    expect(state('a')).toBe('some');
    tree.check(byName(tree, 'a'), false);
    expect(tree.checkedRecords).toEqual([]);
    tree.filter({ property: 'name', value: 'a.z' });
    tree.check(byName(tree, 'a'), true);
    tree.clearFilter();
    expect(tree.checkedRecords.map(({ name }) => name)).toEqual(['a.z']);
  });
});
