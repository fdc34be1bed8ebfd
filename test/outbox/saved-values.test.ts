import { idempotency, Model, plain, rollback, Store } from 'repose';
import type { FailedWrite, OutboxEntry, OutboxStorage } from 'repose/outbox';
import { beforeEach, describe, expect, test } from 'vitest';
import { manualClock } from '../helpers/manual-clock.js';
import type { Received, Reply } from '../helpers/rest-server.js';
import { useRestServer } from '../helpers/use-rest-server.js';
import { openOutbox } from './open-outbox.js';
import { disk } from './shared-storage.js';

const server = useRestServer();

const fields = { id: 'int', title: 'string', body: 'string' } as const;
class Note extends Model.define({ name: 'note', fields, proxy: server.proxy('/notes', { dialect: plain() }) }) {}

/** The row on the server. */
let row: Record<string, unknown>;
const answer = ({ method, body }: Received): Reply => {
  row = { ...row, id: 7, ...body };
  return { status: method === 'POST' ? 201 : 200, json: row };
};

beforeEach(() => {
  row = { id: 7, title: 'Plan', body: '' };
  server.always(answer);
});

/** An outbox that sends only when it is told to. */
const open = (storage: OutboxStorage = disk(), models: (typeof Note)[] = []) =>
  openOutbox({ scope: 'user-7', storage, models, clock: manualClock() });

const writes = () => server.requests.filter(({ method }) => method !== 'GET');

describe('what is saved while a create is in flight', () => {
  test('stores no value that an edit of the new record has replaced', async () => {
    const outbox = await open();
    const note = new (Note.with({ proxy: { use: [outbox] } }))({ title: 'Plan', body: '' });
    note.title = 'Plan B';
    const held = server.hold();
    const creating = note.save();
    const request = await held.request;
    note.body = 'first';
    const saving = note.save();
    held.answer(answer(request));
    await Promise.all([creating, saving]);
    await outbox.drained();
    expect(writes().map(({ body }) => body)).toEqual([{ title: 'Plan B', body: '' }, { body: 'first' }]);
    expect([note.title, note.body, note.dirty]).toEqual(['Plan B', 'first', false]);
    await outbox.close();
  });
});

test('a value that a new record was made with is no edit while its create is in flight', async () => {
  const outbox = await open();
  const note = new (Note.with({ proxy: { use: [outbox] } }))({ title: 'Plan', body: '' });
  const held = server.hold();
  const creating = note.save();
  note.body = 'half a sen';
  const request = await held.request;
  note.reject();
  const inFlight = [note.body, note.$.modified];
  held.answer(answer(request));
  await creating;
  await outbox.drained();
  expect([inFlight, note.body, note.dirty]).toEqual([['', {}], '', false]);
  await outbox.close();
});

test('a save shows its values while an outbox first repeats an older update', async () => {
  const outbox = await open();
  const note = await Note.with({ proxy: { use: [outbox] } }).load(7);
  note.title = 'Plan B';
  server.reply({ drop: true });
  await expect(note.save()).rejects.toMatchObject({ queued: true });
  note.title = 'Plan C';
  const held = server.hold();
  const saving = note.save();
  const request = await held.request;
  const inFlight = note.title;
  held.answer(answer(request));
  await saving;
  await outbox.drained();
  expect(writes().map(({ body }) => body['title'])).toEqual(['Plan B', 'Plan B', 'Plan C']);
  expect([inFlight, note.title, note.dirty]).toEqual(['Plan C', 'Plan C', false]);
  await outbox.close();
});

describe('what is saved while an outbox is about to send an older create', () => {
  test('is shown while the create is in flight', async () => {
    const stored = disk();
    let beforeUpdate: Promise<unknown> | undefined;
    const outbox = await open({
      ...stored,
      update: async (...given) => {
        await beforeUpdate;
        return stored.update(...given);
      },
    });
    const note = new (Note.with({ proxy: { use: [outbox] } }))({ title: 'Plan', body: '' });
    server.reply({ status: 422, json: {} });
    await expect(note.save()).rejects.toMatchObject({ status: 422 });
    await outbox.retry(outbox.failed[0] as FailedWrite);
    let go: (_?: unknown) => void = () => undefined;
    beforeUpdate = new Promise((resolve) => {
      go = resolve;
    });
    await expect.poll(() => note.$.saving).toBe(true);
    note.body = 'first';
    const saving = note.save();
    const held = server.hold();
    go();
    const request = await held.request;
    expect([request.method, request.body, note.body]).toEqual(['POST', { title: 'Plan', body: '' }, 'first']);
    held.answer(answer(request));
    await saving;
    await outbox.drained();
    expect([server.last.body, note.body, note.dirty]).toEqual([{ body: 'first' }, 'first', false]);
    await outbox.close();
  });
});

describe('what is typed and not saved', () => {
  test('stays an edit while the outbox repeats a create under its key', async () => {
    const outbox = await open();
    const Queued = Note.with({ proxy: { use: [idempotency(), outbox] } });
    const note = new Queued({ title: 'Plan', body: '' });
    server.reply({ drop: true });
    await expect(note.save()).rejects.toMatchObject({ queued: true });
    const held = server.hold();
    const flushing = outbox.send();
    const request = await held.request;
    note.body = 'half a sen';
    held.answer(answer(request));
    await flushing;
    await outbox.drained();
    expect(writes().map(({ body }) => body)).toEqual([
      { title: 'Plan', body: '' },
      { title: 'Plan', body: '' },
    ]);
    expect([note.phantom, note.$.modified]).toEqual([false, { body: 'half a sen' }]);
    await outbox.close();
  });

  test('stays an edit while the outbox sends a queued update', async () => {
    const outbox = await open();
    const note = await Note.with({ proxy: { use: [outbox] } }).load(7);
    note.title = 'Plan B';
    server.reply({ drop: true });
    await expect(note.save()).rejects.toMatchObject({ queued: true });
    note.body = 'half a sen';
    const held = server.hold();
    const flushing = outbox.send();
    const request = await held.request;
    note.title = 'Plan B and half a sen';
    held.answer(answer(request));
    await flushing;
    await outbox.drained();
    expect(writes().map(({ body }) => body)).toEqual([{ title: 'Plan B' }, { title: 'Plan B' }]);
    expect(note.$.modified).toEqual({ title: 'Plan B and half a sen', body: 'half a sen' });
    await outbox.close();
  });

  test('stays an edit while the outbox reads the row before it writes the whole row', async () => {
    const storage = disk();
    const WholeNote = Note.with({ proxy: { actionMethods: { update: 'PUT' } } });
    const before = await open(storage);
    const saved = await WholeNote.with({ proxy: { use: [before] } }).load(7);
    saved.title = 'Plan B';
    server.reply({ drop: true });
    await expect(saved.save()).rejects.toMatchObject({ queued: true });
    await before.close();

    const outbox = await open(storage, [WholeNote]);
    const held = server.hold();
    const flushing = outbox.send();
    const request = await held.request;
    expect(request.method).toBe('GET');
    const shown = await WholeNote.with({ proxy: { use: [outbox] } }).load(7);
    expect(shown.title).toBe('Plan B');
    shown.body = 'half a sen';
    held.answer({ json: row });
    await flushing;
    await outbox.drained();
    expect(server.last.body).toEqual({ id: 7, title: 'Plan B', body: '' });
    expect(shown.$.modified).toEqual({ body: 'half a sen' });
    await outbox.close();
  });
});

describe('a queued create that may have been sent', () => {
  test.each(['save()', 'flush()'])('is repeated to its own tenant by %s, after another one was chosen', async (how) => {
    let tenant = 'red';
    const outbox = await open();
    const TenantNote = Note.with({
      proxy: {
        ...{ url: '/{tenant}/notes', use: [idempotency(), outbox] },
        pathParams: () => ({ tenant }),
        extraParams: () => ({ team: `${tenant} team` }),
      },
    });
    const note = new TenantNote({ title: 'Plan', body: '' });
    server.reply({ drop: true });
    await expect(note.save()).rejects.toMatchObject({ queued: true });
    tenant = 'blue';
    if (how === 'save()') await note.save();
    else await outbox.send();
    await outbox.drained();
    await outbox.close();
    const [first, second] = server.requests.map(({ method, url, headers, text }) => ({
      ...{ method, url, text },
      key: headers['idempotency-key'],
    }));
    expect(first).toMatchObject({ method: 'POST', url: '/red/notes?team=red%20team' });
    expect(first?.key).toBeTruthy();
    expect(second).toEqual(first);
    expect([server.requests.length, note.phantom]).toEqual([2, false]);
  });
});

describe('a change whose turn comes after a newer save of its record', () => {
  /** Two notes of a store that writes one after the other, with the first one's request held back. */
  const heldBack = async (notes: (Class: typeof Note) => Promise<Note[]> | Note[]) => {
    const outbox = await open();
    const Queued = Note.with({ proxy: { use: [idempotency(), outbox] } });
    const store = new Store({ model: Queued, concurrency: 1 });
    const [first, second] = (await notes(Queued)) as [Note, Note];
    store.add(first, second);
    const held = server.hold();
    return { outbox, store, first, second, held };
  };

  /** Saves the second note while its change of the `sync()` waits for its turn; that save gets no response. */
  const saveInBetween = async (second: Note, values: object) => {
    server.reply({ drop: true });
    second.set(values);
    await expect(second.save()).rejects.toMatchObject({ queued: true });
  };

  test('is not created a second time', async () => {
    const { outbox, store, second, held } = await heldBack((Queued) => [
      new Queued({ title: 'first' }),
      new Queued({ title: 'second' }),
    ]);
    const syncing = store.sync();
    const request = await held.request;
    await saveInBetween(second, { body: 'typed since' });
    held.answer(answer(request));
    await syncing;
    await outbox.send();
    await outbox.drained();
    const keys = new Set(writes().map(({ headers }) => headers['idempotency-key']));
    expect([keys.size, second.phantom, second.dirty]).toEqual([2, false, false]);
    expect(server.last.body).toEqual({ title: 'second', body: 'typed since' });
    await outbox.close();
  });

  test('is not written after the newer values', async () => {
    const { outbox, store, first, second, held } = await heldBack((Queued) => [
      Queued.fromRow({ id: 7, title: 'first', body: '' }),
      Queued.fromRow({ id: 8, title: 'second', body: '' }),
    ]);
    [first.title, second.title, second.body] = ['first, edited', 'older', 'older'];
    const syncing = store.sync();
    await held.request;
    await saveInBetween(second, { title: 'newer' });
    server.always(({ body }) => ({ json: (row = { ...row, ...body, id: 8 }) }));
    held.answer({ json: { id: 7, title: 'first, edited', body: '' } });
    await syncing;
    await outbox.send();
    await outbox.drained();
    expect([row, second.title, second.dirty]).toEqual([{ id: 8, title: 'newer', body: 'older' }, 'newer', false]);
    await outbox.close();
  });
});

test.each(['create', 'update'])('a value that is not persisted stays on a record, through a %s too', async (action) => {
  const outbox = await open();
  class Page extends Model.define({
    name: 'page',
    fields: { ...fields, folded: { type: 'boolean', persist: false } },
    proxy: server.proxy('/pages', { dialect: plain(), use: [outbox] }),
  }) {}
  const page = action === 'create' ? new Page({ title: 'Plan', folded: false }) : await Page.load(7);
  page.set({ body: 'first', folded: true });
  const held = server.hold();
  const saving = page.save();
  const request = await held.request;
  expect([page.folded, page.$.modified]).toEqual([true, { body: 'first', folded: true }]);
  page.set({ body: 'second' });
  const next = page.save();
  held.answer({ status: 422 });
  await expect(saving).rejects.toMatchObject({ code: 'validation' });
  await next;
  await outbox.drained();
  expect([page.folded, page.body, page.dirty]).toEqual([true, 'second', false]);
  expect([request, server.last].map(({ body }) => Object.hasOwn(body, 'folded'))).toEqual([false, false]);
  await outbox.close();
});

test('a value that was set back stays an edit when a rollback queues again what was saved before', async () => {
  const outbox = await open();
  const Queued = Note.with({ proxy: { use: [outbox] } });
  const store = new Store({ model: Queued });
  const [note] = store.add({ title: 'Plan', body: '' }) as [Note];
  note.title = 'Plan B';
  server.reply({ status: 422, json: { errors: { title: ['is refused'] } } });
  await expect(note.save()).rejects.toMatchObject({ status: 422 });
  note.title = 'Plan';
  const [refused] = store.add({ title: 'refused', body: '' }) as [Note];
  server.always((request) =>
    request.body?.title === 'refused' ? { status: 422, json: {} } : { status: 201, json: { ...request.body, id: 7 } },
  );
  await store.sync({ onFailure: rollback });
  store.remove(refused);
  const before = writes().length;
  await outbox.send();
  expect([note.title, writes().length - before]).toEqual(['Plan', 0]);
  await note.save();
  expect([server.last.body, note.phantom, outbox.entries]).toEqual([{ title: 'Plan', body: '' }, false, []]);
  await outbox.close();
});

test('a create that got no clear response in a rolled-back sync is unconfirmed after a restart too', async () => {
  const storage = disk();
  const before = await open(storage);
  const store = new Store({ model: Note.with({ proxy: { use: [before] } }) });
  const [note] = store.add({ title: 'Plan', body: '' }) as [Note];
  server.always(() => ({ status: 503 }));
  await store.sync({ onFailure: rollback });
  expect(note.$.unconfirmed).toBe(true);
  await before.close();
  const outbox = await open(storage, [Note]);
  expect(outbox.failed.map(({ state, record }) => [state, record?.get('title')])).toEqual([['unconfirmed', 'Plan']]);
  await outbox.close();
});

test('a create whose undoing got no response is shown as a new record after a restart', async () => {
  const storage = disk();
  const before = await open(storage);
  const store = new Store({ model: Note.with({ proxy: { use: [before] } }) });
  store.add({ title: 'Plan', body: '' }, { title: 'refused', body: '' });
  server.always(({ method, body }) => {
    if (method === 'DELETE') return { drop: true };
    return body?.title === 'refused' ? { status: 422, json: {} } : { status: 201, json: { ...body, id: 7 } };
  });
  await store.sync({ onFailure: rollback });
  await before.close();
  const outbox = await open(storage, [Note]);
  const reopened = new Store({ model: Note.with({ proxy: { use: [outbox] } }) });
  expect(reopened.pending.created.map(({ title, $ }) => [title, $.unconfirmed])).toEqual([['Plan', true]]);
  await outbox.close();
});

test('a save that is dropped while it waits behind one that reads its row first is not stored again when its turn comes', async () => {
  const storage = disk();
  const outbox = await open(storage);
  const proxy = { actionMethods: { update: 'PUT' }, use: [outbox] } as const;
  const note = new (Note.with({ proxy }))({ title: 'Plan', body: '' });
  // The response lacks members of the row, which a PUT would erase.
  server.reply({ status: 201, json: { id: 7 } });
  await note.save();
  note.title = 'Plan B';
  const held = server.hold();
  const saving = note.save();
  expect((await held.request).method).toBe('GET');
  note.body = 'more';
  const behind = note.save();
  await expect.poll(async () => (await storage.all()).length).toBe(2);
  await outbox.discard(outbox.entries[0] as OutboxEntry);
  held.answer({ json: row });
  const dropped = { status: 'rejected', reason: { code: 'abort', reason: 'save-dropped' } };
  expect(await Promise.allSettled([saving, behind])).toMatchObject([dropped, dropped]);
  await outbox.drained();
  expect(writes().map(({ method }) => method)).toEqual(['POST']);
  expect([outbox.size, await storage.all()]).toEqual([0, []]);
  // As after each drop(), the record shows the row of the server.
  expect(note.$.modified).toEqual({});
  expect(note.title).toBe(row.title);
  note.body = 'other';
  await note.save();
  expect(server.last).toMatchObject({ method: 'PUT', body: { ...row, body: 'other' } });
  expect(note.dirty).toBe(false);
  await outbox.close();
});

test('a save that waits behind a write of a sync that is rolled back is sent', async () => {
  const storage = disk();
  const outbox = await open(storage);
  const store = new Store({ model: Note.with({ proxy: { use: [outbox] } }) });
  server.reply({ json: [row] });
  await store.load();
  const [note] = store as Iterable<Note> as [Note];
  note.title = 'refused';
  const held = server.hold();
  const synced = store.sync({ onFailure: rollback });
  await held.request;
  note.title = 'Plan C';
  const saving = note.save();
  await expect.poll(async () => (await storage.all()).length).toBe(2);
  held.answer({ status: 422, json: {} });
  expect((await synced).failures).toMatchObject([{ error: { status: 422 } }]);
  await saving;
  await outbox.drained();
  expect(writes().map(({ body }) => body?.title)).toEqual(['refused', 'Plan C']);
  expect([row['title'], note.dirty, outbox.size]).toEqual(['Plan C', false, 0]);
  await outbox.close();
});
