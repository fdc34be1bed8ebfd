import { filterTemplates, Model, plain, reference, Session } from 'repose';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';
import { sentLines, server, Task, User } from './support.js';

const names = { 1: 'Ada', 2: 'Grace', 3: 'Edsger' } as Record<number, string>;

const plainServer = useRestServer();
class Person extends Model.define({
  name: 'person',
  fields: { id: 'int', name: 'string' },
  proxy: {
    ...plainServer.proxy('/people'),
    dialect: plain(),
  },
}) {}
class Order extends Model.define({
  name: 'order',
  fields: { id: 'int', buyerId: reference('int', { allowNull: true }) },
  proxy: { ...plainServer.proxy('/orders'), dialect: plain() },
}) {
  static override references() {
    return { buyerId: Person };
  }
}
const order = (id: number, buyerId: number | null) => Order.fromRow({ id, buyerId });
const person = (id: number) => ({ id, name: names[id] });

/** Answers like a server that can filter by a list of ids, and gives at most `cap` rows. */
function filtering({ cap = 100, ignores = false } = {}) {
  plainServer.always(({ url }) => {
    const { searchParams, pathname } = new URL(url, 'http://a.test');
    const one = /\/people\/(\d+)$/.exec(pathname);
    if (one) return names[Number(one[1])] ? { json: person(Number(one[1])) } : { status: 404, json: {} };
    const asked = searchParams.getAll('id').map(Number);
    const rows = ignores ? [9, 8, 7].map((id) => ({ id, name: 'x' })) : asked.filter((id) => names[id]).map(person);
    const page = Number(searchParams.get('page') ?? 1);
    return { json: rows.slice((page - 1) * cap, page * cap) };
  });
}
const asked = () => plainServer.requests.map(({ method, url }) => `${method} ${decodeURIComponent(url)}`);

describe('resolve()', () => {
  test('reads what many records refer to in one request, and gives the found record of each', async () => {
    filtering();
    const session = new Session();
    const orders = [order(1, 1), order(2, 2), order(3, 1), order(4, null), order(5, 77)];
    const buyers = await session.resolve(Order, orders, 'buyerId');
    // An id that did not come is asked for once more: the server may give fewer rows for a page.
    const line = (ids: string) => expect.stringMatching(new RegExp(`^GET /people\\?.*${ids}`));
    expect(asked()).toEqual([line('id=1&id=2&id=77'), line('id=77')]);
    expect(orders.map((each) => buyers.get(each)?.name)).toEqual(['Ada', 'Grace', 'Ada', undefined, undefined]);
    expect(session.getById(Person, 1)).toBe(buyers.get(orders[0] as Order));
    // A record that the session has is not read again.
    expect((await session.resolve(Order, [order(6, 2)], 'buyerId')).size).toBe(1);
    expect(plainServer.requests.length).toBe(2);
  });

  test('shares the request with other calls of the same turn, and with calls for ids that are being read', async () => {
    filtering();
    const session = new Session();
    const held = plainServer.hold();
    const first = [session.resolve(Order, [order(1, 1)], 'buyerId'), session.resolve(Order, [order(2, 2)], 'buyerId')];
    await held.request;
    const later = session.resolve(Order, [order(3, 2)], 'buyerId');
    held.answer({ json: [person(1), person(2)] });
    const all = await Promise.all([...first, later]);
    expect(all.map((found) => [...found.values()].map(({ name }) => name))).toEqual([['Ada'], ['Grace'], ['Grace']]);
    expect(plainServer.requests.length).toBe(1);
  });

  test('reads on where the server gives fewer rows for a page', async () => {
    filtering({ cap: 2 });
    const found = await new Session().resolve(Order, [order(1, 1), order(2, 2), order(3, 3)], 'buyerId');
    expect([...found.values()].map(({ name }) => name)).toEqual(['Ada', 'Grace', 'Edsger']);
  });

  test('asks for each id once where the server ignores the filter', async () => {
    filtering({ ignores: true });
    const orders = [order(1, 1), order(2, 2), order(3, 1), order(4, 77)];
    const found = await new Session().resolve(Order, orders, 'buyerId');
    expect(orders.map((each) => found.get(each)?.name)).toEqual(['Ada', 'Grace', 'Ada', undefined]);
    expect(asked().slice(1).sort()).toEqual(['GET /people/1', 'GET /people/2', 'GET /people/77']);
  });

  test('asks for each id once where the dialect has no filter by a list of ids', async () => {
    class Plain extends Model.define({
      name: 'plain',
      fields: { id: 'int', name: 'string' },
      proxy: { ...plainServer.proxy('/people'), dialect: plain({ filter: filterTemplates({ eq: '{name}' }) }) },
    }) {}
    class Reader extends Order {
      static override references(): never {
        return { buyerId: Plain } as never;
      }
    }
    filtering();
    const readers = [1, 2, 2].map((buyerId, id) => Reader.fromRow({ id: id + 1, buyerId }));
    expect((await new Session().resolve(Reader as typeof Order, readers, 'buyerId')).size).toBe(3);
    expect(asked()).toEqual(['GET /people/1', 'GET /people/2']);
  });

  test('asks for at most six single records at a time', async () => {
    let [running, most] = [0, 0];
    plainServer.always(async ({ path }) => {
      const [, id] = /\/people\/(\d+)$/.exec(path) ?? [];
      if (!id) return { json: [{ id: 9, name: 'x' }] };
      most = Math.max(most, (running += 1));
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return { json: { id: Number(id), name: id } };
    });
    const orders = Array.from({ length: 20 }, (_, at) => order(at + 1, at + 100));
    expect((await new Session().resolve(Order, orders, 'buyerId')).size).toBe(20);
    expect(plainServer.requests.length).toBe(21);
    expect(most).toBeLessThanOrEqual(6);
  });

  test('finds a new record of the session by its temporary id, and refuses one that the session does not have', async () => {
    const session = new Session();
    const user = session.create(User, { name: 'new' });
    const task = new Task({ title: 'Write', ownerId: user.id });
    expect((await session.resolve(Task, [task], 'ownerId')).get(task)).toBe(user);
    const foreign = new Task({ title: 'Write', ownerId: new User({ name: 'other' }).id });
    await expect(session.resolve(Task, [foreign], 'ownerId')).rejects.toMatchObject({ code: 'address' });
    expect(sentLines()).toEqual([]);
  });

  test('rejects for a field that refers to nothing, and with the error of its request', async () => {
    const session = new Session();
    await expect(session.resolve(Task, [], 'title' as never)).rejects.toMatchObject({ code: 'definition' });
    server.always(() => ({ status: 500 }));
    const task = Task.fromRow({ id: 1, ownerId: 3 });
    await expect(session.resolve(Task, [task], 'ownerId')).rejects.toMatchObject({ code: 'http', status: 500 });
    server.always(() => ({ json: { id: 3, name: 'Ada' } }));
    expect((await session.resolve(Task, [task], 'ownerId')).get(task)?.name).toBe('Ada');
  });
});
