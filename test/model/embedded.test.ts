import {
  compositeId,
  copyOf,
  decimal,
  type Extension,
  embed,
  length,
  MemoryProxy,
  Model,
  plain,
  Store,
  viewOf,
} from 'repose';
import { LAYERS } from 'repose/extend';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

class Country extends Model.define({ name: 'country', fields: { code: 'string', name: 'string' } }) {}
class Address extends Model.define({
  name: 'address',
  fields: { street: 'string', zip: { type: 'string', mapping: 'post_code' }, country: embed(Country) },
}) {
  get label() {
    return `${this.street}, ${this.zip}`;
  }
}
class Line extends Model.define({ name: 'line', fields: { id: 'int', qty: 'int', price: decimal() } }) {}
class Order extends Model.define({
  name: 'order',
  fields: { id: 'int', name: 'string', address: embed(Address), lines: embed([Line]) },
  proxy: server.proxy('/orders'),
}) {}

const ROW = {
  id: 7,
  name: 'first',
  address: { street: 'Main St', post_code: '1000', geo: [1, 2], country: { code: 'ch', name: 'Swiss' } },
  lines: [
    { id: 1, qty: 1, price: '10.50', vat: 0.1 },
    { id: 2, qty: 2, price: '20.00', vat: 0.1 },
  ],
};
const saved = (row: object = ROW) => Order.fromRow(structuredClone(row));

describe('an embedded record', () => {
  test('keeps fields that are not persisted over saves, and does not send them', async () => {
    class Noted extends Model.define({
      fields: { street: 'string', note: { type: 'string', persist: false } },
    }) {}
    class Shop extends Model.define({
      fields: { id: 'int', name: 'string', at: embed(Noted) },
      proxy: server.proxy('/shops'),
    }) {}
    const shop = Shop.fromRow({ id: 1, name: 'a', at: { street: 'b' } });
    shop.at.note = 'local';
    shop.at.commit();
    server.always(({ body }) => ({ json: body }));
    shop.at.street = 'c';
    await shop.save();
    shop.name = 'd';
    await shop.save();
    expect(server.last.body).toEqual({ id: 1, name: 'd', at: { street: 'c' } });
    expect(shop.at.note).toBe('local');
  });

  test('is a record of its own model, the same object each time', () => {
    const order = saved();
    expect(order.address).toBeInstanceOf(Address);
    expect(order.address).toBe(order.address);
    expect([order.address.label, order.address.phantom, order.address.country.code]).toEqual([
      'Main St, 1000',
      false,
      'ch',
    ]);
    expect(order.lines.map((line) => [line instanceof Line, line.qty])).toEqual([
      [true, 1],
      [true, 2],
    ]);
    expect(Object.isFrozen(order.lines)).toBe(true);
  });

  test('gets a new list if set() names an index in a field without a list', () => {
    class Tagged extends Model.define({ fields: { tags: 'json' } }) {}
    class Shop extends Model.define({ fields: { id: 'int', at: embed(Tagged), all: embed([Tagged]) } }) {}
    const shop = Shop.fromRow({ id: 1, at: { tags: null }, all: [{}] });
    // Values inside a json value have no type.
    const untyped = shop as unknown as { set(path: string, value: unknown): void };
    untyped.set('at.tags[1]', 'a');
    untyped.set('all[0].tags[1].name', 'b');
    expect([shop.at.tags, shop.all[0]?.tags]).toEqual([
      [undefined, 'a'],
      [undefined, { name: 'b' }],
    ]);
  });

  test('makes its holder dirty when it is edited, and clean when it is set back', () => {
    const order = saved();
    const events: unknown[] = [];
    order.on('set', ({ modified }) => events.push(Object.keys(modified)));
    order.address.street = 'Side St';
    expect([order.dirty, order.$.modified.address, events]).toEqual([true, order.address, [['address']]]);
    order.address.street = 'Main St';
    expect([order.dirty, order.$.modified]).toEqual([false, {}]);
    order.lines[1]!.qty = 5;
    expect(Object.keys(order.$.modified)).toEqual(['lines']);
    order.lines[1]!.reject();
    expect(order.dirty).toBe(false);
  });

  test('nested in another one makes every holder dirty', () => {
    const order = saved();
    order.address.country.name = 'Switzerland';
    expect([order.address.dirty, order.dirty]).toEqual([true, true]);
    order.address.country.reject();
    expect([order.address.dirty, order.dirty]).toEqual([false, false]);
  });

  test('is sent inside the whole row, with the unknown members kept (H7)', async () => {
    const order = saved();
    order.address.zip = '2000';
    order.address.country.name = 'Switzerland';
    order.lines[0]!.qty = 5;
    server.reply({ status: 204 });
    await order.save();
    expect(server.last.body).toEqual({
      ...ROW,
      address: { ...ROW.address, post_code: '2000', country: { code: 'ch', name: 'Switzerland' } },
      lines: [{ ...ROW.lines[0], qty: 5 }, ROW.lines[1]],
    });
    expect([order.dirty, order.address.dirty, order.address.country.dirty, order.lines[0]?.dirty]).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });

  test('stays the same object over saves and reads', async () => {
    const order = saved();
    const { address } = order;
    const { country } = address;
    const [line] = order.lines;
    address.street = 'Side St';
    server.reply({ status: 204 }, { json: { ...ROW, address: { ...ROW.address, street: 'Read St' } } });
    await order.save();
    expect([order.address === address, order.lines[0] === line, address.country === country]).toEqual([
      true,
      true,
      true,
    ]);
    await order.load();
    expect([order.address === address, address.street, address.dirty]).toEqual([true, 'Read St', false]);
    country.name = 'edited';
    expect(order.dirty).toBe(true);
    order.commit();
    expect([order.address === address, address.country === country, order.dirty, country.dirty]).toEqual([
      true,
      true,
      false,
      false,
    ]);
    country.name = 'again';
    expect([order.dirty, order.address.country.name]).toEqual([true, 'again']);
  });

  test('loses its edits when its holder is rejected', () => {
    const order = saved();
    order.address.street = 'Side St';
    order.lines[0]!.qty = 9;
    order.reject();
    expect([order.address.street, order.lines[0]?.qty, order.dirty, order.address.dirty]).toEqual([
      'Main St',
      1,
      false,
      false,
    ]);
  });

  test('loses its edits when its holder is rejected after it was replaced', () => {
    for (const other of [null, { street: 'Other' }]) {
      const order = saved();
      const { address } = order;
      address.street = 'Edited';
      order.address = other as never;
      order.reject();
      expect(order.address).toBe(address);
      expect([address.street, address.dirty, order.dirty]).toEqual(['Main St', false, false]);
    }
    const order = saved();
    const { lines } = order;
    (lines[1] as Line).qty = 9;
    order.lines = [];
    order.reject();
    expect(order.lines).toBe(lines);
    expect([lines[1]?.qty, order.dirty]).toEqual([2, false]);
  });

  test('makes its holder dirty if it is put back with edits of its own', async () => {
    const order = saved();
    const { address } = order;
    address.street = 'Edited';
    order.address = null as never;
    order.address = address;
    expect([order.dirty, order.address]).toEqual([true, address]);
    server.reply(({ body }) => ({ json: body }));
    await order.save();
    expect(server.last.body.address.street).toBe('Edited');
    expect([order.dirty, address.dirty, order.address.street]).toEqual([false, false, 'Edited']);
    address.street = 'Once more';
    order.address = null as never;
    address.street = 'Edited';
    order.address = address;
    expect(order.dirty).toBe(false);
  });

  test('keeps its edits when the save fails', async () => {
    const order = saved();
    order.address.street = 'Side St';
    server.reply({ status: 422, json: {} }, { status: 204 });
    await expect(order.save()).rejects.toMatchObject({ status: 422 });
    expect([order.dirty, order.address.dirty, order.address.street]).toEqual([true, true, 'Side St']);
    await order.save();
    expect(server.last.body.address.street).toBe('Side St');
    expect([order.dirty, order.address.dirty]).toEqual([false, false]);
  });

  test("has its old values among the holder's previous values while it is edited in place", () => {
    const order = saved();
    const { street } = order.address;
    order.address.street = 'Side St';
    const before = order.$.previousValues.address as Address;
    expect([before.street, before.dirty, order.address.street]).toEqual([street, false, 'Side St']);
    order.reject();
    expect(order.address.street).toBe(street);
  });

  test('may be replaced, but not with null unless its field allows null', async () => {
    const order = saved();
    const before = order.address;
    order.address = new Address({ street: 'New St', zip: '3' });
    expect([order.dirty, order.$.previousValues.address]).toEqual([true, before]);
    before.street = 'not in the order any more';
    expect(order.address.street).toBe('New St');
    order.address.street = 'Newer St';
    server.reply({ status: 204 }, { status: 204 });
    await order.save();
    expect(server.last.body.address).toEqual({ street: 'Newer St', post_code: '3' });
    expect([order.dirty, order.address.phantom]).toEqual([false, false]);
    order.set('address', null as never);
    await expect(order.save()).rejects.toThrow('address is required');
  });

  test('that replaced another stays over a read, and is the same object after a commit or save', async () => {
    const mine = () => new Address({ street: 'Mine', zip: '1', country: { code: 'ch', name: 'Swiss' } as Country });
    const order = saved();
    const [first, second] = [mine(), mine()];
    order.address = first;
    server.reply({ json: { ...structuredClone(ROW), name: 'theirs' } });
    await order.load();
    expect(order.address).toBe(first);
    expect(order).toMatchObject({ name: 'theirs', dirty: true, address: { street: 'Mine' } });
    server.reply((request) => ({ json: request.body }));
    await order.save();
    expect(server.last.body.address).toMatchObject({ street: 'Mine' });
    expect(order.address).toBe(first);
    order.address = second;
    order.commit();
    expect(order.address).toBe(second);
    expect(order.dirty).toBe(false);
    second.street = 'Next';
    expect(order.dirty).toBe(true);
  });

  test('may be null if its field allows null', async () => {
    class Loose extends Model.define({
      fields: { id: 'int', address: embed(Address, { allowNull: true }) },
      proxy: server.proxy('/orders'),
    }) {}
    const order = Loose.fromRow(structuredClone(ROW));
    order.address = null;
    server.reply({ status: 204 });
    await order.save();
    expect([server.last.body.address, order.address, order.dirty]).toEqual([null, null, false]);
  });

  test('that was removed stays removed over a read, whether it was read before or not', async () => {
    class Loose extends Model.define({
      fields: { id: 'int', address: embed(Address, { allowNull: true }) },
      proxy: server.proxy('/orders'),
    }) {}
    for (const look of [true, false]) {
      const order = Loose.fromRow(structuredClone(ROW));
      if (look) expect(order.address?.street).toBe('Main St');
      order.address = null;
      server.reply({ json: structuredClone(ROW) });
      await order.load();
      expect([order.address, order.dirty]).toEqual([null, true]);
      server.reply(({ body }) => ({ json: body }));
      await order.save();
      expect([server.last.body.address, order.address, order.dirty]).toEqual([null, null, false]);
    }
  });

  test('keeps dates and numbers as they were received', async () => {
    class Event extends Model.define({ fields: { at: 'date', title: 'string' } }) {}
    class Diary extends Model.define({ fields: { id: 'int', event: embed(Event) }, proxy: server.proxy('/diaries') }) {}
    const row = { id: 1, event: { at: '2026-11-21T10:00:00+02:00', title: 'a' } };
    const diary = Diary.fromRow(structuredClone(row));
    expect((diary.event.at as Date).getTime()).toBe(Date.parse(row.event.at));
    diary.event.title = 'b';
    server.reply({ status: 204 }, { status: 204 });
    await diary.save();
    expect([diary.dirty, diary.event.dirty]).toEqual([false, false]);
    diary.event.title = 'c';
    await diary.save();
    expect(server.last.body).toEqual({ id: 1, event: { at: row.event.at, title: 'c' } });
  });

  test('of a new record is sent with its values at the time of the save', async () => {
    const address = new Address({ street: 'New St', zip: '3' });
    const order = new Order({ name: 'new', address, lines: [new Line({ qty: 1 })] });
    address.street = 'Newer St';
    order.lines[0]!.qty = 2;
    server.reply({ status: 201, json: { id: 9 } });
    await order.save();
    expect(server.last.body).toEqual({
      name: 'new',
      address: { street: 'Newer St', post_code: '3' },
      lines: [{ qty: 2 }],
    });
    expect([order.dirty, order.address === address]).toEqual([false, true]);
  });

  test('whose row is no object is shown as it was received', () => {
    const order = saved({ id: 1, address: 'on file', lines: 'none' });
    expect([order.address, order.lines]).toEqual(['on file', 'none']);
    expect(Order.fromRow({ id: 1, lines: [null, 5, { id: 1 }] }).lines).toEqual([null, 5, expect.any(Line)]);
    const empty = saved({ id: 1, address: null });
    expect([empty.address, empty.lines]).toEqual([null, undefined]);
  });

  test("is part of its holder's JSON", () => {
    expect(JSON.parse(JSON.stringify(saved()))).toMatchObject({
      name: 'first',
      address: { street: 'Main St', zip: '1000' },
      lines: [{ id: 1, qty: 1, price: '10.50' }, { id: 2 }],
    });
  });
});

describe('a list of embedded records', () => {
  test('can be replaced, and its records still make the holder dirty', async () => {
    const order = saved();
    order.set('lines', (lines) => [...lines, new Line({ qty: 3 })]);
    order.lines[0]!.qty = 7;
    order.lines[2]!.qty = 4;
    server.reply({ status: 204 });
    await order.save();
    expect(server.last.body.lines).toEqual([{ ...ROW.lines[0], qty: 7 }, ROW.lines[1], { qty: 4 }]);
    order.lines[2]!.qty = 5;
    expect(order.dirty).toBe(true);
  });

  test('gets the ids of new records from the reply', async () => {
    const order = saved();
    const line = new Line({ qty: 3 });
    order.set('lines', (lines) => [...lines, line]);
    expect([line.phantom, line.getId()]).toEqual([true, expect.any(Number)]);
    server.reply({ json: { ...ROW, lines: [...ROW.lines, { id: 3, qty: 3 }] } });
    await order.save();
    expect([order.lines[2] === line, line.id, line.phantom, order.dirty]).toEqual([true, 3, false, false]);
  });

  test('in another order in the response keeps each edit in its own record', async () => {
    const order = saved();
    const [first] = order.lines;
    order.name = 'sent';
    const held = server.hold();
    const save = order.save();
    await held.request;
    first!.qty = 99;
    held.answer({ json: { ...ROW, name: 'sent', lines: [...ROW.lines].reverse() } });
    await save;
    server.reply({ status: 204 });
    await order.save();
    const quantities = server.last.body.lines.map(({ id, qty }: { id: number; qty: number }) => [id, qty]);
    expect(Object.fromEntries(quantities)).toEqual({ 1: 99, 2: 2 });
  });

  test('takes its length from the server', async () => {
    const order = saved();
    expect(order.lines.length).toBe(2);
    server.reply({ json: { ...ROW, lines: [ROW.lines[1]] } });
    await order.load();
    expect(order.lines.map((line) => line.id)).toEqual([2]);
    expect(order.dirty).toBe(false);
  });
});

describe('set by path', () => {
  test('edits an embedded record', () => {
    const order = saved();
    order.set('address.street', 'Side St').set('address.country.name' as never, 'Switzerland' as never);
    order.set('address.street', (street) => (street as string).toUpperCase());
    expect([order.address.street, order.address.country.name]).toEqual(['SIDE ST', 'Switzerland']);
    expect([order.dirty, order.address.dirty]).toEqual([true, true]);
    expect(() => order.set('address.nope' as never, 1 as never)).toThrow("address has no field 'nope'");
  });

  test('edits a record in a list', () => {
    const order = saved();
    const [line] = order.lines;
    order.set('lines[0].qty' as never, 4 as never);
    expect([order.lines[0] === line, line?.qty, order.dirty]).toEqual([true, 4, true]);
  });

  test('of an erased record throws', async () => {
    const order = saved();
    server.reply({ status: 204 });
    await order.erase();
    expect(() => order.set('address.street', 'x')).toThrow(expect.objectContaining({ code: 'erased' }));
    expect(order.address.street).toBe('Main St');
  });
});

describe('edits of an embedded record during a save', () => {
  async function saving(edit: (order: Order) => void, reply: object = { status: 204 }) {
    const order = saved();
    order.address.street = 'sent';
    const held = server.hold();
    const save = order.save().catch(() => undefined);
    await held.request;
    edit(order);
    held.answer(reply);
    await save;
    return order;
  }
  const full = { json: { ...ROW, address: { ...ROW.address, street: 'SENT' } } };

  test("that set a field back are rejected to the value in flight, and the store's filter is applied again", async () => {
    const store = new Store({ model: Order });
    await saving((order) => {
      store.add(order);
      store.filter({ filterFn: ({ address }) => address.street === 'Main St' });
      order.address.street = 'Main St';
      expect(store.count).toBe(1);
      order.reject();
      expect([order.address.street, store.count]).toEqual(['sent', 0]);
    });
  });

  test.each([
    ['with an empty reply', { status: 204 }, 'sent'],
    ['with a full reply', full, 'SENT'],
  ])('stay after a save %s', async (_, reply, base) => {
    const order = await saving((each) => each.set('address.zip', 'later'), reply);
    expect([order.address.street, order.address.zip, order.address.$.modified, order.dirty]).toEqual([
      base,
      'later',
      { zip: 'later' },
      true,
    ]);
    server.reply({ status: 204 });
    await order.save();
    expect(server.last.body.address).toEqual({ ...ROW.address, street: base, post_code: 'later' });
    expect(order.dirty).toBe(false);
  });

  test('of a field that is being sent stay', async () => {
    const order = await saving((each) => each.set('address.street', 'later'), full);
    expect([order.address.street, order.address.$.previousValues, order.dirty]).toEqual([
      'later',
      { street: 'SENT' },
      true,
    ]);
  });

  test('that set a field back stay edits: the server has the value that was sent', async () => {
    const order = await saving((each) => each.set('address.street', 'Main St'));
    expect([order.address.street, order.address.dirty, order.dirty]).toEqual(['Main St', true, true]);
    server.reply({ status: 204 });
    await order.save();
    expect(server.last.body.address.street).toBe('Main St');
    expect(order.dirty).toBe(false);
  });

  test('that set a field back are no edits if the save failed', async () => {
    const order = await saving((each) => each.set('address.street', 'Main St'), { status: 422, json: {} });
    expect([order.address.street, order.address.dirty, order.dirty]).toEqual(['Main St', false, false]);
  });

  test.each(['Main St', 'third'])('that set a field to %s behind a save that waits stay edits', async (street) => {
    const order = saved();
    const [held, next] = [server.hold(), server.hold()];
    order.name = 'sent';
    const saves = [order.save()];
    await held.request;
    order.address.street = 'waiting';
    saves.push(order.save());
    order.address.street = street;
    held.answer({ status: 204 });
    expect((await next.request).body.address.street).toBe('waiting');
    expect([order.address.street, order.dirty]).toEqual([street, true]);
    next.answer({ status: 204 });
    await Promise.all(saves);
    expect([order.address.street, order.address.$.previousValues, order.dirty]).toEqual([
      street,
      { street: 'waiting' },
      true,
    ]);
    server.reply({ status: 204 });
    await order.save();
    expect([server.last.body.address.street, order.dirty]).toEqual([street, false]);
  });

  test('of a deeper record stay', async () => {
    const order = await saving((each) => each.set('address.country.name' as never, 'later' as never), full);
    expect([order.address.country.name, order.address.country.dirty, order.address.dirty, order.dirty]).toEqual([
      'later',
      true,
      true,
      true,
    ]);
    server.reply({ status: 204 });
    await order.save();
    expect(server.last.body.address).toEqual({
      ...ROW.address,
      street: 'SENT',
      country: { code: 'ch', name: 'later' },
    });
  });

  test('can be rejected without rejecting the values in flight', async () => {
    for (const reply of [{ status: 204 }, { status: 422, json: {} }]) {
      const order = await saving((each) => {
        each.address.zip = 'later';
        each.reject();
        expect([each.address.street, each.address.zip, each.dirty]).toEqual(['sent', '1000', true]);
      }, reply);
      expect([order.address.street, order.address.zip]).toEqual(['sent', '1000']);
      expect(order.dirty).toBe(reply.status === 422);
    }
  });

  test('that replace the record in flight do not give the new record its row', async () => {
    const order = await saving((each) => each.set({ address: new Address({ street: 'other' }) }), full);
    expect([order.address.street, order.address.zip, order.dirty]).toEqual(['other', undefined, true]);
    expect(order.$.previousValues.address?.street).toBe('SENT');
    server.reply({ status: 204 });
    await order.save();
    expect(server.last.body.address).toEqual({ street: 'other' });
    expect(order.dirty).toBe(false);
    order.address.zip = '9';
    server.reply({ status: 204 });
    await order.save();
    expect(server.last.body.address).toEqual({ street: 'other', post_code: '9' });
  });

  test.each([false, true])(
    'that replace records in flight with equal ones are no edits after the answer',
    async (isLater) => {
      const order = saved({ ...ROW, address: { street: 'Main St' }, lines: [{ id: 1, qty: 1 }] });
      order.address.street = 'sent';
      (order.lines[0] as Line).qty = 9;
      const held = server.hold();
      const save = order.save();
      await held.request;
      if (isLater) {
        order.address.street = 'later';
        (order.lines[0] as Line).qty = 10;
      }
      const [address, line] = [new Address({ street: 'sent' }), new Line({ id: 1, qty: 9 })];
      order.set({ address, lines: [line] });
      expect([order.address === address, order.lines[0] === line, order.dirty]).toEqual([true, true, true]);
      held.answer({ status: 204 });
      await save;
      expect([order.address === address, order.lines[0] === line, order.dirty]).toEqual([true, true, false]);
      line.qty = 11;
      expect([order.dirty, line.$.modified]).toEqual([true, { qty: 11 }]);
    },
  );

  test('of a record that has replaced one in flight stay', async () => {
    const address = new Address({ street: 'sent' });
    const order = await saving((each) => {
      each.address = address;
      address.zip = 'later';
    }, full);
    expect([order.address === address, address.zip, order.dirty]).toEqual([true, 'later', true]);
  });

  test('that replace a list item in flight do not give the new record its row', async () => {
    const order = saved();
    (order.lines[0] as Line).qty = 9;
    const held = server.hold();
    const save = order.save();
    await held.request;
    order.lines = [new Line({ qty: 5 }), order.lines[1] as Line];
    held.answer({ status: 204 });
    await save;
    server.reply({ status: 204 });
    await order.save();
    expect(server.last.body.lines[0]).toEqual({ qty: 5 });
  });

  test('are not needed for reject(), which then changes nothing', async () => {
    const order = await saving((each) => {
      const { address } = each;
      each.reject();
      expect(each.address).toBe(address);
    });
    expect([order.address.street, order.dirty]).toEqual(['sent', false]);
  });
});

describe('a plain object', () => {
  test('that is set in a field becomes an embedded record', async () => {
    const order = saved();
    order.set({ address: { street: 'New St', zip: '3', country: { code: 'at' } }, lines: [{ qty: 3 }] } as never);
    expect([order.address.label, order.address.country instanceof Country]).toEqual(['New St, 3', true]);
    order.lines[0]!.qty = 4;
    server.reply({ status: 204 });
    await order.save();
    const address = { street: 'New St', post_code: '3', country: { code: 'at' } };
    expect(server.last.body).toMatchObject({ address, lines: [{ qty: 4 }] });
  });

  test('given to a new record or as a default becomes an embedded record', () => {
    class Shop extends Model.define({
      fields: { at: embed(Address, { defaultValue: { street: 'A', zip: '1' } }), lines: embed([Line]) },
    }) {}
    const [shop, other] = [new Shop({ lines: [{ qty: 1 }] as never }), new Shop()];
    expect([shop.at.label, shop.lines[0] instanceof Line]).toEqual(['A, 1', true]);
    shop.at.street = 'B';
    expect(other.at.street).toBe('A');
  });

  test('with a value that its field refuses has an issue', () => {
    const order = saved();
    order.set('lines', [{ qty: 'x' }] as never);
    expect(order.$.validate()).toMatchObject([{ path: ['lines', 0, 'qty'], code: 'type' }]);
  });
});

test.each([
  ['record', (options: { defaultValue: unknown }) => embed(Line, options), () => new Line()],
  ['list', (options: { defaultValue: unknown }) => embed([Line], options), () => [new Line()]],
])(
  'a default %s that all new records would share is a DefinitionError; a function is accepted',
  (_, embedded, make) => {
    const define = (defaultValue: unknown) => Model.define({ fields: { line: embedded({ defaultValue }) } });
    expect(() => define(make())).toThrow("New records would share the default of 'line'");
    expect(new (define(make))()).toMatchObject({ phantom: true });
  },
);

describe('validation of embedded records', () => {
  class Street extends Model.define({
    fields: { street: { type: 'string', validators: [length({ max: 5 })] }, no: 'int' },
  }) {}
  class House extends Model.define({ fields: { id: 'int', at: embed(Street), former: embed([Street]) } }) {}
  class Owner extends Model.define({
    fields: { id: 'int', house: embed(House), note: 'string' },
    proxy: server.proxy('/owners'),
  }) {}
  const owner = (no: unknown = 1) =>
    Owner.fromRow({ id: 1, house: { id: 2, at: { street: 'A', no }, former: [{ street: 'B' }, { street: 'C' }] } });
  const issuesOf = (record: Owner) => record.$.validate().map(({ path, message }) => `${path.join('.')} ${message}`);
  const TEXT = 'must be at most 5 characters long';

  test('refuses to send an edited holder, and names the path', async () => {
    const record = owner();
    expect(record.$.isValid()).toBe(true);
    record.house.at.street = 'too long';
    record.house.former[1]!.street = 'longer still';
    expect(issuesOf(record)).toEqual([`house.at.street ${TEXT}`, `house.former.1.street ${TEXT}`]);
    expect(record.$.errors['house']).toHaveLength(2);
    expect(record.house.at.$.isValid()).toBe(false);
    await expect(record.save()).rejects.toThrow(`Not valid: house.at.street ${TEXT}; house.former.1.street ${TEXT}`);
    expect(server.requests).toEqual([]);
  });

  test('refuses to send a new holder', async () => {
    const at = new Street({ street: 'too long' });
    await expect(new Owner({ house: new House({ at }) }).save()).rejects.toThrow(`house.at.street ${TEXT}`);
  });

  test.each([false, true])('refuses to send a new holder by sync() (in one request: %s)', async (batchActions) => {
    const store = storeOf(server.proxy('/owners', { batchActions }));
    const at = () => new Street({ street: 'too long' });
    store.add(new store.model({ house: new House({ at: at() }) }), new store.model({ house: { at: at() } as never }));
    const { failures } = await store.sync();
    expect(failures.map(({ error }) => error)).toMatchObject([refused, refused]);
    expect(server.requests).toEqual([]);
  });

  const edited = (Class: typeof Owner = Owner) => {
    const record = Class.fromRow({ id: 1, house: { id: 2, at: { street: 'A' }, former: [] } });
    record.house.at.street = 'too long';
    return record;
  };
  const storeOf = (proxy: object) =>
    new Store({ model: Owner.with({ proxy }), data: [{ id: 1, house: { at: {} } }], pageSize: 0 });
  const refused = { code: 'validation', message: expect.stringContaining(`house.at.street ${TEXT}`) };

  test('refuses to send a holder behind a hook that waits, also if the value is mended meanwhile', async () => {
    let release = () => undefined as void;
    const wait: Extension = {
      name: 'wait',
      layer: LAYERS.checks - 5,
      async write(write, next) {
        await new Promise<void>((resolve) => (release = resolve));
        return next(write);
      },
    };
    const record = edited(Owner.with({ proxy: { use: [wait] } }));
    const saving = record.save();
    record.house.at.street = 'B';
    release();
    await expect(saving).rejects.toMatchObject(refused);
    expect([server.lines, record.dirty, record.$.saving]).toEqual([[], true, false]);
  });

  test.each([200, 422])('refuses to send a holder behind a write that is answered by %s', async (status) => {
    const record = Owner.fromRow({ id: 1, house: { id: 2, at: { street: 'A' }, former: [] }, note: '' });
    record.note = 'sent';
    const held = server.hold();
    const first = record.save();
    await held.request;
    record.house.at.street = 'too long';
    const second = record.save();
    held.answer({ status, json: { id: 1, house: { id: 2, at: { street: 'A' }, former: [] }, note: 'sent' } });
    await Promise.allSettled([first]);
    await expect(second).rejects.toMatchObject(refused);
    expect(server.lines).toHaveLength(1);
  });

  test.each([{}, { batchActions: true }])('refuses to send a holder by sync() of a proxy with %j', async (options) => {
    const store = storeOf(options);
    const [record] = [...store] as [Owner];
    record.house.at.street = 'too long';
    record.note = 'edited';
    const { outcomes } = await store.sync();
    expect(outcomes.map(({ error }) => error)).toMatchObject([refused]);
    expect(server.lines).toEqual([]);
  });

  test('shows issues of received values in $.errors, but sends edits', async () => {
    const record = owner('x');
    expect(issuesOf(record)).toEqual(['house.at.no must be a whole number']);
    record.house.at.street = 'B';
    server.reply({ status: 204 });
    await record.save();
    expect(server.last.body.house.at).toEqual({ street: 'B', no: 'x' });
  });
});

test('an embedded record has no proxy, so it cannot be saved by itself', async () => {
  await expect(saved().address.save()).rejects.toMatchObject({ code: 'definition' });
});

test('a copy of a record has its own embedded records', () => {
  const order = saved();
  const copy = copyOf(order);
  copy.address.street = 'copied';
  copy.lines[0]!.qty = 9;
  expect([order.address.street, order.lines[0]?.qty, order.dirty]).toEqual(['Main St', 1, false]);
  expect([copy.address instanceof Address, copy.lines[1]?.price]).toEqual([true, '20.00']);
});

/** Saves a new record, and gives the body that was sent. */
async function sentBy(record: Model): Promise<unknown> {
  server.reply({ status: 201, json: { id: 9 } });
  await record.save();
  return server.last.body;
}

test('a copy of a record sends no ids of the rows inside the original', async () => {
  class Part extends Model.define({ fields: { id: 'int', sku: 'string' } }) {}
  class Line extends Model.define({ fields: { id: 'int', qty: 'int', parts: embed([Part]), gift: embed(Part) } }) {}
  class Order extends Model.define({
    fields: { id: 'int', no: 'string', lines: embed([Line]), first: embed(Line, { allowNull: true }) },
    proxy: { ...server.proxy('/orders'), dialect: plain() },
  }) {}
  const line = (id: number) => ({ id, qty: 2, parts: [{ id: 21, sku: 'x' }], gift: { id: 22, sku: 'y' } });
  const order = Order.fromRow({ id: 1, no: 'A', lines: [line(11), line(12)], first: line(13) });
  order.lines[1]!.qty = 3;
  const copied = { qty: 2, parts: [{ sku: 'x' }], gift: { sku: 'y' } };
  server.reply({ status: 201, json: { id: 2, no: 'A', lines: [line(31), line(32)], first: line(33) } });
  const copy = copyOf(order);
  expect([copy.lines.every(({ phantom }) => phantom), copy.lines[0] instanceof Line]).toEqual([true, true]);
  await copy.save();
  expect(server.last.body).toEqual({ no: 'A', lines: [copied, { ...copied, qty: 3 }], first: copied });
  expect([copy.lines.map(({ id }) => id), order.lines.map(({ id }) => id)]).toEqual([
    [31, 32],
    [11, 12],
  ]);
  const empty = copyOf(Order.fromRow({ id: 1, first: null, lines: [] }));
  expect([empty.first, empty.lines]).toEqual([null, []]);
});

test('a copy of a record keeps natural and composite ids of the rows inside, which are values', async () => {
  class Tax extends Model.define({
    fields: { code: 'string', rate: 'number' },
    idProperty: 'code',
    identifier: 'natural',
  }) {}
  class Place extends Model.define({
    fields: { floor: 'int', room: 'int', tax: embed(Tax) },
    idProperty: compositeId('floor', 'room'),
  }) {}
  class Order extends Model.define({
    fields: { id: 'int', taxes: embed([Tax]), places: embed([Place]) },
    proxy: { ...server.proxy('/orders'), dialect: plain() },
  }) {}
  const taxes = [{ code: 'A', rate: 20 }];
  const places = [
    { floor: 1, room: 2, tax: { code: 'B', rate: 7 } },
    { floor: 1, tax: { code: 'C', rate: 2 } },
  ];
  expect(await sentBy(copyOf(Order.fromRow({ id: 1, taxes, places })))).toEqual({ taxes, places });
  expect(await sentBy(copyOf(new Order({ taxes, places })))).toEqual({ taxes, places });
});

test('a copy of a record keeps members that no field of the rows inside declares', async () => {
  class Line extends Model.define({ fields: { id: 'int', qty: 'int' }, undeclared: 'keep' }) {}
  class Order extends Model.define({
    fields: { id: 'int', lines: embed([Line]) },
    proxy: { ...server.proxy('/orders'), dialect: plain() },
  }) {}
  const order = Order.fromRow({ id: 1, lines: [{ id: 11, qty: 1, note: { id: 7 } }] });
  expect(await sentBy(copyOf(order))).toEqual({ lines: [{ qty: 1, note: { id: 7 } }] });
});

describe('a view sorted by an embedded record', () => {
  const many = (count: number) => Array.from({ length: count }, (_, i) => i);

  test('keeps its order when one of many equal embedded records is edited', () => {
    class Place extends Model.define({ name: 'place', fields: { city: 'string' } }) {
      override toString() {
        return this.city ?? '';
      }
    }
    class Guest extends Model.define({
      name: 'guest',
      fields: { id: 'int', place: embed(Place) },
      proxy: { type: MemoryProxy },
    }) {}
    const data = many(300).map((i) => ({ id: i + 1, place: new Place({ city: i % 2 ? 'm' : 'k' }) }));
    const store = new Store({ model: Guest, pageSize: 0, data });
    const view = viewOf(store, { sorters: [{ property: 'place' }] });
    view.getRange();
    for (const [id, city] of [
      [2, 'z'],
      [1, 'a'],
      [4, 'n'],
    ] as const) {
      (store.getById(id) as Guest).place.city = city;
      const shown = view.getRange();
      const cities = shown.map(({ place }) => place.city);
      expect(cities).toEqual([...cities].sort());
      expect(shown.map((guest) => view.indexOf(guest))).toEqual(many(300));
    }
  });

  test('shows a record once when a reject also rejects its embedded record', () => {
    class Place extends Model.define({ name: 'place', fields: { city: 'string' } }) {}
    class Guest extends Model.define({
      ...{ name: 'guest', proxy: { type: MemoryProxy } },
      fields: { id: 'int', day: 'string', place: embed(Place) },
    }) {}
    const data = [1, 2, 3].map((id) => ({ id, day: `d${id}`, place: new Place({ city: 'x' }) }));
    const store = new Store({ model: Guest, pageSize: 0, data });
    const view = viewOf(store, { sorters: ['day', 'place'] });
    view.getRange();
    const guest = store.getById(3) as Guest;
    guest.day = 'd0';
    guest.place.city = 'y';
    expect(view.getRange().map(({ id }) => id)).toEqual([3, 1, 2]);
    guest.reject();
    expect(view.getRange().map(({ id }) => id)).toEqual([1, 2, 3]);
    guest.day = 'd0';
    guest.place = new Place({ city: 'z' });
    store.reject();
    expect(view.getRange().map(({ id }) => id)).toEqual([1, 2, 3]);
  });

  test('moves a record when its embedded record is loaded without an edit', async () => {
    class Place extends Model.define({
      fields: { id: 'int', city: 'string' },
      ...{ name: 'place', proxy: { type: MemoryProxy, data: [{ id: 1, city: 'z' }] } },
    }) {}
    class Guest extends Model.define({
      ...{ name: 'guest', proxy: { type: MemoryProxy } },
      fields: {
        ...{ id: 'int', place: embed(Place) },
        city: { type: 'string', calculate: ({ place }: { place: Place }) => place.city ?? '' },
      },
    }) {}
    const data = many(200).map((i) => ({ id: i + 1, place: { id: i + 1, city: `m${1000 + i}` } }));
    const proxy = new MemoryProxy({ data });
    const store = new Store({ model: Guest, pageSize: 0, proxy });
    await store.load();
    const view = viewOf(store, { sorters: [{ property: 'city' }] });
    view.getRange();
    const first = store.getById(1) as Guest;
    await first.place.load();
    expect(first.dirty).toBe(false);
    expect(view.indexOf(first)).toBe(199);
    first.place.city = 'm1050x';
    expect(view.getRange().map(({ city }) => city)).toEqual([...view.getRange().map(({ city }) => city)].sort());
    expect(view.indexOf(first)).toBe(50);
    expect(view.count).toBe(200);
  });
});
