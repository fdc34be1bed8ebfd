import fc from 'fast-check';
import { isDataError, Model, plain, Session, Store } from 'repose';
import { memoryStorage, type Outbox } from 'repose/outbox';
import { dehydrate, hydrate, stringify } from 'repose/ssr';
import { type QueryOf, recordQuery } from 'repose/tanstack-query';
import { expect, test, vi } from 'vitest';
import { openOutbox } from '../outbox/open-outbox.js';

// Whatever two bound classes do in one page, no row of one is ever seen by the other.

vi.setConfig({ testTimeout: 60_000 });

/** The place that a class reads from, and its tenant. */
const binding = fc.record({
  host: fc.constantFrom('http://a.test', 'http://b.test'),
  path: fc.constantFrom('/tasks', '/archive', '/{tenant}/tasks'),
  header: fc.constantFrom(undefined, 'ada', 'bob'),
  isFunction: fc.boolean(),
  param: fc.constantFrom(undefined, 'x', 'y'),
  pathParam: fc.constantFrom('p', 'q'),
});
type Binding = ReturnType<typeof binding.generate>['value'];

/** Two bindings, of which the second mostly differs in one member only. */
const pair = fc
  .tuple(binding, binding, fc.constantFrom('host', 'path', 'header', 'param', 'pathParam', undefined))
  .map(([one, other, member]): [Binding, Binding] => [one, member ? { ...one, [member]: other[member] } : other])
  .filter(([one, two]) => ownerOf(one) !== ownerOf(two));

/** The owner of all rows that a class may see, as the server tells it in each row. */
function ownerOf({ host, path, header, param, pathParam }: Binding): string {
  return [host + path.replace('{tenant}', pathParam), header ?? '-', param ?? '-'].join(' ');
}

const which = fc.constantFrom(0, 1);
const id = fc.integer({ min: 1, max: 3 });
const step = fc.oneof(
  fc.record({ do: fc.constant('open' as const), which, autoLoad: fc.boolean(), local: fc.boolean() }),
  fc.record({ do: fc.constant('load' as const), which, id }),
  fc.record({ do: fc.constant('query' as const), which, id, withStore: fc.boolean() }),
  fc.record({ do: fc.constant('edit' as const), which, id }),
  fc.record({ do: fc.constant('render' as const), named: fc.boolean(), given: fc.subarray([0, 1]) }),
);
type Step = ReturnType<typeof step.generate>['value'];

class Task extends Model.define({
  name: 'task',
  fields: { id: 'int', owner: 'string', title: 'string' },
  proxy: { type: 'rest', url: '/tasks', dialect: plain() },
}) {}

/** Answers with rows that tell whose they are. Writes get no response, so that an outbox keeps them. */
async function answer(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  if (init?.method !== 'GET') throw new TypeError('fetch failed');
  const { origin, pathname, searchParams } = new URL(String(input));
  const [, collection = '', single] = /^(.*?)(?:\/(\d))?$/.exec(pathname) ?? [];
  const header = new Headers(init.headers).get('X-Tenant') ?? '-';
  const owner = [origin + collection, header, searchParams.get('param') ?? '-'].join(' ');
  const row = (number: number) => ({ id: number, owner, title: `t${number}` });
  return Response.json(single ? row(Number(single)) : [1, 2, 3].map(row));
}

class Page {
  session: Session = new Session();
  readonly classes: readonly (typeof Task)[];
  private readonly entries: Map<string, unknown> = new Map();
  private stores: Store<Task>[] = [];
  private readonly seen: [Task, number][] = [];
  renderings = 0;

  constructor(
    private readonly bindings: readonly Binding[],
    readonly outboxes: readonly Outbox[],
  ) {
    this.classes = bindings.map(({ host, path, header, isFunction, param, pathParam }, at) => {
      const headers = header === undefined ? {} : { 'X-Tenant': header };
      const extraParams = param === undefined ? {} : { param };
      const use = outboxes.slice(at, at + 1);
      const own = { baseUrl: host, url: path, pathParams: { tenant: pathParam }, use, fetch: answer };
      return Task.with({
        proxy: isFunction
          ? { ...own, headers: () => headers, extraParams: () => extraParams }
          : { ...own, headers, extraParams },
      });
    });
  }

  async take(next: Step): Promise<void> {
    if (next.do === 'render') return this.render(next.named, next.given);
    const model = this.classes[next.which] as typeof Task;
    if (next.do === 'open') {
      const { autoLoad, local } = next;
      const store = new Store({ model, session: this.session, autoLoad, pageSize: local ? 0 : 3 });
      this.stores.push(store);
      if (autoLoad) await store.ready;
      return;
    }
    if (next.do === 'load') return this.see(await this.session.load(model, next.id), next.which);
    if (next.do === 'edit') {
      const task = this.session.getById(model, next.id);
      if (!task) return;
      task.title = `edited by ${next.which}`;
      return void (await task.save().catch((error: unknown) => expect(isDataError(error)).toBe(true)));
    }
    const store = next.withStore ? this.stores.at(-1) : undefined;
    this.see(await this.fetchQuery(recordQuery(model, next.id, store && { store })), next.which);
  }

  /** Does with a query what a client of TanStack Query does while the entry is fresh. */
  private async fetchQuery({ queryKey, queryFn }: QueryOf<Task>): Promise<Task> {
    const key = JSON.stringify(queryKey);
    const client = { getQueryData: (asked: readonly unknown[]) => this.entries.get(JSON.stringify(asked)) };
    if (!this.entries.has(key)) this.entries.set(key, await queryFn({ client, signal: new AbortController().signal }));
    return this.entries.get(key) as Task;
  }

  private see(task: Task, by: number): void {
    this.seen.push([task, by]);
  }

  /** Goes on in a page that was rendered from this session. What cannot be told apart must be refused. */
  private render(named: boolean, given: readonly number[]): void {
    const [one, two] = this.classes as [typeof Task, typeof Task];
    const names = { one, two };
    const page = new Session();
    try {
      const text = named ? stringify(dehydrate(this.session, [], names)) : stringify(dehydrate(this.session));
      // A page whose classes differ in their headers gives both: which of them has the rows cannot be told, and is refused.
      const [one, two] = this.bindings as [Binding, Binding];
      const isSamePlace = ownerOf({ ...one, header: undefined }) === ownerOf({ ...two, header: undefined });
      const models = isSamePlace ? this.classes : given.map((at) => this.classes[at] as typeof Task);
      hydrate(page, text, named ? names : models);
      this.renderings += 1;
    } catch (error) {
      expect(isDataError(error)).toBe(true);
      return;
    }
    this.stores = [];
    this.session = page;
  }

  check(): void {
    for (const [at, model] of this.classes.entries()) {
      const own = ownerOf(this.bindings[at] as Binding);
      const records = [
        ...this.stores.filter((store) => store.model === model).flatMap((store) => store.getRange()),
        ...[1, 2, 3].flatMap((number) => this.session.getById(model, number) ?? []),
        ...this.seen.filter(([, by]) => by === at).map(([task]) => task),
      ];
      for (const record of records) {
        expect(record.constructor).toBe(model);
        // A record that an outbox has restored holds the edited members only.
        if (record.owner) expect(record.owner).toBe(own);
        expect(record.title).not.toBe(`edited by ${1 - at}`);
      }
    }
  }
}

test('two random bound classes never see a row of one another: in stores, sessions, queries, rendered pages, outboxes', async () => {
  let renderings = 0;
  await fc.assert(
    fc.asyncProperty(pair, fc.array(step, { maxLength: 12 }), async (bindings, steps) => {
      const outboxes = await Promise.all(
        bindings.map((_, at) => openOutbox({ scope: String(at), storage: memoryStorage(), autoStart: false })),
      );
      const page = new Page(bindings, outboxes);
      for (const next of steps) {
        await page.take(next);
        page.check();
      }
      renderings += page.renderings;
      await Promise.all(outboxes.map((each) => each.close()));
    }),
    { numRuns: 200 },
  );
  expect(renderings).toBeGreaterThan(20);
});
