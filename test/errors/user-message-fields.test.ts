import { embed, Model, plain, presence, Store, ValidationError } from 'repose';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

function createOrder(messages?: Record<string, string>) {
  class Line extends Model.define({ fields: { id: 'int', sku: { type: 'string', label: 'Article' } } }) {}
  return class Order extends Model.define({
    name: 'order',
    fields: {
      id: 'int',
      customerId: { type: 'int', label: 'Customer' },
      sentOn: 'string',
      note: { type: 'string', validators: [presence()] },
      lines: embed([Line]),
    },
    proxy: server.proxy('/orders', { dialect: plain(), ...(messages && { messages }) }),
  }) {};
}

/** The text for the user when the server refuses a change with this body. */
async function told(json: object, messages?: Record<string, string>): Promise<string> {
  const Order = createOrder(messages);
  const order = Order.fromRow({ id: 7, note: 'a' });
  order.note = 'b';
  server.reply({ status: 422, json });
  const error: unknown = await order.save().catch((cause: unknown) => cause);
  if (!(error instanceof ValidationError)) throw error;
  return error.userMessage;
}

describe('error.userMessage of refused values', () => {
  test.each([
    ['the label of the field', { customerId: ['is closed'] }, 'Customer is closed.'],
    ['the name of the field in words', { sentOn: ['is too late'] }, 'Sent on is too late.'],
    ['a member that is no field in words', { tax_code: ['is unknown'] }, 'Tax code is unknown.'],
    ['the field before a sentence', { note: ['This field is required.'] }, 'Note: This field is required.'],
    ['no field twice', { note: ['The note field is required.'] }, 'The note field is required.'],
    ['one other', { customerId: ['is closed'], note: ['is odd'] }, 'Customer is closed. And 1 more to check.'],
    ['all others', { note: ['is odd'], a: ['is b'], b: ['is c'] }, 'Note is odd. And 2 more to check.'],
    ['a field with two problems once', { note: ['is odd', 'is rude'] }, 'Note is odd.'],
    ['the first field that has a text', { customerId: [' '], note: ['is odd'] }, 'Note is odd. And 1 more to check.'],
    ['the place in a list', { 'lines.1.sku': ['is sold out'] }, 'Lines 2: Article is sold out.'],
  ])('names %s', async (_, errors, expected) => {
    expect(await told({ errors })).toBe(expected);
  });

  test('names the field of a list of problems, and counts the others', async () => {
    const errors = [
      { field: 'note', message: 'is too long' },
      { field: 'customerId', message: 'is closed' },
    ];
    expect(await told({ errors })).toBe('Note is too long. And 1 more to check.');
    expect(await told({ message: 'is too long', errors: errors.slice(0, 1) })).toBe('Note is too long.');
  });

  test("says it after the server's own sentence, unless that quotes it", async () => {
    const errors = { note: ['The note is rude.'], customerId: ['is closed'] };
    expect(await told({ detail: 'Please correct this', errors })).toBe(
      'Please correct this. The note is rude. And 1 more to check.',
    );
    expect(await told({ message: 'The note is rude. (and 1 more error)', errors })).toBe(
      'The note is rude. (and 1 more error)',
    );
  });

  test('says it after the sentence of the application, in no language but that', async () => {
    const errors = { note: ['ist leer'], customerId: ['ist gesperrt'] };
    const german = { 'user-validation': 'Bitte prüfen Sie die Angaben.' };
    expect(await told({ errors }, german)).toBe('Bitte prüfen Sie die Angaben. Note ist leer.');
    const more = { ...german, 'user-validation-more': 'Weitere Fehler: {count}.' };
    expect(await told({ errors }, more)).toBe('Bitte prüfen Sie die Angaben. Note ist leer. Weitere Fehler: 1.');
  });

  test('keeps a long text of a server short', async () => {
    const message = await told({ errors: { note: ['x'.repeat(5000)] } });
    expect(message.length).toBeLessThanOrEqual(300);
  });

  test('names the field of a value that the model refuses, alone and in a batch', async () => {
    const Order = createOrder();
    const alone: unknown = await new Order({ customerId: 1 }).save().catch((cause: unknown) => cause);
    expect((alone as ValidationError).userMessage).toBe('Note is required.');
    const orders = new Store({ model: Order });
    orders.add({ customerId: 1 });
    const { failures } = await orders.sync();
    expect(failures.map(({ error }) => error.userMessage)).toEqual(['Note is required.']);
    expect(server.requests).toEqual([]);
  });
});
