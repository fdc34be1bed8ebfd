import {
  DefinitionError,
  type Dialect,
  type Filter,
  Model,
  Operation,
  plain,
  RestProxy,
  type RestProxyConfig,
  Store,
  streaming,
} from 'repose';
import { diagnostics } from 'repose/diagnostics';
import { describe, expect, test, vi } from 'vitest';
import { MODEL, type OperationRecord } from '../../src/operation/operation-record.js';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

const fields = {
  id: 'int',
  title: 'string',
  views: { type: 'number', mapping: 'stats.views' },
  made: { type: 'date', mapping: 'made_at' },
  open: 'boolean',
} as const;
type Row = Record<string, unknown>;

/** A dialect that sends filters of every form as one parameter, as servers with a JSON parameter expect. */
const trees: Dialect = {
  ...plain(),
  name: 'trees',
  capabilities: { trees: ['and', 'or', 'not'] },
  filter: ({ request }) =>
    request.collect('filters', JSON.stringify(request.operation.filters ?? []), 'trees', 'filters'),
};

/** A store over a server that answers each read with these rows, and the warnings that its loads cause. */
function watched(rows: Row[] | ((page: number) => Row[]), options: object = {}, config: RestProxyConfig = {}) {
  const warnings: string[] = [];
  const use = [diagnostics({ warn: (text) => warnings.push(text) }), ...(config.use ?? [])];
  const proxy = server.proxy('/posts', { ...config, use });
  class Post extends Model.define({ fields, proxy }) {}
  server.always(({ query }) => ({
    json: typeof rows === 'function' ? rows(Number(query.get('page'))) : rows,
  }));
  const store = new Store({ model: Post, remoteFilter: true, remoteSort: true, ...options });
  return { Post, store, warnings };
}

const views = (...counts: unknown[]): Row[] => counts.map((count, i) => ({ id: i + 1, stats: { views: count } }));

describe('a server that ignores the size of pages', () => {
  test('is reported once per proxy, with the address and the remedy', async () => {
    const { store, warnings } = watched(views(1, 2, 3), { pageSize: 2 });
    await store.load();
    await store.load();
    expect(warnings).toEqual([
      expect.stringMatching(
        /^GET \/posts\?page=1&start=0&limit=2: 3 rows came, but 2 were asked for\. .* set `limitParam`/,
      ),
    ]);
  });

  test('is reported for each proxy that shares the extension', async () => {
    const { Post, warnings } = watched(views(1, 2, 3));
    await new Store({ model: Post, pageSize: 2 }).load();
    await new Store({ model: Post.with({ proxy: { extraParams: { tenant: 2 } } }), pageSize: 2 }).load();
    expect(warnings).toHaveLength(2);
  });

  test('is reported for a list that is read as a stream', async () => {
    const config = { reader: { stream: true }, use: [streaming()] };
    const { store, warnings } = watched(views(1, 2, 3), { pageSize: 2 }, config);
    await store.load();
    expect(warnings).toHaveLength(1);
  });
});

describe('a server that ignores the page', () => {
  test('is reported when page 2 equals page 1', async () => {
    const { store, warnings } = watched(views(1, 2), { pageSize: 2 });
    await store.load({ page: 1 });
    await store.load({ page: 1 });
    expect(warnings).toEqual([]);
    await store.load({ page: 2 });
    expect(warnings).toEqual([expect.stringMatching(/page=2.*: another page has the same rows.* set `pageParam`/)]);
  });

  test('is not reported for another query, other rows, empty pages and rows without ids', async () => {
    const other = watched((page) => views(page, page).map((row, at) => ({ ...row, id: 2 * page + at })), {
      pageSize: 2,
    });
    await other.store.load({ page: 1 });
    await other.store.load({ page: 2 });
    const query = watched(views(1, 2), { pageSize: 2 });
    await query.store.load({ page: 1 });
    await query.store.load({ page: 2, params: { kind: 'b' } });
    const empty = watched([], { pageSize: 2 });
    await empty.store.load({ page: 1 });
    await empty.store.load({ page: 2 });
    const warn = vi.fn();
    const proxy = new RestProxy({ ...server.proxy('/sums'), use: [diagnostics({ warn })] });
    const record = new (watched([]).Post)({}) as unknown as OperationRecord;
    server.always(() => ({ json: [{ state: 'open', count: 1 }] }));
    for (const page of [1, 2])
      await proxy.read(new Operation({ action: 'read', page, limit: 1, model: record[MODEL] }));
    expect([...other.warnings, ...query.warnings, ...empty.warnings, ...warn.mock.calls]).toEqual([]);
  });
});

describe('pages that contradict each other', () => {
  /** A store with pages of two over the ids that the server gives for a page, with its total. */
  function paged(
    answer: (page: number) => readonly [ids: readonly number[], total?: number | undefined],
    options: object = {},
  ) {
    const { store, warnings } = watched([], { pageSize: 2, ...options }, { reader: { rootProperty: 'data' } });
    server.always(({ query }) => {
      const [ids, total] = answer(Number(query.get('page')));
      return { json: { data: ids.map((id) => ({ id, title: 'a' })), ...(total !== undefined && { total }) } };
    });
    return { store, told: () => warnings.splice(0).map((each) => each.replace(/^.*?: /, '')) };
  }

  test.each<[string, object, readonly number[], number | undefined, string[]]>([
    [
      'a shorter page though more rows follow',
      {},
      [1],
      9,
      ['1 rows came, but 2 were asked for, and the total counts 8 more'],
    ],
    ['not of the last page', {}, [1], 1, []],
    ['not without a total', {}, [1], undefined, []],
    [
      'equal values in the last sorter',
      { sorters: ['title'] },
      [1, 2],
      9,
      ["rows with the same 'title' have no order"],
    ],
    [
      'such values where a full page has no total',
      { sorters: ['title'] },
      [1, 2],
      undefined,
      ["rows with the same 'title'"],
    ],
    ['not where the id is the last sorter', { sorters: ['title', 'id'] }, [1, 2], 9, []],
    ['not where all rows are on the page', { sorters: ['title'] }, [1, 2], 2, []],
    ['not of an order of the store', { sorters: ['title'], remoteSort: false }, [1, 2], 2, []],
  ])('are told: %s', async (_, options, ids, total, expected) => {
    const { store, told } = paged(() => [ids, total], options);
    await store.load();
    expect(told()).toEqual(expected.map((text) => expect.stringContaining(text)));
  });

  test('are told with the sorters to set', async () => {
    const { store, told } = paged(() => [[1, 2], 9], { sorters: ['open', 'title'] });
    await store.load();
    expect(told()).toEqual([
      expect.stringMatching(/add the id as the last sorter, `sorters: \['open', 'title', 'id'\]`$/),
    ]);
  });

  test('are told by a total that shrinks, but not after a write of this page', async () => {
    let total = 9;
    const { store, told } = paged((page) => [[2 * page, 2 * page + 1], total]);
    await store.load();
    total = 10;
    await store.load({ page: 2 });
    expect(told()).toEqual([]);
    const [first] = store;
    server.reply({ status: 204 });
    await first?.erase();
    total = 9;
    await store.load({ page: 3 });
    expect(told()).toEqual([]);
    total = 8;
    await store.load({ page: 4 });
    expect(told()).toEqual([expect.stringContaining('the total was 9, and is 8 now')]);
  });

  test('are told by a row on two pages, but not where rows were added or a page is read again', async () => {
    let total = 9;
    const { store, told } = paged((page) => [page === 3 ? [5, 3] : [2 * page, 2 * page + 1], total]);
    await store.load();
    await store.load();
    await store.load({ page: 2 });
    await store.load();
    expect(told()).toEqual([]);
    await store.load({ page: 3 });
    expect(told()).toEqual([expect.stringContaining('a row came on two pages')]);
    const added = paged((page) => [page === 2 ? [3, 4] : [2, 3], total]);
    await added.store.load();
    total = 10;
    await added.store.load({ page: 2 });
    expect(added.told()).toEqual([]);
  });
});

describe('a server that breaks the order', () => {
  test.each<[string, unknown[], unknown[]]>([
    ['numbers', ['views'], [1, 3, 2]],
    ['numbers, descending', [{ property: 'views', direction: 'DESC' }], [3, 1, 2]],
    ['numbers around a missing one', [{ property: 'views', direction: 'DESC' }], [3, null, 1, 2]],
  ])('is reported for %s', async (_, sorters, counts) => {
    const { store, warnings } = watched(views(...counts), { sorters });
    await store.load();
    expect(warnings).toEqual([
      expect.stringMatching(/rows \d and \d are not in the order 'views (ASC|DESC)'.*`sortParam`/),
    ]);
  });

  test('is reported for instants in any form, and for the second sorter', async () => {
    const rows = [
      { id: 1, stats: { views: 1 }, made_at: '2024-01-01T10:00:00+02:00' },
      { id: 2, stats: { views: 1 }, made_at: '2024-01-01T07:00:00Z' },
    ];
    const { store, warnings } = watched(rows, { sorters: ['views', 'made'] });
    await store.load();
    expect(warnings).toEqual([expect.stringMatching(/not in the order 'made ASC'/)]);
  });

  test.each<[string, object, Row[]]>([
    [
      'texts, which collations order',
      { sorters: ['title'] },
      [
        { id: 1, title: 'b' },
        { id: 2, title: 'A' },
      ],
    ],
    ['numbers that are sent as texts', { sorters: ['views'] }, views('9', '10', '2')],
    ['missing numbers at either end', { sorters: ['views'] }, views(null, 1, 2, undefined)],
    ['rows in order', { sorters: ['views'] }, views(1, 1, 2)],
    ['grouped rows', { sorters: ['views'], groupField: 'title', remoteSort: true }, views(2, 1)],
    ['local sorters', { sorters: ['views'], remoteSort: false, allowPartial: true }, views(2, 1)],
  ])('is not reported for %s', async (_, options, rows) => {
    const { store, warnings } = watched(rows, options);
    await store.load();
    expect(warnings).toEqual([]);
  });
});

describe('a server that breaks a filter', () => {
  const row = {
    id: 1,
    title: 'Résumé of May',
    stats: { views: 10 },
    made_at: '2024-05-06T12:00:00Z',
    open: true,
    left: null,
  };
  const at = (text: string) => new Date(text);

  test.each<[Filter | object]>([
    [{ property: 'views', value: 9 }],
    [{ property: 'views', operator: 'ne', value: 10 }],
    [{ property: 'views', operator: 'in', value: [1, 2] }],
    [{ property: 'views', operator: 'nin', value: [10, 2] }],
    [{ property: 'views', operator: 'lt', value: 10 }],
    [{ property: 'views', operator: '>', value: 11 }],
    [{ property: 'views', operator: 'le', value: 9 }],
    [{ property: 'views', operator: 'ge', value: 11 }],
    [{ property: 'views', operator: 'between', value: [1, 9] }],
    [{ property: 'open', value: false }],
    [{ property: 'title', value: 'another' }],
    [{ property: 'title', operator: 'contains', value: 'june' }],
    [{ property: 'title', operator: 'startsWith', value: 'May' }],
    [{ property: 'title', operator: 'endsWith', value: 'Résumé' }],
    [{ property: 'title', operator: 'isNull' }],
    [{ property: 'title', value: null }],
    [{ property: 'made', operator: 'lt', value: at('2024-05-01T00:00:00Z') }],
    [{ property: 'made', value: at('2024-01-01T00:00:00Z') }],
    [
      {
        and: [
          { property: 'views', value: 10 },
          { property: 'open', value: false },
        ],
      },
    ],
    [
      {
        or: [
          { property: 'views', value: 1 },
          { property: 'open', value: false },
        ],
      },
    ],
    [{ not: { property: 'views', value: 10 } }],
  ])('is reported: %j', async (filter) => {
    const { store, warnings } = watched([row], { filters: [filter] }, { dialect: trees });
    await store.load();
    expect(warnings).toEqual([
      expect.stringMatching(/row 0 does not meet (the filter '\w+ \S+'|a tree of filters)\. /),
    ]);
  });

  test.each<[Filter | object]>([
    [{ property: 'views', value: 10 }],
    [{ property: 'views', value: 10.000001 }],
    [{ property: 'views', value: '10' }],
    [{ property: 'views', operator: 'ne', value: null }],
    [{ property: 'title', value: 'RESUME OF MAY ' }],
    [{ property: 'title', operator: 'ne', value: 'resume of may' }],
    [{ property: 'title', operator: 'contains', value: 'resume' }],
    [{ property: 'title', operator: 'contains', value: 'R%y' }],
    [{ property: 'title', operator: 'like', value: 'june' }],
    [{ property: 'title', operator: 'lt', value: 'A' }],
    [{ property: 'open', value: 1 }],
    [{ property: 'made', value: at('2024-05-06T00:00:00Z') }],
    [{ property: 'made', operator: 'gt', value: at('2024-05-06T13:00:00Z') }],
    [{ not: { property: 'title', value: 'resume of may' } }],
    [
      {
        or: [
          { property: 'views', value: 1 },
          { property: 'title', operator: 'like', value: 'x' },
        ],
      },
    ],
  ])('is not reported where servers differ: %j', async (filter) => {
    const { store, warnings } = watched([row], { filters: [filter] }, { dialect: trees });
    await store.load();
    expect(warnings).toEqual([]);
  });

  test('is not reported for members that the rows of the list lack', async () => {
    const { store, warnings } = watched([{ id: 1 }], { filters: [{ property: 'views', value: 9 }] });
    await store.load();
    expect(warnings).toEqual([]);
  });

  test('is reported for a proxy without a model too', async () => {
    const warn = vi.fn();
    const proxy = new RestProxy({ ...server.proxy('/posts'), use: [diagnostics({ warn })] });
    server.reply({ json: [row] });
    const filters = [{ property: 'made_at', operator: 'gt', value: at('2025-01-01T00:00:00Z') }];
    const operation: Operation = new Operation({ action: 'read', filters });
    await proxy.read(operation);
    expect(warn).toHaveBeenCalledExactlyOnceWith(expect.stringContaining("'made_at gt'"), operation);
  });
});

test('reports each kind of finding once per proxy, whatever the other kinds', async () => {
  const { store, warnings } = watched(views(5, 1, 3), { pageSize: 2, sorters: ['views'] });
  store.setQuery(
    store.query.with({ filters: [...store.query.filters, { property: 'views', operator: 'gt', value: 1 }] }),
  );
  await store.load();
  await store.load({ page: 2 });
  expect(warnings.map((each) => each.replace(/^.*?: /, '').split('.')[0])).toEqual([
    '3 rows came, but 2 were asked for',
    expect.stringMatching(/^rows with the same 'views' have no order of their own/),
    "row 1 does not meet the filter 'views gt'",
    "rows 0 and 1 are not in the order 'views ASC'",
    'another page has the same rows',
  ]);
});

test('does not look at single records and writes', async () => {
  const { Post, warnings } = watched([]);
  server.always(() => ({ json: { id: 1, stats: { views: 1 } } }));
  const post = await Post.load(1);
  post.views = 2;
  await post.save();
  expect(warnings).toEqual([]);
});

test('warns on the console by default, and passes on a load whose `warn` throws', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  const proxy = new RestProxy({ ...server.proxy('/posts'), use: [diagnostics()] });
  server.reply({ json: views(1, 2) });
  await proxy.read(new Operation({ action: 'read', limit: 1 }));
  expect(warn).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('2 rows came'));
  warn.mockRestore();
});

test('keeps loads that a function of the application would break in a check', async () => {
  const warnings: string[] = [];
  const bad = { type: 'date', convert: (raw: unknown) => (raw === 'x' ? JSON.parse('{') : raw) } as const;
  const use = [diagnostics({ warn: (text) => warnings.push(text) })];
  class Post extends Model.define({ fields: { id: 'int', made: bad }, proxy: server.proxy('/posts', { use }) }) {}
  server.reply({
    json: [
      { id: 1, made: 'x' },
      { id: 2, made: 'x' },
    ],
  });
  const store = new Store({ model: Post, remoteSort: true, sorters: ['made'] });
  await store.load();
  expect([store.count, warnings]).toEqual([2, []]);
});

test.each<[unknown, RegExp]>([
  [{ warn: true }, /diagnostics.warn must be a function, not true/],
  [{ log: () => undefined }, /'log' is not an option of diagnostics/],
  ['warn', /The options of diagnostics must be an object/],
])('refuses wrong options: %j', (config, text) => {
  expect(() => diagnostics(config as never)).toThrow(DefinitionError);
  expect(() => diagnostics(config as never)).toThrow(text);
});
