import { embed, idempotency, Model, plain } from 'repose';
import { memoryStorage } from 'repose/outbox';
import { beforeEach, describe, expect, test } from 'vitest';
import { manualClock } from '../helpers/manual-clock.js';
import type { Received, Reply } from '../helpers/rest-server.js';
import { useRestServer } from '../helpers/use-rest-server.js';
import { openOutbox } from '../outbox/open-outbox.js';

const server = useRestServer();
const proxy = (path: string) => server.proxy(path, { dialect: plain() });

class Line extends Model.define({ fields: { id: 'int', product: 'string', amount: 'int' } }) {}
class Order extends Model.define({
  name: 'order',
  fields: { id: 'int', lines: embed([Line]) },
  proxy: proxy('/orders'),
}) {}
class KeyedOrder extends Order.with({ proxy: { use: [idempotency()] } }) {}

interface LineRow {
  readonly id?: number;
  readonly product: string;
  readonly amount: number;
}

/** The lines on the server, by id. As with most servers, a line without an id is a new one. */
let stored: Map<number, LineRow>;

function accept({ method, body }: Received): Reply {
  if (method === 'GET') return { json: order() };
  const sent = (body.lines ?? []) as LineRow[];
  const lines = sent.map((line) => ({ ...line, id: line.id ?? nextLineId() }));
  for (const line of lines) stored.set(line.id, line);
  return { status: method === 'POST' ? 201 : 200, json: order() };
}

const order = () => ({ id: 7, lines: [...stored.values()] });
const nextLineId = () => (lastLineId += 1);
let lastLineId: number;

/** The stored amounts by product: `apples 1, pears 50`. */
const amounts = () =>
  [...stored.values()]
    .map(({ product, amount }) => `${product} ${amount}`)
    .sort()
    .join(', ');

beforeEach(() => {
  stored = new Map();
  lastLineId = 99;
  server.always(accept);
});

/** Saves a new order, and calls `during` while the create is in flight. `answer` can change the response. */
async function whileCreating(
  made: Order,
  during: () => void,
  answer: (reply: Reply) => Reply = (reply) => reply,
): Promise<void> {
  const held = server.hold();
  const saving = made.save();
  const reply = answer(accept(await held.request));
  during();
  held.answer(reply);
  await saving;
}

/** Gives the lines back by the names of their products, as a server does that sorts. */
const sorted = (reply: Reply): Reply => {
  const { lines } = reply.json as { lines: readonly LineRow[] };
  return { ...reply, json: { id: 7, lines: lines.toSorted((a, b) => (a.product < b.product ? -1 : 1)) } };
};

describe('a line of an embedded list', () => {
  test('keeps what was typed into it during a save, when the server gives the lines back in another order', async () => {
    const made = new Order({
      lines: [
        { product: 'pears', amount: 1 },
        { product: 'apples', amount: 1 },
      ],
    });
    const pears = made.lines[0] as Line;
    await whileCreating(made, () => (pears.amount = 50), sorted);
    expect(made.lines.map(({ product, amount }) => [product, amount])).toEqual([
      ['apples', 1],
      ['pears', 50],
    ]);
    expect(made.lines[1]).toBe(pears);
    await made.save();
    expect(amounts()).toBe('apples 1, pears 50');
    expect(made.dirty).toBe(false);
  });

  test('keeps what was typed into it during a repeated create, when the server gives the lines back in another order', async () => {
    const made = new KeyedOrder({
      lines: [
        { product: 'pears', amount: 1 },
        { product: 'apples', amount: 1 },
      ],
    });
    server.reply({ drop: true });
    await expect(made.save()).rejects.toThrow();
    const pears = made.lines[0] as Line;
    await whileCreating(made, () => (pears.amount = 50), sorted);
    expect(server.requests.map(({ text }) => text)).toEqual([server.last.text, server.last.text]);
    await made.save();
    expect(amounts()).toBe('apples 1, pears 50');
  });

  test('that was added during a create does not double the stored lines', async () => {
    const made = new Order({ lines: [{ product: 'pears', amount: 1 }] });
    await whileCreating(made, () => (made.lines = [...made.lines, { product: 'apples', amount: 2 }] as never));
    expect(made.lines.map(({ product }) => product)).toEqual(['pears', 'apples']);
    await made.save();
    expect(server.last.body.lines).toMatchObject([{ id: 100 }, { product: 'apples', amount: 2 }]);
    expect(amounts()).toBe('apples 2, pears 1');
    expect(made.dirty).toBe(false);
  });

  test('that was removed during a create does not give its id to another line', async () => {
    const made = new Order({
      lines: [
        { product: 'pears', amount: 1 },
        { product: 'apples', amount: 2 },
      ],
    });
    await whileCreating(made, () => (made.lines = made.lines.slice(1) as never));
    const [pears, apples] = [...stored.values()];
    expect(apples?.product).toBe('apples');
    expect(pears?.id).not.toBe(apples?.id);
    await made.save();
    expect(server.last.body.lines).toMatchObject([{ id: apples?.id, product: 'apples', amount: 2 }]);
  });

  test('that was added and not saved stays, when the response to a queued write has a line of the server', async () => {
    stored.set(1, { id: 1, product: 'pears', amount: 1 });
    const outbox = await openOutbox({ scope: 'user-7', storage: memoryStorage(), clock: manualClock() });
    class QueuedOrder extends Order.with({ proxy: { use: [outbox] } }) {}
    const loaded = await QueuedOrder.load(7);
    (loaded.lines[0] as Line).amount = 5;
    server.reply({ drop: true });
    await expect(loaded.save()).rejects.toMatchObject({ queued: true });
    loaded.lines = [...loaded.lines, { product: 'apples', amount: 3 }] as never;
    server.always((request) => {
      if (request.method !== 'GET') stored.set(9, { id: 9, product: 'delivery', amount: 1 });
      return accept(request);
    });
    await outbox.send();
    await outbox.drained();
    expect(amounts()).toBe('delivery 1, pears 5');
    expect(loaded.lines.map(({ product }) => product)).toContain('apples');
    expect(loaded.dirty).toBe(true);
    await loaded.save();
    await outbox.close();
    expect(amounts()).toBe('apples 3, delivery 1, pears 5');
  });
});

describe('an embedded record', () => {
  class Address extends Model.define({ fields: { city: 'string', zip: 'string' } }) {}
  class User extends Model.define({
    name: 'user',
    fields: { id: 'int', name: 'string', address: embed(Address) },
    proxy: proxy('/users'),
  }) {}

  test('has no edit of what a read brought during a save, so that the next save does not undo it for others', async () => {
    let row = { id: 7, name: 'Ada', address: { city: 'London', zip: 'N1' } };
    const answer = ({ method, body }: Received): Reply => {
      if (method !== 'GET') row = { ...row, ...body };
      return { json: row };
    };
    const colleagueSetsZip = (zip: string) => (row = { ...row, address: { ...row.address, zip } });
    server.always(answer);
    const user = await User.load(7);
    user.address.city = 'Oxford';
    const held = server.hold();
    const saving = user.save();
    const reply = answer(await held.request);
    colleagueSetsZip('OX1');
    await user.load();
    expect(user.address.zip).toBe('OX1');
    held.answer(reply);
    await saving;
    expect([user.dirty, user.address.dirty]).toEqual([false, false]);
    colleagueSetsZip('OX2');
    user.name = 'Ada L.';
    await user.save();
    expect(row).toEqual({ id: 7, name: 'Ada L.', address: { city: 'Oxford', zip: 'OX2' } });
  });
});

describe('a list inside a line of an embedded list', () => {
  class Part extends Model.define({ fields: { id: 'int', name: 'string', amount: 'int' } }) {}
  class Item extends Model.define({ fields: { id: 'int', parts: embed([Part]) } }) {}
  class Kit extends Model.define({
    name: 'kit',
    fields: { id: 'int', title: 'string', items: embed([Item]) },
    proxy: proxy('/kits'),
  }) {}
  const part = (id: number, name: string) => ({ id, name, amount: 1 });
  const kitRow = (...parts: object[]) => ({ id: 7, title: 'a', items: [{ id: 1, parts }] });
  const parts = (kit: Kit) => kit.items[0]?.parts as readonly Part[];
  const names = (kit: Kit) => parts(kit).map(({ id, name }) => `${name} ${id}`);

  test('keeps the records of added lines in their places, however often the row is read', async () => {
    const kit = Kit.fromRow(kitRow(part(1, 'bolt')));
    (kit.items[0] as Item).parts = [...parts(kit), { name: 'nut', amount: 1 }] as never;
    const [bolt, nut] = parts(kit);
    const read = kitRow(part(1, 'bolt'), part(2, 'washer'));
    server.always(({ body }) => ({
      json: body?.items ? { ...read, items: body.items.map(withIds) } : read,
    }));
    const withIds = (item: { parts: object[] }) => ({
      ...item,
      parts: item.parts.map((each) => ({ id: 3, ...each })),
    });
    await kit.load();
    const added = parts(kit).find(({ name }) => name === 'washer');
    const temporaryId = nut?.id;
    await kit.load();
    expect([nut?.id, added?.id]).toEqual([temporaryId, 2]);
    await kit.save();
    expect(names(kit).toSorted()).toEqual(['bolt 1', 'nut 3', 'washer 2']);
    expect([bolt, nut, added].map((each) => parts(kit).includes(each as Part))).toEqual([true, true, true]);
    expect(kit.dirty).toBe(false);
  });

  test('keeps a line removed when its row is read', async () => {
    const kit = Kit.fromRow(kitRow(part(1, 'bolt'), part(2, 'nut')));
    const nut = parts(kit)[1];
    (kit.items[0] as Item).parts = parts(kit).slice(1) as never;
    server.always(() => ({ json: kitRow(part(1, 'bolt'), { ...part(2, 'nut'), amount: 3 }) }));
    await kit.load();
    expect([names(kit), parts(kit)[0] === nut, nut?.amount, kit.dirty]).toEqual([['nut 2'], true, 3, true]);
  });

  test.each(['save()', 'no save'])(
    'keeps a line removed that was removed during a save of another field, with %s',
    async (next) => {
      let row = kitRow(part(1, 'bolt'), part(2, 'nut'));
      server.always(({ body }) => ({ json: (row = { ...row, ...body }) }));
      const kit = Kit.fromRow(row);
      const nut = parts(kit)[1];
      const held = server.hold();
      kit.title = 'b';
      const saving = kit.save();
      await held.request;
      (kit.items[0] as Item).parts = parts(kit).slice(1) as never;
      const saved = next === 'save()' ? kit.save() : undefined;
      row = { ...row, title: 'b' };
      held.answer({ json: row });
      await Promise.all([saving, saved]);
      expect([names(kit), parts(kit)[0] === nut, kit.dirty]).toEqual([['nut 2'], true, !saved]);
      await kit.save();
      expect(row.items[0]?.parts).toEqual([part(2, 'nut')]);
    },
  );

  test('keeps a line removed that was removed while the list was saved', async () => {
    let row = kitRow(part(1, 'bolt'), part(2, 'nut'));
    const kit = Kit.fromRow(row);
    const [bolt, nut] = parts(kit);
    server.always(({ body }) => ({ json: (row = { ...row, ...body }) }));
    const held = server.hold();
    (nut as Part).amount = 2;
    const saving = kit.save();
    const { body } = await held.request;
    (kit.items[0] as Item).parts = [bolt] as never;
    (bolt as Part).amount = 5;
    row = { ...row, ...body };
    held.answer({ json: row });
    await saving;
    expect([parts(kit)[0] === bolt, bolt?.id, bolt?.amount, names(kit)]).toEqual([true, 1, 5, ['bolt 1']]);
    await kit.save();
    expect(row.items[0]?.parts).toEqual([{ ...part(1, 'bolt'), amount: 5 }]);
  });
});
