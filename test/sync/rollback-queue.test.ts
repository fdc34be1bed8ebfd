import { conflicts, etags, Model, plain, retry, rollback, Store } from 'repose';
import { memoryStorage } from 'repose/outbox';
import { describe, expect, test } from 'vitest';
import { manualClock } from '../helpers/manual-clock.js';
import type { Received, Reply } from '../helpers/rest-server.js';
import { openOutbox } from '../outbox/open-outbox.js';
import { server } from './support.js';

class Note extends Model.define({
  name: 'note',
  fields: { id: 'int', title: 'string', pages: 'int' },
  proxy: server.proxy('/notes', { dialect: plain() }),
}) {}

interface Row {
  readonly id: number;
  readonly title: string;
  readonly pages: number;
}

/** A server with two notes, and the versions of both; it refuses an empty title. `lose`: whether the response to a request is lost. */
function notesServer(lose: (request: Received, tag: string) => boolean = () => false) {
  const rows = new Map<number, Row>([7, 8].map((id) => [id, { id, title: `note ${id}`, pages: 1 }]));
  const versions = new Map<number, number>();
  const tagOf = (id: number) => `"${id}.${versions.get(id) ?? 1}"`;
  const answer = ({ method, path, headers, body }: Received): Reply => {
    if (path === '/notes') return { json: [...rows.values()] };
    const id = Number(path.split('/').at(-1));
    if (body?.title === '') return { status: 422, json: { errors: { title: 'must not be empty' } } };
    const match = headers['if-match'];
    if (match && match !== tagOf(id)) return { status: 412 };
    if (method !== 'GET') {
      rows.set(id, { ...(rows.get(id) as Row), ...body });
      versions.set(id, (versions.get(id) ?? 1) + 1);
    }
    return { json: rows.get(id), headers: { ETag: tagOf(id) } };
  };
  server.always((request) => {
    const reply = answer(request);
    return lose(request, tagOf(7)) ? { drop: true } : reply;
  });
  return rows;
}

describe('a sync() that is rolled back', () => {
  /** Queues an update of note 7, and rolls a sync() back that also updates its pages. */
  async function afterRollback(edit: (note: Note) => void) {
    const rows = notesServer();
    const storage = memoryStorage();
    const outbox = await openOutbox({ scope: 'user-7', storage, clock: manualClock() });
    const Queued = Note.with({ proxy: { use: [outbox] } });
    const store = new Store({ model: Queued, pageSize: 0 });
    await store.load();
    const [note, other] = [7, 8].map((id) => store.getById(id)) as [Note, Note];
    server.reply({ drop: true });
    note.title = 'queued';
    await expect(note.save()).rejects.toMatchObject({ queued: true });
    const before = outbox.entries.map(({ id, values }) => ({ id, values }));
    expect(before).toEqual([{ id: 7, values: { title: 'queued' } }]);
    edit(note);
    other.title = '';
    const { failures } = await store.sync({ onFailure: rollback, concurrency: 1 });
    expect(failures.length).toBeGreaterThan(0);
    const kept = outbox.entries.filter(({ id }) => id === 7).map(({ id, values }) => ({ id, values }));
    expect(rows.get(7)).toEqual({ id: 7, title: 'note 7', pages: 1 });
    return { rows, storage, outbox, note, before, kept };
  }

  test('leaves a write in the queue that was queued before it, without what it has added to it', async () => {
    const { outbox, note, before, kept } = await afterRollback((each) => (each.pages = 2));
    expect(kept).toEqual(before);
    expect(note.$.modified).toEqual({ title: 'queued', pages: 2 });
    await outbox.close();
  });

  test('leaves a write in the queue that was queued before it, also after a restart', async () => {
    const { rows, storage, outbox } = await afterRollback((each) => (each.pages = 2));
    await outbox.close();
    const later = await openOutbox({ scope: 'user-7', storage, models: [Note], clock: manualClock() });
    await later.send();
    await later.drained();
    await later.close();
    expect(rows.get(7)).toEqual({ id: 7, title: 'queued', pages: 1 });
  });
});

describe('an undo whose response is lost', () => {
  test('leaves the edits pending and says so, when the read that could confirm it gets no response either', async () => {
    let isLost = false;
    const rows = notesServer(({ method, body }) => {
      // The undo is done, its response is lost; so is each read after it.
      const isUndo = method !== 'GET' && body?.title === 'note 7';
      const isFirst = isUndo && !isLost;
      isLost ||= isUndo;
      return isFirst || (isLost && method === 'GET');
    });
    const use = [etags(), conflicts(), retry({ limit: 2, backoff: { base: 1, max: 2 } })];
    const store = new Store({ model: Note.with({ proxy: { use } }), pageSize: 0 });
    await store.load();
    const [note, other] = [7, 8].map((id) => store.getById(id)) as [Note, Note];
    await note.load();
    note.title = 'mine';
    other.title = '';
    const { outcomes } = await store.sync({ onFailure: rollback, concurrency: 1 });
    const { undoError } = outcomes.find(({ record }) => record === note) ?? {};
    expect(rows.get(7)?.title).toBe('note 7');
    expect([note.title, note.dirty, note.$.modified]).toEqual(['mine', true, { title: 'mine' }]);
    expect(undoError).toMatchObject({ code: 'not-undone' });
  });
});
