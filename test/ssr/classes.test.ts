import { type Model as AnyModel, DefinitionError, Model, plain, ReadError, Session, Store } from 'repose';
import { dehydrate, hydrate, type ModelNames, stringify } from 'repose/ssr';
import { describe, expect, test } from 'vitest';

/** Answers each address with one row, whose title says what was asked. */
async function answer(url: string | URL | Request, init?: RequestInit): Promise<Response> {
  const { host, pathname, searchParams } = new URL(String(url));
  const tenant = searchParams.get('tenant') ?? new Headers(init?.headers).get('X-Tenant') ?? 'none';
  return Response.json([{ id: 1, title: `${host}${pathname} ${tenant}` }]);
}

const proxy = { type: 'rest', baseUrl: 'http://a.test', url: '/tasks', dialect: plain(), fetch: answer } as const;
class Task extends Model.define({ name: 'task', fields: { id: 'int', title: 'string' }, proxy }) {}
type TaskClass = typeof Task;

const withTenant = (tenant: string) => Task.with({ proxy: { headers: { 'X-Tenant': tenant } } });

/** The text of a page that was rendered from one list of each class. */
async function rendered(classes: readonly TaskClass[], names?: ModelNames): Promise<string> {
  const session = new Session();
  const stores = classes.map((model) => new Store({ model, session }));
  for (const store of stores) await store.load();
  return stringify(dehydrate(session, stores, names));
}

/** The title that a store and a session of the page show without a request. */
function shownIn(session: Session, model: TaskClass, own: object = {}) {
  const store = new Store({ model, session, ...own });
  return [store.getRange()[0]?.title, session.getById(model, 1)?.title];
}

function pageOf(text: string, models: readonly TaskClass[] | ModelNames): Session {
  const session = new Session();
  hydrate(session, text, models as readonly (typeof AnyModel & TaskClass)[]);
  return session;
}

describe('a store in the page', () => {
  test.each([
    ['url', { url: '/archive' }],
    ['baseUrl', { baseUrl: 'http://b.test' }],
    ['query of its url', { url: '/tasks?archived=1' }],
    ['api.read', { api: { read: '/archive' } }],
    ['extraParams', { extraParams: { tenant: 'b' } }],
    ['pathParams', { url: '/{name}', pathParams: { name: 'archive' } }],
  ])('shows no rows of a class with another %s', async (_, own) => {
    const Other = Task.with({ proxy: own });
    expect(shownIn(pageOf(await rendered([Task]), [Other]), Other)).toEqual([undefined, undefined]);
    expect(shownIn(pageOf(await rendered([Other]), [Task]), Task)).toEqual([undefined, undefined]);
  });

  test('shows no list of another `api.list`, also if the records have the same address', async () => {
    const Other = Task.with({ proxy: { api: { list: '/archive' } } });
    expect(shownIn(pageOf(await rendered([Task]), [Other]), Other)[0]).toBeUndefined();
    expect(shownIn(pageOf(await rendered([Other]), [Task]), Task)[0]).toBeUndefined();
  });

  test("shows no list that its own proxy, or the store's proxy on the server, would ask for elsewhere", async () => {
    const archive = { proxy: { url: '/archive' } };
    expect(shownIn(pageOf(await rendered([Task]), [Task]), Task, archive)[0]).toBeUndefined();
    const session = new Session();
    const store = new Store({ model: Task, session, ...archive });
    await store.load();
    const page = pageOf(stringify(dehydrate(session, [store])), [Task]);
    expect(shownIn(page, Task)[0]).toBeUndefined();
    expect(shownIn(page, Task, archive)[0]).toBe('a.test/archive none');
  });

  test('shows no list that was loaded with headers of the call', async () => {
    const session = new Session();
    const store = new Store({ model: Task, session });
    await store.load({ headers: { 'X-Tenant': 'a' } });
    expect(shownIn(pageOf(stringify(dehydrate(session, [store])), [Task]), Task)[0]).toBeUndefined();
  });

  test('shows rows where the same address is written in another way', async () => {
    const Other = Task.with({
      proxy: { baseUrl: undefined as never, url: 'http://a.test/{name}', pathParams: { name: 'tasks' } },
    });
    const page = pageOf(await rendered([Task]), [Other]);
    expect(shownIn(page, Other)).toEqual(['a.test/tasks none', 'a.test/tasks none']);
  });

  test('shows rows to the class that was given, and not to another class of the model that comes later', async () => {
    const [A, B] = [withTenant('a'), withTenant('b')];
    const page = pageOf(await rendered([A]), [A]);
    expect(shownIn(page, B)).toEqual([undefined, undefined]);
    expect(shownIn(page, A)).toEqual(['a.test/tasks a', 'a.test/tasks a']);
  });
});

describe('two classes of one model', () => {
  test('keep their rows apart by their addresses', async () => {
    const Other = Task.with({ proxy: { url: '/archive' } });
    const page = pageOf(await rendered([Task, Other]), [Other, Task]);
    expect(shownIn(page, Task)).toEqual(['a.test/tasks none', 'a.test/tasks none']);
    expect(shownIn(page, Other)).toEqual(['a.test/archive none', 'a.test/archive none']);
  });

  test('with one address are refused by `dehydrate`', async () => {
    const refused = rendered([withTenant('a'), withTenant('b')]);
    await expect(refused).rejects.toThrow(DefinitionError);
    await expect(refused).rejects.toThrow("Two classes of the model 'task' with the same address");
  });

  test('with one address are refused by `hydrate`, and nothing is changed', async () => {
    const [A, B] = [withTenant('a'), withTenant('b')];
    const text = await rendered([A]);
    const session = new Session();
    expect(() => hydrate(session, text, [A, B])).toThrow(ReadError);
    expect(() => hydrate(session, text, [A, B])).toThrow('more than one of the given classes');
    for (const model of [A, B]) new Store({ model, session });
    expect(() => hydrate(session, text)).toThrow('more than one of the given classes');
    hydrate(session, text, [A, A]);
    expect([session.getById(A, 1)?.title, session.getById(B, 1)]).toEqual(['a.test/tasks a', undefined]);
  });

  test('with one address are kept apart by their names', async () => {
    const [A, B] = [withTenant('a'), withTenant('b')];
    for (const names of [{ a: A, b: B }, { task: A, b: B }, { b: A, task: B }, { b: B }]) {
      const text = await rendered([A, B], names);
      const page = new Session();
      hydrate(page, text, names);
      const given = Object.values(names);
      for (const [model, title] of [
        [A, 'a.test/tasks a'],
        [B, 'a.test/tasks b'],
      ] as const)
        if (given.includes(model)) expect(shownIn(page, model)).toEqual([title, title]);
    }
  });

  test('under a name that `hydrate` does not get are refused', async () => {
    const A = withTenant('a');
    const text = await rendered([A], { a: A });
    for (const models of [[A], { b: A }]) expect(() => pageOf(text, models)).toThrow('rows under the name');
    class Note extends Model.define({ name: 'note', fields: { id: 'int' }, proxy }) {}
    expect(() => pageOf(text, { a: Note as never, b: A })).toThrow("no class of the model 'task'");
  });
});

test('a named class has its rows and lists also where the page has another base address than the server', async () => {
  const Inner = Task.with({ proxy: { baseUrl: 'http://inner.test:8080/v1' } });
  const Outer = Task.with({ proxy: { baseUrl: 'http://page.test/api' } });
  const page = pageOf(await rendered([Inner], { task: Inner }), { task: Outer });
  expect(shownIn(page, Outer)).toEqual(['inner.test:8080/v1/tasks none', 'inner.test:8080/v1/tasks none']);
  const archive = { proxy: { url: '/archive' } };
  expect(shownIn(page, Outer, archive)[0]).toBeUndefined();
});
