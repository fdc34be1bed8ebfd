import { DefinitionError, fieldsOf, Model, plain, Store } from 'repose';
import { build } from 'repose/testing';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

class Order extends Model.define({
  name: 'order',
  fields: {
    id: 'int',
    status: { type: 'enum', values: ['new', 'paid'] as const },
    level: { type: 'enum', values: [1, 2] as const, allowNull: true },
  },
  proxy: server.proxy('/orders', { dialect: plain() }),
}) {}

const order = () => Order.fromRow({ id: 7, status: 'new', level: 1 });

describe('a field of the type enum', () => {
  test('gives its values to a select box, and its type', () => {
    expect(fieldsOf(Order).status).toMatchObject({ type: 'enum', values: ['new', 'paid'], allowNull: false });
    expect(fieldsOf(Order).level).toMatchObject({ type: 'enum', values: [1, 2], allowNull: true });
    expect(Object.isFrozen(fieldsOf(Order).status.values)).toBe(true);
  });

  test('refuses another value with the list, keeps it as it was given, and does not send it', async () => {
    const record = order();
    record.set('status', 'lost' as never);
    expect([record.status, record.$.isValid()]).toEqual(['lost', false]);
    expect(record.$.errors.status).toMatchObject([{ code: 'inclusion', message: 'must be one of new,paid' }]);
    await expect(record.save()).rejects.toMatchObject({ code: 'validation' });
    expect(server.requests).toEqual([]);
    record.status = 'paid';
    expect(record.$.errors).toEqual({});
  });

  test('reads the text of a number, as a select box gives it', () => {
    const record = order();
    record.set('level', '2' as never);
    expect([record.level, record.$.isValid()]).toEqual([2, true]);
    record.set('level', null);
    expect(record.$.isValid()).toBe(true);
    record.set('status', null as never);
    expect(record.$.errors.status).toMatchObject([{ code: 'required' }]);
  });

  test('reports a received value that is not in the list, and never changes it', () => {
    const record = Order.fromRow({ id: 7, status: 'NEW', level: '1' });
    expect([record.status, record.level]).toEqual(['NEW', 1]);
    expect(record.$.errors).toMatchObject({ status: [{ code: 'inclusion' }] });
    expect(record.$.errors.level).toBeUndefined();
  });

  test('is filtered by `eq`, here and on the server', async () => {
    const store = new Store({
      model: Order,
      data: [
        { id: 1, status: 'new' },
        { id: 2, status: 'paid' },
      ],
    });
    store.filter({ property: 'status', value: 'paid' });
    expect(store.getRange().map(({ id }) => id)).toEqual([2]);
    server.reply({ json: [] });
    const filters = [{ property: 'status', value: 'new' }] as const;
    await new Store({ model: Order, remoteFilter: true, filters }).load();
    expect(server.requests[0]?.url).toContain('status=new');
  });

  test('is made with one of its values by `build`', () => {
    const made = [build(Order), build(Order), build(Order)];
    expect(made.map(({ status }) => status)).toEqual(['new', 'paid', 'new']);
  });

  test.each([
    ['no values', { type: 'enum' }],
    ['no list', { type: 'enum', values: 'new' }],
    ['an empty list', { type: 'enum', values: [] }],
    ['a value twice', { type: 'enum', values: ['1', 1] }],
    ['a value that is neither text nor number', { type: 'enum', values: ['new', null] }],
    ['NaN', { type: 'enum', values: [Number.NaN] }],
    ['a sparse list', { type: 'enum', values: new Array(2) }],
    ['values of another type', { type: 'string', values: ['new'] }],
    ['values of no type', { values: ['new'] }],
  ])('refuses a declaration with %s', (_, status) => {
    expect(() => Model.define({ fields: { id: 'int', status: status as never } })).toThrow(DefinitionError);
  });

  test('refuses the short form, which has no values', () => {
    expect(() => Model.define({ fields: { id: 'int', status: 'enum' } })).toThrow(/values: \['new', 'paid'\] as const/);
  });
});
