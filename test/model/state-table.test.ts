import { type Extension, idempotency, Model } from 'repose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { inner } from '../../src/model/record.js';
import { CORE } from '../../src/model/symbols.js';
import { isSame } from '../../src/util/values.js';
import { type Held, type Received, type Reply, type RestServer, startRestServer } from '../helpers/rest-server.js';

const STATES = [
  'clean',
  'dirty',
  'phantom',
  'saving',
  'saving + dirty',
  'creating',
  'creating + dirty',
  'erasing',
  'erased',
  'failed clean',
  'failed dirty',
  'failed phantom',
  'unconfirmed',
  'unconfirmed + dirty',
  'unconfirmed, keyed',
  'unconfirmed + dirty, keyed',
] as const;
const EVENTS = ['set', 'save', 'erase', 'reject', 'commit', 'read response', 'success', 'failure', 'abort'] as const;
type State = (typeof STATES)[number];
type Event = (typeof EVENTS)[number];

/** The result of an event for a record in a state. */
interface Cell {
  /** The state right after the event. */
  readonly to: State;
  /** The fields that are edited then. @default none */
  readonly edits?: readonly ('name' | 'note')[];
  /** The requests sent at once. */
  readonly sends?: string;
  /** Code of the error that the call throws or rejects with. */
  readonly error?: string;
  /** The state after every write in flight has succeeded. @default the same */
  readonly then?: State;
  /** The requests sent until then. */
  readonly later?: string;
  readonly note?: string;
}

const idle = (to: State, ...edits: ('name' | 'note')[]): Cell => ({ to, edits, note: 'nothing is in flight' });
/** The cells of events that end a write, in states without one. */
const noWrite = (to: State, ...edits: ('name' | 'note')[]): Record<'success' | 'failure' | 'abort', Cell> => ({
  success: idle(to, ...edits),
  failure: idle(to, ...edits),
  abort: idle(to, ...edits),
});
const refused = { to: 'erased', error: 'erased' } as const satisfies Cell;

/** The whole table. `name` is the field edited before the event, `note` the one that the event `set` edits. */
const TABLE: Record<State, Record<Event, Cell>> = {
  clean: {
    set: { to: 'dirty', edits: ['note'] },
    save: { to: 'saving', sends: 'PUT', then: 'clean' },
    erase: { to: 'erasing', sends: 'DELETE', then: 'erased' },
    reject: { to: 'clean' },
    commit: { to: 'clean' },
    'read response': { to: 'clean', note: 'the row is the new base' },
    ...noWrite('clean'),
  },
  dirty: {
    set: { to: 'dirty', edits: ['name', 'note'] },
    save: { to: 'saving', sends: 'PUT', edits: ['name'], then: 'clean' },
    erase: { to: 'erasing', sends: 'DELETE', edits: ['name'], then: 'erased' },
    reject: { to: 'clean' },
    commit: { to: 'clean', note: 'the edits are the base' },
    'read response': { to: 'dirty', edits: ['name'], note: 'a new base under the edits' },
    ...noWrite('dirty', 'name'),
  },
  phantom: {
    set: { to: 'phantom', edits: ['note'] },
    save: { to: 'creating', sends: 'POST', then: 'clean' },
    erase: { to: 'erased', note: 'just dropped' },
    reject: { to: 'phantom' },
    commit: { to: 'phantom' },
    'read response': { to: 'phantom', error: 'address', note: 'there is no id to read by' },
    ...noWrite('phantom'),
  },
  saving: {
    set: { to: 'saving + dirty', edits: ['name', 'note'], then: 'dirty' },
    save: { to: 'saving', edits: ['name'], then: 'clean', note: 'resolves with the write in flight' },
    erase: { to: 'saving', edits: ['name'], then: 'erased', later: 'DELETE', note: 'waits' },
    reject: { to: 'saving', edits: ['name'], then: 'clean', note: 'what is in flight stays' },
    commit: { to: 'saving', edits: ['name'], error: 'busy', then: 'clean' },
    'read response': { to: 'saving', edits: ['name'], then: 'clean', note: 'a new base under the edits' },
    success: { to: 'clean' },
    failure: { to: 'failed dirty', edits: ['name'] },
    abort: { to: 'failed dirty', edits: ['name'], error: 'abort' },
  },
  'saving + dirty': {
    set: { to: 'saving + dirty', edits: ['name', 'note'], then: 'dirty' },
    save: {
      to: 'saving + dirty',
      edits: ['name', 'note'],
      then: 'clean',
      later: 'PUT',
      note: 'waits; sends the edits of this call',
    },
    erase: { to: 'saving + dirty', edits: ['name', 'note'], then: 'erased', later: 'DELETE', note: 'waits' },
    reject: { to: 'saving', edits: ['name'], then: 'clean', note: 'drops what is not in flight' },
    commit: { to: 'saving + dirty', edits: ['name', 'note'], error: 'busy', then: 'dirty' },
    'read response': {
      to: 'saving + dirty',
      edits: ['name', 'note'],
      then: 'dirty',
      note: 'a new base under the edits',
    },
    success: { to: 'dirty', edits: ['note'], note: 'what was edited since and not saved stays' },
    failure: { to: 'failed dirty', edits: ['name', 'note'] },
    abort: { to: 'failed dirty', edits: ['name', 'note'], error: 'abort' },
  },
  creating: {
    set: { to: 'creating + dirty', edits: ['note'], then: 'dirty' },
    save: { to: 'creating', then: 'clean', note: 'resolves with the write in flight' },
    erase: { to: 'creating', then: 'erased', later: 'DELETE', note: 'waits for the id' },
    reject: { to: 'creating', then: 'clean' },
    commit: { to: 'creating', error: 'busy', then: 'clean' },
    'read response': { to: 'creating', error: 'address', then: 'clean', note: 'there is no id to read by' },
    success: { to: 'clean' },
    failure: { to: 'failed phantom' },
    abort: { to: 'unconfirmed', error: 'abort' },
  },
  'creating + dirty': {
    set: { to: 'creating + dirty', edits: ['note'], then: 'dirty' },
    save: {
      to: 'creating + dirty',
      edits: ['note'],
      then: 'clean',
      later: 'PUT',
      note: 'waits, and updates with the edits of this call',
    },
    erase: { to: 'creating + dirty', edits: ['note'], then: 'erased', later: 'DELETE', note: 'waits for the id' },
    reject: { to: 'creating', then: 'clean', note: 'drops what is not in flight' },
    commit: { to: 'creating + dirty', edits: ['note'], error: 'busy', then: 'dirty' },
    'read response': {
      to: 'creating + dirty',
      edits: ['note'],
      error: 'address',
      then: 'dirty',
      note: 'there is no id to read by',
    },
    success: { to: 'dirty', edits: ['note'], note: 'what was edited since and not saved stays' },
    failure: { to: 'failed phantom', edits: ['note'] },
    abort: { to: 'unconfirmed + dirty', edits: ['note'], error: 'abort' },
  },
  erasing: {
    set: { to: 'erasing', edits: ['note'], then: 'erased', note: 'survives if the erase fails' },
    save: { to: 'erasing', error: 'erased', then: 'erased', note: 'waits; goes if the erase was refused' },
    erase: { to: 'erasing', then: 'erased', note: 'resolves with the erase in flight' },
    reject: { to: 'erasing', then: 'erased' },
    commit: { to: 'erasing', then: 'erased' },
    'read response': { to: 'erasing', then: 'erased', note: 'the row is the new base' },
    success: { to: 'erased' },
    failure: { to: 'failed clean', note: 'the record is back' },
    abort: { to: 'failed clean', error: 'abort', note: 'the record is back' },
  },
  erased: {
    set: refused,
    save: refused,
    erase: refused,
    reject: { to: 'erased' },
    commit: { to: 'erased' },
    'read response': { to: 'erased', note: 'ignored' },
    ...noWrite('erased'),
  },
  'failed clean': {
    set: { to: 'dirty', edits: ['note'], note: 'clears the error' },
    save: { to: 'saving', sends: 'PUT', then: 'clean' },
    erase: { to: 'erasing', sends: 'DELETE', then: 'erased' },
    reject: { to: 'clean', note: 'clears the error' },
    commit: { to: 'clean', note: 'clears the error' },
    'read response': { to: 'failed clean', note: 'the row is the new base' },
    ...noWrite('failed clean'),
  },
  'failed dirty': {
    set: { to: 'dirty', edits: ['name', 'note'], note: 'clears the error' },
    save: { to: 'saving', sends: 'PUT', edits: ['name'], then: 'clean' },
    erase: { to: 'erasing', sends: 'DELETE', edits: ['name'], then: 'erased' },
    reject: { to: 'clean', note: 'clears the error' },
    commit: { to: 'clean', note: 'clears the error; the edits are the base' },
    'read response': { to: 'failed dirty', edits: ['name'], note: 'a new base under the edits' },
    ...noWrite('failed dirty', 'name'),
  },
  'failed phantom': {
    set: { to: 'phantom', edits: ['note'], note: 'clears the error' },
    save: { to: 'creating', sends: 'POST', then: 'clean' },
    erase: { to: 'erased', note: 'just dropped' },
    reject: { to: 'phantom', note: 'clears the error' },
    commit: { to: 'phantom', note: 'clears the error' },
    'read response': { to: 'failed phantom', error: 'address', note: 'there is no id to read by' },
    ...noWrite('failed phantom'),
  },
  unconfirmed: {
    set: { to: 'unconfirmed + dirty', edits: ['note'], note: 'clears the error, stays unconfirmed' },
    save: { to: 'unconfirmed', error: 'network', note: 'sends nothing; with `repeat` it is a save of a phantom' },
    erase: { to: 'unconfirmed', error: 'network', note: 'sends nothing' },
    reject: { to: 'unconfirmed', note: 'clears the error, stays unconfirmed' },
    commit: { to: 'unconfirmed', error: 'network' },
    'read response': { to: 'unconfirmed', error: 'address', note: 'there is no id to read by' },
    ...noWrite('unconfirmed'),
  },
  'unconfirmed + dirty': {
    set: { to: 'unconfirmed + dirty', edits: ['note'] },
    save: {
      to: 'unconfirmed + dirty',
      edits: ['note'],
      error: 'network',
      note: 'sends nothing; with `repeat` it is a save of a phantom',
    },
    erase: { to: 'unconfirmed + dirty', edits: ['note'], error: 'network', note: 'sends nothing' },
    reject: { to: 'unconfirmed', note: 'what was sent stays' },
    commit: { to: 'unconfirmed + dirty', edits: ['note'], error: 'network' },
    'read response': {
      to: 'unconfirmed + dirty',
      edits: ['note'],
      error: 'address',
      note: 'there is no id to read by',
    },
    ...noWrite('unconfirmed + dirty', 'note'),
  },
  'unconfirmed, keyed': {
    set: { to: 'unconfirmed + dirty, keyed', edits: ['note'], note: 'clears the error, stays unconfirmed' },
    save: { to: 'creating', sends: 'POST', then: 'clean', note: 'the same once more, under the same key' },
    erase: { to: 'unconfirmed, keyed', error: 'network', note: 'sends nothing' },
    reject: { to: 'unconfirmed, keyed', note: 'clears the error, stays unconfirmed' },
    commit: { to: 'unconfirmed, keyed', error: 'network' },
    'read response': { to: 'unconfirmed, keyed', error: 'address', note: 'there is no id to read by' },
    ...noWrite('unconfirmed, keyed'),
  },
  'unconfirmed + dirty, keyed': {
    set: { to: 'unconfirmed + dirty, keyed', edits: ['note'] },
    save: {
      to: 'creating + dirty',
      edits: ['note'],
      sends: 'POST',
      later: 'PUT',
      then: 'clean',
      note: 'what was sent once more, under the same key; then the edits of this call',
    },
    erase: { to: 'unconfirmed + dirty, keyed', edits: ['note'], error: 'network', note: 'sends nothing' },
    reject: { to: 'unconfirmed, keyed', note: 'what was sent stays' },
    commit: { to: 'unconfirmed + dirty, keyed', edits: ['note'], error: 'network' },
    'read response': {
      to: 'unconfirmed + dirty, keyed',
      edits: ['note'],
      error: 'address',
      note: 'there is no id to read by',
    },
    ...noWrite('unconfirmed + dirty, keyed', 'note'),
  },
};

let server: RestServer;
beforeAll(async () => {
  server = await startRestServer();
});
beforeEach(() => {
  server.reset();
  server.always(success);
});
afterAll(() => server.stop());

function success({ method, body }: Received): Reply {
  if (method === 'GET') return { json: { id: 7, name: 'read', note: 'read' } };
  if (method === 'DELETE') return { status: 204 };
  return method === 'POST' ? { status: 201, json: { ...body, id: 7 } } : { json: body };
}

function defineTask(use: readonly Extension[]) {
  return class Task extends Model.define({
    fields: { id: 'int', name: 'string', note: 'string' },
    proxy: { type: 'rest', url: '/tasks', baseUrl: server.url, noCache: false, use },
  }) {};
}

/** A record in a state, with its requests in flight. */
class Scene {
  readonly record: InstanceType<ReturnType<typeof defineTask>>;
  /** The write in flight, and the response that it waits for. */
  call: Promise<unknown> | undefined;
  held: Held | undefined;
  /** A read that started before the event. */
  early: { held: Held; call: Promise<unknown> } | undefined;

  constructor(state: State) {
    const Task = defineTask(state.includes('keyed') ? [idempotency()] : []);
    this.record = /phantom|creating|unconfirmed/.test(state)
      ? new Task({ name: 'old', note: 'old' })
      : Task.fromRow({ id: 7, name: 'old', note: 'old' });
  }

  /** Starts a write whose response the test holds back. */
  async start(method: 'save' | 'erase' | 'load'): Promise<{ held: Held; call: Promise<unknown> }> {
    const held = server.hold();
    const call = this.record[method]();
    call.catch(() => undefined);
    await held.request;
    return { held, call };
  }

  async write(method: 'save' | 'erase'): Promise<void> {
    Object.assign(this, await this.start(method));
  }

  async fail(method: 'save' | 'erase', reply: Reply = { status: 412, json: { title: 'no' } }): Promise<void> {
    server.reply(reply);
    await this.record[method]().catch(() => undefined);
  }
}

const BUILD: Record<State, (scene: Scene) => void | Promise<void>> = {
  clean: () => undefined,
  dirty: ({ record }) => void record.set({ name: 'new' }),
  phantom: () => undefined,
  saving: (scene) => {
    scene.record.name = 'new';
    return scene.write('save');
  },
  'saving + dirty': async (scene) => {
    await BUILD.saving(scene);
    scene.record.note = 'new';
  },
  creating: (scene) => scene.write('save'),
  'creating + dirty': async (scene) => {
    await scene.write('save');
    scene.record.note = 'new';
  },
  erasing: (scene) => scene.write('erase'),
  erased: async (scene) => {
    scene.early = await scene.start('load');
    await scene.record.erase();
  },
  'failed clean': (scene) => scene.fail('erase'),
  'failed dirty': async (scene) => {
    scene.record.name = 'new';
    await scene.fail('save');
  },
  'failed phantom': (scene) => scene.fail('save'),
  unconfirmed: (scene) => scene.fail('save', { drop: true }),
  'unconfirmed + dirty': async (scene) => {
    await BUILD['unconfirmed'](scene);
    scene.record.note = 'new';
  },
  'unconfirmed, keyed': (scene) => BUILD['unconfirmed'](scene),
  'unconfirmed + dirty, keyed': (scene) => BUILD['unconfirmed + dirty'](scene),
};

function stateOf({ record }: Scene): State {
  const core = inner(record)[CORE];
  if (record.erased) return 'erased';
  if (record.$.unconfirmed && !core?.busy) {
    return `unconfirmed${record.dirty ? ' + dirty' : ''}${core?.slots?.has('idempotency') ? ', keyed' : ''}` as State;
  }
  if (core?.sent) {
    const unsent = [...(core.edits ?? [])].some(([field, value]) => !isSame(core.sent?.get(field), value));
    return `${record.phantom ? 'creating' : 'saving'}${unsent ? ' + dirty' : ''}` as State;
  }
  if (core?.erasing) return 'erasing';
  const state = record.phantom ? 'phantom' : record.dirty ? 'dirty' : 'clean';
  return record.$.error ? `failed ${state}` : state;
}

/** Triggers an event; resolves when its call has ended, with the code of its error. */
async function happen(scene: Scene, event: Event, cell: Cell): Promise<() => Promise<string | undefined>> {
  const { record, held, call } = scene;
  const codeOf = async (act: () => unknown) => {
    try {
      await act();
      return undefined;
    } catch (error) {
      return (error as { code: string }).code;
    }
  };
  const done = async (act: () => unknown) => {
    const code = await codeOf(act);
    return async () => code;
  };
  switch (event) {
    case 'set':
      return done(() => record.set({ note: 'newer' }));
    case 'reject':
    case 'commit':
      return done(() => record[event]());
    case 'save':
    case 'erase': {
      if (cell.sends) {
        await scene.write(event);
        return async () => codeOf(() => scene.call);
      }
      const code = codeOf(() => record[event]());
      return () => code;
    }
    case 'read response': {
      if (!scene.early) return done(() => record.load());
      scene.early.held.answer(success({ method: 'GET' } as Received));
      return done(() => scene.early?.call);
    }
    case 'success':
      held?.answer(success(await held.request));
      return done(() => call);
    case 'failure':
      held?.answer({ status: 422, json: { title: 'no' } });
      await codeOf(() => call);
      return done(() => undefined);
    case 'abort':
      record.$.abort();
      return done(() => call);
  }
}

describe.each(STATES)('a record that is %s', (state) => {
  test.each(EVENTS)('%s', async (event) => {
    const cell = TABLE[state][event];
    const { to, edits = [], sends, error, then = to, later } = cell;
    const scene = new Scene(state);
    const { record } = scene;
    await BUILD[state](scene);
    expect(stateOf(scene)).toBe(state);
    const before = record.toJSON();
    const sent = server.requests.length;
    if (cell.note === 'nothing is in flight') expect(inner(record)[CORE]?.busy ?? false).toBe(false);

    const ended = await happen(scene, event, cell);
    const out = server.requests.slice(sent).map(({ method }) => method);
    expect(out.filter((method) => method !== 'GET')).toEqual(sends ? [sends] : []);
    // A call that is refused without a request rejects at the end of the tick.
    if (state.startsWith('unconfirmed') && error) await ended();
    expect(stateOf(scene)).toBe(to);
    expect(Object.keys(record.$.modified).sort()).toEqual(edits);
    if (error && to !== 'erasing') expect(await ended()).toBe(error);

    // Edited fields keep their edits, the others have the server's last values.
    const read = event === 'read response' && !error && to !== 'erased';
    const base = read ? { id: 7, name: 'read', note: 'read' } : before;
    const expected = { ...base, ...pick(before, edits), ...(event === 'set' && !error && { note: 'newer' }) };
    if (event !== 'reject' && event !== 'success') expect(record.toJSON()).toEqual(expected);
    if (event === 'reject' && !error) {
      const name = edits.includes('name') || state === 'erased' ? (before as { name: string }).name : 'old';
      expect(record.toJSON()).toEqual({ ...before, name, note: 'old' });
    }

    // The write in flight succeeds.
    const now = server.requests.length;
    if (!['success', 'failure', 'abort'].includes(event)) scene.held?.answer(success(await scene.held.request));
    const [code] = await Promise.all([ended(), scene.call?.catch(() => undefined)]);
    expect(code).toBe(error);
    expect(stateOf(scene)).toBe(then);
    expect(server.requests.slice(now).map(({ method }) => method)).toEqual(later ? [later] : []);
  });
});

function pick(values: object, names: readonly string[]): object {
  return Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)));
}

test('a set during an erase is kept if the erase fails', async () => {
  const scene = new Scene('erasing');
  await BUILD.erasing(scene);
  scene.record.note = 'newer';
  scene.held?.answer({ status: 412 });
  await expect(scene.call).rejects.toMatchObject({ status: 412 });
  expect(stateOf(scene)).toBe('failed dirty');
  expect(scene.record.note).toBe('newer');
});

test('a save during an erase is sent if the erase was refused', async () => {
  const scene = new Scene('erasing');
  await BUILD.erasing(scene);
  scene.record.note = 'newer';
  const save = scene.record.save();
  scene.held?.answer({ status: 412 });
  await save;
  expect(server.lines).toEqual(['DELETE /tasks/7', 'PUT /tasks/7']);
  expect(stateOf(scene)).toBe('clean');
});

test('docs/state-table.md matches this table', async () => {
  await expect(markdown()).toMatchFileSnapshot('../../docs/state-table.md');
});

function markdown(): string {
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const text = ({ to, sends, error, then = to, later, note }: Cell, from: State) => {
    if (note === 'nothing is in flight') return '–';
    const state = [to === from ? 'stays' : `**${to}**`, ...(then === to ? [] : [`then ${then}`])].join(', ');
    const parts = [
      ...(error ? [`\`${error}\` error`] : []),
      ...(sends ? [`sends ${sends}`] : []),
      ...(later ? [`later ${later}`] : []),
      state,
      ...(note ? [note] : []),
    ];
    return parts.join('; ');
  };
  return `${[
    '# States of a record',
    '',
    'What each event does to a record in each state: what is sent, the state right after it, then the state when every write',
    'in flight has succeeded. `–`: cannot happen, or does nothing, because no write is in flight.',
    '',
    '- Creating is saving a phantom. “+ dirty”: edited since, and not saved.',
    '- Failed is not a state of its own, but clean, dirty or phantom with `$.error`.',
    '- Unconfirmed: a phantom whose create was sent and got no clear response (`$.unconfirmed`); “keyed”: it was sent under an',
    '  idempotency key.',
    '- Success, failure and abort end the write in flight; a read response answers a read that started in this state',
    '  (of an erased record: before it was erased). A read that started before the last write settled is ignored.',
    '- An error leaves the record as it was: `set` and `commit` throw, the other calls reject.',
    '',
    row(['', ...EVENTS]),
    row(['---', ...EVENTS.map(() => '---')]),
    ...STATES.map((state) => row([`**${state}**`, ...EVENTS.map((event) => text(TABLE[state][event], state))])),
  ].join('\n')}\n`;
}
