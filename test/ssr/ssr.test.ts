import { conflicts, decimal, etags, type LoadOptions, Model, ReadError, Session, Store } from 'repose';
import { rowOf } from 'repose/extend';
import { dehydrate, hydrate, type RenderedState, stringify } from 'repose/ssr';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

class User extends Model.define({
  name: 'user',
  fields: { id: 'int', name: 'string', joined: 'date', amount: decimal() },
  proxy: server.proxy('/users', { reader: { type: 'json', rootProperty: 'rows' }, use: [etags(), conflicts()] }),
}) {}
class Task extends Model.define({
  name: 'task',
  fields: { id: 'int', title: 'string' },
  proxy: server.proxy('/tasks'),
}) {}

const rows = (...ids: number[]) => ids.map((id) => ({ id, name: `n${id}` }));
const page = (sent: object[], total = sent.length) => ({ json: { rows: sent, total } });
const configOf = (session: Session, more: object = {}) => ({
  model: User,
  session,
  pageSize: 2,
  remoteSort: true,
  ...more,
});
const names = (store: Store<User>) => [...store].map(({ name }) => name);

/** Renders on a server: a store loads in a session of its own, whose state goes to the page as text. */
async function rendered(sent: object[], total?: number, more?: object, load: LoadOptions<User> = {}): Promise<string> {
  const session = new Session();
  const store = new Store(configOf(session, more));
  server.reply(page(sent, total));
  await store.load(load);
  return stringify(dehydrate(session, [store]));
}

/** A state, with the time when it was made. */
function stateOf(text: string, at: number): RenderedState {
  return { ...(JSON.parse(text) as RenderedState), at };
}

describe('a store in the page', () => {
  test('shows the list of the server at once, without a request', async () => {
    const text = await rendered(rows(3, 1), 9);
    const sent = server.requests.length;
    const session = new Session();
    hydrate(session, text, [User]);
    const store = new Store(configOf(session, { autoLoad: true }));
    expect([names(store), store.status.get().loaded, store.total, store.hasMore, store.status.get().loading]).toEqual([
      ['n3', 'n1'],
      true,
      9,
      true,
      false,
    ]);
    expect(store.status.get()).toMatchObject({ loading: false, loaded: true, total: 9, pending: 0 });
    await store.ready;
    expect([...store].map((user) => user.phantom || user.dirty)).toEqual([false, false]);
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(server.requests).toHaveLength(sent);
  });

  test('goes on where the server ended, and loads when it is asked', async () => {
    const text = await rendered(rows(3, 4), 5, {}, { page: 2 });
    const session = new Session();
    hydrate(session, text, [User]);
    const store = new Store(configOf(session));
    expect(store.currentPage).toBe(2);
    server.reply(page(rows(5), 5));
    await store.loadMore();
    expect(server.lines.at(-1)).toContain('page=3&start=4&limit=2');
    expect(names(store)).toEqual(['n3', 'n4', 'n5']);
    server.reply(page(rows(1, 2), 5));
    await store.load();
    expect(names(store)).toEqual(['n1', 'n2']);
  });

  test('may exist before its state comes, and a scheduled first load is not sent then', async () => {
    const text = await rendered(rows(1, 2));
    const sent = server.requests.length;
    const session = new Session();
    const store = new Store(configOf(session, { autoLoad: true }));
    hydrate(session, text);
    await store.ready;
    expect([names(store), server.requests.length, store.status.get().loading]).toEqual([['n1', 'n2'], sent, false]);
  });

  test('shows nothing if it would ask for something else', async () => {
    const text = await rendered(rows(1, 2));
    const session = new Session();
    hydrate(session, text, [User]);
    const others = [
      { sorters: ['name'] },
      { pageSize: 3 },
      { remoteFilter: true, filters: [{ property: 'name', value: 'x' }] },
      { proxy: { extraParams: { team: 1 } } },
    ];
    for (const other of others) expect(new Store(configOf(session, other)).status.get().loaded).toBe(false);
    expect(new Store(configOf(session)).status.get().loaded).toBe(true);
    // The rows themselves are in the session.
    expect(session.getById(User, 1)?.name).toBe('n1');
  });

  test('shares its records with the session and with other stores', async () => {
    const session = new Session();
    hydrate(session, await rendered(rows(1, 2)), [User]);
    const [one, two] = [new Store(configOf(session)), new Store(configOf(session))];
    expect(one.getById(1)).toBe(two.getById(1));
    expect(one.getById(1)).toBe(session.getById(User, 1));
  });

  test('applies local sorters to the rows, unless these are a part of the collection', async () => {
    const local = { remoteSort: false, pageSize: 0 };
    const text = await rendered(rows(2, 1), 2, local);
    const session = new Session();
    hydrate(session, text, [User]);
    expect(names(new Store(configOf(session, { ...local, sorters: ['name'] })))).toEqual(['n1', 'n2']);
    const part = new Session();
    hydrate(part, await rendered(rows(2, 1), 9, { remoteSort: false }), [User]);
    expect(new Store(configOf(part, { remoteSort: false, sorters: ['name'] })).status.get().loaded).toBe(false);
  });

  test('may have a class bound to its user', async () => {
    const session = new Session();
    const Mine = User.with({ proxy: { headers: { Authorization: 'me' } } });
    hydrate(session, await rendered(rows(1, 2)), [Mine]);
    const store = new Store({ ...configOf(session), model: Mine });
    expect([names(store as never), store.getAt(0) instanceof Mine]).toEqual([['n1', 'n2'], true]);
  });

  test('of a list that was empty is loaded', async () => {
    const session = new Session();
    hydrate(session, await rendered([]), [User]);
    const { status, count } = new Store(configOf(session));
    expect([status.get().loaded, count]).toEqual([true, 0]);
  });
});

describe('rows', () => {
  test('keep dates and every digit of long numbers, also in undeclared members', async () => {
    const sent =
      '{"rows":[{"id":1,"name":"a","joined":"2026-03-01T09:00:00+02:00","amount":0.1234567890123456789,"big":9007199254740993,"huge":1e400}],"total":1}';
    const session = new Session();
    const store = new Store(configOf(session));
    server.reply({ headers: { 'Content-Type': 'application/json' }, text: sent });
    await store.load();
    const text = stringify(dehydrate(session, [store]));
    const page = new Session();
    hydrate(page, text, [User]);
    const user = page.getById(User, 1) as User;
    expect([user.amount, (user.joined as Date).toISOString()]).toEqual([
      '0.1234567890123456789',
      '2026-03-01T07:00:00.000Z',
    ]);
    user.name = 'b';
    server.reply({ status: 404 }, { status: 204 });
    await user.save();
    expect(server.requests.at(-1)?.text).toBe(
      '{"id":1,"name":"b","joined":"2026-03-01T09:00:00+02:00","amount":0.1234567890123456789,"big":9007199254740993,"huge":1e400}',
    );
  });

  test('cannot end the script or begin a comment in it', async () => {
    const evil = '</script><!--<script>\u2028\u2029&amp;';
    const text = await rendered([{ id: 1, name: evil, '</script>': 1 }]);
    expect(text).not.toMatch(/[<>&\u2028\u2029]/);
    const session = new Session();
    hydrate(session, text, [User]);
    expect(session.getById(User, 1)?.name).toBe(evil);
  });

  test('named like members of every object are data', async () => {
    const row = '{"id":1,"name":"a","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}';
    const session = new Session();
    server.reply({ text: `{"rows":[${row}],"total":1}`, headers: { 'Content-Type': 'application/json' } });
    const store = new Store(configOf(session));
    await store.load();
    const text = stringify(dehydrate(session, [store]));
    const page = new Session();
    hydrate(page, text, [User]);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
    expect(Object.keys(rowOf(page.getById(User, 1) as never))).toEqual(['id', 'name', '__proto__', 'constructor']);
    const named =
      '{"v":2,"at":1,"models":{"__proto__":{"model":"__proto__","rows":[],"etags":{},"incomplete":[]}},"queries":[]}';
    expect(() => hydrate(new Session(), named, [User])).toThrow("'__proto__'");
  });

  test('become the base of an edited record, which keeps its edits', async () => {
    const text = await rendered([{ id: 1, name: 'server' }]);
    const session = new Session();
    const [user] = session.add(User.fromRow({ id: 1, name: 'given' })) as [User];
    user.name = 'mine';
    hydrate(session, text, [User]);
    expect([user.name, user.dirty, user.$.previousValues, session.getById(User, 1)]).toEqual([
      'mine',
      true,
      { name: 'server' },
      user,
    ]);
  });

  test('of a later state replace those of an earlier one, and never the other way round', async () => {
    const [first, second] = [await rendered([{ id: 1, name: 'first' }]), await rendered([{ id: 1, name: 'second' }])];
    const session = new Session();
    hydrate(session, stateOf(first, 1), [User]);
    const user = session.getById(User, 1) as User;
    user.name = 'mine';
    hydrate(session, stateOf(second, 2), [User]);
    hydrate(session, stateOf(first, 1), [User]);
    expect([user.name, user.$.previousValues]).toEqual(['mine', { name: 'second' }]);
  });

  test('do not replace a row that the session has read or written itself', async () => {
    const text = await rendered([{ id: 1, name: 'old' }]);
    const session = new Session();
    server.reply({ json: { rows: { id: 1, name: 'read' } } });
    const user = await session.load(User, 1);
    hydrate(session, stateOf(text, 1), [User]);
    expect(user.name).toBe('read');
    user.name = 'written';
    server.reply({ status: 204 });
    await user.save();
    hydrate(session, stateOf(text, 3e12), [User]);
    expect(user.name).toBe('written');
    server.reply({ status: 204 });
    await user.erase();
    hydrate(session, stateOf(text, 4e12), [User]);
    expect(session.getById(User, 1)).toBeUndefined();
  });

  test('leave out edits and new records', async () => {
    const session = new Session();
    const store = new Store(configOf(session));
    server.reply(page(rows(1)));
    await store.load();
    (store.getById(1) as User).name = 'edited';
    store.add({ name: 'new' });
    const { models, queries } = dehydrate(session, [store]);
    expect([models['user']?.rows, queries[0]?.ids]).toEqual([rows(1), ['1']]);
  });
});

describe('records outside of stores', () => {
  test('come along with their ETags, which make the next save conditional', async () => {
    const session = new Session();
    server.reply({ json: { rows: { id: 7, name: 'Ada' } }, headers: { ETag: '"a"' } });
    const loaded = await session.load(User, 7);
    const state = dehydrate(session, [loaded]);
    expect(state.models['user']?.etags).toEqual({ 7: { etag: '"a"', read: true } });
    const page = new Session();
    hydrate(page, stringify(state), [User]);
    const user = page.getById(User, 7) as User;
    user.name = 'x';
    server.reply({ status: 204 });
    await user.save();
    expect(server.requests.at(-1)?.headers['if-match']).toBe('"a"');
  });

  test('stay known to be incomplete, so that a PUT reads the whole row first', async () => {
    const session = new Session();
    const incomplete = { proxy: { reader: { type: 'json', rootProperty: 'rows', rows: 'incomplete' } } };
    server.reply(page(rows(1)));
    const store = new Store(configOf(session, incomplete));
    await store.load();
    const page1 = new Session();
    hydrate(page1, stringify(dehydrate(session, [store])), [User]);
    const user = page1.getById(User, 1) as User;
    user.name = 'x';
    server.reply({ json: { rows: { id: 1, name: 'n1', secret: 2 } } }, { status: 204 });
    await user.save();
    expect(server.requests.slice(-2).map(({ method, text }) => [method, text])).toEqual([
      ['GET', ''],
      ['PUT', '{"id":1,"name":"x","secret":2}'],
    ]);
  });

  test('do not vanish while the page has not used them', async () => {
    const session = new Session();
    hydrate(session, await rendered(rows(1)), [User]);
    const { setFlagsFromString } = await import('node:v8');
    const { runInNewContext } = await import('node:vm');
    setFlagsFromString('--expose-gc');
    (runInNewContext('gc') as () => void)();
    expect(session.getById(User, 1)?.name).toBe('n1');
  });
});

describe('a state', () => {
  test('holds no headers, and no parameters of the proxy', async () => {
    const session = new Session();
    const secret = { extraParams: { api_key: 'SECRET' }, headers: { Authorization: 'SECRET' } };
    const store = new Store(configOf(session, { proxy: secret }));
    server.reply(page(rows(1, 2), 9));
    await store.load({ headers: { 'X-Token': 'SECRET' } });
    expect(stringify(dehydrate(session))).not.toContain('SECRET');
  });

  test.each([
    ['no JSON', '<html>', 'it is not JSON'],
    ['a list', '[]', 'an array'],
    ['another version', '{"v":1}', 'version 1'],
    ['no time', '{"v":2}', '`at`'],
    ['no models', '{"v":2,"at":1}', '`models`'],
    ['no queries', '{"v":2,"at":1,"models":{}}', '`queries`'],
    ['an unknown model', '{"v":2,"at":1,"models":{"ghost":{"model":"ghost","rows":[]}},"queries":[]}', "'ghost'"],
    [
      'a row without an id',
      '{"v":2,"at":1,"models":{"user":{"model":"user","place":"","rows":[{"id":1},{"name":"x"}],"etags":{},"incomplete":[]}},"queries":[]}',
      'row 1',
    ],
    [
      'a row that is a list',
      '{"v":2,"at":1,"models":{"user":{"model":"user","place":"","rows":[[]],"etags":{},"incomplete":[]}},"queries":[]}',
      'row 0',
    ],
    [
      'a broken list',
      '{"v":2,"at":1,"models":{"user":{"model":"user","place":"","rows":[{"id":1}],"etags":{},"incomplete":[]}},"queries":[{"model":"user","key":"k","ids":["1"],"paging":{"currentPage":-1}}]}',
      'list',
    ],
  ])('with %s is refused, and changes nothing', (_, text, why) => {
    const session = new Session();
    new Store({ model: Task, session });
    const before = session.status.get();
    const refused = () => hydrate(session, text, [User]);
    expect(refused).toThrow(ReadError);
    expect(refused).toThrow(why);
    expect([session.getById(User, 1), session.status.get()]).toEqual([undefined, before]);
  });
});

test('1,000 interleaved loads of two users never mix', async () => {
  server.always(({ headers, url }) => {
    const token = headers.authorization as string;
    const id = Number(new URL(url, 'http://x').searchParams.get('id') ?? 0);
    return { json: { rows: [{ id, name: `${token}-${id}` }], total: 1 } };
  });
  const render = async (token: string, id: number) => {
    const session = new Session();
    const Mine = User.with({ proxy: { headers: { Authorization: token } } });
    const store = new Store({ model: Mine, session, pageSize: 0 });
    await store.load({ params: { id } });
    return stringify(dehydrate(session, [store]));
  };
  const texts = await Promise.all(
    Array.from({ length: 1000 }, (_, i) => render(i % 2 ? 'ada' : 'bob', Math.floor(i / 2) % 50)),
  );
  for (const [i, text] of texts.entries()) {
    const { models } = JSON.parse(text) as RenderedState;
    expect(models['user']?.rows).toEqual([
      { id: Math.floor(i / 2) % 50, name: `${i % 2 ? 'ada' : 'bob'}-${Math.floor(i / 2) % 50}` },
    ]);
  }
});
