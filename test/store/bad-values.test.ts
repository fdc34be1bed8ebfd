import { explain, isDataError, Model, nextPage, Operation, plain, previousPage, Store, windowOf } from 'repose';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();
class Task extends Model.define({
  name: 'task',
  fields: { id: 'int', title: 'string', meta: 'json' },
  proxy: server.proxy('/tasks', { dialect: plain() }),
}) {}

const data = [{ id: 1, title: 'a' }];
const circle: Record<string, unknown> = {};
circle['self'] = circle;
circle['list'] = [circle];
let deep: unknown = {};
for (let level = 0; level < 20_000; level += 1) deep = level % 2 ? [deep] : { deep };
let deepFilter: object = { property: 'title', value: 'a' };
for (let level = 0; level < 20_000; level += 1) deepFilter = level % 2 ? { not: deepFilter } : { or: [deepFilter] };
const filterInItself: { and: unknown[] } = { and: [{ property: 'title', value: 'a' }] };
filterInItself.and.push(filterInItself);
const throwing = {
  toJSON() {
    throw new Error('no text');
  },
};
const deepPath = `meta${'.a'.repeat(20_000)}`;

const local = (filters: unknown) => new Store({ model: Task, data }).filter(filters as never);
const remote = (filters: unknown) => new Store({ model: Task, remoteFilter: true, filters: filters as never }).load();
const saved = () => Task.fromRow({ id: 1, title: 'a', meta: {} });

const calls: readonly (readonly [string, () => unknown, code: string])[] = [
  ['set() to a value that contains itself', () => saved().set('meta', circle), 'field'],
  ['set() to a deep value', () => saved().set('meta', deep), 'field'],
  ['set() of several fields', () => saved().set({ title: 'b', meta: [circle] }), 'field'],
  ['set() to a path inside', () => saved().set('meta.a.b' as never, circle as never), 'field'],
  ['an assignment', () => Object.assign(saved(), { meta: circle }), 'field'],
  ['a new record', () => new Task({ meta: circle }), 'field'],
  ['add()', () => new Store({ model: Task }).add({ meta: deep }), 'field'],
  ['setRecords()', () => new Store({ model: Task }).setRecords([{ id: 1, meta: circle }]), 'foreign'],
  ['a path of 20,000 names', () => saved().set(deepPath as never, 1 as never), 'field'],
  ['a filter by a value that contains itself', () => local({ property: 'title', value: circle }), 'unsupported-query'],
  ['a filter by a deep value', () => remote([{ property: 'title', value: deep }]), 'unsupported-query'],
  [
    'a list with a deep value',
    () => remote([{ property: 'title', operator: 'in', value: [deep] }]),
    'unsupported-query',
  ],
  ['a deep filter in the store', () => local(deepFilter), 'unsupported-query'],
  ['a deep filter in the query', () => remote([deepFilter]), 'unsupported-query'],
  ['a filter that contains itself', () => local(filterInItself), 'unsupported-query'],
  [
    'a deep filter of an operation',
    () => new Operation({ action: 'read', filters: [deepFilter] }),
    'unsupported-query',
  ],
  ['a filter by a value whose `toJSON` throws', () => remote([{ property: 'title', value: throwing }]), 'address'],
  ['parameters with such a value', () => new Store({ model: Task }).load({ params: { a: throwing } }), 'address'],
  ['parameters that contain themselves', () => new Store({ model: Task }).load({ params: { a: circle } }), 'address'],
  ['saving such a value', () => new Task({ meta: throwing }).save(), 'validation'],
];

describe('bad input is refused with an error that has a code, before anything is sent', () => {
  test.each(calls)('%s', async (_, act, code) => {
    const error = await (async () => act())().then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(isDataError(error) && error.code, String((error as Error | undefined)?.stack)).toBe(code);
    expect((error as Error).message.length).toBeLessThan(1000);
    expect(server.requests).toEqual([]);
  });

  test('a mapping of 20,000 names', () => {
    expect(() => Model.define({ fields: { id: 'int', a: { type: 'int', mapping: deepPath } } })).toThrow(
      expect.objectContaining({ code: 'definition' }),
    );
  });

  test('an id that has no text is no id', () => {
    const store = new Store({ model: Task, data });
    expect(store.getById(Object.create(null) as never)).toBeUndefined();
  });

  test('the record and the store stay as they were', () => {
    const task = saved();
    const store = new Store({ model: Task, data, filters: [{ property: 'title', value: 'a' }] });
    const { filters } = store.query;
    expect(() => task.set({ title: 'b', meta: circle })).toThrow();
    expect(() => store.filter(deepFilter as never)).toThrow();
    expect(() => store.setRecords([{ id: 2 }, { id: 3, meta: circle }])).toThrow();
    expect([task.title, task.$.state.get().dirty, store.query.filters, store.count]).toEqual(['a', false, filters, 1]);
  });
});

describe('trees and values that are nested, but not too deeply, work everywhere', () => {
  test('a filter of 200 levels', async () => {
    let filter: object = { property: 'title', value: 'a' };
    for (let level = 0; level < 200; level += 1) filter = { not: filter };
    const store = new Store({ model: Task, data });
    store.filter(filter as never);
    expect(store.count).toBe(1);
    expect(() => store.filter({ not: filter } as never)).toThrow('nested at most 200 levels deep');
  });

  test('a value of 1,000 levels', () => {
    let value: unknown = 1;
    for (let level = 0; level < 1000; level += 1) value = [value];
    const task = saved().set('meta', value);
    expect(JSON.stringify(task.meta)).toBe(`${'['.repeat(1000)}1${']'.repeat(1000)}`);
  });

  test('one object at several places of a value', () => {
    const part = { a: 1 };
    expect(saved().set('meta', { x: part, y: [part, part] }).meta).toEqual({ x: part, y: [part, part] });
  });
});

const numbers: readonly (readonly [string, unknown])[] = [
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['a negative number', -1],
  ['a fraction', 1.5],
  ['a number that is not safe', 2 ** 60],
  ['a text', '2'],
];

describe.each(numbers)('%s as the number of a page, a start or a limit', (_, number) => {
  const given = number as number;
  const store = () => new Store({ model: Task, pageSize: 10 });
  test.each<readonly [string, () => unknown]>([
    ['load({ page })', () => store().load({ page: given })],
    ['load({ start })', () => store().load({ start: given })],
    ['load({ limit })', () => store().load({ limit: given })],
    ['loadPage()', () => store().load({ page: given })],
    ['reload({ limit })', () => store().reload({ limit: given })],
    ['loadMore({ limit })', () => store().loadMore({ limit: given } as never)],
    ['nextPage({ limit })', () => nextPage(store(), { limit: given })],
    ['previousPage({ start })', () => previousPage(store(), { start: given })],
    ['pageSize', () => new Store({ model: Task, pageSize: given })],
    ['setPageSize()', () => store().setPageSize(given)],
    ['autoLoad', () => new Store({ model: Task, autoLoad: { page: given } })],
    ['an operation by its page', () => new Operation({ action: 'read', page: given })],
    ['an operation by its start', () => new Operation({ action: 'read', start: given, limit: 10 })],
    ['an operation by its limit', () => new Operation({ action: 'read', limit: given })],
    ['explain()', () => explain(Task.proxy, { action: 'read', page: given })],
  ])('is refused by %s', async (__, act) => {
    const error = await (async () => act())().then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(isDataError(error), String(error)).toBe(true);
    expect(['unsupported-query', 'definition']).toContain((error as { code?: unknown }).code);
    expect(server.requests).toEqual([]);
  });
});

test.each([Number.NaN, 1.5, '1', null])(
  'a window is refused by %o as its start or end, if that is no number',
  (start) => {
    const window = windowOf(new Store({ model: Task }));
    const show = () => void window.show({ start: start as number, end: 10 });
    // A scroll position may lie between two rows.
    if (start === 1.5) expect(show).not.toThrow();
    else expect(show).toThrow(expect.objectContaining({ code: expect.stringMatching(/unsupported-query|definition/) }));
    window.dispose();
  },
);
