import {
  confirm,
  conflicts,
  type Extension,
  etags,
  idempotency,
  Model,
  plain,
  RestProxy,
  type RestProxyConfig,
  rollback,
  Store,
} from 'repose';
import { LAYERS } from 'repose/extend';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Received, Reply } from '../helpers/rest-server.js';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

let tenant = 'A';
const fields = { id: 'int', title: 'string', parentId: 'int' } as const;
const tenantProxy = (config: RestProxyConfig = {}) =>
  server.proxy('/{tenant}/notes', { dialect: plain(), pathParams: () => ({ tenant }), ...config });
class Note extends Model.define({ name: 'note', fields, proxy: tenantProxy() }) {}

/** Answers a create with the id 101, and other writes with their values. */
function answer({ method, path, body }: Received): Reply {
  const id = method === 'POST' ? 101 : Number(path.split('/').at(-1));
  if (method === 'DELETE') return { status: 204 };
  if (Array.isArray(body)) return { json: body };
  return { status: method === 'POST' ? 201 : 200, json: { id, title: 'read', parentId: 1, ...(body as object) } };
}

/** The requests in their order: method and path. */
const requests = () => server.requests.map(({ method, path }) => `${method} ${path}`);

function noteOf<M extends typeof Note>(Class: M, id = 7): InstanceType<M> {
  return Class.fromRow({ id, title: 'Plan', parentId: 1 }) as InstanceType<M>;
}

/** An extension outside the core's checks whose hook waits. */
function slowStart(): { readonly slow: Extension; readonly go: () => void } {
  let go = () => {};
  const waiting = new Promise<void>((resolve) => (go = resolve));
  const slow: Extension = {
    name: 'slow',
    layer: LAYERS.checks - 5,
    async write(write, next) {
      await waiting;
      return next(write);
    },
  };
  return { slow, go: () => go() };
}

beforeEach(() => {
  tenant = 'A';
  server.always(answer);
});

describe('the tenant of a write is the one that was chosen when it was called:', () => {
  test('of an erase behind a save', async () => {
    const note = noteOf(Note);
    const held = server.hold();
    note.title = 'Plan A';
    const saving = note.save();
    const erasing = note.erase();
    const request = await held.request;
    tenant = 'B';
    held.answer(answer(request));
    await Promise.all([saving, erasing]);
    expect(requests()).toEqual(['PATCH /A/notes/7', 'DELETE /A/notes/7']);
  });

  test('of a save and an erase whose hooks wait before the checks', async () => {
    const { slow, go } = slowStart();
    class SlowNote extends Note.with({ proxy: { use: [slow] } }) {}
    const note = noteOf(SlowNote);
    note.title = 'Plan A';
    const writing = [note.save(), noteOf(SlowNote, 8).erase()];
    tenant = 'B';
    go();
    await Promise.all(writing);
    expect(requests()).toEqual(['PATCH /A/notes/7', 'DELETE /A/notes/8']);
  });

  test('of a create under a key whose hook waits, and of its repeat', async () => {
    const { slow, go } = slowStart();
    class KeyedNote extends Note.with({ proxy: { use: [slow, idempotency()] } }) {}
    const note = new KeyedNote({ title: 'Plan' });
    server.reply({ drop: true });
    const saving = note.save();
    tenant = 'B';
    go();
    await expect(saving).rejects.toThrow();
    await note.save();
    expect(requests()).toEqual(['POST /A/notes', 'POST /A/notes']);
  });

  test('of a save that reads an incomplete row first, after a hook that waits', async () => {
    const { slow, go } = slowStart();
    class WholeNote extends Note.with({ proxy: { use: [slow], actionMethods: { update: 'PUT' } } }) {}
    const store = new Store({ model: WholeNote });
    server.reply({ json: [{ id: 7, title: 'Plan' }] });
    await store.load({ params: { fields: 'id,title' } });
    const note = noteOf(WholeNote);
    note.title = 'Plan A';
    const saving = note.save();
    tenant = 'B';
    go();
    await saving;
    expect(requests().every((request) => request.includes('/A/'))).toBe(true);
  });

  test('of what sync() erases after a slow create', async () => {
    const notes = new Store({ model: Note });
    const note = noteOf(Note);
    notes.add(note);
    notes.add({ title: 'New' });
    notes.remove(note);
    const held = server.hold();
    const syncing = notes.sync();
    const request = await held.request;
    tenant = 'B';
    held.answer(answer(request));
    await syncing;
    expect(requests()).toEqual(['POST /A/notes', 'DELETE /A/notes/7']);
  });

  test('of the bulk updates of sync() after a slow create', async () => {
    class BulkNote extends Note.with({ proxy: { batchActions: true } }) {}
    const notes = new Store({ model: BulkNote });
    const both = [noteOf(BulkNote, 1), noteOf(BulkNote, 2)];
    notes.add(...both);
    for (const note of both) note.title = 'Plan A';
    notes.add({ title: 'New' });
    const held = server.hold();
    const syncing = notes.sync();
    const request = await held.request;
    tenant = 'B';
    held.answer(answer(request));
    await syncing;
    expect(requests()).toEqual(['POST /A/notes', 'PATCH /A/notes']);
  });

  test('of the requests that roll a sync() back', async () => {
    const notes = new Store({ model: Note });
    const both = [noteOf(Note, 1), noteOf(Note, 2)];
    notes.add(...both);
    for (const note of both) note.title = 'Plan A';
    const held = [server.hold(), server.hold()] as const;
    const syncing = notes.sync({ onFailure: rollback });
    const [first] = await Promise.all(held.map(({ request }) => request));
    tenant = 'B';
    held[0].answer(answer(first as Received));
    held[1].answer({ status: 422, json: {} });
    await syncing;
    expect(requests().length).toBe(3);
    expect(requests().every((request) => request.includes('/A/'))).toBe(true);
  });

  test('of the erase that keepMine() sends again', async () => {
    class TaggedNote extends Note.with({ proxy: { use: [etags({ unknown: 'send' }), conflicts()] } }) {}
    const note = noteOf(TaggedNote);
    server.reply({ status: 412 });
    const error = await note.erase().catch((each) => each);
    tenant = 'B';
    await error.keepMine();
    expect(requests().every((request) => request.includes('/A/'))).toBe(true);
    expect(requests().at(-1)).toBe('DELETE /A/notes/7');
  });

  test('of an unanswered erase, which a 404 from another tenant does not confirm', async () => {
    class ConfirmedNote extends Note.with({ proxy: { use: [confirm()] } }) {}
    const note = noteOf(ConfirmedNote);
    server.reply({ drop: true });
    await expect(note.erase()).rejects.toThrow();
    tenant = 'B';
    server.reply({ status: 404 });
    await expect(note.erase()).rejects.toMatchObject({ status: 404 });
    expect([note.erased, requests()]).toEqual([false, ['DELETE /A/notes/7', 'DELETE /B/notes/7']]);
  });

  test('of each of two saves that wait, if another was chosen between them', async () => {
    const note = noteOf(Note);
    const held = server.hold();
    note.title = 'Plan A';
    const saving = [note.save()];
    note.parentId = 2;
    saving.push(note.save());
    tenant = 'B';
    note.title = 'Plan B';
    saving.push(note.save(), note.save());
    held.answer(answer(await held.request));
    await Promise.all(saving);
    expect(requests()).toEqual(['PATCH /A/notes/7', 'PATCH /A/notes/7', 'PATCH /B/notes/7']);
    expect(server.requests.map(({ body }) => body as unknown)).toEqual([
      { title: 'Plan A' },
      { parentId: 2 },
      { title: 'Plan B' },
    ]);
  });
});

describe('what a write captured at its call', () => {
  test('is sent by the proxy itself, with the state that a class has given it', async () => {
    class SignedProxy extends RestProxy {
      static override readonly alias: string = 'proxy.signed';
      signature = 'none';
      override buildUrl(request: Parameters<RestProxy['buildUrl']>[0]) {
        request.params['signature'] = this.signature;
        return super.buildUrl(request);
      }
    }
    const proxy = new SignedProxy(tenantProxy());
    proxy.signature = 'signed';
    class SignedNote extends Model.define({ name: 'signed', fields, proxy }) {}
    const note = noteOf(SignedNote as never) as Note;
    note.title = 'Plan A';
    const saving = [note.save()];
    note.title = 'Plan B';
    saving.push(note.save());
    await Promise.all(saving);
    expect(server.requests.map(({ query }) => query.get('signature'))).toEqual(['signed', 'signed']);
  });

  test('does not change with the objects that the application gave', async () => {
    const { slow, go } = slowStart();
    const shared = { team: 'red' };
    class SharedNote extends Note.with({ proxy: { use: [slow], extraParams: () => shared } }) {}
    const note = noteOf(SharedNote);
    const params = { view: 1 };
    note.title = 'Plan A';
    const notes = new Store({ model: SharedNote });
    const second = noteOf(SharedNote, 8);
    notes.add(second);
    second.title = 'Plan B';
    const writing = [note.save({ params }), note.erase({ params }), notes.sync({ params })];
    params.view = 2;
    shared.team = 'blue';
    go();
    await Promise.all(writing);
    expect(server.requests.map(({ query }) => [query.get('view'), query.get('team')])).toEqual(
      Array.from({ length: 3 }, () => ['1', 'red']),
    );
  });

  test('is the error of a function for parameters: what is typed later is not sent', async () => {
    let isSignedIn = false;
    const extraParams = () => {
      if (!isSignedIn) throw new Error('signed out');
      return {};
    };
    const { slow, go } = slowStart();
    class SlowNote extends Note.with({ proxy: { use: [slow], extraParams } }) {}
    const [saved, synced] = [noteOf(SlowNote, 1), noteOf(SlowNote, 2)];
    const notes = new Store({ model: SlowNote });
    notes.add(synced);
    saved.title = synced.title = 'Plan A';
    const saving = saved.save().catch((error: unknown) => error);
    const syncing = notes.sync();
    saved.title = synced.title = 'half a sen';
    isSignedIn = true;
    go();
    expect(String(await saving)).toMatch('signed out');
    expect(String((await syncing).failures[0]?.error)).toMatch('signed out');
    expect(requests()).toEqual([]);
    expect([saved.title, synced.title, saved.dirty]).toEqual(['half a sen', 'half a sen', true]);
  });
});
