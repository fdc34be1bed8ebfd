import fc from 'fast-check';
import { Model, nextPage, plain, Store } from 'repose';
import { expect, test } from 'vitest';
import type { Received, Reply } from '../helpers/rest-server.js';
import { useRestServer } from '../helpers/use-rest-server.js';
import { pagedRows } from './paged-rows.js';
import { shown } from './support.js';

const server = useRestServer();

class Item extends Model.define({ name: 'item', fields: { id: 'int' } }) {}

/** A change of the collection between two requests. */
const change = fc.oneof(
  fc.record({ do: fc.constant('insert' as const), at: fc.nat({ max: 40 }) }),
  fc.record({ do: fc.constant('delete' as const), at: fc.nat({ max: 40 }) }),
);
const WINDOWS = ['range', 'page', 'token', 'link', 'header'] as const;
const scenario = fc.record({
  window: fc.constantFrom(...WINDOWS),
  size: fc.nat({ max: 25 }),
  limit: fc.integer({ min: 1, max: 6 }),
  /** The most rows that the server returns at once. */
  most: fc.integer({ min: 1, max: 8 }),
  counts: fc.boolean(),
  changes: fc.array(fc.array(change, { maxLength: 3 }), { maxLength: 30 }),
});
type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never;

/** A server whose rows shift while they are read; it remembers all rows that it returned, in order. */
class Shifting {
  readonly rows: number[];
  readonly given: number[] = [];
  requests = 0;
  private fresh: number;

  constructor(private readonly of: Scenario) {
    this.rows = Array.from({ length: of.size }, (_, i) => i + 1);
    this.fresh = of.size;
  }

  answer({ method, path, query }: Received): Reply {
    if (method === 'DELETE') {
      this.rows.splice(this.rows.indexOf(Number(path.split('/')[2])), 1);
      return { status: 204 };
    }
    const { window, most, counts, changes } = this.of;
    for (const each of changes[this.requests] ?? []) {
      if (each.do === 'delete') this.rows.splice(each.at, 1);
      else this.rows.splice(each.at, 0, ++this.fresh);
    }
    this.requests += 1;
    const asked = Number(query.get('limit') ?? most);
    // Page numbers are useful only if pages are as large as requested.
    const size = window === 'page' ? asked : Math.min(asked, most);
    const start =
      window === 'page' ? (Number(query.get('page')) - 1) * size : Number(query.get('start') ?? query.get('at') ?? 0);
    const found = this.rows.slice(start, start + size);
    this.given.push(...found);
    const end = start + found.length;
    const on = end < this.rows.length && found.length > 0;
    const link = `?at=${end}&limit=${asked}`;
    return {
      json: {
        rows: found.map((id) => ({ id })),
        ...((counts || size < asked) && { total: this.rows.length }),
        ...(window === 'token' && { next: on ? String(end) : '' }),
        ...(window === 'link' && { next: on ? link : null }),
      },
      ...(window === 'header' && { headers: { Link: on ? `<${link}>; rel="next"` : '<?at=0>; rel="first"' } }),
    };
  }
}

test('loadMore() over shifting rows repeats no record, keeps the order of arrival, and ends', async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async (of) => {
      const shifting = new Shifting(of);
      server.always((request) => shifting.answer(request));
      const store = new Store({
        model: Item,
        pageSize: of.limit,
        proxy: server.proxy('/items', {
          dialect: plain(),
          pageParam: of.window === 'page' ? 'page' : '',
          startParam: of.window === 'range' ? 'start' : '',
          tokenParam: of.window === 'token' ? 'at' : '',
          reader: { rootProperty: 'rows', nextProperty: ['token', 'link'].includes(of.window) ? 'next' : '' },
        }),
      });
      // Every response but the last contains a new row, and at most 30 rounds add rows.
      const most = of.size + 3 * of.changes.length + 3;
      for (let i = 0; store.hasMore; i += 1) {
        expect(i).toBeLessThan(most);
        await store.loadMore();
        expect(shown(store)).toEqual([...new Set(shifting.given)]);
        expect(store.count).toBe(new Set(shown(store)).size);
      }
      // Without shifts, the whole collection is loaded.
      if (of.changes.flat().length === 0) expect(shown(store)).toEqual(shifting.rows);
      const { requests } = shifting;
      await store.loadMore();
      expect(shifting.requests).toBe(requests);
    }),
    { numRuns: 150 },
  );
});

test('loadMore() between erases leaves out no record', async () => {
  const erasures = fc.array(fc.array(fc.nat({ max: 30 }), { maxLength: 4 }), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(scenario, fc.constantFrom('range', 'page'), erasures, async (of, window, erased) => {
      const shifting = new Shifting({ ...of, window, most: of.limit, changes: [] });
      server.always((request) => shifting.answer(request));
      const store = new Store({
        model: Item,
        pageSize: of.limit,
        proxy: server.proxy('/items', {
          dialect: plain(),
          pageParam: window === 'page' ? 'page' : '',
          startParam: window === 'range' ? 'start' : '',
          reader: { rootProperty: 'rows' },
        }),
      });
      for (let i = 0; store.hasMore; i += 1) {
        expect(i).toBeLessThan(of.size + 3 * erased.length + 3);
        await store.loadMore();
        for (const at of erased[i] ?? []) store.remove(...store.getRange(at, at + 1));
        await store.sync();
      }
      expect(shown(store)).toEqual(shifting.rows);
    }),
    { numRuns: 100 },
  );
});

/** Faults of a server, changes of others, and writes of this page, each before a page is read. */
const FAULTS = ['none', 'cap', 'reorder', 'repeat', 'eraseByOthers', 'eraseHere'] as const;
type Fault = (typeof FAULTS)[number] | 'createHere';

const steps = <F extends Fault>(...faults: readonly F[]) =>
  fc.array(fc.record({ fault: fc.constantFrom(...faults), at: fc.nat({ max: 40 }) }), { maxLength: 12 });
const scrolled = { count: fc.integer({ min: 1, max: 30 }), pageSize: fc.integer({ min: 1, max: 7 }) };
/** The most rows that the server sends at a time, and whether it counts pages by their number or by the index of their first row. */
const served = { most: fc.option(fc.integer({ min: 1, max: 7 }), { nil: 99, freq: 2 }), byPage: fc.boolean() };

/** Reads a list under faults. Returns the ids that were on show at the end, and all that the pages had. */
async function scroll(
  way: 'loadMore' | 'nextPage',
  of: {
    count: number;
    pageSize: number;
    most: number;
    byPage: boolean;
    faults: readonly { fault: Fault; at: number }[];
  },
) {
  let shift = 0;
  let most = of.most;
  const paged = pagedRows(
    of.count,
    (rows, query) => {
      const limit = Number(query.get('limit'));
      const start = of.byPage ? (Number(query.get('page')) - 1) * limit : Number(query.get('start'));
      const first = Math.max(start - shift, 0);
      const headers = { 'X-Total-Count': String(rows.length) };
      return Response.json(rows.slice(first, first + Math.min(limit, most)), { headers });
    },
    of.byPage ? {} : { pageParam: '', startParam: 'start' },
  );
  const list = new Store({ model: paged.Task, pageSize: of.pageSize });
  await list.load();
  const seen = new Set(shown(list));
  let wasStale = list.status.get().stale;
  for (let loads = 0; list.hasMore && loads < 60; loads += 1) {
    const { fault, at } = of.faults[loads] ?? { fault: 'none', at: 0 };
    const place = at % Math.max(paged.rows.length, 1);
    shift = fault === 'repeat' ? 1 : 0;
    most = fault === 'cap' ? 1 + (at % 4) : of.most;
    if (fault === 'reorder') paged.rows = [...paged.rows.slice(place), ...paged.rows.slice(0, place)];
    if (fault === 'eraseByOthers') paged.rows = paged.rows.filter((_, each) => each !== place);
    if (fault === 'eraseHere') await list.getAt(at % Math.max(list.count, 1))?.erase();
    if (fault === 'createHere') {
      list.add({ name: 'new' });
      await list.sync();
    }
    await (way === 'loadMore' ? list.loadMore() : nextPage(list));
    for (const id of shown(list)) seen.add(id);
    wasStale ||= list.status.get().stale;
  }
  const atEnd = new Set(shown(list));
  const missingIn = (ids: ReadonlySet<unknown>) => paged.rows.filter(({ id }) => !ids.has(id)).map(({ id }) => id);
  return { list, wasStale, missing: missingIn(atEnd), unseen: missingIn(seen) };
}

test('an endless list under faults shows every row that the server had all the time, or is stale', async () => {
  let told = 0;
  await fc.assert(
    fc.asyncProperty(fc.record({ ...scrolled, ...served, faults: steps(...FAULTS) }), async (of) => {
      const { list, missing } = await scroll('loadMore', of);
      if (missing.length === 0) return;
      told += 1;
      expect(list.status.get().staleReason).toBe('fewerRows');
    }),
    { numRuns: 300 },
  );
  expect(told).toBeGreaterThan(30);
});

test('pages under faults show every row that the server had all the time, or one of them was stale', async () => {
  let told = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.record({ ...scrolled, ...served, faults: steps('none', 'cap', 'eraseByOthers') }),
      async (of) => {
        const { wasStale, unseen } = await scroll('nextPage', of);
        if (unseen.length === 0) return;
        told += 1;
        expect(wasStale).toBe(true);
      },
    ),
    { numRuns: 200 },
  );
  expect(told).toBeGreaterThan(20);
});

test('an endless list whose rows only this page erases and creates is stale only at an end before its last row', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({ ...scrolled, byPage: fc.boolean(), faults: steps('none', 'eraseHere', 'createHere') }),
      async (of) => {
        const { list, wasStale, missing } = await scroll('loadMore', { ...of, most: 99 });
        // A page that has only rows that are on show ends the list: a server that ignores paging would repeat it forever.
        const lacksRows = missing.length > 0;
        expect([wasStale, list.holdsAll]).toEqual([lacksRows, !lacksRows]);
      },
    ),
    { numRuns: 200 },
  );
});
