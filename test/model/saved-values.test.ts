import { type ConflictError, conflicts, etags, idempotency, Model, plain, reference, rollback, Store } from 'repose';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Received, Reply } from '../helpers/rest-server.js';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

const fields = { id: 'int', title: 'string', body: 'string' } as const;
const dialect = plain();
class Note extends Model.define({ name: 'note', fields, proxy: server.proxy('/notes', { dialect }) }) {}
class KeyedNote extends Note.with({ proxy: { use: [idempotency()] } }) {}
class TaggedNote extends Note.with({ proxy: { use: [etags(), conflicts()] } }) {}

interface Row {
  readonly id: number;
  readonly title: string;
  readonly body: string;
}

/** The rows on the server, by id, and the version of each. */
let rows: Map<number, Row>;
let versions: Map<number, number>;

/** Answers reads, creates with ids from 101 on, and updates; an update with an outdated ETag gets a 412. */
function answer({ method, path, headers, body }: Received): Reply {
  const id = method === 'POST' ? 101 + rows.size : Number(path.split('/').at(-1));
  if (method === 'GET' && path === '/notes') return { json: [...rows.values()] };
  const version = versions.get(id) ?? 1;
  const match = headers['if-match'];
  if (match && match !== `"${version}"`) return { status: 412 };
  if (method !== 'GET') put({ ...(rows.get(id) as Row), id, ...body });
  const tag = `"${versions.get(id)}"`;
  return { status: method === 'POST' ? 201 : 200, headers: { etag: tag }, json: rows.get(id) };
}

function put(row: Row): void {
  rows.set(row.id, row);
  versions.set(row.id, (versions.get(row.id) ?? 0) + 1);
}

/** The bodies of the writes, in their order. */
const bodies = () => server.requests.filter(({ method }) => method !== 'GET').map(({ body }) => body as unknown);

beforeEach(() => {
  rows = new Map();
  versions = new Map();
  server.always(answer);
});

/** A note whose create was sent, and got no response. */
async function unanswered(Class: typeof KeyedNote, options: Parameters<Note['save']>[0] = {}): Promise<Note> {
  const note = new Class({ title: 'Plan', body: '' });
  server.reply({ drop: true });
  await expect(note.save(options)).rejects.toThrow();
  return note;
}

describe('what is typed after save() was called', () => {
  test('stays an edit while a create is repeated under its key', async () => {
    const note = await unanswered(KeyedNote);
    const held = server.hold();
    const saving = note.save();
    const request = await held.request;
    note.body = 'half a sen';
    held.answer(answer(request));
    await saving;
    expect(bodies()).toEqual([
      { title: 'Plan', body: '' },
      { title: 'Plan', body: '' },
    ]);
    expect([note.phantom, note.$.modified]).toEqual([false, { body: 'half a sen' }]);
  });

  test('stays an edit while the save that was called before the repeat is sent after it', async () => {
    const note = await unanswered(KeyedNote);
    note.title = 'Plan B';
    const held = server.hold();
    const saving = note.save();
    const request = await held.request;
    note.title = 'Plan B and half a sen';
    note.body = 'typed';
    held.answer(answer(request));
    await saving;
    expect(bodies().slice(1)).toEqual([{ title: 'Plan', body: '' }, { title: 'Plan B' }]);
    expect(note.$.modified).toEqual({ title: 'Plan B and half a sen', body: 'typed' });
  });

  test('stays an edit while the save waits behind another one', async () => {
    put({ id: 7, title: 'Plan', body: '' });
    const note = await Note.load(7);
    note.title = 'first';
    const held = server.hold();
    const first = note.save();
    const request = await held.request;
    note.title = 'second';
    const second = note.save();
    note.set({ title: 'second, and half a sen', body: 'typed' });
    held.answer(answer(request));
    await Promise.all([first, second]);
    expect(bodies()).toEqual([{ title: 'first' }, { title: 'second' }]);
    expect(note.$.modified).toEqual({ title: 'second, and half a sen', body: 'typed' });
  });

  test('stays an edit while the record waits for the id of a new parent record', async () => {
    class User extends Model.define({
      name: 'user',
      fields: { id: 'int', name: 'string' },
      proxy: server.proxy('/users', { dialect }),
    }) {}
    class Task extends Model.define({
      name: 'task',
      fields: { ...fields, userId: reference('int') },
      proxy: server.proxy('/tasks', { dialect }),
    }) {
      static override references() {
        return { userId: User };
      }
    }
    const user = new User({ name: 'Ada' });
    const task = new Task({ title: 'Plan', userId: user.id });
    const held = server.hold();
    const saving = Promise.all([user.save(), task.save()]);
    await held.request;
    task.body = 'half a sen';
    held.answer({ status: 201, json: { id: 5, name: 'Ada' } });
    await saving;
    expect(bodies()).toEqual([{ name: 'Ada' }, { title: 'Plan', userId: 5 }]);
    expect(task.$.modified).toEqual({ body: 'half a sen' });
  });

  test.each<[string, (conflict: ConflictError) => Promise<unknown>]>([
    ['keepMine()', (conflict) => conflict.keepMine()],
    ['merge()', (conflict) => conflict.merge(({ mine }) => mine)],
  ])('stays an edit while %s of its conflict reads the newer row', async (_, decide) => {
    put({ id: 7, title: 'Plan', body: '' });
    const note = await TaggedNote.load(7);
    note.title = 'Mine';
    put({ id: 7, title: 'Theirs', body: '' });
    const conflict = (await note.save().catch((error: unknown) => error)) as ConflictError;
    const held = server.hold();
    const deciding = decide(conflict);
    const request = await held.request;
    expect(request.method).toBe('GET');
    note.body = 'half a sen';
    held.answer(answer(request));
    await deciding;
    expect(server.last.body).toEqual({ title: 'Mine' });
    expect(rows.get(7)).toEqual({ id: 7, title: 'Mine', body: '' });
    expect(note.$.modified).toEqual({ body: 'half a sen' });
  });
});

describe('what is typed after sync() was called', () => {
  test('stays an edit of a record whose turn comes later', async () => {
    put({ id: 1, title: 'One', body: '' });
    put({ id: 2, title: 'Two', body: '' });
    const notes = new Store({ model: Note, pageSize: 0 });
    await notes.load();
    const [one, two] = notes.getRange() as [Note, Note];
    one.title = 'One!';
    two.title = 'Two!';
    const held = server.hold();
    const syncing = notes.sync({ concurrency: 1 });
    const request = await held.request;
    two.set({ title: 'Two! And half a sen', body: 'typed' });
    held.answer(answer(request));
    await syncing;
    expect(bodies()).toEqual([{ title: 'One!' }, { title: 'Two!' }]);
    expect(two.$.modified).toEqual({ title: 'Two! And half a sen', body: 'typed' });
  });
});

describe('the rollback of a sync()', () => {
  test('leaves alone what was typed while a record waited, and what another client has set there', async () => {
    for (const id of [1, 2, 3]) put({ id, title: 'Plan', body: '' });
    const notes = new Store({ model: Note, pageSize: 0 });
    await notes.load();
    const [one, two, three] = notes.getRange() as [Note, Note, Note];
    one.title = 'One!';
    two.title = 'Two!';
    three.title = 'refused';
    const held = server.hold();
    const syncing = notes.sync({ onFailure: rollback, concurrency: 1 });
    const request = await held.request;
    two.body = 'typed';
    put({ id: 2, title: 'Plan', body: 'theirs' });
    server.always((each) => (each.body?.title === 'refused' ? { status: 422, json: {} } : answer(each)));
    held.answer(answer(request));
    await syncing;
    expect(rows.get(2)).toEqual({ id: 2, title: 'Plan', body: 'theirs' });
    expect(two.$.modified).toEqual({ title: 'Two!', body: 'typed' });
  });
});

describe('the response to a save', () => {
  /** A note that another user has changed to the values that are saved now; its save and a read are in flight together. */
  async function savedWhileRead(first: 'read' | 'save') {
    put({ id: 7, title: 'Plan', body: '' });
    const note = await TaggedNote.load(7);
    put({ id: 7, title: 'Done', body: '' });
    note.title = 'Done';
    const calls = { read: () => note.load(), save: () => note.save({ headers: { 'If-Match': '"2"' } }) };
    const order = first === 'read' ? (['read', 'save'] as const) : (['save', 'read'] as const);
    const pending = new Map<string, { call: Promise<unknown>; answerNow: () => void }>();
    for (const name of order) {
      const hold = server.hold();
      const call = calls[name]();
      const reply = answer(await hold.request);
      pending.set(name, { call, answerNow: () => hold.answer(reply) });
    }
    for (const name of ['read', 'save']) {
      pending.get(name)?.answerNow();
      await pending.get(name)?.call;
    }
    note.title = 'Next';
    server.reply(answer);
    return note.save();
  }

  test('counts, if an older read that is answered before it has the same values', async () => {
    await savedWhileRead('read');
    expect([server.last.headers['if-match'], rows.get(7)?.title]).toEqual(['"3"', 'Next']);
  });

  test('is older than a read that began after the save and is answered before it', async () => {
    await savedWhileRead('save');
    expect([server.last.headers['if-match'], rows.get(7)?.title]).toEqual(['"3"', 'Next']);
  });
});

describe('the conflict of a save', () => {
  test('has the row on which the values were made, also if a newer one was read meanwhile', async () => {
    put({ id: 7, title: 'Plan', body: '' });
    const note = await TaggedNote.load(7);
    put({ id: 7, title: 'Theirs', body: '' });
    note.title = 'Mine';
    const held = server.hold();
    const saving = note.save().catch((error: unknown) => error as ConflictError);
    const request = await held.request;
    await note.load();
    held.answer(answer(request));
    const conflict = (await saving) as ConflictError;
    expect([conflict.base, conflict.mine]).toMatchObject([{ title: 'Plan' }, { title: 'Mine' }]);
    await expect(conflict.merge()).rejects.toMatchObject({ fields: [{ field: 'title', theirs: 'Theirs' }] });
    expect(rows.get(7)?.title).toBe('Theirs');
  });
});

test('a value that was set back while a sync() waited is no edit after that sync() has stopped', async () => {
  for (const id of [1, 2]) put({ id, title: 'Plan', body: '' });
  const notes = new Store({ model: Note, pageSize: 0 });
  await notes.load();
  const [one, two] = notes.getRange() as [Note, Note];
  two.title = one.title = 'Next';
  const held = server.hold();
  const syncing = notes.sync({ onFailure: 'stop', concurrency: 1 });
  await held.request;
  two.title = 'Plan';
  expect([two.dirty, [...notes.pending.created, ...notes.pending.edited].length]).toEqual([true, 2]);
  held.answer({ status: 422 });
  await syncing;
  expect([two.dirty, two.$.modified, [...notes.pending.created, ...notes.pending.edited]]).toEqual([false, {}, [one]]);
});

describe('a whole row of a sync() that has to wait', () => {
  test('does not put an old value over a newer one that a save() without a response may have written meanwhile', async () => {
    put({ id: 1, title: 'One', body: '' });
    const notes = new Store({ model: Note.with({ proxy: { actionMethods: { update: 'PUT' } } }), pageSize: 0 });
    await notes.load();
    const [one] = notes.getRange() as [Note];
    notes.add({ title: 'New', body: '' });
    one.title = 'One!';
    const heldCreate = server.hold();
    const syncing = notes.sync();
    const create = await heldCreate.request;
    one.body = 'newer';
    server.reply((request) => ({ ...answer(request), drop: true }));
    await expect(one.save()).rejects.toThrow();
    expect(rows.get(1)).toEqual({ id: 1, title: 'One!', body: 'newer' });
    heldCreate.answer(answer(create));
    await syncing;
    expect(server.last.body).toEqual({ id: 1, title: 'One!', body: 'newer' });
    expect(rows.get(1)).toEqual({ id: 1, title: 'One!', body: 'newer' });
    expect(one.dirty).toBe(false);
  });
});

describe('a create that is repeated under its key is the same request', () => {
  /** The parts that must be equal in all requests with one key. */
  const shape = ({ method, url, headers, text }: Received) => ({
    ...{ method, url, text },
    ...{ key: headers['idempotency-key'], tenant: headers['x-tenant'] },
  });

  function expectOneRequest(): void {
    expect(server.requests).toHaveLength(2);
    const [first, second] = server.requests.map(shape);
    expect(first?.key).toBeTruthy();
    expect(second).toEqual(first);
  }

  test('with the parameters of its own call, when sync() has others', async () => {
    const notes = new Store({ model: KeyedNote });
    const note = await unanswered(KeyedNote, { params: { list: 'work' } });
    notes.add(note);
    await notes.sync({ params: { list: 'home' } });
    expectOneRequest();
    expect(server.last.url).toBe('/notes?list=work');
  });

  test('with the parameters of its own call, when another save() has others', async () => {
    const note = await unanswered(KeyedNote, { params: { list: 'work' } });
    await note.save({ params: { list: 'home' } });
    expectOneRequest();
  });

  test('with the address of its own call, when another save() has another one', async () => {
    const note = await unanswered(KeyedNote, { url: '/drafts' });
    await note.save({ url: '/finals' });
    expectOneRequest();
    expect(server.last.url).toBe('/drafts');
  });

  test('with the headers of its own call', async () => {
    const notes = new Store({ model: KeyedNote });
    const note = await unanswered(KeyedNote, { headers: { 'X-Tenant': 'red' } });
    notes.add(note);
    await notes.sync();
    expectOneRequest();
    expect(shape(server.last).tenant).toBe('red');
  });

  test('to the tenant that was chosen at first', async () => {
    let tenant = 'red';
    class TenantNote extends Note.with({
      proxy: {
        ...{ url: '/{tenant}/notes', use: [idempotency()] },
        pathParams: () => ({ tenant }),
        extraParams: () => ({ team: `${tenant} team` }),
      },
    }) {}
    const note = new TenantNote({ title: 'Plan', body: '' });
    server.reply({ drop: true });
    await expect(note.save()).rejects.toThrow();
    tenant = 'blue';
    await note.save();
    expectOneRequest();
    expect(server.last.path).toBe('/red/notes');
    // The next write of the record belongs to the tenant that is chosen now.
    note.title = 'Plan B';
    await note.save();
    expect([server.last.path, server.last.query.get('team')]).toEqual(['/blue/notes/101', 'blue team']);
  });

  test('with its values, when others were set since; these follow as an update', async () => {
    const note = await unanswered(KeyedNote);
    note.title = 'Plan B';
    await note.save();
    const [first, second, third] = server.requests.map(shape);
    expect(second).toEqual(first);
    expect([third?.method, third?.text, third?.key]).toEqual(['PATCH', '{"title":"Plan B"}', undefined]);
    expect(note.dirty).toBe(false);
  });
});

describe('a save() that resolves', () => {
  test('was answered, also if a load has made a second record of its row and the two are merged', async () => {
    const notes = new Store({ model: Note, pageSize: 0 });
    const [added] = notes.add({ title: 'Plan', body: '' }) as [Note];
    const heldCreate = server.hold();
    const creating = added.save();
    const answerToCreate = answer(await heldCreate.request);
    // The server has the row, but the response to its create is on the way.
    await notes.load();
    const shown = notes.getById(101) as Note;
    expect(shown).not.toBe(added);
    shown.title = 'Plan B';
    const heldUpdate = server.hold();
    const first = shown.save();
    const answerToUpdate = answer(await heldUpdate.request);
    shown.title = 'Plan C';
    const second = shown.save();
    heldCreate.answer(answerToCreate);
    await creating;
    heldUpdate.answer(answerToUpdate);
    await Promise.all([first, second]);
    expect(rows.get(101)?.title).toBe('Plan C');
    expect([...notes.pending.created, ...notes.pending.edited]).toEqual([]);
    expect(notes.getRange()).toHaveLength(1);
  });

  test('has nothing to send, if reject() has taken its values back while it waited', async () => {
    put({ id: 7, title: 'Plan', body: '' });
    const note = await Note.load(7);
    note.title = 'first';
    const held = server.hold();
    const first = note.save();
    const request = await held.request;
    note.body = 'second';
    const second = note.save();
    note.reject();
    held.answer(answer(request));
    await Promise.all([first, second]);
    expect(bodies()).toEqual([{ title: 'first' }]);
    expect([note.title, note.body, note.dirty]).toEqual(['first', '', false]);
  });

  test('has nothing to send, if the save before it has settled the same values', async () => {
    put({ id: 7, title: 'Plan', body: '' });
    const note = await Note.load(7);
    note.title = 'first';
    const held = server.hold();
    const first = note.save();
    const request = await held.request;
    const second = note.save();
    held.answer(answer(request));
    await Promise.all([first, second]);
    expect(bodies()).toEqual([{ title: 'first' }]);
    expect(note.dirty).toBe(false);
  });
});

test('a save that waits is made on the row of the one before it, with the members that both edit inside one object', async () => {
  class Person extends Model.define({
    name: 'person',
    fields: {
      id: 'int',
      city: { type: 'string', mapping: 'address.city' },
      zip: { type: 'string', mapping: 'address.zip' },
    },
    proxy: server.proxy('/people', { dialect }),
  }) {}
  let address = { city: 'Rome', zip: '1' };
  server.always(({ body }) => ({ json: { id: 1, address: (address = { ...address, ...body.address }) } }));
  const person = Person.fromRow({ id: 1, address });
  person.zip = '2';
  const held = server.hold();
  const first = person.save();
  const { body } = await held.request;
  person.city = 'Oslo';
  const second = person.save();
  person.city = 'typed since';
  held.answer({ json: { id: 1, address: (address = body.address) } });
  await Promise.all([first, second]);
  expect([server.last.body, address]).toEqual([{ address: { city: 'Oslo', zip: '2' } }, { city: 'Oslo', zip: '2' }]);
  expect(person.$.modified).toEqual({ city: 'typed since' });
});
