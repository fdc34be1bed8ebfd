import fc from 'fast-check';
import {
  AbortError,
  Model,
  pagesOf,
  plain,
  Query,
  Session,
  StateError,
  Store,
  UnsupportedQueryError,
  where,
} from 'repose';
import { describe, expect, test } from 'vitest';
import { innerStore } from '../../src/store/inner-store.js';
import type { StoreObserver } from '../../src/store/store-observer.js';
import type { Received } from '../helpers/rest-server.js';
import { useRestServer } from '../helpers/use-rest-server.js';
import { shown } from './support.js';

const server = useRestServer();

class Order extends Model.define({
  name: 'order',
  fields: { id: 'int', no: 'string', status: 'string' },
  proxy: server.proxy('/orders', {
    dialect: plain({ page: 'page={page}&limit={limit}' }),
    reader: { rootProperty: 'rows' },
  }),
}) {}

interface Row {
  id: number;
  no: string;
  status: string;
}

/** A table whose rows are paged, filtered by status, changed and erased. */
function serve(count: number, total: boolean = true): Row[] {
  const rows = Array.from({ length: count }, (_, at): Row => ({ id: at + 1, no: `n${count - at}`, status: 'new' }));
  server.always(({ method, query, path, body }: Received) => {
    const at = rows.findIndex(({ id }) => id === Number(path.split('/')[2]));
    if (method === 'DELETE') rows.splice(at, 1);
    if (method === 'PATCH') Object.assign(rows[at] as Row, body);
    if (method !== 'GET') return method === 'DELETE' ? { status: 204 } : { json: rows[at] };
    const [page, limit] = [Number(query.get('page') ?? 1), Number(query.get('limit') ?? count)];
    const status = query.get('status');
    const asked = rows.filter((row) => status === null || row.status === status);
    const part = asked.slice((page - 1) * limit, page * limit);
    return { json: { rows: part, ...(total && { total: asked.length }) } };
  });
  return rows;
}

async function idsOf(pages: AsyncIterable<readonly Order[]>): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const page of pages) all.push(shown(page));
  return all;
}

describe('pages()', () => {
  test('gives all rows of the query, and does not change what the store shows', async () => {
    serve(5);
    const store = new Store({ model: Order, pageSize: 2 });
    const [, second] = await store.load();
    (second as Order).status = 'edited';
    const seen: Order[][] = [];
    for await (const page of pagesOf(store)) seen.push([...page]);
    expect(seen.map(shown)).toEqual([[1, 2], [3, 4], [5]]);
    expect(seen[0]?.[1]).toBe(second);
    expect([shown(store), store.total, store.currentPage, store.hasMore]).toEqual([[1, 2], 5, 1, true]);
    expect(store.getById(4)).toBeUndefined();
    expect(second?.$.modified).toEqual({ status: 'edited' });
    expect(server.lines).toEqual([
      'GET /orders?page=1&limit=2',
      'GET /orders?page=1&limit=2',
      'GET /orders?page=2&limit=2',
      'GET /orders?page=3&limit=2',
    ]);
  });

  test.each([true, false])('reads on without a total: %s', async (total) => {
    serve(4, total);
    expect(await idsOf(pagesOf(new Store({ model: Order }), undefined, { limit: 2 }))).toEqual(
      total
        ? [
            [1, 2],
            [3, 4],
          ]
        : [[1, 2], [3, 4], []],
    );
  });

  test.each([
    ['gives fewer rows at a time than it is asked for', 7, 3, 10, [[1, 2, 3], [4, 5, 6], [7]], 4],
    ['gives everything at once, and ignores pages', 7, 0, 10, [[1, 2, 3, 4, 5, 6, 7], []], 2],
    ['gives everything at once, which is more than it is asked for', 7, 0, 5, [[1, 2, 3, 4, 5, 6, 7], []], 2],
  ] as const)(
    'gives all rows of a server that tells no total and %s',
    async (_, count, most, pageSize, ids, requests) => {
      const rows = Array.from({ length: count }, (_row, at) => ({ id: at + 1, no: `n${at}`, status: 'new' }));
      server.always(({ query }) => {
        const start = (Number(query.get('page')) - 1) * most;
        return { json: { rows: most === 0 ? rows : rows.slice(start, start + most) } };
      });
      const orders = new Store({ model: Order, pageSize });
      const all: number[][] = [];
      for await (const page of pagesOf(orders)) all.push(page.map(({ id }) => id));
      expect(all.filter((page) => page.length > 0)).toEqual(ids.filter((page) => page.length > 0));
      expect(server.requests.length).toBe(requests);
    },
  );

  test('sends another query, with the parameters of the call', async () => {
    serve(2);
    const store = new Store({ model: Order, remoteFilter: true, pageSize: 0 });
    const query = store.query.with({ filters: [where(Order).status.eq('new')] });
    expect(await idsOf(pagesOf(store, query, { params: { team: 7 } }))).toEqual([[1, 2]]);
    expect([server.lines, store.query.filters]).toEqual([['GET /orders?team=7&status=new'], []]);
  });

  test('filters each page here, and sorts all of them, as the store does', async () => {
    serve(5);
    const store = new Store({ model: Order, pageSize: 2 });
    const query = Query.of(Order, { sorters: ['no'], filters: [{ filterFn: ({ id }) => id !== 3 }] });
    expect(await idsOf(pagesOf(store, query))).toEqual([
      [5, 4],
      [2, 1],
    ]);
    expect(await idsOf(pagesOf(store, query.with({ sorters: [] })))).toEqual([[1, 2], [4], [5]]);
  });

  test('leaves no row out that moves while rows are erased', async () => {
    const rows = serve(7);
    const store = new Store({ model: Order, pageSize: 2 });
    for await (const page of pagesOf(store)) {
      store.remove(...page);
      (await store.sync()).orThrow();
    }
    expect([rows, store.count, store.status.get().pending]).toEqual([[], 0, 0]);
  });

  test('leaves no row out that moves while rows are saved so that they do not match any more', async () => {
    const rows = serve(7);
    const store = new Store({ model: Order, pageSize: 2, remoteFilter: true });
    const query = store.query.with({ filters: [where(Order).status.eq('new')] });
    for await (const page of pagesOf(store, query)) {
      for (const order of page) order.status = 'paid';
      (await store.sync()).orThrow();
    }
    expect(rows.map(({ status }) => status)).toEqual(Array.from({ length: 7 }, () => 'paid'));
    expect(server.lines.filter((line) => line.startsWith('PATCH'))).toHaveLength(7);
  });

  test('any share of the rows, erased or saved in any page, is erased or saved once', async () => {
    const story = fc.record({
      count: fc.integer({ min: 0, max: 12 }),
      size: fc.integer({ min: 1, max: 4 }),
      total: fc.boolean(),
      choices: fc.array(fc.constantFrom('keep', 'erase', 'pay'), { minLength: 12, maxLength: 12 }),
    });
    await fc.assert(
      fc.asyncProperty(story, async ({ count, size, total, choices }) => {
        server.reset();
        const rows = serve(count, total);
        const before = rows.map(({ id }) => id);
        const store = new Store({ model: Order, pageSize: size, remoteFilter: true });
        const query = store.query.with({ filters: [where(Order).status.eq('new')] });
        const seen: unknown[] = [];
        for await (const page of pagesOf(store, query)) {
          seen.push(...shown(page));
          for (const order of page) {
            const choice = choices[order.id - 1];
            if (choice === 'erase') store.remove(order);
            if (choice === 'pay') order.status = 'paid';
          }
          (await store.sync()).orThrow();
        }
        expect(seen.sort()).toEqual(before.sort());
        const left = before.filter((id) => choices[id - 1] !== 'erase').sort();
        expect(rows.map(({ id }) => id).sort()).toEqual(left);
        expect(rows.every(({ id, status }) => status === (choices[id - 1] === 'pay' ? 'paid' : 'new'))).toBe(true);
        expect(store.status.get().pending).toBe(0);
      }),
      { numRuns: 30 },
    );
  });

  test('keeps changes that are not saved pending, and lets the other records go', async () => {
    serve(4);
    const store = new Store({ model: Order, pageSize: 2 });
    for await (const page of pagesOf(store)) if (page[0]?.id === 3) page[0].status = 'paid';
    expect([shown(store), shown(store.pending.edited), store.getById(4)]).toEqual([[], [3], undefined]);
  });

  test('gives the records of the session, and keeps their edits', async () => {
    serve(3);
    const session = new Session();
    const [shownStore, other] = [0, 1].map(() => new Store({ model: Order, pageSize: 0, session }));
    await shownStore?.load();
    const record = shownStore?.getById(2) as Order;
    record.status = 'edited';
    const found: Order[] = [];
    for await (const page of pagesOf(other as Store<Order>)) found.push(...page);
    expect([found[1] === record, record.status, other?.count]).toEqual([true, 'edited', 0]);
  });

  test('gives the newer rows that an observer of the store has put in the place of older ones', async () => {
    serve(2);
    const correcting: StoreObserver = {
      rowsComing: (rows) => {
        rows[0] = { ...rows[0], no: 'newer' };
      },
    };
    const store = new Store({ model: Order, pageSize: 0 });
    innerStore(store).recordSet.observers.attach(correcting);
    const nos: string[] = [];
    for await (const page of pagesOf(store)) nos.push(...page.map(({ no }) => no as string));
    expect(nos).toEqual(['newer', 'n1']);
  });

  test('leaves out a record that was removed here', async () => {
    serve(3);
    const store = new Store({ model: Order, pageSize: 0 });
    await store.load();
    store.remove(store.getById(2) as Order);
    expect(await idsOf(pagesOf(store))).toEqual([[1, 3]]);
  });

  test('ends with the error of a request, of the application, and of a store that is disposed of', async () => {
    serve(4);
    const refused = new Store({ model: Order, canLoad: () => false });
    await expect(idsOf(pagesOf(refused))).rejects.toBeInstanceOf(AbortError);
    expect(server.lines).toEqual([]);
    const abort = new AbortController();
    abort.abort();
    await expect(
      idsOf(pagesOf(new Store({ model: Order }), undefined, { signal: abort.signal })),
    ).rejects.toBeInstanceOf(AbortError);
    const store = new Store({ model: Order, pageSize: 2 });
    const reading = async () => {
      for await (const _ of pagesOf(store)) store.dispose();
    };
    await expect(reading()).rejects.toBeInstanceOf(StateError);
    expect(() => pagesOf(store)).toThrow(StateError);
  });

  test('refuses wrong arguments at once', () => {
    class Other extends Model.define({ name: 'other', fields: { id: 'int' } }) {}
    const store = new Store({ model: Order });
    expect(() => pagesOf(store, Query.of(Other) as never)).toThrow(UnsupportedQueryError);
    expect(() => pagesOf(store, { filters: [] } as never)).toThrow(UnsupportedQueryError);
    expect(() => pagesOf(store, undefined, { limit: -1 })).toThrow(UnsupportedQueryError);
    expect(() => pagesOf(store, undefined, { size: 7 } as never)).toThrow('size');
  });
});
