import {
  type AnyModel,
  decimal,
  email,
  embed,
  exclusion,
  type FieldInfo,
  fieldsOf,
  format,
  inclusion,
  length,
  Model,
  presence,
  range,
  reference,
  url,
} from 'repose';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

class Team extends Model.define({ name: 'team', fields: { id: 'int' } }) {}
class Line extends Model.define({ name: 'line', fields: { id: 'int' } }) {}

class Task extends Model.define({
  name: 'task',
  fields: {
    id: 'int',
    title: { type: 'string', label: 'What to do', validators: [presence(), length({ min: 1, max: 80 })] },
    state: { type: 'string', validators: [inclusion(['open', 'done'])], defaultValue: 'open' },
    teamId: reference('int', { allowNull: true }),
    lines: embed([Line]),
    first: embed(Line),
    note: { type: 'string', persist: false },
    upper: { type: 'string', calculate: (task: { title: string }) => task.title.toUpperCase() },
    total: { type: 'number', mapping: (row) => row['sum'] },
  },
}) {
  static override references() {
    return { teamId: Team, later: Later };
  }
}
class Later extends Model.define({ name: 'later', fields: { id: 'int', taskId: reference('int') } }) {
  static override references() {
    return { taskId: Task };
  }
}

const of = (declared: Parameters<typeof Model.define>[0]['fields'][string]) =>
  fieldsOf(Model.define({ fields: { id: 'int', field: declared } as never }) as AnyModel) as unknown as {
    field: FieldInfo;
  };

describe('the fields of a model', () => {
  test('stand by name, in the order of their declaration', () => {
    expect(Object.keys(fieldsOf(Task))).toEqual([
      'id',
      'title',
      'state',
      'teamId',
      'lines',
      'first',
      'note',
      'upper',
      'total',
    ]);
    expect(fieldsOf(Task).title).toMatchObject({
      ...{ name: 'title', label: 'What to do', type: 'string', isId: false, required: true, allowNull: false },
      ...{ readOnly: false, persisted: true, computed: false, values: undefined, model: undefined, isList: false },
      limits: { min: undefined, max: undefined, minLength: 1, maxLength: 80, pattern: undefined },
    });
    expect([fieldsOf(Task).id.isId, fieldsOf(Task).id.required, fieldsOf(Task).teamId.allowNull]).toEqual([
      true,
      false,
      true,
    ]);
  });

  test('tell computed, read-only and unsent fields', () => {
    const { note, upper, total, title } = fieldsOf(Task);
    const flags = [note, upper, total, title].map(({ readOnly, computed, persisted }) => [
      readOnly,
      computed,
      persisted,
    ]);
    expect(flags).toEqual([
      [false, false, false],
      [true, true, false],
      [true, false, true],
      [false, false, true],
    ]);
  });

  test('tell the models they refer to and embed, also one that is declared later', () => {
    const { teamId, lines, first } = fieldsOf(Task);
    expect([teamId.model, teamId.isList]).toEqual([Team, false]);
    expect([lines.model, lines.isList, lines.type]).toEqual([Line, true, 'model']);
    expect([first.model, first.isList]).toEqual([Line, false]);
    expect(fieldsOf(Later).taskId.model).toBe(Task);
  });

  test('are frozen, the same object at each reading, and own to each class', () => {
    class Special extends Task {}
    expect(
      [fieldsOf(Task), fieldsOf(Task).title, fieldsOf(Task).title.limits, fieldsOf(Task).state.values].every(
        Object.isFrozen,
      ),
    ).toBe(true);
    expect(fieldsOf(Task)).toBe(fieldsOf(Task));
    expect(fieldsOf(Special)).not.toBe(fieldsOf(Task));
    const bound = Task.with({ proxy: { url: '/tasks' } });
    expect(Object.keys(fieldsOf(bound))).toEqual(Object.keys(fieldsOf(Task)));
    expect(Object.keys(fieldsOf(Object.freeze(class extends Task {})))).toEqual(Object.keys(fieldsOf(Task)));
    expect(fieldsOf(Model)).toEqual({});
  });

  test('make default values anew', () => {
    expect(fieldsOf(Task).state.defaultValue()).toBe('open');
    const { field } = of({ type: 'json', defaultValue: { tags: [] } });
    expect(field.defaultValue()).toEqual({ tags: [] });
    expect(field.defaultValue()).not.toBe(field.defaultValue());
    expect(of({ type: 'int', defaultValue: () => 7 } as never).field.defaultValue()).toBe(7);
  });

  test('have names in words as labels', () => {
    const names = ['id', 'firstName', 'first_name', 'homeURL', 'ownerId', 'a', 'line2', '@odata.etag', '___'];
    const fields = Object.fromEntries(names.map((name) => [name, 'string' as const]));
    const labels = Object.values(fieldsOf(Model.define({ fields })) as Record<string, { label: string }>).map(
      ({ label }) => label,
    );
    expect(labels).toEqual([
      'Id',
      'First name',
      'First name',
      'Home URL',
      'Owner id',
      'A',
      'Line2',
      '@odata etag',
      '___',
    ]);
    expect(() => Model.define({ fields: { id: { type: 'int', label: '' } } })).toThrow('label');
  });

  test('may be named like members of every object, or `fields`', () => {
    class Odd extends Model.define({ fields: { id: 'int', fields: 'string' } }) {}
    expect([fieldsOf(Odd).fields.label, new Odd({ fields: 'x' }).fields]).toEqual(['Fields', 'x']);
  });
});

describe('the limits of a field', () => {
  test('come from its validators, the narrower one of two', () => {
    const validators = [length({ min: 2 }), length({ min: 1, max: 9 }), format(/^a/), email(), url(), exclusion(['x'])];
    expect(of({ type: 'string', validators }).field.limits).toEqual({
      ...{ min: undefined, max: undefined },
      minLength: 2,
      maxLength: 9,
      pattern: /^a/,
    });
    const decimals = [range({ min: '9', max: '100' }), range({ min: '10', max: '99' })];
    expect(of(decimal({ validators: decimals })).field.limits).toMatchObject({ min: '10', max: '99' });
    expect(of({ type: 'date', validators: [range({ min: new Date(5) })] }).field.limits).toMatchObject({
      min: new Date(5),
      max: undefined,
    });
  });

  test('come from a validator of the application that tells its rule', () => {
    const short = Object.assign((value: string) => (value.length > 3 ? { code: 'short' } : undefined), {
      constraint: { kind: 'length', max: 3 } as const,
    });
    expect(of({ type: 'string', validators: [short, () => undefined] }).field.limits.maxLength).toBe(3);
  });
});

describe('the values of an enum', () => {
  test('come from `inclusion`, those that all lists have', () => {
    const validators = [inclusion(['a', 'b', 'c']), inclusion(['b', 'c', 'd'])];
    expect(of({ type: 'string', validators }).field.values).toEqual(['b', 'c']);
  });

  test('come from schemas of zod and valibot, also from optional and nullable ones', () => {
    const names = ['a', 'b'] as const;
    const schemas = [
      z.enum(names),
      z.enum(names).nullable(),
      z.enum(names).optional(),
      z.enum(names).default('a').nullable(),
      v.picklist(names),
      v.nullable(v.picklist(names)),
    ];
    for (const schema of schemas) expect(of(schema).field.values).toEqual(names);
  });

  test('are unknown of other schemas', () => {
    const others = [
      z.string(),
      z.array(z.enum(['a'])),
      z.union([z.string(), z.number()]),
      v.array(v.picklist(['a'])),
      v.union([v.string()]),
      z.object({ a: z.enum(['a']) }),
    ];
    for (const schema of others) expect(of(schema).field.values).toBeUndefined();
  });
});
