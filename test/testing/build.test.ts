import { type } from 'arktype';
import {
  bigint,
  decimal,
  email,
  embed,
  exclusion,
  format,
  inclusion,
  json,
  length,
  Model,
  presence,
  range,
  Store,
  url,
} from 'repose';
import { build, builder, buildList } from 'repose/testing';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

class Address extends Model.define({ name: 'address', fields: { street: 'string', zip: 'string' } }) {}

class User extends Model.define({
  name: 'user',
  fields: {
    id: 'int',
    name: 'string',
    age: 'int',
    score: 'number',
    admin: 'boolean',
    joined: 'date',
    born: 'dateonly',
    price: decimal(),
    big: bigint(),
    free: 'auto',
    data: 'json',
    email: { type: 'string', allowNull: true },
    role: { type: 'string', defaultValue: 'member' },
    label: { calculate: (user: { name: string }) => `<${user.name}>` },
    created: { type: 'date', mapping: 'created_at' },
    address: embed(Address),
    homes: embed([Address]),
  },
}) {
  get shout() {
    return `${this.name}!`;
  }
}

describe('build', () => {
  test('builds a saved, clean and valid record of its class', () => {
    const user = build(User, { name: 'Ada' });
    expect([user.phantom, user.dirty, user.erased]).toEqual([false, false, false]);
    expect(user.$.validate()).toEqual([]);
    expect([user.shout, user.label]).toEqual(['Ada!', '<Ada>']);
  });

  test('makes missing values by type, the same for the same number', () => {
    const { build } = builder();
    const user = build(User);
    expect(user.$.data).toMatchObject({
      id: 1,
      name: 'name 1',
      age: 1,
      score: 1,
      admin: false,
      joined: new Date('2026-01-01T00:00:00Z'),
      born: '2026-01-01',
      price: '1.00',
      big: 1n,
      free: 'free 1',
      data: {},
      email: null,
      role: 'member',
      label: '<name 1>',
      created: new Date('2026-01-01T00:00:00Z'),
      homes: [],
    });
    expect([user.address.street, user.address.phantom, user.address.getId()]).toEqual(['street 1', false, undefined]);
    expect(JSON.stringify(builder().build(User))).toBe(JSON.stringify(user));
    expect(build(User).$.data).toMatchObject({ id: 2, name: 'name 2', born: '2026-01-02' });
  });

  test('keeps given values unchanged, null and dates too', () => {
    const joined = new Date(5);
    const user = build(User, { id: 70, email: 'a@b.de', joined, role: undefined as never });
    expect([user.id, user.email, user.joined, user.name, user.role]).toEqual([
      70,
      'a@b.de',
      joined,
      'name 70',
      'member',
    ]);
  });

  test('counts ids per model, continues after given ids, and shares them with bound classes', () => {
    class One extends Model.define({ fields: { id: 'int' } }) {}
    class Two extends Model.define({ fields: { id: 'int' } }) {}
    const Bound = One.with({ proxy: { url: '/x' } });
    const ids = [build(One), build(One), build(Two), build(Bound), build(One, { id: 9 }), build(One)].map(
      (each) => each.id,
    );
    expect(ids).toEqual([1, 2, 1, 3, 9, 10]);
  });

  test.each([
    ['auto', {}, 1],
    ['a text', { id: 'string' }, '1'],
    ['a bigint', { id: bigint() }, 1n],
    ['a uuid', { id: z.uuid() }, '00000000-0000-4000-8000-000000000001'],
    ['a schema of numbers', { id: z.number().int() }, 1],
  ] as const)('builds an id that is %s', (_, fields, id) => {
    expect(
      builder()
        .build(Model.define({ fields: fields as { id: 'string' } }))
        .getId(),
    ).toBe(id);
  });

  test('never gives a text id that a phantom can have', () => {
    class Note extends Model.define({ name: 'note', fields: { id: 'string' } }) {}
    const [phantom, saved] = [new Note(), build(Note)];
    expect(saved.getId()).not.toBe(phantom.getId());
  });

  test('gives a field with a schema a value that the schema accepts', () => {
    class All extends Model.define({
      fields: {
        zodEnum: z.enum(['admin', 'member']),
        zodLiteral: z.literal('x'),
        zodMail: z.email(),
        zodUrl: z.url(),
        zodDate: { type: z.iso.datetime() },
        zodNumber: z.number().positive(),
        zodBoolean: z.boolean(),
        zodArray: z.array(z.string()),
        picklist: v.picklist(['a', 'b']),
        ark: type("'yes' | 'no'"),
        typed: json<{ a?: number }>(),
      },
    }) {}
    const { buildList } = builder();
    const [first, second, third] = buildList(All, 3);
    expect(first?.$.data).toEqual({
      id: 1,
      zodEnum: 'admin',
      zodLiteral: 'x',
      zodMail: 'zodMail1@example.com',
      zodUrl: 'https://example.com/zodUrl/1',
      zodDate: '2026-01-01T00:00:00.000Z',
      zodNumber: 1,
      zodBoolean: false,
      zodArray: [],
      picklist: 'a',
      ark: expect.stringMatching(/^(yes|no)$/),
      typed: 'typed 1',
    });
    expect([second?.zodEnum, second?.picklist, third?.zodEnum]).toEqual(['member', 'b', 'admin']);
  });

  test('does not use a default or null that a validator refuses', () => {
    class Form extends Model.define({
      fields: {
        id: 'int',
        title: { type: 'string', defaultValue: '', validators: [presence()] },
        owner: { type: 'string', allowNull: true, validators: [presence()] },
        note: { type: 'string', defaultValue: '', validators: [length({ max: 20 })] },
        home: embed(Address, { allowNull: true, validators: [presence()] }),
      },
    }) {}
    const form = builder().build(Form);
    expect(form.$.validate()).toEqual([]);
    expect([form.title, form.owner, form.note]).toEqual(['title 1', 'owner 1', '']);
    expect(form.home?.street).toBe('street 1');
  });

  test('builds values that pass the validators', () => {
    class Strict extends Model.define({
      fields: {
        short: { type: 'string', validators: [length({ max: 3 })] },
        long: { type: 'string', validators: [presence(), length({ min: 20, max: 30 })] },
        mail: { type: 'string', validators: [email()] },
        site: { type: 'string', validators: [url()] },
        size: { type: 'string', validators: [inclusion(['s', 'm'])] },
        other: { type: 'string', validators: [exclusion(['other 1'])] },
        percent: { type: 'int', validators: [range({ min: 5, max: 7 })] },
        below: { type: 'number', validators: [range({ max: -3 })] },
        above: { type: 'int', validators: [range({ min: 18 })] },
        not: { type: 'int', validators: [exclusion([1, 2])] },
        since: { type: 'date', validators: [range({ min: new Date('2027-01-01') })] },
      },
    }) {}
    const { buildList } = builder();
    for (const record of buildList(Strict, 12)) expect(record.$.validate()).toEqual([]);
    const { build } = builder();
    expect(build(Strict)).toMatchObject({ short: 't 1', size: 's', percent: 5, above: 18, mail: 'mail1@example.com' });
  });

  test('throws for a field without a fitting value, unless a value is given', () => {
    class Coded extends Model.define({
      name: 'coded',
      fields: { code: { type: 'string', validators: [format(/^[A-Z]{3}$/)] } },
    }) {}
    expect(() => build(Coded)).toThrow(
      "`build` found no value for 'code' that coded takes (has the wrong format): give one",
    );
    expect(build(Coded, { code: 'ABC' }).code).toBe('ABC');
  });

  test('builds nested members, nested models and names in snake case', () => {
    class Node extends Model.define({
      fields: { id: 'int', street: { type: 'string', mapping: 'place.street' }, place: 'json', createdAt: 'date' },
      naming: 'snake',
    }) {}
    expect(builder().build(Node)).toMatchObject({ street: 'street 1', place: { street: 'street 1' } });
    expect(builder().build(Node, { place: { street: 'x' } }).street).toBe('x');
    expect(builder().build(Node, { street: 'y' }).place).toEqual({ street: 'y' });
    class Task extends Model.define({ fields: { id: 'int', title: 'string' } }) {}
    class Tree extends Task.define({ fields: { task: embed(Task), part: embed(Task, { allowNull: true }) } }) {}
    const tree = builder().build(Tree);
    expect([tree.task.title, tree.part]).toEqual(['title 1', null]);
  });

  test('builds a list with the same values for all, or values for each', () => {
    const { buildList } = builder();
    expect(buildList(User, 2, { name: 'x' }).map(({ id, name }) => [id, name])).toEqual([
      [1, 'x'],
      [2, 'x'],
    ]);
    expect(buildList(User, 2, (index) => ({ name: `no ${index}` })).map(({ name }) => name)).toEqual(['no 0', 'no 1']);
    expect(buildList(User, 0)).toEqual([]);
    expect(builder().buildList(User, 1)[0]?.id).toBe(1);
    expect(buildListIds(3)).toHaveLength(3);
  });

  test('builds records that a store treats as loaded', () => {
    const store = new Store({ model: User });
    store.add(...builder().buildList(User, 2));
    expect([store.count, store.pending.created.length]).toEqual([2, 0]);
  });

  test('refuses wrong arguments with errors that say what is wrong', () => {
    expect(() => build(undefined as never)).toThrow(
      '`build` takes a model class and an object with values for it, not undefined',
    );
    expect(() => build((() => 1) as never)).toThrow('`build` takes a model class');
    expect(() => build(User, [] as never)).toThrow('not an array as values');
    expect(() => build(User, { nmae: 'x' } as never)).toThrow("user has no field 'nmae'");
    expect(() => build(User, build(User) as never)).toThrow('not a record as values');
    for (const id of [null, '', Number.NaN])
      expect(() => build(User, { id } as never)).toThrow('The `id` of a saved record must be a text or a number, not ');
    expect(() => buildList(User, -1)).toThrow('The length of a list must be a whole number from 0, not -1');
  });
});

const buildListIds = (count: number) => buildList(User, count).map(({ id }) => id);
