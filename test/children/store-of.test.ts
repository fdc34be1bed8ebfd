import { DefinitionError, differenceOf, embed, Model, plain, receive, StateError, Store, storeOf } from 'repose';
import { describe, expect, test } from 'vitest';
import { sentLines, server } from './support.js';

class Detail extends Model.define({ name: 'detail', fields: { id: 'int', sku: 'string', qty: 'int' } }) {}
class Invoice extends Model.define({
  name: 'invoice',
  fields: { id: 'int', note: 'string', details: embed([Detail]) },
  proxy: server.proxy('/invoices', { dialect: plain() }),
}) {}
const open = () =>
  Invoice.fromRow({
    id: 7,
    details: [
      { id: 1, sku: 'A', qty: 1 },
      { id: 2, sku: 'B', qty: 2 },
      { id: 3, sku: 'C', qty: 3 },
    ],
  });
const skus = (store: Store<Detail>) => [...store].map(({ sku }) => sku);

describe('the store of an embedded list', () => {
  test('is an ordinary store, made once, that shows the list', () => {
    const invoice = open();
    const details: Store<Detail> = storeOf(invoice, 'details');
    expect(details).toBeInstanceOf(Store);
    expect(storeOf(invoice, 'details')).toBe(details);
    expect(skus(details)).toEqual(['A', 'B', 'C']);
    expect([...details]).toEqual([...(invoice.details ?? [])]);
    expect(invoice.dirty).toBe(false);
  });

  test('makes adds, inserts, moves, removals and edits edits of the holder, saved in its body', async () => {
    server.always(({ body }) => ({ status: 200, json: { ...body, id: 7 } }));
    const invoice = open();
    const details = storeOf(invoice, 'details');
    const [first, second] = [...details] as [Detail, Detail];
    const [added] = details.add({ sku: 'D', qty: 4 });
    expect([added?.sku, invoice.details?.[3] === added]).toEqual(['D', true]);
    details.insert(0, { sku: 'Z' });
    details.remove(second);
    details.add(first);
    expect(skus(details)).toEqual(['Z', 'C', 'D', 'A']);
    first.qty = 9;
    expect(invoice.dirty).toBe(true);
    await invoice.save();
    expect(sentLines()).toEqual([
      'PATCH /invoices/7 {"details":[{"sku":"Z"},{"id":3,"sku":"C","qty":3},{"sku":"D","qty":4},{"id":1,"sku":"A","qty":9}]}',
    ]);
    expect([invoice.dirty, skus(details), details.getAt(3) === first]).toEqual([false, ['Z', 'C', 'D', 'A'], true]);
  });

  test('keeps what of the list is no record where it is', () => {
    const invoice = Invoice.fromRow({ id: 7, details: [{ id: 1, sku: 'A' }, null, { id: 2, sku: 'B' }] });
    const details = storeOf(invoice, 'details');
    const [first, second] = [...details] as [Detail, Detail];
    const [added] = details.insert(1, { id: 3, sku: 'C' }) as [Detail];
    expect(added.sku).toBe('C');
    expect([...(invoice.details as readonly unknown[])]).toEqual([first, null, added, second]);
  });

  test('follows the holder: what it sets, rejects and loads', async () => {
    const invoice = open();
    const details = storeOf(invoice, 'details');
    invoice.details = [];
    expect(details.count).toBe(0);
    invoice.reject();
    expect(skus(details)).toEqual(['A', 'B', 'C']);
    details.removeAll();
    expect([details.count, invoice.dirty]).toEqual([0, true]);
    details.reject();
    expect([skus(details), invoice.dirty]).toEqual([['A', 'B', 'C'], false]);
    server.always(() => ({ status: 200, json: { id: 7, details: [{ id: 2, sku: 'B2' }] } }));
    await invoice.load();
    expect(skus(details)).toEqual(['B2']);
  });

  test('is emptied without a `change` event by `removeAll(true)`', async () => {
    const invoice = open();
    const details = storeOf(invoice, 'details');
    const told: number[] = [];
    details.on('change', (change) => {
      const { added, removed } = differenceOf(change);
      told.push(added.length - removed.length);
    });
    details.removeAll(true);
    await Promise.resolve();
    expect([details.count, invoice.dirty, told]).toEqual([0, true, []]);
    details.add({ sku: 'Z' });
    await Promise.resolve();
    expect(told).toEqual([1]);
  });

  test.each(['details[2].qty', 'details.2.qty', 'details[2][qty]', '/details/2/qty', 'details__2__qty'])(
    'shows the errors of the server at its rows and fields, named %s',
    async (name) => {
      server.always(() => ({ status: 422, json: { errors: { [name]: ['is high'] } } }));
      const invoice = open();
      const details = storeOf(invoice, 'details');
      const third = details.getAt(2) as Detail;
      const told: unknown[] = [];
      third.$.field('qty').subscribe(() => told.push(third.$.field('qty').get().errors.length));
      third.qty = 1000;
      await invoice.save().catch(() => undefined);
      expect(third.$.errors.qty?.map(({ message }) => message)).toEqual(['is high']);
      expect(details.getAt(0)?.$.errors).toEqual({});
      expect(told.at(-1)).toBe(1);
      third.qty = 5;
      expect(third.$.errors.qty).toBeUndefined();
    },
  );

  test('refuses loads and saves of its own', async () => {
    const details = storeOf(open(), 'details');
    const carried = { constructor: StateError, reason: 'list-carried' };
    await expect(details.load()).rejects.toMatchObject(carried);
    await expect(details.reload()).rejects.toMatchObject(carried);
    await expect(details.sync()).rejects.toMatchObject(carried);
    expect(() => receive(details, [])).toThrow(expect.objectContaining(carried));
    expect(server.requests.length).toBe(0);
  });

  test('refuses fields that are no list of a model, and foreign records', () => {
    expect(() => storeOf(open(), 'note' as never)).toThrow(
      expect.objectContaining({ constructor: DefinitionError, reason: 'list-field' }),
    );
    expect(() => storeOf(open(), 'details').add(open() as never)).toThrow(expect.objectContaining({ code: 'foreign' }));
  });
});
