import { conflicts, type Extension, etags, Model, presence, rollback, Session, Store } from 'repose';
import { LAYERS } from 'repose/extend';
import { historyOf } from 'repose/history';
import { memoryStorage, Outbox } from 'repose/outbox';
import { expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

// The values that `capture` hooks return are set on the record in the tick of the call, and sent with the values of the call.

const server = useRestServer();
const fields = { id: 'int', title: 'string', stamp: 'string', late: 'string' } as const;
const proxy = (use: readonly Extension[] = []) =>
  server.proxy('/notes', { actionMethods: { update: 'PATCH' }, use: [...use] });
class Note extends Model.define({ name: 'note', fields, proxy: proxy() }) {}

const stamping: Extension = { name: 'stamping', layer: LAYERS.checks - 5, capture: () => ({ stamp: 'set' }) };

/** Sets `late` in a `write` hook, which comes after the capture. */
const late: Extension = {
  name: 'late',
  layer: LAYERS.checks - 5,
  async write(write, next) {
    for (const record of write.records) record.set('late', 'set');
    return next(write);
  },
};

const KINDS = ['save', 'save behind another one', 'sync', 'bulk sync'] as const;

/** Writes the title 'saved' in a way, with a hook; resolves with the last body and what is left to write. */
async function written(kind: (typeof KINDS)[number], hook: Extension) {
  server.always(({ body }) => ({ json: Array.isArray(body) ? body : { id: 1, ...body } }));
  const Stamped = Note.with({ proxy: { use: [hook], batchActions: kind === 'bulk sync' } });
  const store = new Store({ model: Stamped, data: [{ id: 1 }, { id: 2 }], pageSize: 0 });
  const [note, other] = [...store] as [InstanceType<typeof Stamped>, InstanceType<typeof Stamped>];
  note.title = 'first';
  const first = kind === 'save behind another one' ? note.save() : undefined;
  note.title = 'saved';
  if (kind === 'bulk sync') other.title = 'other';
  const writing = first ? [first, note.save()] : [kind === 'save' ? note.save() : store.sync()];
  if (!first) note.title = 'typed';
  await Promise.all(writing);
  const { body } = server.last;
  return [[body].flat()[0], note.$.modified];
}

test.each(KINDS)('what a hook returns is sent by a %s', async (kind) => {
  const typed = kind === 'save behind another one' ? {} : { title: 'typed' };
  const stamp = kind === 'save behind another one' ? {} : { stamp: 'set' };
  expect(await written(kind, stamping)).toMatchObject([{ title: 'saved', ...stamp }, typed]);
  expect(server.requests.some(({ body }) => [body].flat()[0].stamp === 'set')).toBe(true);
});

test.each(['save', 'sync', 'bulk sync'] as const)('what a `write` hook sets stays an edit after a %s', async (kind) => {
  const [body, left] = await written(kind, late);
  expect(body).toMatchObject({ title: 'saved' });
  for (const request of server.requests) expect([request.body].flat()[0]).not.toHaveProperty('late');
  expect(left).toMatchObject({ late: 'set' });
});

test('a value of a hook replaces the one that was saved, and is validated', async () => {
  const trim: Extension = {
    name: 'trim',
    layer: LAYERS.checks - 5,
    capture: (record) => ({ title: String(record.get('title')).trim() }),
  };
  const title = { type: 'string', validators: [presence()] } as const;
  class Checked extends Model.define({ name: 'checked', fields: { ...fields, title }, proxy: proxy([trim]) }) {}
  server.always(({ body }) => ({ json: { id: 1, ...body } }));
  const store = new Store({ model: Checked, data: [{ id: 1 }], pageSize: 0 });
  const note = store.getAt(0) as InstanceType<typeof Checked>;
  note.title = '  padded ';
  await store.sync();
  expect([server.last.body, note.title, note.dirty]).toEqual([{ title: 'padded' }, 'padded', false]);
  note.title = '   ';
  const { failures } = await store.sync();
  expect([failures[0]?.error.code, server.requests.length]).toEqual(['validation', 1]);
});

test('tells creates from updates, and is not called for an erase', async () => {
  const actions: string[] = [];
  const audit: Extension = {
    name: 'audit',
    layer: LAYERS.checks - 5,
    capture(record, action) {
      actions.push(`${action} ${record.get('title')}`);
      return undefined;
    },
  };
  const note = new (Note.with({ proxy: { use: [audit] } }))({ title: 'new' });
  server.always(({ body }) => ({ json: { id: 1, ...body } }));
  await note.save();
  note.title = 'changed';
  await note.save();
  await note.erase();
  expect(actions).toEqual(['create new', 'update changed']);
});

test.each([
  ['an error of its own', () => new RangeError('The month is closed'), { code: 'definition', reason: 'hook' }],
  ['the name of no field', () => undefined, { code: 'field', reason: 'field-unknown' }],
])('a hook that throws or returns %s fails the write, and leaves the edits', async (_, failure, expected) => {
  const closed: Extension = {
    name: 'closed',
    layer: LAYERS.checks - 5,
    capture() {
      const error = failure();
      if (error) throw error;
      return { nowhere: 1 };
    },
  };
  const note = Note.with({ proxy: { use: [closed] } }).fromRow({ id: 1, title: 'a' });
  note.title = 'b';
  const error = await note.save().catch((thrown) => thrown);
  expect(error).toMatchObject(expected);
  expect(error.cause ?? failure()).toEqual(failure());
  const store = new Store({ model: Note.with({ proxy: { use: [closed] } }), data: [{ id: 2 }], pageSize: 0 });
  (store.getAt(0) as Note).title = 'c';
  expect((await store.sync()).failures).toMatchObject([{ error: expected }]);
  expect([server.lines, note.$.modified, note.$.saving]).toEqual([[], { title: 'b' }, false]);
});

test('the values of a hook go with the decision about a conflict, and with an undo', async () => {
  const Guarded = Note.with({ proxy: { use: [etags(), conflicts(), stamping] } });
  server.reply({ json: { id: 1, title: 'a', stamp: '' }, headers: { ETag: '"1"' } });
  const note = await Guarded.load(1);
  note.title = 'mine';
  server.reply({ status: 412 });
  server.reply({ json: { id: 1, title: 'theirs', stamp: '' }, headers: { ETag: '"2"' } });
  const conflict = await note.save().catch((error) => error);
  server.reply({ json: { id: 1, title: 'mine', stamp: 'set' }, headers: { ETag: '"3"' } });
  await conflict.keepMine();
  expect([server.last.body, note.dirty]).toEqual([{ title: 'mine', stamp: 'set' }, false]);

  const session = new Session();
  const Kept = Note.with({ proxy: { use: [stamping] } });
  const store = new Store({ model: Kept, session, data: [{ id: 2, title: 'a', stamp: '' }], pageSize: 0 });
  const history = historyOf(session);
  const kept = store.getAt(0) as InstanceType<typeof Kept>;
  let row: object = { id: 2, title: 'a', stamp: '' };
  server.always(({ body }) => ({ json: (row = { ...row, ...body }) }));
  kept.title = 'b';
  await kept.save();
  await history.undo();
  expect(server.last.body).toEqual({ title: 'a', stamp: 'set' });
});

test('a hook that throws leaves a decision about a conflict with its error', async () => {
  let isClosed = false;
  const closing: Extension = {
    name: 'closing',
    layer: LAYERS.checks - 5,
    capture() {
      if (isClosed) throw new RangeError('The month is closed');
      return undefined;
    },
  };
  server.reply({ json: { id: 1, title: 'a' }, headers: { ETag: '"1"' } });
  const note = await Note.with({ proxy: { use: [etags(), conflicts(), closing] } }).load(1);
  note.title = 'mine';
  server.reply({ status: 412 });
  server.reply({ json: { id: 1, title: 'theirs' }, headers: { ETag: '"2"' } });
  const conflict = await note.save().catch((error) => error);
  isClosed = true;
  await expect(conflict.keepMine()).rejects.toMatchObject({ reason: 'hook' });
  expect([note.$.error?.reason, note.$.modified, server.requests.length]).toEqual(['hook', { title: 'mine' }, 3]);
});

test('the values of a hook do not take the error of the last write away', async () => {
  let at = 0;
  const counting: Extension = {
    name: 'counting',
    layer: LAYERS.checks - 5,
    capture: () => ({ stamp: String((at += 1)) }),
  };
  const outbox = new Outbox({ scope: 'a', storage: memoryStorage() });
  await outbox.ready;
  const Kept = Note.with({ proxy: { use: [outbox, counting] } });
  const store = new Store({ model: Kept, data: [{ id: 1, title: 'a' }], pageSize: 0 });
  const note = store.getAt(0) as InstanceType<typeof Kept>;
  note.title = 'b';
  server.always(() => ({ status: 403 }));
  await note.erase().catch(() => undefined);
  const { failures } = await store.sync();
  // The application has to learn of the erase that was refused before anything else of the record is sent.
  expect([failures.map(({ error }) => error.code), server.lines]).toEqual([['auth'], ['DELETE /notes/1']]);
  await outbox.close();
});

test('a rollback writes the old values back, without those of the hooks', async () => {
  let calls = 0;
  const counted: Extension = { ...stamping, capture: () => ({ stamp: (calls += 1) > 0 ? 'set' : '' }) };
  const Stamped = Note.with({ proxy: { use: [counted] } });
  const data = [1, 2].map((id) => ({ id, title: 'a', stamp: '' }));
  const store = new Store({ model: Stamped, data, pageSize: 0 });
  for (const note of store) note.title = 'b';
  server.always(({ path, body }) => (path.endsWith('/2') ? { status: 422, json: {} } : { json: { id: 1, ...body } }));
  await store.sync({ onFailure: rollback });
  const bodies = server.requests.filter(({ path }) => path.endsWith('/1')).map(({ body }) => body as unknown);
  expect(bodies).toEqual([
    { title: 'b', stamp: 'set' },
    { title: 'a', stamp: '' },
  ]);
  expect(calls).toBe(2);
});
