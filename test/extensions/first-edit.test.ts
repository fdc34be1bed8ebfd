import { ConflictError, conflicts, embed, etags, Model, plain, retry, Store, type StoreConfig } from 'repose';
import { LAYERS, type Write, type WriteStep } from 'repose/extend';
import { memoryStorage, Outbox } from 'repose/outbox';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();
const ROW = { id: 7, name: 'old', note: 'a' };
const A = { ETag: '"a"' };

const define = (config: object = {}) =>
  class extends Model.define({
    name: 'task',
    fields: { id: 'int', name: 'string', note: 'string', extra: 'string' },
    proxy: server.proxy('/tasks', { noCache: false, dialect: plain(), use: [etags(), conflicts()], ...config }),
  }) {};
type Task = InstanceType<ReturnType<typeof define>>;

/** The record of a list without ETags. */
async function listed(config: object = {}, row: object = ROW): Promise<Task> {
  const store = new Store({ model: define(config), pageSize: 0 });
  server.reply({ json: [row] });
  const [task] = await store.load();
  return task as Task;
}
const edited = (task: Task) => task.set({ name: 'mine' }).save();
const lines = () => server.lines.slice(1);
const WHOLE = { actionMethods: { update: 'PUT' } };

async function conflictOf(write: Promise<unknown>): Promise<ConflictError> {
  const error = await write.catch((reason: unknown) => reason);
  if (!(error instanceof ConflictError)) throw error;
  return error;
}

describe('the first write of a row whose ETag is unknown', () => {
  test.each<[string, (task: Task) => Promise<unknown>, object, string]>([
    ['PATCH', edited, {}, 'PATCH'],
    ['PUT', edited, WHOLE, 'PUT'],
    ['erase', (task) => task.erase(), {}, 'DELETE'],
  ])('reads the row, and goes with its ETag: %s', async (_, write, config, verb) => {
    const task = await listed(config);
    server.reply({ headers: A, json: { ...ROW, extra: 'lists leave it out' } }, { status: 204 });
    await write(task);
    expect(lines()).toEqual(['GET /tasks/7', `${verb} /tasks/7`]);
    expect(server.last.headers['if-match']).toBe('"a"');
    expect(task.dirty).toBe(false);
  });

  test.each<[string, (task: Task) => Promise<unknown>, object, object]>([
    ['PATCH, in the edited field', edited, {}, { name: 'theirs' }],
    ['PUT, in any field', edited, WHOLE, { note: 'theirs' }],
    ['erase, in any field', (task) => task.erase(), {}, { note: 'theirs' }],
  ])('is a conflict if the row has changed, and nothing is sent: %s', async (_, write, config, change) => {
    const task = await listed(config);
    const theirs = { ...ROW, ...change };
    server.reply({ headers: A, json: theirs });
    const error = await conflictOf(write(task));
    expect(lines()).toEqual(['GET /tasks/7']);
    expect(error).toMatchObject({ code: 'conflict', reason: 'conflict-unsent', base: ROW, theirs });
    expect(task.$.error).toBe(error);
    expect(task.erased).toBe(false);
    server.reply({ status: 204 });
    await error.keepMine();
    expect(lines()).toHaveLength(2);
    expect(server.last.headers['if-match']).toBe('"a"');
  });

  test('a PATCH goes if only other fields have changed, or if the server has what it writes', async () => {
    for (const theirs of [{ note: 'theirs' }, { name: 'mine' }]) {
      server.reset();
      const task = await listed();
      server.reply({ headers: A, json: { ...ROW, ...theirs } }, { status: 500 });
      await expect(edited(task)).rejects.toMatchObject({ status: 500 });
      expect(server.last.headers['if-match']).toBe('"a"');
      // The record did not get the ETag that was read: after an unclear answer, the next write reads again.
      server.reply({ headers: { ETag: '"b"' }, json: { ...ROW, ...theirs } }, { status: 204 });
      await task.save();
      expect(server.last.headers['if-match']).toBe('"b"');
    }
  });

  test.each<[string, object, Record<string, string>]>([
    ['etags()', {}, A],
    ["conflicts({ compare: 'read' })", { use: [conflicts({ compare: 'read' })] }, {}],
  ])('a PUT takes along what others have changed in undeclared members: %s', async (_, config, headers) => {
    const task = await listed({ ...WHOLE, ...config }, { ...ROW, secret: 'old', inner: { a: 1 } });
    const theirs = { ...ROW, secret: 'theirs', inner: { a: 2 } };
    server.reply({ headers, json: theirs }, { status: 204 });
    await edited(task);
    expect(lines()).toEqual(['GET /tasks/7', 'PUT /tasks/7']);
    expect(server.last.body).toEqual({ ...theirs, name: 'mine' });
    // The response had no row, so that the next request is made of what was read.
    server.reply({ headers, json: { ...theirs, name: 'mine' } }, { status: 204 });
    await task.set({ name: 'next' }).save();
    expect(server.last.body).toEqual({ ...theirs, name: 'next' });
  });

  test('a PATCH of a member takes along what others have changed beside the edited field', async () => {
    class Person extends Model.define({
      name: 'person',
      fields: { id: 'int', city: { type: 'string', mapping: 'address.city' } },
      proxy: server.proxy('/people', { dialect: plain(), use: [etags(), conflicts()] }),
    }) {}
    server.reply({ json: [{ id: 7, address: { city: 'Rome', zip: '1' } }] });
    const [person] = await new Store({ model: Person, pageSize: 0 }).load();
    server.reply({ headers: A, json: { id: 7, address: { city: 'Rome', zip: '2' } } }, { status: 204 });
    await person?.set({ city: 'Oslo' }).save();
    expect(server.last.body).toEqual({ address: { city: 'Oslo', zip: '2' } });
  });

  test('shows what was read, and the next edit is made on it', async () => {
    const task = await listed();
    server.reply({ headers: A, json: { ...ROW, note: 'theirs' } }, { status: 204, headers: { ETag: '"b"' } });
    await edited(task);
    expect([task.note, task.name, task.dirty]).toEqual(['theirs', 'mine', false]);
    server.reply({ status: 204 });
    await task.set({ note: 'mine' }).save();
    expect([server.last.headers['if-match'], server.last.body]).toEqual(['"b"', { note: 'mine' }]);
  });

  test('keeps what the row has in lists alone on show', async () => {
    const task = await listed({}, { ...ROW, extra: 'in lists alone' });
    server.reply({ headers: A, json: { ...ROW, note: 'theirs' } }, { status: 204 });
    await edited(task);
    expect([task.note, task.extra]).toEqual(['theirs', 'in lists alone']);
  });

  test.each<[string, Pick<StoreConfig<Task>, 'filters' | 'sorters'>]>([
    ['which its filters may leave out', { filters: [{ property: 'note', value: 'a' }] }],
    ['in which it may have moved', { sorters: ['note'] }],
  ])('tells a list %s that others have changed the row', async (_, query) => {
    const store = new Store({ model: define(), pageSize: 1, ...query, remoteSort: true, remoteFilter: true });
    server.reply({ json: [ROW], headers: { 'X-Total-Count': '2' } });
    const [task] = await store.load();
    server.reply({ headers: A, json: { ...ROW, note: 'b' } }, { status: 204 });
    await edited(task as Task);
    expect(store.status.get().staleReason).toBe('movedRow');
  });

  test('merge() after such a conflict sends the decision with the ETag that was read', async () => {
    const task = await listed();
    server.reply({ headers: A, json: { ...ROW, name: 'theirs' } }, { status: 204 });
    await (await conflictOf(edited(task))).merge(({ mine, theirs }) => `${String(mine)} and ${String(theirs)}`);
    expect(server.last.body).toEqual({ name: 'mine and theirs' });
    expect(server.last.headers['if-match']).toBe('"a"');
  });

  test('a server whose reads bring no ETag is asked once, until a response has one', async () => {
    const task = await listed();
    server.reply({ json: ROW }, { status: 204 }, { status: 204 });
    await edited(task);
    await task.set({ name: 'again' }).save();
    expect(lines()).toEqual(['GET /tasks/7', 'PATCH /tasks/7', 'PATCH /tasks/7']);
    expect(server.last.headers).not.toHaveProperty('if-match');
    server.reply({ headers: A, json: { ...ROW, name: 'again' } }, { status: 204 });
    await task.load();
    await task.set({ name: 'third' }).save();
    expect(server.last.headers['if-match']).toBe('"a"');
  });

  test.each([404, 405])('a server that answers the read with %i gets the write, and is asked once', async (status) => {
    const task = await listed();
    server.reply({ status }, { status: 204 }, { status: 204 });
    await edited(task);
    await task.set({ name: 'again' }).save();
    expect(lines()).toEqual(['GET /tasks/7', 'PATCH /tasks/7', 'PATCH /tasks/7']);
  });

  test('fails with the error of a read without a usable response, and sends nothing', async () => {
    const task = await listed();
    server.reply({ status: 500 });
    await expect(edited(task)).rejects.toMatchObject({ status: 500 });
    expect(lines()).toEqual(['GET /tasks/7']);
    expect(task).toMatchObject({ name: 'mine', dirty: true });
  });

  test('sends the values of the save, whatever is edited while the row is read', async () => {
    const task = await listed();
    server.reply({ headers: A, json: ROW }, { status: 204 });
    const saving = edited(task);
    task.name = 'later';
    await saving;
    expect(server.last.body).toEqual({ name: 'mine' });
    expect(task).toMatchObject({ name: 'later', dirty: true });
  });

  test('goes with an ETag also where the record was loaded after its values were captured', async () => {
    const loading = {
      name: 'loading',
      layer: LAYERS.outbox,
      write: async (write: Write, next: WriteStep) => {
        if (write.action === 'update') await task.load();
        return next(write);
      },
    };
    const task = await listed({ ...WHOLE, use: [etags(), conflicts(), loading] });
    server.reply({ headers: A, json: ROW }, { headers: A, json: ROW }, { status: 204 });
    await edited(task);
    expect(server.last).toMatchObject({ method: 'PUT', headers: { 'if-match': '"a"' } });
  });

  test("`unknown: 'send'` sends the write at once", async () => {
    const task = await listed({ use: [etags({ unknown: 'send' }), conflicts()] });
    server.reply({ status: 204 });
    await edited(task);
    expect(lines()).toEqual(['PATCH /tasks/7']);
    // @ts-expect-error -- only 'read' and 'send'
    expect(() => etags({ unknown: 'ask' })).toThrow(/unknown/);
  });
});

describe('a lock version after an answer without the row', () => {
  const VERSIONED = { dialect: plain({ lockVersion: 'rev' }) };
  const one = { ...ROW, rev: 1 };
  const two = { ...ROW, name: 'mine', rev: 2 };

  /** A record that was read by itself and saved once; `answer` is the response to this save. */
  async function saved(answer: object, config: object = {}) {
    const Task = define({ ...VERSIONED, ...config });
    server.reply({ json: one }, answer);
    const task = await Task.load(7);
    await edited(task);
    expect(server.last.body).toMatchObject({ name: 'mine', rev: 1 });
    return task;
  }

  test.each([
    ['204', { status: 204 }],
    ['a short answer', { json: { ok: true } }],
  ])('is read before the next save, with which it goes: %s', async (_, answer) => {
    const task = await saved(answer);
    server.reply({ json: two }, { json: { ...two, name: 'next', rev: 3 } }, { status: 204 });
    await task.set({ name: 'next' }).save();
    expect(server.lines.slice(2)).toEqual(['GET /tasks/7', 'PATCH /tasks/7']);
    expect(server.last.body).toEqual({ name: 'next', rev: 2 });
    // The response had the version.
    await task.set({ name: 'last' }).save();
    expect([server.lines.length, server.last.body]).toEqual([5, { name: 'last', rev: 3 }]);
  });

  test('is not read where the answer had it, or where the record was loaded since', async () => {
    const task = await saved({ json: { id: 7, rev: 2 } });
    server.reply({ status: 204 }, { json: { ...two, rev: 3 } }, { status: 204 });
    await task.set({ name: 'next' }).save();
    expect(server.last.body).toEqual({ name: 'next', rev: 2 });
    await task.load();
    await task.set({ name: 'last' }).save();
    expect(server.lines.slice(2)).toEqual(['PATCH /tasks/7', 'GET /tasks/7', 'PATCH /tasks/7']);
    expect(server.last.body).toEqual({ name: 'last', rev: 3 });
  });

  test('is a conflict if somebody else has changed the edited field in between, and nothing is sent', async () => {
    const task = await saved({ status: 204 });
    server.reply({ json: { ...two, name: 'theirs', rev: 3 } });
    const error = await conflictOf(task.set({ name: 'next' }).save());
    expect([error.reason, server.lines.slice(2)]).toEqual(['conflict-unsent', ['GET /tasks/7']]);
    server.reply({ status: 204 });
    await error.keepMine();
    expect(server.last.body).toEqual({ name: 'next', rev: 3 });
  });

  test('is read for each record of a bulk save', async () => {
    const tasks = new Store({ model: define({ ...VERSIONED, batchActions: true }), pageSize: 0 });
    server.reply({ json: [one, { ...one, id: 8 }] }, { status: 204 });
    await tasks.load();
    for (const task of tasks) task.set({ name: 'mine' });
    await tasks.sync();
    expect(lines()).toEqual(['PATCH /tasks']);
    for (const id of [7, 8]) {
      server.reply({ json: { ...two, id } }, { status: 204 });
      await tasks.getById(id)?.set({ name: 'next' }).save();
      expect([server.lines.slice(-2), server.last.body]).toEqual([
        [`GET /tasks/${id}`, `PATCH /tasks/${id}`],
        { name: 'next', rev: 2 },
      ]);
    }
  });

  test('of a whole row is read as well', async () => {
    const task = await saved({ status: 204 }, WHOLE);
    server.reply({ json: { ...two, note: 'mine too' } }, { status: 204 });
    await task.set({ note: 'mine too' }).save();
    expect([server.lines.slice(2), server.last.body]).toEqual([
      ['GET /tasks/7', 'PUT /tasks/7'],
      { ...two, note: 'mine too' },
    ]);
  });

  test('is read before an outbox sends the next save', async () => {
    const outbox = new Outbox({ scope: 'ada', storage: memoryStorage() });
    const task = await saved({ status: 204 }, { use: [etags(), conflicts(), outbox] });
    server.reply({ json: two }, { status: 204 });
    await task.set({ name: 'next' }).save();
    await outbox.send();
    expect(server.lines.slice(2)).toEqual(['GET /tasks/7', 'PATCH /tasks/7']);
    expect(server.last.body).toEqual({ name: 'next', rev: 2 });
    await outbox.close();
  });
});

test('a repeated update that the server had done shows what others have changed since, not yet seen by whoever edits it', async () => {
  server.reply({ headers: A, json: ROW });
  const task = await define({ use: [etags(), conflicts(), retry({ limit: 1, random: () => 0 })] }).load(7);
  const theirs = { ...ROW, name: 'theirs', note: 'mine' };
  server.reply({ status: 503 }, { status: 412 }, { headers: { ETag: '"b"' }, json: theirs });
  const saving = task.set({ note: 'mine' }).save();
  task.name = 'typed';
  await saving;
  expect(lines()).toEqual(['PATCH /tasks/7', 'PATCH /tasks/7', 'GET /tasks/7']);
  expect(task.$.modified).toEqual({ name: 'typed' });
  expect(await conflictOf(task.save())).toMatchObject({ reason: 'conflict-unsent', theirs });
  expect(lines()).toHaveLength(3);
});

test('a repeated update with a new line that the server had done is no conflict', async () => {
  class Line extends Model.define({ fields: { id: 'int', text: 'string' } }) {}
  class Order extends Model.define({
    fields: { id: 'int', lines: embed([Line]) },
    proxy: server.proxy('/orders', {
      dialect: plain(),
      use: [etags(), conflicts(), retry({ limit: 1, random: () => 0 })],
    }),
  }) {}
  const line = { id: 1, text: 'a' };
  server.reply({ headers: A, json: { id: 7, lines: [line] } });
  const order = await Order.load(7);
  const sorted = [{ id: 2, text: 'b' }, line];
  server.reply({ status: 503 }, { status: 412 }, { headers: { ETag: '"b"' }, json: { id: 7, lines: sorted } });
  await order.set({ lines: [...(order.lines ?? []), new Line({ text: 'b' })] }).save();
  expect([order.dirty, order.lines?.map(({ id }) => id)]).toEqual([false, [2, 1]]);
});

test.each<[string, readonly object[], readonly object[]]>([
  ['in another order', [{ day: 'mo' }, { day: 'tu' }], [{ day: 'tu' }, { day: 'mo' }]],
  ['with an emptied member', [{ day: 'mo', note: 'n' }, { day: 'tu' }], [{ day: 'mo' }, { day: 'tu' }]],
  ['in other numbers', [{ day: 'mo' }, { day: 'tu' }, { day: 'tu' }], [{ day: 'mo' }, { day: 'mo' }, { day: 'tu' }]],
])('a repeated update of lines without ids %s that the server has not done is a conflict', async (_, before, mine) => {
  class Day extends Model.define({ fields: { day: 'string', note: 'string' } }) {}
  class Shop extends Model.define({
    fields: { id: 'int', days: embed([Day]) },
    proxy: server.proxy('/shops', {
      dialect: plain(),
      use: [etags(), conflicts(), retry({ limit: 1, random: () => 0 })],
    }),
  }) {}
  server.reply({ headers: A, json: { id: 7, days: before } });
  const shop = await Shop.load(7);
  server.reply({ status: 503 }, { status: 412 }, { headers: { ETag: '"b"' }, json: { id: 7, days: before } });
  await expect(shop.set({ days: mine as never }).save()).rejects.toThrow(ConflictError);
  expect([shop.dirty, JSON.parse(JSON.stringify(shop.days?.map(({ day, note }) => ({ day, note }))))]).toEqual([
    true,
    mine,
  ]);
});

describe('a 412 to an ETag that a compressing proxy has changed', () => {
  test.each(['W/"1"', '"1-gzip"', '"1;br"', 'W/"1-zstd"'])('says so, and names `ifMatch`: %s', async (tag) => {
    const Task = define();
    server.reply({ json: ROW, headers: { ETag: tag } }, { status: 412 });
    const task = await Task.load(7);
    const error = await conflictOf(edited(task));
    expect(error.message).toContain(`\`If-Match: ${tag}\` then needs`);
    expect(error.message).toContain('etags({ ifMatch })');
    server.reply({ json: ROW, headers: { ETag: tag } }, { status: 412 });
    expect((await conflictOf(error.keepMine())).message).toContain('etags({ ifMatch })');
  });

  test.each(['"1"', '"br"', '"gzip"'])('is not told of any other ETag: %s', async (tag) => {
    server.reply({ json: ROW, headers: { ETag: tag } }, { status: 412 });
    const error = await conflictOf(edited(await define().load(7)));
    expect(error.message).not.toContain('ifMatch');
  });
});
