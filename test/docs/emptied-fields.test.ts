import { readFileSync } from 'node:fs';
import { bigint, decimal, type Field, type FieldConfig, Model, plain, RecordForm } from 'repose';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();
const page = readFileSync(new URL('../../docs/reference/models.md', import.meta.url), 'utf8');
const [, section = ''] = /### Emptied fields\n([\s\S]*?)\n#/.exec(page) ?? [];
const rows = section
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
const cases = rows.flatMap(([types = '', allowNull = '', by, ...sent]) =>
  [...types.matchAll(/`(\w+)`/g)].flatMap(([, type = '']) =>
    allowNull.split(', ').map((allows) => ({ type, allowNull: allows === 'yes', by: by as string, sent })),
  ),
);

const VALUES: Record<string, unknown> = {
  ...{ string: 'a', auto: 'a', json: 'a', int: 5, number: 5.5, decimal: '5.50', bigint: '5' },
  ...{ boolean: true, date: '2026-11-24T00:00:00Z', dateonly: '2026-11-24', enum: 'a' },
};
function declaredBy(type: string, allowNull: boolean): Field {
  if (type === 'decimal') return decimal({ allowNull });
  if (type === 'bigint') return bigint({ allowNull });
  return { type, allowNull, ...(type === 'enum' && { values: ['a'] }) } as FieldConfig;
}

interface Settable {
  set(values: object): void;
  save(): Promise<unknown>;
}

test('the table of emptied fields has each type, each way, with and without null', () => {
  const named = cases.map(({ type, allowNull, by }) => `${type} ${allowNull} ${by}`);
  expect(new Set(named).size).toBe(Object.keys(VALUES).length * 2 * 3);
  expect(named.length).toBe(new Set(named).size);
});

describe.each(cases)(
  'an emptied field of the type $type, allowNull: $allowNull, by $by',
  ({ type, allowNull, by, sent }) => {
    test.each(['POST', 'PUT', 'PATCH'])('%s', async (verb) => {
      class Sample extends Model.define({
        fields: {
          id: 'int',
          name: 'string',
          value: declaredBy(type, allowNull),
        },
        proxy: server.proxy('/samples', {
          dialect: plain(),
          actionMethods: { update: verb === 'PUT' ? 'PUT' : 'PATCH' },
        }),
      }) {}
      const given = { name: 'n', value: VALUES[type] };
      const record = verb === 'POST' ? new Sample(given as never) : Sample.fromRow({ id: 1, ...given });
      const settable = record as unknown as Settable;
      if (by === 'an empty input') new RecordForm(record).set('value' as never, '' as never);
      else settable.set({ value: by === '`set(null)`' ? null : undefined });
      server.always(() => ({ status: verb === 'POST' ? 201 : 200, json: { id: 1 } }));
      const expected = sent[['POST', 'PUT', 'PATCH'].indexOf(verb)] as string;
      if (expected === 'an error') {
        await expect(settable.save()).rejects.toMatchObject({ code: 'validation', issues: [{ code: 'required' }] });
        expect(server.lines).toEqual([]);
        return;
      }
      await settable.save();
      const { value } = server.last.body as { value?: unknown };
      expect([server.last.method, JSON.stringify(value) ?? 'nothing']).toEqual([verb, expected.replace(/`/g, '')]);
    });
  },
);

test('an input that gives null empties a field too, with or without null', () => {
  class Sample extends Model.define({
    fields: { id: 'int', text: 'string', count: 'int', size: { type: 'int', allowNull: true } },
  }) {}
  const record = Sample.fromRow({ id: 1, text: 'a', count: 1, size: 1 });
  const form = new RecordForm(record);
  for (const name of ['text', 'count', 'size'] as const) form.set(name, null as never);
  expect([record.text, record.count, record.size]).toEqual([null, null, null]);
  expect(Object.entries(record.$.errors).map(([name, [issue]]) => [name, issue?.code])).toEqual([
    ['text', 'required'],
    ['count', 'required'],
  ]);
});
