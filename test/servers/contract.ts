import { type AnyDataError, isDataError, Model, type RestProxyConfig, Store } from 'repose';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  type Exchange,
  type RealServer,
  recordingFetch,
  START_TIMEOUT,
  USERS,
  type UserRow,
} from '../helpers/servers/index.js';

export interface ContractOptions {
  /** How the library reaches `users` on this server. The contract itself sets `fetch` and the verb of updates. */
  proxy(server: RealServer): RestProxyConfig;
  /** Address of a user, for requests without the library. */
  address(server: RealServer, id: number): string;
  /** Features that are not tested, each with the reason why the server cannot be tested for it. */
  without?: { readonly validation?: string; readonly location?: string };
}

/** One suite for all real servers: requests that each must accept, and answers that the library must read. */
export function serverContract(name: string, start: () => Promise<RealServer>, options: ContractOptions): void {
  describe(name, () => {
    describe('reading', () => reading(start, options));
    describe('writing', () => writing(start, options));
    describe('a store', () => syncing(start, options));
  });
}

function reading(start: () => Promise<RealServer>, options: ContractOptions): void {
  const host = useServer(start, options);

  test('loads one record by its id', async () => {
    const user = await host.user().load(2);
    expect(user.getId()).toBe(2);
    expect(user.name).toBe('Bob');
    expect(user.age).toBe(25);
    expect(user.phantom).toBe(false);
    expect(user.dirty).toBe(false);
  });

  test('reads null from the server', async () => {
    const user = await host.user().load(60);
    expect(user.age).toBeNull();
  });

  test('rejects with HttpError 404 for an id that does not exist', async () => {
    const error = await failureOf(host.user().load(999_999));
    expect(error).toMatchObject({ name: 'HttpError', code: 'http', status: 404, retryable: false });
  });

  test('loads page after page, with the total', async () => {
    const store = new Store({ model: host.user(), pageSize: 25, remoteSort: true, sorters: ['id'] });
    const pages: number[][] = [];
    for (const page of [1, 2, 3]) {
      const records = await store.load({ page });
      pages.push(records.map((record) => record.id));
      expect(store.totalCount).toBe(60);
    }
    const ids = USERS.map((row) => row.id);
    expect(pages).toEqual([ids.slice(0, 25), ids.slice(25, 50), ids.slice(50)]);
  });

  test('sorts by one field in descending order', async () => {
    const store = new Store({
      model: host.user(),
      pageSize: 20,
      remoteSort: true,
      sorters: [{ property: 'name', direction: 'DESC' }],
    });
    await store.load({ page: 2 });
    const expected = USERS.toSorted((a, b) => compare(b.name, a.name));
    expect(namesOf(store)).toEqual(namesOf(expected.slice(20, 40)));
  });

  test('sorts by two fields, each in its direction', async () => {
    const store = new Store({
      model: host.user(),
      pageSize: 60,
      remoteSort: true,
      sorters: ['team', { property: 'name', direction: 'DESC' }],
    });
    await store.load();
    const expected = USERS.toSorted((a, b) => a.team - b.team || compare(b.name, a.name));
    expect(namesOf(store)).toEqual(namesOf(expected));
  });

  test('filters by a field, and counts the filtered rows alone', async () => {
    const store = new Store({
      model: host.user(),
      pageSize: 10,
      remoteFilter: true,
      filters: [{ property: 'team', value: 1 }],
    });
    const records = await store.load();
    expect(records.map((record) => record.team)).toEqual(Array(10).fill(1));
    expect(store.totalCount).toBe(USERS.filter((row) => row.team === 1).length);
  });

  test('filters by two fields, one of them a text that has to be encoded', async () => {
    const { name, team } = seeded(59);
    const store = new Store({
      model: host.user(),
      pageSize: 10,
      remoteFilter: true,
      filters: [
        { property: 'team', value: team },
        { property: 'name', value: name },
      ],
    });
    await store.load();
    expect([...store].map((record) => record.id)).toEqual([59]);
    expect(store.totalCount).toBe(1);
  });
}

function writing(start: () => Promise<RealServer>, options: ContractOptions): void {
  const host = useServer(start, options);

  describe('create', () => {
    test('sets the id that the server chose', async () => {
      const User = host.user();
      const user = new User({ name: 'Dee', email: 'dee@example.test', age: 22, team: 2 });
      expect(user.phantom).toBe(true);
      await user.save();
      expect(user.phantom).toBe(false);
      expect(user.dirty).toBe(false);
      expect(user.getId()).toBeGreaterThan(60);
      expect(await host.row(user.id)).toMatchObject({
        id: user.id,
        name: 'Dee',
        email: 'dee@example.test',
        age: 22,
        team: 2,
      });
      expect(host.sent()).toMatchObject([{ method: 'POST', status: 201 }]);
      expect(host.sent()[0]?.body).not.toHaveProperty('id'); // the client's own id stays here
    });

    test('reads the id from Location if the answer has no body', async ({ skip }) => {
      if (options.without?.location) skip(options.without.location);
      const bodiless = (response: Response) => new Response(null, response);
      const User = host.user('PUT', bodiless);
      const user = new User({ name: 'Eve', email: 'eve@example.test', age: 23, team: 1 });
      await user.save();
      expect(user.phantom).toBe(false);
      expect(await host.row(user.id)).toMatchObject({ name: 'Eve' });
    });

    test('of an invalid record rejects with the issues by field', async ({ skip }) => {
      if (options.without?.validation) skip(options.without.validation);
      const User = host.user();
      const user = new User({ name: '', email: 'not an address', age: 30, team: 1 });
      const error = await failureOf(user.save());
      expect(error).toMatchObject({ name: 'ValidationError', code: 'validation', status: 400 });
      expect(pathsOf(error)).toEqual(['email', 'name']);
      expect(user.phantom).toBe(true);
      expect(user.$.error).toBe(error);
      expect(Object.keys(user.$.errors).toSorted()).toEqual(['email', 'name']);

      user.set({ name: 'Fay', email: 'fay@example.test' });
      await user.save();
      expect(user.phantom).toBe(false);
      expect(user.$.error).toBeUndefined();
      expect(user.$.errors).toEqual({});
    });
  });

  describe('update', () => {
    test('by PUT sends the whole row as it was received, with the edit', async () => {
      const before = await host.row(60);
      const user = await host.user('PUT').load(60);
      user.name = 'Edited';
      expect(user.dirty).toBe(true);
      await user.save();
      expect(user.dirty).toBe(false);
      expect(host.sent()).toMatchObject([
        { method: 'GET' },
        { method: 'PUT', body: { ...before, name: 'Edited' }, status: 200 },
      ]);
      expect(await host.row(60)).toEqual({ ...before, name: 'Edited' });
    });

    test('by PUT keeps the members that the model does not declare', async () => {
      const before = await host.row(5);
      const user = await host.slim('PUT').load(5);
      user.name = 'Slim';
      await user.save();
      user.name = 'Slimmer'; // based on the row of the first answer
      await user.save();
      expect(before).toMatchObject({ email: seeded(5).email, team: seeded(5).team });
      expect(await host.row(5)).toEqual({ ...before, name: 'Slimmer' });
    });

    test('by PATCH sends the edited field alone', async () => {
      const before = await host.row(6);
      const user = await host.user('PATCH').load(6);
      user.age = null;
      await user.save();
      expect(user.dirty).toBe(false);
      expect(host.sent()[1]).toMatchObject({ method: 'PATCH', status: 200 });
      expect(host.sent()[1]?.body).toEqual({ age: null });
      expect(await host.row(6)).toEqual({ ...before, age: null });
    });

    test('of a record that is gone rejects with HttpError 404 and keeps the edit', async () => {
      const user = await host.user().load(7);
      await host.drop(7);
      user.name = 'Late';
      const error = await failureOf(user.save());
      expect(error).toMatchObject({ name: 'HttpError', code: 'http', status: 404 });
      expect(user.name).toBe('Late');
      expect(user.dirty).toBe(true);
    });

    test('with an invalid value rejects with the issue of its field and keeps the edit', async ({ skip }) => {
      if (options.without?.validation) skip(options.without.validation);
      const user = await host.user().load(8);
      user.email = seeded(9).email; // unique on the server
      const error = await failureOf(user.save());
      expect(error).toMatchObject({ name: 'ValidationError', status: 400 });
      expect(pathsOf(error)).toEqual(['email']);
      expect(user.$.modified).toEqual({ email: seeded(9).email });
      expect(await host.row(8)).toMatchObject({ email: seeded(8).email });
    });
  });

  describe('erase', () => {
    test('removes the record', async () => {
      const user = await host.user().load(10);
      await user.erase();
      expect(user.erased).toBe(true);
      expect(host.sent()[1]).toMatchObject({ method: 'DELETE', body: undefined });
      expect(await host.row(10)).toBeUndefined();
    });

    test('of a record that is gone rejects with HttpError 404', async () => {
      const user = await host.user().load(11);
      await host.drop(11);
      const error = await failureOf(user.erase());
      expect(error).toMatchObject({ name: 'HttpError', code: 'http', status: 404 });
      expect(user.erased).toBe(false);
    });
  });
}

function syncing(start: () => Promise<RealServer>, options: ContractOptions): void {
  const host = useServer(start, options);

  test('writes new, edited and removed records in one sync', async () => {
    const store = new Store({ model: host.user(), pageSize: 10, remoteSort: true, sorters: ['id'] });
    await store.load();
    const total = store.totalCount;
    const added = store.add(
      { name: 'Gus', email: 'gus@example.test', age: 50, team: 1 },
      { name: 'Hal', email: 'hal@example.test', age: 51, team: 2 },
    );
    present(store.getById(1)).name = 'Ada L.';
    present(store.getById(2)).age = 26;
    store.remove(present(store.getById(4)), present(store.getById(5)));

    const batch = await store.sync();
    expect(batch.failures).toEqual([]);
    expect(batch.outcomes.map((outcome) => outcome.action).toSorted()).toEqual([
      'create',
      'create',
      'destroy',
      'destroy',
      'update',
      'update',
    ]);
    expect(added.map((record) => record.phantom)).toEqual([false, false]);
    expect([...store].filter((record) => record.dirty || record.phantom)).toEqual([]);

    expect(await Promise.all(added.map((record) => host.row(record.id)))).toMatchObject([
      { name: 'Gus' },
      { name: 'Hal' },
    ]);
    expect(await host.row(1)).toMatchObject({ ...seeded(1), name: 'Ada L.' });
    expect(await host.row(2)).toMatchObject({ ...seeded(2), age: 26 });
    expect(await Promise.all([4, 5].map((id) => host.row(id)))).toEqual([undefined, undefined]);

    await store.load({ page: 6 });
    expect(store.totalCount).toBe(total); // two more, two fewer
    expect(namesOf(store).slice(-2).toSorted()).toEqual(['Gus', 'Hal']);
    await store.sync(); // nothing left to write
    expect(host.sent().filter((exchange) => exchange.method !== 'GET')).toHaveLength(6);
  });

  test('reports the record that failed and writes the others', async () => {
    const store = new Store({ model: host.user(), pageSize: 10, remoteSort: true, sorters: ['id'] });
    await store.load({ page: 4 });
    const gone = present(store.getAt(0));
    const kept = present(store.getAt(1));
    await host.drop(gone.id);
    gone.name = 'Gone';
    kept.name = 'Kept';

    const batch = await store.sync();
    expect(batch.outcomes).toHaveLength(2);
    expect(batch.failures).toHaveLength(1);
    expect(batch.failures[0]).toMatchObject({ action: 'update', error: { code: 'http', status: 404 } });
    expect(batch.failures[0]?.record).toBe(gone);
    expect(gone.dirty).toBe(true);
    expect(kept.dirty).toBe(false);
    expect(await host.row(kept.id)).toMatchObject({ name: 'Kept' });
  });
}

type Verb = 'PUT' | 'PATCH';

/** A server that runs for the tests of one `describe`, and models that reach it. */
function useServer(start: () => Promise<RealServer>, options: ContractOptions) {
  const exchanges: Exchange[] = [];
  let server: RealServer | undefined;
  const running = () => present(server);

  beforeAll(async () => {
    server = await start();
  }, START_TIMEOUT);
  afterAll(() => server?.stop());
  afterEach((test) => {
    const redirected = exchanges.filter((exchange) => exchange.redirected);
    exchanges.length = 0;
    // Every address has to be the final one: a redirect costs a round trip, and a write its body.
    expect(redirected, test.task.name).toEqual([]);
  });

  const proxy = (verb: Verb, answer?: (response: Response) => Response): RestProxyConfig => ({
    ...options.proxy(running()),
    actionMethods: { update: verb },
    fetch: recordingFetch(exchanges, answer),
  });

  return {
    /** The requests of the library in this test. */
    sent: (): readonly Exchange[] => exchanges,
    /** A model of the whole row. */
    user: (verb: Verb = 'PUT', answer?: (response: Response) => Response) => userModel(proxy(verb, answer)),
    /** A model that declares the name alone. */
    slim: (verb: Verb) => slimModel(proxy(verb)),
    /** The row on the server, fetched without the library; undefined for a row that does not exist. */
    async row(id: number): Promise<Record<string, unknown> | undefined> {
      const response = await fetch(options.address(running(), id));
      const body = (await response.json()) as Record<string, unknown>;
      expect([200, 404]).toContain(response.status);
      return response.ok ? body : undefined;
    },
    /** Removes a row without the library. */
    async drop(id: number): Promise<void> {
      const response = await fetch(options.address(running(), id), { method: 'DELETE' });
      expect(response.ok).toBe(true);
    },
  };
}

function userModel(proxy: RestProxyConfig) {
  return class User extends Model.define({
    name: 'user',
    fields: {
      id: 'int',
      name: 'string',
      email: 'string',
      age: { type: 'int', allowNull: true },
      team: 'int',
    },
    proxy: { type: 'rest', ...proxy },
  }) {};
}

function slimModel(proxy: RestProxyConfig) {
  return class Slim extends Model.define({
    name: 'slim',
    fields: { id: 'int', name: 'string' },
    proxy: { type: 'rest', ...proxy },
  }) {};
}

/** The error that a call of the library rejects with. */
async function failureOf(call: Promise<unknown>): Promise<AnyDataError> {
  const error = await call.then(
    () => {
      throw new Error('The call succeeded.');
    },
    (reason: unknown) => reason,
  );
  if (!isDataError(error)) throw error;
  return error;
}

function pathsOf(error: AnyDataError): string[] {
  return error.code === 'validation' ? error.issues.map((issue) => issue.path.join('.')).toSorted() : [];
}

function namesOf(rows: Iterable<{ readonly name: string }>): string[] {
  return Array.from(rows, (row) => row.name);
}

function seeded(id: number): UserRow {
  return present(USERS.find((row) => row.id === id));
}

/** Order of code units, as the servers sort text. */
function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('There is no such thing.');
  return value;
}
