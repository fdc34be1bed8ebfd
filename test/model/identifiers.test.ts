import { Model } from 'repose';
import { describe, expect, test } from 'vitest';
import { createIdentifier, type IdentifierConfig, planIdentifier } from '../../src/model/identifier.js';
import { createPhantoms } from '../../src/model/parts/phantom-index.js';
import { inner } from '../../src/model/record.js';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();
const ids = (Class: new () => { getId(): unknown }, count = 3) =>
  Array.from({ length: count }, () => new Class().getId());

describe('identifier', () => {
  test('makes negative ids for number fields and sequential ones for all others by default', () => {
    class Numbered extends Model.define({ name: 'n', fields: { id: 'int' } }) {}
    class Big extends Model.define({ name: 'b', fields: { id: 'bigint' } }) {}
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
    ['uuid' as const, /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/],
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
    [{ seed: 1.5 }, 'identifier.seed must be a whole number from 1'],
    [{ sed: 5 }, "'sed' is not an option of identifier"],
    ['sequentail', "identifier must be 'sequential', 'negative', 'uuid', 'natural', { prefix, seed } or a function"],
  ])('refuses %o at definition', (identifier, text) => {
    expect(() => Model.define({ fields: { id: 'int' }, identifier: identifier as never })).toThrow(text);
    expect(() => Model.define({ fields: { id: 'int' } }).with({ identifier: identifier as never })).toThrow(text);
  });

  test('with a seed makes ids that are never used in an address (H10)', async () => {
    class Team extends Model.define({ name: 'team', fields: { id: 'string' }, identifier: { seed: 5 } }) {}
    class Task extends Model.define({
      fields: { id: 'int', teamId: 'string' },
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
    const config = { name: 'task', fields: { id: 'string', name: 'string' }, identifier: 'uuid' } as const;
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
      fields: { id: 'int', teamId: 'string' },
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

describe('the index of temporary ids', () => {
  class Task extends Model.define({ name: 'task', fields: { id: 'string' } }) {}
  const plan = (config: IdentifierConfig) => planIdentifier(config, 'task', 'string');
  const indexOf = (config: IdentifierConfig) => createPhantoms(plan(config));

  test('knows the ids that were made, which are never used in an address (H10)', () => {
    const own = () => 'own';
    const [sequential, negative, custom, uuid] = [
      indexOf('sequential'),
      indexOf('negative'),
      indexOf(own),
      indexOf('uuid'),
    ];
    for (const [config, index] of [
      ['sequential', sequential],
      ['negative', negative],
      [own, custom],
    ] as const) {
      expect([undefined, 'task-1', -1, 'own'].map((id) => index.isIssued(id))).toEqual(Array(4).fill(false));
      const id = createIdentifier(plan(config))();
      index.add(id, inner(new Task()));
      expect(index.isIssued(id)).toBe(true);
    }
    expect([sequential.isIssued('task-2'), sequential.isIssued('task-x'), sequential.isIssued('other-1')]).toEqual(
      Array(3).fill(false),
    );
    expect([negative.isIssued(-2), negative.isIssued(0), negative.isIssued('-1'), negative.isIssued(-0.5)]).toEqual(
      Array(4).fill(false),
    );
    const id = createIdentifier('uuid')();
    uuid.add(id, inner(new Task()));
    expect(uuid.isIssued(id)).toBe(false);
    expect([sequential.isIssued('task-01'), sequential.isIssued('task-0')]).toEqual([false, false]);
    custom.markPermanent('own');
    expect(custom.isIssued('own')).toBe(false);
  });

  test('knows ids with a seed, and with a prefix that ends in digits', () => {
    const config = { prefix: 'v2', seed: 10 };
    const index = indexOf(config);
    const next = createIdentifier(plan(config));
    for (const id of [next(), next()]) index.add(id, inner(new Task()));
    expect(['v210', 'v211'].map((id) => index.isIssued(id))).toEqual([true, true]);
    expect(['v29', 'v212', 'v2010', '10', 'x210', 10, -10].map((id) => index.isIssued(id))).toEqual(
      Array(7).fill(false),
    );
  });
});
