import { length, Model, Store } from 'repose';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();
let lang = 'en';
class Note extends Model.define({
  name: 'note',
  fields: { id: 'int', title: 'string', note: 'string' },
  proxy: server.proxy('/notes', { actionMethods: { update: 'PATCH' }, extraParams: () => ({ lang }) }),
}) {}

test('a save joins only the last one that waits: one with other parameters keeps its place and its values', async () => {
  server.always(({ body }) => ({ json: { id: 1, ...body } }));
  const note = Note.fromRow({ id: 1, title: '', note: '' });
  const saves: Promise<unknown>[] = [];
  const saveIn = (language: string, values: object) => {
    lang = language;
    note.set(values);
    saves.push(note.save());
  };
  saveIn('en', { title: 'first' });
  saveIn('en', { title: 'second' });
  saveIn('de', { note: 'deutsch' });
  saveIn('en', {});
  await Promise.all(saves);
  expect(server.requests.map(({ query, body }) => [query.get('lang'), body])).toEqual([
    ['en', { title: 'first' }],
    ['en', { title: 'second' }],
    ['de', { note: 'deutsch' }],
  ]);
});

test('a value that is saved again behind one with other parameters is sent again', async () => {
  server.always(({ body }) => ({ json: { id: 1, ...body } }));
  const note = Note.fromRow({ id: 1, title: '', note: '' });
  const saves: Promise<unknown>[] = [];
  for (const [language, title] of [
    ['en', 'first'],
    ['de', 'zweiter'],
    ['fr', 'first'],
  ] as const) {
    lang = language;
    note.title = title;
    saves.push(note.save());
  }
  await Promise.all(saves);
  expect(server.requests.map(({ query, body }) => [query.get('lang'), body])).toEqual([
    ['en', { title: 'first' }],
    ['de', { title: 'zweiter' }],
    ['fr', { title: 'first' }],
  ]);
  expect([note.title, note.dirty]).toEqual(['first', false]);
});

test('a save does not join one behind which a sync has saved something newer', async () => {
  server.always(({ body }) => ({ json: { id: 1, ...body } }));
  const store = new Store({ model: Note, data: [{ id: 1, title: '', note: '' }], pageSize: 0 });
  const note = store.getAt(0) as Note;
  const ends: Promise<unknown>[] = [];
  const title = (value: string, save: () => Promise<unknown>) => {
    note.title = value;
    ends.push(save());
  };
  title('first', () => note.save());
  title('second', () => note.save());
  title('third', () => store.sync());
  ends.push(note.save());
  const shown = note.title;
  await Promise.all(ends);
  expect([shown, server.last.body, note.title, note.dirty]).toEqual(['third', { title: 'third' }, 'third', false]);
});

describe('a save that has joined one that was refused by a validator', () => {
  class Short extends Model.define({
    name: 'short',
    fields: { id: 'int', title: 'string', note: { type: 'string', validators: [length({ max: 3 })] } },
    proxy: server.proxy('/shorts', { actionMethods: { update: 'PATCH' } }),
  }) {}

  test('does not let a sync between the two succeed that had the values of the first', async () => {
    server.always(({ body }) => ({ json: { id: 1, ...body } }));
    const store = new Store({ model: Short, data: [{ id: 1, title: '', note: '' }], pageSize: 0 });
    const short = store.getAt(0) as Short;
    short.title = 'first';
    const first = short.save();
    short.note = 'long';
    const refused = [short.save()];
    const synced = store.sync();
    refused.push(short.save());
    await first;
    expect((await Promise.allSettled(refused)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect((await synced).failures.map(({ error }) => error.code)).toEqual(['validation']);
    expect([server.requests.length, short.$.modified]).toEqual([1, { note: 'long' }]);
  });

  test('does not let a save between the two send a value that was set back', async () => {
    server.always(({ body }) =>
      body.title === 'bad' ? { status: 422, json: { errors: { title: ['bad'] } } } : { json: { id: 1, ...body } },
    );
    const short = Short.fromRow({ id: 1, title: '', note: '' });
    short.title = 'bad';
    const saves = [short.save()];
    short.set({ title: '', note: 'long' });
    saves.push(short.save());
    saves.push(short.save({ params: { own: true } }));
    saves.push(short.save());
    await Promise.allSettled(saves);
    expect(server.requests.map(({ body }) => body)).toEqual([{ title: 'bad' }]);
    expect(short.$.modified).toEqual({ note: 'long' });
  });
});
