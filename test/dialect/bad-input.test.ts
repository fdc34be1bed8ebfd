import {
  type Dialect,
  Model,
  NetworkError,
  Operation,
  type OperationConfig,
  plain,
  rowCount,
  Store,
  type StoreConfig,
  UnsupportedQueryError,
} from 'repose';
import * as dialects from 'repose/dialects';
import {
  directus,
  django,
  ext6,
  feathers,
  jsonApi,
  jsonServer,
  laravel,
  linkHeader,
  odata4,
  pocketbase,
  postgrest,
  rails,
  redmine,
  springData,
  strapi,
  supabase,
} from 'repose/dialects';
import { describe, expect, test } from 'vitest';
import { MODEL } from '../../src/operation/operation-record.js';
import { useRestServer } from '../helpers/use-rest-server.js';

/**
 * Bad input to dialects: queries that they cannot express, and answers that cannot be right. Each is a typed error, and nothing is half
 * done: no request was sent, or the record is unchanged and keeps its edits.
 */
const server = useRestServer();

class Person extends Model.define({
  name: 'Person',
  fields: { id: 'int', name: 'string', age: 'int' },
}) {}

/** A dialect for each function of `repose/dialects`, and for each of its ways to page. */
const all: Readonly<Record<string, Dialect>> = {
  plain: plain(),
  directus: directus(),
  django: django({ paging: 'limitOffset' }),
  'django with pages': django({ paging: 'pageNumber' }),
  ext6: ext6(),
  feathers: feathers(),
  jsonApi: jsonApi(),
  'jsonServer 0.17': jsonServer({ version: '0.17' }),
  'jsonServer 1': jsonServer({ version: '1' }),
  laravel: laravel(),
  linkHeader: linkHeader(),
  odata4: odata4(),
  pocketbase: pocketbase(),
  postgrest: postgrest(),
  rails: rails({ paging: 'api-pagination', ransack: true }),
  redmine: redmine({ record: 'person' }),
  springData: springData({ format: 'page' }),
  strapi: strapi({ version: 4 }),
  'strapi with pages': strapi({ version: 4, paging: 'page' }),
  supabase: supabase({ url: 'http://rest.test', key: 'k' }),
};
/** Dialects that can name any first row, so that no window is refused. */
const ANY_START = ['directus', 'django', 'ext6', 'feathers', 'odata4', 'postgrest', 'redmine', 'strapi', 'supabase'];
const rows = Object.entries(all);
/** All but `ext6()`, whose servers get names and operators as they are. */
const checking = rows.filter(([name]) => name !== 'ext6');

const storeOf = (dialect: Dialect, config: object = {}, query: Partial<StoreConfig<Person>> = {}) =>
  new Store({
    model: Person.with({ proxy: server.proxy('/people', { dialect, ...config }) }),
    ...{ pageSize: 25, remoteSort: true, remoteFilter: true, ...query },
  });
/** Reads by an operation of the application: a store checks the names of its query itself. */
const readBy = (dialect: Dialect, query: Pick<OperationConfig, 'sorters' | 'filters'>) =>
  Person.with({ proxy: server.proxy('/people', { dialect }) }).proxy.read(
    new Operation({ action: 'read', model: new Person()[MODEL], ...query }),
  );
const refusedUnsent = async (loading: Promise<unknown>) => {
  await expect(loading).rejects.toThrow(UnsupportedQueryError);
  await expect(loading).rejects.toMatchObject({ code: 'unsupported-query' });
  expect(server.requests).toEqual([]);
};

test('is tried on every dialect', () => {
  const names = Object.keys(all).map((name) => name.replace(/ .*/, ''));
  expect(Object.keys(dialects).filter((name) => !names.includes(name))).toEqual([]);
});

describe('a query is refused before anything is sent:', () => {
  test.each(checking)('%s: an operator that nobody knows', async (_, dialect) => {
    const filters = [{ property: 'name', operator: 'resembles', value: 'Ada' }] as never;
    await refusedUnsent(readBy(dialect, { filters }));
  });

  test.each(rows)('%s: each operator that it cannot express', async (_, dialect) => {
    const known = dialect.capabilities.operators;
    const operators = ['ne', 'lt', 'nin', 'between', 'contains', 'startsWith', 'endsWith', 'like', 'isNull'] as const;
    for (const operator of known ? operators.filter((each) => !known.includes(each)) : []) {
      const filters = [{ property: 'name', operator, value: ['a', 'b'] }] as never;
      await refusedUnsent(storeOf(dialect, {}, { filters }).load());
    }
  });

  test.each(rows)('%s: each form of a tree that it cannot express', async (_, dialect) => {
    const condition = { property: 'name', value: 'Ada' } as const;
    const { trees = [] } = dialect.capabilities;
    const forms = { or: { or: [condition, condition] }, not: { not: condition } } as const;
    for (const form of ['or', 'not'] as const) {
      if (!trees.includes(form)) await refusedUnsent(storeOf(dialect, {}, { filters: [forms[form]] }).load());
    }
  });

  test.each(checking)('%s: a filter and a sorter on a name that is no field', async (_, dialect) => {
    for (const name of ['nope', '__proto__', 'toString']) {
      await refusedUnsent(readBy(dialect, { filters: [{ property: name, value: 1 }] }));
      await refusedUnsent(readBy(dialect, { sorters: [name] }));
    }
  });

  test.each(rows.filter(([name]) => !ANY_START.includes(name)))(
    '%s: a window that does not begin at the edge of a page',
    async (_, dialect) => {
      await refusedUnsent(storeOf(dialect).load({ start: 7 }));
    },
  );
});

describe('a response with status 200', () => {
  const page = '<!doctype html><title>Sign in</title>';

  test.each(rows)('%s: that is a web page fails the load, and keeps the records', async (_, dialect) => {
    const people = storeOf(dialect);
    people.setRecords([{ id: 1, name: 'Ada', age: 36 }]);
    server.always(() => ({ text: page, headers: { 'Content-Type': 'text/html' } }));
    await expect(people.load()).rejects.toMatchObject({ code: 'read', reason: 'response-json' });
    expect([people.count, people.getAt(0)?.name]).toEqual([1, 'Ada']);
  });

  test.each(rows)('%s: that is a web page fails the save; the record stays edited', async (_, dialect) => {
    const person = Person.with({ proxy: server.proxy('/people', { dialect }) }).fromRow({
      id: 1,
      name: 'Ada',
      age: 36,
    });
    person.set({ age: 37 });
    server.always(() => ({ text: page, headers: { 'Content-Type': 'text/html' } }));
    await expect(person.save()).rejects.toMatchObject({ code: 'read' });
    expect([person.dirty, person.age, person.$.modified]).toEqual([true, 37, { age: 37 }]);
  });

  test.each([
    ['plain', plain()],
    ['ext6', ext6()],
  ])('%s: that says `success: false` fails the save; the record stays edited', async (_, dialect) => {
    const person = Person.with({ proxy: server.proxy('/people', { dialect }) }).fromRow({
      id: 1,
      name: 'Ada',
      age: 36,
    });
    person.set({ age: 37 });
    server.reply({ json: { success: false, message: 'Closed for today' } });
    await expect(person.save()).rejects.toThrow(/Closed for today/);
    await expect(person.$.error).toMatchObject({ code: 'http', reason: 'http-refused' });
    expect([person.dirty, person.$.modified]).toEqual([true, { age: 37 }]);
  });

  test.each([
    ['plain', plain()],
    ['ext6', ext6()],
  ])('%s: that says `success: false` fails the load, and keeps the records', async (_, dialect) => {
    const people = storeOf(dialect);
    people.setRecords([{ id: 1, name: 'Ada', age: 36 }]);
    server.reply({ json: { success: false, message: 'Closed for today' } });
    await expect(people.load()).rejects.toMatchObject({ code: 'http', reason: 'http-refused' });
    expect(people.count).toBe(1);
  });
});

describe('a wrong total', () => {
  const body = (total: unknown) => ({ json: { data: [{ id: 1 }, { id: 2 }], total } });
  const config = { reader: { rootProperty: 'data' } };

  test.each([1, 'many', -5])('(%o, of two rows) is an error of a strict reader, which loads nothing', async (total) => {
    server.reply(body(total));
    const people = storeOf(plain(), { reader: { rootProperty: 'data', strict: true } });
    await expect(people.load()).rejects.toMatchObject({ code: 'read', reason: 'response-total' });
    expect(people.count).toBe(0);
  });

  test.each([1, 'many', -5])('(%o, of two rows) is not believed otherwise', async (total) => {
    server.reply(body(total));
    const people = storeOf(plain(), config, { pageSize: 2 });
    await people.load();
    expect([people.count, people.total]).toEqual([2, undefined]);
  });

  test('that a second request was to give, and did not, is an error', async () => {
    server.always(({ path }) => ({ json: path === '/people/count' ? { count: 'many' } : [{ id: 1 }] }));
    const people = storeOf(plain(), { countUrl: rowCount({ url: '/people/count', total: 'count' }) });
    await expect(people.load()).rejects.toMatchObject({ code: 'read', reason: 'response-count' });
    expect(people.count).toBe(0);
  });
});

describe('an address from the server that leads elsewhere', () => {
  test.each(['https://evil.test/animals/7', '/people', '/people/7/photos/3', 'urn:person:7', 'javascript:alert(1)'])(
    'the `Location` %s of a create names no record: the create is unconfirmed, the record stays new',
    async (location) => {
      server.reply({ status: 201, headers: { Location: location } });
      const person = new (Person.with({ proxy: server.proxy('/people', { dialect: plain() }) }))({ name: 'Ada' });
      await expect(person.save()).rejects.toMatchObject({ code: 'read', reason: 'response-no-id' });
      expect([person.phantom, person.$.unconfirmed, person.name]).toEqual([true, true, 'Ada']);
      expect(server.requests).toHaveLength(1);
    },
  );

  test.each([
    ['in `Link`', plain(), { json: [{ id: 1 }], headers: { Link: '<https://evil.test/people>; rel="next"' } }],
    [
      'in `Link`, to linkHeader()',
      linkHeader(),
      { json: [{ id: 1 }], headers: { Link: '<//evil.test/x>; rel="next"' } },
    ],
    [
      'in the body, to odata4()',
      odata4(),
      { json: { value: [{ id: 1 }], '@odata.nextLink': 'ftp://evil.test/People' } },
    ],
  ])('`next` on another host %s is refused, and nothing is sent there or here', async (_, dialect, reply) => {
    server.reply(reply);
    const people = storeOf(dialect, {}, { pageSize: 1 });
    await people.load();
    const sent = server.requests.length;
    await expect(people.loadMore()).rejects.toMatchObject({ code: 'address', reason: 'url-link' });
    expect([server.requests.length, people.count]).toEqual([sent, 1]);
  });

  test('of `next` on another host only the query is used, on our own address', async () => {
    const headers = { Link: '<https://evil.test/steal?page=2>; rel="next"' };
    server.reply({ json: [{ id: 1 }], headers }, { json: [{ id: 2 }] });
    const people = storeOf(plain(), { headers: { Authorization: 'secret' } }, { pageSize: 1 });
    await people.load();
    await people.loadMore();
    expect(server.last.url).toBe('/people?page=2');
  });

  test('of `next` on another host only the cursor is used by django()', async () => {
    const next = 'https://evil.test/steal?cursor=cD0y&page_size=1';
    server.reply({ json: { results: [{ id: 1 }], next } }, { json: { results: [{ id: 2 }], next: null } });
    const people = storeOf(django({ paging: 'cursor' }), {}, { pageSize: 1 });
    await people.load();
    await people.loadMore();
    expect([server.last.path, server.last.query.get('cursor')]).toEqual(['/people/', 'cD0y']);
  });
});

test('a server that cannot be reached is no response, and leaves the record edited', async () => {
  const person = Person.with({ proxy: server.proxy('/people', { dialect: plain() }) }).fromRow({ id: 1, name: 'Ada' });
  person.set({ name: 'Bob' });
  server.reply({ drop: true });
  await expect(person.save()).rejects.toThrow(NetworkError);
  expect(person.dirty).toBe(true);
});
