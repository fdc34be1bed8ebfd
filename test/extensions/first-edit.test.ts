import { ConflictError, conflicts, etags, Model, plain, Store } from 'repose';
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
      // The ETag is not that of the row that the record has: the next write reads again.
      server.reply({ headers: { ETag: '"b"' }, json: { ...ROW, ...theirs } }, { status: 204 });
      await task.save();
      expect(server.last.headers['if-match']).toBe('"b"');
    }
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

  test("`unknown: 'send'` sends the write at once", async () => {
    const task = await listed({ use: [etags({ unknown: 'send' }), conflicts()] });
    server.reply({ status: 204 });
    await edited(task);
    expect(lines()).toEqual(['PATCH /tasks/7']);
    // @ts-expect-error -- only 'read' and 'send'
    expect(() => etags({ unknown: 'ask' })).toThrow(/unknown/);
  });
});
