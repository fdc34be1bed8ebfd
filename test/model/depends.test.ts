import fc from 'fast-check';
import { Model, Store } from 'repose';
import { expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

class Order extends Model.define({
  name: 'order',
  fields: {
    id: 'int',
    qty: 'int',
    price: 'number',
    total: {
      type: 'number',
      depends: ['qty', 'price'],
      convert: (total: number | undefined, order: { qty: number; price: number }) => total ?? order.qty * order.price,
    },
    label: {
      type: 'string',
      depends: ['total'],
      persist: false,
      convert: (_: unknown, order: { get(name: 'total'): number }) => `total ${order.get('total')}`,
    },
  },
  proxy: server.proxy('/orders'),
}) {}

const order = () => Order.fromRow({ id: 1, qty: 2, price: 5 });

test('a received value is converted with the fields that are named, in the order of their dependencies', () => {
  expect(order().label).toBe('total 10');
  expect(Order.fromRow({ id: 1, qty: 2, price: 5, total: 9 }).label).toBe('total 9');
});

test('the value follows edits of the named fields, and goes back with them', () => {
  const record = order();
  expect(record.total).toBe(10);
  record.qty = 3;
  expect([record.total, record.label]).toEqual([15, 'total 15']);
  expect(record.$.modified).toEqual({ qty: 3 });
  record.reject();
  expect([record.total, record.label]).toEqual([10, 'total 10']);
});

test('a value that is set stays as it is, until its edit is dropped', () => {
  const record = order();
  record.total = 99;
  record.qty = 3;
  expect([record.total, record.label]).toEqual([99, 'total 99']);
  expect(record.$.previousValues).toEqual({ total: 15, qty: 2 });
  record.reject('total');
  expect(record.total).toBe(15);
});

test('a new record without a value has the converted one, and keeps one that it was given', () => {
  expect(new Order({ qty: 2, price: 4 }).total).toBe(8);
  expect(new Order({ qty: 2, price: 4, total: 1 }).label).toBe('total 1');
});

test('a value that follows others is no edit, and is not sent', async () => {
  const record = order();
  record.qty = 3;
  expect(record.label).toBe('total 15');
  server.reply({ json: { id: 1, qty: 3, price: 5 } });
  await record.save();
  expect(server.last.body).toEqual({ id: 1, qty: 3, price: 5 });
  expect(record.total).toBe(15);
});

test('sources tell that the value has changed', () => {
  const record = order();
  const label = record.$.field('label');
  const seen: unknown[] = [];
  label.subscribe(() => seen.push(label.get().value));
  record.price = 6;
  expect(seen).toEqual(['total 12']);
});

test('stores sort and filter by the value, and follow it', () => {
  const store = new Store({
    model: Order,
    sorters: ['total'],
    filters: [{ property: 'total', operator: 'lt', value: 100 }],
    data: [
      { id: 1, qty: 1, price: 5 },
      { id: 2, qty: 1, price: 3 },
    ],
  });
  const ids = () => [...store].map(({ id }) => id);
  expect(ids()).toEqual([2, 1]);
  (store.getById(2) as Order).qty = 4;
  expect(ids()).toEqual([1, 2]);
  (store.getById(2) as Order).qty = 400;
  expect(ids()).toEqual([1]);
});

test('any edits: the value is that of a record that was made anew with the same values', () => {
  const edit = fc.oneof(
    fc.record({ qty: fc.integer({ min: -99, max: 99 }) }),
    fc.record({ price: fc.integer({ min: -99, max: 99 }) }),
    fc.constant('reject' as const),
    fc.constant('commit' as const),
  );
  fc.assert(
    fc.property(fc.array(edit, { maxLength: 12 }), (edits) => {
      const record = order();
      for (const each of edits) {
        if (typeof each === 'string') record[each]();
        else record.set(each);
        const { qty = 0, price = 0 } = record;
        expect(record.total).toBe(Order.fromRow({ id: 2, qty, price }).total);
        expect(record.label).toBe(`total ${qty * price}`);
      }
    }),
  );
});

test.each<[string, object, RegExp]>([
  ['a circle', { a: { depends: ['b'], convert: String }, b: { depends: ['a'], calculate: String } }, /a → b → a/],
  ['itself', { a: { depends: ['a'], convert: String } }, /a → a/],
  ['an unknown field', { a: { depends: ['nmae'], convert: String }, name: 'string' }, /did you mean 'name'/],
  ['no list', { a: { depends: 'name', convert: String }, name: 'string' }, /no list of names/],
  ['no function', { a: { depends: ['name'] }, name: 'string' }, /no effect without a function/],
  ['the id', { id: { depends: ['name'], convert: String }, name: 'string' }, /an id cannot follow/],
  ['nothing', { a: { convert: (value: unknown, record: object) => [value, record] } }, /is missing/],
])('define() refuses `depends` with %s', (_, fields, message) => {
  expect(() => Model.define({ fields: { id: 'int', ...fields } as never })).toThrow(
    expect.objectContaining({
      name: 'DefinitionError',
      reason: 'field-depends',
      message: expect.stringMatching(message),
    }),
  );
});
