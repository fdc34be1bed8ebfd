import { type ConflictError, embed, Model, plain, type RestProxyConfig, receive, Store, safeWrites } from 'repose';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();
class Address extends Model.define({ name: 'address', fields: { city: 'string' } }) {}

const ROWS = [1, 2, 3].map((id) => ({ id, name: 'old', address: { city: 'old' }, version: 1 }));

/** Three edited tasks of a list that saves in one request. */
async function edited(config: RestProxyConfig = {}) {
  class Task extends Model.define({
    name: 'task',
    fields: { id: 'int', name: 'string', address: embed(Address), version: 'int' },
    proxy: server.proxy('/tasks', {
      ...{ noCache: false, batchActions: true, actionMethods: { update: 'PATCH' } },
      ...{ dialect: plain(), use: [safeWrites({ etags: { unknown: 'send' } })] },
      ...config,
    }),
  }) {}
  const store = new Store({ model: Task, pageSize: 0 });
  server.reply({ json: ROWS });
  await store.load();
  for (const task of store) task.set({ name: 'mine' });
  return { store, taskOf: (id: number) => store.getById(id) as InstanceType<typeof Task> };
}

describe('a bulk update of a record under which another value has come', () => {
  test.each([
    ['a field', { name: 'theirs' }, { name: 'theirs' }],
    ['a member of an embedded record', { address: { city: 'theirs' } }, { address: { city: 'theirs' } }],
  ])('of %s is a conflict of that record; the others are saved', async (_, change, theirs) => {
    const { store, taskOf } = await edited();
    taskOf(2).address!.city = 'mine';
    receive(store, [{ ...ROWS[1], ...change }]);
    server.reply({ json: [1, 3].map((id) => ({ ...ROWS[0], id, name: 'mine' })) });
    const before = server.lines.length;
    const { failures } = await store.sync();
    expect(server.lines.slice(before)).toEqual(['PATCH /tasks']);
    expect(server.last.body.map(({ id }: { id: number }) => id)).toEqual([1, 3]);
    const error = failures[0]?.error as ConflictError;
    expect([failures.length, error.code, error.theirs]).toMatchObject([1, 'conflict', theirs]);
    expect(store.pending.edited.map(({ id }) => id)).toEqual([2]);
    server.reply({ json: { ...ROWS[1], name: 'mine', address: { city: 'mine' } } });
    await error.keepMine();
    expect([server.lines.at(-1), store.pending.edited, taskOf(2).$.error]).toEqual(['PATCH /tasks/2', [], undefined]);
  });

  test('goes with the others where nothing that was edited differs', async () => {
    const { store } = await edited();
    receive(store, [{ ...ROWS[1], address: { city: 'theirs' } }]);
    server.reply({ json: [1, 2, 3].map((id) => ({ ...ROWS[0], id, name: 'mine' })) });
    expect((await store.sync()).failures).toEqual([]);
    expect(server.last.body).toHaveLength(3);
  });
});

describe.each(['keepMine', 'takeTheirs', 'merge'] as const)(
  'a conflict that is told for a bulk update is ended by %s()',
  (way) => {
    const lockVersion = { dialect: plain({ lockVersion: 'version' }) };
    /** Ends the conflicts of a sync() about task 2, which somebody else has changed. */
    async function end(failures: readonly { readonly record: unknown; readonly error: unknown }[]) {
      for (const { record, error } of failures) {
        const { id } = record as { id: number };
        const now = { ...ROWS[0], id, ...(id === 2 ? { name: 'theirs', version: 2 } : { version: 1 }) };
        server.reply({ json: now });
        if (way !== 'takeTheirs') server.reply({ json: { ...now, name: 'mine', version: now.version + 1 } });
        const conflict = error as ConflictError;
        expect(conflict.code).toBe('conflict');
        await (way === 'merge' ? conflict.merge(({ mine }) => mine) : conflict[way]());
      }
    }

    test('that the response refuses as a whole', async () => {
      const { store, taskOf } = await edited(lockVersion);
      server.reply({ status: 409 });
      const { failures } = await store.sync();
      expect(failures).toHaveLength(3);
      await end(failures as never);
      expect([store.pending.edited, taskOf(2).$.error, taskOf(2).dirty]).toEqual([[], undefined, false]);
      expect(taskOf(2).name).toBe(way === 'takeTheirs' ? 'theirs' : 'mine');
    });

    test('of one row', async () => {
      const { store, taskOf } = await edited(lockVersion);
      server.reply({
        status: 207,
        json: [
          { ...ROWS[0], name: 'mine', version: 2 },
          { id: 2, status: 409 },
          { ...ROWS[2], name: 'mine', version: 2 },
        ],
      });
      const { failures } = await store.sync();
      expect(failures).toHaveLength(1);
      await end(failures as never);
      expect([store.pending.edited, taskOf(2).$.error]).toEqual([[], undefined]);
      expect(taskOf(2).name).toBe(way === 'takeTheirs' ? 'theirs' : 'mine');
    });
  },
);
