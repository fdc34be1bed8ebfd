import { embed, Model, plain, presence, RecordForm, storeOf } from 'repose';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

class Part extends Model.define({ fields: { no: 'string', weight: 'int' } }) {}
class Detail extends Model.define({
  fields: { sku: { type: 'string', validators: [presence()] }, qty: 'int', parts: embed([Part]) },
}) {}
class Address extends Model.define({ fields: { city: 'string', zip: 'string' } }) {}
class Order extends Model.define({
  name: 'order',
  fields: { id: 'int', no: 'string', email: 'string', tags: 'json', address: embed(Address), details: embed([Detail]) },
  proxy: server.proxy('/orders', { dialect: plain() }),
}) {}

const line = (sku: string) => ({ sku, qty: 1, parts: [{ no: 'p', weight: 1 }] });
const ROW = {
  ...{ id: 1, no: 'A', email: 'x', tags: {}, address: { city: 'Ulm', zip: '1' }, details: [line('a'), line('b')] },
};
const ERRORS = {
  ...{ no: ['is taken'], email: ['is no address'], 'tags.color': ['is odd'], 'address.zip': ['is short'] },
  ...{ 'details[0].qty': ['too few'], 'details[1].qty': ['too many'], 'details[1].parts[0].weight': ['too heavy'] },
  ...{ elsewhere: ['is wrong'] },
};

async function refused(errors: object = ERRORS) {
  const order = Order.fromRow(structuredClone(ROW));
  const form = new RecordForm(order);
  form.enter('no', 'B');
  server.reply({ status: 422, json: { errors } });
  await form.submit();
  expect(form.state.get().error?.code).toBe('validation');
  return { form, order, lines: storeOf(order, 'details') };
}

/** The messages that the fields show, with those of the embedded records at their own fields. */
function shownOf(order: Order) {
  const texts = (record: { readonly $: { readonly errors: object } }) =>
    Object.values(record.$.errors as Readonly<Record<string, readonly { readonly message: string }[]>>)
      .flat()
      .map(({ message }) => message);
  const [first, second] = order.details;
  return {
    order: texts(order),
    ...{ address: texts(order.address as Address), first: texts(first as Detail), second: texts(second as Detail) },
    part: texts((second as Detail).parts[0] as Part),
  };
}

const ALL = {
  order: ['is taken', 'is no address', 'is odd', 'is short', 'too few', 'too many', 'too heavy', 'is wrong'],
  address: ['is short'],
  first: ['too few'],
  second: ['too many', 'too heavy'],
  part: ['too heavy'],
};
const without = (...gone: string[]) =>
  Object.fromEntries(
    Object.entries(ALL).map(([name, texts]) => [name, texts.filter((text) => !['is wrong', ...gone].includes(text))]),
  );

describe("an error of a field in the server's response", () => {
  test('is at its field', async () => {
    const { order } = await refused();
    expect(shownOf(order)).toEqual(ALL);
  });

  test.each<[string, (to: Awaited<ReturnType<typeof refused>>) => unknown, string[]]>([
    ['a field, by the form', ({ form }) => form.enter('no', 'C'), ['is taken']],
    ['a field, by the record', ({ order }) => (order.email = 'y'), ['is no address']],
    ['two fields', ({ order }) => order.set({ no: 'C', email: 'y' }), ['is taken', 'is no address']],
    ['a plain value', ({ order }) => order.set('tags', { color: 'red' }), ['is odd']],
    ['a member of an embedded record', ({ form }) => form.set('address.zip', '2'), ['is short']],
    ['another member of an embedded record', ({ order }) => (order.address as Address).set('city', 'Rom'), []],
    ['a field of a line', ({ lines }) => lines.getAt(1)?.set('qty', 9), ['too many']],
    ['another field of the same line', ({ lines }) => lines.getAt(1)?.set('sku', 'c'), []],
    ['a field of another line', ({ lines }) => lines.getAt(0)?.set('qty', 9), ['too few']],
    ['a record inside a line', ({ order }) => order.details[1]?.parts[0]?.set('weight', 9), ['too heavy']],
    ['one field back', ({ order }) => order.reject('no'), ['is taken']],
  ])('goes when its own field is edited, and no other goes: %s', async (_, edit, gone) => {
    const held = await refused();
    edit(held);
    expect(shownOf(held.order)).toEqual(without(...gone));
    expect(held.form.state.get().error).toBeUndefined();
    expect(held.form.field('address').get().errors).toHaveLength(gone.includes('is short') ? 0 : 1);
  });

  test('goes with the line that has it, because the others move up', async () => {
    const { order, lines } = await refused();
    lines.remove(...lines.getRange(0, 1));
    expect(order.$.errors.details).toBeUndefined();
    expect(order.details[0]?.$.errors).toEqual({});
    expect(order.$.errors.email).toHaveLength(1);
  });

  test('of a whole value goes when a member of it is edited', async () => {
    const { order, form } = await refused({ details: ['must be three'], address: ['is unknown'] });
    form.set('address.city', 'Rom');
    expect([order.$.errors.address, order.$.errors.details?.length]).toEqual([undefined, 1]);
    order.details[0]?.set('qty', 3);
    expect(order.$.errors).toEqual({});
  });

  test.each<[string, (to: Awaited<ReturnType<typeof refused>>) => unknown]>([
    ['the form is reset', ({ form }) => form.reject()],
    ['all edits are taken back', ({ order }) => order.reject()],
    ['the edits are committed', ({ order }) => order.commit()],
    [
      'a save succeeds',
      ({ form }) => {
        server.reply({ status: 204 });
        return form.submit();
      },
    ],
  ])('goes when %s', async (_, act) => {
    const held = await refused();
    held.form.enter('email', 'y');
    expect(held.form.field('no').get().errors).toHaveLength(1);
    await act(held);
    expect([held.order.$.errors, held.form.state.get().errors]).toEqual([{}, {}]);
  });

  test('is replaced by those of the next save', async () => {
    const { form, order } = await refused();
    form.enter('email', 'y');
    server.reply({ status: 422, json: { errors: { email: ['is no address either'] } } });
    await form.submit();
    expect(shownOf(order)).toMatchObject({ order: ['is no address either'], address: [], first: [] });
  });

  test('of no field goes with the next edit, as the error of the save does', async () => {
    const { form } = await refused({ '': ['is odd as a whole'], no: ['is taken'] });
    form.enter('email', 'y');
    expect(Object.keys(form.state.get().errors)).toEqual(['no']);
  });
});
