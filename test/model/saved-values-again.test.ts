import { type Extension, idempotency, Model, plain, Store } from 'repose';
import { LAYERS } from 'repose/extend';
import { beforeEach, describe, expect, test } from 'vitest';
import { deferred, type Received, type Reply } from '../helpers/rest-server.js';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

/** Runs a write again that was refused, when the test says so. */
let mayRunAgain: ReturnType<typeof deferred<void>>;
const again: Extension = {
  name: 'again',
  layer: LAYERS.checks - 5,
  async write(write, next) {
    const outcomes = await next(write);
    if (!outcomes[0]?.error) return outcomes;
    await mayRunAgain.promise;
    return next(write);
  },
};

class Note extends Model.define({
  name: 'note',
  fields: { id: 'int', title: 'string', body: 'string' },
  proxy: server.proxy('/notes', { dialect: plain(), use: [again] }),
}) {}

const accept = ({ method, body }: Received): Reply => ({
  status: method === 'POST' ? 201 : 200,
  json: { id: 1, ...body },
});
const bodies = () => server.requests.map(({ body }) => body as unknown);

beforeEach(() => {
  mayRunAgain = deferred();
  server.always(accept);
});

describe('a hook below the checks that runs a write again', () => {
  test('sends what was saved, not what was typed since', async () => {
    const note = Note.fromRow({ id: 1, title: 'Plan', body: '' });
    note.title = 'saved';
    const held = server.hold();
    const saving = note.save();
    await held.request;
    note.body = 'typed';
    held.answer({ status: 503 });
    mayRunAgain.resolve();
    await saving;
    expect(bodies()).toEqual([{ title: 'saved' }, { title: 'saved' }]);
    expect(note.$.modified).toEqual({ body: 'typed' });
  });

  test('sends one body under one key', async () => {
    class KeyedNote extends Note.with({ proxy: { use: [again, idempotency()] } }) {}
    const note = new KeyedNote({ title: 'Plan' });
    const held = server.hold();
    const saving = note.save();
    await held.request;
    note.body = 'typed';
    held.answer({ drop: true });
    mayRunAgain.resolve();
    await saving;
    expect(bodies()).toEqual([{ title: 'Plan' }, { title: 'Plan' }]);
    expect(note.$.modified).toEqual({ body: 'typed' });
  });

  test('writes a record of a sync()', async () => {
    const notes = new Store({ model: Note });
    const note = Note.fromRow({ id: 1, title: 'Plan', body: '' });
    notes.add(note);
    note.title = 'saved';
    server.reply({ status: 503 });
    mayRunAgain.resolve();
    await notes.sync();
    expect(bodies()).toEqual([{ title: 'saved' }, { title: 'saved' }]);
    expect(note.dirty).toBe(false);
    note.title = 'committed';
    note.commit();
    expect(note.dirty).toBe(false);
  });

  test('writes a save() that has waited behind another one', async () => {
    const note = Note.fromRow({ id: 1, title: 'Plan', body: '' });
    note.title = 'first';
    const held = server.hold();
    const first = note.save();
    await held.request;
    note.title = 'second';
    const second = note.save();
    server.reply({ status: 503 });
    mayRunAgain.resolve();
    held.answer({ json: { id: 1, title: 'first', body: '' } });
    await Promise.all([first, second]);
    expect(bodies()).toEqual([{ title: 'first' }, { title: 'second' }, { title: 'second' }]);
    expect(note.dirty).toBe(false);
  });
});
