import {
  bigint,
  decimal,
  json,
  listOf,
  Model,
  Query,
  queryFromJSON,
  reference,
  Store,
  UnsupportedQueryError,
} from 'repose';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();
const fields = {
  id: 'int',
  hours: 'int',
  rate: 'number',
  at: 'date',
  day: 'dateonly',
  done: 'boolean',
  title: 'string',
  price: decimal(),
  code: bigint(),
  state: { type: 'enum', values: ['open', 'closed'] },
  level: { type: 'enum', values: [1, 2] },
  teamId: reference('int'),
  tags: json(),
} as const;
class Task extends Model.define({ name: 'task', fields, proxy: server.proxy('/tasks') }) {}
const rows = [5, 10, 100].map((hours, at) => ({
  ...{ id: at + 1, hours, rate: hours / 10, at: `2026-06-2${at + 4}T13:00:00Z`, day: `2026-06-2${at + 4}` },
  ...{ done: at === 0, title: String(hours), price: `${hours}.50`, code: hours, teamId: hours },
  ...{ state: at === 0 ? 'open' : 'closed', level: 1 + (at % 2), tags: [hours, at === 0 ? 'red' : 'reddish'] },
}));
const shown = (...filters: readonly unknown[]): string => {
  const tasks = new Store({ model: Task, data: rows as never });
  tasks.filter(filters as never);
  return [...tasks].map(({ id }) => id).join();
};
const refused = (...filters: readonly unknown[]) => {
  try {
    shown(...filters);
    return 'not refused';
  } catch (error) {
    return (error as UnsupportedQueryError).message.split(' (')[0];
  }
};

describe('the value of a filter', () => {
  test.each([
    ['hours', 'le', '9', '1'],
    ['hours', 'eq', '5', '1'],
    ['hours', 'in', ['5', 10, null], '1,2'],
    ['hours', 'nin', ['5', '10'], '3'],
    ['hours', 'between', ['6', '99'], '2'],
    ['hours', 'gt', 9.5, '2,3'],
    ['hours', 'gt', '9.5', '2,3'],
    ['hours', 'ne', null, '1,2,3'],
    ['hours', 'eq', null, ''],
    ['rate', 'lt', '1.0', '1'],
    ['at', 'lt', '2026-06-25T00:00:00.000Z', '1'],
    ['at', 'ge', Date.parse('2026-06-26T00:00:00Z'), '3'],
    ['at', 'in', ['2026-06-25T13:00:00Z'], '2'],
    ['done', 'eq', 'true', '1'],
    ['done', 'eq', 0, '2,3'],
    ['title', 'eq', 5, '1'],
    ['price', 'le', 10.5, '1,2'],
    ['code', 'eq', '10', '2'],
    ['code', 'in', [10, '100'], '2,3'],
    ['level', 'eq', '2', '2'],
    ['teamId', 'eq', '100', '3'],
    ['id', 'in', ['2', '3'], '2,3'],
    ['hours', 'eq', '9007199254740993', ''],
  ])('%s %s %j is read as the type of the field', (property, operator, value, expected) => {
    const filter = { property, operator, value };
    expect(shown(filter)).toBe(expected);
    expect(shown({ and: [{ or: [{ not: { not: filter } }] }] })).toBe(expected);
  });

  test.each([
    ['hours', 'eq', 'many'],
    ['hours', 'eq', ''],
    ['hours', 'in', ['5', 'many']],
    ['hours', 'eq', Number.NaN],
    ['hours', 'eq', true],
    ['at', 'lt', 'tomorrow'],
    ['at', 'between', ['2026-06-25T00:00:00Z', 'tomorrow']],
    ['at', 'eq', new Date(Number.NaN)],
    ['day', 'ge', '2026-02-30'],
    ['day', 'eq', new Date(0)],
    ['done', 'eq', 'perhaps'],
    ['code', 'eq', '1.5'],
    ['price', 'gt', 'free'],
    ['state', 'eq', 'opne'],
  ])('%s %s %j is refused, because the field cannot have it', (property, operator, value) => {
    expect(refused({ property, operator, value })).toMatch(
      new RegExp(`^the value of a filter on '${property}' must be of the type '\\w+', not `),
    );
    expect(() => Query.of(Task, { filters: [{ property, operator, value } as never] })).toThrow(UnsupportedQueryError);
  });

  test('is refused before anything is sent, and sent as the type of the field otherwise', async () => {
    const remote = (value: unknown) =>
      new Store({ model: Task, remoteFilter: true, filters: [{ property: 'at', operator: 'lt', value } as never] });
    expect(() => remote('tomorrow')).toThrow(UnsupportedQueryError);
    expect(server.requests).toEqual([]);
    server.always(() => ({ json: [] }));
    for (const value of ['2026-06-25T02:00:00+02:00', new Date('2026-06-25T00:00:00Z')]) await remote(value).load();
    const [first, second] = server.lines;
    expect(decodeURIComponent(first as string)).toContain('2026-06-25T00:00:00.000Z');
    expect(second).toBe(first);
  });

  test('is of its type in every list: sublists, queries of stored data, changes of a filter', () => {
    const list = listOf([{ hours: 5, at: new Date(0) }]);
    list.filter({ property: 'hours', value: '5' } as never);
    expect(list.count).toBe(1);
    const stored = { model: 'task', filters: [{ property: 'at', operator: 'lt', value: '2026-06-25T00:00:00.000Z' }] };
    const query = queryFromJSON(Task, stored as never);
    expect(query.filters[0]?.value).toEqual(new Date('2026-06-25T00:00:00Z'));
    expect(queryFromJSON(Task, JSON.parse(JSON.stringify(query)))).toEqual(query);
    expect(() => queryFromJSON(Task, { model: 'task', filters: [{ property: 'code', value: 'x' }] } as never)).toThrow(
      UnsupportedQueryError,
    );
    const tasks = new Store({ model: Task, data: rows as never });
    tasks.filter({ property: 'hours', value: 5 });
    expect(() => tasks.filter({ property: 'hours', value: 'x' } as never)).toThrow(UnsupportedQueryError);
    expect(tasks.count).toBe(1);
  });

  test('stays as it is where the field does not decide: parts of texts, `convert`, `isNull`, no effect', () => {
    expect(shown({ property: 'at', operator: 'like', value: 'jun' })).toMatch(/^(1,2,3)?$/);
    expect(shown({ property: 'hours', operator: 'contains', value: '0' })).toBe('2,3');
    expect(shown({ property: 'hours', value: 'x5', convert: (each: unknown) => `x${String(each).at(-1)}` })).toBe('1');
    expect(shown({ property: 'hours', operator: 'isNull', value: false })).toBe('1,2,3');
    expect(shown({ property: 'hours', value: '', disableOnEmpty: true })).toBe('1,2,3');
    expect(shown({ property: 'hours', value: 'x', disabled: true })).toBe('1,2,3');
    expect(shown({ property: 'tags', value: [5, 'red'] })).toBe('1');
  });
});

describe('`contains` on a list', () => {
  test.each([
    ['red', '1'],
    ['reddish', '2,3'],
    ['5,red', ''],
    [5, '1'],
    ['re', ''],
  ])('%j finds the lists that have it as a member', (value, expected) => {
    expect(shown({ property: 'tags', operator: 'contains', value })).toBe(expected);
  });

  test('other operators of texts ask for a member with that text', () => {
    expect(shown({ property: 'tags', operator: 'like', value: 'DISH' })).toBe('2,3');
    expect(shown({ property: 'tags', operator: 'startsWith', value: 'red' })).toBe('1,2,3');
    expect(shown({ property: 'tags', operator: 'endsWith', value: '5,red' })).toBe('');
  });

  test('null and an empty list contain nothing', () => {
    class Note extends Model.define({ fields: { id: 'int', tags: json() } }) {}
    const notes = new Store({
      model: Note,
      data: [{ id: 1, tags: null }, { id: 2, tags: [] }, { id: 3 }, { id: 4, tags: [[1], { a: 1 }] }] as never,
    });
    notes.filter({ property: 'tags', operator: 'contains', value: 'null' } as never);
    expect(notes.count).toBe(0);
    notes.filter({ property: 'tags', operator: 'contains', value: { a: 1 } } as never);
    expect([...notes].map(({ id }) => id)).toEqual([4]);
  });
});
