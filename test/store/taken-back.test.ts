import { type Extension, Model, rollback, Store } from 'repose';
import { LAYERS } from 'repose/extend';
import { expect, test } from 'vitest';
import type { Received, Reply } from '../helpers/rest-server.js';
import { useRestServer } from '../helpers/use-rest-server.js';

// Writes of a sync() that the application takes back while they wait.

const server = useRestServer();
const fields = { id: 'int', title: 'string' } as const;
class Note extends Model.define({ name: 'note', fields, proxy: server.proxy('/notes') }) {}
type Stored = InstanceType<typeof Note>;

const answer = ({ method, path, body }: Received): Reply => {
  if (method === 'DELETE') return { status: 204 };
  const id = method === 'POST' ? 11 : Number(path.split('/').at(-1));
  return { status: method === 'POST' ? 201 : 200, json: Array.isArray(body) ? body : { id, ...body } };
};

/** Syncs one record at a time, and runs `meanwhile` while the first one is being written. */
async function syncWhile(store: Store<Stored>, meanwhile: () => unknown, options: object = {}) {
  server.always(answer);
  const held = server.hold();
  const syncing = store.sync({ concurrency: 1, ...options });
  const request = await held.request;
  await meanwhile();
  held.answer(answer(request));
  return syncing;
}

const errorsIn = ({ outcomes }: Awaited<ReturnType<typeof syncWhile>>) =>
  outcomes.map(({ action, error }) => [action, error?.reason]);

test('a new record that is rejected while its create waits has an error in its outcome, and stays new', async () => {
  const store = new Store({ model: Note });
  const [, second] = store.add({ title: 'first' }, { title: 'second' });
  let exceptions = 0;
  store.on('exception', () => (exceptions += 1));
  const batch = await syncWhile(store, () => second?.reject(), { onFailure: rollback });
  expect(errorsIn(batch)).toEqual([
    ['create', undefined],
    ['create', 'sync-taken-back'],
  ]);
  expect(batch.failures[0]?.error).toMatchObject({ code: 'abort' });
  expect([second?.phantom, second?.$.error, exceptions]).toEqual([true, undefined, 0]);
  expect(server.lines).toEqual(['POST /notes']);
  await store.sync();
  expect(server.lines).toEqual(['POST /notes', 'POST /notes']);
});

test('a record that is dropped while its create waits, and one that is added again while its erase waits, have none', async () => {
  const store = new Store({ model: Note, data: [{ id: 1 }, { id: 2 }], pageSize: 0 });
  const [first, second] = [...store] as [Stored, Stored];
  const [, dropped] = store.add({ title: 'new' }, { title: 'dropped' }) as [Stored, Stored];
  store.remove(first, second);
  const batch = await syncWhile(store, () => {
    store.remove(dropped);
    store.add(second);
  });
  expect(batch.failures).toEqual([]);
  expect(server.lines).toEqual(['POST /notes', 'DELETE /notes/1']);
  expect([store.pending.created, store.pending.removed]).toEqual([[], []]);
});

test('an update that is rejected while it waits has left nothing to write', async () => {
  const store = new Store({ model: Note, data: [{ id: 1 }, { id: 2 }], pageSize: 0 });
  for (const note of store) note.title = 'edited';
  const batch = await syncWhile(store, () => store.getById(2)?.reject());
  expect([batch.failures, server.lines]).toEqual([[], ['PUT /notes/1']]);
});

test('a bulk write leaves out the records that are rejected while a hook holds it back', async () => {
  let release = () => undefined as void;
  const counts: [number, number][] = [];
  const wait: Extension = {
    name: 'wait',
    layer: LAYERS.checks - 5,
    async write(write, next) {
      const { length } = write.records;
      await new Promise<void>((resolve) => (release = resolve));
      const outcomes = await next(write);
      counts.push([length, outcomes.length]);
      return outcomes;
    },
  };
  const Bulk = Note.with({ proxy: { batchActions: true, use: [wait] } });
  const store = new Store({ model: Bulk, data: [{ id: 1 }, { id: 2 }, { id: 3 }], pageSize: 0 });
  server.always(answer);
  const syncWithout = async (...rejected: number[]) => {
    for (const note of store) note.title = `without ${rejected}`;
    const syncing = store.sync();
    for (const id of rejected) store.getById(id)?.reject();
    release();
    const batch = await syncing;
    return [errorsIn(batch).map(([, reason]) => reason), [...store].map(({ dirty }) => dirty)];
  };
  const clean = [false, false, false];
  expect(await syncWithout(1)).toEqual([[undefined, undefined, undefined], clean]);
  expect(server.lines).toEqual(['PUT /notes']);
  expect(server.last.body).toMatchObject([{ id: 2 }, { id: 3 }]);
  expect(counts).toEqual([[3, 2]]);
  expect(await syncWithout(1, 2, 3)).toEqual([[undefined, undefined, undefined], clean]);
  expect(server.lines).toEqual(['PUT /notes']);
  expect([...store].map(({ $ }) => [$.saving, $.error])).toEqual([
    [false, undefined],
    [false, undefined],
    [false, undefined],
  ]);
});

test('commit() of a record that waits says for what to wait, and how to go on', async () => {
  const store = new Store({ model: Note, data: [{ id: 1 }, { id: 2 }], pageSize: 0 });
  const [first, second] = [...store] as [Stored, Stored];
  for (const note of store) note.title = 'edited';
  await syncWhile(store, () => {
    expect([first.$.saving, second.$.saving]).toEqual([true, false]);
    expect(() => first.commit()).toThrow(/is being saved/);
    expect(() => second.commit()).toThrow(/waits to be written/);
    second.reject();
    second.title = 'local';
    second.commit();
  });
  expect([server.lines, second.title, second.dirty]).toEqual([['PUT /notes/1'], 'local', false]);
});
