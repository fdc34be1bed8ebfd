import {
  applyChanges,
  bigint,
  changesOf,
  childrenOf,
  compositeId,
  dateFormat,
  decimal,
  MergeError,
  Model,
  plain,
  reference,
  Session,
  type SessionChange,
  StateError,
  Store,
  uuid,
  ValidationError,
} from 'repose';
import { describe, expect, test } from 'vitest';
import { accepting, Line, Order, sentLines, server } from '../children/support.js';

class Account extends Model.define({
  name: 'account',
  fields: {
    id: 'int',
    owner: 'string',
    bossId: reference('int'),
    opened: 'date',
    balance: decimal(),
    votes: bigint(),
    data: 'json',
    born: { type: 'date', format: dateFormat('d.m.Y') },
    total: { calculate: () => 1 },
    note: { type: 'string', persist: false },
  },
  proxy: server.proxy('/accounts'),
}) {
  static override references(): { bossId: typeof Account } {
    return { bossId: Account };
  }
}

class Page extends Model.define({
  name: 'page',
  identifier: uuid(),
  fields: { id: 'string', title: 'string', aboveId: reference('string') },
  proxy: server.proxy('/pages'),
}) {
  static override references(): { aboveId: typeof Page } {
    return { aboveId: Page };
  }
}

class Place extends Model.define({
  name: 'place',
  fields: { orderId: 'int', line: 'int', sku: 'string' },
  idProperty: compositeId('orderId', 'line'),
  proxy: server.proxy('/orders/{orderId}/places', { dialect: plain() }),
}) {}

class Country extends Model.define({
  name: 'country',
  idProperty: 'code',
  identifier: 'natural',
  fields: { code: 'string', name: 'string' },
}) {}

const EXACT = '{"id":1,"owner":"Ada","balance":"10.50","votes":9007199254740993,"data":{"exact":12345678901234567890}}';

async function loaded(session: Session): Promise<Account> {
  server.reply({ text: EXACT, headers: { 'Content-Type': 'application/json' } } as never);
  return session.load(Account, 1);
}

/** Changes as another page gets them. */
function sent(session: Session): SessionChange[] {
  return JSON.parse(JSON.stringify(changesOf(session)));
}

function thrown(call: () => unknown): unknown {
  try {
    call();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

describe('changes()', () => {
  test('is plain data, which another session takes as the same edits, digit by digit', async () => {
    const [here, there] = [new Session(), new Session()];
    const account = await loaded(here);
    account.set({
      owner: 'Grace',
      opened: new Date('2020-02-03T04:05:06.007Z'),
      balance: '12345678901234567890.123456789',
      votes: 18446744073709551617n,
      born: new Date('1906-12-09T00:00:00.000Z'),
      note: 'local',
    });
    account.data = { ...(account.data as object), more: [1] };
    const there1 = await loaded(there);
    const changes = sent(here);
    expect(changes).toMatchObject([
      {
        ...{ model: 'account', key: account.$.key, action: 'update', id: 1, dependsOn: {} },
        base: { owner: 'Ada', balance: '10.50', data: { exact: 12345678901234567000 } },
        values: { owner: 'Grace', opened: '2020-02-03T04:05:06.007Z', born: '09.12.1906', note: 'local' },
        digits: expect.arrayContaining([[['values', 'data', 'exact'], '12345678901234567890']]),
      },
    ]);
    expect(applyChanges(there, changes)).toEqual([there1]);
    expect(there1.toJSON()).toEqual(account.toJSON());
    expect(there1.$.modified).toEqual(account.$.modified);

    const bodies = [];
    for (const each of [account, there1]) {
      server.reply({ status: 204 });
      await each.save();
      bodies.push(server.requests.at(-1)?.text);
    }
    expect(bodies[1]).toBe(bodies[0]);
    expect(bodies[0]).toContain('"votes":18446744073709551617');
    expect(bodies[0]).toContain('"exact":12345678901234567890');
  });

  test('holds new records, emptied fields and removed records, with what refers to what', () => {
    const here = new Session();
    const orders = new Store({ model: Order, session: here, pageSize: 0 });
    const [kept, removed] = orders.setRecords([
      { id: 1, name: 'one' },
      { id: 2, name: 'two' },
    ]) as [Order, Order];
    kept.name = undefined;
    orders.remove(removed);
    const [draft] = orders.add({ name: 'draft' }) as [Order];
    childrenOf(draft, Line).add({ sku: 'A-1' });

    const there = new Session();
    const records = applyChanges(there, sent(here), { models: [Order, Line] }) as readonly Order[];
    expect(records.map((each) => [each.constructor, each.phantom, each.$.key])).toEqual(
      [
        [Order, true, draft.$.key],
        [Line, true, childrenOf(draft, Line).getAt(0)?.$.key],
        [Order, false, kept.$.key],
        [Order, false, removed.$.key],
      ].map(([model, phantom, key], at) => [model, phantom, at < 2 ? key : expect.any(String)]),
    );
    const [order, line, other, gone] = records as [Order, Line, Order, Order];
    expect([order.name, line.orderId, other.name, other.dirty]).toEqual(['draft', order.getId(), undefined, true]);
    expect([...childrenOf(order, Line)]).toEqual([line]);
    expect(there.pending.removed).toEqual([gone]);
    expect(gone.getId()).toBe(2);
    expect(sent(there).map(({ action, model, values }) => [action, model, values['name']])).toEqual(
      sent(here).map(({ action, model, values }) => [action, model, values['name']]),
    );
  });

  test('is saved by the session that has taken it, as by the first one', async () => {
    const there = new Session();
    applyChanges(
      there,
      [
        { model: 'order', key: 'a', action: 'create', values: { name: 'draft' }, base: {}, dependsOn: {} },
        { model: 'line', key: 'b', action: 'create', values: { sku: 'A-1' }, base: {}, dependsOn: { orderId: 'a' } },
        { model: 'order', key: 'c', action: 'destroy', id: 2, values: {}, base: {}, dependsOn: {} },
      ],
      { models: [Order, Line] },
    );
    const before = server.requests.length;
    server.always(({ method }) => (method === 'POST' ? { status: 201, json: { id: 7 } } : { status: 204 }));
    const { failures } = await there.sync();
    expect(failures).toEqual([]);
    expect(server.requests.slice(before).map(({ method, url, text }) => [method, url, text])).toEqual([
      ['POST', '/orders', '{"name":"draft"}'],
      ['POST', '/orders/7/lines', '{"sku":"A-1","orderId":7}'],
      ['DELETE', '/orders/2', ''],
    ]);
  });

  test('throws for a file, of which JSON would keep nothing', () => {
    class Picture extends Model.define({ name: 'picture', fields: { id: 'int', file: 'auto' } }) {}
    const session = new Session();
    session.create(Picture, { file: new Blob(['x']) });
    expect(thrown(() => changesOf(session))).toMatchObject({
      code: 'validation',
      issues: [{ path: [0, 'values', 'file'], code: 'changes-file' }],
    });
  });
});

describe('apply()', () => {
  const update = (values: object, more: object = {}) =>
    ({
      model: 'account',
      key: 'k',
      action: 'update',
      id: 1,
      values,
      base: {},
      dependsOn: {},
      ...more,
    }) as SessionChange;

  test.each<[string, unknown, PropertyKey[], string]>([
    ['what is no list', { 0: update({}) }, [], 'changes-form'],
    ['null', [null], [0], 'changes-form'],
    ['a text', ['x'], [0], 'changes-form'],
    ['an action that does not exist', [update({}, { action: 'drop' })], [0], 'changes-form'],
    ['an id that is an object', [update({}, { id: {} })], [0], 'changes-form'],
    ['an id that is a list', [update({}, { id: [1] })], [0], 'changes-form'],
    ['values that are a list', [update([])], [0], 'changes-form'],
    ['a reference that is no text', [update({}, { dependsOn: { owner: 1 } })], [0], 'changes-form'],
    ['digits that are none', [update({ votes: 1 }, { digits: [[['values', 'votes'], 'x']] })], [0], 'changes-form'],
    ['digits in no place', [update({ votes: 1 }, { digits: [[['values', 'owner'], '1']] })], [0], 'changes-form'],
    ['digits in a prototype', [update({}, { digits: [[['__proto__', 'x'], '1']] })], [0], 'changes-form'],
    ['an unknown model', [update({}, { model: 'toString' })], [0, 'model'], 'changes-model'],
    ['an unknown field', [update({ nobody: 1 })], [0, 'values', 'nobody'], 'changes-field'],
    ['a calculated field', [update({ total: 1 })], [0, 'values', 'total'], 'changes-field'],
    ['a field of every object', [update({ constructor: 1 })], [0, 'values', 'constructor'], 'changes-field'],
    [
      'an unknown field that is emptied',
      [update({}, { cleared: ['nobody'] })],
      [0, 'cleared', 'nobody'],
      'changes-field',
    ],
    ['a new record that nobody knows', [update({}, { id: undefined })], [0, 'key'], 'changes-record'],
    [
      'a parent that nobody knows',
      [update({ bossId: -1 }, { dependsOn: { bossId: 'p' } })],
      [0, 'dependsOn', 'bossId'],
      'changes-record',
    ],
    [
      'a parent of a field that refers to nothing',
      [update({ owner: 'x' }, { dependsOn: { owner: 'new' } })],
      [0, 'dependsOn', 'owner'],
      'changes-field',
    ],
    ['an id value that is an object', [update({ id: {} })], [0, 'values', 'id'], 'changes-form'],
    ['a temporary id that is an object', [update({}, { action: 'create', clientId: {} })], [0], 'changes-form'],
    ['a temporary id that is none', [update({}, { action: 'create', clientId: '' })], [0], 'changes-form'],
    [
      'a record twice',
      [update({ owner: 'a' }), update({ owner: 'b' }, { key: 'l', id: '1' })],
      [1, 'key'],
      'changes-twice',
    ],
  ])('refuses %s, and changes nothing', async (_, changes, path, code) => {
    const session = new Session();
    const account = await loaded(session);
    const good = { model: 'account', key: 'new', action: 'create', values: { owner: 'x' }, base: {}, dependsOn: {} };
    const all = Array.isArray(changes) ? [...changes, good] : changes;
    const error = thrown(() => applyChanges(session, all as never)) as ValidationError;
    expect(error).toBeInstanceOf(ValidationError);
    expect(error.issues[0]).toMatchObject({ path, code });
    expect([account.dirty, session.pending.created]).toEqual([false, []]);
  });

  test('does not pollute prototypes', async () => {
    const session = new Session();
    const account = await loaded(session);
    const text =
      '{"model":"account","key":"k","action":"update","id":1,"base":{"data":{"exact":12345678901234567890}},"dependsOn":{},';
    const own = JSON.parse(
      `[${text}"values":{"data":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}}}]`,
    );
    applyChanges(session, own, { decide: ({ mine }) => mine });
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect(Object.keys(account.data as object)).toEqual(['__proto__', 'constructor']);
    const named = JSON.parse(`[${text}"values":{"__proto__":{"polluted":1}}}]`);
    expect(thrown(() => applyChanges(session, named))).toMatchObject({
      issues: [{ path: [0, 'values', '__proto__'] }],
    });
    expect(thrown(() => applyChanges(session, JSON.parse('[{"__proto__":{"model":"account"}}]')))).toBeInstanceOf(
      ValidationError,
    );
  });

  test('refuses values that are nested too deep', async () => {
    const session = new Session();
    await loaded(session);
    let deep: unknown = 1;
    for (let level = 0; level < 2000; level += 1) deep = [deep];
    expect(thrown(() => applyChanges(session, [update({ data: deep })]))).toMatchObject({ issues: [{ path: [0] }] });
  });

  test('tells a model of which the session has several classes, unless the options name one', () => {
    const session = new Session();
    const [first, second] = [Account.with({}), Account.with({})];
    for (const model of [first, second]) new Store({ model, session });
    const create: SessionChange = { model: 'account', key: 'n', action: 'create', values: {}, base: {}, dependsOn: {} };
    expect(thrown(() => applyChanges(session, [create]))).toMatchObject({
      issues: [{ path: [0, 'model'], code: 'changes-models' }],
    });
    expect(applyChanges(session, [create], { models: [second] })[0]).toBeInstanceOf(second);
  });

  test('tells conflicts by field, like a merge', async () => {
    const session = new Session();
    const account = await loaded(session);
    account.owner = 'theirs';
    const change = update({ owner: 'mine' }, { base: { owner: 'Ada' } });
    const error = thrown(() => applyChanges(session, [change])) as MergeError;
    expect(error).toBeInstanceOf(MergeError);
    expect(error.conflicts).toEqual([{ record: account, field: 'owner', base: 'Ada', mine: 'mine', theirs: 'theirs' }]);
    applyChanges(session, [change], { decide: ({ mine }) => mine });
    expect(account.owner).toBe('mine');
  });

  test('refuses a new record twice, and one whose id the session has already', () => {
    const session = new Session();
    const create: SessionChange = {
      model: 'country',
      key: 'n',
      action: 'create',
      id: 'ch',
      values: {},
      base: {},
      dependsOn: {},
    };
    applyChanges(session, [create], { models: [Country] });
    expect(thrown(() => applyChanges(session, [create]))).toMatchObject({
      issues: [{ path: [0, 'key'], code: 'changes-twice' }],
    });
    const error = thrown(() => applyChanges(session, [{ ...create, key: 'other' }]));
    expect(error).toBeInstanceOf(StateError);
    expect(error).toMatchObject({ code: 'duplicate' });
  });

  test('refuses a new record whose temporary id is that of a saved one: what refers to that one would become its own', () => {
    const session = new Session();
    const id = '11111111-1111-4111-8111-111111111111';
    const saved = session.add(Page.fromRow({ id, title: 'saved' }))[0] as Page;
    const create: SessionChange = {
      ...{ model: 'page', key: 'n', action: 'create', clientId: id, values: {}, base: {}, dependsOn: {} },
    };
    expect(thrown(() => applyChanges(session, [create]))).toMatchObject({ code: 'duplicate' });
    expect([session.pending.created, session.getById(Page, id)]).toEqual([[], saved]);
  });

  test('gives new records of the same page ids of their own, so that the first ones keep what refers to them', async () => {
    server.always(({ body }) => ({ status: 201, json: { ...body, id: `saved-${body.title}` } }));
    const session = new Session();
    const above = session.create(Page, { title: 'above' });
    const below = session.create(Page, { title: 'below', aboveId: above.id });
    const [taken] = applyChanges(new Session(), sent(session), { models: [Page] });
    expect(taken?.getId()).not.toBe(above.id);
    expect((await session.sync()).failures).toEqual([]);
    expect([above.id, below.aboveId]).toEqual(['saved-above', 'saved-above']);
  });

  test('takes a record once that the session does not have, whatever the keys of its changes', () => {
    const session = new Session();
    const changes = [update({ owner: 'a' }), update({ owner: 'b' }, { key: 'l', id: '1' })];
    expect(thrown(() => applyChanges(session, changes, { models: [Account] }))).toMatchObject({
      issues: [{ path: [1, 'key'], code: 'changes-twice' }],
    });
    expect([...session.pending.created, ...session.pending.edited]).toEqual([]);
  });

  test('takes records whose id has several fields', async () => {
    server.always(accepting());
    const session = new Session();
    const rows = [
      { orderId: 7, line: 1, sku: 'a' },
      { orderId: 7, line: 2, sku: 'b' },
    ];
    const [first, second] = session.add(...rows.map((row) => Place.fromRow(row))) as [Place, Place];
    first.sku = 'edited';
    session.remove(second);
    session.create(Place, { orderId: 7, line: 3, sku: 'new' });
    const other = new Session();
    const taken = applyChanges(other, sent(session), { models: [Place] });
    expect(taken.map((each) => each.getId())).toEqual([
      [7, 3],
      [7, 1],
      [7, 2],
    ]);
    expect((await other.sync()).failures).toEqual([]);
    expect(sentLines()).toEqual([
      'POST /orders/7/places {"orderId":7,"line":3,"sku":"new"}',
      'PATCH /orders/7/places/1 {"sku":"edited"}',
      'DELETE /orders/7/places/2',
    ]);
    const create = {
      model: 'place',
      key: 'x',
      action: 'create',
      values: { orderId: 7, line: 1 },
      base: {},
      dependsOn: {},
    };
    expect(thrown(() => applyChanges(session, [create as never]))).toMatchObject({ code: 'duplicate' });
    for (const id of [[7], [7, {}], [7, 1, 2], '7,1', 7, [[7], 1]])
      expect(
        thrown(() => applyChanges(session, [{ ...create, action: 'update', id } as never])),
        String(id),
      ).toMatchObject({
        issues: [{ code: 'changes-form' }],
      });
  });

  test('reads a record that the session does not have before a write of its whole row', async () => {
    const session = new Session();
    const [account] = applyChanges(session, [update({ owner: 'mine' }, { base: { owner: 'Ada' } })], {
      models: [Account],
    });
    const before = server.requests.length;
    server.reply({ json: { id: 1, owner: 'Ada', secret: 1 } }, { status: 204 });
    await account?.save();
    expect(server.requests.slice(before).map(({ method, text }) => [method, text])).toEqual([
      ['GET', ''],
      ['PUT', '{"id":1,"owner":"mine","secret":1}'],
    ]);
  });

  test('refuses wrong options', () => {
    const session = new Session();
    expect(thrown(() => applyChanges(session, [], { models: Account } as never))).toMatchObject({ code: 'definition' });
    expect(thrown(() => applyChanges(session, [], { model: [Account] } as never))).toMatchObject({
      code: 'definition',
    });
  });
});
