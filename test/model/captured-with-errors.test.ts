import { confirm, type Extension, JsonWriter, Model, off, range, reference, Session, Store } from 'repose';
import { LAYERS } from 'repose/extend';
import { beforeEach, describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

// An error while a write is captured, or while its body is made, fails this write and nothing else; and the response of one tenant is never taken
// for that of another.

const server = useRestServer();
const fields = { id: 'int', title: 'string', body: 'string' } as const;
const actionMethods = { update: 'PATCH' } as const;

let isBroken: boolean;
class Brittle extends JsonWriter {
  override write(...args: Parameters<JsonWriter['write']>): ReturnType<JsonWriter['write']> {
    if (isBroken) throw new TypeError('the writer is broken');
    return super.write(...args);
  }
}
class Own extends Model.define({
  name: 'own',
  fields,
  proxy: server.proxy('/notes', { writer: new Brittle(), actionMethods }),
}) {}
const transform = (body: unknown) => {
  if (isBroken) throw new TypeError('the transform is broken');
  return body;
};
class Transformed extends Own.with({ proxy: { writer: { type: 'json', transform } } }) {}

beforeEach(() => {
  isBroken = true;
  server.always(({ path, body }) => ({
    json: Array.isArray(body) ? body : { id: Number(path.split('/').at(-1)), ...body },
  }));
});

describe.each([
  ['a writer of the application', Own],
  ['the transform of a writer', Transformed],
] as const)('%s that throws', (_, Class) => {
  test('fails the save, sends nothing and changes nothing else', async () => {
    const note = Class.fromRow({ id: 1, title: 'a', body: '' });
    note.title = 'edited';
    await expect(note.save()).rejects.toMatchObject({ code: 'definition', message: /is broken/ });
    expect([server.lines, note.$.modified, note.$.saving, note.$.unconfirmed]).toEqual([
      [],
      { title: 'edited' },
      false,
      false,
    ]);
    isBroken = false;
    await note.save();
    expect([server.last.body, note.dirty]).toEqual([{ title: 'edited' }, false]);
  });

  test.each([false, true])('fails the records of a sync, and settles it (in bulk: %s)', async (batchActions) => {
    const Synced = Class.with({ proxy: { batchActions } });
    const store = new Store({ model: Synced, data: [{ id: 1 }, { id: 2 }], pageSize: 0 });
    for (const note of store) note.title = 'edited';
    const batch = await store.sync();
    expect(batch.outcomes.map(({ error }) => error?.code)).toEqual(['definition', 'definition']);
    expect([server.lines, [...store].map(({ $ }) => [$.saving, $.modified])]).toEqual([
      [],
      [
        [false, { title: 'edited' }],
        [false, { title: 'edited' }],
      ],
    ]);
    isBroken = false;
    expect((await store.sync()).failures).toEqual([]);
    expect([...store].map(({ dirty }) => dirty)).toEqual([false, false]);
  });
});

describe('validators of values that wait', () => {
  const validators = [
    (value: unknown) => {
      if (value === 'broken') throw new TypeError('the validator is broken');
      return value === 'wrong' ? { code: 'wrong', message: 'is wrong' } : undefined;
    },
  ];
  class Checked extends Model.define({
    name: 'checked',
    fields: { id: 'int', title: { type: 'string', validators }, by: 'string' },
    proxy: server.proxy('/checked', { actionMethods }),
  }) {}

  test('one that throws fails its record of a sync, and no other one', async () => {
    const store = new Store({ model: Checked, data: [{ id: 1 }, { id: 2 }, { id: 3 }], pageSize: 0 });
    for (const [at, record] of [...store].entries()) record.title = at === 1 ? 'broken' : 'right';
    const { outcomes } = await store.sync();
    expect(outcomes.map(({ error }) => error?.code)).toEqual([undefined, 'definition', undefined]);
    expect([...store].map(({ dirty, $ }) => [dirty, $.saving])).toEqual([
      [false, false],
      [true, false],
      [false, false],
    ]);
  });

  test.each([
    ['wrong', 'right', { code: 'validation' }, ['PATCH /checked/1']],
    ['right', 'wrong', undefined, ['PATCH /checked/1', 'PATCH /checked/1']],
  ])(
    'check the value that was saved, %s, not the one typed since, behind a hook that stamps',
    async (saved, typed, refused, lines) => {
      const stamp: Extension = {
        name: 'stamp',
        layer: LAYERS.checks - 5,
        capture: () => ({ by: `stamp ${server.lines.length}` }),
      };
      const record = Checked.with({ proxy: { use: [stamp] } }).fromRow({ id: 1, title: '', by: '' });
      record.title = 'first';
      const held = server.hold();
      const first = record.save();
      await held.request;
      record.title = saved;
      const second = record.save().catch((error) => error);
      record.title = typed;
      held.answer({ json: { id: 1, title: 'first', by: 'stamp 0' } });
      await first;
      const error = await second;
      if (refused) expect(error).toMatchObject(refused);
      else expect(server.last.body).toMatchObject({ title: saved });
      expect(server.lines).toEqual(lines);
    },
  );

  test.each([false, true])(
    'check a reference when it has the id of its new parent (in bulk: %s)',
    async (batchActions) => {
      class Parent extends Model.define({
        name: 'parent',
        fields: { id: 'int', name: 'string' },
        proxy: server.proxy('/parents'),
      }) {}
      class Child extends Model.define({
        name: 'child',
        fields: { id: 'int', title: 'string', parentId: { ...reference('int'), validators: [range({ min: 1 })] } },
        proxy: server.proxy('/children', { batchActions }),
      }) {
        static override references() {
          return { parentId: Parent };
        }
      }
      const session = new Session();
      const parents = new Store({ model: Parent, session, pageSize: 0, data: [] });
      const children = new Store({ model: Child, session, pageSize: 0, data: [] });
      const [parent] = parents.add({ name: 'new' });
      children.add({ title: 'new', parentId: parent?.id as number });
      server.always(({ body }) => ({
        status: 201,
        json: Array.isArray(body) ? [{ id: 6, parentId: 5 }] : { id: 5, parentId: 5 },
      }));
      const { failures } = await session.sync();
      expect([failures, server.lines]).toEqual([[], ['POST /parents', 'POST /children']]);
    },
  );
});

describe('a value that cannot be written when it is saved', () => {
  let release = () => undefined as void;
  const wait: Extension = {
    name: 'wait',
    layer: LAYERS.checks - 5,
    async write(write, next) {
      await new Promise<void>((resolve) => (release = resolve));
      return next(write);
    },
  };
  const serialize = (value: string) => {
    if (value === 'unwritable') throw new TypeError('no such text');
    return value;
  };
  const text = { type: 'string', serialize } as const;
  class Note extends Model.define({
    name: 'note',
    fields: { id: 'int', text, title: 'string' },
    proxy: server.proxy('/notes', { actionMethods }),
  }) {}

  test('fails the save, also if a hook waits until there is another value', async () => {
    const Waiting = Note.with({ proxy: { use: [wait] } });
    const note = Waiting.fromRow({ id: 1, text: 'a' });
    note.text = 'unwritable';
    const saving = note.save();
    note.text = 'typed';
    release();
    await expect(saving).rejects.toMatchObject({ code: 'definition', message: /no such text/ });
    expect([server.lines, note.$.modified, note.$.saving]).toEqual([[], { text: 'typed' }, false]);
  });

  test('fails its record of a sync, and no other one', async () => {
    const store = new Store({ model: Note, data: [{ id: 1 }, { id: 2 }], pageSize: 0, concurrency: 1 });
    const [first, second] = [...store] as [InstanceType<typeof Note>, InstanceType<typeof Note>];
    first.title = 'saved';
    second.text = 'unwritable';
    const held = server.hold();
    const syncing = store.sync();
    await held.request;
    second.text = 'typed';
    held.answer({ json: { id: 1, title: 'saved' } });
    const { outcomes } = await syncing;
    expect(outcomes.map(({ error }) => error?.code)).toEqual([undefined, 'definition']);
    expect([server.lines, second.$.modified]).toEqual([['PATCH /notes/1'], { text: 'typed' }]);
  });

  test('fails a save behind another one at once, and leaves the other one done', async () => {
    const note = Note.fromRow({ id: 1, text: 'a' });
    note.set({ title: 'saved', text: 'b' });
    const held = server.hold();
    const first = note.save();
    await held.request;
    note.text = 'unwritable';
    await expect(note.save()).rejects.toMatchObject({ code: 'definition', message: /no such text/ });
    held.answer({ json: { id: 1, title: 'saved', text: 'b' } });
    await first;
    expect([server.lines.length, note.$.unconfirmed, note.$.modified]).toEqual([1, false, { text: 'unwritable' }]);
  });

  test('is taken back by reject() while the save before it is in flight', async () => {
    const note = Note.fromRow({ id: 1, text: 'a' });
    note.text = 'b';
    const held = server.hold();
    const saving = note.save();
    await held.request;
    note.text = 'unwritable';
    note.reject();
    expect(note.text).toBe('b');
    held.answer({ json: { id: 1, text: 'b' } });
    await saving;
    expect([note.text, note.dirty]).toEqual(['b', false]);
  });
});

describe.each(['pathParams', 'extraParams'] as const)('after the tenant of %s was switched', (option) => {
  let tenant: string;
  const url = option === 'pathParams' ? '/{tenant}/notes' : '/notes';
  class Note extends Model.define({
    name: 'note',
    fields,
    proxy: server.proxy(url, { actionMethods, noCache: false, [option]: () => ({ tenant }) }),
  }) {}
  const at = (of: string) => (option === 'pathParams' ? `/${of}/notes/1` : `/notes/1?tenant=${of}`);
  const urls = () => server.requests.map((request) => request.url);

  beforeEach(() => {
    tenant = 'a';
  });

  test.each([204, 423])('an erase does not join one of the other tenant, which is answered with %d', async (status) => {
    const note = Note.fromRow({ id: 1, title: 'a', body: '' });
    const held = server.hold();
    const first = note.erase();
    const joined = note.erase();
    tenant = 'b';
    const second = note.erase();
    const ended = Promise.allSettled([first, joined, second]);
    await held.request;
    server.reply({ status: 204 });
    held.answer({ status });
    const outcomes = (await ended).map((each) => (each.status === 'rejected' ? each.reason.code : 'done'));
    if (status === 204) expect([outcomes, urls()]).toEqual([['done', 'done', 'erased'], [at('a')]]);
    else
      expect([outcomes, urls()]).toEqual([
        ['http', 'http', 'done'],
        [at('a'), at('b')],
      ]);
    expect([note.erased, note.$.saving]).toEqual([true, false]);
  });

  if (option === 'pathParams')
    test.each(['erase', 'save'] as const)(
      'the refusal of one tenant settles no unanswered %s of the other',
      async (call) => {
        const Confirmed = Note.with({ proxy: { use: [confirm(), off('conflicts')] } });
        const note = Confirmed.fromRow({ id: 1, title: 'a', body: '' });
        note.title = 'edited';
        server.reply({ drop: true });
        await expect(note[call]()).rejects.toMatchObject({ code: 'network' });
        tenant = 'b';
        server.always(() => ({ status: 404 }));
        await expect(note[call]()).rejects.toMatchObject({ code: 'http', status: 404 });
        expect([note.erased, note.$.modified]).toEqual([false, { title: 'edited' }]);
        tenant = 'a';
        // It is still a repeat, which may meet its own first attempt.
        server.always(({ method }) =>
          method === 'GET' ? { json: { id: 1, title: 'edited', body: '' } } : { status: 412 },
        );
        if (call === 'erase') server.always(() => ({ status: 404 }));
        await note[call]();
        expect([note.erased, note.$.error]).toEqual([call === 'erase', undefined]);
      },
    );
});

test('what was taken back before a bulk update is sent is not sent with it', async () => {
  const takesBack: Extension = {
    name: 'takes-back',
    layer: LAYERS.checks - 1,
    async write(write, next) {
      second.reject();
      return next(write);
    },
  };
  class Note extends Model.define({
    name: 'note',
    fields,
    proxy: server.proxy('/notes', { actionMethods, batchActions: true, use: [takesBack] }),
  }) {}
  const store = new Store({ model: Note, data: [{ id: 1 }, { id: 2 }, { id: 3 }], pageSize: 0 });
  for (const note of store) note.title = 'edited';
  const [first, second, third] = [...store] as [Note, Note, Note];
  const { failures } = await store.sync();
  const edited = [1, 3].map((id) => ({ id, title: 'edited' }));
  expect([server.lines, server.last.body, failures]).toEqual([['PATCH /notes'], edited, []]);
  expect([first, second, third].map(({ title, dirty }) => [title, dirty])).toEqual([
    ['edited', false],
    [undefined, false],
    ['edited', false],
  ]);
});
