import { nextPage, pagesOf, receive, refreshStale, Store, streaming } from 'repose';
import { diagnostics } from 'repose/diagnostics';
import { postgrest } from 'repose/dialects';
import { feed } from 'repose/live';
import { describe, expect, test, vi } from 'vitest';
import { type Answer, CURSORS, type PagedRows, pagedRows, withCursor, withTotal } from './paged-rows.js';
import { shown } from './support.js';

const upTo = (last: number, first = 1) => Array.from({ length: last - first + 1 }, (_, at) => first + at);

/** A server that sends at most so many rows at a time, and counts pages by the length that was asked for. */
const cappedAt =
  (most: number): Answer =>
  (rows, query) => {
    const limit = Number(query.get('limit') ?? rows.length);
    const start = (Number(query.get('page') ?? 1) - 1) * limit;
    const headers = { 'X-Total-Count': String(rows.length) };
    return Response.json(rows.slice(start, start + Math.min(limit, most)), { headers });
  };

async function open(server: PagedRows, pageSize = 3) {
  const list = new Store({ model: server.Task, pageSize });
  await list.load();
  return list;
}

async function readAll(list: { readonly hasMore: boolean; loadMore(): Promise<unknown> }) {
  while (list.hasMore) await list.loadMore();
}

describe('a server that sends fewer rows than it is asked for', () => {
  test.each([50, 0])('makes the list stale if %i rows are asked for at a time', async (pageSize) => {
    const list = await open(pagedRows(100, cappedAt(20)), pageSize);
    expect([list.count, list.status.get().staleReason, list.status.get().stale]).toEqual([20, 'fewerRows', true]);
  });

  test('leaves the list of loadMore() stale to its end, where rows are on no page', async () => {
    const list = await open(pagedRows(100, cappedAt(20)), 50);
    await list.loadMore();
    expect([shown(list), list.status.get().staleReason]).toEqual([[...upTo(20), ...upTo(70, 51)], 'fewerRows']);
    await readAll(list);
    expect([list.holdsAll, list.status.get().staleReason]).toEqual([false, 'fewerRows']);
  });

  test('makes nothing stale at the end if it counts pages by the length that it sends', async () => {
    const answer: Answer = (rows, query) => {
      const start = (Number(query.get('page')) - 1) * 20;
      return Response.json(rows.slice(start, start + 20), { headers: { 'X-Total-Count': '70' } });
    };
    const list = await open(pagedRows(70, answer), 50);
    await readAll(list);
    expect([shown(list), list.status.get().staleReason]).toEqual([upTo(70), undefined]);
  });

  describe.each([true, false])('because it leaves rows out of its pages (with a total: %s)', (hasTotal) => {
    const kinds = { 'each second': 2, 'each fifth': 5, 'the first, and those behind a page': 0 };
    test.each(Object.entries(kinds))('loses none of the others: %s', async (_, each) => {
      const isShown = ({ id }: { id: number }) => (each ? id % each === 1 : id === 1 || id > 50);
      const server = pagedRows(200, (rows, query) => {
        const limit = Number(query.get('limit'));
        const start = (Number(query.get('page')) - 1) * limit;
        const total = rows.filter(isShown).length;
        return Response.json(rows.slice(start, start + limit).filter(isShown), {
          headers: hasTotal ? { 'X-Total-Count': String(total) } : {},
        });
      });
      const expected = server.rows.filter(isShown).map(({ id }) => id);
      const list = await open(server, 50);
      await readAll(list);
      expect(shown(list)).toEqual(expected);
      const read: unknown[] = [];
      for await (const page of pagesOf(list)) read.push(...shown(page));
      expect(read).toEqual(expected);
    });
  });

  test('is asked once by refreshStale() if the answer lacks the same rows again', async () => {
    const server = pagedRows(10, (rows) => Response.json(rows, { headers: { 'X-Total-Count': '12' } }));
    const list = await open(server, 50);
    for (let at = 0; at < 3; at += 1) await refreshStale(list);
    expect([server.asked.length, list.status.get().staleReason]).toEqual([2, 'fewerRows']);
    receive(list, [{ id: 40 }]);
    await refreshStale(list);
    expect(server.asked.length).toBe(3);
  });

  test('is not asked again and again by a screen that reads to the end, and reads stale lists anew', async () => {
    const server = pagedRows(10, (rows, query) => {
      const start = (Number(query.get('page')) - 1) * 3;
      return Response.json(rows.slice(start, start + 3), { headers: { 'X-Total-Count': '12' } });
    });
    const list = await open(server);
    for (let turn = 0; turn < 50; turn += 1) {
      if (list.hasMore) await list.loadMore();
      else await refreshStale(list);
    }
    expect([shown(list), list.hasMore, list.status.get().staleReason]).toEqual([upTo(10), false, 'fewerRows']);
    expect(server.asked).toEqual(['1', '2', '3', '4', '5', '1', '2', '3', '4', '5']);
  });

  test('is not asked again and again by a listener that reads stale lists anew', async () => {
    const server = pagedRows(10, (rows) => Response.json(rows, { headers: { 'X-Total-Count': '12' } }));
    const list = new Store({ model: server.Task, pageSize: 50 });
    const reloads: Promise<unknown>[] = [];
    list.status.subscribe(() => {
      const { stale, loading } = list.status.get();
      if (stale && !loading && reloads.length < 20) reloads.push(refreshStale(list));
    });
    await list.load();
    for (const reload of reloads) await reload;
    expect([server.asked, list.status.get().staleReason]).toEqual([['1', '1'], 'fewerRows']);
  });

  test('is not asked by a feed for changes that make nothing stale', async () => {
    const server = pagedRows(10, (rows) => Response.json(rows, { headers: { 'X-Total-Count': '12' } }));
    const list = await open(server, 50);
    let sink: { live(): void; changes(changes: readonly object[]): void } | undefined;
    const following = feed(list, {
      refresh: true,
      open: async ({ sink: given, signal }) => {
        sink = given;
        given.live();
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      },
    });
    await vi.waitFor(() => expect(sink).toBeDefined());
    vi.useFakeTimers();
    for (let turn = 0; turn < 4; turn += 1) {
      sink?.changes([{ row: { id: 3, name: `name ${turn}` } }]);
      await vi.advanceTimersByTimeAsync(2000);
    }
    vi.useRealTimers();
    following.close();
    expect(list.getById(3)).toMatchObject({ name: 'name 3' });
    expect(server.asked.length).toBeLessThan(3);
  });

  test.each([
    ['planned', undefined],
    ['estimated', undefined],
    ['exact', 'fewerRows'],
  ] as const)('makes a list of PostgREST that is counted as %s %s', async (count, reason) => {
    const warnings: string[] = [];
    const server = pagedRows(
      10,
      (rows, query) => {
        const start = Number(query.get('offset'));
        const part = rows.slice(start, start + Number(query.get('limit')));
        return Response.json(part, { headers: { 'Content-Range': `${start}-${start + part.length - 1}/12` } });
      },
      { dialect: postgrest({ count }), use: [diagnostics({ warn: (text) => warnings.push(text) })] },
    );
    const list = await open(server, 25);
    expect([list.status.get().staleReason, list.total]).toEqual([reason, 12]);
    await readAll(list);
    expect([list.count, list.status.get().staleReason, warnings.length]).toEqual([10, reason, reason ? 1 : 0]);
  });

  test('goes on behind a page that is short later, and makes the list stale by the rows on no page', async () => {
    let most = 10;
    const list = await open(
      pagedRows(60, (rows, query) => cappedAt(most)(rows, query)),
      10,
    );
    most = 7;
    await list.loadMore();
    expect([list.count, list.status.get().staleReason]).toEqual([17, 'fewerRows']);
    most = 10;
    await readAll(list);
    expect([shown(list), list.status.get().staleReason]).toEqual([[...upTo(17), ...upTo(60, 21)], 'fewerRows']);
  });

  test.each(['nextPage', 'loadPage'] as const)('makes a page stale that %s() has loaded', async (way) => {
    const list = await open(pagedRows(100, cappedAt(20)), 50);
    await (way === 'nextPage' ? nextPage(list) : list.load({ page: 2 }));
    expect([list.currentPage, list.status.get().staleReason]).toEqual([2, 'fewerRows']);
  });

  test('makes nothing stale by the last page, a page of an unknown length, or rows before a start of the call', async () => {
    const list = await open(pagedRows(25, cappedAt(20)), 10);
    await readAll(list);
    expect([shown(list), list.status.get().staleReason]).toEqual([upTo(25), undefined]);
    await list.load({ page: 3 });
    expect(list.status.get().staleReason).toBeUndefined();
    await list.load({ page: 2, limit: 0 });
    expect(list.status.get().staleReason).toBeUndefined();
    const part = new Store({
      model: pagedRows(
        25,
        (rows, query) => {
          const [start, limit] = [Number(query.get('start')), Number(query.get('limit'))];
          return Response.json(rows.slice(start, start + limit), { headers: { 'X-Total-Count': '25' } });
        },
        { startParam: 'start', pageParam: '' },
      ).Task,
      pageSize: 10,
    });
    await part.load({ start: 7 });
    expect(part.status.get().staleReason).toBeUndefined();
    await part.load({ start: 17 });
    expect([shown(part), part.status.get().staleReason]).toEqual([upTo(25, 18), undefined]);
  });

  test('makes a list stale that ends by its next links before its total', async () => {
    const answer: Answer = (rows) => Response.json({ data: rows.slice(0, 10), total: rows.length, next: null });
    const list = await open(
      pagedRows(100, answer, { reader: { rootProperty: 'data', totalProperty: 'total', nextProperty: 'next' } }),
      10,
    );
    expect([list.hasMore, list.status.get().staleReason]).toEqual([false, 'fewerRows']);
  });

  test('makes nothing stale if it names the next page, or tells no total', async () => {
    const server = pagedRows(9, withCursor, CURSORS);
    const list = await open(server, 3);
    await list.getAt(0)?.erase();
    await readAll(list);
    expect([shown(list), list.status.get().staleReason]).toEqual([upTo(9, 2), undefined]);
  });

  test('is told by diagnostics()', async () => {
    const warnings: string[] = [];
    const server = pagedRows(100, cappedAt(20), { use: [diagnostics({ warn: (text) => warnings.push(text) })] });
    await open(server, 50);
    expect(warnings).toEqual([
      expect.stringMatching(
        /20 rows came, but 50 were asked for, and the total counts 80 more\. The server counts.*set `pageSize` to this limit/,
      ),
    ]);
  });

  test('is told by diagnostics() if its pages end before its total', async () => {
    const warnings: string[] = [];
    const use = [diagnostics({ warn: (text: string) => warnings.push(text) })];
    const server = pagedRows(
      7,
      (rows, query) => {
        const start = (Number(query.get('page')) - 1) * 3;
        return Response.json(rows.slice(start, start + 3), { headers: { 'X-Total-Count': '9' } });
      },
      { use },
    );
    const list = await open(server);
    await readAll(list);
    expect([list.count, list.status.get().staleReason]).toEqual([7, 'fewerRows']);
    expect(warnings).toEqual([
      expect.stringMatching(
        /1 rows came, but 3 were asked for, and the total counts 2 more\. The server counts rows that it does not send/,
      ),
    ]);
  });
});

describe('a total that shrinks between two pages', () => {
  test.each(['loadMore', 'nextPage'])('makes a list stale that %s() goes on with', async (way) => {
    const server = pagedRows(9);
    const list = await open(server);
    server.rows = server.rows.filter(({ id }) => id !== 2);
    await (way === 'loadMore' ? list.loadMore() : nextPage(list));
    expect(list.status.get().staleReason).toBe('fewerRows');
    await refreshStale(list);
    const ids = [1, 3, 4, 5, 6, 7];
    expect([shown(list), list.status.get().staleReason]).toEqual([way === 'loadMore' ? ids : ids.slice(3), undefined]);
  });

  test('keeps the list stale to its end, where as many rows are on show as the total counts', async () => {
    const server = pagedRows(9);
    const list = await open(server);
    server.rows = server.rows.filter(({ id }) => id !== 2);
    await readAll(list);
    expect([shown(list), list.total, list.status.get().staleReason]).toEqual([
      [1, 2, 3, 5, 6, 7, 8, 9],
      8,
      'fewerRows',
    ]);
  });

  test('makes nothing stale by erases here, a reload, other rows, or a place that the call gives', async () => {
    const server = pagedRows(12);
    const list = await open(server);
    await list.getAt(0)?.erase();
    await readAll(list);
    expect([shown(list), list.status.get().staleReason]).toEqual([upTo(12, 2), undefined]);
    server.rows.pop();
    await list.reload();
    expect(list.status.get().staleReason).toBeUndefined();
    server.rows.pop();
    list.setExtraParams({ team: 'sales' });
    await list.load({ page: 2 });
    expect(list.status.get().staleReason).toBeUndefined();
    server.rows.pop();
    await list.load({ page: 1 });
    expect(list.status.get().staleReason).toBeUndefined();
    server.rows.pop();
    await list.load({ start: 3 });
    expect(list.status.get().staleReason).toBeUndefined();
  });
});

describe('rows that come on two pages', () => {
  test('make the list stale', async () => {
    const server = pagedRows(9);
    const list = await open(server);
    server.rows.reverse();
    await readAll(list);
    expect([list.count < 9, list.status.get().staleReason]).toEqual([true, 'fewerRows']);
  });

  test('make it stale if others have added rows before them, which it lacks', async () => {
    const server = pagedRows(9);
    const list = await open(server);
    server.rows.unshift({ id: 10 });
    await readAll(list);
    expect([shown(list), list.total, list.status.get().staleReason]).toEqual([upTo(9), 10, 'fewerRows']);
  });

  test('make nothing stale if a create or an erase here has moved them, or a removed record is among them', async () => {
    const server = pagedRows(9);
    const list = await open(server);
    list.remove(...list.getRange(1, 2));
    await list.loadMore();
    expect(list.status.get().staleReason).toBeUndefined();
    list.add({ name: 'new' });
    await list.sync();
    expect(list.count).toBe(6);
    await list.getAt(0)?.erase();
    await readAll(list);
    expect([new Set(shown(list)), list.status.get().staleReason]).toEqual([new Set(upTo(10, 3)), undefined]);
  });
});

describe('a load in flight', () => {
  /** A list of which the next page is held back, and what the server then answers: the page as it was when it was asked for. */
  async function held(server: PagedRows, answers: Promise<unknown>[]) {
    const list = await open(server);
    let answer: () => void = () => undefined;
    answers.push(new Promise<void>((resolve) => (answer = resolve)));
    return { list, loading: list.loadMore(), answer };
  }

  const holding = () => {
    const waits: Promise<unknown>[] = [];
    const server = pagedRows(6, async (rows, query) => {
      const response = withTotal(rows, query);
      await waits.shift();
      return response;
    });
    return { server, waits };
  };

  test('makes nothing stale by a record that is erased meanwhile', async () => {
    const { server, waits } = holding();
    const { list, loading, answer } = await held(server, waits);
    await list.getAt(0)?.erase();
    answer();
    await loading;
    expect([shown(list), list.status.get().staleReason]).toEqual([upTo(6, 2), undefined]);
  });

  test('makes nothing stale by a record that is created meanwhile', async () => {
    const { server, waits } = holding();
    const { list, loading, answer } = await held(server, waits);
    list.add({ name: 'new' });
    await list.sync();
    answer();
    await loading;
    expect([list.count, list.status.get().staleReason]).toEqual([7, undefined]);
  });
});

test('a row behind the list that is told as removed is no missing row', async () => {
  const server = pagedRows(9);
  const list = await open(server);
  server.rows.splice(7, 1);
  receive(list, [], { removed: [8] });
  await readAll(list);
  expect([shown(list), list.status.get().staleReason]).toEqual([[...upTo(7), 9], undefined]);
});

test('rows that arrive in parts are all counted', async () => {
  const server = pagedRows(
    7,
    (rows, query) => {
      const start = (Number(query.get('page')) - 1) * 3;
      const part = rows.slice(start, start + 3);
      const lines = [
        `{"total":${rows.length},"data":[`,
        ...part.map((row, at) => `${at > 0 ? ',' : ''}${JSON.stringify(row)}`),
        ']}',
      ];
      const body = new ReadableStream<Uint8Array>({
        async start(controller) {
          for (const line of lines) {
            controller.enqueue(new TextEncoder().encode(line));
            await new Promise((resolve) => setTimeout(resolve, 60));
          }
          controller.close();
        },
      });
      return new Response(body, { headers: { 'Content-Type': 'application/json' } });
    },
    { reader: { rootProperty: 'data', totalProperty: 'total', stream: true }, use: [streaming()] },
  );
  const list = await open(server);
  let parts = 0;
  list.on('progress', () => (parts += 1));
  expect([list.count, list.status.get().staleReason]).toEqual([3, undefined]);
  await list.loadMore();
  expect([shown(list), list.status.get().staleReason]).toEqual([upTo(6), undefined]);
  await list.reload();
  await list.load({ page: 1 });
  await nextPage(list);
  expect([shown(list), list.status.get().staleReason]).toEqual([[4, 5, 6], undefined]);
  expect(parts).toBeGreaterThan(4);
});

test('pages that the call leaves out are no missing rows', async () => {
  const list = await open(pagedRows(12));
  await list.load({ page: 3, addRecords: true });
  expect([shown(list), list.status.get().staleReason]).toEqual([[1, 2, 3, 7, 8, 9], undefined]);
  await list.loadMore();
  expect([list.count, list.hasMore, list.status.get().staleReason]).toEqual([9, false, undefined]);
});

test('a stale list that loadMore() has completed is stale no longer', async () => {
  const server = pagedRows(5);
  const list = await open(server);
  receive(list, [{ id: 4, name: 'new' }]);
  expect(list.status.get().staleReason).toBe('unknownRow');
  await list.loadMore();
  expect([shown(list), list.status.get().staleReason]).toEqual([upTo(5), undefined]);
});

test('a reload of a list that ended before its total reads no further than to that total, however much came since', async () => {
  const server = pagedRows(60, (rows, query) => {
    const start = (Number(query.get('page')) - 1) * 20;
    const visible = rows.slice(start, start + 20).filter(({ id }) => id % 20 !== 0);
    return Response.json(visible, { headers: { 'X-Total-Count': String(rows.length) } });
  });
  const list = await open(server, 20);
  await readAll(list);
  expect([list.count, list.status.get().staleReason]).toEqual([57, 'fewerRows']);
  server.rows.push(...Array.from({ length: 2000 }, (_, at) => ({ id: 61 + at })));
  const before = server.asked.length;
  await list.reload();
  expect(server.asked.length - before).toBeLessThan(6);
});
