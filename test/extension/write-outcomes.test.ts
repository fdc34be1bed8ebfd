import {
  conflicts,
  type Extension,
  type ExtensionEntry,
  etags,
  Model,
  type ProxyRequest,
  plain,
  retry,
  Store,
} from 'repose';
import { setSlot, slotOf } from 'repose/extend';
import { describe, expect, test, vi } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();
const define = (use: readonly ExtensionEntry[], config = {}) =>
  class extends Model.define({
    name: 'user',
    fields: { id: 'int', name: 'string' },
    proxy: server.proxy('/users', { dialect: plain(), use, ...config }),
  }) {};

/** An extension whose `write` hook changes the outcomes. */
const turning = (name: string, turn: (outcomes: readonly unknown[]) => unknown): Extension => ({
  name,
  layer: 55,
  write: async (write, next) => turn(await next(write)) as never,
});

describe('a `write` hook without an outcome for each record', () => {
  test.each<[what: string, turn: (outcomes: readonly unknown[]) => unknown]>([
    ['nothing', () => undefined],
    ['none', () => []],
    ['one too many', (outcomes) => [...outcomes, ...outcomes]],
    ['no outcome', () => [undefined]],
    ['an error of another kind', () => [{ error: new Error('mine') }]],
  ])('leaves a create unconfirmed and no longer saving: %s', async (_, turn) => {
    const User = define([turning('odd', turn)]);
    server.reply({ status: 201, json: { id: 1, name: 'a' } });
    const user = new User({ name: 'a' });
    await expect(user.save()).rejects.toMatchObject({ code: 'definition', message: expect.stringContaining("'odd'") });
    expect([user.$.saving, user.$.unconfirmed, user.$.error?.code]).toEqual([false, true, 'definition']);
  });

  test('fails every record of a request with several', async () => {
    const User = define([turning('few', (outcomes) => outcomes.slice(1))], { batchActions: true });
    server.reply({ status: 200, json: [{ id: 1 }, { id: 2 }] }, { status: 204 });
    const store = new Store({ model: User });
    const users = store.add({ name: 'a' }, { name: 'b' });
    const batch = await store.sync();
    expect(batch.failures).toHaveLength(2);
    expect(users.map(({ $, phantom }) => [$.saving, $.unconfirmed, phantom])).toEqual(
      Array(2).fill([false, true, true]),
    );
  });
});

test('an error of a `settled` hook is reported as uncaught and stops no write', async () => {
  const uncaught = vi.fn();
  const mine = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException').on('uncaughtException', uncaught);
  try {
    const User = define([
      { name: 'bad', layer: 5, settled: () => Promise.reject(new Error('mine')) },
      {
        name: 'worse',
        layer: 6,
        settled: () => {
          throw new Error('too');
        },
      },
    ]);
    server.reply({ json: { id: 7, name: 'a' } }, { status: 204 }, { status: 400 });
    const user = await User.load(7);
    user.name = 'b';
    const first = user.save();
    user.name = 'c';
    const second = user.save();
    await first;
    await expect(second).rejects.toMatchObject({ code: 'http', status: 400 });
    await vi.waitFor(() =>
      expect(uncaught.mock.calls.map(([{ message }]) => message)).toEqual(['mine', 'too', 'mine', 'too']),
    );
  } finally {
    process.removeAllListeners('uncaughtException');
    for (const each of mine) process.on('uncaughtException', each);
  }
});

test('`prepare` receives the same record in each save, with its key and the data of extensions', async () => {
  const seen: unknown[] = [];
  const reading: Extension = {
    name: 'reading',
    layer: 1,
    write(write, next) {
      for (const record of write.records) setSlot(record, reading, { turn: 1 });
      return next(write);
    },
    prepare({ operation }: ProxyRequest) {
      const [record] = operation.records as unknown as [InstanceType<ReturnType<typeof define>>];
      seen.push([record.$.key, slotOf(record, reading)]);
    },
  };
  const User = define([retry(), conflicts(), reading]);
  server.reply({ status: 400 }, { status: 400 });
  const user = new User({ name: 'a' });
  await user.save().catch(() => undefined);
  await user.save().catch(() => undefined);
  expect(seen).toEqual(Array(2).fill([user.$.key, { turn: 1 }]));
});

test('`settled` reports an erase that was given up as refused', async () => {
  const endings: unknown[] = [];
  const audit: Extension = {
    name: 'audit',
    layer: 1,
    settled: ({ action, outcomes }) => void endings.push([action, ...outcomes.map(({ ending }) => ending)]),
  };
  const User = define([conflicts(), audit]);
  server.reply({ json: { id: 7, name: 'a' } }, { status: 412, json: { id: 7, name: 'theirs' } });
  const user = await User.load(7);
  await user.erase().catch(() => undefined);
  const { error } = user.$;
  if (error?.code !== 'conflict') throw error;
  error.takeTheirs();
  expect([user.name, user.erased, endings]).toEqual([
    'theirs',
    false,
    [
      ['destroy', 'refused'],
      ['destroy', 'refused'],
    ],
  ]);
});

test('each record of a batch that is confirmed by a read gets the ETag of its own row', async () => {
  const User = define([retry({ backoff: { base: 0 } }), etags()], {
    batchActions: true,
    writer: { writeAllFields: true },
  });
  server.reply({
    json: [
      { id: 1, name: 'a' },
      { id: 2, name: 'b' },
    ],
  });
  const store = new Store({ model: User });
  await store.load();
  for (const user of store) user.name += '!';
  server.reply(
    { status: 503 },
    { status: 412, json: {} },
    { json: { id: 1, name: 'a!' }, headers: { ETag: '"one"' } },
    { json: { id: 2, name: 'b!' }, headers: { ETag: '"two"' } },
  );
  expect((await store.sync()).failures).toEqual([]);
  server.reply({ status: 204 });
  const first = store.getAt(0);
  first?.set('name', 'c');
  await first?.save();
  expect(server.last.headers['if-match']).toBe('"one"');
});
