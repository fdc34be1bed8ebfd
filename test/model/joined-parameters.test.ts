import { Model } from 'repose';
import { expect, test } from 'vitest';
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
