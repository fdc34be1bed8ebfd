import fc from 'fast-check';
import { Model, nextPage, previousPage, Store, UnsupportedQueryError, viewOf } from 'repose';
import { expect, test } from 'vitest';
import type { Received, Reply } from '../helpers/rest-server.js';
import { useRestServer } from '../helpers/use-rest-server.js';
import { page, remoteOf, rows, shown, tick } from './support.js';

const server = useRestServer();

class Item extends Model.define({ name: 'item', fields: { id: 'int', name: 'string' } }) {}

const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('load' as const, 'reload' as const) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('loadMore' as const, 'nextPage' as const) }) },
  fc.record({ do: fc.constantFrom('append' as const, 'previousPage' as const) }),
  fc.record({ do: fc.constant('loadPage' as const), page: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ do: fc.constant('setPageSize' as const), size: fc.integer({ min: 1, max: 5 }) }),
  fc.record({ do: fc.constant('setRemoteFilter' as const), on: fc.boolean() }),
  fc.record({ do: fc.constant('filter' as const), least: fc.nat({ max: 6 }) }),
  fc.record({ do: fc.constant('clearFilter' as const) }),
  fc.record({ do: fc.constant('sort' as const), down: fc.boolean() }),
  fc.record({ do: fc.constant('setExtraParams' as const), team: fc.nat({ max: 2 }) }),
  fc.record({ do: fc.constant('allow' as const), on: fc.boolean() }),
  { weight: 8, arbitrary: fc.record({ do: fc.constant('answer' as const), at: fc.nat({ max: 4 }) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('tick' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const SETTINGS = ['setPageSize', 'setRemoteFilter', 'filter', 'clearFilter', 'sort', 'setExtraParams'] as const;
type Setting = Extract<Step, { do: (typeof SETTINGS)[number] }>;

function isSetting(next: Step): next is Setting {
  return (SETTINGS as readonly string[]).includes(next.do);
}

/** The query of a request, without its page. */
interface Query {
  readonly team: number;
  readonly down: boolean;
  readonly least: number;
}

/** All ids of a query in the order of the server: team 2 has the ids from 201 on. */
function idsOf({ team, down, least }: Query): number[] {
  const ids = Array.from({ length: 9 }, (_, i) => team * 100 + i).filter((id) => id % 100 >= least);
  return down ? ids.reverse() : ids;
}

function queryOf(query: URLSearchParams): Query {
  const [filter] = JSON.parse(query.get('filter') ?? '[]') as [{ value: number }?];
  const [sorter] = JSON.parse(query.get('sort') ?? '[]') as [{ direction: string }?];
  return { team: Number(query.get('team')), down: sorter?.direction === 'DESC', least: (filter?.value ?? 0) % 100 };
}

function answer({ query }: Received): Reply {
  const ids = idsOf(queryOf(query));
  const [start, limit] = [Number(query.get('start')), Number(query.get('limit'))];
  return page(rows(...ids.slice(start, start + limit)), ids.length);
}

/** A store whose responses wait for the test, and the query that its settings mean. */
class Run {
  readonly store: Store<Item>;
  readonly all;
  readonly loads: Promise<unknown>[] = [];
  private readonly waiting: (() => void)[] = [];
  private team = 0;
  private down = false;
  private allowed = true;
  /** The query whose rows are loaded. */
  private loaded: Query | undefined;
  /** Number of the page that was loaded last. */
  private page = 0;
  /** Whether a setting has changed since the last response was shown. */
  private changed = false;

  constructor() {
    // The responses are complete before they are given in the order of the test, even if the store has aborted their requests.
    const fetchLater: typeof fetch = async (url, init) => {
      const { signal: _, ...request } = init ?? {};
      const released = new Promise<void>((resolve) => this.waiting.push(resolve));
      const response = await fetch(String(url).replace('http://rest.test', server.url), request);
      const text = await response.text();
      await released;
      return new Response(text, { status: response.status, headers: response.headers });
    };
    this.store = new Store({
      model: Item,
      pageSize: 2,
      remoteSort: true,
      remoteFilter: true,
      canLoad: () => this.allowed,
      proxy: server.proxy('/items', { reader: { rootProperty: 'rows' }, fetch: fetchLater }),
    });
    this.all = viewOf(this.store);
    this.store.on('load', ({ operation }) => {
      this.loaded = queryOf(new URL(operation.request?.url ?? '', 'http://rest.test').searchParams);
      this.page = operation.page as number;
      this.changed = false;
      expect(this.loaded).toEqual(this.asked());
    });
  }

  take(next: Step): void {
    const { store } = this;
    const before = JSON.stringify([store.query.filters, remoteOf(store).remoteFilter, store.pageSize]);
    try {
      this.apply(next);
    } catch (error) {
      // A local filter over a part of the collection.
      expect(error).toBeInstanceOf(UnsupportedQueryError);
      expect(JSON.stringify([store.query.filters, remoteOf(store).remoteFilter, store.pageSize])).toBe(before);
    }
  }

  /** Lets the store finish all loads, and reads on to the end. */
  async finish(): Promise<void> {
    const { store } = this;
    this.allowed = true;
    await this.settle();
    store.setRemote({ remoteFilter: true });
    if (!this.loaded) this.load(store.load());
    await this.settle();
    const restarts = this.changed;
    for (let i = 0; store.hasMore || this.changed; i += 1) {
      expect([i < 30, store.status.get().error]).toEqual([true, undefined]);
      this.load(store.loadMore());
      await this.settle();
      this.check();
    }
    const ids = idsOf(this.asked());
    const [first] = shown(store) as [number | undefined];
    if (first !== undefined) expect(shown(store)).toEqual(ids.slice(ids.indexOf(first)));
    if (restarts) expect(first).toBe(ids[0]);
    expect(store.total).toBe(ids.length);
    await Promise.all(this.loads);
  }

  /** The loaded records are rows of one query, without gaps and repeats; the store shows those that pass its local filter. */
  check(): void {
    const loaded = shown(this.all) as number[];
    const ids = this.loaded ? idsOf(this.loaded) : [];
    const from = Math.max(ids.indexOf(loaded[0] as number), 0);
    expect(loaded).toEqual(ids.slice(from, from + loaded.length));
    const least = remoteOf(this.store).remoteFilter ? 0 : this.least();
    expect(shown(this.store)).toEqual(loaded.filter((id) => id % 100 >= least));
  }

  private apply(next: Step): void {
    const { store } = this;
    const idle = !store.status.get().loading;
    if (next.do === 'load') this.load(store.load());
    else if (next.do === 'append') this.load(nextPage(store, { addRecords: true }));
    else if (next.do === 'loadPage') this.load(store.load({ page: next.page }));
    else if (next.do === 'previousPage') this.load(previousPage(store));
    else if (next.do === 'loadMore' || next.do === 'reload') this.load(store[next.do]());
    else if (next.do === 'nextPage') {
      const expected = this.changed ? 1 : this.page + 1;
      const known = idle && this.allowed && this.loaded !== undefined;
      const load = nextPage(store);
      this.load(load.then(() => known && expect(this.page).toBe(expected)));
    } else if (next.do === 'allow') this.allowed = next.on;
    else if (next.do === 'answer') this.waiting.splice(next.at, 1)[0]?.();
    else if (isSetting(next)) this.set(next);
  }

  private set(next: Setting): void {
    const { store } = this;
    const { pageSize } = store;
    const { remoteFilter } = remoteOf(store);
    if (next.do === 'setPageSize') store.setPageSize(next.size);
    else if (next.do === 'setRemoteFilter') store.setRemote({ remoteFilter: next.on });
    else if (next.do === 'filter')
      store.filter({ property: 'id', operator: 'ge', value: this.team * 100 + next.least });
    else if (next.do === 'clearFilter') store.filter([]);
    else if (next.do === 'sort') store.sort('id', next.down ? 'DESC' : 'ASC');
    else store.setExtraParams({ team: next.team });
    if (next.do === 'sort') this.down = next.down;
    if (next.do === 'setExtraParams') this.team = next.team;
    const isLocal = next.do === 'filter' || next.do === 'clearFilter' ? !remoteOf(store).remoteFilter : false;
    const isSame =
      (next.do === 'setPageSize' && next.size === pageSize) ||
      (next.do === 'setRemoteFilter' && next.on === remoteFilter);
    this.changed ||= !isLocal && !isSame;
  }

  private asked(): Query {
    const { team, down } = this;
    return { team, down, least: remoteOf(this.store).remoteFilter ? this.least() : 0 };
  }

  /** The least id within a team that passes the filter. */
  private least(): number {
    const [filter] = this.store.query.filters;
    return Number(filter?.value ?? 0) % 100;
  }

  private load(load: Promise<unknown>): void {
    this.loads.push(load.catch(() => undefined));
  }

  private async settle(): Promise<void> {
    do {
      for (const release of this.waiting.splice(0)) release();
      await tick();
    } while (this.store.status.get().loading);
  }
}

test('a store shows rows of one query at a time, leaves none out, and settles each load', async () => {
  server.always(answer);
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const run = new Run();
      for (const next of steps) {
        run.take(next);
        run.check();
        if (next.do === 'tick' || next.do === 'answer') await tick();
        run.check();
      }
      await run.finish();
    }),
    { numRuns: 200 },
  );
});
