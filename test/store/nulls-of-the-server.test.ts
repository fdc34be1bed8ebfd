import {
  type Dialect,
  Model,
  pagesOf,
  plain,
  refreshStale,
  type SorterConfig,
  Store,
  type StoreConfig,
  UnsupportedQueryError,
  windowOf,
} from 'repose';
import { directus, django, feathers, jsonApi, laravel, odata4, postgrest, rails, springData } from 'repose/dialects';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';
import { shown } from './support.js';

const server = useRestServer();
const fields = { id: 'int', due: { type: 'dateonly', allowNull: true } } as const;
const unplaced = expect.objectContaining({ constructor: UnsupportedQueryError, reason: 'query-nulls' });
const last: SorterConfig<Task> = { property: 'due', nulls: 'last' };

class Task extends Model.define({
  name: 'task',
  fields,
  proxy: server.proxy('/tasks', { dialect: plain() }),
}) {}

/** A server with so many tasks, which puts missing values last in every order. The first task has none. */
function serve(size: number): void {
  const rows = Array.from({ length: size }, (_, at) => ({ id: at + 1, due: at ? `2026-01-${31 - (at % 30)}` : null }));
  server.always(({ query }) => {
    const sorted = query.has('sort') ? [...rows.slice(1).reverse(), ...rows.slice(0, 1)] : rows;
    const start = (Number(query.get('page') ?? 1) - 1) * 25;
    return { json: sorted.slice(start, start + 25), headers: { 'x-total-count': String(size) } };
  });
}
const open = (config: Partial<StoreConfig<Task>> = {}) =>
  new Store({ model: Task, pageSize: 25, sorters: [last], ...config });

describe('`nulls` that the dialect cannot say', () => {
  test.each([20, 30])('is refused before the load of %s rows', async (size) => {
    serve(size);
    const store = open();
    await expect(store.load()).rejects.toEqual(unplaced);
    expect([server.requests.length, store.count, store.status.get().loaded]).toEqual([0, 0, false]);
    expect(store.status.get().error).toEqual(unplaced);
  });

  test.each<[string, Partial<StoreConfig<Task>>]>([
    ['beside another sorter that it cannot say', { sorters: ['id', last] }],
    ['with a filter', { filters: [{ property: 'id', value: 1 }] }],
    ['with `remoteSort: true`', { remoteSort: true }],
  ])('is refused before the load %s', async (_, config) => {
    serve(20);
    const single = plain({ sort: { several: 'refuse' } });
    await expect(open({ proxy: { dialect: single }, ...config }).load()).rejects.toEqual(unplaced);
    expect(server.requests).toEqual([]);
  });

  test.each([
    ['pages', () => pagesOf(open()).next()],
    ['a window', () => windowOf(open()).show({ start: 0, end: 5 })],
    ['a later page', () => open().load({ page: 2 })],
    ['a reload', () => open().reload()],
  ])('is refused before the load of %s', async (_, read) => {
    serve(20);
    await expect(read()).rejects.toEqual(unplaced);
    expect(server.requests).toEqual([]);
  });

  test.each<[string, Partial<StoreConfig<Task>>]>([
    ['reads everything', { pageSize: 0 }],
    ['has a server without pages', { proxy: { dialect: plain({ reader: { complete: true } }) } }],
    ['sorts by itself', { remoteSort: false }],
  ])('sorts in a store that %s', async (_, config) => {
    serve(20);
    const store = open(config);
    await store.load();
    expect([shown(store).at(-1), server.requests.length]).toEqual([1, 1]);
  });

  test('sorts a store that holds everything, also after a reload', async () => {
    serve(20);
    const store = open({ sorters: [] });
    await store.load();
    store.sort(last);
    expect([shown(store).at(-1), server.requests.length]).toEqual([1, 1]);
    await store.reload();
    await refreshStale(store);
    expect(shown(store).at(-1)).toBe(1);
  });

  test('is refused for a new order of a partly loaded list, which keeps its rows', async () => {
    serve(30);
    const store = open({ sorters: [] });
    await store.load();
    const before = shown(store);
    store.sort(last);
    await expect(store.load()).rejects.toEqual(unplaced);
    expect([shown(store), server.requests.length]).toEqual([before, 1]);
  });
});

describe('a load with `nulls`', () => {
  const orders = (['ASC', 'DESC'] as const).flatMap((direction) =>
    (['first', 'last'] as const).map((nulls) => ({ property: 'due', direction, nulls }) as const),
  );

  test.each<[string, Dialect, string, unknown[]]>([
    ['postgrest', postgrest(), 'order', ['asc.nullsfirst', 'asc.nullslast', 'desc.nullsfirst', 'desc.nullslast']],
    ['odata4, whose order is fixed', odata4(), '$orderby', ['due', unplaced, unplaced, 'due desc']],
    ...[plain(), django(), directus(), feathers(), jsonApi(), laravel(), rails(), springData()].map(
      (dialect): [string, Dialect, string, unknown[]] => [dialect.name, dialect, '', Array(4).fill(unplaced)],
    ),
  ])('by %s says where missing values stand, or is refused', async (_, dialect, name, expected) => {
    const sent: unknown[] = [];
    for (const sorter of orders) {
      server.always(() => ({ json: dialect.name === 'odata4' ? { value: [] } : [] }));
      const store = new Store({ model: Task, proxy: { dialect }, pageSize: 25, sorters: [sorter] });
      const error = await store.load().then(
        () => undefined,
        (reason: unknown) => reason,
      );
      sent.push(error ?? server.requests.at(-1)?.query.get(name)?.replace('due.', ''));
    }
    expect(sent).toEqual(expected);
  });
});
