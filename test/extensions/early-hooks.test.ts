import { type Extension, LAYERS, Model, presence, Store } from 'repose';
import { expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

// Hooks below the checks set fields of `write.records`: with the values of the call, these are what a write sends.

const server = useRestServer();
const fields = { id: 'int', title: 'string', stamp: 'string', late: 'string' } as const;
class Note extends Model.define({
  name: 'note',
  fields,
  proxy: server.proxy('/notes', { actionMethods: { update: 'PATCH' } }),
}) {}

/** Sets `stamp`, waits if told, then sets `late`. */
const stamping = (
  waits: boolean,
  meanwhile: (record: InstanceType<typeof Note>) => void = () => undefined,
): Extension => {
  const set = (records: readonly object[], field: string) => {
    for (const record of records) (record as Record<string, unknown>)[field] = 'set';
  };
  return {
    name: 'stamping',
    layer: LAYERS.checks - 5,
    async write(write, next) {
      if (write.action === 'destroy') return next(write);
      set(write.records, 'stamp');
      if (waits) {
        await undefined;
        for (const record of write.records) meanwhile(record as never);
        set(write.records, 'late');
      }
      return next(write);
    },
  };
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

test.each(KINDS)('what a hook sets before it waits is sent by a %s', async (kind) => {
  const typed = kind === 'save behind another one' ? {} : { title: 'typed' };
  const stamp = kind === 'save behind another one' ? {} : { stamp: 'set' };
  expect(await written(kind, stamping(false))).toMatchObject([{ title: 'saved', ...stamp }, typed]);
  expect(server.requests.some(({ body }) => [body].flat()[0].stamp === 'set')).toBe(true);
});

test.each(KINDS)('what is set after a hook has waited stays an edit after a %s', async (kind) => {
  const [body, left] = await written(kind, stamping(true));
  expect(body).toMatchObject({ title: 'saved' });
  for (const request of server.requests) expect([request.body].flat()[0]).not.toHaveProperty('late');
  expect(left).toMatchObject({ late: 'set' });
});

test('a value that a hook sets replaces the one that was saved, and is validated', async () => {
  const trim: Extension = {
    name: 'trim',
    layer: LAYERS.checks - 5,
    write(write, next) {
      for (const record of write.records) record.set({ title: String(record.get('title')).trim() });
      return next(write);
    },
  };
  const title = { type: 'string', validators: [presence()] } as const;
  class Checked extends Model.define({
    name: 'checked',
    fields: { ...fields, title },
    proxy: server.proxy('/notes', { actionMethods: { update: 'PATCH' }, use: [trim] }),
  }) {}
  server.always(({ body }) => ({ json: { id: 1, ...body } }));
  const store = new Store({ model: Checked, data: [{ id: 1 }], pageSize: 0 });
  const note = store.first() as InstanceType<typeof Checked>;
  note.title = '  padded ';
  await store.sync();
  expect([server.last.body, note.title, note.dirty]).toEqual([{ title: 'padded' }, 'padded', false]);
  note.title = '   ';
  const { failures } = await store.sync();
  expect([failures[0]?.error.code, server.requests.length]).toEqual(['validation', 1]);
});
