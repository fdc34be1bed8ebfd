import fc from 'fast-check';
import { idempotency, Model, plain, Store } from 'repose';
import { type RestServer, type RestServerOptions, restServer, seededRandom } from 'repose/testing';
import { describe, expect, test } from 'vitest';

class User extends Model.define({ fields: { id: 'int', name: 'string', age: { type: 'int', allowNull: true } } }) {}

const DIALECTS = { classic: {}, plain: { dialect: plain() } } as const;

type Step =
  | { readonly do: 'add'; readonly name: string; readonly age: number | null }
  | { readonly do: 'edit'; readonly at: number; readonly name?: string; readonly age?: number | null }
  | { readonly do: 'remove'; readonly at: number }
  | { readonly do: 'sync' | 'load' };

const at = fc.nat(20);
const name = fc.string({ maxLength: 5 });
const age = fc.option(fc.integer({ min: -5, max: 99 }));
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('add' as const), name, age }),
  fc.record({ do: fc.constant('edit' as const), at, name, age }, { requiredKeys: ['do', 'at'] }),
  fc.record({ do: fc.constant('remove' as const), at }),
  fc.constant({ do: 'sync' as const }),
  fc.constant({ do: 'load' as const }),
);

function connect(server: RestServer, dialect: keyof typeof DIALECTS): typeof User {
  return User.with({
    proxy: { type: 'rest', url: '/users', fetch: server.fetch, baseUrl: server.baseUrl, ...DIALECTS[dialect] },
  });
}

describe('a test server', () => {
  test.each(['classic', 'plain'] as const)(
    '%s: has the same rows as a simple model of it, without faults',
    async (dialect) => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 30 }), fc.integer(), async (steps, seed) => {
          const server = restServer({ collections: { '/users': [] }, latency: [0, 20], seed });
          const Bound = connect(server, dialect);
          const store = new Store({ model: Bound });
          const expected = new Map<User, { name: string; age: number | null }>();
          for (const each of steps) {
            const record = 'at' in each && store.count > 0 ? store.getAt(each.at % store.count) : undefined;
            if (each.do === 'add') {
              const [added] = store.add({ name: each.name, age: each.age });
              expected.set(added as User, { name: each.name, age: each.age });
            } else if (each.do === 'edit' && record) {
              const { at: _, do: __, ...values } = each;
              record.set(values);
              Object.assign(expected.get(record) ?? {}, values);
            } else if (each.do === 'remove' && record) {
              store.remove(record);
              expected.delete(record);
            } else if (each.do === 'sync') (await store.sync()).orThrow();
            else if (each.do === 'load') {
              (await store.sync()).orThrow();
              await store.load();
            }
          }
          (await store.sync()).orThrow();
          const rows = server.rows('/users');
          expect(rows).toEqual(
            [...expected].map(([record, values]) => ({ id: record.id, ...values })).sort((a, b) => a.id - b.id),
          );
          expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
        }),
        { numRuns: 60 },
      );
    },
  );

  test('sorts, filters and pages like a local store', async () => {
    const rows = fc.uniqueArray(fc.record({ id: fc.nat(99), name, age }), { selector: ({ id }) => id, maxLength: 12 });
    const property = fc.constantFrom('id', 'name', 'age');
    const operator = fc.constantFrom('=', '!=', '<', '>=', 'gt');
    const filter = fc.oneof(
      fc.record({ property: fc.constantFrom('id', 'age'), operator, value: fc.integer({ min: -5, max: 99 }) }),
      fc.record({
        property: fc.constant('name'),
        operator: fc.constantFrom('=', 'like', 'contains', 'startsWith'),
        value: name,
      }),
    );
    const sorter = fc.record({ property, direction: fc.constantFrom('ASC', 'DESC') });
    await fc.assert(
      fc.asyncProperty(
        rows,
        fc.array(filter, { maxLength: 2 }),
        fc.array(sorter, { maxLength: 2 }),
        async (given, filters, sorters) => {
          const query = { filters, sorters: [...sorters, 'id' as const] };
          const server = restServer({ collections: { '/users': { rows: given, model: User } } });
          const remote = new Store({
            model: connect(server, 'classic'),
            remoteSort: true,
            remoteFilter: true,
            ...query,
          });
          const local = new Store({ model: connect(server, 'classic'), pageSize: 0, ...query });
          await Promise.all([remote.load(), local.load()]);
          expect([...remote].map(({ id }) => id)).toEqual([...local].map(({ id }) => id));
        },
      ),
      { numRuns: 100 },
    );
  });

  test('has every row once, and no other, after its faults have ended', async () => {
    const faults = { drop: 0.1, lose: 0.1, truncate: 0.05, malformed: 0.05, refuse: 0.1, break: 0.1, reorder: 0.2 };
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0 }), fc.integer({ min: 10, max: 40 }), async (seed, count) => {
        const { server, kept, dropped } = await campaign({ faults, seed, latency: [0, 30] }, seed, count);
        const rows = server.rows('/users');
        expect(rows).toEqual(replayed(server));
        expect(rows.filter(({ name }) => !dropped.has(name))).toEqual(
          kept.map(({ id, name, age }) => ({ id, name, age })).sort((a, b) => a.id - b.id),
        );
        expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length);
      }),
      { numRuns: 40 },
    );
  });

  test('has the same log for the same seed and the same calls', async () => {
    const options = { faults: { drop: 0.2, lose: 0.2, reorder: 0.3 }, latency: [1, 9] as const, seed: 11 };
    const [one, two] = [await campaign(options, 3, 40), await campaign(options, 3, 40)];
    const log = ({ server }: { server: RestServer }) =>
      server.requests.map(({ method, url, body, fault, status }) => [
        method,
        url.replace(/_dc=\d+/, ''),
        body,
        fault,
        status,
      ]);
    expect(log(two)).toEqual(log(one));
    expect(two.server.rows('/users')).toEqual(one.server.rows('/users'));
  });
});

interface Campaign {
  readonly server: RestServer;
  readonly kept: readonly User[];
  /** Names of records that were erased, or that somebody tried to erase. */
  readonly dropped: ReadonlySet<unknown>;
}

/** Random edits over a network with faults, then one edit without. No two records have the same name. */
async function campaign(options: Partial<RestServerOptions>, seed: number, count: number): Promise<Campaign> {
  const server = restServer({ collections: { '/users': [{ id: 1, name: 'Ada', age: 1 }] }, ...options });
  const Bound = connect(server, 'plain').with({ proxy: { use: [idempotency()] } });
  const random = seededRandom(seed);
  const pick = (below: number) => Math.floor(random() * below);
  const dropped = new Set<unknown>();
  let kept = [Bound.fromRow({ id: 1, name: 'Ada', age: 1 })];
  for (let n = 0; n < count; n++) {
    const record = kept[pick(kept.length)];
    const what = pick(4);
    if (!record || what === 0) kept.push(new Bound({ name: `new ${n}`, age: n }));
    else if (what === 1 && kept.length > 2) {
      dropped.add(record.name);
      await record.erase().catch(() => undefined);
      kept = kept.filter((each) => each !== record);
    } else
      await record
        .set({ age: pick(99) })
        .save()
        .catch(() => undefined);
  }
  server.heal();
  for (const record of kept) await record.set({ age: 100 }).save();
  return { server, kept, dropped };
}

/** The rows that result from the requests that reached the server. */
function replayed({ requests }: RestServer): object[] {
  const rows = new Map<number, Record<string, unknown>>([[1, { id: 1, name: 'Ada', age: 1 }]]);
  const keys = new Set<string | null>();
  let lastId = 1;
  for (const { method, url, body, reached, headers } of requests) {
    if (!reached) continue;
    const id = Number(new URL(url).pathname.split('/')[2]);
    const key = headers.get('idempotency-key');
    if (method === 'POST') {
      if (!keys.has(key)) rows.set((lastId += 1), { ...JSON.parse(body as string), id: lastId });
      keys.add(key);
    } else if (method === 'PATCH' && rows.has(id)) rows.set(id, { ...rows.get(id), ...JSON.parse(body as string) });
    else if (method === 'DELETE') rows.delete(id);
  }
  return [...rows.values()];
}
