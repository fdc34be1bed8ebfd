import {
  AddressError,
  AjaxProxy,
  AuthError,
  and,
  bigint,
  DefinitionError,
  explain,
  HttpError,
  Model,
  not,
  or,
  ReadError,
  type RestProxy,
  type RestProxyConfig,
  retry,
  Store,
  UnsupportedQueryError,
  ValidationError,
  where,
} from 'repose';
import { type PostgrestOptions, postgrest, type SupabaseOptions, supabase } from 'repose/dialects';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

/**
 * Not run against a PostgREST. Addresses, headers and answers are those of its documentation, https://docs.postgrest.org/en/v12:
 * references/api/tables_views (operators, logical operators, order, limits, insert, update, upsert, delete), api/pagination_count,
 * api/url_grammar (reserved characters), api/preferences, and references/errors; for supabase(), https://supabase.com/docs/guides/api.
 */
const server = useRestServer();

class Person extends Model.define({
  name: 'person',
  fields: {
    id: 'int',
    name: 'string',
    age: { type: 'int', allowNull: true },
    student: 'boolean',
    city: { type: 'string', mapping: 'address.city' },
    floor: { type: 'int', mapping: 'address.floor' },
    cpe: { type: 'string', mapping: '["information.cpe"]' },
    rank: { type: 'int', mapping: 'order' },
    price: { type: 'number', mapping: 'Unit Price' },
    born: 'date',
    label: { type: 'string', mapping: (row: { label?: string }) => row.label },
  },
}) {}

const bind = (options: PostgrestOptions = {}, config: RestProxyConfig = {}) =>
  Person.with({ proxy: server.proxy('/people', { dialect: postgrest(options), ...config }) });
const { name, age, student, city, floor, cpe, rank, price, born } = where(Person);
const row = { id: 7, name: 'Ed', age: 36 };
const lastUrl = () => decodeURIComponent(server.last.url);

interface Query {
  filters?: readonly unknown[];
  sorters?: readonly unknown[];
  search?: string;
  params?: object;
}
const explained = (query: Query, config: RestProxyConfig = {}) =>
  explain(bind({}, config).proxy, { action: 'read', model: Person, ...query } as never);
/** The query of a list as the server decodes it. */
const queryOf = async (query: Query) => {
  const { request, refused } = await explained(query);
  if (refused) throw refused;
  return decodeURIComponent(request?.url ?? '').slice('/people'.length);
};

describe('lists', () => {
  test('asks for limit, offset and order, counts on request, and takes the total from Content-Range', async () => {
    const people = new Store({
      model: bind({ count: 'exact' }),
      pageSize: 15,
      remoteSort: true,
      remoteFilter: true,
      grouper: 'student',
      sorters: [{ property: 'age', direction: 'DESC' }, 'name', { property: 'name', direction: 'DESC' }],
      filters: [age.ge(18)],
    });
    server.reply({ status: 206, json: [row], headers: { 'Content-Range': '30-44/3573458' } });
    await people.load({ page: 3 });
    expect(lastUrl()).toBe(
      '/people?limit=15&offset=30&order=student.asc.nullsfirst,age.desc.nullslast,name.asc.nullsfirst&age=gte.18',
    );
    expect(server.last.headers['prefer']).toBe('count=exact');
    expect([people.total, people.getAt(0)?.name]).toEqual([3573458, 'Ed']);
  });

  test.each(['planned', 'estimated'] as const)('counts as %s', async (count) => {
    server.reply({ status: 206, json: [row], headers: { 'Content-Range': '0-24/3572000' } });
    const people = new Store({ model: bind({ count }), pageSize: 25 });
    await people.load();
    expect(server.last.headers['prefer']).toBe(`count=${count}`);
    expect(people.total).toBe(3572000);
  });

  test('sends no preference without a count, and has no total then', async () => {
    server.reply({ json: [row], headers: { 'Content-Range': '0-14/*' } });
    const people = new Store({ model: bind(), pageSize: 1 });
    await people.load();
    expect(server.last.headers).not.toHaveProperty('prefer');
    expect(people.total).toBe(undefined);
  });

  test('takes a page behind the last row for an empty one', async () => {
    const people = new Store({ model: bind({ count: 'exact' }), pageSize: 10 });
    server.reply({
      status: 416,
      headers: { 'Content-Range': '*/57' },
      json: {
        code: 'PGRST103',
        details: 'An offset of 80 was requested, but there are only 57 rows.',
        hint: null,
        message: 'Requested range not satisfiable',
      },
    });
    await people.load({ page: 9 });
    expect([people.count, people.total]).toEqual([0, 57]);
    server.reply({ status: 416, json: {} });
    await people.load({ page: 9 });
    expect([people.count, people.total]).toEqual([0, undefined]);
  });

  test('keeps every digit of long numbers', async () => {
    class Entry extends Model.define({
      fields: { id: 'auto', size: bigint() },
      proxy: server.proxy('/entries', { dialect: postgrest() }),
    }) {}
    server.reply({ text: '[{"id":9223372036854775807,"size":9007199254740993}]' });
    const entries = new Store({ model: Entry });
    await entries.load();
    const entry = entries.getAt(0);
    expect(entry?.size).toBe(9007199254740993n);
    server.reply({ text: '[{"id":9223372036854775807,"size":1}]' });
    entry?.set('size', 1n);
    await entry?.save();
    expect(server.last.url).toBe('/entries?id=eq.9223372036854775807');
  });
});

describe('filters', () => {
  test.each<[string, readonly unknown[], string]>([
    ['equal', [name.eq('Ed')], '?name=eq.Ed'],
    ['true', [student.eq(true)], '?student=eq.true'],
    ['not equal', [age.ne(3)], '?age=neq.3'],
    ['two conditions on one field', [age.gt(18), age.lt(65)], '?age=gt.18&age=lt.65'],
    ['a range', [age.between(18, 65)], '?age=gte.18&age=lte.65'],
    ['a date', [born.le(new Date(0))], '?born=lte.1970-01-01T00:00:00.000Z'],
    ['one of a list', [name.in(['Hebdon,John', 'Ed'])], '?name=in.("Hebdon,John",Ed)'],
    [
      'quotes and backslashes in a list',
      [name.in(['Quote:"', 'Backslash:\\'])],
      '?name=in.("Quote:\\"","Backslash:\\\\")',
    ],
    ['one of a list of one', [name.in([''])], '?name=eq.'],
    ['none of a list', [age.nin([1, 2])], '?age=not.in.(1,2)'],
    ['no value', [age.isNull(), name.eq(null as never)], '?age=is.null&name=is.null'],
    ['any value', [age.isNull(false), name.ne(null as never)], '?age=not.is.null&name=not.is.null'],
    [
      'a member that is null',
      [city.isNull(), floor.isNull()],
      '?and=(address->>city.is.null)&and=(address->>floor.is.null)',
    ],
    ['a member that is not null', [floor.isNull(false)], '?and=(address->>floor.not.is.null)'],
    ['a member that is there, also if it is null', [city.exists()], '?and=(address->city.not.is.null)'],
    [
      'a member that is missing',
      [city.exists(false), not(floor.exists())],
      '?and=(address->city.is.null)&and=(address->floor.is.null)',
    ],
    ['a text inside', [name.like('O(T')], '?name=ilike.*O(T*'],
    ['a text inside, in this case', [name.contains('ed')], '?name=like.*ed*'],
    ['a text at the start and end', [name.startsWith('E'), name.endsWith('d')], '?name=like.E*&name=like.*d'],
    ['wildcards as they are', [name.contains('50%_\\')], '?name=like.*50\\%\\_\\\\*'],
    ['a value with reserved characters', [name.eq('a,b.c:(d)"e"\\')], '?name=eq.a,b.c:(d)"e"\\'],
    ['or', [or(age.lt(18), age.gt(21))], '?or=(age.lt.18,age.gt.21)'],
    [
      'reserved characters in a list of conditions',
      [or(name.eq('a,b)'), name.eq('"\\'), name.eq(''))],
      '?or=(name.eq."a,b)",name.eq."\\"\\\\",name.eq."")',
    ],
    [
      'a pattern in a list of conditions',
      [or(name.like('a.b%'), age.isNull())],
      '?or=(name.ilike."*a.b\\\\%*",age.is.null)',
    ],
    [
      'and in or, or in and',
      [or(and(age.ge(14), student.eq(true)), and(age.in([1, 2]), or(age.eq(1), age.eq(2))))],
      '?or=(and(age.gte.14,student.eq.true),and(age.in.(1,2),or(age.eq.1,age.eq.2)))',
    ],
    ['a range in or', [or(age.between(1, 2), age.eq(9))], '?or=(and(age.gte.1,age.lte.2),age.eq.9)'],
    ['and at the top, as conditions', [and(age.ge(1), name.eq('Ed'))], '?age=gte.1&name=eq.Ed'],
    [
      'not of a condition',
      [not(age.eq(2)), not(age.isNull()), not(age.nin([1, 2])), not(age.isNull(false))],
      '?age=not.eq.2&age=not.is.null&age=in.(1,2)&age=is.null',
    ],
    [
      'not of a tree',
      [not(and(age.ge(0), age.le(100))), not(or(age.eq(1), not(age.eq(2))))],
      '?not.and=(age.gte.0,age.lte.100)&not.or=(age.eq.1,age.not.eq.2)',
    ],
    ['not of a range', [not(age.between(0, 9))], '?not.and=(age.gte.0,age.lte.9)'],
    [
      'not of not',
      [not(not(age.eq(2))), or(not(not(age.eq(1))), not(and(age.eq(3), age.eq(4))))],
      '?age=eq.2&or=(age.eq.1,not.and(age.eq.3,age.eq.4))',
    ],
    [
      'two trees',
      [or(age.eq(1), age.eq(2)), or(name.eq('a'), name.eq('b'))],
      '?or=(age.eq.1,age.eq.2)&or=(name.eq.a,name.eq.b)',
    ],
    [
      'a field inside a JSON column',
      [city.eq('Rome'), floor.ge(2), city.in(['A', 'B'])],
      '?and=(address->>city.eq.Rome)&and=(address->floor.gte.2)&and=(address->>city.in.(A,B))',
    ],
    [
      'a column with a dot, a space, or the name of a parameter',
      [cpe.like('MS'), price.lt(200), rank.eq(1)],
      '?and=("information.cpe".ilike."*MS*")&and=(order.eq.1)&"Unit Price"=lt.200',
    ],
  ])('writes %s', async (_, filters, query) => {
    expect(await queryOf({ filters })).toBe(query);
  });

  test('encodes them for the query, and the server decodes the same', async () => {
    const people = new Store({ model: bind(), remoteFilter: true, pageSize: 0, filters: [name.eq('a&b=c+d ü#?%2C')] });
    server.reply({ json: [] });
    await people.load();
    expect(server.last.url).toBe('/people?name=eq.a%26b%3Dc%2Bd%20%C3%BC%23%3F%252C');
    expect(server.last.query.get('name')).toBe('eq.a&b=c+d ü#?%2C');
  });

  test.each<[string, Query, RegExp]>([
    ['a text with `*`', { filters: [name.like('a*b')] }, /the character '\*' in a value of 'name'/],
    ['a member that is a column', { filters: [name.exists()] }, /`exists` of the column 'name'.*isNull/],
    ['null in a list', { filters: [name.in([null as never, 'a'])] }, /null as a value of 'name' with 'in'.*isNull/],
    ['null compared', { filters: [age.gt(null as never)] }, /null as a value of 'age' with '?(gt|>)/],
    ['a list as a value', { filters: [{ property: 'name', value: ['a'] }] }, /a list as a value of 'name'/],
    ['a range of one', { filters: [{ property: 'age', operator: 'between', value: [1] }] }, /'between' with 1 values/],
    ['what is no field', { filters: [{ property: 'nme', value: 1 }] }, /nme/],
    ['a field without a member', { filters: [{ property: 'label', value: 1 }] }, /label/],
    ['a sorter without a member', { sorters: ['label'] }, /label/],
    ['a search', { search: 'ed' }, /a search/],
    [
      'a filter beside a parameter of its name',
      { filters: [age.eq(1)], params: { age: 'gt.3' } },
      /two parameters named 'age'/,
    ],
  ])('refuses %s before anything is sent', async (_, query, why) => {
    const { refused } = await explained(query);
    expect(refused).toBeInstanceOf(UnsupportedQueryError);
    expect(refused?.message).toMatch(why);
  });

  test('sorts by fields inside JSON and by columns of any name', async () => {
    expect(await queryOf({ sorters: ['city', 'cpe', 'rank', 'price'] })).toBe(
      '?order=address->city.asc.nullsfirst,"information.cpe".asc.nullsfirst,order.asc.nullsfirst,"Unit Price".asc.nullsfirst',
    );
  });
});

describe('single records', () => {
  test('are read by a filter: the first row of the response', async () => {
    server.reply({ json: [row] });
    const person = await bind({ count: 'exact' }).load(7);
    expect(server.lines).toEqual(['GET /people?id=eq.7']);
    expect(server.last.headers).not.toHaveProperty('prefer');
    expect(person.name).toBe('Ed');
  });

  test('that do not exist are answered with no row', async () => {
    server.reply({ json: [] });
    await expect(bind().load(8)).rejects.toMatchObject({ reason: 'response-record' });
  });

  test('are updated by PATCH of the edited fields, and take the returned row', async () => {
    server.reply({ json: [{ ...row, name: 'Bob', age: 37 }] });
    const person = bind().fromRow(row);
    person.set('name', 'Bob');
    await person.save();
    expect(server.last).toMatchObject({ method: 'PATCH', url: '/people?id=eq.7', body: { name: 'Bob' } });
    expect(server.last.headers['prefer']).toBe('return=representation');
    expect([person.age, person.dirty]).toEqual([37, false]);
  });

  test('are created with the returned row', async () => {
    server.reply({ status: 201, json: [{ ...row, id: 8, name: 'Ann' }] });
    const Bound = bind();
    const person = new Bound({ name: 'Ann' });
    await person.save();
    expect(server.last).toMatchObject({ method: 'POST', url: '/people', body: { name: 'Ann' } });
    expect(server.last.headers['prefer']).toBe('return=representation');
    expect([person.id, person.age]).toEqual([8, 36]);
  });

  test('are erased by a filter', async () => {
    server.reply({ json: [row] });
    await bind().fromRow(row).erase();
    expect(server.lines).toEqual(['DELETE /people?id=eq.7']);
    expect(server.last.text).toBe('');
  });

  test('keep their address with a query in `url`', async () => {
    server.reply({ json: [row] });
    const person = bind({}, { url: '/people?select=id,name' }).fromRow(row);
    person.set('name', 'Bob');
    await person.save();
    expect(server.last.url).toBe('/people?id=eq.7&select=id,name');
  });

  test.each(['a/b', 'ü', 'a"b', 'a,b.c:(d)', '..', 'a b+c', '100%', 'null', '-1'])('may have the id %s', async (id) => {
    class Tag extends Model.define({
      fields: { id: 'string', text: 'string' },
      proxy: server.proxy('/tags', { dialect: postgrest() }),
    }) {}
    server.always(() => ({ json: [{ id, text: 'a' }] }));
    const tag = await Tag.load(id);
    tag.set('text', 'b');
    await tag.save();
    await tag.erase();
    expect(server.requests.map(({ path, query }) => [path, query.get('id')])).toEqual(
      Array.from({ length: 3 }, () => ['/tags', `eq.${id}`]),
    );
  });

  test('are named by the column of their id', async () => {
    class Country extends Model.define({
      idProperty: 'code',
      fields: { code: { type: 'string', mapping: 'iso_code' }, name: 'string' },
      proxy: server.proxy('/countries', { dialect: postgrest() }),
    }) {}
    server.reply({ json: [{ iso_code: 'it', name: 'Italy' }] });
    await Country.load('it');
    expect(server.lines).toEqual(['GET /countries?iso_code=eq.it']);
  });

  test.each(['key.id', '["a.b"]', 'order', 'and', 'select'])(
    'are refused where the server would not filter by the column %s of the id',
    async (mapping) => {
      class Odd extends Model.define({
        fields: { id: { type: 'int', mapping }, name: 'string' },
        proxy: server.proxy('/odd', { dialect: postgrest() }),
      }) {}
      const odd = Odd.fromRow(mapping === 'key.id' ? { key: { id: 7 } } : { [mapping.replace(/[["\]]/g, '')]: 7 });
      expect(odd.id).toBe(7);
      await expect(odd.erase()).rejects.toThrow(UnsupportedQueryError);
      expect(server.requests).toEqual([]);
    },
  );
});

describe('writes that match no row', () => {
  const nothing = { json: [], headers: { 'Content-Range': '*/*' } };

  test('are errors with the status 404, and the record stays as it was', async () => {
    const Bound = bind();
    server.always(() => nothing);
    const person = Bound.fromRow(row);
    person.set('name', 'Bob');
    const error = await person.save().catch((each: unknown) => each);
    expect(error).toBeInstanceOf(HttpError);
    expect(error).toMatchObject({ status: 404, reason: 'http-not-found' });
    expect((error as Error).message).toMatch(/no row matched: it does not exist, or a policy of the database hides it/);
    expect([person.name, person.dirty]).toEqual(['Bob', true]);
    const people = new Store({ model: Bound, data: [row] });
    await expect(people.getAt(0)?.erase()).rejects.toMatchObject({ status: 404 });
    expect(people.count).toBe(1);
  });

  test('confirm an erase that is repeated after its response was lost', async () => {
    const Bound = bind({}, { use: [retry({ limit: 1, random: () => 0 })] });
    const people = new Store({ model: Bound, data: [row] });
    server.reply({ drop: true }, nothing);
    await people.getAt(0)?.erase();
    expect(server.lines).toEqual(['DELETE /people?id=eq.7', 'DELETE /people?id=eq.7']);
    expect(people.count).toBe(0);
  });

  test.each([
    [
      'update',
      (person: Person) => {
        person.set('name', 'Bob');
        return person.save();
      },
    ],
    ['destroy', (person: Person) => person.erase()],
  ])('cannot hide behind an empty response to an %s', async (_, write) => {
    server.always(() => ({ status: 204, headers: { 'Content-Range': '*/*' } }));
    const person = bind({}, { headers: { Prefer: 'return=minimal' } }).fromRow(row);
    await expect(write(person)).rejects.toThrow(/leave the header `Prefer` to the dialect/);
    await expect(write(person)).rejects.toBeInstanceOf(ReadError);
  });
});

describe('an update or erase without the id', () => {
  const saved = bind().fromRow(row);
  test('is refused in a singleton', async () => {
    await expect(bind({}, { singleton: true }).fromRow(row).erase()).rejects.toBeInstanceOf(AddressError);
    expect(server.requests).toEqual([]);
  });

  test.each([
    ['appendId: false', { appendId: false }],
    ['another idParam', { idParam: 'x' }],
    ['parameters that name other rows', { extraParams: { id: 'gt.0' } }],
  ])('does not come from %s', async (_, config) => {
    server.always(() => ({ json: [row] }));
    await bind({}, config).fromRow(row).erase();
    expect(server.lines).toEqual(['DELETE /people?id=eq.7']);
  });

  test('is refused by an AjaxProxy, which names no record by a filter', async () => {
    const proxy = new AjaxProxy({ url: '/people', baseUrl: server.url, dialect: postgrest(), noCache: false });
    const Bound = Person.with({ proxy });
    await expect(Bound.fromRow(row).erase()).rejects.toBeInstanceOf(AddressError);
    expect(server.requests).toEqual([]);
  });

  test.each(['PATCH', 'PUT', 'DELETE'])('is refused as a call of `send`: %s', async (method) => {
    const proxy = bind().proxy as RestProxy;
    await expect(proxy.send({ method, body: {} })).rejects.toThrow(/of all rows.*give the `record`/);
    server.always(() => ({ json: [] }));
    await proxy.send({ method, record: saved as never, body: {} });
    expect(server.lines).toEqual([`${method} /people?id=eq.7`]);
  });

  test.each(['PATCH', 'PUT', 'DELETE'])('is refused as a create or read by %s', async (method) => {
    const Bound = bind({}, { actionMethods: { create: method, read: method } });
    await expect(new Bound({ name: 'Ed' }).save()).rejects.toThrow(/of all rows/);
    await expect(new Store({ model: Bound }).load()).rejects.toThrow(/of all rows/);
    expect(server.requests).toEqual([]);
  });

  test('does not hinder other calls of `send`', async () => {
    server.always(() => ({ json: [] }));
    await (bind().proxy as RestProxy).send({ method: 'POST', url: '/rpc/add', body: { a: 1 } });
    expect(server.lines).toEqual(['POST /rpc/add']);
  });
});

describe('several records', () => {
  test('are created by one request, and matched by their order', async () => {
    const people = new Store({ model: bind({}, { batchActions: { create: true } }), data: [] });
    people.add({ name: 'J Doe' }, { name: 'Janus' });
    server.reply({
      status: 201,
      json: [
        { id: 1, name: 'J Doe' },
        { id: 2, name: 'Janus' },
      ],
    });
    await people.sync();
    expect(server.last).toMatchObject({ method: 'POST', url: '/people', body: [{ name: 'J Doe' }, { name: 'Janus' }] });
    expect(people.getRange().map(({ id }) => id)).toEqual([1, 2]);
  });

  test('are erased by one request, and those that no row was returned for stay', async () => {
    const people = new Store({
      model: bind({}, { batchActions: { destroy: true } }),
      data: [row, { ...row, id: 12 }, { ...row, id: 9 }],
    });
    server.reply({ json: [{ ...row, id: 12 }, row] });
    people.remove(...people.getRange());
    const { failures } = await people.sync();
    expect(lastUrl()).toBe('/people?id=in.(12,7,9)');
    expect(failures.map(({ record, error }) => [record.id, error.reason])).toEqual([[9, 'response-missing']]);
  });

  test('are not updated by one request, which would write the same values to all', () => {
    for (const batchActions of [true, { update: true }])
      expect(() => bind({}, { batchActions }).proxy).toThrow(/batchActions.*`{ create: true, destroy: true }`/);
  });
});

describe('upserts', () => {
  class Employee extends Model.define({
    name: 'employee',
    identifier: 'natural',
    fields: { id: 'int', name: 'string', salary: 'int' },
  }) {}
  const data = { id: 4, name: 'Sara B.', salary: 60000 };

  test("are made with `createBy: 'put'`, which names the row and sends all columns", async () => {
    const Bound = Employee.with({ proxy: server.proxy('/employees', { dialect: postgrest(), createBy: 'put' }) });
    server.reply({ status: 201, json: [data] });
    await new Bound(data, { phantom: true }).save();
    expect(server.last).toMatchObject({ method: 'PUT', url: '/employees?id=eq.4', body: data });
  });

  test('are made with `upsert`, by POST', async () => {
    const Bound = Employee.with({ proxy: server.proxy('/employees', { dialect: postgrest({ upsert: true }) }) });
    server.reply({ status: 201, json: [data] });
    await new Bound(data, { phantom: true }).save();
    expect(server.last).toMatchObject({ method: 'POST', url: '/employees', body: data });
    expect(server.last.headers['prefer']).toBe('return=representation,resolution=merge-duplicates');
  });
});

test('names the schema: that of reads and that of writes', async () => {
  const Bound = bind({ schema: 'tenant2' });
  server.always(() => ({ json: [row] }));
  const person = await Bound.load(7);
  expect(server.last.headers).toMatchObject({ 'accept-profile': 'tenant2' });
  await person.erase();
  expect(server.last.headers).toMatchObject({ 'content-profile': 'tenant2' });
  expect(server.last.headers).not.toHaveProperty('accept-profile');
});

describe('errors', () => {
  const failWith = async (status: number, json: unknown) => {
    server.reply({ status, json });
    const person = bind().fromRow(row);
    person.set('name', 'Bob');
    return (await person.save().catch((error: unknown) => error)) as Error;
  };
  const body = (code: string, message: string, details: string | null = null, hint: string | null = null) => ({
    ...{ code, message, details, hint },
  });

  test.each<[string, number, ReturnType<typeof body>, unknown, readonly unknown[]]>([
    [
      '23505, a value that another row has',
      409,
      body(
        '23505',
        'duplicate key value violates unique constraint "people_name_key"',
        'Key (name)=(Bob) already exists.',
      ),
      ValidationError,
      [{ path: ['name'], message: 'Key (name)=(Bob) already exists.', code: '23505' }],
    ],
    [
      '23505 of two columns',
      409,
      body('23505', 'duplicate key', 'Key (name, age)=(Bob, 36) already exists.'),
      ValidationError,
      [
        { path: ['name'], message: 'Key (name, age)=(Bob, 36) already exists.', code: '23505' },
        { path: ['age'], message: 'Key (name, age)=(Bob, 36) already exists.', code: '23505' },
      ],
    ],
    [
      '23502, a missing value',
      400,
      body(
        '23502',
        'null value in column "name" of relation "people" violates not-null constraint',
        'Failing row contains (null, foo, null).',
      ),
      ValidationError,
      [
        {
          path: ['name'],
          message: 'null value in column "name" of relation "people" violates not-null constraint',
          code: '23502',
        },
      ],
    ],
    [
      '23514, a check of a column',
      400,
      body(
        '23514',
        'new row for relation "people" violates check constraint "people_age_check"',
        'Failing row contains (7, -1).',
      ),
      ValidationError,
      [
        {
          path: ['age'],
          message: 'new row for relation "people" violates check constraint "people_age_check"',
          code: '23514',
        },
      ],
    ],
    [
      'PGRST204, a column that the table lacks',
      400,
      body('PGRST204', "Could not find the 'Unit Price' column of 'people' in the schema cache"),
      ValidationError,
      [
        {
          path: ['price'],
          message: "Could not find the 'Unit Price' column of 'people' in the schema cache",
          code: 'PGRST204',
        },
      ],
    ],
  ])('names the fields of %s', async (_, status, json, Class, issues) => {
    const error = await failWith(status, json);
    expect(error).toBeInstanceOf(Class);
    expect((error as HttpError).problem).toMatchObject({ code: json.code, issues });
  });

  test('keeps message and hint of errors without a column', async () => {
    const error = await failWith(400, body('P0001', 'I refuse!', 'Pretty simple', 'There is nothing you can do.'));
    expect(error).toBeInstanceOf(HttpError);
    expect(error.message).toMatch('I refuse! (There is nothing you can do.)');
  });

  test('tells a refused sign-in and a refusing policy as such', async () => {
    const expired = await failWith(401, body('PGRST301', 'JWT expired'));
    expect(expired).toBeInstanceOf(AuthError);
    const policy = await failWith(403, body('42501', 'new row violates row-level security policy for table "people"'));
    expect(policy).toBeInstanceOf(AuthError);
    expect(policy.message).toMatch('row-level security policy');
  });

  test('reads what a proxy in between answers', async () => {
    server.reply({ status: 502, text: '<html>' });
    await expect(bind().load(7)).rejects.toMatchObject({ status: 502 });
  });
});

describe('supabase', () => {
  const of = (options: Partial<SupabaseOptions> = {}, config: RestProxyConfig = {}) =>
    Person.with({
      proxy: {
        type: 'rest',
        url: '/people',
        dialect: supabase({ url: 'https://abc.supabase.co/', key: 'sb_publishable_1', ...options }),
        fetch: (input, init) => fetch(String(input).replace('https://abc.supabase.co', server.url), init),
        ...config,
      },
    });

  test('addresses tables below /rest/v1 with the key of the project', async () => {
    server.reply({ json: [row] });
    await of({ count: 'exact' }).load(7);
    expect(server.lines).toEqual(['GET /rest/v1/people?id=eq.7']);
    expect(server.last.headers).toMatchObject({ apikey: 'sb_publishable_1' });
    expect(server.last.headers).not.toHaveProperty('authorization');
  });

  test('sends one of the older keys as a token too, and the token of the user instead', async () => {
    server.always(() => ({ json: [row] }));
    const tokens = ['one', undefined, 'two'];
    await of({ key: 'eyJhbGciOi' }).load(7);
    expect(server.last.headers).toMatchObject({ apikey: 'eyJhbGciOi', authorization: 'Bearer eyJhbGciOi' });
    const Signed = of({ key: 'eyJhbGciOi', token: async () => tokens.shift() });
    for (const bearer of ['one', 'eyJhbGciOi', 'two']) {
      await Signed.load(7);
      expect(server.last.headers['authorization']).toBe(`Bearer ${bearer}`);
    }
    await of({ token: 'user' }).load(7);
    expect(server.last.headers).toMatchObject({ apikey: 'sb_publishable_1', authorization: 'Bearer user' });
  });

  test('asks for the returned row beside headers of the application', async () => {
    server.reply({ json: [row] });
    await of({}, { headers: { 'X-Region': 'eu' } })
      .fromRow(row)
      .erase();
    expect(server.last.headers).toMatchObject({
      prefer: 'return=representation',
      apikey: 'sb_publishable_1',
      'x-region': 'eu',
    });
  });

  test('shows neither key nor token in an explanation', async () => {
    const { headers } = await explain(of({ token: 'user' }).proxy, { action: 'read', id: 7 });
    expect(JSON.stringify(headers)).not.toMatch(/sb_publishable|user/);
  });
});

test.each<[string, () => unknown, RegExp]>([
  ['an unknown count', () => postgrest({ count: 'all' as never }), /postgrest\.count.*"exact"/],
  ['an unknown option', () => postgrest({ counts: 'exact' } as never), /count/],
  ['no project', () => supabase({ key: 'k' } as never), /supabase\.url.*https:\/\/PROJECT/],
  ['no key', () => supabase({ url: 'https://a.test' } as never), /supabase\.key/],
  ['no options', () => (supabase as () => unknown)(), /supabase.*an object/],
  ['a wrong token', () => supabase({ url: 'https://a.test', key: 'k', token: 5 as never }), /supabase\.token/],
])('refuses %s', (_, make, why) => {
  expect(make).toThrow(DefinitionError);
  expect(make).toThrow(why);
});
