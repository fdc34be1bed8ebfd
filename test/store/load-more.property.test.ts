import fc from 'fast-check';
import { Model, plain, Store } from 'repose';
import { expect, test } from 'vitest';
import type { Received, Reply } from '../helpers/rest-server.js';
import { useRestServer } from '../helpers/use-rest-server.js';
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
        for (const at of erased[i] ?? []) store.removeAt(at);
        await store.sync();
      }
      expect(shown(store)).toEqual(shifting.rows);
    }),
    { numRuns: 100 },
  );
});
