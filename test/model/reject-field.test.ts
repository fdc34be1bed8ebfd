import { embed, Model, plain, StateError } from 'repose';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

class Address extends Model.define({ fields: { city: 'string' } }) {}
class Order extends Model.define({
  name: 'order',
  fields: { id: 'int', note: 'string', title: 'string', address: embed(Address) },
  proxy: server.proxy('/orders', { dialect: plain() }),
}) {}

const ROW = { id: 7, note: 'old', title: 'Plan', address: { city: 'London' } };
const order = () => Order.fromRow(structuredClone(ROW));

describe('reject() with the name of a field', () => {
  test('drops the edit of this field, and tells the change', () => {
    const record = order();
    record.set({ note: 'typed', title: 'Other', address: { city: 'Oslo' } });
    const told: unknown[] = [];
    record.$.field('note').subscribe(() => told.push(record.$.field('note').get().value));
    record.reject('note');
    expect(record.$.modified).toEqual({ title: 'Other', address: record.address });
    expect([record.note, told]).toEqual(['old', ['old']]);
    record.reject('title', 'address');
    expect([record.dirty, record.title, record.address.city]).toEqual([false, 'Plan', 'London']);
  });

  test('drops an edit inside an embedded record', () => {
    const record = order();
    record.set('address.city', 'Oslo');
    record.note = 'typed';
    record.reject('address');
    expect([record.address.city, record.$.modified]).toEqual(['London', { note: 'typed' }]);
  });

  test('changes nothing where the field has no edit, and refuses a name that is no field before it changes anything', () => {
    const record = order();
    record.reject('note');
    record.note = 'typed';
    expect(() => record.reject('note', 'nothing' as 'note')).toThrow(StateError);
    expect(record.note).toBe('typed');
  });

  test.each([[['other']], [['note']], [undefined], [5]])('refuses %j, which is no text, and names it', (name) => {
    const record = order();
    record.note = 'typed';
    const call = () => record.reject(name as never);
    expect(call).toThrow(StateError);
    expect(call).toThrow(`order has no field '${name}': a name must be a text`);
    expect(record.note).toBe('typed');
  });

  test('keeps what a save in flight has sent, and drops what was typed since', async () => {
    const record = order();
    record.set({ note: 'sent', title: 'Sent' });
    const held = server.hold();
    const saving = record.save();
    await held.request;
    record.set({ note: 'typed', title: 'Typed' });
    record.reject('note');
    expect(record.$.modified).toEqual({ note: 'sent', title: 'Typed' });
    held.answer({ json: { ...ROW, note: 'sent', title: 'Sent' } });
    await saving;
    expect(record.$.modified).toEqual({ title: 'Typed' });
  });

  test('leaves a save that waits as it was asked for', async () => {
    const record = order();
    record.note = 'first';
    const held = server.hold();
    const saving = record.save();
    await held.request;
    record.set({ note: 'second', title: 'Second' });
    const waiting = record.save();
    record.set({ note: 'third', title: 'Third' });
    record.reject('note');
    expect(record.$.modified).toEqual({ note: 'second', title: 'Third' });
    server.reply({ json: { ...ROW, note: 'second', title: 'Second' } });
    held.answer({ json: { ...ROW, note: 'first' } });
    await Promise.all([saving, waiting]);
    expect(server.requests.map(({ body }) => body)).toEqual([{ note: 'first' }, { note: 'second', title: 'Second' }]);
    expect(record.$.modified).toEqual({ title: 'Third' });
  });

  test('hides the refusal of the last save, as an edit does', async () => {
    const record = order();
    record.set({ note: 'taken', title: 'Other' });
    server.reply({ status: 422, json: { errors: { note: ['is taken'] } } });
    await record.save().catch(() => undefined);
    expect(record.$.errors).toMatchObject({ note: [{ message: 'is taken' }] });
    record.reject('note');
    expect([record.$.errors, record.$.error, record.title]).toEqual([{}, undefined, 'Other']);
  });
});
