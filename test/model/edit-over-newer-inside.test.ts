import { type ConflictError, embed, Model, plain, type RestProxy, receive, Store, safeWrites } from 'repose';
import { memoryStorage, Outbox } from 'repose/outbox';
import { restServer } from 'repose/testing';
import { describe, expect, test } from 'vitest';

class Geo extends Model.define({ name: 'geo', fields: { lat: 'string', lon: 'string' } }) {}
class Address extends Model.define({
  name: 'address',
  fields: { city: 'string', zip: 'string', phone: { type: 'string', mapping: 'contact.phone' }, geo: embed(Geo) },
}) {}
class Line extends Model.define({
  name: 'line',
  fields: { id: 'int', qty: 'int', text: 'string', to: embed(Address) },
}) {}

const ADDRESS = { city: 'city', zip: 'zip', contact: { phone: 'phone', fax: 'fax' }, geo: { lat: 'lat', lon: 'lon' } };
const ROW = {
  id: 1,
  note: 'note',
  address: ADDRESS,
  lines: [
    { id: 1, qty: 1, text: 'one', to: ADDRESS },
    { id: 2, qty: 2, text: 'two', to: ADDRESS },
  ],
};
type Row = typeof ROW;
type RowOf<R> = { -readonly [K in keyof R]: R[K] };

/** A server with one order, and its model. */
function world() {
  const server = restServer({ etags: 'required', collections: { '/orders': [ROW] } });
  let isOnline = true;
  class Order extends Model.define({
    name: 'order',
    fields: { id: 'int', note: 'string', address: embed(Address), lines: embed([Line]) },
    proxy: {
      ...{ url: '/orders', baseUrl: server.baseUrl, dialect: plain(), use: [safeWrites()] },
      fetch: async (input: RequestInfo | URL, init?: RequestInit) => {
        if (!isOnline) throw new TypeError('offline');
        return server.fetch(input, init);
      },
    },
  }) {}
  const row = () => structuredClone(server.rows('/orders')[0]) as unknown as Row;
  return {
    Order,
    row,
    requests: () => server.requests.length,
    setOnline: (to: boolean) => void (isOnline = to),
    /** Another person saves. */
    theySave(change: (row: RowOf<Row>) => void) {
      const next = row();
      change(next);
      server.setRows('/orders', [next]);
    },
  };
}
type World = ReturnType<typeof world>;
type Order = InstanceType<World['Order']>;

/** A record of a list that was read by itself, so that its ETag is known. */
async function opened({ Order }: World, proxy: object = {}) {
  const orders = new Store({ model: Order, pageSize: 0, proxy });
  await orders.load();
  const order = orders.getById(1) as Order;
  await order.load();
  return { orders, order };
}
type Opened = Awaited<ReturnType<typeof opened>>;

const WAYS: Record<string, (opened: Opened, row: object) => unknown> = {
  'a feed': ({ orders }, row) => receive(orders, [row]),
  'a load of the list': ({ orders }) => orders.load(),
  'a load of the record': ({ order }) => order.load(),
};

/** The same member in each place, of the record and of the row. */
interface Place {
  readonly mine: (order: Order) => void;
  readonly theirs: (row: Row) => void;
  readonly value: (row: Row) => unknown;
  /** Another value, which they save beside it. */
  readonly beside: (row: Row) => void;
}
const address = (
  of: (order: Order) => InstanceType<typeof Address>,
  at: (row: Row) => typeof ADDRESS,
): Record<string, Place> => ({
  'an embedded record': {
    mine: (order) => void (of(order).city = 'mine'),
    theirs: (row) => void (at(row).city = 'theirs'),
    value: (row) => at(row).city,
    beside: (row) => void (at(row).zip = 'their zip'),
  },
  'a member that an embedded record maps': {
    mine: (order) => void (of(order).phone = 'mine'),
    theirs: (row) => void (at(row).contact.phone = 'theirs'),
    value: (row) => at(row).contact.phone,
    beside: (row) => void (at(row).contact.fax = 'their fax'),
  },
  'an embedded record of an embedded record': {
    mine: (order) => void (of(order).geo!.lat = 'mine'),
    theirs: (row) => void (at(row).geo.lat = 'theirs'),
    value: (row) => at(row).geo.lat,
    beside: (row) => void (at(row).geo.lon = 'their lon'),
  },
});
const PLACES: Record<string, Place> = {
  ...address(
    (order) => order.address!,
    (row) => row.address,
  ),
  'a line': {
    mine: (order) => void (order.lines![0]!.text = 'mine'),
    theirs: (row) => void (row.lines[0]!.text = 'theirs'),
    value: (row) => row.lines[0]!.text,
    beside: (row) => void (row.lines[0]!.qty = 9),
  },
  ...Object.fromEntries(
    Object.entries(
      address(
        (order) => order.lines![1]!.to!,
        (row) => row.lines[1]!.to,
      ),
    ).map(([name, place]) => [`${name} of a line`, place]),
  ),
};
const CASES = Object.keys(WAYS).flatMap((way) => Object.keys(PLACES).map((place) => [place, way] as const));

describe.each(CASES)('an edit inside %s under which another value has come by %s', (placeName, way) => {
  const place = PLACES[placeName] as Place;
  const bring = WAYS[way] as (typeof WAYS)[string];

  /** The error of the save after another person has saved the same. */
  async function inConflict() {
    const here = world();
    const both = await opened(here);
    place.mine(both.order);
    here.theySave((row) => {
      place.theirs(row);
      place.beside(row);
    });
    await bring(both, here.row());
    const [requests, theirs] = [here.requests(), here.row()];
    const error = (await both.order.save().catch((reason) => reason)) as ConflictError;
    expect([error.code, here.row(), here.requests()]).toEqual(['conflict', theirs, requests]);
    return { ...here, ...both, error, theirs };
  }

  test('is a conflict when it is saved, and saved over the other value by keepMine()', async () => {
    const { order, error, row, theirs } = await inConflict();
    expect(place.value(error.base as Row)).toBe(place.value(ROW));
    expect(place.value(error.mine as Row)).toBe('mine');
    expect(place.value(error.theirs as Row)).toBe('theirs');
    await expect(order.save()).rejects.toMatchObject({ code: 'conflict' });
    await (order.$.error as ConflictError).keepMine();
    const mine = structuredClone(theirs);
    place.theirs(mine);
    expect(place.value(row())).toBe('mine');
    expect([order.dirty, order.$.error, order.$.state.get().newer]).toEqual([false, undefined, undefined]);
    // The server has what they have saved beside it.
    const now = row();
    place.theirs(now);
    expect(now).toEqual(theirs);
  });

  test('is given up for the other value by takeTheirs()', async () => {
    const { order, error, row, theirs } = await inConflict();
    await error.takeTheirs();
    expect([order.dirty, order.$.error, order.$.state.get().newer, row()]).toEqual([
      false,
      undefined,
      undefined,
      theirs,
    ]);
    place.mine(order);
    await order.save();
    expect(place.value(row())).toBe('mine');
  });

  test('is asked for by merge()', async () => {
    const { order, error, row } = await inConflict();
    const asked: string[] = [];
    await error.merge(({ field, mine }) => {
      asked.push(field);
      return mine;
    });
    expect([asked.length, place.value(row()), order.dirty, order.$.error]).toEqual([1, 'mine', false, undefined]);
  });
});

describe.each(Object.keys(WAYS))('an edit inside an embedded record or a line, under a row that came by %s', (way) => {
  const bring = WAYS[way] as (typeof WAYS)[string];

  test.each(Object.keys(PLACES))(
    'is saved over the newer row if nothing of %s that was edited differs',
    async (name) => {
      const place = PLACES[name] as Place;
      const here = world();
      const both = await opened(here);
      place.mine(both.order);
      here.theySave(place.beside);
      await bring(both, here.row());
      if (way !== 'a load of the record') await both.order.load();
      const theirs = here.row();
      expect(both.order.$.state.get().newer).toBeUndefined();
      await both.order.save();
      const now = here.row();
      expect(place.value(now)).toBe('mine');
      for (const row of [now, theirs]) place.theirs(row);
      expect(now).toEqual(theirs);
    },
  );

  test('is no conflict with a value that was seen before the edit', async () => {
    const here = world();
    const both = await opened(here);
    both.order.address!.city = 'mine';
    here.theySave(({ address: theirs }) => void (theirs.zip = 'their zip'));
    await bring(both, here.row());
    await both.order.load();
    both.order.address!.zip = 'my zip';
    await both.order.save();
    expect(here.row().address).toMatchObject({ city: 'mine', zip: 'my zip' });
  });

  test('is no conflict where both have saved the same, nor after the edit took the other value', async () => {
    const here = world();
    const both = await opened(here);
    both.order.address!.city = 'same';
    both.order.lines![0]!.qty = 7;
    here.theySave((row) => {
      row.address.city = 'same';
      row.lines[0]!.qty = 8;
    });
    await bring(both, here.row());
    await both.order.load();
    both.order.lines![0]!.qty = 8;
    both.order.note = 'mine';
    await both.order.save();
    expect(here.row()).toMatchObject({ note: 'mine', address: { city: 'same' }, lines: [{ qty: 8 }, {}] });
  });

  test('is a conflict with each of two values that came one after the other', async () => {
    const here = world();
    const both = await opened(here);
    both.order.address!.city = 'mine';
    here.theySave((row) => void (row.address.city = 'theirs'));
    await bring(both, here.row());
    here.theySave((row) => void (row.address.zip = 'their zip'));
    await bring(both, here.row());
    const error = await both.order.save().catch((reason) => reason);
    expect(error).toMatchObject({ code: 'conflict', base: { address: { city: 'city', zip: 'their zip' } } });
    expect(here.row().address.city).toBe('theirs');
  });

  test('that removes a line which somebody else has changed is a conflict', async () => {
    const here = world();
    const both = await opened(here);
    both.order.lines = both.order.lines!.slice(1);
    here.theySave((row) => void (row.lines[0]!.qty = 9));
    await bring(both, here.row());
    const error = (await both.order.save().catch((reason) => reason)) as ConflictError;
    expect([error.code, here.row().lines.length]).toEqual(['conflict', 2]);
    await error.keepMine();
    expect(here.row().lines.map(({ id }) => id)).toEqual([2]);
  });

  test('that removes a line is no conflict with a row that tells of the same line in other words', async () => {
    const here = world();
    const both = await opened(here);
    both.order.lines = both.order.lines!.slice(1);
    here.theySave((row) => {
      Object.assign(row.lines[0]!, { qty: '1', total: 5 });
      Object.assign(row.lines[0]!.to, { country: 'NO' });
    });
    await bring(both, here.row());
    await both.order.save();
    expect(here.row().lines.map(({ id }) => id)).toEqual([2]);
  });

  test('of a line that somebody else has removed is a conflict', async () => {
    const here = world();
    const both = await opened(here);
    both.order.lines![0]!.qty = 7;
    here.theySave((row) => void (row.lines = row.lines.slice(1)));
    await bring(both, here.row());
    const error = (await both.order.save().catch((reason) => reason)) as ConflictError;
    expect([error.code, here.row().lines.length]).toEqual(['conflict', 1]);
    await error.takeTheirs();
    expect(both.order.lines!.map(({ id }) => id)).toEqual([2]);
  });

  test('that replaces a record which has an id is saved as it is by keepMine()', async () => {
    const here = world();
    class Order extends Model.define({
      name: 'order',
      fields: { id: 'int', main: embed(Line) },
      proxy: here.Order.proxy as RestProxy,
    }) {}
    here.theySave((row) => Object.assign(row, { main: { id: 1, qty: 1, text: 'one' } }));
    const orders = new Store({ model: Order, pageSize: 0 });
    await orders.load();
    const order = orders.getById(1) as Order;
    await order.load();
    order.main = new Line({ qty: 7 }) as never;
    here.theySave((row) => Object.assign(row, { main: { id: 1, qty: 1, text: 'theirs' } }));
    await bring({ orders, order } as never, here.row());
    const error = (await order.save().catch((reason) => reason)) as ConflictError;
    expect(error.code).toBe('conflict');
    await error.keepMine();
    expect([here.row(), order.dirty]).toMatchObject([{ main: { qty: 7 } }, false]);
  });

  test('that replaces the record which somebody else has changed is a conflict', async () => {
    const here = world();
    const both = await opened(here);
    both.order.address = new Address({ city: 'new', zip: 'new' }) as never;
    here.theySave((row) => void (row.address.city = 'theirs'));
    await bring(both, here.row());
    const error = (await both.order.save().catch((reason) => reason)) as ConflictError;
    expect([error.code, here.row().address.city]).toEqual(['conflict', 'theirs']);
    await error.keepMine();
    expect(here.row().address.city).toBe('new');
  });

  test('adds a line beside a line of somebody else', async () => {
    const here = world();
    const both = await opened(here);
    both.order.lines = [...both.order.lines!, new Line({ text: 'mine' })] as never;
    here.theySave((row) => void row.lines.push({ id: 3, qty: 3, text: 'theirs', to: ADDRESS }));
    await bring(both, here.row());
    await both.order.load();
    await both.order.save();
    expect(
      here
        .row()
        .lines.map(({ text }) => text)
        .toSorted(),
    ).toEqual(['mine', 'one', 'theirs', 'two']);
  });

  test('that waits in an outbox is told as a conflict, and sent when the application decides so', async () => {
    const here = world();
    const outbox = new Outbox({ scope: 'a', storage: memoryStorage(), models: [here.Order] });
    await outbox.ready;
    const both = await opened(here, { use: [outbox] });
    here.setOnline(false);
    both.order.address!.city = 'mine';
    both.order.lines![0]!.qty = 7;
    await both.orders.sync();
    here.theySave((row) => {
      row.address.city = 'theirs';
      row.lines[0]!.text = 'theirs';
    });
    here.setOnline(true);
    await bring(both, here.row());
    await outbox.send();
    expect([here.row().address.city, outbox.failed.map(({ error }) => error.code)]).toEqual(['theirs', ['conflict']]);
    for (const failed of outbox.failed) await outbox.retry(failed);
    await outbox.send();
    expect([here.row().address.city, here.row().lines[0], outbox.failed]).toMatchObject([
      'mine',
      { qty: 7, text: 'theirs' },
      [],
    ]);
    await outbox.close();
  });
});

describe('no conflict with oneself inside embedded records and lines', () => {
  /** An order of a list on a server that trims texts, and answers each update without a row. */
  async function trimmed() {
    const row = structuredClone(ROW);
    const trim = (value: unknown): unknown =>
      JSON.parse(JSON.stringify(value), (_, each) => (typeof each === 'string' ? each.trim() : each));
    let held: Promise<void> | undefined;
    const fetch = async (_: unknown, { method = 'GET', body }: RequestInit = {}) => {
      if (method === 'GET') return Response.json([row]);
      Object.assign(row, trim(JSON.parse(body as string)));
      await held;
      return new Response(null, { status: 204 });
    };
    class Order extends Model.define({
      name: 'order',
      fields: { id: 'int', note: 'string', address: embed(Address), lines: embed([Line]) },
      proxy: {
        ...{ url: '/orders', baseUrl: 'http://127.0.0.1', dialect: plain() },
        ...{ fetch: fetch as typeof globalThis.fetch, use: [safeWrites({ etags: { unknown: 'send' } })] },
      },
    }) {}
    const orders = new Store({ model: Order, pageSize: 0 });
    await orders.load();
    const order = orders.getById(1) as InstanceType<typeof Order>;
    const hold = () => {
      let release = () => {};
      held = new Promise((resolve) => {
        release = resolve;
      });
      return release;
    };
    const echo = (change?: (row: Row) => void) => {
      const read = structuredClone(row);
      change?.(read);
      receive(orders, [read]);
    };
    return { row, order, hold, echo };
  }
  const set = (order: Awaited<ReturnType<typeof trimmed>>['order'], text: string) => {
    order.address!.city = text;
    order.lines![0]!.text = text;
    order.lines![1]!.to!.geo!.lat = text;
  };
  const values = ({ address: { city }, lines }: Row) => [city, lines[0]!.text, lines[1]!.to.geo.lat];

  test('after an answer without a row, when a feed brings the value as the server has stored it', async () => {
    const { row, order, echo } = await trimmed();
    set(order, 'one ');
    await order.save();
    set(order, 'one two');
    echo();
    await order.save();
    expect([values(row), order.$.state.get().newer]).toEqual([['one two', 'one two', 'one two'], undefined]);
  });

  test('while the write is in flight, when a feed brings the value before the answer', async () => {
    const { row, order, echo, hold } = await trimmed();
    set(order, 'one ');
    const answer = hold();
    const saving = order.save();
    await expect.poll(() => row.address.city).toBe('one');
    set(order, 'one two');
    const waiting = order.save();
    echo();
    answer();
    await Promise.all([saving, waiting]);
    expect([values(row), order.dirty]).toEqual([['one two', 'one two', 'one two'], false]);
  });

  test('but with a value that somebody else has saved in another member while the write was in flight', async () => {
    const { row, order, echo, hold } = await trimmed();
    order.address!.city = 'mine';
    const answer = hold();
    const saving = order.save();
    await expect.poll(() => row.address.city).toBe('mine');
    order.address!.zip = 'my zip';
    row.address.zip = 'their zip';
    echo();
    answer();
    await saving;
    echo();
    await expect(order.save()).rejects.toMatchObject({ code: 'conflict', base: { address: { zip: 'zip' } } });
    expect(row.address.zip).toBe('their zip');
  });

  test('but with a value that somebody else has saved after the echo', async () => {
    const { row, order, echo } = await trimmed();
    set(order, 'one ');
    await order.save();
    echo();
    set(order, 'mine');
    echo((read) => void (read.lines[1]!.to.geo.lat = 'theirs'));
    await expect(order.save()).rejects.toMatchObject({
      code: 'conflict',
      base: { lines: [{}, { to: { geo: { lat: 'one' } } }] },
    });
    expect(row.address.city).toBe('one');
  });

  test('by rows of a list that lack the edited field or member, or that bring it later', async () => {
    const { row, order, echo } = await trimmed();
    set(order, 'mine');
    echo((read) => {
      delete (read as Partial<Row>).lines;
      delete (read.address as Partial<typeof ADDRESS>).city;
    });
    expect(order.$.state.get().newer).toBeUndefined();
    echo();
    await order.save();
    expect(values(row)).toEqual(['mine', 'mine', 'mine']);
  });

  test('by the line that this page has added and removed while the first write was in flight', async () => {
    const { row, order, echo, hold } = await trimmed();
    order.lines = [...order.lines!, new Line({ text: 'new' })] as never;
    const answer = hold();
    const saving = order.save();
    await expect.poll(() => row.lines.length).toBe(3);
    order.lines = order.lines!.slice(0, 2) as never;
    echo((read) => void (read.lines[2]!.id = 3));
    answer();
    await saving;
    await order.save();
    expect(row.lines).toHaveLength(2);
  });
});

describe.each(['PATCH', 'PUT'] as const)('a row with a version that comes before the answer to a %s', (method) => {
  /** An order whose saves are answered when the test says so, each with the row and version that it has left. */
  async function answeredLate() {
    const row = { ...structuredClone(ROW), version: 1 };
    let held: Promise<void> | undefined;
    const fetch = async (_: unknown, init: RequestInit = {}) => {
      if (init.method === 'GET') return Response.json([row]);
      const { version, ...values } = JSON.parse(init.body as string);
      if (version !== row.version) return new Response(null, { status: 409 });
      Object.assign(row, values, { version: row.version + 1 });
      const answer = structuredClone(row);
      await held;
      return Response.json(answer);
    };
    class Order extends Model.define({
      name: 'order',
      fields: { id: 'int', version: 'int', note: 'string', address: embed(Address), lines: embed([Line]) },
      proxy: {
        ...{ url: '/orders', baseUrl: 'http://127.0.0.1', dialect: plain({ lockVersion: 'version' }) },
        ...{ fetch: fetch as typeof globalThis.fetch, use: [safeWrites()], actionMethods: { update: method } },
      },
    }) {}
    const orders = new Store({ model: Order, pageSize: 0 });
    await orders.load();
    const order = orders.getById(1) as InstanceType<typeof Order>;
    let answer = () => {};
    held = new Promise((resolve) => {
      answer = resolve;
    });
    const theySave = (change: (theirs: RowOf<Row>) => void) => {
      change(row);
      row.version += 1;
      receive(orders, [structuredClone(row)], { version: 'version' });
    };
    return { row, order, answer, theySave };
  }

  test('is a conflict with what was typed since, in the fields that were sent as well', async () => {
    const { row, order, answer, theySave } = await answeredLate();
    order.set({ note: 'mine' });
    order.address!.city = 'mine';
    order.lines![0]!.text = 'mine';
    const saving = order.save();
    await expect.poll(() => row.version).toBe(2);
    order.set({ note: 'typed' });
    order.address!.zip = 'typed';
    order.lines![0]!.text = 'typed';
    theySave((theirs) => {
      theirs.note = 'theirs';
      theirs.address.zip = 'theirs';
      theirs.lines[0]!.text = 'theirs';
    });
    answer();
    await saving;
    const theirs = structuredClone(row);
    const error = (await order.save().catch((reason) => reason)) as ConflictError;
    expect([error.code, row]).toEqual(['conflict', theirs]);
    await error.keepMine();
    expect(row).toMatchObject({
      note: 'typed',
      address: { city: 'mine', zip: 'typed' },
      lines: [{ text: 'typed' }, {}],
    });
  });

  test('is no conflict if it is the row which the save itself has left', async () => {
    const { row, order, answer, theySave } = await answeredLate();
    order.set({ note: 'mine' });
    order.address!.city = 'mine';
    const saving = order.save();
    await expect.poll(() => row.version).toBe(2);
    order.set({ note: 'typed' });
    order.address!.city = 'typed';
    theySave((theirs) => void (theirs.lines[0]!.qty = 9));
    answer();
    await saving;
    await order.save();
    expect(row).toMatchObject({ note: 'typed', address: { city: 'typed' }, lines: [{ qty: 9 }, {}] });
  });
});
