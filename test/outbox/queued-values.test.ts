import { conflicts, embed, etags, idempotency, Model, plain, rollback, Store } from 'repose';
import type { FailedWrite } from 'repose/outbox';
import { beforeEach, describe, expect, test } from 'vitest';
import { manualClock } from '../helpers/manual-clock.js';
import type { Received, Reply } from '../helpers/rest-server.js';
import { useRestServer } from '../helpers/use-rest-server.js';
import { openOutbox } from './open-outbox.js';
import { disk } from './shared-storage.js';

const server = useRestServer();
const fields = { id: 'int', title: 'string', pages: 'int' } as const;
class Note extends Model.define({ name: 'note', fields, proxy: server.proxy('/notes', { dialect: plain() }) }) {}

/** The rows on the server, which refuses an empty title. */
let rows: Record<string, unknown>[];
const answer = ({ method, url, body }: Received): Reply => {
  const id = Number(url.split('/')[2]);
  if (method === 'GET') return { json: id ? rows.find((row) => row['id'] === id) : rows };
  if (body?.title === '') return { status: 422, json: { errors: { title: ['must not be empty'] } } };
  return { json: Object.assign(rows.find((row) => row['id'] === id) as object, body) };
};

beforeEach(() => {
  rows = [
    { id: 7, title: 'Plan', pages: 1 },
    { id: 8, title: 'Other', pages: 1 },
  ];
  server.always(answer);
});

const open = (models: (typeof Note)[] = [], storage = disk()) =>
  openOutbox({ scope: 'user-7', storage, models, clock: manualClock() });

const bodies = () => server.requests.filter(({ method }) => method !== 'GET').map(({ body }) => body);

test('repair-sends-typing: repair() sends the values that it is given, and nothing that is typed and not saved', async () => {
  const outbox = await open();
  const note = await Note.with({ proxy: { use: [outbox] } }).load(7);
  note.title = '';
  await expect(note.save()).rejects.toMatchObject({ code: 'validation' });
  note.pages = 99;
  await outbox.repair(outbox.failed[0] as FailedWrite, { title: 'Plan B' });
  await outbox.drained();
  expect(bodies()).toEqual([{ title: '' }, { title: 'Plan B' }]);
  expect(note.$.modified).toEqual({ pages: 99 });
  await outbox.close();
});

test('repeat-after-deploy: a create is repeated under its key with its first body by a version with another default value', async () => {
  const storage = disk();
  const keyed = { use: [idempotency()] };
  const before = await open([], storage);
  const Early = Note.with({ proxy: keyed });
  server.reply({ drop: true });
  const saving = new (Early.with({ proxy: { use: [before] } }))({ title: 'Plan', pages: 1 }).save();
  await expect(saving).rejects.toMatchObject({ queued: true });
  class Later extends Model.define({
    name: 'note',
    fields: { ...fields, color: { type: 'string', defaultValue: 'blue' } },
    proxy: { ...server.proxy('/notes', { dialect: plain() }), ...keyed },
  }) {}
  server.always(({ body }) => ({ status: 201, json: { ...body, id: 9 } }));
  const outbox = await open([Later as never], storage);
  await outbox.send();
  await outbox.drained();
  const sent = server.requests.map(({ text, headers }) => [text, headers['idempotency-key']]);
  expect(sent).toHaveLength(2);
  expect(sent[1]).toEqual(sent[0]);
  await outbox.close();
});

test('queued-address-reverts-others: a queued edit inside an address keeps what others have changed in it', async () => {
  class Address extends Model.define({ fields: { city: 'string', zip: 'string' } }) {}
  let row = { id: 7, address: { city: 'London', zip: 'N1' } };
  let revision = 1;
  const outbox = await open();
  class User extends Model.define({
    name: 'user',
    fields: { id: 'int', address: embed(Address) },
    proxy: { ...server.proxy('/users', { dialect: plain() }), use: [etags(), conflicts(), outbox] },
  }) {}
  server.always(({ method, body, headers }) => {
    if (method !== 'GET') {
      if (headers['if-match'] !== `"${revision}"`) return { status: 412 };
      row = { ...row, ...body };
      revision += 1;
    }
    return { json: row, headers: { etag: `"${revision}"` } };
  });
  const user = await User.load(7);
  server.reply({ drop: true });
  (user.address as InstanceType<typeof Address>).city = 'Oxford';
  await expect(user.save()).rejects.toMatchObject({ queued: true });
  row = { id: 7, address: { city: 'London', zip: 'OX1' } };
  revision += 1;
  await user.load();
  await outbox.send();
  await outbox.drained();
  expect(row.address).toEqual({ city: 'Oxford', zip: 'OX1' });
  expect(outbox.size).toBe(0);
  await outbox.close();
});

describe('a write that was queued before a sync is rolled back', () => {
  async function queuedNote(values: Partial<{ title: string; pages: number }>) {
    const outbox = await open();
    const notes = new Store({ model: Note.with({ proxy: { use: [outbox] } }), pageSize: 0 });
    await notes.load();
    const note = notes.getById(7) as Note;
    note.set(values);
    server.reply({ drop: true });
    await expect(note.save()).rejects.toMatchObject({ queued: true });
    return { outbox, notes, note };
  }

  test('rollback-forgets-a-queued-write: is queued again if the sync has sent it and undone it', async () => {
    const { outbox, notes, note } = await queuedNote({ title: 'Plan B' });
    note.pages = 2;
    (notes.getById(8) as Note).title = '';
    await notes.sync({ onFailure: rollback, concurrency: 1 });
    expect(outbox.entries).toMatchObject([{ id: 7, state: 'queued', values: { title: 'Plan B' } }]);
    await outbox.send();
    await outbox.drained();
    expect([rows[0], note.$.modified]).toEqual([{ id: 7, title: 'Plan B', pages: 1 }, { pages: 2 }]);
    await outbox.close();
  });

  test('rollback-fails-a-queued-write: is sent if other values of its record are refused in the sync', async () => {
    const { outbox, notes, note } = await queuedNote({ pages: 2 });
    note.title = '';
    expect((await notes.sync({ onFailure: rollback })).failures).toMatchObject([{ error: { code: 'validation' } }]);
    expect(outbox.failed).toEqual([]);
    await outbox.send();
    await outbox.drained();
    expect([rows[0], note.$.modified]).toEqual([{ id: 7, title: 'Plan', pages: 2 }, { title: '' }]);
    await outbox.close();
  });
});
