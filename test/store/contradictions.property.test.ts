import fc from 'fast-check';
import { type StaleReason, Store } from 'repose';
import { expect, test } from 'vitest';
import { pagedRows } from './paged-rows.js';
import { shown } from './support.js';

/** A thing that a server, others or this page do before a page is read. */
type Fault = 'none' | 'reorder' | 'repeat' | 'eraseByOthers' | 'eraseHere';

const step = (...faults: Fault[]) => fc.record({ fault: fc.constantFrom('none', ...faults), at: fc.nat({ max: 40 }) });

// An erase here is followed by a page that is read again, in which a row of another order cannot be told from one that comes again.
const steps = fc.oneof(
  fc.array(step('reorder', 'repeat', 'eraseByOthers'), { maxLength: 12 }),
  fc.array(step('eraseByOthers', 'eraseHere'), { maxLength: 12 }),
);

test('a list that is scrolled to its end shows every row that the server had all the time, or is stale', async () => {
  const told = new Map<StaleReason | 'none', number>();
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 30 }),
      fc.integer({ min: 1, max: 7 }),
      fc.option(fc.integer({ min: 1, max: 7 }), { nil: 99, freq: 3 }),
      steps,
      async (count, pageSize, most, faults) => {
        let shift = 0;
        const server = pagedRows(count, (rows, query) => {
          const limit = Number(query.get('limit'));
          const start = Math.max((Number(query.get('page')) - 1) * limit - shift, 0);
          const headers = { 'X-Total-Count': String(rows.length) };
          return Response.json(rows.slice(start, start + Math.min(limit, most)), { headers });
        });
        const list = new Store({ model: server.Task, pageSize });
        await list.load();
        for (let loads = 0; list.hasMore && loads < 60; loads += 1) {
          const { fault, at } = faults[loads] ?? { fault: 'none', at: 0 };
          const place = at % Math.max(server.rows.length, 1);
          shift = fault === 'repeat' ? 1 : 0;
          if (fault === 'reorder') server.rows = [...server.rows.slice(place), ...server.rows.slice(0, place)];
          if (fault === 'eraseByOthers') server.rows = server.rows.filter((_, each) => each !== place);
          if (fault === 'eraseHere') await list.getAt(at % Math.max(list.count, 1))?.erase();
          await list.loadMore();
        }
        const ids = new Set(shown(list));
        const isMissing = server.rows.some(({ id }) => !ids.has(id));
        if (isMissing) told.set(list.staleReason ?? 'none', (told.get(list.staleReason ?? 'none') ?? 0) + 1);
        expect(isMissing && !list.status.get().stale).toBe(false);
      },
    ),
    { numRuns: 300 },
  );
  // Without the check of a reason, the rows of these runs would be missing without a word.
  for (const reason of ['shortPage', 'smallerTotal', 'repeatedRow'] as const)
    expect(told.get(reason) ?? 0, reason).toBeGreaterThan(5);
});
