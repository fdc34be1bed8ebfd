import { keepFresh, type RestProxyConfig, receive, refreshStale, Session, Store } from 'repose';
import { describe, expect, test } from 'vitest';
import { manualClock } from '../helpers/manual-clock.js';
import { type Answer, CURSORS, pagedRows, withCursor, withTotal } from './paged-rows.js';
import { shown, tick } from './support.js';

const upTo = (last: number) => Array.from({ length: last }, (_, at) => at + 1);

/** A list of 30 rows of which three pages of five were read. */
async function threePages(answer?: Answer, config?: RestProxyConfig) {
  const server = pagedRows(30, answer, config);
  const list = new Store({ model: server.Task, pageSize: 5 });
  await list.load();
  await list.loadMore();
  await list.loadMore();
  server.asked.length = 0;
  return { server, list };
}

describe('a list that loadMore() has extended', () => {
  test('is read again by reload() as far as it was read', async () => {
    const { server, list } = await threePages();
    server.rows = server.rows.filter(({ id }) => id !== 2);
    const records = await list.reload();
    expect(shown(list)).toEqual(upTo(16).filter((id) => id !== 2));
    expect(shown(records)).toEqual(shown(list));
    expect(server.asked).toEqual(['1', '2', '3']);
    await list.loadMore();
    expect(shown(list)).toEqual(upTo(21).filter((id) => id !== 2));
  });

  test('has the same records behind a reload, on all of its pages', async () => {
    const { server, list } = await threePages();
    const before = [...list];
    server.rows = server.rows.filter(({ id }) => id !== 12);
    await list.reload();
    expect([...list].filter((record) => before.includes(record)).length).toBe(14);
    expect(list.getById(12)).toBeUndefined();
    const last = before[14] as { name?: string };
    last.name = 'mine';
    expect(list.pending.edited).toEqual([last]);
  });

  test('is read again by refreshStale()', async () => {
    const { list } = await threePages();
    receive(list, [], { gap: true });
    await refreshStale(list);
    expect([shown(list), list.status.get().stale]).toEqual([upTo(15), false]);
  });

  test('is kept fresh as far as it was read', async () => {
    const { server, list } = await threePages();
    const clock = manualClock();
    const stop = keepFresh(list, { every: 1000, clock, events: new EventTarget() });
    clock.advance(1000);
    await expect.poll(() => server.asked).toEqual(['1', '2', '3']);
    await expect.poll(() => list.count).toBe(15);
    stop();
  });

  test('is read again from its tokens', async () => {
    const { server, list } = await threePages(withCursor, CURSORS);
    await list.reload();
    expect([shown(list), server.asked]).toEqual([upTo(15), ['', '5', '10']]);
  });

  test('that begins with another page begins with it again', async () => {
    const server = pagedRows(30);
    const list = new Store({ model: server.Task, pageSize: 5 });
    await list.load({ page: 3 });
    await list.loadMore();
    await list.reload();
    expect(shown(list)).toEqual(upTo(20).slice(10));
  });

  test('is read again in a session', async () => {
    const server = pagedRows(30);
    const session = new Session();
    const list = new Store({ model: server.Task, pageSize: 5, session });
    await list.load();
    await list.loadMore();
    const [first] = list;
    await list.reload();
    expect([shown(list), list.getAt(0)]).toEqual([upTo(10), first]);
  });

  test('keeps its edits, and its new records pending, when it is read again', async () => {
    const { list } = await threePages();
    const [task] = list;
    (task as { name?: string }).name = 'mine';
    list.add({ name: 'new' });
    await list.reload();
    expect([shown(list.pending.edited), list.pending.created.length, shown(list)]).toEqual([[1], 1, upTo(15)]);
  });

  test('is not extended to the rows of another query that comes meanwhile', async () => {
    const { server, list } = await threePages();
    const reloading = list.reload();
    list.sort('id');
    await reloading;
    await tick();
    expect([list.count, server.asked.length]).toEqual([5, 1]);
  });

  test('is not extended if a page is loaded meanwhile', async () => {
    const { list } = await threePages();
    await Promise.all([list.reload(), list.load({ page: 2 })]);
    expect(shown(list)).toEqual([6, 7, 8, 9, 10]);
  });

  test('keeps all rows on show if a page fails in a reload, and reads them all with the next one', async () => {
    let fails = false;
    const { server, list } = await threePages((rows, query) =>
      fails && query.get('page') === '2' ? new Response(null, { status: 500 }) : withTotal(rows, query),
    );
    server.rows = server.rows.filter(({ id }) => id !== 2);
    for (const again of [() => list.reload(), () => list.retry()]) {
      const before = [...list];
      fails = true;
      await expect(list.reload()).rejects.toMatchObject({ code: 'http' });
      expect([[...list], list.hasMore]).toEqual([before, true]);
      fails = false;
      await again();
      expect(shown(list)).toEqual(upTo(16).filter((id) => id !== 2));
    }
    await list.loadMore();
    expect(shown(list)).toEqual(upTo(21).filter((id) => id !== 2));
  });

  test('is read again as far as it was read by a second reload() in the middle of the first', async () => {
    let second: Promise<unknown> | undefined;
    let isReloading = false;
    const { server, list } = await threePages((rows, query) => {
      if (isReloading && query.get('page') === '2') second ??= list.reload();
      return withTotal(rows, query);
    });
    const before = [...list];
    isReloading = true;
    const counts: number[] = [];
    list.on('load', () => counts.push(list.count));
    await list.reload();
    await second;
    expect([[...list], counts, server.asked]).toEqual([before, [15], ['1', '2', '3']]);
    (before[14] as { name?: string }).name = 'mine';
    expect(shown(list.pending.edited)).toEqual([15]);
  });

  test('is read again as far as it was read by two reloads that a signal can abort', async () => {
    const { list } = await threePages();
    const { signal } = new AbortController();
    const first = list.reload({ signal });
    await tick();
    await Promise.all([first, list.reload({ signal })]);
    expect(shown(list)).toEqual(upTo(15));
  });

  test('stays as it is if its reload is aborted between two pages', async () => {
    const stop = new AbortController();
    let isReloading = false;
    const { server, list } = await threePages((rows, query) => {
      if (isReloading && query.get('page') === '2') stop.abort();
      return withTotal(rows, query);
    });
    isReloading = true;
    await expect(list.reload({ signal: stop.signal })).rejects.toMatchObject({ code: 'abort' });
    await tick();
    expect([shown(list), list.status.get().loading, server.asked]).toEqual([upTo(15), false, ['1', '2']]);
    await list.reload();
    expect(shown(list)).toEqual(upTo(15));
  });

  test('goes back for the rows that an erase between two pages of its reload has moved up', async () => {
    let isReloading = false;
    const { server, list } = await threePages(async (rows, query) => {
      const answer = await withTotal(rows, query);
      if (isReloading && server.rows.length === 30) await list.getAt(0)?.erase();
      return answer;
    });
    isReloading = true;
    await list.reload();
    expect([shown(list), list.status.get().staleReason, server.rows.length]).toEqual([
      upTo(16).slice(1),
      undefined,
      29,
    ]);
    await list.loadMore();
    expect(shown(list)).toEqual(upTo(21).slice(1));
  });

  test('is stale if somebody else erases a row between two pages of its reload, and no row stands twice in its event', async () => {
    const { server, list } = await threePages();
    const events: unknown[] = [];
    list.on('load', ({ records }) => events.push(shown(records)));
    const reloading = list.reload();
    await expect.poll(() => server.asked).toEqual(['1']);
    server.rows = server.rows.filter(({ id }) => id !== 1);
    const records = await reloading;
    expect([shown(list).includes(6), list.status.get().staleReason]).toEqual([false, 'fewerRows']);
    expect([events.length, new Set(records).size]).toEqual([1, records.length]);
    await refreshStale(list);
    expect([shown(list), list.status.get().staleReason]).toEqual([upTo(16).slice(1), undefined]);
  });
});

test('reload() of one page with a new record reads this page only', async () => {
  const server = pagedRows(30);
  const list = new Store({ model: server.Task, pageSize: 5 });
  await list.load({ page: 2 });
  list.add({ name: 'new' });
  server.asked.length = 0;
  receive(list, [], { gap: true });
  await refreshStale(list);
  expect([server.asked, shown(list)]).toEqual([['2'], [6, 7, 8, 9, 10]]);
});
