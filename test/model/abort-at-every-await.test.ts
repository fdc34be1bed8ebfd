import {
  action,
  ConflictError,
  confirm,
  conflicts,
  decide,
  etags,
  type HttpError,
  idempotency,
  Model,
  plain,
  rollback,
  type StandardSchemaV1,
  Store,
  type SyncOptions,
} from 'repose';
import { describe, expect, test } from 'vitest';
import { inner } from '../../src/model/record.js';
import { CORE } from '../../src/model/symbols.js';

// A write is aborted at each of its awaits in turn, and while each of its requests is at the server. The server answers in the same
// tick, so that a test knows how many awaits there are.

const dialect = plain();
const fields = { id: 'int', title: 'string', body: 'string' } as const;

interface Row {
  readonly id: number;
  readonly title?: string;
  readonly body?: string;
}

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body: Partial<Row>;
}

/** A server that does what it is asked, even if the caller gives up while it works. */
class Server {
  readonly rows = new Map<number, Row>([7, 8, 9].map((id) => [id, { id, title: `t${id}`, body: `b${id}` }]));
  readonly sent: Sent[] = [];
  private readonly versions = new Map<number, number>();
  private readonly byKey = new Map<string, number>();
  /** Answers that get lost, or are replaced, for the next requests. */
  readonly script: ('lost' | Response | undefined)[] = [];
  /** Called when a request has arrived and was done, with the number of the request. */
  onDone: (count: number) => void = () => undefined;

  readonly fetch: typeof globalThis.fetch = async (input, { method = 'GET', body, headers, signal } = {}) => {
    const path = new URL(String(input)).pathname;
    const at = new Headers(headers);
    const values = typeof body === 'string' && body !== '' ? (JSON.parse(body) as Partial<Row>) : {};
    signal?.throwIfAborted();
    this.sent.push({ method, path, body: values });
    const scripted = this.script.shift();
    const answer = scripted instanceof Response ? scripted : this.answer(method, path, values, at);
    this.onDone(this.sent.length);
    signal?.throwIfAborted();
    await undefined;
    signal?.throwIfAborted();
    if (scripted === 'lost') throw new TypeError('the connection broke');
    return answer;
  };

  private answer(method: string, path: string, values: Partial<Row>, headers: Headers): Response {
    const [, ofAction] = /^\/notes\/(\d+)\/publish$/.exec(path) ?? [];
    if (ofAction) return Response.json(this.rows.get(Number(ofAction)));
    const key = headers.get('Idempotency-Key');
    if (Array.isArray(values)) return this.answerAll(method, values as readonly Row[], headers);
    const id = method === 'POST' ? (this.byKey.get(key ?? '') ?? 101 + this.rows.size) : Number(path.split('/').at(-1));
    const match = headers.get('If-Match');
    if (match !== null && match !== this.tag(id)) return Response.json({}, { status: 412 });
    if (values.title === 'bad') return Response.json({}, { status: 422 });
    if (method === 'DELETE') return new Response(null, { status: this.rows.delete(id) ? 204 : 404 });
    if (method === 'GET' && path === '/notes') return Response.json([...this.rows.values()]);
    if (method !== 'GET' && !(method === 'POST' && this.rows.has(id))) {
      this.rows.set(id, { ...(method === 'PUT' ? {} : this.rows.get(id)), ...values, id });
      this.versions.set(id, (this.versions.get(id) ?? 0) + 1);
    }
    if (key) this.byKey.set(key, id);
    const row = this.rows.get(id);
    if (!row) return Response.json({}, { status: 404 });
    return Response.json(row, { status: method === 'POST' ? 201 : 200, headers: { ETag: this.tag(id) } });
  }

  /** Answers a request with several rows. */
  private answerAll(method: string, rows: readonly Row[], headers: Headers): Response {
    for (const { id, ...values } of rows)
      this.answer(method, method === 'POST' ? '/notes' : `/notes/${id}`, values, headers);
    const made = [...this.rows.values()].slice(-rows.length);
    return method === 'DELETE' ? new Response(null, { status: 204 }) : Response.json(method === 'POST' ? made : rows);
  }

  /** Another client changes a row. */
  change(id: number, values: Partial<Row>): void {
    this.answer('PATCH', `/notes/${id}`, values, new Headers());
  }

  private tag(id: number): string {
    return `"${id}.${this.versions.get(id) ?? 0}"`;
  }
}

/** A schema that takes its time. */
const slowSchema: StandardSchemaV1<Partial<Row>> = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: async (value) => {
      await undefined;
      return { value: value as Partial<Row> };
    },
  },
};

function classes(server: Server) {
  const { fetch } = server;
  const proxy = { type: 'rest', url: 'http://notes.test/notes', noCache: false, dialect, fetch } as const;
  class Note extends Model.define({
    name: 'note',
    fields,
    proxy: { ...proxy, actionMethods: { update: 'PATCH' } },
    actions: { publish: action({ body: slowSchema, reply: 'record' }) },
  }) {}
  const Keyed = Note.with({ proxy: { use: [idempotency()] } });
  const Whole = Note.with({ proxy: { actionMethods: { update: 'PUT' } } });
  const Tagged = Note.with({ proxy: { use: [etags(), conflicts(), confirm()] } });
  return { Note, Keyed, Whole, Tagged };
}
type Classes = ReturnType<typeof classes>;
type Note = InstanceType<Classes['Note']>;

/** A scene: the records, and the call that is aborted. */
interface Scene {
  readonly records: readonly Note[];
  /** Calls, and returns what has to settle. */
  act(signal: AbortSignal): Promise<unknown>;
  readonly store?: Store<Note>;
  /** Erases are not saved again. */
  readonly erases?: boolean;
}
type Build = (world: { server: Server } & Classes) => Promise<Scene>;

const loaded = async (Class: Classes['Note'], id = 7) => {
  const note = await Class.load(id);
  note.title = `saved${id}`;
  return note;
};
const inStore = async (Class: Classes['Note'], options: SyncOptions & { bulk?: boolean } = {}): Promise<Scene> => {
  const { bulk = false, ...sync } = options;
  const Note = bulk ? Class.with({ proxy: { batchActions: true } }) : Class;
  const store = new Store({ model: Note, pageSize: 0 });
  const records = await Promise.all([7, 8].map((id) => loaded(Note, id)));
  store.add(...records);
  const [added] = store.add({ title: 'new' }) as [Note];
  return { store, records: [...records, added], act: (signal) => store.sync({ ...sync, signal }) };
};

const erasesInStore = async (Class: Classes['Note'], bulk: boolean = false): Promise<Scene> => {
  const scene = await inStore(Class, { bulk, concurrency: 1 });
  const [first, second] = scene.records as [Note, Note];
  for (const note of [first, second]) note.reject();
  scene.store?.remove(...scene.records);
  return { ...scene, records: [first, second], erases: true };
};
/** A scene that decides a conflict; a decision has no signal of its own. */
const deciding =
  (decide: (error: ConflictError) => unknown, theirs: Partial<Row>): Build =>
  async ({ server, Tagged }) => {
    const note = await loaded(Tagged);
    server.change(7, theirs);
    const error = await note.save().catch((cause: unknown) => cause as ConflictError);
    return {
      records: [note],
      act: async (signal) => {
        signal.addEventListener('abort', () => note.$.abort());
        await decide(error as ConflictError);
      },
    };
  };

const SCENES: Readonly<Record<string, Build>> = {
  'a save of an update': async ({ Note }) => {
    const note = await loaded(Note);
    return { records: [note], act: (signal) => note.save({ signal }) };
  },
  'a save of an update, by $.abort()': async ({ Note }) => {
    const note = await loaded(Note);
    return {
      records: [note],
      act: (signal) => {
        signal.addEventListener('abort', () => note.$.abort());
        return note.save();
      },
    };
  },
  'a save of a create': async ({ Note }) => {
    const note = new Note({ title: 'new' });
    return { records: [note], act: (signal) => note.save({ signal }) };
  },
  'a save that waits behind another one': async ({ Note }) => {
    const note = await loaded(Note);
    return {
      records: [note],
      act: (signal) => {
        const first = note.save();
        note.body = 'second';
        return Promise.allSettled([first, note.save({ signal })]);
      },
    };
  },
  'an erase': async ({ Note }) => {
    const note = await Note.load(7);
    return { records: [note], act: (signal) => note.erase({ signal }), erases: true };
  },
  'a save that reads its row first': async ({ server, Whole }) => {
    server.script.push(new Response(null, { status: 201, headers: { Location: '/notes/7' } }));
    const note = new Whole({ title: 't7' });
    await note.save();
    note.title = 'saved7';
    return { records: [note], act: (signal) => note.save({ signal }) };
  },
  'a repeat of a keyed create, and the update that follows': async ({ server, Keyed }) => {
    const note = new Keyed({ title: 'new' });
    server.script.push('lost');
    await note.save().catch(() => undefined);
    note.body = 'second';
    return { records: [note], act: (signal) => note.save({ signal }) };
  },
  'a confirmation of an update': async ({ server, Tagged }) => {
    const note = await loaded(Tagged);
    server.script.push('lost');
    await note.save().catch(() => undefined);
    return { records: [note], act: (signal) => note.save({ signal }) };
  },
  'a repeated erase that is confirmed': async ({ server, Tagged }) => {
    const note = await Tagged.load(7);
    server.script.push('lost');
    await note.erase().catch(() => undefined);
    return { records: [note], act: (signal) => note.erase({ signal }), erases: true };
  },
  'an erase that waits behind a save': async ({ Tagged }) => {
    const note = await loaded(Tagged);
    return {
      records: [note],
      act: (signal) => Promise.allSettled([note.save(), note.erase({ signal })]),
      erases: true,
    };
  },
  'keepMine() of a conflict': deciding((error) => error.keepMine(), { title: 'theirs' }),
  'merge() of a conflict': deciding((error) => error.merge(() => 'saved7'), { title: 'theirs' }),
  'merge() of a conflict about another field': deciding((error) => error.merge(), { body: 'b7' }),
  'an action with a body, of an edited record': async ({ Note }) => {
    const note = await loaded(Note);
    return { records: [note], act: (signal) => Note.actions.publish(note, { title: 'sent' }, { signal }) };
  },
  'a sync of erases': async ({ Tagged }) => erasesInStore(Tagged),
  'a sync of erases in one request': async ({ Note }) => erasesInStore(Note, true),
  'a sync': async ({ Note }) => inStore(Note),
  'a sync of one record after the other': async ({ Note }) => inStore(Note, { concurrency: 1 }),
  'a sync in one request': async ({ Note }) => inStore(Note, { bulk: true }),
  'a sync that is rolled back': async ({ Note }) => {
    const scene = await inStore(Note, { onFailure: rollback, concurrency: 1 });
    return {
      ...scene,
      async act(signal) {
        const [, last, added] = scene.records as [Note, Note, Note];
        last.title = 'bad';
        added.title = 'new';
        await scene.act(signal);
      },
    };
  },
};

/** Runs a scene once, and aborts where it is told. Returns how many awaits the call took. */
async function run(build: Build, abort: { atAwait?: number; atRequest?: number }) {
  const server = new Server();
  const scene = await build({ server, ...classes(server) });
  const controller = new AbortController();
  const before = server.sent.length;
  server.onDone = (count) => {
    if (count - before === abort.atRequest) controller.abort();
  };
  let hasEnded = false;
  const acting = Promise.resolve(scene.act(controller.signal))
    .catch(() => undefined)
    .then(() => {
      hasEnded = true;
    });
  const saved = scene.records.map((note) => ({ title: note.title, body: note.body }));
  // The values that are typed from now on were not saved.
  for (const note of scene.records) if (!scene.erases) note.body = 'typed';
  let awaits = 0;
  for (; !hasEnded && awaits < 2000; awaits += 1) {
    if (awaits === abort.atAwait) controller.abort();
    // Bodies of answers are read by the platform in tasks of their own.
    if (awaits % 50 === 49) await new Promise((resolve) => setImmediate(resolve));
    else await undefined;
  }
  await acting;
  server.onDone = () => undefined;
  const requests = server.sent.slice(before).filter(({ method }) => method !== 'GET');
  return { server, scene, saved, awaits, requests };
}

/** Whether the last write of a note, of whatever kind, got no response. */
function isUnconfirmed(note: Note): boolean {
  return inner(note)[CORE]?.unconfirmed !== undefined;
}

/** Checks what holds wherever a call is aborted; then the application goes on, and nothing is lost or doubled. */
async function check({ server, scene, saved, requests }: Awaited<ReturnType<typeof run>>): Promise<void> {
  const { records, erases = false } = scene;
  for (const { body } of requests) expect([body].flat().map((each) => each.body)).not.toContain('typed');
  for (const [at, note] of records.entries()) {
    expect(note.$.saving).toBe(false);
    if (note.erased) {
      expect([erases, server.rows.has(note.id)]).toEqual([true, false]);
      continue;
    }
    if (erases) {
      if (!server.rows.has(note.id)) expect(isUnconfirmed(note)).toBe(true);
      continue;
    }
    expect([note.title, note.body]).toEqual([saved[at]?.title, 'typed']);
    const row = server.rows.get(note.id);
    // A value that the record does not hold as an edit is on the server.
    if (!note.phantom && !('title' in note.$.modified)) expect(row?.title).toBe(note.title);
    expect(note.$.modified).toHaveProperty('body');
    // A value that the server has, and that the record still holds as an edit, may have been written.
    if (row && row.title === note.title && 'title' in note.$.modified && note.title !== 'bad')
      expect(isUnconfirmed(note)).toBe(true);
    if (note.phantom && [...server.rows.values()].some(({ title }) => title === 'new'))
      expect(note.$.unconfirmed).toBe(true);
  }
  // An erase that may have been done is repeated: the record is gone, whatever the response says.
  for (const note of erases ? records : []) {
    if (!note.erased) await note.erase().catch((error: HttpError) => expect(error.status).toBe(404));
    expect(server.rows.has(note.id)).toBe(false);
  }
  if (erases) return;
  for (const note of records) {
    if (note.title === 'bad') note.title = 'good';
    if (note.$.unconfirmed) {
      const made = [...server.rows.values()].find(({ title }) => title === 'new');
      decide(note, made ?? null);
    }
    await note.save().catch((error: unknown) => {
      // The ETag of the first attempt is outdated by what the server has done.
      if (error instanceof ConflictError) return error.keepMine();
      throw error;
    });
    expect([note.dirty, server.rows.get(note.id)]).toMatchObject([false, { title: note.title, body: 'typed' }]);
  }
  expect([...server.rows.values()].filter(({ title }) => title === 'new').length).toBeLessThanOrEqual(1);
}

describe('what is aborted at any moment is neither lost nor doubled, and nothing unsaved is sent:', () => {
  test.each(Object.entries(SCENES))('%s', async (_, build) => {
    const whole = await run(build, {});
    await check(whole);
    const { awaits, requests } = whole;
    expect(awaits).toBeLessThan(2000);
    expect(requests.length).toBeGreaterThan(0);
    for (let atRequest = 1; atRequest <= requests.length + 2; atRequest += 1)
      await check(await run(build, { atRequest }));
    for (let atAwait = 0; atAwait < awaits; atAwait += 1) {
      try {
        await check(await run(build, { atAwait }));
      } catch (error) {
        throw new Error(`aborted at await ${atAwait} of ${awaits}: ${(error as Error).message}`, { cause: error });
      }
    }
  });
});
