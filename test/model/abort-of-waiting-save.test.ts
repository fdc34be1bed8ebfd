import { Model, plain } from 'repose';
import { expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

const fields = { id: 'int', title: 'string', body: 'string' } as const;
class Note extends Model.define({ name: 'note', fields, proxy: server.proxy('/notes', { dialect: plain() }) }) {}

const ROW = { id: 7, title: 'Plan', body: 'old' };

test('an aborted save that waits sends nothing, and the saves behind it are sent with its values', async () => {
  const note = Note.fromRow({ ...ROW });
  const held = server.hold();
  note.title = 'First';
  const first = note.save();
  await held.request;

  const controller = new AbortController();
  note.body = 'second';
  const second = note.save({ signal: controller.signal });
  controller.abort();
  const third = note.save();
  note.title = 'Fourth';
  const fourth = note.save({ params: { quiet: 1 } });
  server.reply({ json: { ...ROW, title: 'First', body: 'second' } });
  server.reply({ json: { ...ROW, title: 'Fourth', body: 'second' } });
  held.answer({ json: { ...ROW, title: 'First' } });

  await expect(second).rejects.toMatchObject({ code: 'abort', operation: { action: 'update' } });
  await Promise.all([first, third, fourth]);
  expect(server.requests.map(({ body }) => body)).toEqual([
    { title: 'First' },
    { body: 'second' },
    { title: 'Fourth' },
  ]);
  expect([note.dirty, note.$.error]).toEqual([false, undefined]);
});

test('an aborted save that waits alone leaves its values as edits, which the next save sends', async () => {
  const note = Note.fromRow({ ...ROW });
  const held = server.hold();
  note.title = 'First';
  const first = note.save();
  await held.request;

  const controller = new AbortController();
  note.body = 'second';
  const second = note.save({ signal: controller.signal });
  controller.abort();
  held.answer({ json: { ...ROW, title: 'First' } });
  await first;
  await expect(second).rejects.toThrow('update note was aborted');
  expect([note.dirty, note.$.modified]).toEqual([true, { body: 'second' }]);

  server.reply({ json: { ...ROW, title: 'First', body: 'second' } });
  await note.save();
  expect(server.requests.map(({ body }) => body)).toEqual([{ title: 'First' }, { body: 'second' }]);
});
