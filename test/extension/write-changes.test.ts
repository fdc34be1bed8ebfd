import {
  confirm,
  conflicts,
  type Extension,
  type ExtensionEntry,
  embed,
  etags,
  idempotency,
  Model,
  plain,
  retry,
  Store,
} from 'repose';
import { type Change, LAYERS, type Write, type WriteStep } from 'repose/extend';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

class Line extends Model.define({ fields: { id: 'int', text: 'string' } }) {}
const fields = { id: 'int', name: 'string', tags: 'json', lines: embed([Line]) } as const;
const define = (...use: ExtensionEntry[]) =>
  class extends Model.define({
    name: 'user',
    fields,
    proxy: server.proxy('/users', { dialect: plain(), use, actionMethods: { update: 'PATCH' } }),
  }) {};

const ROW = { id: 7, name: 'Ada', tags: { a: [1] }, lines: [{ id: 1, text: 'one' }] };

async function loaded(...use: ExtensionEntry[]) {
  server.reply({ json: ROW });
  return define(...use).load(7);
}

/** An extension whose `write` hook runs a function before the request. */
const hooking = (name: string, run: (write: Write) => void, layer: number = LAYERS.checks + 5): Extension => ({
  name,
  layer,
  write(write: Write, next: WriteStep) {
    run(write);
    return next(write);
  },
});

describe('`write.changes`', () => {
  test('hold what a save sends, as plain data that is frozen at every depth', async () => {
    const seen: (readonly Change[])[] = [];
    const user = await loaded(hooking('reader', ({ changes }) => seen.push(changes)));
    user.set({ name: 'Bea', tags: { a: [2] } });
    server.reply({ status: 204 });
    await user.save();
    const [[change] = []] = seen;
    expect(change).toEqual({
      at: expect.any(Number),
      action: 'update',
      id: 7,
      base: ROW,
      values: { name: 'Bea', tags: { a: [2] } },
    });
    expect(Object.isFrozen(seen[0]) && Object.isFrozen(change?.values.tags)).toBe(true);
    expect(structuredClone(change)).toEqual(change);
  });

  test('are empty before the checks, and those of the call in `settled`', async () => {
    const seen: unknown[] = [];
    const note =
      (when: string) =>
      ({ changes }: Write) =>
        void seen.push([when, changes.map(({ values }) => values)]);
    const user = await loaded(hooking('early', note('early'), LAYERS.checks - 1), {
      name: 'late',
      layer: 5,
      settled: note('settled'),
    });
    user.name = 'Bea';
    const held = server.hold();
    const saving = user.save();
    await held.request;
    user.name = 'typed';
    held.answer({ status: 204 });
    await saving;
    expect(seen).toEqual([
      ['early', []],
      ['settled', [{ name: 'Bea' }]],
    ]);
  });

  test('of a repeated create are those of its first attempt, with the same time; an update with the rest follows', async () => {
    const seen: (readonly [string, number | undefined, unknown])[] = [];
    const reader = hooking('reader', ({ action, changes: [change] }) =>
      seen.push([action, change?.at, change?.values]),
    );
    const user = new (define(idempotency(), reader))({ name: 'Ada' });
    user.tags = 'first';
    server.reply({ drop: true });
    await expect(user.save()).rejects.toMatchObject({ code: 'network' });
    user.tags = 'second';
    server.reply({ status: 201, json: { id: 1, name: 'Ada', tags: 'first' } }, { status: 204 });
    await user.save();
    const first = seen[0]?.[1];
    expect(seen.map(([action, at, values]) => [action, at === first, values])).toEqual([
      ['create', true, { tags: 'first' }],
      ['create', true, { tags: 'first' }],
      ['update', false, { tags: 'second' }],
    ]);
  });

  test('hold one change for each record of a request with several', async () => {
    const seen: unknown[] = [];
    const User = define(hooking('reader', ({ changes }) => seen.push(changes.map(({ id, values }) => [id, values]))));
    const Bulk = User.with({ proxy: { batchActions: true } });
    server.reply({ json: [ROW, { ...ROW, id: 8 }] }, { status: 204 });
    const store = new Store({ model: Bulk });
    await store.load();
    for (const user of store) user.name = `new ${user.id}`;
    (await store.sync()).orThrow();
    expect(seen).toEqual([
      [
        [7, { name: 'new 7' }],
        [8, { name: 'new 8' }],
      ],
    ]);
  });

  test('give embedded records as rows', async () => {
    const seen: unknown[] = [];
    const user = await loaded(hooking('reader', ({ changes: [change] }) => seen.push(change?.values)));
    user.lines?.[0]?.set('text', 'two');
    server.reply({ status: 204 });
    await user.save();
    expect(seen).toEqual([{ lines: [{ id: 1, text: 'two' }] }]);
  });
});

interface ShownChange {
  readonly values: { name: string; readonly tags: { readonly a: number[] } };
}
const firstLine = (records: Write['frozen']) =>
  (records as readonly InstanceType<ReturnType<typeof define>>[] | undefined)?.[0]?.lines?.[0];

describe('an extension that changes what was captured', () => {
  const noWrite = (write: Write) => write as { frozen: unknown; changes: unknown };
  test.each<[what: string, run: (write: Write) => unknown]>([
    ['sets `frozen`', (write) => (noWrite(write).frozen = undefined)],
    ['sets `changes`', (write) => (noWrite(write).changes = [])],
    ['adds to `frozen`', ({ frozen, records }) => (frozen as unknown[]).push(...records)],
    ['empties `changes`', ({ changes }) => ((changes as unknown[]).length = 0)],
    ['sets a member of a change', ({ changes: [change] }) => ((change as { values: unknown }).values = {})],
    ['sets a value of a change', ({ changes: [change] }) => ((change as unknown as ShownChange).values.name = 'mine')],
    [
      'sets a value inside a change',
      ({ changes: [change] }) => (change as unknown as ShownChange).values.tags.a.push(3),
    ],
    ['sets the base of a change', ({ changes: [change] }) => ((change?.base as { name: string }).name = 'mine')],
    ['sets a field of a captured record', ({ frozen }) => frozen?.[0]?.set('name', 'mine')],
    ['sets a member of a captured record', ({ frozen }) => ((frozen?.[0] as { name?: string }).name = 'mine')],
    ['rejects the edits of a captured record', ({ frozen }) => frozen?.[0]?.reject()],
    ['commits the edits of a captured record', ({ frozen }) => frozen?.[0]?.commit()],
    ['sets a line of a captured record', ({ frozen }) => firstLine(frozen)?.set('text', 'mine')],
  ])('is refused, and named, and nothing is sent or lost: it %s', async (_, run) => {
    const user = await loaded(hooking('meddler', (write) => void run(write)));
    user.set({ name: 'Bea', tags: { a: [2] } });
    user.lines?.[0]?.set('text', 'two');
    const error = await user.save().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: 'DefinitionError', message: expect.stringContaining("'meddler'") });
    expect((error as Error).message).toContain('`capture` hook');
    expect(server.lines).toEqual(['GET /users/7']);
    const { name, tags } = user;
    expect([user.dirty, user.$.saving, name, tags, user.lines?.[0]?.text]).toEqual([
      ...[true, false, 'Bea', { a: [2] }, 'two'],
    ]);
  });

  test('is refused when it changes a line that nobody has edited', async () => {
    const user = await loaded(hooking('meddler', ({ frozen }) => firstLine(frozen)?.set('text', 'mine')));
    user.name = 'Bea';
    await expect(user.save()).rejects.toMatchObject({ reason: 'extension-captured' });
    expect([server.lines.length, user.$.modified]).toEqual([1, { name: 'Bea' }]);
  });

  test('is refused when it hands on another write', async () => {
    const copy: Extension = {
      name: 'copier',
      layer: LAYERS.checks + 5,
      write: (write, next) => next({ ...write, frozen: undefined }),
    };
    const user = await loaded(copy);
    user.name = 'Bea';
    await expect(user.save()).rejects.toMatchObject({
      reason: 'extension-captured',
      params: { name: 'copier', what: 'The write given to `next`' },
    });
    expect([server.lines.length, user.$.modified]).toEqual([1, { name: 'Bea' }]);
  });

  test('leaves a create a new record, which can be saved', async () => {
    let isMeddling = true;
    const meddler = hooking('meddler', (write) => isMeddling && (noWrite(write).frozen = undefined));
    const user = new (define(meddler, idempotency()))({ name: 'Ada' });
    await expect(user.save()).rejects.toMatchObject({ reason: 'extension-captured' });
    expect([user.phantom, user.$.unconfirmed, server.lines]).toEqual([true, false, []]);
    isMeddling = false;
    server.reply({ status: 201, json: ROW });
    await user.save();
    expect([user.id, server.lines]).toEqual([7, ['POST /users']]);
  });

  test('fails a write that the server has done, and leaves it unconfirmed', async () => {
    const late: Extension = {
      name: 'late',
      layer: LAYERS.checks + 5,
      async write(write, next) {
        const outcomes = await next(write);
        (write.changes as unknown[]).length = 0;
        return outcomes;
      },
    };
    const user = new (define(late))({ name: 'Ada' });
    server.reply({ status: 201, json: ROW });
    await expect(user.save()).rejects.toMatchObject({ reason: 'extension-failed', params: { name: 'late' } });
    expect([user.phantom, user.$.unconfirmed]).toEqual([true, true]);
  });

  test('have the values of `capture` hooks', async () => {
    const user = await loaded(
      { name: 'stamp', layer: LAYERS.checks - 5, capture: () => ({ name: 'stamped' }) },
      hooking('reader', () => undefined),
    );
    server.reply({ status: 204 });
    await user.save();
    expect(server.last.body).toEqual({ name: 'stamped' });
  });
});

test('the extensions of the package decide by the change of the attempt, not by what was typed meanwhile', async () => {
  const seen: unknown[] = [];
  const reader = hooking('reader', ({ changes: [change] }) => seen.push(change?.values));
  const use = [etags(), conflicts(), confirm(), retry({ backoff: { base: 0 } }), reader];
  server.reply({ json: ROW, headers: { ETag: '"1"' } });
  const user = await define(...use).load(7);
  user.name = 'Bea';
  const held = server.hold();
  const saving = user.save();
  await held.request;
  user.name = 'typed';
  // The first attempt was done, and its response lost: the repeat is refused, and the row has what the change has sent.
  server.reply({ status: 412 }, { json: { ...ROW, name: 'Bea' }, headers: { ETag: '"2"' } });
  held.answer({ status: 503 });
  await saving;
  expect(seen).toEqual([{ name: 'Bea' }]);
  expect(server.lines).toEqual(['GET /users/7', 'PATCH /users/7', 'PATCH /users/7', 'GET /users/7']);
  expect([user.name, user.$.modified]).toEqual(['typed', { name: 'typed' }]);
});

test('the undo list of the architecture page tells what was saved, not what was typed meanwhile', async () => {
  const list: object[] = [];
  const undoList: Extension = {
    name: 'undoList',
    layer: LAYERS.checks + 1,
    async write(write, next) {
      const outcomes = await next(write);
      for (const [at, { id, base, values }] of write.changes.entries()) {
        const shownBefore = Object.fromEntries(Object.keys(values).map((name) => [name, base[name]]));
        if (!outcomes[at]?.error) list.push({ id, before: shownBefore, after: values });
      }
      return outcomes;
    },
  };
  const user = await loaded(undoList);
  user.name = 'Bea';
  const held = server.hold();
  const saving = user.save();
  await held.request;
  user.name = 'typed';
  held.answer({ status: 204 });
  await saving;
  server.reply({ status: 422 });
  await user.save().catch(() => undefined);
  expect(list).toEqual([{ id: 7, before: { name: 'Ada' }, after: { name: 'Bea' } }]);
});
