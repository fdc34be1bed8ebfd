import { Model, plain, type RestProxyConfig, Store } from 'repose';
import { directus } from 'repose/dialects';
import { expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();
const row = () => ({
  id: 1,
  name: 'Ada',
  address: { city: 'Rome', street: 'Via Appia', geo: { lat: 1, lng: 2 }, since: '2024-01-01T00:00:00+02:00' },
});
const fields = {
  id: 'int',
  name: 'string',
  city: { type: 'string', mapping: 'address.city', allowNull: true },
  lat: { type: 'number', mapping: 'address.geo.lat' },
  since: { type: 'date', mapping: 'address.since' },
  hash: { type: 'string', mapping: 'address.hash', persist: false },
} as const;
const define = (config: RestProxyConfig = {}) =>
  class Person extends Model.define({
    fields,
    proxy: server.proxy('/people', { dialect: plain(), ...config }),
  }) {};
const Person = define();

async function patched(Class: typeof Person, received: object, values: object): Promise<unknown> {
  server.always(() => ({ status: 204 }));
  const person = Class.fromRow(received);
  person.set(values);
  await person.save();
  return server.last.body;
}

test('a PATCH sends the whole member of an edit inside it, as received, and no other member', async () => {
  const { address } = row();
  expect(await patched(Person, row(), { city: 'Oslo' })).toEqual({ address: { ...address, city: 'Oslo' } });
  expect(await patched(Person, row(), { lat: 5, city: 'Oslo' })).toEqual({
    address: { ...address, city: 'Oslo', geo: { lat: 5, lng: 2 } },
  });
  expect(await patched(Person, row(), { name: 'Eve' })).toEqual({ name: 'Eve' });
});

test('a PATCH keeps the digits and the texts of everything else in the member', async () => {
  server.reply({ text: '{"id":1,"address":{"city":"Rome","code":12345678901234567890,"rate":"1.50"}}' });
  const person = await Person.load(1);
  person.city = 'Oslo';
  server.always(() => ({ status: 204 }));
  await person.save();
  expect(server.last.text).toBe('{"address":{"city":"Oslo","code":12345678901234567890,"rate":"1.50"}}');
});

test.each([
  ['null', { id: 1, address: null }],
  ['absent', { id: 1 }],
  ['an empty list, as PHP writes an empty object', { id: 1, address: [] }],
])('a member that is %s becomes an object with the edit', async (_, received) => {
  expect(await patched(Person, received, { city: 'Oslo' })).toEqual({ address: { city: 'Oslo' } });
});

test('an emptied field inside a member is sent as null, so that servers that merge empty it too', async () => {
  const { address } = row();
  expect(await patched(Person, row(), { city: undefined })).toEqual({ address: { ...address, city: null } });
});

test('what a PUT leaves out of a member, a PATCH leaves out too', async () => {
  const received = { id: 1, address: { city: 'Rome', street: 'Via Appia', hash: 'f00' } };
  expect(await patched(Person, received, { city: 'Oslo' })).toEqual({ address: { city: 'Oslo', street: 'Via Appia' } });
  const Declared = define({ writer: { undeclared: false } });
  expect(await patched(Declared, received, { city: 'Oslo' })).toEqual({ address: { city: 'Oslo' } });
});

test("`nested: 'merge'` sends the edited path only", async () => {
  expect(await patched(define({ writer: { nested: 'merge' } }), row(), { lat: 5 })).toEqual({
    address: { geo: { lat: 5 } },
  });
  expect(() => define({ writer: { nested: 'deep' as 'merge' } }).proxy.writer).toThrow(/nested/);
});

test('a dialect that wraps bodies sends the whole member too', async () => {
  const { address } = row();
  expect(await patched(define({ dialect: directus(), reader: { empty: 'done' } }), row(), { city: 'Oslo' })).toEqual({
    address: { ...address, city: 'Oslo' },
  });
});

const Incomplete = define({ reader: { rows: 'incomplete' }, batchActions: { update: true } });

test('a record known in part is read before an edit inside a member is sent, and only then', async () => {
  const store = new Store({ model: Incomplete });
  server.reply({ json: [{ id: 1, name: 'Ada', address: { city: 'Rome' } }] });
  await store.load();
  const [person] = store.getRange() as [InstanceType<typeof Incomplete>];
  person.name = 'Eve';
  server.reply({ status: 204 });
  await person.save();
  expect(server.lines.slice(1)).toEqual(['PATCH /people/1']);
  person.city = 'Oslo';
  server.reply({ json: row() }, { status: 204 });
  await person.save();
  expect(server.lines.slice(2)).toEqual(['GET /people/1', 'PATCH /people/1']);
  expect(server.last.body).toEqual({ address: { ...row().address, city: 'Oslo' } });
});

test('records known in part are sent one by one in a sync that writes inside members', async () => {
  const store = new Store({ model: Incomplete });
  server.reply({ json: [1, 2].map((id) => ({ id, name: 'Ada', address: { city: 'Rome' } })) });
  await store.load();
  server.always(({ method, path }) =>
    method === 'GET' ? { json: { ...row(), id: Number(path.split('/')[2]) } } : { status: 204 },
  );
  for (const person of store) person.city = 'Oslo';
  (await store.sync()).orThrow();
  const patches = server.requests.filter(({ method }) => method === 'PATCH');
  expect(patches.map(({ path, body }) => [path, body.address.street])).toEqual([
    ['/people/1', 'Via Appia'],
    ['/people/2', 'Via Appia'],
  ]);
});

test('a complete record keeps the members inside a member that a row of a list leaves out', async () => {
  server.reply({ json: row() }, { json: [{ id: 1, name: 'Ada', address: { city: 'Bern' } }] });
  const person = await Incomplete.load(1);
  const store = new Store({ model: Incomplete });
  store.add(person);
  await store.load();
  expect([person.city, person.lat]).toEqual(['Bern', 1]);
  person.lat = 5;
  server.reply({ status: 204 });
  await person.save();
  expect(server.last.body).toEqual({ address: { ...row().address, city: 'Bern', geo: { lat: 5, lng: 2 } } });
});

test('a response that holds only the edited path leaves the other members of the record as they were', async () => {
  const person = Person.fromRow(row());
  person.lat = 5;
  server.reply({ json: { ok: true, address: { geo: { lat: 6 } } } }, { status: 204 });
  await person.save();
  expect([person.lat, person.city, person.dirty]).toEqual([6, 'Rome', false]);
  person.city = 'Oslo';
  await person.save();
  expect(server.last.body).toEqual({ address: { ...row().address, city: 'Oslo', geo: { lat: 6, lng: 2 } } });
});

test('`omitNull` leaves out the null members of a create, and of nothing else', async () => {
  server.always(({ method }) => ({ status: method === 'POST' ? 201 : 200, json: { id: 1 } }));
  const Nullable = class extends Model.define({
    fields: { id: 'int', a: { type: 'string', allowNull: true }, b: { type: 'json', allowNull: true } },
    proxy: server.proxy('/n', { dialect: plain(), writer: { omitNull: true } }),
  }) {};
  const made = await new Nullable({ a: null, b: { c: null } }).save();
  expect(server.last.text).toBe('{"b":{"c":null}}');
  made.b = null;
  await made.save();
  expect([server.last.method, server.last.text]).toEqual(['PATCH', '{"b":null}']);
});

class Tagged extends Model.define({
  fields: { id: { type: 'int', mapping: 'meta.id' }, name: 'string' },
  proxy: server.proxy('/people', { dialect: plain(), batchActions: true }),
}) {}

test.each([
  ['full rows', {}, { id: 1, tag: 'a' }],
  ['a server that merges', { writer: { nested: 'merge' } }, { id: 1 }],
] as const)('a bulk PATCH sends the member in which the id lies: %s', async (_, config, meta) => {
  const proxy = server.proxy('/people', { dialect: plain(), batchActions: true, ...config });
  const store = new Store({ model: Tagged.with({ proxy }) });
  server.reply({ json: [1, 2].map((id) => ({ name: 'Ada', meta: { id, tag: 'a' } })) });
  await store.load();
  server.always(() => ({ status: 204 }));
  for (const person of store.getRange()) person.name = 'Eve';
  await store.sync();
  expect(server.last.body).toEqual([
    { name: 'Eve', meta },
    { name: 'Eve', meta: { ...meta, id: 2 } },
  ]);
});

test('an incomplete row is not sent in a bulk PATCH if the id lies inside a member', async () => {
  const proxy = server.proxy('/people', { dialect: plain(), batchActions: true, reader: { rows: 'incomplete' } });
  const store = new Store({ model: Tagged.with({ proxy }) });
  server.reply({ json: [1, 2].map((id) => ({ name: 'Ada', meta: { id } })) });
  await store.load();
  server.always(() => ({ status: 204 }));
  for (const person of store.getRange()) person.name = 'Eve';
  await store.sync();
  const sent = server.requests.slice(1).map(({ method, path, body }) => ({ method, path, body }));
  expect(sent).toEqual([1, 2].map((id) => ({ method: 'PATCH', path: `/people/${id}`, body: { name: 'Eve' } })));
});
