import fc from 'fast-check';
import { filterTemplates, Model, plain, receive, Store, UnsupportedQueryError, where } from 'repose';
import { expect, test } from 'vitest';
import { tick } from './support.js';

class Item extends Model.define({
  name: 'item',
  fields: { id: 'int', a: 'int', b: 'int', team: 'int' },
}) {}

interface Row {
  id: number;
  a: number;
  b: number;
  team: number;
}
type SortField = 'a' | 'b';

interface Behaviour {
  readonly count: number;
  /** The most rows in a response, whatever was asked for. */
  readonly cap: number;
  readonly tells: 'total' | 'link' | 'nothing';
  /** Whether the server has pages; otherwise it sends all rows that match. */
  readonly hasPages: boolean;
}

/** A server that sorts and filters, whose numbers in `a` and `b` are all different, so that each order is unique. */
class Server {
  rows: Row[];
  requests = 0;
  private made = 1000;

  constructor(readonly behaviour: Behaviour) {
    const numbers = Array.from({ length: behaviour.count }, (_, at) => at);
    this.rows = numbers.map((at) => ({ id: at + 1, a: (at * 7919) % 4001, b: (at * 104_729) % 5003, team: at % 3 }));
  }

  make(): Row {
    const id = ++this.made;
    const row = { id, a: 5000 + ((id * 31) % 997), b: 6000 + ((id * 17) % 991), team: id % 3 };
    this.rows.push(row);
    return row;
  }

  find(sort: { property: SortField; direction: string } | undefined, team: number | undefined): Row[] {
    const found = this.rows.filter((row) => team === undefined || row.team === team);
    if (!sort) return found;
    const sign = sort.direction === 'DESC' ? -1 : 1;
    return found.sort((x, y) => (x[sort.property] - y[sort.property]) * sign);
  }

  readonly fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const url = new URL(String(input));
    const method = init?.method ?? 'GET';
    const id = Number(url.pathname.split('/')[2]);
    await tick();
    if (init?.signal?.aborted) throw new DOMException('aborted', 'AbortError');
    if (method === 'GET') return this.list(url);
    if (method === 'DELETE') this.rows = this.rows.filter((row) => row.id !== id);
    else if (method === 'POST') {
      const row = { ...(JSON.parse(String(init?.body)) as Row), id: ++this.made };
      this.rows.push(row);
      return Response.json(row, { status: 201 });
    } else {
      const edits = JSON.parse(String(init?.body)) as Partial<Row>;
      this.rows = this.rows.map((row) => (row.id === id ? { ...row, ...edits } : row));
      return Response.json(this.rows.find((row) => row.id === id));
    }
    return new Response(undefined, { status: 204 });
  };

  private list({ searchParams: query, href }: URL): Response {
    this.requests += 1;
    const { cap, tells, hasPages } = this.behaviour;
    const [property, direction = 'ASC'] = query.get('sort')?.split(' ') ?? [];
    const team = query.get('team');
    const found = this.find(
      property ? { property: property as SortField, direction } : undefined,
      team === null ? undefined : Number(team),
    );
    const start = hasPages ? Number(query.get('start') ?? 0) : 0;
    const limit = Math.min(hasPages ? Number(query.get('limit') ?? 1e9) : 1e9, cap);
    const rows = found.slice(start, start + limit);
    const headers: Record<string, string> = {};
    if (tells === 'total') headers['x-total-count'] = String(found.length);
    if (tells === 'link') {
      const next = new URL(href);
      next.searchParams.set('start', String(start + rows.length));
      const links = [`<${href}>; rel="first"`];
      if (start + rows.length < found.length) links.push(`<${next.href}>; rel="next"`);
      headers['link'] = links.join(', ');
    }
    return Response.json(rows, { headers });
  }
}

const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('sort' as const),
      property: fc.constantFrom<SortField>('a', 'b'),
      direction: fc.constantFrom('ASC' as const, 'DESC' as const),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('filter' as const), team: fc.nat({ max: 3 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('clearFilter' as const, 'sortByFunction' as const) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('load' as const, 'reload' as const, 'loadMore' as const) }) },
  fc.record({ do: fc.constantFrom('secondPage' as const, 'create' as const, 'edit' as const, 'erase' as const) }),
  fc.record({ do: fc.constantFrom('receive' as const, 'others' as const) }),
  fc.record({ do: fc.constant('setPageSize' as const), size: fc.integer({ min: 1, max: 12 }) }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const behaviour: fc.Arbitrary<Behaviour> = fc.record({
  count: fc.nat({ max: 30 }),
  cap: fc.constantFrom(3, 8, 1e9),
  tells: fc.constantFrom('total' as const, 'link' as const, 'nothing' as const),
  hasPages: fc.boolean(),
});

/** A store, and what it must show. */
class World {
  readonly store: Store<Item>;
  /** The place of the first row that is shown. */
  private start = 0;

  constructor(
    private readonly server: Server,
    pageSize: number,
    sorted: boolean,
  ) {
    const proxy = {
      type: 'rest' as const,
      url: '/items',
      baseUrl: 'http://items.test',
      fetch: server.fetch as typeof fetch,
      dialect: plain({
        page: 'start={start}&limit={limit}',
        sort: { asc: 'sort={name} ASC', desc: 'sort={name} DESC' },
        filter: filterTemplates({ eq: '{name}' }),
      }),
    };
    this.store = new Store({ model: Item, proxy, pageSize, ...(sorted && { sorters: ['b'] }) });
  }

  async rest(): Promise<void> {
    do await tick();
    while (this.store.status.get().loading);
  }

  /** The rows of the present query, in its order, as the server has them. */
  private get expected(): Row[] {
    const { sorters, filters } = this.store.query;
    const [sorter] = sorters;
    const team = filters[0]?.value as number | undefined;
    if (sorter?.sorterFn) return this.server.find({ property: 'a', direction: 'DESC' }, team);
    return this.server.find(sorter as never, team);
  }

  check(): void {
    const { store } = this;
    const shown = [...store].map(({ id }) => id);
    const all = this.expected.map(({ id }) => id);
    if (store.holdsAll) {
      const isOrdered = store.query.sorters.length > 0;
      expect(isOrdered ? shown : [...shown].sort()).toEqual(isOrdered ? all : [...all].sort());
      expect(store.total).toBe(this.server.rows.length);
    } else {
      expect(shown).toEqual(all.slice(this.start, this.start + shown.length));
      if (store.total !== undefined) expect(store.total).toBe(all.length);
    }
  }

  async run(next: Step): Promise<void> {
    const { store, server } = this;
    const { requests } = server;
    const { holdsAll } = store;
    switch (next.do) {
      case 'sort':
        store.sort(next.property, next.direction);
        break;
      case 'filter':
        store.filter(where(Item).team.eq(next.team));
        break;
      case 'clearFilter':
        store.filter([]);
        break;
      case 'sortByFunction':
        await this.sortByFunction();
        return;
      case 'setPageSize':
        if (store.pageSize > 0) store.setPageSize(next.size);
        return;
      case 'secondPage':
        if (store.pageSize === 0) return;
        await store.load({ page: 2 });
        this.start = server.behaviour.hasPages ? store.pageSize : 0;
        return;
      default:
        await this.change(next.do);
        return;
    }
    await this.rest();
    // A store that holds everything asks nobody.
    if (holdsAll) expect(server.requests).toBe(requests);
    else this.start = 0;
  }

  private async change(what: Exclude<Step['do'], 'sort'>): Promise<void> {
    const { store, server } = this;
    const { holdsAll } = store;
    const [first] = store;
    if (what === 'create') store.add({ a: 7001, b: 7001, team: 1 });
    else if (what === 'edit' && first) first.a = 8000 - first.id;
    else if (what === 'erase' && first) store.remove(first);
    else if (what === 'receive') receive(store, [server.make()]);
    else if (what === 'others') server.make();
    (await store.sync()).orThrow();
    if (what === 'create') {
      const made = server.rows.at(-1) as Row;
      // Numbers stay different from each other.
      server.rows[server.rows.length - 1] = { ...made, a: 7000 + (made.id % 997), b: 7000 + (made.id % 997) };
      receive(store, [server.rows.at(-1) as Row]);
    }
    if (what === 'loadMore') {
      const { hasMore } = store;
      await store.loadMore();
      // With another page size, the list begins again.
      if (hasMore && store.currentPage === 1) this.start = 0;
      return;
    }
    const keeps = ['create', 'edit', 'erase', 'receive'].includes(what) && holdsAll;
    if (keeps) expect(store.holdsAll).toBe(true);
    else {
      await store.load();
      this.start = 0;
    }
  }

  /** A function sorts where the store holds everything, and is refused otherwise; then nothing is shown in a wrong order. */
  private async sortByFunction(): Promise<void> {
    const { store } = this;
    const { holdsAll } = store;
    try {
      store.sort({ sorterFn: (x: Item, y: Item) => (y.a as number) - (x.a as number) });
      await this.rest();
      if (store.status.get().error) throw store.status.get().error;
      if (!holdsAll) this.start = 0;
      this.check();
    } catch (error) {
      expect(error).toBeInstanceOf(UnsupportedQueryError);
      expect((error as UnsupportedQueryError).reason).toBe('query-partial');
      expect(holdsAll).toBe(false);
    }
    store.sort('a');
    await this.rest();
    if (!store.holdsAll) this.start = 0;
  }
}

test('a store shows the rows of its query in the order of its query, whatever the server tells of its pages', async () => {
  await fc.assert(
    fc.asyncProperty(
      behaviour,
      fc.constantFrom(0, 1, 4, 10, 25),
      fc.boolean(),
      fc.array(step, { maxLength: 14 }),
      async (given, pageSize, sorted, steps) => {
        // Without pages, a total or a link, `pageSize: 0` is the word of the application that a response is everything.
        fc.pre(!(pageSize === 0 && given.tells === 'nothing' && given.cap < 1e9));
        const world = new World(new Server(given), pageSize, sorted);
        await world.store.load();
        world.check();
        for (const each of steps) {
          await world.run(each);
          await world.rest();
          world.check();
        }
      },
    ),
    { numRuns: 120 },
  );
});
