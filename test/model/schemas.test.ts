import { type } from 'arktype';
import { json, Model, type StandardSchemaV1 } from 'repose';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

describe.each([
  ['zod', z.enum(['admin', 'member']), z.object({ name: z.string(), tags: z.array(z.string()) })],
  ['valibot', v.picklist(['admin', 'member']), v.object({ name: v.string(), tags: v.array(v.string()) })],
  ['arktype', type("'admin' | 'member'"), type({ name: 'string', tags: 'string[]' })],
])('a schema of %s', (_, role, profile) => {
  class User extends Model.define({
    fields: {
      id: 'int',
      role: role as StandardSchemaV1<'admin' | 'member'>,
      profile: profile as StandardSchemaV1<{ name: string; tags: string[] }>,
    },
    proxy: server.proxy('/users'),
  }) {}
  const ROW = { id: 1, role: 'admin', profile: { name: 'Ada', tags: ['a'] } };

  test('accepts valid values', () => {
    const user = User.fromRow(structuredClone(ROW));
    expect(user.$.data).toEqual(ROW);
    expect([user.$.isValid(), user.$.errors]).toEqual([true, {}]);
  });

  test('never throws: an invalid value is shown as received, with an issue, and is sent back unchanged', async () => {
    const row = { id: 1, role: 'owner', profile: { name: 5, tags: ['a', 6] } };
    const user = User.fromRow(structuredClone(row));
    expect(user.$.data).toEqual(row);
    expect(user.$.errors.role).toMatchObject([{ path: ['role'], message: expect.any(String) }]);
    expect(user.$.errors.profile?.map(({ path }) => path)).toEqual([
      ['profile', 'name'],
      ['profile', 'tags', 1],
    ]);
    server.reply({ status: 204 });
    await user.save();
    expect(server.last.body).toEqual(row);
  });

  test('checks edited values before a save', async () => {
    const user = User.fromRow(structuredClone(ROW));
    user.set('role', 'owner' as never).set('profile.tags', [5] as never);
    await expect(user.save()).rejects.toMatchObject({
      code: 'validation',
      issues: [{ path: ['role'] }, { path: ['profile', 'tags', 0] }],
    });
    expect(server.requests).toEqual([]);
  });

  test('rejects the load if the reader is strict', async () => {
    class Strict extends User.with({ proxy: { reader: { strict: true } } }) {}
    server.reply({ json: { ...ROW, role: 'owner' } });
    await expect(Strict.load(1)).rejects.toMatchObject({ code: 'read', params: { row: 0, field: 'role' } });
  });
});

describe('a schema whose output differs from its input', () => {
  class Log extends Model.define({
    fields: {
      id: 'int',
      at: {
        type: z.string().transform((text) => text.split('-').map(Number)),
        serialize: (value: number[]) => value.join('-'),
      },
      size: { type: z.coerce.number().int().min(0), validators: [] },
      note: {
        type: z
          .string()
          .nullish()
          .transform((text) => text ?? '(none)'),
        serialize: (text: string) => text,
      },
    },
    proxy: server.proxy('/logs'),
  }) {}

  test('is run once, when the value is first read', () => {
    let runs = 0;
    const counted = z.string().transform((text) => {
      runs += 1;
      return { text };
    });
    class Counted extends Model.define({ fields: { id: 'int', a: { type: counted, serialize: () => '' } } }) {}
    const record = Counted.fromRow({ id: 1, a: 'x' });
    expect(runs).toBe(0);
    expect(record.a).toBe(record.a);
    expect([runs, record.a]).toEqual([1, { text: 'x' }]);
  });

  test('is written back by `serialize`, only if it was edited', async () => {
    const log = Log.fromRow({ id: 1, at: '1-02-3', size: '5' });
    expect([log.at, log.size]).toEqual([[1, 2, 3], 5]);
    server.reply({ status: 204 }, { status: 204 });
    await log.save();
    expect(server.last.body).toEqual({ id: 1, at: '1-02-3', size: '5' });
    log.set({ at: [4, 5], size: 6 });
    await log.save();
    expect(server.last.body).toEqual({ id: 1, at: '4-5', size: 6 });
    expect([log.at, log.size, log.dirty]).toEqual([[4, 5], 6, false]);
  });

  test('is called with null', () => {
    expect(Log.fromRow({ id: 1, note: null }).note).toBe('(none)');
    expect(Log.fromRow({ id: 1 }).note).toBeUndefined();
  });
});

describe('allowNull beside a schema', () => {
  class Loose extends Model.define({
    fields: { id: 'int', role: { type: z.enum(['a', 'b']), allowNull: true }, strict: z.enum(['a', 'b']) },
    proxy: server.proxy('/loose'),
  }) {}

  test('accepts null, received or set', async () => {
    const loose = Loose.fromRow({ id: 1, role: null, strict: 'a' });
    expect([loose.role, loose.$.errors]).toEqual([null, {}]);
    loose.role = 'a';
    loose.role = null;
    loose.strict = 'b';
    const fresh = new Loose({ role: null });
    expect(fresh.$.validate()).toEqual([]);
    server.reply({ status: 204 });
    await loose.save();
    expect(server.last.body).toEqual({ id: 1, role: null, strict: 'b' });
  });

  test('is required: without it null is refused', () => {
    expect(Object.keys(Loose.fromRow({ id: 1, strict: null }).$.errors)).toEqual(['strict']);
  });
});

describe('a schema', () => {
  const schema = (validate: (value: unknown) => unknown): StandardSchemaV1 => ({
    '~standard': { version: 1, vendor: 'test', validate: validate as never },
  });

  test('that is asynchronous gives an issue, and the value is shown as received', async () => {
    class Late extends Model.define({
      fields: {
        id: 'int',
        a: schema(async () => ({ value: 1 })),
        b: schema(() => Promise.reject(new Error('no'))),
      },
    }) {}
    const late = Late.fromRow({ id: 1, a: 'x', b: 'y' });
    expect([late.a, late.b]).toEqual(['x', 'y']);
    expect(late.$.errors['a']).toMatchObject([
      { code: 'schema-async', message: expect.stringContaining('has an asynchronous schema') },
    ]);
  });

  test('that throws gives an issue', () => {
    class Broken extends Model.define({
      fields: {
        id: 'int',
        a: schema(() => {
          throw new TypeError('oops');
        }),
      },
    }) {}
    const broken = Broken.fromRow({ id: 1, a: 'x' });
    expect([broken.a, broken.$.errors['a']?.[0]?.message]).toEqual(['x', 'TypeError: oops']);
  });

  test('may be a function, and may give paths as segments', () => {
    const callable = Object.assign(() => undefined, {
      '~standard': {
        version: 1 as const,
        vendor: 'test',
        validate: () => ({ issues: [{ message: 'bad', path: [{ key: 'a' }, 0], code: 'own' }] }),
      },
    }) as unknown as StandardSchemaV1;
    class Odd extends Model.define({ fields: { id: 'int', a: callable } }) {}
    expect(Odd.fromRow({ id: 1, a: 'x' }).$.errors['a']).toEqual([
      { path: ['a', 'a', 0], message: 'bad', code: 'own' },
    ]);
  });

  test('without a check accepts every value', () => {
    class Typed extends Model.define({ fields: { id: 'int', a: json<{ b: number }>() } }) {}
    expect(Typed.fromRow({ id: 1, a: { b: 1 } }).a.b).toBe(1);
    expect(Typed.fromRow({ id: 1, a: null }).$.isValid()).toBe(true);
  });
});

test('the shape of a zod object can declare the fields', () => {
  const shape = z.object({ id: z.number(), name: z.string() });
  class User extends Model.define({ fields: shape.shape }) {}
  expect(User.fromRow({ id: 1, name: 'Ada' }).$.data).toEqual({ id: 1, name: 'Ada' });
});
