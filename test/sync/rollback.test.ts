import { confirm, conflicts, decide, embed, idempotency, Model, plain, range, rollback, Store, sync } from 'repose';
import { memoryStorage } from 'repose/outbox';
import { describe, expect, test } from 'vitest';
import type { Received, Reply } from '../helpers/rest-server.js';
import { openOutbox } from '../outbox/open-outbox.js';
import { accepting, sentLines, server, Task, User } from './support.js';

class Line extends Model.define({ fields: { sku: 'string', qty: 'int' } }) {}

class Order extends Model.define({
  name: 'order',
  fields: { id: 'int', title: 'string', note: 'string', line: embed(Line) },
  proxy: server.proxy('/orders', { use: [idempotency()] }),
}) {}

/** Answers every write, but refuses a record with the name or title `bad`. */
function refusing(answer: (request: Received) => Reply = accepting()): (request: Received) => Reply {
  return (request) => ([request.body?.name, request.body?.title].includes('bad') ? { status: 422 } : answer(request));
}

describe('an edit made during a sync that is rolled back', () => {
  /** A new order whose create got no response, and another one that will be refused. */
  async function repeating() {
    const store = new Store({ model: Order, pageSize: 0 });
    const [order] = store.add({ title: 'new', line: { sku: 'a', qty: 1 } }) as [Order];
    server.reply({ drop: true });
    await order.save().catch(() => undefined);
    expect(order.$.unconfirmed).toBe(true);
    store.add({ title: 'bad' });
    return { store, order };
  }

  /** Syncs, edits the order while its repeated create is in flight, and lets the rollback undo the create. */
  async function editedDuring(edit: (order: Order) => void, before: (order: Order) => void = () => undefined) {
    const { store, order } = await repeating();
    before(order);
    const held = server.hold();
    const syncing = store.sync({ onFailure: rollback, concurrency: 1 });
    const { body } = await held.request;
    edit(order);
    server.always(refusing(({ method, body }) => (method === 'DELETE' ? { status: 204 } : { json: body })));
    held.answer({ status: 201, json: { ...body, id: 101 } });
    const { outcomes } = await syncing;
    expect(outcomes.map(({ error }) => error?.code)).toEqual(['undone', 'validation']);
    expect(server.lines.at(-1)).toBe('DELETE /orders/101');
    return { store, order };
  }

  test('is not sent, and kept', async () => {
    const { store, order } = await editedDuring((each) => (each.note = 'typed'));
    expect(server.lines).not.toContain('PUT /orders/101');
    expect([order.phantom, order.note, order.$.modified]).toEqual([true, 'typed', { note: 'typed' }]);
    server.reset();
    server.always(refusing());
    await store.sync();
    expect(server.requests[0]?.body).toEqual({ title: 'new', note: 'typed', line: { sku: 'a', qty: 1 } });
  });

  test('is kept together with an earlier edit', async () => {
    const { order } = await editedDuring(
      (each) => each.set({ title: 'newest', note: 'typed' }),
      (each) => (each.title = 'newer'),
    );
    expect(order.$.modified).toEqual({ title: 'newest', note: 'typed' });
    expect(order.$.previousValues).toEqual({ title: 'new', note: undefined });
  });

  test('is kept inside an embedded record', async () => {
    let line: Line | undefined;
    const { order } = await editedDuring((each) => {
      line = each.line;
      line.qty = 9;
    });
    expect([order.line === line, order.line.sku, order.line.qty, order.line.$.modified]).toEqual([
      ...[true, 'a', 9],
      { qty: 9 },
    ]);
    expect(order.dirty).toBe(true);
  });

  test('is kept when it replaced an embedded record', async () => {
    const line = new Line({ sku: 'b', qty: 9 });
    const { store, order } = await editedDuring((each) => (each.line = line));
    expect([order.line, order.dirty]).toEqual([line, true]);
    server.reset();
    server.always(refusing());
    await store.sync();
    expect(server.requests[0]?.body).toEqual({ title: 'new', line: { sku: 'b', qty: 9 } });
  });

  test.each(['before', 'after'])(
    'is kept if it was sent and then changed back %s an undo without a response, since the server may have the sent values',
    async (when) => {
      const { store, order } = await repeating();
      order.set({ title: 'newer', note: 'typed' });
      const held = server.hold();
      const syncing = store.sync({ onFailure: rollback, concurrency: 1 });
      const { body } = await held.request;
      const erase = (): Reply => {
        if (when === 'before') order.title = 'new';
        return { drop: true };
      };
      server.always(refusing(({ method, body }) => (method === 'DELETE' ? erase() : { json: body })));
      held.answer({ status: 201, json: { ...body, id: 101 } });
      await syncing;
      expect(sentLines()).toContain(
        'PUT /orders/101 {"title":"newer","line":{"sku":"a","qty":1},"id":101,"note":"typed"}',
      );
      order.title = 'new';
      expect([order.$.unconfirmed, order.title, order.note]).toEqual([true, 'new', 'typed']);
      decide(order, { id: 101 });
      expect([order.title, order.note, order.$.modified]).toEqual(['new', 'typed', { title: 'new' }]);
    },
  );

  test('is not pending if it was changed back', async () => {
    const { order } = await editedDuring(
      (each) => (each.title = 'new'),
      (each) => (each.title = 'newer'),
    );
    expect([order.title, order.$.modified]).toEqual(['new', {}]);
  });

  test('while its row is read first is not sent, and kept', async () => {
    class Part extends Model.define({
      name: 'part',
      fields: { id: 'int', name: 'string', note: 'string' },
      proxy: server.proxy('/parts', { reader: { rows: 'incomplete' } }),
    }) {}
    const store = new Store({ model: Part, pageSize: 0 });
    server.reply({
      json: [
        { id: 1, name: 'one' },
        { id: 2, name: 'two' },
      ],
    });
    await store.load();
    const [part, bad] = [...store] as [Part, Part];
    part.name = 'edited';
    bad.name = 'bad';
    const read = server.hold();
    const syncing = store.sync({ onFailure: rollback, concurrency: 1 });
    await read.request;
    part.note = 'typed';
    server.always(
      refusing(({ method, body }) => ({ json: method === 'GET' ? { id: 2, name: 'two', note: 'theirs' } : body })),
    );
    read.answer({ json: { id: 1, name: 'one', note: 'theirs' } });
    const { outcomes } = await syncing;
    expect(outcomes.map(({ error }) => error?.code)).toEqual(['undone', 'validation']);
    expect(sentLines().filter((line) => line.startsWith('PUT /parts/1'))).toEqual([
      'PUT /parts/1 {"id":1,"name":"edited","note":"theirs"}',
      'PUT /parts/1 {"id":1,"name":"one","note":"theirs"}',
    ]);
    expect(part.$.modified).toEqual({ name: 'edited', note: 'typed' });
    expect(part.$.previousValues).toEqual({ name: 'one', note: 'theirs' });
  });
});

test.each([false, true])(
  'a rollback by PATCH restores fields of a record that was loaded incomplete (bulk: %s)',
  async (batchActions) => {
    class Part extends Model.define({
      name: 'part',
      fields: { id: 'int', name: 'string', note: 'string' },
      proxy: server.proxy('/parts', {
        reader: { rows: 'incomplete' },
        actionMethods: { update: 'PATCH' },
        batchActions,
      }),
    }) {}
    const store = new Store({ model: Part, pageSize: 0 });
    const listed = [1, 2, 3].map((id) => ({ id, name: `n${id}` }));
    server.reply({ json: listed });
    await store.load();
    for (const part of store) part.note = 'mine';
    const answer = ({ method, path, body }: Received): Reply => {
      const id = Number(path.slice('/parts/'.length));
      if (method === 'GET') return { json: { id, name: `n${id}`, note: 'theirs' } };
      return id === 3 ? { status: 422 } : { json: { id, ...body } };
    };
    server.always(answer);
    const { outcomes } = await store.sync({ onFailure: rollback, concurrency: 1 });
    expect(outcomes.map(({ error }) => error?.code)).toEqual(['undone', 'undone', 'validation']);
    expect(sentLines().filter((line) => line.startsWith('PATCH /parts/1'))).toEqual([
      'PATCH /parts/1 {"note":"mine"}',
      'PATCH /parts/1 {"note":"theirs"}',
    ]);
  },
);

describe('a create whose undo got no response', () => {
  /** A user that was created and may have been erased again. */
  async function unconfirmedCreate(undoing: Reply = { drop: true }) {
    const store = new Store({ model: User, pageSize: 0 });
    const [user] = store.add({ name: 'typed' }, { name: 'bad' }) as [User, User];
    const answer = refusing();
    server.always((request) => (request.method === 'DELETE' ? undoing : answer(request)));
    const batch = await store.sync({ onFailure: rollback, concurrency: 1 });
    server.reset();
    server.always(refusing());
    return { store, user, batch };
  }

  test.each([
    ['no response', { drop: true }, 'network'],
    ['500', { status: 500 }, 'http'],
  ])('is unconfirmed and among the failures (%s)', async (_, undoing, code) => {
    const { store, user, batch } = await unconfirmedCreate(undoing);
    expect([user.$.unconfirmed, user.phantom, user.name]).toEqual([true, true, 'typed']);
    expect(user.$.error).toMatchObject({ code });
    expect(store.pending.created).toContain(user);
    expect(batch.failures.map(({ record, error }) => [record.name, error.code])).toEqual([
      ['typed', 'not-undone'],
      ['bad', 'validation'],
    ]);
    const [{ error, undoError } = {}] = batch.outcomes;
    expect(undoError).toBe(error);
    expect(error?.message).toMatch(
      /^user 101 was created, and may have been erased again: DELETE .*\/users\/101 .*\. Look for it on the server, and call decide\(record, row\) or decide\(record, null\) \(https:\/\/repose\.example\/e\/sync-unconfirmed\)$/,
    );
    expect(error?.cause).toBe(user.$.error);
  });

  test('is neither created nor erased again by sync(), save() or erase()', async () => {
    const { store, user } = await unconfirmedCreate();
    const { failures } = await store.sync();
    expect(failures.map(({ record, error }) => [record.name, error.code])).toContainEqual(['typed', 'network']);
    await expect(user.save()).rejects.toBe(user.$.error);
    await expect(user.erase()).rejects.toBe(user.$.error);
    expect(sentLines()).toEqual(['POST /users {"name":"bad"}']);
  });

  test('is saved after decide(record, row), with later edits pending', async () => {
    const { store, user } = await unconfirmedCreate();
    user.name = 'since';
    decide(user, { id: 101, name: 'typed' });
    expect([user.$.unconfirmed, user.phantom, user.id, user.$.modified]).toEqual([
      false,
      false,
      101,
      { name: 'since' },
    ]);
    expect(store.getById(101)).toBe(user);
    await user.save();
    expect(sentLines()).toEqual(['PUT /users/101 {"id":101,"name":"since"}']);
  });

  test('is a new record after decide(record, null)', async () => {
    const { user } = await unconfirmedCreate();
    decide(user, null);
    expect([user.$.unconfirmed, user.phantom, user.$.error]).toEqual([false, true, undefined]);
    await user.save();
    expect([sentLines(), user.phantom]).toEqual([['POST /users {"name":"typed"}'], false]);
  });

  test('is created again by save({ repeat: true })', async () => {
    const { user } = await unconfirmedCreate();
    await user.save({ repeat: true });
    expect([sentLines(), user.$.unconfirmed]).toEqual([['POST /users {"name":"typed"}'], false]);
  });

  test('replaces the record of its row in the store after a load and decide(record, row)', async () => {
    const { store, user } = await unconfirmedCreate();
    server.reply({ json: [{ id: 101, name: 'typed' }] });
    await store.load();
    decide(user, store.getById(101)?.$.data ?? null);
    expect([store.getById(101) === user, store.count]).toEqual([true, 2]);
  });

  test('uses a new key for each repeat, and can be corrected when a repeat is refused', async () => {
    const store = new Store({ model: Order, pageSize: 0 });
    const [order] = store.add({ title: 'typed' }, { title: 'bad' }) as [Order, Order];
    const answer = refusing();
    server.always((request) => (request.method === 'DELETE' ? { drop: true } : answer(request)));
    await store.sync({ onFailure: rollback, concurrency: 1 });
    await expect(order.save()).rejects.toMatchObject({ code: 'network' });
    const refusal = { status: 422, json: { errors: { title: ['too plain'] } } };
    server.reply(refusal);
    await expect(order.save({ repeat: true })).rejects.toMatchObject({ code: 'validation' });
    expect(order.$.unconfirmed).toBe(true);
    order.title = 'better';
    await order.save({ repeat: true });
    const creates = server.requests.filter(({ method, body }) => method === 'POST' && body.title !== 'bad');
    expect(creates.map(({ body }) => body.title)).toEqual(['typed', 'typed', 'better']);
    expect(new Set(creates.map(({ headers }) => headers['idempotency-key'])).size).toBe(3);
    expect([order.$.unconfirmed, order.dirty]).toEqual([false, false]);
  });

  test('stays saved if the server refused to erase it', async () => {
    const { user, batch } = await unconfirmedCreate({ status: 403 });
    expect([user.$.unconfirmed, user.phantom, user.id]).toEqual([false, false, 101]);
    expect(batch.outcomes[0]).toMatchObject({ undoError: { code: 'not-undone' } });
    expect(batch.outcomes[0]?.error).toBeUndefined();
  });

  test('is referred to by its temporary id again', async () => {
    const owners = new Store({ model: User, pageSize: 0, data: [{ id: 1, name: 'one' }] });
    const tasks = new Store({ model: Task, pageSize: 0 });
    const [ada] = owners.add({ name: 'Ada' }) as [User];
    const [task] = tasks.add({ title: 'Write', ownerId: ada.getId() as number }) as [Task];
    const temporary = ada.getId();
    (owners.getById(1) as User).name = 'bad';
    const answer = refusing();
    server.always((request) =>
      request.method === 'DELETE' && request.path.startsWith('/users') ? { drop: true } : answer(request),
    );
    const { outcomes } = await sync([owners, tasks], { onFailure: rollback, concurrency: 1 });
    expect(outcomes.map(({ error }) => error?.code)).toEqual(['not-undone', 'undone', 'validation']);
    expect([ada.$.unconfirmed, ada.getId(), task.ownerId]).toEqual([true, temporary, temporary]);
    decide(ada, { id: 101, name: 'Ada' });
    server.reset();
    server.always(accepting());
    await task.save();
    expect(sentLines()).toEqual(['POST /tasks {"title":"Write","ownerId":101}']);
  });

  test('keeps an edit made during the sync', async () => {
    const store = new Store({ model: User, pageSize: 0 });
    const [user] = store.add({ name: 'typed' }, { name: 'bad' }) as [User, User];
    const held = server.hold();
    const syncing = store.sync({ onFailure: rollback, concurrency: 1 });
    await held.request;
    user.name = 'newer';
    server.reply({ status: 422 }, { drop: true });
    held.answer({ status: 201, json: { id: 101, name: 'typed' } });
    await syncing;
    expect([user.$.unconfirmed, user.$.modified]).toEqual([true, { name: 'newer' }]);
    decide(user, { id: 101, name: 'typed' });
    expect(user.$.modified).toEqual({ name: 'newer' });
  });

  test('keeps edits made during the sync through a save that is refused', async () => {
    const store = new Store({ model: Order, pageSize: 0 });
    const [order] = store.add({ title: 'typed' }, { title: 'bad' }) as [Order, Order];
    const held = server.hold();
    const syncing = store.sync({ onFailure: rollback, concurrency: 1 });
    await held.request;
    order.set({ title: 'newer', note: 'mine' });
    server.reply({ status: 422 }, { drop: true });
    held.answer({ status: 201, json: { id: 101, title: 'typed', note: 'of the server' } });
    await syncing;
    await expect(order.save()).rejects.toBe(order.$.error);
    expect(order.$.modified).toEqual({ title: 'newer', note: 'mine' });
    decide(order, { id: 101 });
    expect(order.$.modified).toEqual({ title: 'newer', note: 'mine' });
  });

  test('keeps an edit to the value of its create, if another one was sent since', async () => {
    const store = new Store({ model: Order, pageSize: 0 });
    const [order] = store.add({ title: 'typed' }, { title: 'bad' }) as [Order, Order];
    server.reply({ drop: true });
    await expect(order.save()).rejects.toMatchObject({ code: 'network' });
    order.title = 'newer';
    const held = server.hold();
    const syncing = store.sync({ onFailure: rollback, concurrency: 1 });
    await held.request;
    order.title = 'newest';
    server.always(refusing(({ method, body }) => (method === 'DELETE' ? { drop: true } : { json: body })));
    held.answer({ status: 201, json: { id: 101, title: 'typed' } });
    await syncing;
    expect(sentLines().slice(-3)).toEqual([
      'PUT /orders/101 {"id":101,"title":"newer"}',
      'POST /orders {"title":"bad"}',
      'DELETE /orders/101',
    ]);
    order.title = 'typed';
    decide(order, { id: 101 });
    expect(order.$.modified).toEqual({ title: 'typed' });
  });

  describe('with an outbox', () => {
    async function unconfirmedWithOutbox() {
      const storage = memoryStorage();
      const outbox = await openOutbox({ scope: 'user-7', storage });
      const store = new Store({ model: User, pageSize: 0, proxy: { use: [outbox] } });
      const [user] = store.add({ name: 'typed' }, { name: 'bad' }) as [User, User];
      const answer = refusing();
      server.always((request) => (request.method === 'DELETE' ? { drop: true } : answer(request)));
      await store.sync({ onFailure: rollback, concurrency: 1 });
      // The refused write is not part of this test.
      for (const write of outbox.failed) if (write.state === 'failed') await outbox.discard(write);
      server.reset();
      server.always(refusing());
      return { storage, outbox, user };
    }

    test('waits in `failed` for a decision, also after a restart', async () => {
      const { storage, outbox, user } = await unconfirmedWithOutbox();
      expect(outbox.failed).toMatchObject([
        { state: 'unconfirmed', entry: { action: 'create', values: { name: 'typed' } } },
      ]);
      expect(outbox.failed[0]?.record).toBe(user);
      await outbox.drained();
      await outbox.close();
      const next = await openOutbox({ scope: 'user-7', storage, models: [User] });
      await next.send();
      expect(next.failed).toMatchObject([{ state: 'unconfirmed', record: { name: 'typed' } }]);
      expect(server.lines).toEqual([]);
      await next.close();
    });

    test.each<[string, (setting: Awaited<ReturnType<typeof unconfirmedWithOutbox>>) => unknown, string[]]>([
      ['decide(record, row)', ({ user }) => decide(user, { id: 101, name: 'typed' }), []],
      ['confirm()', ({ outbox }) => outbox.confirm(outbox.failed[0] as never, { id: 101, name: 'typed' }), []],
      ['retry()', ({ outbox }) => outbox.retry(outbox.failed[0] as never), ['POST /users {"name":"typed"}']],
      ['save({ repeat: true })', ({ user }) => user.save({ repeat: true }), ['POST /users {"name":"typed"}']],
      ['drop()', ({ outbox }) => outbox.discard(outbox.failed[0] as never), []],
    ])('is resolved by %s', async (_, decide, lines) => {
      const setting = await unconfirmedWithOutbox();
      await decide(setting);
      await setting.outbox.drained();
      expect([sentLines(), setting.outbox.size, setting.outbox.failed]).toEqual([lines, 0, []]);
      expect([setting.user.$.unconfirmed && !setting.user.erased, setting.user.dirty]).toEqual([false, false]);
      await setting.outbox.close();
    });
  });
});

test.each([
  ['without extensions', []],
  ['with extensions that wrap writes', [confirm(), conflicts()]],
])("a rollback writes back the server's values unchanged, %s, though the model would refuse them", async (_, use) => {
  class Rated extends Model.define({
    name: 'rated',
    fields: {
      id: 'int',
      rank: { type: 'int', validators: [range({ max: 5 })] },
      at: 'date',
    },
    proxy: server.proxy('/rated', { use, writer: { writeAllFields: false }, actionMethods: { update: 'PATCH' } }),
  }) {}
  const store = new Store({ model: Rated, pageSize: 0 });
  const loaded = [
    { id: 1, rank: 99, at: '2026-01-02T03:04:05+02:00' },
    { id: 2, rank: 1, at: null },
  ];
  server.reply({ json: loaded }, { status: 204 }, { status: 422, json: {} }, { status: 204 });
  await store.load();
  const [one, two] = store;
  one?.set({ rank: 3, at: new Date(0) });
  two?.set({ rank: 2 });
  await store.sync({ onFailure: rollback, concurrency: 1 });
  expect(server.requests.slice(1).map(({ method, body }) => [method, body])).toEqual([
    ['PATCH', { rank: 3, at: new Date(0).toJSON() }],
    ['PATCH', { rank: 2 }],
    ['PATCH', { rank: 99, at: '2026-01-02T03:04:05+02:00' }],
  ]);
  expect(one?.$.modified).toEqual({ rank: 3, at: new Date(0) });
});

test('a create that is repeated after its undoing got no response keeps what was set to a value of the lost row', async () => {
  const fields = { id: 'int', title: 'string', tag: 'string' } as const;
  const proxy = { ...server.proxy('/notes', { dialect: plain() }), use: [idempotency()] };
  class Note extends Model.define({ name: 'note', fields, proxy }) {}
  const notes = new Store({ model: Note });
  const [note, refused] = notes.add({ title: 'Plan' }, { title: 'refused' }) as [Note, Note];
  let id = 7;
  server.always(({ method, body }) => {
    if (method === 'DELETE') return { drop: true };
    if (body?.title === 'refused') return { status: 422, json: {} };
    if (method === 'PATCH') return { json: body };
    id += 1;
    return { status: 201, json: { ...body, id, tag: `tag ${id}` } };
  });
  const held = server.hold();
  const synced = notes.sync({ onFailure: rollback, concurrency: 1 });
  await held.request;
  note.tag = 'mine';
  held.answer({ status: 201, json: { title: 'Plan', id: 7, tag: 'tag 7' } });
  await synced;
  expect([note.phantom, note.$.unconfirmed, note.tag]).toEqual([true, true, 'mine']);
  notes.remove(refused);
  note.tag = 'tag 7';
  server.reply({ status: 400, json: {} });
  await expect(note.save({ repeat: true })).rejects.toMatchObject({ status: 400 });
  await note.save();
  expect([note.tag, note.dirty, server.last.method, server.last.body]).toEqual([
    ...['tag 7', false, 'PATCH'],
    { tag: 'tag 7' },
  ]);
});

test('what was saved behind a create is an edit again when the create is rolled back', async () => {
  class Note extends Model.define({
    name: 'note',
    fields: { id: 'int', title: 'string', tag: 'string' },
    proxy: server.proxy('/notes', { dialect: plain() }),
  }) {}
  const notes = new Store({ model: Note, pageSize: 0 });
  const [note] = notes.add({ title: 'Plan' }, { title: 'bad' }) as [Note];
  server.always(({ method, body }) =>
    method === 'DELETE' ? { status: 204 } : { json: { id: 7, title: 'Plan', ...body } },
  );
  const [first, second] = [server.hold(), server.hold()];
  const syncing = notes.sync({ onFailure: rollback });
  const requests = [await first.request, await second.request];
  const held = requests[0]?.body?.title === 'bad' ? [second, first] : [first, second];
  held[0]?.answer({ status: 201, json: { id: 7, title: 'Plan' } });
  await note.set('tag', 'saved behind').save();
  held[1]?.answer({ status: 422, json: {} });
  await syncing;
  expect([note.phantom, note.title, note.$.modified]).toEqual([true, 'Plan', { tag: 'saved behind' }]);
});

describe('a record that an earlier sync() is still to write', () => {
  test.each(['a new one', 'an edited one'])(
    'stays as that has saved it when a later one is rolled back: %s',
    async (which) => {
      class Note extends Model.define({
        name: 'note',
        fields: { id: 'int', title: 'string', tag: 'string' },
        proxy: server.proxy('/notes', { dialect: plain() }),
      }) {}
      const notes = new Store({ model: Note, pageSize: 0 });
      server.reply({ json: [1, 2, 3].map((id) => ({ id, title: `title ${id}` })) });
      await notes.load();
      const isNew = which === 'a new one';
      if (isNew) notes.add({ title: 'in flight' });
      else notes.getById(1)?.set('title', 'in flight');
      const note = (isNew ? notes.add({ title: 'first' })[0] : notes.getById(2)?.set('title', 'first')) as Note;
      const held = server.hold();
      const first = notes.sync({ concurrency: 1 });
      const { body } = await held.request;
      note.title = 'second';
      notes.getById(3)?.set('title', 'bad');
      const second = notes.sync({ onFailure: rollback });
      server.always(
        refusing(({ body, method }) =>
          method === 'POST' ? { status: 201, json: { ...body, id: 8 } } : { json: body },
        ),
      );
      held.answer({ status: isNew ? 201 : 200, json: { ...body, id: isNew ? 7 : 1 } });
      expect((await first).failures).toEqual([]);
      expect((await second).outcomes.map(({ error }) => error?.code)).toContain('validation');
      expect(server.lines).not.toContain('DELETE /notes/8');
      const { body: last } = server.requests.findLast(({ body }) => body?.title !== 'bad') ?? {};
      expect([last, note.phantom, note.$.previousValues, note.$.modified]).toEqual([
        expect.objectContaining({ title: 'first' }),
        ...[false, { title: 'first' }, { title: 'second' }],
      ]);
    },
  );

  test('stays so when the one between them ends before it', async () => {
    class Note extends Model.define({
      name: 'note',
      fields: { id: 'int', title: 'string' },
      proxy: server.proxy('/notes', { dialect: plain() }),
    }) {}
    const notes = new Store({ model: Note, pageSize: 0 });
    server.reply({ json: [1, 2, 3].map((id) => ({ id, title: `title ${id}` })) });
    await notes.load();
    notes.getById(1)?.set('title', 'in flight');
    const note = notes.getById(2)?.set('title', 'first') as Note;
    const held = server.hold();
    const first = notes.sync({ concurrency: 1 });
    await held.request;
    note.title = 'second';
    const controller = new AbortController();
    const second = notes.sync({ onFailure: rollback, signal: controller.signal });
    note.title = 'third';
    notes.getById(3)?.set('title', 'bad');
    const third = notes.sync({ onFailure: rollback });
    controller.abort();
    await second;
    server.always(refusing(({ body }) => ({ json: body })));
    held.answer({ json: { id: 1, title: 'in flight' } });
    expect((await first).failures).toEqual([]);
    expect((await third).outcomes.map(({ error }) => error?.code)).toContain('validation');
    const { body: last } = server.requests.findLast(({ body }) => body?.title !== 'bad') ?? {};
    expect([last, note.$.previousValues, note.$.modified]).toEqual([
      { title: 'first' },
      ...[{ title: 'first' }, { title: 'third' }],
    ]);
  });
});

test('an edit inside a value that only the row of an undone create had takes nothing from the record made next', async () => {
  class Note extends Model.define({
    name: 'note',
    fields: { id: 'int', title: 'string', tag: 'string', data: 'json' },
    proxy: server.proxy('/notes', { dialect: plain() }),
  }) {}
  const notes = new Store({ model: Note, pageSize: 0 });
  const [note] = notes.add({ title: 'Plan' }, { title: 'bad' }) as [Note];
  const created = server.hold();
  const syncing = notes.sync({ onFailure: rollback, concurrency: 1 });
  await created.request;
  const refused = server.hold();
  created.answer({ status: 201, json: { id: 7, title: 'Plan', data: { name: 'one', at: 1 } } });
  await refused.request;
  const erased = server.hold();
  refused.answer({ status: 422, json: {} });
  await erased.request;
  const saved = note.set('tag', 'saved').save();
  note.data = { ...(note.data as object), name: 'mine' };
  const made = { id: 8, title: 'Plan', data: { name: 'two', at: 2 } };
  server.always(({ body, method }) => ({ status: method === 'POST' ? 201 : 200, json: { ...made, ...body } }));
  erased.answer({ status: 204 });
  await syncing;
  await saved;
  expect(server.last.body).toEqual({ title: 'Plan', tag: 'saved', data: { name: 'one', at: 1 } });
  expect([note.phantom, note.$.modified]).toEqual([false, { data: { name: 'mine', at: 1 } }]);
  await note.save();
  expect(server.last.body).toEqual({ data: { name: 'mine', at: 1 } });
});
