import { bigint, Model, reference, Session, Store, uuid, windowOf } from 'repose';
import { describe, expect, test } from 'vitest';
import { IdCounters } from '../../src/model/id-counters.js';
import { createIdentifier, type IdentifierConfig, planIdentifier } from '../../src/model/identifier.js';
import { createPhantoms } from '../../src/model/phantom-index.js';
import { inner } from '../../src/model/record.js';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();
const ids = (Class: new () => { getId(): unknown }, count = 3) =>
  Array.from({ length: count }, () => new Class().getId());

describe('identifier', () => {
  test('makes negative ids for number fields and sequential ones for all others by default', () => {
    class Numbered extends Model.define({ name: 'n', fields: { id: 'int' } }) {}
    class Big extends Model.define({ name: 'b', fields: { id: bigint() } }) {}
    class Named extends Model.define({ name: 'user', fields: { id: 'string' } }) {}
    class Plain extends Model.define({ fields: {} }) {}
    expect(ids(Numbered)).toEqual([-1, -2, -3]);
    expect(ids(Big)).toEqual([-1, -2, -3]);
    expect(ids(Named)).toEqual(['user-1', 'user-2', 'user-3']);
    expect(ids(Plain, 1)).toEqual(['record-1']);
  });

  test.each([
    ['sequential' as const, /^task-\d+$/],
    ['negative' as const, /^-\d+$/],
    [uuid(), /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/],
    [() => `own-${Math.random()}`, /^own-0\.\d+/],
  ])('%s', (identifier, pattern) => {
    class Task extends Model.define({ name: 'task', fields: { id: 'string' }, identifier }) {}
    const made = ids(Task);
    expect(new Set(made).size).toBe(3);
    for (const id of made) expect(String(id)).toMatch(pattern);
  });

  test.each<[string, IdentifierConfig, 'int' | 'string', unknown[]]>([
    ['a prefix', { prefix: 'draft ' }, 'string', ['draft 1', 'draft 2', 'draft 3']],
    ['a prefix, also if the id field has numbers', { prefix: 'x' }, 'int', ['x1', 'x2', 'x3']],
    ['a seed, if ids are texts', { seed: 41 }, 'string', ['task-41', 'task-42', 'task-43']],
    ['a seed, if ids are numbers', { seed: 41 }, 'int', [-41, -42, -43]],
    ['both', { prefix: 'v2', seed: 10 }, 'string', ['v210', 'v211', 'v212']],
    ['neither', {}, 'string', ['task-1', 'task-2', 'task-3']],
  ])('counts by %s', (_, identifier, id, expected) => {
    class Task extends Model.define({ name: 'task', fields: { id }, identifier }) {}
    expect(ids(Task)).toEqual(expected);
  });

  test.each<[unknown, string]>([
    [{ prefix: '' }, 'identifier.prefix must be a text that is not empty'],
    [{ prefix: 7 }, 'identifier.prefix must be a text that is not empty'],
    [{ seed: 0 }, 'identifier.seed must be a whole number from 1'],
    [{ seed: 1e21 }, 'identifier.seed must be a whole number from 1'],
    [{ seed: 1.5 }, 'identifier.seed must be a whole number from 1'],
    [{ sed: 5 }, "'sed' is not an option of identifier"],
    [
      'sequentail',
      "identifier must be 'sequential', 'negative', 'natural', { prefix, seed }, `uuid()` with `uuid` from 'repose', or a function",
    ],
    ['uuid', "`uuid()` with `uuid` from 'repose'"],
  ])('refuses %o at definition', (identifier, text) => {
    expect(() => Model.define({ fields: { id: 'int' }, identifier: identifier as never })).toThrow(text);
    expect(() => Model.define({ fields: { id: 'int' } }).with({ identifier: identifier as never })).toThrow(text);
  });

  test('with a seed makes ids that are never used in an address (H10)', async () => {
    class Team extends Model.define({ name: 'team', fields: { id: 'string' }, identifier: { seed: 5 } }) {}
    class Task extends Model.define({
      fields: { id: 'int', teamId: reference('string') },
      proxy: server.proxy('/teams/{teamId}/tasks'),
    }) {
      static override references() {
        return { teamId: Team };
      }
    }
    const team = new Team();
    expect(team.id).toBe('team-5');
    const task = Task.fromRow({ id: 1, teamId: team.id });
    await expect(task.save()).rejects.toMatchObject({ code: 'address' });
    expect(server.requests).toEqual([]);
  });

  test('counts per `define`: subclasses and bound classes share the count', () => {
    class Task extends Model.define({ name: 'task', fields: { id: 'string' } }) {}
    class Sub extends Task {}
    const Bound = Task.with({ proxy: { url: '/mine' } });
    class Other extends Model.define({ name: 'task', fields: { id: 'string' } }) {}
    class More extends Task.define({ name: 'more', fields: { x: 'int' } }) {}
    expect([Task, Sub, Bound, Task, Other, More].map((Class) => new Class().getId())).toEqual([
      'task-1',
      'task-2',
      'task-3',
      'task-4',
      'task-1',
      'more-1',
    ]);
  });

  test('is inherited from a base', () => {
    class Base extends Model.with({ identifier: () => 'own' }) {}
    class Task extends Base.define({ fields: { id: 'int' } }) {}
    expect(new Task().getId()).toBe('own');
  });

  test('stays that of a bound class when the class is bound again', () => {
    class Task extends Model.define({ fields: { id: 'int' } }) {}
    const Bound = Task.with({ identifier: () => 'own' }).with({ proxy: { type: 'rest', url: '/mine' } });
    expect(new Bound().getId()).toBe('own');
  });

  test('gives a phantom its id until the server answers; an id that is set replaces it', async () => {
    class Task extends Model.define({ fields: { id: 'int' }, proxy: server.proxy('/tasks') }) {}
    const task = new Task();
    expect([task.getId(), task.id]).toEqual([-1, -1]);
    server.reply({ status: 201, json: { id: 5 } });
    await task.save();
    expect([server.last.text, task.getId()]).toEqual(['{}', 5]);
    const chosen = new Task();
    chosen.id = 12;
    expect(chosen.getId()).toBe(12);
  });

  test.each([null, '', undefined, false])('gives an id to a record whose id is %o', (id) => {
    class Task extends Model.define({ fields: { id: 'auto', name: 'string' }, identifier: 'negative' }) {}
    const task = new Task({ id, name: 'from a form' });
    expect([task.phantom, task.getId()]).toEqual([true, -1]);
  });

  test('is not called if the data has an id', () => {
    class Task extends Model.define({ fields: { id: 'int' } }) {}
    expect([new Task({ id: 0 }).phantom, new Task({ id: 0 }).getId()]).toEqual([false, 0]);
    const client = new Task({ id: 5 }, { phantom: true });
    expect([client.phantom, client.getId()]).toEqual([true, 5]);
    expect(new Task({}, { phantom: false }).getId()).toBeUndefined();
    expect(new Task().getId()).toBe(-1);
  });

  test('gives a client-generated id, which is sent only with `writeRecordId` (H14)', async () => {
    const config = { name: 'task', fields: { id: 'string', name: 'string' }, identifier: uuid() } as const;
    class Task extends Model.define({ ...config, proxy: server.proxy('/tasks') }) {}
    class Sent extends Model.define({
      ...config,
      proxy: server.proxy('/tasks', { writer: { writeRecordId: true } }),
    }) {}
    server.always(({ body }) => ({ status: 201, json: { id: 'x', ...body } }));
    await new Task({ name: 'a' }).save();
    expect(server.last.body).toEqual({ name: 'a' });
    const sent = new Sent({ name: 'a' });
    const id = sent.getId();
    await sent.save();
    expect([server.last.body, sent.id]).toEqual([{ id, name: 'a' }, id]);
  });

  test('as a function makes ids that may be used in addresses once the server has accepted them (H14)', async () => {
    let made = 0;
    const next = () => `own-${(made += 1)}`;
    const proxy = server.proxy('/teams', { writer: { writeRecordId: true } });
    class Team extends Model.define({ fields: { id: 'string' }, identifier: next, proxy }) {}
    class Task extends Model.define({
      fields: { id: 'int', teamId: reference('string') },
      proxy: server.proxy('/teams/{teamId}/tasks'),
    }) {
      static override references() {
        return { teamId: Team };
      }
    }
    const [saved, other] = [new Team(), new Team()];
    server.reply({ status: 201, json: { id: saved.id } });
    await saved.save();
    const task = Task.fromRow({ id: 1, teamId: saved.id });
    server.reply({ status: 204 });
    await task.save();
    expect(server.last.url).toBe('/teams/own-1/tasks/1');
    await expect(Task.fromRow({ id: 1, teamId: other.id }).save()).rejects.toMatchObject({ code: 'address' });
  });
});

describe('temporary ids', () => {
  test('differ within a family, also where a class is defined again with the same name or prefix', () => {
    class Draft extends Model.define({ name: 'draft', fields: { id: 'string' }, identifier: { prefix: 'd-' } }) {}
    class Letter extends Draft.define({ fields: { to: 'string' }, identifier: { prefix: 'd-' } }) {}
    class Memo extends Draft.define({ fields: { note: 'string' } }) {}
    const Bound = Draft.with({ identifier: { prefix: 'd-' } });
    const made = [Draft, Letter, Memo, Bound, Draft].map((Class) => new Class());
    expect(made.map((each) => each.getId())).toEqual(['d-1', 'd-2', 'd-3', 'd-4', 'd-5']);
    const store = new Store({ model: Draft, data: [] });
    store.add(...made);
    expect(made.map((each) => store.getById(each.getId() as string))).toEqual(made);
  });

  test('differ in a family with several seeds', () => {
    class Draft extends Model.define({ name: 'draft', fields: { id: 'string' } }) {}
    class Late extends Draft.define({ fields: {}, identifier: { prefix: 'draft-', seed: 50 } }) {}
    expect([Draft, Late, Draft, Late].map((Class) => new Class().getId())).toEqual([
      'draft-1',
      'draft-50',
      'draft-51',
      'draft-52',
    ]);
  });

  test('differ in a family whose prefixes can give the same text', () => {
    class Draft extends Model.define({ fields: { id: 'string' }, identifier: { prefix: 'v' } }) {}
    class Late extends Draft.define({ fields: {}, identifier: { prefix: 'v2' } }) {}
    const all = Array.from({ length: 40 }, (_, i) => new (i % 2 ? Draft : Late)().getId());
    expect(new Set(all).size).toBe(40);
  });

  const rows: readonly (readonly [string, object, unknown, unknown])[] = [
    ['negative ids', { fields: { id: 'int' } }, -3, -4],
    ['negative ids that the server sends as texts', { fields: { id: 'auto' }, identifier: 'negative' }, '-3', -4],
    ['ids with a prefix', { fields: { id: 'string' }, identifier: { prefix: 'd-' } }, 'd-7', 'd-8'],
    ['ids with a prefix of digits', { fields: { id: 'auto' }, identifier: { prefix: '9' } }, 95, '96'],
    ['ids with a minus as prefix', { fields: { id: 'auto' }, identifier: { prefix: '-' } }, -5, '-6'],
  ];

  test.each(rows)('skip those of rows in a store: %s', async (_, config, given, next) => {
    class Task extends Model.define({ name: 'task', ...config, proxy: server.proxy('/tasks') } as never) {}
    const store = new Store({ model: Task as never, pageSize: 0 });
    server.reply({ json: [{ id: 4 }, { id: given }] });
    await store.load();
    const task = new Task() as Model;
    expect(task.getId()).toBe(next);
    store.add(task as never);
    expect([store.count, store.getById(next as string), store.getById(given as string)]).toEqual([
      3,
      task,
      store.getAt(1),
    ]);
  });

  test.each(rows)('skip those of rows in a session: %s', async (_, config, given, next) => {
    class Task extends Model.define({ name: 'task', ...config } as never) {}
    const session = new Session();
    const saved = (Task as never as { fromRow(row: object): Model }).fromRow({ id: given });
    session.add(saved);
    expect((new Task() as Model).getId()).toBe(next);
  });

  test('skip the id that the server gave a new record, and rows that windows show', async () => {
    const proxy = server.proxy('/tasks');
    class Task extends Model.define({ name: 'task', fields: { id: 'string' }, proxy }) {}
    const store = new Store({ model: Task, data: [{}] });
    server.reply({ status: 201, json: { id: 'task-5' } });
    (await store.sync()).orThrow();
    expect(new Task().getId()).toBe('task-6');
    const window = windowOf(new Store({ model: Task, remoteSort: true, remoteFilter: true }));
    server.reply({ json: [{ id: 'task-9' }] });
    await window.show({ start: 0, end: 1 });
    expect(new Task().getId()).toBe('task-10');
    window.dispose();
  });

  test('go on from where they were after ids with numbers that cannot be counted on', () => {
    class Task extends Model.define({ name: 'task', fields: { id: 'string' } }) {}
    const store = new Store({ model: Task });
    store.setRecords([{ id: 'task-9007199254740991' }, { id: `task-${'9'.repeat(400)}` }, { id: 'task-x' }]);
    expect(ids(Task, 2)).toEqual(['task-1', 'task-2']);
  });

  test('of a model are found in references, also those of models defined on it (H10)', async () => {
    class Team extends Model.define({ name: 'team', fields: { id: 'string' }, proxy: server.proxy('/teams') }) {}
    class Crew extends Team.define({ fields: { size: 'int' } }) {}
    class Task extends Model.define({
      fields: { id: 'int', teamId: reference('string') },
      proxy: server.proxy('/tasks'),
    }) {
      static override references() {
        return { teamId: Team };
      }
    }
    const crew = new Crew({ size: 3 });
    const task = new Task({ teamId: crew.id });
    await expect(task.save()).rejects.toMatchObject({ reason: 'parent-new', parent: crew });
    server.reply({ status: 201, json: { id: 'c7' } });
    await crew.save();
    server.reply({ status: 201, json: { id: 1 } });
    await task.save();
    expect(server.last.body).toEqual({ teamId: 'c7' });
  });
});

describe('the index of temporary ids', () => {
  class Task extends Model.define({ name: 'task', fields: { id: 'string' } }) {}
  const setUp = (config: IdentifierConfig) => {
    const counters = new IdCounters();
    const index = createPhantoms(counters, undefined);
    const identifier = createIdentifier(planIdentifier(config, 'task', 'string'), counters);
    const make = () => {
      const id = identifier();
      index.add(id, inner(new Task()), typeof config === 'function' && config !== uuid());
      return id;
    };
    return { index, make, counters };
  };

  test('knows the ids that were made, which are never used in an address (H10)', () => {
    const own = () => 'own';
    const [sequential, negative, custom] = [setUp('sequential'), setUp('negative'), setUp(own)];
    const random = setUp(uuid());
    for (const { index, make } of [sequential, negative, custom]) {
      expect([undefined, 'task-1', -1, 'own'].map((id) => index.isIssued(id))).toEqual(Array(4).fill(false));
      const id = make();
      expect(index.isIssued(id)).toBe(true);
    }
    const others = ['task-2', 'task-x', 'other-1', 'task-01', 'task-0'];
    expect(others.map((id) => sequential.index.isIssued(id))).toEqual(Array(5).fill(false));
    expect([-2, 0, '-1', -0.5].map((id) => negative.index.isIssued(id))).toEqual(Array(4).fill(false));
    expect(random.index.isIssued(random.make())).toBe(false);
  });

  test.each<[IdentifierConfig, unknown]>([
    [() => 'own', 'own'],
    ['negative', -1],
    ['sequential', 'task-1'],
  ])('forgets an id that the server has accepted: %o', (config, id) => {
    const { index, make } = setUp(config);
    expect([make(), index.isIssued(id)]).toEqual([id, true]);
    index.markPermanent(id);
    expect(index.isIssued(id)).toBe(false);
  });

  test('knows ids with a seed, and with a prefix that ends in digits', () => {
    const { index, make } = setUp({ prefix: 'v2', seed: 10 });
    make();
    make();
    expect(['v210', 'v211'].map((id) => index.isIssued(id))).toEqual([true, true]);
    expect(['v29', 'v212', 'v2010', '10', 'x210', 10, -10].map((id) => index.isIssued(id))).toEqual(
      Array(7).fill(false),
    );
  });

  test('does not count skipped ids, which rows of the server have', () => {
    const { index, make, counters } = setUp('sequential');
    make();
    counters.skip('task-4');
    expect(make()).toBe('task-5');
    expect(['task-1', 'task-2', 'task-4', 'task-5', 'task-6'].map((id) => index.isIssued(id))).toEqual([
      ...[true, false, false, true, false],
    ]);
  });
});
