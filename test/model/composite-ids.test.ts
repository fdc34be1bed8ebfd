import fc from 'fast-check';
import {
  AddressError,
  compositeId,
  decimal,
  MemoryProxy,
  Model,
  plain,
  RestProxy,
  Session,
  Store,
  selectionOf,
} from 'repose';
import { feathers, odata4, postgrest } from 'repose/dialects';
import { memoryStorage, Outbox } from 'repose/outbox';
import { dehydrate, hydrate } from 'repose/ssr';
import { recordQuery } from 'repose/tanstack-query';
import { describe, expect, test } from 'vitest';
import { loadedKey } from '../../src/binding/loaded-record.js';
import { idKey } from '../../src/util/id-key.js';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

class Line extends Model.define({
  name: 'line',
  fields: { orderId: 'int', line: 'int', sku: 'string' },
  idProperty: compositeId('orderId', 'line'),
  proxy: server.proxy('/orders/{orderId}/lines'),
}) {}
class Price extends Model.define({
  name: 'price',
  fields: { country: 'string', product: { type: 'string', mapping: 'product_code' }, amount: decimal() },
  idProperty: compositeId('country', 'product'),
}) {}

class Served extends Price.with({ proxy: server.proxy('/prices') }) {}

const saved = () => Line.fromRow({ orderId: 7, line: 1, sku: 'a' });

describe('the member `id`', () => {
  test('is a frozen list of the parts, the same until a part changes', () => {
    const line = saved();
    expect(line.id).toEqual([7, 1]);
    expect(Object.isFrozen(line.id)).toBe(true);
    expect(line.id).toBe(line.id);
    expect(line.getId()).toBe(line.id);
    const before = line.id;
    line.line = 2;
    expect(line.id).toEqual([7, 2]);
    line.reject();
    expect(line.id).toEqual(before);
    expect(JSON.stringify(line)).toBe('{"id":[7,1],"orderId":7,"line":1,"sku":"a"}');
  });

  test('cannot be set', () => {
    expect(() => saved().set({ id: [8, 1] } as never)).toThrow(expect.objectContaining({ name: 'StateError' }));
  });

  test('of a new record is temporary until all parts are known', () => {
    const line = new Line({ orderId: 7 });
    expect(line.phantom).toBe(true);
    expect(typeof line.getId()).toBe('string');
    line.line = 3;
    expect(line.id).toEqual([7, 3]);
    expect(new Line({ orderId: 7, line: 1 }).phantom).toBe(false);
  });

  test.each([
    ['one name', ['a'], 'id-parts-few'],
    ['the same name twice', ['a', 'a'], 'id-parts-few'],
    ['a name that is no field', ['a', 'x'], 'id-property'],
  ])('define() refuses %s', (_, names, reason) => {
    expect(() => Model.define({ fields: { a: 'int' }, idProperty: compositeId(...names) as never })).toThrow(
      expect.objectContaining({ name: 'DefinitionError', reason }),
    );
  });

  test('define() refuses a field `id` beside it, and says what to do', () => {
    expect(() =>
      Model.define({ fields: { tenant: 'int', id: 'int' }, idProperty: compositeId('tenant', 'id') }),
    ).toThrow(
      expect.objectContaining({ reason: 'id-parts-name', message: expect.stringContaining("`mapping` to 'id'") }),
    );
  });

  test('define() refuses a list of names, and says what to write', () => {
    const names = ['a', 'b'];
    expect(() => Model.define({ fields: { a: 'int', b: 'int' }, idProperty: names as never })).toThrow(
      "`compositeId('orderId', 'line')` with `compositeId` from 'repose'",
    );
  });

  test('is inherited', () => {
    class Special extends Line.define({ fields: { note: 'string' } }) {}
    expect(Special.fromRow({ orderId: 1, line: 2, note: 'n' }).id).toEqual([1, 2]);
  });
});

describe('addresses', () => {
  test('parts fill the template, and the last one is the id in the path', async () => {
    server.reply({ json: { orderId: 7, line: 1, sku: 'a' } }, (request) => ({ json: request.body }), { status: 204 });
    const line = await Line.load([7, 1]);
    line.sku = 'b';
    await line.save();
    await line.erase();
    expect(server.lines).toEqual(['GET /orders/7/lines/1', 'PUT /orders/7/lines/1', 'DELETE /orders/7/lines/1']);
  });

  test('loads of one record at the same time are one request', async () => {
    server.always(() => ({ json: { orderId: 7, line: 1 } }));
    const line = saved();
    await Promise.all([line.load(), line.load()]);
    expect(server.lines).toEqual(['GET /orders/7/lines/1']);
  });

  test('a template may hold all parts', async () => {
    class Whole extends Line.with({ proxy: { url: '/lines/{orderId}-{line}' } }) {}
    server.reply({ json: { orderId: 7, line: 1 } }, (request) => ({ json: request.body }), { status: 204 });
    const line = await Whole.load([7, 1]);
    line.sku = 'b';
    await line.save();
    await line.erase();
    expect(server.lines).toEqual(['GET /lines/7-1', 'PUT /lines/7-1', 'DELETE /lines/7-1']);
  });

  test('of an edited part are those of the committed one', async () => {
    const line = saved();
    line.line = 5;
    server.reply((request) => ({ json: request.body }));
    await line.save();
    expect(server.lines).toEqual(['PUT /orders/7/lines/1']);
    expect(server.last.body).toEqual({ orderId: 7, line: 5, sku: 'a' });
    expect(line.id).toEqual([7, 5]);
  });

  test.each([
    ['OData', odata4(), "/prices(country='CH',product_code='a%2Cb')"],
    ['PostgREST', postgrest(), '/prices?country=eq.CH&product_code=eq.a%2Cb'],
  ])('of several parts are written by the dialect: %s', async (_, dialect, expected) => {
    class Served extends Price.with({ proxy: { ...server.proxy('/prices'), dialect } }) {}
    server.always(() => ({ json: { country: 'CH', product_code: 'a,b', amount: '1' } }));
    const price = await Served.load(['CH', 'a,b']);
    price.amount = '2';
    await price.save();
    await price.erase();
    const urls = server.requests.map(({ url }) => decodeURIComponent(url).replace(/%2C/g, ','));
    expect(urls).toEqual(Array(3).fill(decodeURIComponent(expected)));
  });

  test.each([
    ['plain', plain()],
    ['feathers', feathers()],
  ])('of several parts are refused by other dialects, unless `encodeId` joins them: %s', async (_, dialect) => {
    class Served extends Price.with({ proxy: { ...server.proxy('/prices'), dialect } }) {}
    await expect(Served.load(['CH', 'x'])).rejects.toMatchObject({ reason: 'id-parts-address' });
    await expect(Served.fromRow({ country: 'CH', product_code: 'x' }).erase()).rejects.toBeInstanceOf(AddressError);
    expect(server.requests).toEqual([]);
  });

  test('of several parts are joined by an `encodeId` of the application', async () => {
    class Joined extends RestProxy {
      override encodeId(id: unknown): string {
        return Array.isArray(id) ? id.map((each) => super.encodeId(each)).join('+') : super.encodeId(id);
      }
    }
    class Served extends Price.with({ proxy: { ...server.proxy('/prices'), type: Joined } }) {}
    server.always(() => ({ json: { country: 'C/H', product_code: 'x' } }));
    const price = await Served.load(['C/H', 'x']);
    await price.erase();
    expect(server.lines).toEqual(['GET /prices/C%2FH+x', 'DELETE /prices/C%2FH+x']);
    await expect(Served.load(['..', 'x/../..'])).rejects.toBeInstanceOf(AddressError);
    expect(server.requests.length).toBe(2);
  });

  test.each([[[7]], [[7, 1, 2]], [[7, '']], [[7, null]], [[7, {}]], [7], ['7,1'], [[]]])(
    'half an id is refused, and nothing is sent: %j',
    async (id) => {
      await expect(Line.load(id as never)).rejects.toMatchObject({ name: 'AddressError' });
      expect(server.requests).toEqual([]);
    },
  );

  test('each part is checked as an id', async () => {
    for (const id of [
      ['x', 1],
      [7, '..'],
      [7, 2 ** 60],
      [7, 1.5],
    ])
      await expect(Line.load(id as never)).rejects.toMatchObject({ name: 'AddressError' });
    expect(server.requests).toEqual([]);
  });

  test('a saved record without all parts is not sent', async () => {
    const half = Line.fromRow({ orderId: 7, sku: 'a' });
    half.sku = 'b';
    await expect(half.save()).rejects.toMatchObject({ name: 'AddressError' });
    await expect(half.erase()).rejects.toMatchObject({ name: 'AddressError' });
    expect(server.requests).toEqual([]);
  });

  test('`pathParams` do not lead to another record', async () => {
    await expect(saved().erase({ pathParams: { orderId: 8 } })).rejects.toMatchObject({ reason: 'id-parts-other' });
    expect(server.requests).toEqual([]);
  });

  test('the response about another record is refused', async () => {
    const line = saved();
    line.sku = 'b';
    server.reply({ json: { orderId: 8, sku: 'b' } });
    await expect(line.save()).rejects.toMatchObject({ name: 'ReadError', reason: 'response-id' });
    expect(line.id).toEqual([7, 1]);
  });
});

describe('creates', () => {
  test('send the parts that are known, and take the others from the response', async () => {
    const store = new Store({ model: Line });
    const [line] = store.add({ orderId: 7, sku: 'a' }) as [Line];
    server.reply({ status: 201, json: { line: 3 } });
    await line.save();
    expect(server.lines).toEqual(['POST /orders/7/lines']);
    expect(server.last.body).toEqual({ orderId: 7, sku: 'a' });
    expect(line.id).toEqual([7, 3]);
    expect(store.getById([7, 3])).toBe(line);
  });

  test('are confirmed by an empty response if all parts were sent', async () => {
    const store = new Store({ model: Line });
    const [line] = store.add({ orderId: 7, line: 4 }) as [Line];
    server.reply({ status: 204 });
    await line.save();
    expect([line.phantom, line.id]).toEqual([false, [7, 4]]);
  });

  test('stay unconfirmed if a part is not known', async () => {
    const line = new Line({ orderId: 7 });
    server.reply({ status: 204 });
    await expect(line.save()).rejects.toMatchObject({ name: 'ReadError' });
    expect(line.$.unconfirmed).toBe(true);
  });

  test('by PUT go to the address of the parts', async () => {
    class Put extends Line.with({ proxy: { createBy: 'put' } }) {}
    server.reply({ status: 204 });
    await new Put({ orderId: 7, line: 4 }, { phantom: true }).save();
    expect(server.lines).toEqual(['PUT /orders/7/lines/4']);
    await expect(new Put({ orderId: 7 }).save()).rejects.toMatchObject({ reason: 'create-put-id' });
  });
});

describe('look-ups', () => {
  test('find records by their parts, as numbers or texts', () => {
    const store = new Store({ model: Line });
    store.setRecords([
      { orderId: 7, line: 1 },
      { orderId: '71', line: 1 },
      { orderId: 7, line: 11 },
    ] as never);
    expect(store.count).toBe(3);
    expect(store.getById([7, 1])?.line).toBe(1);
    expect(store.getById(['7', '11'])?.line).toBe(11);
    expect(store.getById([71, 1])?.orderId).toBe(71);
    expect(store.getById([7])).toBeUndefined();
    expect(store.getById('7,1')?.line ?? 1).toBe(1);
  });

  test('a row that comes again is the same record, in a session too', async () => {
    const session = new Session();
    const [one, two] = [new Store({ model: Price, session }), new Store({ model: Price, session })];
    const rows = [
      { country: 'a,b', product_code: 'c' },
      { country: 'a', product_code: 'b,c' },
    ];
    one.setRecords(rows as never);
    two.setRecords(rows as never);
    expect(one.count).toBe(2);
    expect([...two]).toEqual([...one]);
    expect(two.getAt(0)).toBe(one.getAt(0));
    expect(session.getById(Price, ['a', 'b,c'])).toBe(one.getAt(1));
  });

  test('the index follows an edited part', async () => {
    const store = new Store({ model: Line });
    const [line] = store.add({ orderId: 7 }) as [Line];
    line.line = 2;
    expect(store.getById([7, 2])).toBe(line);
  });

  test('a selection takes ids, and keeps them over loads', async () => {
    const store = new Store({ model: Line, proxy: { pathParams: { orderId: 7 } } as never });
    store.setRecords([{ orderId: 7, line: 1 }] as never);
    selectionOf(store).select([7, 1], [7, 2]);
    expect(selectionOf(store).count).toBe(2);
    expect(selectionOf(store).isSelected(store.getAt(0) as Line)).toBe(true);
    expect(selectionOf(store).isSelected(['7', '2'] as never)).toBe(true);
    expect(() => selectionOf(store).select([7] as never)).toThrow(expect.objectContaining({ name: 'StateError' }));
  });
});

test.each([[[[7], 1]], [[{}, 1]], [[true, 1]], [[7]], ['7,1']])('a selection refuses %j, which is no id', (id) => {
  const lines = new Store({ model: Line });
  lines.setRecords([{ orderId: 7, line: 1 }]);
  expect(() => selectionOf(lines).select(id as never)).toThrow(expect.objectContaining({ name: 'StateError' }));
});

test('the records of a selection are asked for by all of their parts', async () => {
  class Served extends Price.with({
    proxy: { ...server.proxy('/prices'), dialect: postgrest() },
  }) {}
  const store = new Store({ model: Served });
  selectionOf(store).select(['CH', 'x'], ['IT', 'y']);
  server.always(() => ({
    json: [
      { country: 'CH', product_code: 'x' },
      { country: 'IT', product_code: 'y' },
    ],
  }));
  const found: Price[] = [];
  for await (const page of selectionOf(store).pages()) found.push(...page);
  expect(found.map(({ id }) => id)).toEqual([
    ['CH', 'x'],
    ['IT', 'y'],
  ]);
  expect(server.last.query.get('or')).toBe(
    '(and(country.eq.CH,product_code.eq.x),and(country.eq.IT,product_code.eq.y))',
  );
});

test('a page that a server has rendered is taken over with its ids', async () => {
  const session = new Session();
  const store = new Store({ model: Served, session });
  server.reply({ json: [{ country: 'CH', product_code: 'x', amount: '1' }] });
  await store.load();
  const state = JSON.parse(JSON.stringify(dehydrate(session, [store])));
  const other = new Session();
  hydrate(other, state, [Served]);
  expect(other.getById(Served, ['CH', 'x'])?.amount).toBe('1');
});

test('the proxy `memory` finds, changes and erases rows by all parts', async () => {
  class Kept extends Price.with({
    proxy: {
      type: MemoryProxy,
      data: [
        { country: 'a,b', product_code: 'c' },
        { country: 'a', product_code: 'b,c' },
      ],
    },
  }) {}
  const price = await Kept.load(['a', 'b,c']);
  expect(price.id).toEqual(['a', 'b,c']);
  price.amount = '2';
  await price.save();
  const store = new Store({ model: Kept });
  await store.load();
  expect(store.getById(['a', 'b,c'])?.amount).toBe('2');
  expect(store.getById(['a,b', 'c'])?.amount).toBeUndefined();
  await store.getById(['a,b', 'c'])?.erase();
  await expect(Kept.load(['a,b', 'c'])).rejects.toMatchObject({ reason: 'response-record' });
});

test('updates by PATCH and bulk writes name each record by all of its parts', async () => {
  const dialect = plain();
  class Bulk extends Price.with({ proxy: { ...server.proxy('/prices'), dialect, batchActions: true } }) {}
  const store = new Store({ model: Bulk });
  store.setRecords([
    { country: 'CH', product_code: 'x' },
    { country: 'IT', product_code: 'x' },
  ] as never);
  for (const price of store) price.amount = '2';
  server.reply((request) => ({ json: request.body }));
  (await store.sync()).orThrow();
  expect(server.lines).toEqual(['PATCH /prices']);
  expect(server.last.body).toEqual([
    { country: 'CH', product_code: 'x', amount: '2' },
    { country: 'IT', product_code: 'x', amount: '2' },
  ]);
});

test('a load of some fields asks for all parts of the id', async () => {
  class Some extends Price.with({ proxy: { ...server.proxy('/prices'), dialect: plain({ fieldsParam: 'fields' }) } }) {}
  server.reply({ json: [{ country: 'CH', product_code: 'x', amount: '1' }] });
  const store = new Store({ model: Some });
  await store.load({ fields: ['amount'] });
  expect(server.last.query.get('fields')).toBe('country,product_code,amount');
  expect(store.getById(['CH', 'x'])?.amount).toBe('1');
});

test('queries name the parts, not the id', async () => {
  class Queried extends Price.with({ proxy: { ...server.proxy('/prices'), dialect: plain() } }) {}
  const store = new Store({ model: Queried, filters: [{ property: 'country', value: 'CH' }], sorters: ['product'] });
  server.reply({ json: [] });
  await store.load();
  expect(server.last.query.toString()).toContain('sort=product_code&country=CH');
  store.filter({ property: 'id', value: ['CH', 'x'] } as never);
  await expect(store.load()).rejects.toMatchObject({ name: 'UnsupportedQueryError', reason: 'query-unmapped' });
  expect(server.requests.length).toBe(1);
});

test('screens and caches share a record by its parts', () => {
  const keyOf = (id: readonly (string | number)[]) => [recordQuery(Price, id).queryKey, loadedKey(Price, id, {})];
  expect(keyOf(['7', 1])).toEqual(keyOf([7, '1']));
  expect(keyOf(['a,b', 'c'])).not.toEqual(keyOf(['a', 'b,c']));
});

test('an outbox keeps creates and erases over a restart', async () => {
  const storage = memoryStorage();
  const open = async (autoStart: boolean) => {
    const box = new Outbox({ scope: 's', storage, autoStart });
    class Kept extends Line.with({ proxy: { use: [box] } }) {}
    // A store makes its model known to the outbox.
    new Store({ model: Kept });
    await box.ready;
    return { box, Kept };
  };
  const before = await open(false);
  const gone = before.Kept.fromRow({ orderId: 7, line: 1 });
  const made = new before.Kept({ orderId: 7, line: 2, sku: 'a' }, { phantom: true });
  const writes = Promise.allSettled([gone.erase(), made.save()]);
  await before.box.close();
  await writes;
  expect(server.requests).toEqual([]);

  server.always(({ method, body }) => (method === 'DELETE' ? { status: 204 } : { status: 201, json: body }));
  const after = await open(true);
  await after.box.send();
  expect([...server.lines].sort()).toEqual(['DELETE /orders/7/lines/1', 'POST /orders/7/lines']);
  expect(server.requests.find(({ method }) => method === 'POST')?.body).toEqual({ orderId: 7, line: 2, sku: 'a' });
  expect(after.box.failed).toEqual([]);
  await after.box.close();
});

/** A text that an address can hold: no dot segment, and not only backslashes. */
const isAddressable = (text: string) =>
  /[a-z0-9]/.test(text) && !text.split('\\').some((each) => /^\.{1,2}$/.test(each.trim()));
const part = fc.oneof(
  fc.integer({ min: 0, max: 99 }),
  fc.stringMatching(/^[a-z0-9,\\()'. -]{1,6}$/).filter(isAddressable),
);
const parts = fc.tuple(part, part);

test('keys of any two ids are equal only if their parts are', () => {
  fc.assert(
    fc.property(parts, parts, (a, b) => {
      const isSame = a.every((each, at) => String(each) === String(b[at]));
      expect(idKey(a) === idKey(b)).toBe(isSame);
    }),
    { numRuns: 2000 },
  );
});

test('any id goes through an address, a store and an outbox, and comes back', async () => {
  class Pair extends Model.define({
    name: 'pair',
    fields: { a: 'string', b: 'string', note: 'string' },
    idProperty: compositeId('a', 'b'),
  }) {}
  await fc.assert(
    fc.asyncProperty(parts, async ([a, b]) => {
      server.reset();
      const row = { a: String(a), b: String(b) };
      class Served extends Pair.with({ proxy: { ...server.proxy('/of/{a}/pairs'), dialect: plain() } }) {}
      server.always(() => ({ json: row }));
      const first = await Served.load([row.a, row.b]);
      expect(server.last.path.split('/').map(decodeURIComponent).slice(2)).toEqual([row.a, 'pairs', row.b]);
      expect(first.id).toEqual([row.a, row.b]);

      const storage = memoryStorage();
      const open = () => {
        const box = new Outbox({ scope: 's', storage });
        class Kept extends Served.with({ proxy: { use: [box] } }) {}
        return { box, store: new Store({ model: Kept }) };
      };
      const before = open();
      await before.box.ready;
      before.store.setRecords([row] as never);
      server.always(() => ({ drop: true }));
      const record = before.store.getById([row.a, row.b]) as Pair;
      record.note = 'kept';
      await record.save().catch(() => undefined);
      await before.box.close();

      server.always((request) => ({ json: { ...row, ...request.body } }));
      const after = open();
      await after.box.ready;
      await after.box.send();
      expect(server.last.method).toBe('PATCH');
      expect(server.last.path.split('/').map(decodeURIComponent).slice(2)).toEqual([row.a, 'pairs', row.b]);
      expect(server.last.body).toEqual({ note: 'kept' });
      await after.box.close();
    }),
    { numRuns: 15 },
  );
});
