import {
  type Batch,
  type ConflictError,
  conflicts,
  type Extension,
  embed,
  etags,
  Model,
  off,
  plain,
  Store,
} from 'repose';
import { type Change, LAYERS } from 'repose/extend';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Received, Reply } from '../helpers/rest-server.js';
import { useRestServer } from '../helpers/use-rest-server.js';

// A write that waits was asked for on the row that the application had then. A row that is read while it waits is not that row: if the server
// has changed what the write touches, the write must be refused as for any other row that somebody has changed.

const server = useRestServer();

class Address extends Model.define({ name: 'address', fields: { city: 'string', zip: 'string' } }) {}
class Line extends Model.define({ name: 'line', fields: { id: 'int', text: 'string' } }) {}
const fields = {
  ...({ id: 'int', title: 'string', body: 'string' } as const),
  address: embed(Address),
  lines: embed([Line]),
};
const use = [etags(), conflicts()];
class Note extends Model.define({
  name: 'note',
  fields,
  proxy: server.proxy('/notes', { dialect: plain(), noCache: false, use }),
}) {}

type Row = Readonly<Record<string, unknown>>;
let rows: Map<number, Row>;
let versions: Map<number, number>;

const put = (id: number, values: Row) => {
  rows.set(id, { ...rows.get(id), ...values, id });
  versions.set(id, (versions.get(id) ?? 0) + 1);
};

function answer({ method, path, headers, body }: Received): Reply {
  const id = Number(path.split('/').at(-1));
  const match = headers['if-match'];
  if (match && match !== `"${versions.get(id)}"`) return { status: 412 };
  if (method === 'DELETE') {
    rows.delete(id);
    return { status: 204 };
  }
  if (method !== 'GET') put(id, body as Row);
  return { headers: { etag: `"${versions.get(id)}"` }, json: rows.get(id) };
}

beforeEach(() => {
  rows = new Map();
  versions = new Map();
  for (const id of [1, 2]) put(id, { title: `t${id}`, body: `b${id}`, address: { city: 'Rome', zip: '1' } });
  server.always(answer);
});

const writes = () =>
  server.requests.filter(({ method }) => method !== 'GET').map(({ method, path }) => `${method} ${path}`);

/** The conflict of the second record of a `sync()`. */
const conflictIn = ({ outcomes }: Batch<Note>) => outcomes[1]?.error as ConflictError;

/** A store with two notes; the first is edited, so that a `sync()` of one request at a time lets the second wait. */
async function inStore(Class: typeof Note = Note) {
  const store = new Store({ model: Class });
  const notes = (await Promise.all([1, 2].map((id) => Class.load(id)))) as [Note, Note];
  store.add(...notes);
  notes[0].title = 'first';
  return { store, first: notes[0], second: notes[1] };
}

/** Syncs, and runs `meanwhile` while the first record is being written. */
async function syncWhile(store: Store<Note>, meanwhile: () => Promise<unknown>) {
  const held = server.hold();
  const syncing = store.sync({ concurrency: 1 });
  const request = await held.request;
  await meanwhile();
  held.answer(answer(request));
  return syncing;
}

describe('an erase that waits', () => {
  test('in sync() is refused if the row was changed by somebody else, and read, meanwhile', async () => {
    const { store, second } = await inStore();
    store.remove(second);
    const batch = await syncWhile(store, async () => {
      put(2, { title: 'theirs' });
      await second.load();
    });
    expect(batch.outcomes.map(({ error }) => error?.code)).toEqual([undefined, 'conflict']);
    expect(rows.get(2)).toMatchObject({ title: 'theirs' });
    const error = conflictIn(batch);
    expect(error.base).toMatchObject({ title: 't2' });
    await expect(error.merge()).rejects.toBe(error);
    await error.keepMine();
    expect([second.erased, rows.has(2)]).toEqual([true, false]);
  });

  test('behind a save is refused likewise, though the save has made a version of its own', async () => {
    const note = await Note.load(1);
    note.title = 'mine';
    const held = server.hold();
    const saving = note.save();
    const request = await held.request;
    const erasing = note.erase();
    erasing.catch(() => undefined);
    // The read is answered before the save is done, and shows what the application has not seen.
    put(1, { body: 'theirs' });
    const seen = { ...rows.get(1) };
    await note.load();
    versions.set(1, (versions.get(1) as number) - 1);
    held.answer(answer(request));
    await saving;
    await expect(erasing).rejects.toMatchObject({ code: 'conflict' });
    expect(rows.get(1)).toMatchObject({ ...seen, title: 'mine' });
  });

  test('and is refused lets a save behind it write over the row that the save was made on', async () => {
    const note = await Note.load(1);
    note.title = 'mine';
    const held = server.hold();
    const refused = [note.save()];
    await held.request;
    refused.push(note.erase());
    put(1, { body: 'theirs' });
    await note.load();
    note.body = 'mine, too';
    const saving = note.save();
    held.answer({ status: 422 });
    const ends = await Promise.allSettled([...refused, saving]);
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
    expect(rows.get(1)).toMatchObject({ title: 'mine', body: 'mine, too' });
  });

  test('erases a row that was read again and is as the application knew it, or has only its own values', async () => {
    const { store, first, second } = await inStore();
    store.remove(second);
    const batch = await syncWhile(store, async () => {
      versions.set(2, 9);
      await second.load();
    });
    expect(batch.failures).toEqual([]);
    const held = server.hold();
    first.title = 'again';
    const saving = first.save();
    const request = await held.request;
    const erasing = first.erase();
    // The response is late: the read shows what the save has already written.
    const reply = answer(request);
    await first.load();
    held.answer(reply);
    await Promise.all([saving, erasing]);
    expect(rows.size).toBe(0);
  });

  test('is not taken back by reject(), and stops no commit() after the sync', async () => {
    const { store, first, second } = await inStore();
    store.remove(second);
    await syncWhile(store, async () => second.reject());
    expect(writes()).toEqual(['PATCH /notes/1', 'DELETE /notes/2']);
    first.title = 'local';
    first.commit();
    expect(first.dirty).toBe(false);
  });
});

test('the change of an erase, which extensions see, has the row that is erased and no values', async () => {
  const seen: (readonly Change[])[] = [];
  const look: Extension = {
    name: 'look',
    layer: LAYERS.checks + 1,
    async write(write, next) {
      seen.push(write.changes);
      const outcomes = await next(write);
      seen.push(write.changes);
      return outcomes;
    },
  };
  const Seen = Note.with({ proxy: { use: [look] } });
  const note = await Seen.load(1);
  note.title = 'not saved';
  await note.erase();
  const change = { action: 'destroy', id: 1, base: { title: 't1' }, values: {} };
  expect(seen).toMatchObject([[change], [change]]);
  expect(Object.isFrozen(seen[0]?.[0])).toBe(true);

  seen.length = 0;
  const Bulk = Note.with({ proxy: { use: [look, off('etags')], batchActions: true } });
  const store = new Store({ model: Bulk });
  for (const id of [3, 4]) put(id, { title: `t${id}` });
  store.add(await Bulk.load(3), await Bulk.load(4));
  store.removeAll();
  await store.sync();
  expect(seen[0]).toMatchObject([{ action: 'destroy', id: 3, base: { title: 't3' } }, { id: 4 }]);
});

describe('an update that waits', () => {
  test('is refused if the field that it writes was changed by somebody else, and read, meanwhile', async () => {
    const { store, second } = await inStore();
    second.title = 'mine';
    const batch = await syncWhile(store, async () => {
      put(2, { title: 'theirs' });
      await second.load();
    });
    expect(batch.outcomes.map(({ error }) => error?.code)).toEqual([undefined, 'conflict']);
    expect([rows.get(2)?.['title'], second.title]).toEqual(['theirs', 'mine']);
    const error = conflictIn(batch);
    expect(error.base).toMatchObject({ title: 't2' });
    await expect(error.merge()).rejects.toBe(error);
    expect(error.fields).toMatchObject([{ field: 'title', base: 't2', mine: 'mine', theirs: 'theirs' }]);
    await error.keepMine();
    expect(rows.get(2)).toMatchObject({ title: 'mine' });
  });

  test('is refused for a member inside an embedded record, and not for another member', async () => {
    const { store, first, second } = await inStore();
    const address = second.address as Address;
    address.city = 'Oslo';
    const changed = (values: Row) => async () => {
      put(2, { address: values });
      await second.load();
    };
    const clash = await syncWhile(store, changed({ city: 'Bonn', zip: '1' }));
    expect(clash.outcomes.map(({ error }) => error?.code)).toEqual([undefined, 'conflict']);
    await conflictIn(clash).takeTheirs();
    (second.address as Address).city = 'Oslo';
    first.title = 'once more';
    const both = await syncWhile(store, changed({ city: 'Bonn', zip: '2' }));
    expect(both.failures).toEqual([]);
    expect(rows.get(2)).toMatchObject({ address: { city: 'Oslo', zip: '2' } });
  });

  test('is sent over a row in which somebody has changed other fields, or given the same value', async () => {
    const { store, second } = await inStore();
    second.title = 'mine';
    const batch = await syncWhile(store, async () => {
      put(2, { title: 'mine', body: 'theirs' });
      await second.load();
    });
    expect(batch.failures).toEqual([]);
    expect(rows.get(2)).toMatchObject({ title: 'mine', body: 'theirs' });
  });

  test('is sent behind a save whose values a read has shown before the response came', async () => {
    const note = await Note.load(1);
    note.title = 'one';
    const held = server.hold();
    const saving = note.save();
    const request = await held.request;
    note.title = 'two';
    const second = note.save();
    const reply = answer(request);
    await note.load();
    held.answer(reply);
    await Promise.all([saving, second]);
    expect(rows.get(1)).toMatchObject({ title: 'two' });
  });
});

describe('a save of a list that waits', () => {
  const LINES = [
    { id: 1, text: 'one' },
    { id: 2, text: 'two' },
  ];
  /** Edits the first line while the other note is saved, and reads the lines of somebody else meanwhile. */
  async function syncLines(theirs: readonly object[], Class: typeof Note = Note) {
    put(2, { lines: LINES });
    const { store, second } = await inStore(Class);
    second.lines![0]!.text = 'mine';
    const batch = await syncWhile(store, async () => {
      put(2, { lines: theirs });
      await second.load();
    });
    return { error: conflictIn(batch), lines: () => rows.get(2)?.['lines'] };
  }

  test('is refused if somebody else has changed the same line, and it was read meanwhile', async () => {
    const { error, lines } = await syncLines([{ id: 1, text: 'theirs' }, LINES[1]!]);
    expect([error?.code, lines()]).toEqual(['conflict', [{ id: 1, text: 'theirs' }, LINES[1]]]);
    await error.keepMine();
    expect(lines()).toEqual([{ id: 1, text: 'mine' }, LINES[1]]);
  });

  test('is refused likewise by the server, without conflicts()', async () => {
    const Plain = Note.with({ proxy: { use: [off('conflicts')] } });
    const { error, lines } = await syncLines([{ id: 1, text: 'theirs' }, LINES[1]!], Plain);
    expect([error?.code, lines()]).toEqual(['conflict', [{ id: 1, text: 'theirs' }, LINES[1]]]);
    expect(writes()).toEqual(['PATCH /notes/1', 'PATCH /notes/2']);
  });

  test('takes another line along that somebody else has changed', async () => {
    const { error, lines } = await syncLines([LINES[0]!, { id: 2, text: 'theirs' }]);
    expect([error, lines()]).toEqual([
      undefined,
      [
        { id: 1, text: 'mine' },
        { id: 2, text: 'theirs' },
      ],
    ]);
  });
});

describe('a save of lines without ids', () => {
  class Text extends Model.define({ name: 'text', fields: { text: 'string' } }) {}
  class Page extends Model.define({
    name: 'page',
    fields: { id: 'int', texts: embed([Text]) },
    proxy: server.proxy('/pages', { dialect: plain(), use }),
  }) {}
  const texts = (...all: string[]) => ({ texts: all.map((text) => ({ text })) });

  test.each([
    ['added, where somebody else has removed one', ['one'], [], ['one', 'mine'], ['mine']],
    ['removed, where somebody else has changed another one', ['one', 'two'], ['one', 'theirs'], ['two'], ['theirs']],
  ])('of which some were %s, is sent if the row was read', async (_, before, theirs, mine, sent) => {
    put(5, texts(...before));
    const page = await Page.load(5);
    const kept = page.texts.filter(({ text }) => mine.includes(text as string));
    page.texts = [...kept, ...mine.filter((text) => !before.includes(text)).map((text) => ({ text }))] as never;
    put(5, texts(...theirs));
    await page.load();
    await page.save();
    expect(rows.get(5)).toMatchObject(texts(...sent));
  });
});
