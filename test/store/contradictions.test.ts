import { refreshStale, Session, Store } from 'repose';
import { describe, expect, test } from 'vitest';
import { type Answer, pagedRows } from './paged-rows.js';
import { shown } from './support.js';

const upTo = (last: number) => Array.from({ length: last }, (_, at) => at + 1);

/** A server that sends at most so many rows at a time. */
const cappedAt =
  (most: number): Answer =>
  (rows, query) => {
    const limit = Number(query.get('limit') ?? rows.length);
    const start = query.has('page') ? (Number(query.get('page')) - 1) * limit : 0;
    const headers = { 'X-Total-Count': String(rows.length) };
    return Response.json(rows.slice(start, start + Math.min(limit, most)), { headers });
  };

async function readAll(list: Store<never>) {
  while (list.hasMore) await list.loadMore();
}

describe('a list is stale by a page that is shorter than asked for', () => {
  test.each([50, 0])('if %i rows are asked for at a time', async (pageSize) => {
    const server = pagedRows(100, cappedAt(20));
    const list = new Store({ model: server.Task, pageSize });
    await list.load();
    expect([list.count, list.staleReason, list.status.get().stale]).toEqual([20, 'shortPage', true]);
  });

  test('and stays so while further pages are appended', async () => {
    const server = pagedRows(100, cappedAt(20));
    const list = new Store({ model: server.Task, pageSize: 50 });
    await list.load();
    await list.loadMore();
    expect([list.count, list.staleReason]).toEqual([40, 'shortPage']);
  });

  test('if the server names no next page', async () => {
    const answer: Answer = (rows) => Response.json({ data: rows.slice(0, 10), total: rows.length, next: null });
    const server = pagedRows(100, answer, {
      reader: { rootProperty: 'data', totalProperty: 'total', nextProperty: 'next' },
    });
    const list = new Store({ model: server.Task, pageSize: 10 });
    await list.load();
    expect(list.staleReason).toBe('shortPage');
  });

  test('but not by the last page, or by a page of which the request names no size', async () => {
    const server = pagedRows(25, cappedAt(20));
    const list = new Store({ model: server.Task, pageSize: 10 });
    await list.load();
    await readAll(list as never);
    expect([list.count, list.staleReason]).toEqual([25, undefined]);
    await list.loadPage(2, { limit: 0 });
    expect(list.staleReason).toBeUndefined();
  });

  test('which refreshStale() tries once', async () => {
    const server = pagedRows(100, cappedAt(20));
    const list = new Store({ model: server.Task, pageSize: 50 });
    await list.load();
    await refreshStale(list);
    await refreshStale(list);
    expect([server.asked.length, list.staleReason]).toEqual([2, 'shortPage']);
    await list.load();
    await refreshStale(list);
    expect(server.asked.length).toBe(4);
  });

  test('in a session, whose refreshStale() tries once', async () => {
    const session = new Session();
    const server = pagedRows(100, cappedAt(20));
    const list = new Store({ model: server.Task, pageSize: 50, session });
    await list.load();
    await session.refreshStale();
    await session.refreshStale();
    expect([server.asked.length, list.staleReason]).toEqual([2, 'shortPage']);
  });
});

describe('a list is stale by a total that shrinks', () => {
  const open = async () => {
    const server = pagedRows(9);
    const list = new Store({ model: server.Task, pageSize: 3 });
    await list.load();
    return { server, list };
  };

  test.each(['loadMore', 'nextPage'] as const)(
    'between two pages by %s(), and is whole when it is read again',
    async (way) => {
      const { server, list } = await open();
      server.rows = server.rows.filter(({ id }) => id !== 2);
      await list[way]();
      expect(list.staleReason).toBe('smallerTotal');
      await refreshStale(list);
      const ids = [1, 3, 4, 5, 6, 7];
      expect([shown(list), list.staleReason]).toEqual([way === 'loadMore' ? ids : ids.slice(3), undefined]);
    },
  );

  test('but not by erases here, a reload, or another query', async () => {
    const { server, list } = await open();
    await list.first()?.erase();
    await list.loadMore();
    expect([shown(list), list.staleReason]).toEqual([[2, 3, 4], undefined]);
    server.rows.pop();
    await list.reload();
    server.rows.pop();
    list.setExtraParams({ team: 'sales' });
    await list.load();
    expect(list.staleReason).toBeUndefined();
  });

  test('also if as many rows are on show, because others of them were erased', async () => {
    const { server, list } = await open();
    await list.loadMore();
    server.rows = server.rows.filter(({ id }) => id > 3);
    await list.loadMore();
    expect([shown(list), list.staleReason, list.holdsAll]).toEqual([upTo(6), 'smallerTotal', false]);
  });
});

describe('a list is stale by a row on two pages', () => {
  const open = async () => {
    const server = pagedRows(9);
    const list = new Store({ model: server.Task, pageSize: 3 });
    await list.load();
    return { server, list };
  };

  test('if the order of the server is another one each time', async () => {
    const { server, list } = await open();
    server.rows.reverse();
    await readAll(list as never);
    expect([list.count < 9, list.staleReason]).toEqual([true, 'repeatedRow']);
  });

  test('but not if others have added a row', async () => {
    const { server, list } = await open();
    server.rows.unshift({ id: 10 });
    await readAll(list as never);
    expect([shown(list), list.staleReason]).toEqual([upTo(9), undefined]);
  });

  test('but not if the row was created here', async () => {
    const { server, list } = await open();
    list.add({ name: 'new' });
    await list.sync();
    await readAll(list as never);
    expect([list.count, server.rows.length, list.staleReason]).toEqual([10, 10, undefined]);
  });

  test('but not if it is asked for again after an erase', async () => {
    const { list } = await open();
    await list.loadMore();
    await list.first()?.erase();
    await readAll(list as never);
    expect([shown(list), list.staleReason]).toEqual([upTo(9).slice(1), undefined]);
  });
});
