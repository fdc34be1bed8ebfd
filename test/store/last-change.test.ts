import { decide, idempotency, Model, rollback, Store, type StoreConfig } from 'repose';
import { memoryStorage, type Outbox } from 'repose/outbox';
import { afterEach, describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';
import { openOutbox } from '../outbox/open-outbox.js';
import { rows, tick } from './support.js';

const server = useRestServer();

class User extends Model.define({
  name: 'user',
  fields: { id: 'int', name: 'string' },
  proxy: server.proxy('/users'),
}) {}

type Config = Partial<StoreConfig<User>>;

const outboxes: Outbox[] = [];
afterEach(async () => {
  for (const outbox of outboxes.splice(0)) await outbox.close();
});

/** Ways in which records are sent. */
const transports: [string, () => Config | Promise<Config>][] = [
  ['alone', () => ({})],
  ['in bulk', () => ({ proxy: { batchActions: true } })],
  ['by an outbox', async () => ({ proxy: { use: [await opened()] } })],
  ['in bulk, by an outbox', async () => ({ proxy: { batchActions: true, use: [await opened()] } })],
];

async function opened(): Promise<Outbox> {
  const outbox = await openOutbox({ scope: 'user-7', storage: memoryStorage(), autoStart: false });
  outboxes.push(outbox);
  return outbox;
}

const stateOf = ({ $, dirty, phantom, erased }: User) => {
  const { saving, error, unconfirmed } = $;
  return { saving, dirty, phantom, erased, unconfirmed, error: error?.code, queued: error?.queued };
};

/** A screen that is drawn again with each `change`. */
function screenOf(store: Store<User>, records: readonly User[]) {
  const drawn = { states: [] as ReturnType<typeof stateOf>[], count: 0 };
  store.on('change', () => {
    drawn.states = records.map(stateOf);
    drawn.count += 1;
  });
  return drawn;
}

describe.each(transports)('the last change event of records sent %s', (_, configOf) => {
  /** A store of two edited users. */
  async function edited() {
    const store = new Store({ model: User, pageSize: 0, data: rows(1, 2), ...(await configOf()) });
    const old = [...store];
    for (const user of old) user.name = 'edited';
    await tick();
    return { store, old };
  }

  test.each([
    ['succeeds', undefined],
    ['is refused', { status: 422 }],
    ['gets no response', { drop: true }],
    ['is answered with 503', { status: 503 }],
  ])('shows the final state of a save that %s', async (__, reply) => {
    const { store, old } = await edited();
    const drawn = screenOf(store, old);
    server.always(({ body }) => reply ?? { json: body });
    await store.sync();
    await tick();
    expect(drawn.states).toEqual(old.map(stateOf));
    expect(drawn.states.map(({ saving, dirty }) => [saving, dirty])).toEqual(old.map(() => [false, Boolean(reply)]));
  });

  test.each([
    ['succeeds', undefined],
    ['is refused', { status: 422 }],
    ['gets no response', { drop: true }],
  ])('shows the final state of a create that %s', async (__, reply) => {
    const store = new Store({ model: User, pageSize: 0, ...(await configOf()) });
    const added = store.add({ name: 'a' }, { name: 'b' });
    await tick();
    const drawn = screenOf(store, added);
    let last = 100;
    const row = (each: object) => ({ ...each, id: (last += 1) });
    server.always(({ body }) => reply ?? { status: 201, json: Array.isArray(body) ? body.map(row) : row(body) });
    await store.sync();
    await tick();
    expect(drawn.states).toEqual(added.map(stateOf));
    expect(drawn.states.map(({ saving, phantom }) => [saving, phantom])).toEqual(
      added.map(() => [false, Boolean(reply)]),
    );
  });

  test.each([
    ['succeeds', undefined],
    ['is refused', { status: 422 }],
    ['gets no response', { drop: true }],
  ])('shows the final state of an erase that %s', async (__, reply) => {
    const store = new Store({ model: User, pageSize: 0, data: rows(1, 2), ...(await configOf()) });
    const old = [...store];
    const drawn = screenOf(store, old);
    server.always(() => reply ?? { status: 204 });
    await Promise.allSettled(old.map((user) => user.erase()));
    await tick();
    // A record that stays hidden causes no change event.
    if (store.count > 0) expect(drawn.states).toEqual(old.map(stateOf));
    expect(old.map(({ $, erased }) => [$.saving, erased])).toEqual(old.map(() => [false, !reply]));
    const others = [...new Store({ model: User, pageSize: 0, data: rows(3, 4), ...(await configOf()) })];
    const again = new Store({ model: User, pageSize: 0, ...(await configOf()) });
    again.add(...others);
    again.remove(...others);
    await tick();
    const shown = screenOf(again, others);
    await again.sync();
    await tick();
    if (again.count > 0) expect(shown.states).toEqual(others.map(stateOf));
    expect(others.map(({ $, erased }) => [$.saving, erased])).toEqual(others.map(() => [false, !reply]));
  });

  test('shows the final state of several saves of one record', async () => {
    const { store, old } = await edited();
    const [user] = old as [User];
    const drawn = screenOf(store, old);
    const held = server.hold();
    const saves = [user.save(), user.save()];
    await held.request;
    user.name = 'newer';
    saves.push(user.save(), user.save({ params: { own: 1 } }));
    server.always(({ body }) => ({ json: body }));
    held.answer({ json: { id: 1, name: 'edited' } });
    await Promise.all(saves);
    await tick();
    expect(drawn.states[0]).toEqual({ ...stateOf(user), saving: false, dirty: false });
  });

  test('shows the final state of a save behind one that left nothing to send', async () => {
    const { store, old } = await edited();
    const [user] = old as [User];
    const drawn = screenOf(store, old);
    const held = server.hold();
    const saves = [user.save()];
    await held.request;
    saves.push(user.save());
    held.answer({ json: { id: 1, name: 'edited' } });
    await Promise.all(saves);
    await tick();
    expect([drawn.states[0]?.saving, drawn.states[0]?.dirty]).toEqual([false, false]);
  });

  test('shows the final state of a save behind an unconfirmed create', async () => {
    const store = new Store({ model: User, pageSize: 0, ...(await configOf()) });
    const [user] = store.add({ name: 'a' }) as [User];
    const drawn = screenOf(store, [user]);
    const held = server.hold();
    const create = user.save();
    await held.request;
    const behind = user.save();
    held.answer({ drop: true });
    await Promise.allSettled([create, behind]);
    await tick();
    expect(drawn.states).toEqual([{ ...stateOf(user), saving: false, unconfirmed: true, error: 'network' }]);
  });

  test('shows the final state of a sync that was rolled back', async () => {
    const { store, old } = await edited();
    const records = [...old, ...store.add({ name: 'new' })];
    await tick();
    const drawn = screenOf(store, records);
    server.always(({ method, body }) => {
      if (method === 'POST') return { status: 201, json: [body].flat().map((row) => ({ ...row, id: 101 }))[0] };
      return { status: method === 'DELETE' ? 204 : 422 };
    });
    await store.sync({ onFailure: rollback, concurrency: 1 });
    await tick();
    expect(drawn.states).toEqual(records.map(stateOf));
    expect(drawn.states.map(({ saving, dirty, phantom }) => [saving, dirty || phantom])).toEqual(
      records.map(() => [false, true]),
    );
  });
});

describe('the last change event', () => {
  test('of a save is the second one, after that of its start', async () => {
    const store = new Store({ model: User, pageSize: 0, data: rows(1) });
    const [user] = [...store] as [User];
    const drawn = screenOf(store, [user]);
    server.reply({ status: 204 });
    const saving = user.save();
    await tick();
    expect(drawn).toMatchObject({ count: 1, states: [{ saving: true }] });
    await saving;
    await tick();
    expect(drawn).toMatchObject({ count: 2, states: [{ saving: false }] });
  });

  test('allows its listeners to save or settle the record again', async () => {
    const store = new Store({ model: User, pageSize: 0, data: rows(1) });
    const [user] = [...store] as [User];
    const saves: Promise<unknown>[] = [];
    store.on('change', () => {
      if (!user.$.saving && user.$.error && saves.length === 0) saves.push(user.save());
    });
    server.reply({ drop: true }, { status: 204 });
    await user.save().catch(() => undefined);
    await Promise.all(saves);
    expect(server.lines).toEqual(['PUT /users/1', 'PUT /users/1']);
    const [added] = store.add({ name: 'new' }) as [User];
    store.on('change', () => {
      if (!added.$.saving && added.$.unconfirmed) decide(added, { id: 9, name: 'new' });
    });
    server.reply({ drop: true });
    await added.save().catch(() => undefined);
    expect([added.id, added.$.unconfirmed]).toEqual([9, false]);
  });

  test('shows the final state of a create that the outbox repeats', async () => {
    const outbox = await opened();
    const model = User.with({ proxy: { use: [outbox, idempotency()] } });
    const store = new Store({ model, pageSize: 0 });
    const [user] = store.add({ name: 'a' }) as [User];
    server.reply({ drop: true });
    await user.save().catch(() => undefined);
    user.name = 'b';
    const drawn = screenOf(store, [user]);
    server.reply({ status: 201, json: { id: 9, name: 'a' } });
    await outbox.send();
    await tick();
    expect(drawn.states).toEqual([
      {
        saving: false,
        dirty: true,
        phantom: false,
        erased: false,
        unconfirmed: false,
        error: undefined,
        queued: undefined,
      },
    ]);
  });
});
