import { conflicts, etags, Model, plain, type RestProxyConfig, Session, Store, safeWrites } from 'repose';
import { memoryStorage, Outbox } from 'repose/outbox';
import { restServer } from 'repose/testing';
import { describe, expect, test } from 'vitest';

/** A list of three rows, of which another user erases the second one on the server. */
async function setUp({ use = [], session, ...config }: RestProxyConfig & { session?: Session }) {
  const rows = [1, 2, 3].map((id) => ({ id, name: `n${id}` }));
  const server = restServer({ collections: { '/api/tasks': rows } });
  const sent: string[] = [];
  const proxy: RestProxyConfig = {
    baseUrl: server.baseUrl,
    url: '/api/tasks',
    dialect: plain(),
    use,
    fetch: async (input, init) => {
      sent.push(init?.method ?? 'GET');
      const response = await server.fetch(input, init);
      const headers = new Headers(response.headers);
      headers.delete('etag');
      return new Response(response.body, { status: response.status, headers });
    },
    ...config,
  };
  class Task extends Model.define({
    name: 'task',
    fields: { id: 'int', name: 'string' },
    proxy: { type: 'rest', ...proxy },
  }) {}
  const store = new Store({ model: Task, pageSize: 2, ...(session && { session }) });
  await store.load();
  const task = store.getById(2) as Task;
  const other = new Store({ model: Task, ...(session && { session }) });
  if (session) await other.load();
  server.setRows('/api/tasks', [rows[0], rows[2]] as never);
  sent.length = 0;
  return { store, other, task, sent };
}
const ids = (store: Iterable<{ id: unknown }>) => [...store].map(({ id }) => id);
const FORMS: [string, RestProxyConfig['use'], string[]][] = [
  ['the write itself', [], ['DELETE']],
  ["the read of `conflicts({ compare: 'read' })`", [conflicts({ compare: 'read' })], ['GET']],
  ['the read of `safeWrites()`', [safeWrites({ conflicts: { compare: 'read' } })], ['GET']],
  ['the write behind the read of `etags()`', [etags()], ['GET', 'DELETE']],
];

describe.each(FORMS)('a row that %s does not find', (_, use, requests) => {
  test('leaves its list when it is erased', async () => {
    const { store, task, sent } = await setUp({ use });
    const error = await task.erase().then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect([(error as { status?: number } | undefined)?.status, ids(store), task.erased]).toEqual([404, [1], true]);
    expect(sent).toEqual(requests);
  });

  test('leaves all lists of its session', async () => {
    const { store, other, task } = await setUp({ use, session: new Session() });
    await task.erase().catch(() => undefined);
    expect([ids(store), ids(other), task.erased]).toEqual([[1], [1, 3], true]);
  });

  test('stays with its edit, and its lists are stale', async () => {
    const { store, task } = await setUp({ use });
    await task
      .set({ name: 'other' })
      .save()
      .catch(() => undefined);
    expect([ids(store), task.dirty, task.erased, store.status.get().staleReason]).toEqual([
      [1, 2],
      true,
      false,
      'movedRow',
    ]);
  });

  test('leaves its list where an outbox erases it', async () => {
    const outbox = new Outbox({ scope: 'ada', storage: memoryStorage() });
    const { store, task } = await setUp({ use: [...(use ?? []), outbox] });
    await task.erase();
    expect([ids(store), task.erased, outbox.entries.length]).toEqual([[1], true, 0]);
    await outbox.close();
  });

  test('leaves its list when the store syncs its erase', async () => {
    const { store, task } = await setUp({ use });
    store.remove(task);
    await store.sync().catch(() => undefined);
    expect([ids(store), task.erased, store.pending.removed.length]).toEqual([[1], true, 0]);
  });
});

test.each([
  ['says nothing of the row where the write is not sent', [conflicts({ compare: 'read' })], ['GET'], [1, 2]],
  ['leaves it to the write that is sent', [etags()], ['GET', 'DELETE'], [1]],
])('a read before a write at an address of its own (`api.read`) %s', async (_, use, requests, left) => {
  const { store, task, sent } = await setUp({ use, api: { read: '/api/tasks', list: '/api/tasks' } });
  await task.erase().catch(() => undefined);
  expect([sent, ids(store)]).toEqual([requests, left]);
});
