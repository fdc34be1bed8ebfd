import fc from 'fast-check';
import { conflicts, etags, Model, plain, type Session, Store } from 'repose';
import { historyOf } from 'repose/history';
import { feed, serverSentEvents } from 'repose/live';
import { type RestServer, restServer } from 'repose/testing';
import { expect, test } from 'vitest';
import { manualClock } from '../helpers/manual-clock.js';
import { sessionWith } from '../history/support.js';
import { settled } from './support.js';

function taskOf(server: RestServer) {
  return class extends Model.define({
    name: 'task',
    fields: { id: 'int', title: { type: 'string', defaultValue: '' }, note: { type: 'string', defaultValue: '' } },
    proxy: {
      ...{ type: 'rest', url: '/tasks', dialect: plain(), use: [etags(), conflicts()] },
      ...{ baseUrl: server.baseUrl, fetch: server.fetch },
    },
  }) {};
}
type Task = InstanceType<ReturnType<typeof taskOf>>;

const PLAIN_STEPS = [
  'add',
  'otherAdd',
  'load',
  'lose',
  'loseLog',
  'deliver',
  'fail',
  'wait',
  'undo',
  'redo',
  'sync',
] as const;
type PlainStep = (typeof PLAIN_STEPS)[number];

type Step =
  | { readonly type: 'edit' | 'otherEdit'; readonly at: number; readonly field: 'title' | 'note' }
  | { readonly type: 'save' | 'erase' | 'otherErase'; readonly at: number }
  | { readonly type: PlainStep };

const at = fc.nat(5);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    type: fc.constantFrom<'edit' | 'otherEdit'>('edit', 'otherEdit'),
    at,
    field: fc.constantFrom<'title' | 'note'>('title', 'note'),
  }),
  fc.record({ type: fc.constantFrom<'save' | 'erase' | 'otherErase'>('save', 'erase', 'otherErase'), at }),
  fc.record({ type: fc.constantFrom<PlainStep>(...PLAIN_STEPS) }),
  // Undo is most interesting after other steps.
  fc.record({ type: fc.constantFrom<'undo' | 'redo'>('undo', 'redo') }),
);

/** A client over one server, and somebody else who writes to it. */
class World {
  readonly clock = manualClock();
  readonly server: RestServer;
  readonly store: Store<Task>;
  readonly live: ReturnType<typeof feed>;
  readonly session: Session;
  private next = 1;

  constructor() {
    this.server = restServer({
      eventLog: 2,
      collections: { '/tasks': [1, 2, 3].map((id) => ({ id, title: `t${id}`, note: '' })) },
    });
    const { server, clock } = this;
    const model = taskOf(server);
    this.session = new (sessionWith({ clock, pause: 0 }))();
    this.store = new Store({ model, session: this.session, pageSize: 0 });
    this.live = feed(this.store, {
      clock,
      random: () => 1,
      backoff: { base: 100, max: 100 },
      open: serverSentEvents(model),
    });
  }

  async take(step: Step): Promise<void> {
    const { server, store, clock } = this;
    const value = `v${(this.next += 1)}`;
    const rows = server.rows('/tasks');
    const record = 'at' in step ? [...store][step.at % Math.max(1, store.count)] : undefined;
    const row = 'at' in step ? rows[step.at % Math.max(1, rows.length)] : undefined;
    const quiet = (promise: Promise<unknown> | undefined) => void promise?.catch(() => undefined);
    switch (step.type) {
      case 'edit':
        if (record) record[step.field] = value;
        return;
      case 'save':
        return quiet(record?.save());
      case 'erase':
        return quiet(record?.erase());
      case 'add':
        store.add({ title: value });
        return;
      case 'otherEdit':
        return server.setRows(
          '/tasks',
          rows.map((each) => (each === row ? { ...each, [step.field]: value } : each)),
        );
      case 'otherErase':
        return server.setRows(
          '/tasks',
          rows.filter((each) => each !== row),
        );
      case 'otherAdd':
        return server.setRows('/tasks', [...rows, { id: 1000 + this.next, title: value, note: '' }]);
      case 'undo':
        return quiet(historyOf(this.session).undo());
      case 'redo':
        return quiet(historyOf(this.session).redo());
      case 'sync':
        return quiet(this.session.sync());
      case 'load':
        return quiet(store.load());
      case 'lose':
        return server.endEvents();
      case 'loseLog':
        server.endEvents();
        for (const add of [1, 2, 3])
          server.setRows(
            '/tasks',
            server.rows('/tasks').map((each) => ({ ...each, note: `${value}-${add}` })),
          );
        return;
      case 'fail':
        return server.fetch.plan({ type: 'status', status: 503 });
      case 'deliver':
        return clock.advance(50);
      default:
        clock.advance(200);
        return await settled();
    }
  }
}

test('client and server are equal in the end, and no unsaved edit is lost, however connections break', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const world = new World();
      const { server, store, clock, live } = world;
      await store.load().catch(() => undefined);
      for (const each of steps) await world.take(each);
      await settled();
      const unsaved = [...store.pending.created, ...store.pending.edited]
        .filter((record) => !record.$.saving)
        .map((record) => {
          const names = Object.keys(record.$.modified) as ('title' | 'note')[];
          return { record, edits: Object.fromEntries(names.map((name) => [name, record[name]])) };
        });
      server.heal();
      if (!store.status.get().loaded) await store.load();
      for (let turn = 0; turn < 8; turn += 1) {
        clock.advance(200);
        await settled();
      }
      const state = live.state.get();
      expect([state.status, state.behind]).toEqual(['live', false]);
      const byId = (a: { readonly id?: unknown }, b: { readonly id?: unknown }) => Number(a.id) - Number(b.id);
      // A record whose write was refused tells so, and stays as it is.
      const isOpen = (record: Task) => record.dirty || record.phantom || record.$.error !== undefined;
      // So does an erase that is still pending, whose record the list no longer shows.
      const open = new Set([...[...store].filter(isOpen), ...store.pending.removed].map(({ id }) => id));
      const clean = [...store].filter((record) => !isOpen(record)).map(({ id, title, note }) => ({ id, title, note }));
      const rows = server.rows('/tasks').filter(({ id }) => !open.has(id as number));
      expect(clean.sort(byId)).toEqual(rows.sort(byId));
      // One that the server has no longer leaves the list, and is still pending. An edit ends without a save only if the server has its value.
      for (const { record, edits } of unsaved)
        if (![...store.pending.created, ...store.pending.edited].includes(record))
          expect(server.rows('/tasks').find(({ id }) => id === record.id)).toMatchObject(edits);
      live.close();
      store.dispose();
    }),
    { numRuns: Number(process.env['RUNS'] ?? 60) },
  );
});
