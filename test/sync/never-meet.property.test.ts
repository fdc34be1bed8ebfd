import fc from 'fast-check';
import { Model, Session, Store } from 'repose';
import { Outbox } from 'repose/outbox';
import { dehydrate, hydrate, stringify } from 'repose/ssr';
import { recordQuery } from 'repose/tanstack-query';
import { describe, expect, test } from 'vitest';

/** Answers with a row that says who asked, and where. */
const fetch = async (url: string, { headers }: RequestInit): Promise<Response> => {
  const { host, pathname, search } = new URL(url);
  const row = {
    id: 1,
    title: `${host}${pathname.replace(/\/1$/, '')}${search} ${new Headers(headers).get('X-Tenant')}`,
  };
  return Response.json(/\/1$/.test(pathname) ? row : [row]);
};
/** The values that the functions of the options give now. */
const present = { tenant: 'a' };
class Task extends Model.define({
  name: 'task',
  fields: { id: 'int', title: 'string' },
  proxy: {
    type: 'rest',
    url: '/tasks',
    baseUrl: 'http://a.test',
    noCache: false,
    pageParam: '',
    startParam: '',
    limitParam: '',
    fetch: fetch as never,
  },
}) {}

const tenant = fc.constantFrom('a', 'b');
/** Options that tell whose rows a class has. */
const bindings = fc.record(
  {
    baseUrl: fc.constantFrom('http://a.test', 'http://b.test'),
    url: fc.constantFrom('/tasks', '/archive'),
    headers: tenant.map((name) => ({ 'X-Tenant': name })),
    extraParams: fc.oneof(
      tenant.map((name) => ({ tenant: name })),
      fc.constant(() => ({ tenant: present.tenant })),
    ),
    scope: tenant,
  },
  { requiredKeys: [] },
);
const classes = fc.oneof(
  { weight: 4, arbitrary: bindings.map((proxy) => Task.with({ proxy }) as typeof Task) },
  { weight: 1, arbitrary: fc.constantFrom(Task, class extends Task {} as typeof Task) },
);

/** A cache of queries, as TanStack Query has one. */
class Cache {
  private readonly data: Map<string, unknown> = new Map();

  async fetch(model: typeof Task): Promise<Task> {
    const { queryKey, queryFn } = recordQuery(model, 1);
    const key = JSON.stringify(queryKey);
    const client = { getQueryData: () => this.data.get(key) };
    if (!this.data.has(key)) this.data.set(key, await queryFn({ client, signal: new AbortController().signal }));
    return this.data.get(key) as Task;
  }
}

/** The title that a class reads now. */
const read = async (model: typeof Task): Promise<string | null | undefined> => (await model.load(1)).title;

describe('two classes that read different rows never meet', () => {
  test('in a cache of queries, whatever is chosen in between', () =>
    fc.assert(
      fc.asyncProperty(classes, classes, tenant, tenant, async (A, B, first, second) => {
        const cache = new Cache();
        for (const [model, name] of [
          [A, first],
          [B, second],
        ] as const) {
          present.tenant = name;
          const shown = await cache.fetch(model);
          expect([shown.title, shown.constructor]).toEqual([await read(model), model]);
        }
      }),
      { numRuns: 300 },
    ));

  test('in a rendered page, unless only their headers differ', () =>
    fc.assert(
      fc.asyncProperty(classes, classes, tenant, tenant, async (A, B, first, second) => {
        present.tenant = first;
        const session = new Session();
        const rendered = new Store({ model: A, session });
        await rendered.load();
        const text = stringify(dehydrate(session, [rendered]));
        present.tenant = second;
        const page = new Session();
        hydrate(page, text, [B]);
        const store = new Store({ model: B, session: page });
        const withoutHeader = (title: string | null | undefined) => title?.split(' ')[0];
        const right = withoutHeader(await read(B));
        const scopeOf = (model: typeof Task) => model.proxy.scope;
        for (const shown of [store.getAt(0)?.title, page.getById(B, 1)?.title]) {
          if (shown === undefined) continue;
          expect([withoutHeader(shown), scopeOf(A)]).toEqual([right, scopeOf(B)]);
        }
      }),
      { numRuns: 300 },
    ));

  test('in an outbox', () =>
    fc.assert(
      fc.asyncProperty(classes, classes, tenant, async (A, B, scope) => {
        const storage = { open: () => new Promise<never>(() => undefined) };
        const refusal = (models: (typeof Task)[]): unknown => {
          try {
            new Outbox({ scope, storage: storage as never, models });
            return undefined;
          } catch (error) {
            return (error as { code: unknown }).code;
          }
        };
        const isForeign = [A, B].some(({ proxy }) => (proxy.scope ?? scope) !== scope);
        expect(refusal([A]) === undefined || isForeign).toBe(true);
        if (A.proxy === B.proxy) expect(refusal([A, B]) === undefined).toBe(!isForeign);
        else if (refusal([A, B]) === undefined)
          expect(await Promise.all([A, B].map(read))).toEqual([await read(A), await read(A)]);
      }),
    ));
});

describe('a load in flight', () => {
  const listOf = (store: Store<Task>) => store.getAt(0)?.title;

  test('is shared with an equal one, whatever the order of its parameters', async () => {
    const store = new Store({ model: Task, pageSize: 0 });
    const loads = [store.load({ params: { a: 1, b: 2 } }), store.load({ params: { b: 2, a: 1 } })];
    const [first, second] = await Promise.all(loads);
    expect(first).toBe(second);
    expect(listOf(store)).toContain('?a=1&b=2');
  });

  test('is not shared with that of a tenant who is chosen meanwhile', async () => {
    const proxy = { extraParams: () => ({ tenant: present.tenant }) };
    const store = new Store({ model: Task, pageSize: 0, proxy });
    const loads = ['a', 'b'].map((name) => {
      present.tenant = name;
      return store.load();
    });
    await Promise.all(loads);
    expect(listOf(store)).toContain('?tenant=b');
  });
});

test('two lists of one class whose own proxies differ in their headers only are not rendered, because the page cannot tell them apart', async () => {
  const make = (session: Session, ...scopes: (string | undefined)[]) =>
    ['a', 'b'].map(
      (name, at) =>
        new Store({ model: Task, session, proxy: { headers: { 'X-Tenant': name }, scope: scopes[at] as never } }),
    );
  for (const scopes of [[], ['a', 'b']]) {
    const session = new Session();
    const stores = make(session, ...scopes);
    for (const store of stores) await store.load();
    const page = new Session();
    hydrate(page, stringify(dehydrate(session, stores)), [Task]);
    expect(make(page, ...scopes).map(({ status }) => status.get().loaded)).toEqual(
      scopes.length ? [true, true] : [false, false],
    );
  }
});
