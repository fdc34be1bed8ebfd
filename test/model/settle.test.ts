import { DataProxy, decide, format, Model, ReadError, ResultSet } from 'repose';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

class Task extends Model.define({
  name: 'task',
  fields: {
    id: 'int',
    name: 'string',
    note: { type: 'string', allowNull: true },
    tags: 'json',
    owner: { type: 'int', mapping: 'owner.id' },
    draft: { type: 'boolean', persist: false },
  },
  proxy: server.proxy('/tasks'),
}) {}

/** A schema that accepts what a test accepts. */
function schemaOf(test: (value: unknown) => boolean) {
  const validate = (value: unknown) => (test(value) ? { value } : { issues: [{ message: 'is not accepted' }] });
  return { '~standard': { version: 1, vendor: 'test', validate } } as const;
}

const numberSchema = schemaOf((value) => typeof value === 'number');
const textSchema = schemaOf((value) => typeof value === 'string' && /\d/.test(value));

const ROW = { id: 7, name: 'old', note: null, tags: ['a'], owner: { id: 3, name: 'Ada' }, extra: { deep: [1, null] } };

function saved(row: object = ROW) {
  return Task.fromRow(structuredClone(row));
}

describe('a create', () => {
  test.each([
    ['201 with a body', { status: 201, json: { id: 9, name: 'Ada' } }],
    ['200 with a body', { status: 200, json: { id: 9, name: 'Ada' } }],
    ['201 with Location only', { status: 201, headers: { Location: '/tasks/9' } }],
    ['201 with an absolute Location', { status: 201, headers: { Location: 'http://rest.test/tasks/9?x=1' } }],
    ['204 with Location', { status: 204, headers: { Location: 'http://elsewhere.test/tasks/9' } }],
    ['a body that is smaller than what was sent', { status: 201, json: { id: 9 } }],
    ['an array with the row', { status: 201, json: [{ id: 9, name: 'Ada' }] }],
    ['a Location that is encoded', { status: 201, headers: { Location: '/tasks/%39' } }],
    ['an id in the body and another in Location', { status: 201, headers: { Location: '/tasks/8' }, json: { id: 9 } }],
  ])('takes the id from %s', async (_, reply) => {
    server.reply(reply);
    server.always(() => ({ json: { id: 9, name: 'Ada' } }));
    const task = new Task({ name: 'Ada' });
    await task.save();
    expect([task.id, task.getId(), task.name, task.phantom, task.dirty]).toEqual([9, 9, 'Ada', false, false]);
    await task.save();
    expect(server.lines.filter((line) => !line.startsWith('GET'))).toEqual(['POST /tasks', 'PUT /tasks/9']);
  });

  test.each([
    ['204 with nothing', { status: 204 }],
    ['200 with nothing', { status: 200 }],
    ['a body without an id', { status: 201, json: { name: 'Ada' } }],
    ['an id that is null', { status: 201, json: { id: null } }],
    ['an id that is an object', { status: 201, json: { id: {} } }],
    ['Location of the collection', { status: 201, headers: { Location: '/tasks' } }],
    ['Location of a job', { status: 202, headers: { Location: '/jobs/55' } }],
    ['202 with the Location of a record', { status: 202, headers: { Location: '/tasks/55' } }],
    ['Location of something else', { status: 201, headers: { Location: '/tasks/55/confirm' } }],
    ['Location with a text instead of a number', { status: 201, headers: { Location: '/tasks/confirm' } }],
    ['Location with an infinite number', { status: 201, headers: { Location: '/tasks/Infinity' } }],
    ['a count of rows', { status: 200, json: 1 }],
    ['an empty array', { status: 200, json: [] }],
  ])('%s is a ReadError, and the record stays a phantom', async (_, reply) => {
    server.reply(reply);
    const task = new Task({ name: 'Ada' });
    const error = await task.save().catch((each) => each);
    expect(error).toBeInstanceOf(ReadError);
    expect([task.phantom, task.$.unconfirmed, task.$.error, task.name]).toEqual([true, true, error, 'Ada']);
  });

  test("whose Location is that of a job never sends anything to a record with the job's number", async () => {
    server.reply({ status: 202, headers: { Location: '/jobs/55' } });
    const task = new Task({ name: 'Ada' });
    const error = await task.save().catch((each) => each);
    expect(error).toMatchObject({ code: 'read', reason: 'response-no-id' });
    task.name = 'Grace';
    await expect(task.save()).rejects.toBe(error);
    await expect(task.erase()).rejects.toBe(error);
    expect(server.lines).toEqual(['POST /tasks']);
    decide(task, { id: 7, name: 'Ada' });
    expect([task.id, task.phantom, task.name, task.dirty]).toEqual([7, false, 'Grace', true]);
  });

  test.each([
    ['a schema of numbers', numberSchema, '12', 12],
    ['a schema of texts', textSchema, '12', '12'],
    ['a validator', { type: 'string', validators: [format(/^U\d+$/)] }, 'U12', 'U12'],
  ] as const)('takes an id from Location that %s accepts, and no other', async (_, type, text, id) => {
    class Item extends Model.define({ fields: { id: type as unknown as 'auto' }, proxy: server.proxy('/items') }) {}
    server.reply({ status: 201, headers: { Location: `/items/${text}` } });
    const item = await new Item().save();
    expect([item.id, item.getId()]).toEqual([id, id]);
    server.reply({ status: 201, headers: { Location: '/items/confirm' } });
    await expect(new Item().save()).rejects.toMatchObject({ reason: 'response-no-id' });
  });

  test('keeps an id of Location as it is written (H6)', async () => {
    const row = { id: '007', name: 'Bond' };
    server.reply({ status: 201, headers: { Location: '/tasks/007' } }, { json: row }, { status: 204 });
    const task = new Task({ name: 'Bond' });
    await task.save();
    await task.save();
    expect([task.id, server.last.method, server.last.url]).toEqual([7, 'PUT', '/tasks/007']);
  });

  test('keeps an id of Location that a number cannot hold exactly, so that the record can be sent again (H2)', async () => {
    for (const id of ['9007199254740994', '-9007199254740994']) {
      server.reply({ status: 201, headers: { Location: `/tasks/${id}` } }, { json: { id } }, { status: 204 });
      const task = new Task({ name: 'Bond' });
      await task.save();
      await task.save();
      expect([server.last.method, server.last.url]).toEqual(['PUT', `/tasks/${id}`]);
    }
  });

  test('works with a proxy that sets nothing on the operation', async () => {
    class Bare extends DataProxy {
      readonly create = async () => new ResultSet({ rows: [{ id: 5 }] });
      readonly read = async () => new ResultSet({ rows: [{ id: 5, name: 'read' }] });
      readonly update = async () => new ResultSet();
      readonly erase = async () => new ResultSet();
    }
    const BareTask = Task.with({ proxy: new Bare() });
    const task = new BareTask({ name: 'a' });
    await task.save();
    task.name = 'b';
    await task.save();
    expect([task.id, task.name, task.dirty]).toEqual([5, 'b', false]);
    await task.load();
    await task.erase();
    expect([task.name, task.erased]).toEqual(['read', true]);
    const broken = BareTask.with({ proxy: Object.assign(new Bare(), { create: async () => new ResultSet() }) });
    await expect(new broken().save()).rejects.toBeInstanceOf(ReadError);
  });

  test('keeps the id that was sent with `writeRecordId`, if the response has none (H14)', async () => {
    class Tag extends Model.define({
      fields: { id: 'string' },
      identifier: () => 'client-1',
      proxy: server.proxy('/tags', { writer: { writeRecordId: true } }),
    }) {}
    server.reply({ status: 204 });
    const tag = new Tag();
    await tag.save();
    expect(server.last.body).toEqual({ id: 'client-1' });
    expect([tag.id, tag.phantom]).toEqual(['client-1', false]);
  });

  test('sends and keeps an id that was set before the save', async () => {
    server.reply({ status: 204 }, { status: 204 });
    const task = new Task({ name: 'Ada' });
    task.id = 12;
    await task.save();
    expect(server.last.body).toEqual({ name: 'Ada', id: 12 });
    expect([task.id, task.phantom, task.dirty]).toEqual([12, false, false]);
  });

  test('sends no client id and no member that was not given (H7)', async () => {
    server.reply({ status: 201, json: { id: 1 } });
    await new Task({ name: 'Ada', draft: true }).save();
    expect(server.last.body).toEqual({ name: 'Ada' });
  });

  test('takes over the values that the server changed', async () => {
    server.reply({ status: 201, json: { id: 9, name: 'ADA', note: 'made', extra: 1 } });
    const task = new Task({ name: 'ada' });
    await task.save();
    expect([task.name, task.note, task.dirty]).toEqual(['ADA', 'made', false]);
  });
});

describe('an update', () => {
  test('with a full reply takes the response as its base', async () => {
    const task = saved();
    task.name = 'new';
    server.reply({ json: { ...ROW, name: 'NEW', extra: 'other', more: 1 } }, { status: 204 });
    await task.save();
    expect([task.name, task.dirty]).toEqual(['NEW', false]);
    await task.save();
    expect(server.last.body).toEqual({ ...ROW, name: 'NEW', extra: 'other', more: 1 });
  });

  test.each([
    ['204', { status: 204 }],
    ['200 with nothing', { status: 200 }],
    ['200 with white space', { status: 200, text: ' \n' }],
    ['a number of rows', { json: 1 }],
    ['a flag', { json: true }],
    ['an empty array', { json: [] }],
  ])('with %s takes what was sent as its base', async (_, reply) => {
    const task = saved();
    task.set({ name: 'new', note: 'n' });
    server.reply(reply, { status: 204 });
    await task.save();
    expect([task.name, task.note, task.dirty, task.phantom]).toEqual(['new', 'n', false, false]);
    await task.save();
    expect(server.last.body).toEqual({ ...ROW, name: 'new', note: 'n' });
  });

  test('with a partial reply takes its declared members, and any others that the row already has', async () => {
    const task = saved();
    task.name = 'new';
    server.reply({ json: { ok: true, id: 7, rev: 2, note: 'from the server', extra: 'x' } }, { status: 204 });
    await task.save();
    expect([task.name, task.note, task.dirty]).toEqual(['new', 'from the server', false]);
    await task.save();
    expect(server.last.body).toEqual({ ...ROW, name: 'new', note: 'from the server', extra: 'x' });
  });

  test('with a response that lacks only the id keeps the id', async () => {
    const { id: _, ...rest } = ROW;
    const task = saved();
    task.name = 'new';
    server.reply({ json: { ...rest, name: 'new' } }, { status: 204 });
    await task.save();
    expect(task.id).toBe(7);
    await task.save();
    expect(server.last.url).toBe('/tasks/7');
    expect(server.last.body).toEqual({ ...ROW, name: 'new' });
  });

  test('with another id than the one sent rejects with a ReadError and changes nothing', async () => {
    const task = saved();
    server.reply({ json: { ...ROW, id: 8 } }, { status: 204 });
    await expect(task.save()).rejects.toMatchObject({ code: 'read', reason: 'response-id' });
    expect(task.id).toBe(7);
    await task.save();
    expect(server.last.url).toBe('/tasks/7');
  });

  test('is sent to the committed id while the id is being edited (H6)', async () => {
    const task = saved();
    task.id = 8;
    server.reply({ status: 204 }, { status: 204 });
    await task.save();
    expect(server.last).toMatchObject({ url: '/tasks/7', body: { id: 8 } });
    await task.save();
    expect(server.last).toMatchObject({ url: '/tasks/8', body: { id: 8 } });
  });

  test('is sent to the id as it was received, never a converted one (H6)', async () => {
    const task = Task.fromRow({ id: '007', name: 'Bond' });
    expect(task.id).toBe(7);
    server.reply({ status: 204 });
    await task.save();
    expect(server.last).toMatchObject({ url: '/tasks/007', body: { id: '007', name: 'Bond' } });
  });

  test('that fails changes nothing', async () => {
    const task = saved();
    task.set({ name: 'new', tags: ['b'] });
    const before = [task.$.data, task.$.modified, task.$.previousValues];
    server.reply({ status: 500 }, { status: 204 });
    await expect(task.save()).rejects.toMatchObject({ status: 500 });
    expect([task.$.data, task.$.modified, task.$.previousValues]).toEqual(before);
    expect(task.dirty).toBe(true);
    await task.save();
    expect(server.last.body).toEqual({ ...ROW, name: 'new', tags: ['b'] });
    expect(task.$.error).toBeUndefined();
  });

  test('of an unchanged record is sent, because the caller asked for it', async () => {
    server.reply({ status: 204 });
    await saved().save();
    expect(server.last.body).toEqual(ROW);
  });

  test('keeps local values of fields that are not persisted', async () => {
    const task = saved();
    task.set({ draft: true, name: 'new' });
    server.reply({ json: { ...ROW, name: 'new' } }, { json: { ...ROW, name: 'newer' } });
    await task.save();
    expect([task.draft, task.dirty]).toEqual([true, false]);
    expect(server.last.body).not.toHaveProperty('draft');
    await task.load();
    expect([task.draft, task.name]).toEqual([true, 'newer']);
  });
});

describe('edits made during a save', () => {
  async function saving(edit: (task: Task) => void, { status = 204 } = {}) {
    const task = saved();
    task.name = 'sent';
    const held = server.hold();
    const save = task.save().catch(() => undefined);
    await held.request;
    edit(task);
    held.answer({ status });
    await save;
    return task;
  }

  test('of another field stay', async () => {
    const task = await saving((each) => each.set({ note: 'later' }));
    expect([task.name, task.note, task.$.modified]).toEqual(['sent', 'later', { note: 'later' }]);
  });

  test('of a field that is being sent stay', async () => {
    const task = await saving((each) => each.set({ name: 'later' }));
    expect([task.name, task.$.modified, task.$.previousValues]).toEqual(['later', { name: 'later' }, { name: 'sent' }]);
  });

  test('that set a field back stay edits: the server has the value that was sent', async () => {
    const task = await saving((each) => each.set({ name: 'old' }));
    expect([task.name, task.$.modified, task.$.previousValues]).toEqual(['old', { name: 'old' }, { name: 'sent' }]);
  });

  test('that set a field back are no edits if the save failed', async () => {
    const task = await saving((each) => each.set({ name: 'old' }), { status: 422 });
    expect([task.name, task.dirty, task.$.modified]).toEqual(['old', false, {}]);
  });

  test('that end at the value sent are no edits', async () => {
    const task = await saving((each) => {
      each.name = 'later';
      each.name = 'sent';
    });
    expect([task.name, task.dirty]).toEqual(['sent', false]);
  });

  test('are not in the body in flight, but in the next one', async () => {
    const task = await saving((each) => each.set({ tags: ['later'] }));
    expect(server.last.body).toEqual({ ...ROW, name: 'sent' });
    server.reply({ status: 204 });
    await task.save();
    expect(server.last.body).toEqual({ ...ROW, name: 'sent', tags: ['later'] });
  });

  test('can be rejected without rejecting the values in flight', async () => {
    const task = await saving((each) => {
      each.set({ name: 'later', note: 'later' });
      each.reject();
      expect([each.name, each.note, each.$.modified]).toEqual(['sent', null, { name: 'sent' }]);
    });
    expect([task.name, task.note, task.dirty]).toEqual(['sent', null, false]);
  });

  test('stay if the response has other values', async () => {
    const task = saved();
    task.name = 'sent';
    const held = server.hold();
    const save = task.save();
    await held.request;
    task.note = 'later';
    held.answer({ json: { ...ROW, name: 'SENT', note: 'from the server' } });
    await save;
    expect([task.name, task.note, task.$.modified]).toEqual(['SENT', 'later', { note: 'later' }]);
    task.reject();
    expect(task.note).toBe('from the server');
  });
});

describe('commit', () => {
  test('makes the edits the base, also at mapped paths', async () => {
    const task = saved();
    task.set({ name: 'new', owner: 4, tags: ['b'] });
    task.commit();
    expect([task.dirty, task.$.modified, task.name, task.owner]).toEqual([false, {}, 'new', 4]);
    server.reply({ status: 204 });
    await task.save();
    expect(server.last.body).toEqual({ ...ROW, name: 'new', owner: { id: 4, name: 'Ada' }, tags: ['b'] });
  });

  test('without edits emits no event', () => {
    const task = saved();
    const events: string[] = [];
    task.on('commit', () => events.push('commit'));
    task.commit();
    expect(events).toEqual([]);
  });
});

describe('reject', () => {
  test('drops the edits', () => {
    const task = saved();
    task.set({ name: 'new', owner: 4 });
    task.reject();
    expect([task.name, task.owner, task.dirty, task.$.modified]).toEqual(['old', 3, false, {}]);
  });

  test('of a record without edits does nothing', () => {
    const task = saved();
    task.reject();
    expect(task.name).toBe('old');
  });

  test('of a phantom restores the values that it was created with', () => {
    const task = new Task({ name: 'Ada' });
    task.set({ name: 'Bob', note: 'x' });
    task.reject();
    expect([task.name, task.note, task.phantom]).toEqual(['Ada', undefined, true]);
  });
});
