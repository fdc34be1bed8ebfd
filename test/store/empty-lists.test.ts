import {
  and,
  type Dialect,
  explain,
  type FilterConfig,
  Model,
  nextPage,
  not,
  Operation,
  or,
  plain,
  printExplanation,
  type RecordWindow,
  rowCount,
  Store,
  where,
  windowOf,
} from 'repose';
import * as families from 'repose/dialects';
import { defineDialect } from 'repose/extend';
import { groups } from 'repose/groups';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';
import { shown, tick } from './support.js';

const server = useRestServer();
class Person extends Model.define({
  name: 'person',
  fields: { id: 'int', name: 'string', age: { type: 'int', allowNull: true } },
  proxy: server.proxy('/people', { dialect: plain() }),
}) {}

const { id, name, age } = where(Person);
const never = id.in([]);
const always = id.nin([]);

/** Filters that no record can pass. */
const nothing: readonly (readonly [string, readonly FilterConfig<Person>[]])[] = [
  ['`in` with an empty list', [never]],
  ['`not` around `nin`', [not(always)]],
  ['`and` with it', [and(name.eq('Ada'), never)]],
  ['it among other filters', [name.eq('Ada'), never]],
  ['`or` of such conditions', [or(never, and(age.ge(18), never))]],
  ['`not` around an `or` that is always true', [not(or(name.eq('Ada'), always))]],
  ['it beside a condition that the dialect cannot express', [age.ge(18), never]],
];

/** Filters with the condition that remains of them; undefined if none remains. */
const rest: readonly (readonly [string, readonly FilterConfig<Person>[], FilterConfig<Person> | undefined])[] = [
  ['`nin` with an empty list', [always], undefined],
  ['`not` around `in`', [not(never)], undefined],
  ['`or` with it', [or(age.ge(18), always)], undefined],
  ['`and` of such conditions', [and(always, not(never))], undefined],
  ['`or` of `in` and a condition', [or(never, name.eq('Ada'))], name.eq('Ada')],
  ['`and` of `nin` and a condition', [and(always, name.eq('Ada'))], name.eq('Ada')],
  ['`not` of `not` in such an `or`', [or(not(not(never)), name.eq('Ada'))], name.eq('Ada')],
];

/** The ids that a window shows. */
function shownIn(window: RecordWindow<Person>): unknown[] {
  return window.list
    .get()
    .slice()
    .map((record) => record?.getId());
}

const bind = (dialect: Dialect, countUrl?: string) =>
  Person.with({ proxy: server.proxy('/people', { dialect, ...(countUrl && { countUrl: rowCount(countUrl) }) }) });
const options: Readonly<Record<string, object>> = {
  jsonServer: { version: '1' },
  strapi: { version: 5 },
  redmine: { record: 'person' },
  supabase: { url: 'http://rest.test', key: 'key' },
};
const allFamilies: readonly (readonly [string, Dialect])[] = [
  ['plain', plain()],
  ...Object.entries(families).map(([each, make]): readonly [string, Dialect] => [
    each,
    (make as (given: object) => Dialect)(options[each] ?? {}),
  ]),
];

describe.each(nothing)('%s', (_, filters) => {
  const data = [{ id: 1, name: 'Ada', age: 36 }];

  test('lets no record pass in the store', () => {
    expect(shown(new Store({ model: Person, data, filters }))).toEqual([]);
  });

  test('is an empty page, without a request', async () => {
    const people = new Store({ model: Person, remoteFilter: true, pageSize: 2, filters });
    expect(await people.load()).toEqual([]);
    expect([people.count, people.total, people.hasMore, people.status.get().loaded]).toEqual([0, 0, false, true]);
    expect(await people.loadMore()).toEqual([]);
    expect(await nextPage(people)).toEqual([]);
    expect(await people.reload()).toEqual([]);
    expect(await people.load({ start: 40, limit: 20 })).toEqual([]);
    expect(server.requests).toEqual([]);
  });

  test('shows no rows in a window, and loads them again when the filter goes', async () => {
    const people = new Store({ model: Person, remoteFilter: true, pageSize: 2, filters });
    const window = windowOf(people, { start: 0, end: 2 });
    await window.show({ start: 0, end: 2 });
    expect([window.total, window.count, shownIn(window)]).toEqual([0, 0, []]);
    expect(server.requests).toEqual([]);
    server.reply({ json: data, headers: { 'X-Total-Count': '1' } });
    people.filter([]);
    await window.show({ start: 0, end: 2 });
    expect([window.total, shownIn(window)]).toEqual([1, [1]]);
    window.dispose();
  });

  test('has groups and summaries of no records, and asks no `countUrl`', async () => {
    const model = bind(plain(), '/people/count');
    const by = groups({ by: ['name'], summaries: { age: 'sum' } });
    const people = new Store({ model, remoteFilter: true, remoteSort: true, pageSize: 2, filters, groups: by });
    await people.load();
    expect([people.total, [...people.groups], people.groups.summaries.age]).toEqual([0, [], 0]);
    expect(server.requests).toEqual([]);
  });

  test('builds no request: without its filters it would ask for all records', async () => {
    const operation = new Operation({ action: 'read', filters });
    const { refused, request } = await explain(Person.proxy, operation);
    expect([refused?.code, request]).toEqual(['unsupported-query', undefined]);
    expect(printExplanation(await explain(Person.proxy, operation))).toContain(
      'answers with an empty page without one',
    );
    expect(() =>
      (Person.proxy as unknown as { buildRequest(each: Operation): unknown }).buildRequest(operation),
    ).toThrow('No record can pass the filters');
  });
});

describe.each(rest)('%s', (_, filters, remaining) => {
  test('sends what remains', async () => {
    const sent = async (given: readonly FilterConfig<Person>[]) => {
      const people = new Store({ model: Person, remoteFilter: true, filters: given });
      server.reply({ json: [{ id: 1 }] });
      await people.load();
      return server.last.query.toString();
    };
    expect(await sent(filters)).toBe(await sent(remaining ? [remaining] : []));
  });
});

describe.each(allFamilies)('%s()', (_, dialect) => {
  test('never gets an empty list', async () => {
    const model = bind(dialect);
    const people = new Store({ model, remoteFilter: true, pageSize: 0, filters: [never] });
    expect(await people.load()).toEqual([]);
    expect([people.total, server.requests.length]).toEqual([0, 0]);
  });
});

describe('an empty list', () => {
  test('is not sent by a dialect of the application either, and is gone from what `sentFilters` gives', async () => {
    const seen: unknown[] = [];
    const own = defineDialect({
      ...plain(),
      name: 'own',
      filter: ({ request }) => seen.push(request.operation.filters),
    });
    const people = new Store({ model: bind(own), remoteFilter: true, filters: [never] });
    await people.load();
    expect([seen, server.requests.length]).toEqual([[], 0]);
  });

  test('rejects a read that is aborted, as a request does', async () => {
    const operation = new Operation({ action: 'read', filters: [never], signal: AbortSignal.abort() });
    await expect(Person.proxy.read(operation)).rejects.toMatchObject({ code: 'abort' });
  });

  test('keeps records with pending changes, and tells the load', async () => {
    const people = new Store({ model: Person, remoteFilter: true });
    server.reply({ json: [{ id: 1, name: 'Ada' }] });
    const [ada] = await people.load();
    ada?.set('name', 'Grace');
    const loads: unknown[] = [];
    people.on('load', ({ records }) => loads.push(records));
    people.filter(never);
    await tick();
    expect([people.count, loads, people.pending.edited]).toEqual([0, [[]], [ada]]);
  });

  test('is disabled by `disableOnEmpty`', async () => {
    const people = new Store({
      model: Person,
      remoteFilter: true,
      filters: [{ property: 'id', operator: 'in', value: [], disableOnEmpty: true }],
    });
    server.reply({ json: [{ id: 1, name: 'Ada' }] });
    await people.load();
    expect([people.count, [...server.last.query.keys()]]).toEqual([1, ['page', 'limit']]);
  });
});
