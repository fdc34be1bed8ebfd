import { ConflictError, conflicts, etags, Model, off } from 'repose';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();
const ROW = { id: 7, name: 'old', note: 'a', count: 1 };
class Task extends Model.define({
  name: 'task',
  fields: {
    id: 'int',
    name: 'string',
    note: 'string',
    count: 'int',
    mark: { type: 'string', persist: false },
    label: { type: 'string', calculate: ({ name }: { readonly name: string }) => `${name}!` },
  },
  proxy: server.proxy('/tasks', { noCache: false, use: [etags(), conflicts()] }),
}) {}

const tagged = (json: object, tag: string) => ({ json, headers: { ETag: `"${tag}"` } });

async function conflictOf(write: Promise<unknown>): Promise<ConflictError> {
  const error = await write.catch((reason: unknown) => reason);
  if (!(error instanceof ConflictError)) throw error;
  return error;
}

/** A task with an edited name, and the conflict of its save. */
async function inConflict(
  answer: object = { status: 412 },
  Class = Task,
): Promise<{ task: Task; error: ConflictError }> {
  server.reply(tagged(ROW, 'a'), answer);
  const task = await Class.load(7);
  task.set({ name: 'mine', mark: 'here only' });
  return { task, error: await conflictOf(task.save()) };
}

const THEIRS = { ...ROW, name: 'theirs', count: 2 };
const SIDES = [
  { field: 'id', base: 7, mine: 7, theirs: 7 },
  { field: 'name', base: 'old', mine: 'mine', theirs: 'theirs' },
  { field: 'note', base: 'a', mine: 'a', theirs: 'a' },
  { field: 'count', base: 1, mine: 1, theirs: 2 },
];

describe('conflict.inspect()', () => {
  test('gives all fields that the server knows, from the row in the response, without a request', async () => {
    const { task, error } = await inConflict({ status: 412, json: { current: THEIRS } });
    const before = server.requests.length;
    expect(await error.inspect()).toEqual(SIDES);
    expect(server.requests).toHaveLength(before);
    expect(task).toMatchObject({ name: 'mine', dirty: true });
    expect(task.$.error).toBe(error);
  });

  test('reads the row if the response did not hold it, changes nothing, and reads it once', async () => {
    const { task, error } = await inConflict();
    server.reply(tagged(THEIRS, 'b'));
    expect(await error.inspect()).toEqual(SIDES);
    expect(await error.inspect()).toEqual(SIDES);
    expect(error.theirs).toEqual(THEIRS);
    expect(server.lines).toEqual(['GET /tasks/7', 'PUT /tasks/7', 'GET /tasks/7']);
    expect(task).toMatchObject({ name: 'mine', count: 1, dirty: true });
    expect(task.$.error).toBe(error);
  });

  test('keepMine() then goes with the ETag of the row that was inspected', async () => {
    const { task, error } = await inConflict();
    server.reply(tagged(THEIRS, 'b'));
    await error.inspect();
    server.reply({ status: 204 });
    await error.keepMine();
    expect(server.lines).toEqual(['GET /tasks/7', 'PUT /tasks/7', 'GET /tasks/7', 'PUT /tasks/7']);
    expect(server.last.headers['if-match']).toBe('"b"');
    expect(server.last.body).toMatchObject({ name: 'mine', count: 2 });
    expect(task.dirty).toBe(false);
  });

  test('takeTheirs() then shows the inspected row at once, and the next save has its ETag', async () => {
    const { task, error } = await inConflict();
    server.reply(tagged(THEIRS, 'b'));
    await error.inspect();
    expect(error.takeTheirs()).toBeUndefined();
    expect(task).toMatchObject({ name: 'theirs', count: 2 });
    task.name = 'later';
    server.reply({ status: 204 });
    await task.save();
    expect(server.last.headers['if-match']).toBe('"b"');
  });

  test('shows an edit that was made since', async () => {
    const { task, error } = await inConflict({ status: 412, json: { current: THEIRS } });
    task.note = 'later';
    expect(await error.inspect()).toContainEqual({ field: 'note', base: 'a', mine: 'later', theirs: 'a' });
  });

  test('of an erase gives no values of mine', async () => {
    server.reply(tagged(ROW, 'a'), { status: 412, json: { current: THEIRS } });
    const error = await conflictOf((await Task.load(7)).erase());
    expect(await error.inspect()).toEqual(SIDES.map((each) => ({ ...each, mine: undefined })));
  });

  test('of a record that is gone gives no values of theirs, and the conflict is `gone`', async () => {
    const { task, error } = await inConflict();
    server.reply({ status: 404 });
    expect(await error.inspect()).toEqual(SIDES.map((each) => ({ ...each, theirs: undefined })));
    expect(error.gone).toBe(true);
    expect(task).toMatchObject({ erased: false, dirty: true });
    await error.takeTheirs();
    expect(task.erased).toBe(true);
  });

  test('rejects with the error of its read, and the conflict stays', async () => {
    const { task, error } = await inConflict();
    server.reply({ status: 500 });
    await expect(error.inspect()).rejects.toMatchObject({ code: 'http', status: 500 });
    expect(task.$.error).toBe(error);
  });

  test('rejects when the conflict is over, and without `conflicts()`', async () => {
    const { task, error } = await inConflict();
    server.reply({ status: 204 });
    await task.save();
    await expect(error.inspect()).rejects.toMatchObject({ code: 'unresolvable', reason: 'conflict-over' });
    const Bare = Task.with({ proxy: { use: [off('conflicts')] } });
    const bare = await inConflict({ status: 412 }, Bare);
    await expect(bare.error.inspect()).rejects.toMatchObject({ code: 'unresolvable', reason: 'conflict-unbound' });
  });
});
