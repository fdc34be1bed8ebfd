import { nextPage, previousPage, receive, Session, Store } from 'repose';
import { describe, expect, test } from 'vitest';
import { CURSORS, pagedRows, withCursor, withTotal } from './paged-rows.js';
import { poll, shown } from './support.js';

const from = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, at) => first + at);
describe('the pages of a server with cursors', () => {
  const open = async () => {
    const server = pagedRows(9, withCursor, CURSORS);
    const list = new Store({ model: server.Task, pageSize: 3 });
    await list.load();
    return { server, list };
  };

  test('go forth and back by the tokens that were read', async () => {
    const { server, list } = await open();
    const seen: unknown[] = [];
    for (const step of [nextPage, nextPage, previousPage, nextPage, previousPage, previousPage]) {
      await step(list);
      seen.push([list.currentPage, shown(list)[0]]);
    }
    expect(seen).toEqual([2, 3, 2, 3, 2, 1].map((page) => [page, page * 3 - 2]));
    expect(server.asked).toEqual(['', '3', '6', '3', '6', '3', '']);
  });

  test('are reloaded by the token of the page on show', async () => {
    const { server, list } = await open();
    await nextPage(list);
    await list.reload();
    expect([shown(list), list.currentPage, server.asked.at(-1)]).toEqual([[4, 5, 6], 2, '3']);
  });

  test('go on behind rows that loadMore() has appended', async () => {
    const { list } = await open();
    await list.loadMore();
    await nextPage(list);
    expect([shown(list), list.currentPage]).toEqual([[7, 8, 9], 3]);
    await previousPage(list);
    expect([shown(list), list.currentPage]).toEqual([[4, 5, 6], 2]);
  });

  test('begin with the first page after the query has changed', async () => {
    const { list, server } = await open();
    await nextPage(list);
    list.setExtraParams({ team: 'sales' });
    await previousPage(list);
    expect([shown(list), list.currentPage, server.asked.at(-1)]).toEqual([[1, 2, 3], 1, '']);
  });

  test('end with the last token: nothing is asked for behind it', async () => {
    const { list, server } = await open();
    await nextPage(list);
    await nextPage(list);
    const asked = server.asked.length;
    await nextPage(list);
    expect([shown(list), list.currentPage, server.asked.length]).toEqual([[7, 8, 9], 3, asked]);
  });

  test('give way to the one before when all rows of the last one are erased', async () => {
    const { list } = await open();
    await nextPage(list);
    await nextPage(list);
    for (const task of list.getRange()) await task.erase();
    await poll(() => [shown(list), list.currentPage]).toEqual([[4, 5, 6], 2]);
  });

  test('skip no row after an erase', async () => {
    const { list } = await open();
    await list.getAt(0)?.erase();
    await nextPage(list);
    expect(shown(list)).toEqual([4, 5, 6]);
  });
});

describe('a page whose rows are erased', () => {
  const open = async (count: number, page: number, session?: Session) => {
    const server = pagedRows(count);
    const list = new Store({ model: server.Task, pageSize: 10, ...(session && { session }) });
    await list.load({ page });
    return { server, list };
  };

  test.each(['sync', 'erase'])('gives way to the last page after %s()', async (way) => {
    const { list } = await open(22, 3);
    for (const task of list.getRange()) {
      if (way === 'sync') list.remove(task);
      else await task.erase();
    }
    if (way === 'sync') await list.sync();
    await poll(() => shown(list)).toEqual(from(11, 20));
    expect([list.currentPage, list.total, list.status.get().staleReason]).toEqual([2, 20, undefined]);
  });

  test('is replaced by the page before of the same rows: the load repeats what its own had', async () => {
    const asked: string[] = [];
    const server = pagedRows(22, (rows, query) => {
      asked.push(`${query.get('team')} ${query.get('page')} ${query.get('limit')}`);
      return withTotal(rows, query);
    });
    const list = new Store({ model: server.Task, pageSize: 50 });
    await list.load({ page: 3, limit: 10, params: { team: 'sales' } });
    for (const task of list.getRange()) await task.erase();
    await poll(() => shown(list)).toEqual(from(11, 20));
    expect(asked).toEqual(['sales 3 10', 'sales 2 10']);
  });

  test('gives way to the last page in a session', async () => {
    const session = new Session();
    const { list } = await open(21, 3, session);
    list.remove(list.getAt(0) as never);
    await session.sync();
    await poll(() => shown(list)).toEqual(from(11, 20));
  });

  test('gives way to the last page after a feed has told it', async () => {
    const { server, list } = await open(21, 3);
    server.rows.pop();
    receive(list, [], { removed: [21] });
    await poll(() => shown(list)).toEqual(from(11, 20));
  });

  test('gives way to the last page at a reload, if others have erased them', async () => {
    const { server, list } = await open(41, 5);
    server.rows = server.rows.slice(0, 15);
    await list.reload();
    await poll(() => [shown(list), list.currentPage]).toEqual([from(11, 15), 2]);
  });

  test('stays empty if there is no row at all', async () => {
    const { server, list } = await open(3, 1);
    for (const task of list.getRange()) await task.erase();
    expect([list.count, list.status.get().loading, server.asked]).toEqual([0, false, ['1']]);
  });

  test('stays stale if canLoad() refuses the load', async () => {
    const server = pagedRows(11);
    let isOpen = true;
    const list = new Store({ model: server.Task, pageSize: 10, canLoad: () => isOpen });
    await list.load({ page: 2 });
    isOpen = false;
    await list.getAt(0)?.erase();
    await poll(() => list.status.get().loading).toBe(false);
    expect([list.count, list.status.get().staleReason]).toEqual([0, 'count']);
  });
});

test('nextPage() leaves no row out after erases on the page', async () => {
  const server = pagedRows(30);
  const list = new Store({ model: server.Task, pageSize: 10 });
  await list.load({ page: 2 });
  const seen = new Set(shown(list));
  for (const task of list.getRange().slice(0, 3)) list.remove(task);
  await list.sync();
  expect(list.status.get().staleReason).toBe('count');
  while (list.hasMore) {
    await nextPage(list);
    for (const id of shown(list)) seen.add(id);
  }
  expect([[...seen], list.status.get().staleReason]).toEqual([from(11, 30), undefined]);
});

describe('a server without totals', () => {
  const open = (count: number) => {
    const server = pagedRows(count, (rows, query) => {
      const first = (Number(query.get('page')) - 1) * 10;
      return Response.json(rows.slice(first, first + 10));
    });
    return new Store({ model: server.Task, pageSize: 10 });
  };

  test.each([25, 20])('gives the total of %i rows on the last page', async (count) => {
    const list = open(count);
    await list.load();
    await nextPage(list);
    await nextPage(list);
    expect(list.total).toBe(count);
  });

  test('gives none on an empty page that does not follow, also when it is read again', async () => {
    const list = open(25);
    await list.load({ page: 5 });
    const seen = [list.total];
    await list.reload();
    await nextPage(list);
    expect([...seen, list.total, list.status.get().loading]).toEqual([undefined, undefined, false]);
  });

  test('gives none behind the rows of another query', async () => {
    const list = open(10);
    await list.load();
    list.setExtraParams({ team: 'sales' });
    await list.load({ page: 2 });
    expect(list.total).toBeUndefined();
  });

  test('gives it on a page that was asked for by its number, after a full one', async () => {
    const list = open(25);
    await list.load({ page: 2 });
    await list.load({ page: 3 });
    expect(list.total).toBe(25);
  });

  test('gives it by tokens', async () => {
    const server = pagedRows(8, withCursor, CURSORS);
    const list = new Store({ model: server.Task, pageSize: 3 });
    await list.load();
    await nextPage(list);
    expect(list.total).toBeUndefined();
    await nextPage(list);
    expect(list.total).toBe(8);
  });
});
