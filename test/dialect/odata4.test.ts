import {
  and,
  bigint,
  ConflictError,
  conflicts,
  decimal,
  etags,
  HttpError,
  Model,
  not,
  or,
  ReadError,
  RestProxy,
  Store,
  UnsupportedQueryError,
  ValidationError,
  where,
} from 'repose';
import { type ODataOptions, odata4 } from 'repose/dialects';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

/** Answers are those of SAP CAP 8 and 9, running; the rest follows OData 4.01, Part 1 and 2. */
const server = useRestServer();

class Person extends Model.define({
  name: 'Person',
  fields: {
    ID: 'int',
    name: 'string',
    age: { type: 'int', allowNull: true },
    joined: 'date',
    born: 'dateonly',
    active: 'boolean',
    salary: decimal(),
    serial: bigint(),
    city: { type: 'string', mapping: 'address.city' },
    teamId: { type: 'string', mapping: 'team_ID' },
    any: 'auto',
  },
  idProperty: 'ID',
}) {}

const bind = (options: ODataOptions = {}, config = {}) =>
  Person.with({ proxy: server.proxy('/People', { dialect: odata4(options), ...config }) });
const listOf = (value: readonly object[], more: object = {}) => ({
  json: { '@odata.context': '$metadata#People', ...more, value },
});
const entity = (row: object) => ({ json: { '@odata.context': '$metadata#People/$entity', ...row } });
const row = { '@odata.etag': 'W/"1"', ID: 7, name: 'Ada', age: 36 };

/** The parameters of the last request, decoded. */
const sent = () => Object.fromEntries(server.last.query);
/** The `$filter` of a query. */
async function filterOf(filter: object | readonly object[], options: ODataOptions = {}): Promise<string | undefined> {
  server.reply(listOf([]));
  const people = new Store({ model: bind(options), pageSize: 10, remoteFilter: true });
  people.filter(filter as never);
  await people.load();
  return sent()['$filter'];
}

describe('lists', () => {
  test('send page, order, filter, search and $count, and read rows and total', async () => {
    server.reply(listOf([row], { '@odata.count': 57 }));
    const people = new Store({
      model: bind(),
      pageSize: 25,
      remoteSort: true,
      remoteFilter: true,
      sorters: [{ property: 'age', direction: 'DESC' }, 'city'],
      filters: [{ property: 'age', operator: '>=', value: 18 }],
    });
    people.search('ada');
    await people.load({ page: 2 });
    expect(server.last.path).toBe('/People');
    expect(sent()).toEqual({
      $skip: '25',
      $top: '25',
      $count: 'true',
      $search: 'ada',
      $orderby: 'age desc,address/city',
      $filter: 'age ge 18',
    });
    expect(people.total).toBe(57);
    expect(people.getAt(0)?.name).toBe('Ada');
  });

  test('can start at any row, and need no page', async () => {
    server.reply(listOf([row]), listOf([row, { ...row, ID: 8 }]));
    const people = new Store({ model: bind({ count: false }), pageSize: 10 });
    await people.load({ start: 7 });
    expect(sent()).toEqual({ $skip: '7', $top: '10' });
    const all = new Store({ model: bind(), pageSize: 0 });
    await all.load();
    expect(sent()).toEqual({ $count: 'true' });
    expect(all.total).toBe(2);
  });

  test('sort by the group first', async () => {
    server.reply(listOf([]));
    const people = new Store({
      model: bind(),
      pageSize: 10,
      remoteSort: true,
      grouper: 'city',
      sorters: ['name'],
    });
    await people.load();
    expect(sent()['$orderby']).toBe('address/city,name');
  });

  test('follow the next link with loadMore, also one that is relative to the service', async () => {
    server.reply(
      listOf([row], { '@odata.count': 3, '@odata.nextLink': 'People?%24count=true&%24skiptoken=1' }),
      (request) =>
        listOf([{ ...row, ID: 8 }], { '@odata.nextLink': `http://${request.headers.host}/People?$skiptoken=2` }),
      listOf([{ ...row, ID: 9 }]),
    );
    const people = new Store({ model: bind({}, { baseUrl: server.url, fetch: undefined }), pageSize: 0 });
    await people.load();
    expect(people.hasMore).toBe(true);
    await people.loadMore();
    expect(server.last.url).toBe('/People?%24count=true&%24skiptoken=1');
    await people.loadMore();
    expect(server.last.url).toBe('/People?$skiptoken=2');
    expect(people.hasMore).toBe(false);
    expect(people.count).toBe(3);
  });

  test('take only the query of a next link to another host', async () => {
    server.reply(listOf([row], { '@odata.nextLink': 'https://other.test/steal?$skiptoken=2' }), listOf([]));
    const people = new Store({ model: bind(), pageSize: 0 });
    await people.load();
    await people.loadMore();
    expect(server.lines).toEqual(['GET /People?%24count=true', 'GET /People?$skiptoken=2']);
  });

  test('go on by page after a response that has all rows of $top, and so no next link', async () => {
    server.reply(listOf([row], { '@odata.count': 2 }), listOf([{ ...row, ID: 8 }], { '@odata.count': 2 }));
    const people = new Store({ model: bind(), pageSize: 1 });
    await people.load();
    expect(people.hasMore).toBe(true);
    await people.loadMore();
    expect(sent()).toMatchObject({ $skip: '1', $top: '1' });
    expect(people.hasMore).toBe(false);
  });

  test('read the shorter names of OData 4.01', async () => {
    server.reply({ json: { '@count': '57', '@nextLink': '/People?$skiptoken=2', value: [row] } });
    const people = new Store({ model: bind(), pageSize: 1 });
    await people.load();
    expect(people.total).toBe(57);
    expect(people.hasMore).toBe(true);
  });

  test('refuse a response without rows', async () => {
    server.reply({ json: { people: [row] } }, { text: '<html>', headers: { 'Content-Type': 'text/html' } });
    const people = new Store({ model: bind(), pageSize: 1 });
    await expect(people.load()).rejects.toBeInstanceOf(ReadError);
    await expect(people.load()).rejects.toBeInstanceOf(ReadError);
  });

  test.each([
    ['bike', 'bike'],
    [' mountain bike ', '"mountain bike"'],
    ['AND', '"AND"'],
    ['and', 'and'],
    [`O'Neil "x" a\\b`, `"O'Neil \\"x\\" a\\\\b"`],
    ['(a)', '"(a)"'],
    ['größe', 'größe'],
    ['  ', undefined],
  ])('search for the text %j', async (search, expected) => {
    server.reply(listOf([]));
    const people = new Store({ model: bind(), pageSize: 1, remoteFilter: true });
    people.search(search);
    await people.load();
    expect(sent()['$search']).toBe(expected);
  });
});

describe('filters', () => {
  const { name, age, active, joined, born, salary, serial, city } = where(Person);
  const date = new Date('2024-01-02T03:04:05.678Z');

  test.each<[filter: object, expected: string]>([
    [name.eq("O'Neil"), "name eq 'O''Neil'"],
    [name.ne('a'), "name ne 'a'"],
    [city.eq("x') or (1 eq 1"), "address/city eq 'x'') or (1 eq 1'"],
    [age.lt(5), 'age lt 5'],
    [age.le(-5), 'age le -5'],
    [age.gt(5), 'age gt 5'],
    [{ property: 'age', value: null }, 'age eq null'],
    [{ property: 'age', operator: 'ne', value: null }, 'age ne null'],
    [{ property: 'age', operator: 'isNull', value: true }, 'age eq null'],
    [{ property: 'age', operator: 'isNull', value: false }, 'age ne null'],
    [{ property: 'age', value: '36' }, 'age eq 36'],
    [active.eq(true), 'active eq true'],
    [joined.ge(date), 'joined ge 2024-01-02T03:04:05.678Z'],
    [{ property: 'joined', value: '2024-01-02T03:04:05Z' }, 'joined eq 2024-01-02T03:04:05.000Z'],
    [{ property: 'any', value: '36 or 1 eq 1' }, "any eq '36 or 1 eq 1'"],
    [born.eq('2024-01-02'), 'born eq 2024-01-02'],
    [salary.gt('12345678901234567890.10'), 'salary gt 12345678901234567890.10'],
    [serial.eq(9007199254740993n), 'serial eq 9007199254740993'],
    [{ property: 'name', value: 7 }, "name eq '7'"],
    [{ property: 'any', value: 7 }, 'any eq 7'],
    [{ property: 'any', value: '2024-01-02' }, "any eq '2024-01-02'"],
    [{ property: 'any', value: '7' }, "any eq '7'"],
    [{ property: 'any', value: 'null' }, "any eq 'null'"],
    [
      { property: 'teamId', value: '148D1101-58fb-410b-ad6d-7379fd9564ca' },
      'team_ID eq 148D1101-58fb-410b-ad6d-7379fd9564ca',
    ],
    [{ property: 'name', operator: 'contains', value: "a'b" }, "contains(name,'a''b')"],
    [{ property: 'name', operator: 'startsWith', value: 'a' }, "startswith(name,'a')"],
    [{ property: 'name', operator: 'endsWith', value: 'a' }, "endswith(name,'a')"],
    [{ property: 'name', operator: 'like', value: 'Ä' }, "contains(tolower(name),tolower('Ä'))"],
    [{ property: 'age', operator: 'between', value: [1, 5] }, '(age ge 1 and age le 5)'],
    [age.in([1, 2]), '(age eq 1 or age eq 2)'],
    [{ property: 'age', operator: 'in', value: [1] }, 'age eq 1'],
    [{ property: 'name', operator: 'nin', value: ['a', 'b'] }, "(name ne 'a' and name ne 'b')"],
    [or(age.ge(18), and(name.eq('a'), active.eq(false))), "(age ge 18 or (name eq 'a' and active eq false))"],
    [not(or(age.ge(18), name.eq('a'))), "not ((age ge 18 or name eq 'a'))"],
    [not(name.eq('a')), "not (name eq 'a')"],
  ])('are written as $1', async (filter, expected) => {
    expect(await filterOf(filter)).toBe(expected);
  });

  test('are joined by and; those that are joined otherwise stand in parentheses', async () => {
    expect(await filterOf([age.ge(18), or(name.eq('a'), name.eq('b'))])).toBe(
      "age ge 18 and (name eq 'a' or name eq 'b')",
    );
  });

  test('write lists as in, if the server knows it', async () => {
    expect(await filterOf(name.in(['a', "b'"]), { lists: 'in' })).toBe("name in ('a','b''')");
    expect(await filterOf({ property: 'age', operator: 'nin', value: [1] }, { lists: 'in' })).toBe('not (age in (1))');
  });

  test('write literals of the types that the option `types` names', async () => {
    const guid = '148d1101-58fb-410b-ad6d-7379fd9564ca';
    const types = (type: string) => ({ types: { name: type } });
    const name = (value: unknown) => ({ property: 'name', value });
    expect(await filterOf(name(guid), types('Edm.String'))).toBe(`name eq '${guid}'`);
    expect(await filterOf(name('07:08:09'), types('Edm.TimeOfDay'))).toBe('name eq 07:08:09');
    expect(await filterOf(name('x'), types('Edm.TimeOfDay'))).toBe("name eq 'x'");
    expect(await filterOf(name('PT1H'), types('Edm.Duration'))).toBe("name eq duration'PT1H'");
    expect(await filterOf(name("Re'd"), types('Shop.Color'))).toBe("name eq Shop.Color'Re''d'");
    expect(await filterOf({ property: 'joined', value: date }, { types: { joined: 'Edm.Date' } })).toBe(
      'joined eq 2024-01-02',
    );
  });

  test.each<[what: string, filter: object]>([
    ['a range with one end', { property: 'age', operator: 'between', value: [1] }],
    ['an object', { property: 'any', value: { a: 1 } }],
    ['NaN', { property: 'any', value: Number.NaN }],
    ['null as a text to look for', { property: 'name', operator: 'contains', value: null }],
    ['an unknown field', { property: 'nope', value: 1 }],
    ['an unknown operator', { property: 'name', operator: 'soundex', value: 'a' }],
  ])('%s is refused before anything is sent', async (_, filter) => {
    const people = new Store({ model: bind(), pageSize: 10, remoteFilter: true });
    const load = async () => {
      people.filter(filter as never);
      await people.load();
    };
    await expect(load()).rejects.toBeInstanceOf(UnsupportedQueryError);
    expect(server.requests).toEqual([]);
  });

  test('need the name of a parameter', async () => {
    const people = new Store({ model: bind({}, { filterParam: '' }), pageSize: 10, remoteFilter: true });
    people.filter({ property: 'name', value: 'a' });
    await expect(people.load()).rejects.toBeInstanceOf(UnsupportedQueryError);
  });
});

describe('addresses', () => {
  const keyed = (type: 'string' | 'int' | 'bigint' | 'auto', options: ODataOptions = {}) =>
    Model.define({
      name: 'Doc',
      fields: { code: type === 'bigint' ? bigint() : type },
      idProperty: 'code',
      proxy: server.proxy('/Docs', { dialect: odata4(options) }),
    });

  test.each<[type: 'string' | 'int' | 'bigint' | 'auto', id: string | number, address: string]>([
    ['int', 7, '/Docs(7)'],
    ['int', 0, '/Docs(0)'],
    ['int', -7, '/Docs(-7)'],
    ['bigint', '9007199254740993', '/Docs(9007199254740993)'],
    ['string', 'a', "/Docs('a')"],
    ['string', '7', "/Docs('7')"],
    ['string', "O'Neil/ü b?#%", "/Docs('O''Neil%2F%C3%BC%20b%3F%23%25')"],
    ['string', '..', "/Docs('..')"],
    ['string', "x')/Other('y", "/Docs('x'')%2FOther(''y')"],
    ['string', '148d1101-58fb-410b-ad6d-7379fd9564ca', '/Docs(148d1101-58fb-410b-ad6d-7379fd9564ca)'],
    ['auto', 7, '/Docs(7)'],
    ['auto', 'a', "/Docs('a')"],
  ])('of a key of type %s: %j is at %s', async (type, id, address) => {
    server.reply(entity({ code: id }));
    await keyed(type).load(id as never);
    expect(server.last.url).toBe(address);
  });

  test('write keys of the types that the option `types` names', async () => {
    const guid = '148d1101-58fb-410b-ad6d-7379fd9564ca';
    server.always(() => entity({ code: guid }));
    await keyed('string', { types: { code: 'Edm.String' } }).load(guid);
    expect(server.last.url).toBe(`/Docs('${guid}')`);
  });

  test('have the key as a segment with `keys: segments`', async () => {
    server.always(() => entity({ code: "a'/b" }));
    await keyed('string', { keys: 'segments' }).load("a'/b");
    expect(server.last.url).toBe("/Docs/a'%2Fb");
  });

  test('drop a slash at the end of the collection', async () => {
    server.reply(entity(row));
    await Person.with({ proxy: server.proxy('/People/', { dialect: odata4() }) }).load(7);
    expect(server.last.url).toBe('/People(7)');
  });

  test('of update and erase name the record, whatever an override does', async () => {
    class Careless extends RestProxy {
      made = '';
      override buildUrl(): string {
        return this.made;
      }
    }
    const { type: _, ...config } = server.proxy('/People', { dialect: odata4() });
    const proxy = new Careless(config);
    const person = Person.with({ proxy }).fromRow(row);
    for (const made of ['/People', '/People(8)', '/People?x=(7)', '/Other(7)', '/People()', '/People(7)/x']) {
      proxy.made = made;
      await expect(person.erase(), made).rejects.toMatchObject({ code: 'address' });
    }
    expect(server.requests).toEqual([]);
  });

  test('of actions stand below the record', async () => {
    server.reply({ status: 204 });
    await (bind().proxy as RestProxy).send({
      method: 'POST',
      record: Person.fromRow(row),
      path: 'Shop.cancel',
      body: {},
    });
    expect(server.lines).toEqual(['POST /People(7)/Shop.cancel']);
  });

  test('of a nested collection take the key of their parent', async () => {
    server.reply({ status: 204 });
    const Member = Person.with({
      proxy: server.proxy('/Teams({team})/people', { dialect: odata4(), pathParams: { team: 3 } }),
    });
    await Member.fromRow(row).erase();
    expect(server.lines).toEqual(['DELETE /Teams(3)/people(7)']);
  });
});

describe('writes', () => {
  test('create by POST, update by PATCH, both with the wish for the row, and erase', async () => {
    server.reply({ status: 201, ...entity(row) }, entity({ ...row, age: 37 }), { status: 204 });
    const person = new (bind())({ name: 'Ada', age: 36 });
    await person.save();
    expect(server.last).toMatchObject({ method: 'POST', url: '/People', body: { name: 'Ada', age: 36 } });
    expect(server.last.headers['prefer']).toBe('return=representation');
    person.age = 37;
    await person.save();
    expect(server.last).toMatchObject({ method: 'PATCH', url: '/People(7)', body: { age: 37 } });
    expect(server.last.headers['prefer']).toBe('return=representation');
    await person.erase();
    expect(server.last).toMatchObject({ method: 'DELETE', url: '/People(7)', text: '' });
    expect(server.last.headers['prefer']).toBeUndefined();
  });

  test('keep an entity with the properties value, success and message', async () => {
    class Setting extends Model.define({
      fields: { ID: 'int', value: 'string', success: 'boolean', message: 'string' },
      idProperty: 'ID',
      proxy: server.proxy('/Settings', { dialect: odata4() }),
    }) {}
    const setting = { ID: 1, value: 'x', success: false, message: 'no' };
    server.reply(entity(setting), entity({ ...setting, value: 'y' }));
    const loaded = await Setting.load(1);
    expect(loaded.value).toBe('x');
    loaded.value = 'y';
    await loaded.save();
    expect(loaded.value).toBe('y');
    expect(loaded.dirty).toBe(false);
  });

  test.each([
    ['People(4)', 4],
    ['https://elsewhere.test/odata/People(4)', 4],
    ['People(ID=4)', 4],
  ])('take the id of a create without a body from Location: %s', async (location, id) => {
    server.reply({ status: 204, headers: { Location: location } });
    const person = new (bind())({ name: 'Ada' });
    await person.save();
    expect(person.ID).toBe(id);
  });

  test.each([
    ["Docs('O''Neil%2Fa')", "O'Neil/a"],
    // As SAP CAP 9 writes it, without escapes.
    ["Docs('O'Neil/a')", "O'Neil/a"],
    ['Docs(148d1101-58fb-410b-ad6d-7379fd9564ca)', '148d1101-58fb-410b-ad6d-7379fd9564ca'],
  ])('take a text as the id: %s', async (location, id) => {
    class Doc extends Model.define({
      fields: { code: 'string', title: 'string' },
      idProperty: 'code',
      proxy: server.proxy('/Docs', { dialect: odata4() }),
    }) {}
    server.reply({ status: 204, headers: { Location: location } });
    const doc = new Doc({ title: 'a' });
    await doc.save();
    expect(doc.code).toBe(id);
  });

  test('take the id from OData-EntityId where Location is not the address of an entity', async () => {
    server.reply({ status: 204, headers: { Location: '/jobs/1', 'OData-EntityId': 'People(5)' } });
    const person = new (bind())({ name: 'Ada' });
    await person.save();
    expect(person.ID).toBe(5);
  });

  test.each(['Teams(4)', "People(ID=4,lang='en')", 'People(4)/address', 'People', 'People()', '/jobs/1'])(
    'are unconfirmed if Location names no record of the collection: %s',
    async (location) => {
      class Text extends Model.define({
        fields: { ID: 'string', name: 'string' },
        idProperty: 'ID',
        proxy: server.proxy('/People', { dialect: odata4() }),
      }) {}
      server.reply({ status: 204, headers: { Location: location } });
      const text = new Text({ name: 'a' });
      await expect(text.save()).rejects.toBeInstanceOf(ReadError);
      expect(text.phantom).toBe(true);
    },
  );

  test('create by PUT at the address of the record', async () => {
    class Doc extends Model.define({
      fields: { code: 'string', title: 'string' },
      idProperty: 'code',
      identifier: 'natural',
      proxy: server.proxy('/Docs', { dialect: odata4(), createBy: 'put' }),
    }) {}
    server.reply({ status: 201, ...entity({ code: "a'b", title: 't' }) });
    await new Doc({ code: "a'b", title: 't' }, { phantom: true }).save();
    expect(server.lines).toEqual(["PUT /Docs('a''b')"]);
  });
});

describe('long numbers', () => {
  test('are sent and read as numbers, with every digit', async () => {
    const text = '{"ID":7,"serial":9007199254740993,"salary":12345678901234567890.5}';
    server.reply({ status: 201, text }, { text });
    const person = new (bind())({ serial: 9007199254740993n, salary: '12345678901234567890.5' });
    await person.save();
    expect(server.last.text).toBe('{"serial":9007199254740993,"salary":12345678901234567890.5}');
    expect(person.serial).toBe(9007199254740993n);
    person.serial = 9007199254740995n;
    await person.save();
    expect(server.last.text).toBe('{"serial":9007199254740995}');
  });

  test('go back as texts where the server sent texts', async () => {
    server.reply(entity({ ID: 7, serial: '9007199254740993' }));
    const person = bind().fromRow({ ID: 7, serial: '9007199254740993' });
    person.serial = 9007199254740995n;
    await person.save();
    expect(server.last.text).toBe('{"serial":"9007199254740995"}');
  });

  test('are texts with `ieee754Compatible`', async () => {
    server.always(() => entity({ ID: 7, serial: '9007199254740993', salary: '1.50' }));
    const Exact = bind({ ieee754Compatible: true });
    const person = new Exact({ serial: 9007199254740993n, salary: '1.50' });
    await person.save();
    expect(server.last).toMatchObject({
      text: '{"serial":"9007199254740993","salary":"1.50"}',
      headers: {
        accept: 'application/json;IEEE754Compatible=true',
        'content-type': 'application/json;IEEE754Compatible=true',
      },
    });
    expect(person.salary).toBe('1.50');
    await Exact.load(7);
    expect(server.last.headers['content-type']).toBeUndefined();
  });
});

describe('errors', () => {
  const failure = async (status: number, error: object) => {
    server.reply({ status, json: { error } });
    const person = bind().fromRow(row);
    person.name = '';
    return person.save().then(
      () => undefined,
      (reason: unknown) => reason,
    );
  };

  test('by field are issues, several in details', async () => {
    const error = await failure(400, {
      message: 'Multiple errors occurred, see details below.',
      details: [
        {
          code: 'ASSERT_MANDATORY',
          message: 'Provide the missing value.',
          target: 'name',
          '@Common.numericSeverity': 4,
        },
        { code: 'ASSERT_RANGE', message: 'Enter a value between 0 and 150.', target: 'address/city' },
      ],
      code: 'MULTIPLE_ERRORS',
    });
    expect(error).toBeInstanceOf(ValidationError);
    expect((error as ValidationError).issues).toMatchObject([
      { path: ['name'], message: 'Provide the missing value.', code: 'ASSERT_MANDATORY' },
      { path: ['city'], message: 'Enter a value between 0 and 150.', code: 'ASSERT_RANGE' },
    ]);
  });

  test('by field are issues, one beside the message', async () => {
    const error = await failure(400, { message: 'Enter a value.', code: 'ASSERT_FORMAT', target: 'name' });
    expect((error as ValidationError).issues).toMatchObject([{ path: ['name'], message: 'Enter a value.' }]);
  });

  test('without a field have the code and the text of the server', async () => {
    const error = await failure(400, { message: 'Property "x" does not exist', target: 'Shop.People', code: '400' });
    expect(error).toBeInstanceOf(HttpError);
    expect(error).toMatchObject({ status: 400, problem: { code: '400', detail: 'Property "x" does not exist' } });
  });

  test('412 and 428 are conflicts, which merge with the row of the server', async () => {
    const Guarded = bind({}, { use: [etags(), conflicts()] });
    server.reply(
      listOf([row]),
      { status: 412, json: { error: { message: 'Precondition Failed', code: '412' } } },
      entity({ ...row, '@odata.etag': 'W/"2"', age: 40 }),
      entity({ ...row, '@odata.etag': 'W/"3"', age: 40, name: 'Ada L.' }),
    );
    const people = new Store({ model: Guarded, pageSize: 0 });
    await people.load();
    const person = people.getAt(0) as Person;
    person.name = 'Ada L.';
    const error = await person.save().catch((reason: unknown) => reason);
    expect(server.last.headers['if-match']).toBe('W/"1"');
    expect(error).toBeInstanceOf(ConflictError);
    await (error as ConflictError).merge();
    expect(server.last.headers['if-match']).toBe('W/"2"');
    expect(server.last.body).toEqual({ name: 'Ada L.' });
    expect(person.age).toBe(40);
    expect(await failure(428, { message: 'Precondition Required', code: '428' })).toBeInstanceOf(ConflictError);
  });
});

test.each([
  { keys: 'brackets' },
  { lists: 'any' },
  { count: 1 },
  { types: { a: 'String' } },
  { types: { a: 'Edm.constructor' } },
  { ieee754Compatible: 'yes' },
  { nope: 1 },
])('the options %j are refused', (options) => {
  expect(() => odata4(options as never)).toThrow(expect.objectContaining({ code: 'definition' }));
});
