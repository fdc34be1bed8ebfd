import { type ConflictError, conflicts, type Extension, embed, Model, plain, Store, storeOf } from 'repose';
import type { FailedWrite, OutboxConfig } from 'repose/outbox';
import { describe, expect, test } from 'vitest';
import { openOutbox } from './open-outbox.js';
import { modelServer } from './server.js';
import { disk, fakeLocks, sharedStorage } from './shared-storage.js';

interface Row {
  id?: number | string;
  qty: number;
}

/** A server with one order, and pages whose outbox keeps their writes in one storage. */
function setting(lines: readonly Row[], use: readonly Extension[] = [], field: 'lines' | 'data' = 'lines') {
  const server = modelServer();
  const storage = disk();
  const put = (now: readonly Row[]) => server.table('orders').set(7, { id: 7, [field]: now });
  put(lines);
  const page = async (tab: Partial<OutboxConfig> = {}) => {
    class Line extends Model.define({ fields: { id: 'auto', qty: 'int' } }) {}
    class Order extends Model.define({
      name: 'order',
      fields: { id: 'int', lines: embed([Line]), data: 'json' },
      proxy: { type: 'rest', url: '/orders', baseUrl: 'http://model.test', dialect: plain(), fetch: server.fetch },
    }) {}
    const outbox = await openOutbox({ scope: 'a', storage, models: [Order], ...tab });
    const Mine = Order.with({ proxy: { use: [...use, outbox] } });
    return { outbox, Line, Order: Mine, order: await Mine.load(7) };
  };
  const now = () => server.table('orders').get(7)?.[field];
  return { server, storage, page, put, now };
}
type Page = Awaited<ReturnType<ReturnType<typeof setting>['page']>>;

/** Edits on a page that is offline; then others change the row, and the page, or the next one, sends what is stored. */
async function leaveOffline(
  { server, page, put, now }: ReturnType<typeof setting>,
  edits: readonly ((page: Page) => unknown)[],
  theirs: readonly Row[],
  isRestarted = true,
) {
  const first = await page();
  server.fault = () => 'before';
  for (const edit of edits) {
    edit(first);
    await first.order.save().catch(() => undefined);
  }
  if (isRestarted) await first.outbox.close();
  put(theirs);
  server.fault = () => undefined;
  const { outbox, Order } = isRestarted ? await page() : first;
  const orders = new Store({ model: Order, pageSize: 0 });
  await orders.load();
  await outbox.send();
  await outbox.drained();
  return { outbox, order: first.order, now: now() };
}
const editOffline = async (...given: Parameters<typeof leaveOffline>) => (await leaveOffline(...given)).now;

const LINES: readonly Row[] = [
  { id: 1, qty: 1 },
  { id: 2, qty: 1 },
  { id: 3, qty: 1 },
];
const removeLine = (id: number) => (page: Page) => {
  const lines = storeOf(page.order, 'lines');
  const line = lines.getById(id);
  if (line) lines.remove(line);
};
const setQty = (id: number | string, qty: number) => (page: Page) => {
  const line = storeOf(page.order, 'lines').getById(id);
  if (line) line.qty = qty;
};
const [ONE, TWO, THREE] = LINES as [Row, Row, Row];

describe.each([
  ['after a restart', true],
  ['on the same page', false],
])('an edit of a line that waits in an outbox, sent %s,', (_when, isRestarted) => {
  test('stays with its line when the server has sorted them', async () => {
    const now = await editOffline(setting(LINES), [setQty(1, 9)], [THREE, TWO, ONE], isRestarted);
    expect(new Set(now as Row[])).toEqual(new Set([{ id: 1, qty: 9 }, TWO, THREE]));
  });

  test('takes the order of the server, and what it has changed, added and removed', async () => {
    const theirs = [{ id: 4, qty: 4 }, { id: 3, qty: 7 }, ONE];
    const now = await editOffline(setting(LINES), [setQty(1, 9)], theirs, isRestarted);
    expect(now).toEqual([
      { id: 4, qty: 4 },
      { id: 3, qty: 7 },
      { id: 1, qty: 9 },
    ]);
  });

  test('is a conflict when the server has removed the line, and is sent once the application has decided', async () => {
    const world = setting(LINES);
    const { outbox, now } = await leaveOffline(world, [setQty(1, 9)], [TWO, THREE], isRestarted);
    expect(now).toEqual([TWO, THREE]);
    expect(outbox.failed).toMatchObject([{ entry: { model: 'order', id: 7 }, error: { code: 'conflict' } }]);
    expect(outbox.failed[0]?.error?.message).toContain('it was changed on the server');
    await outbox.retry(outbox.failed[0] as FailedWrite);
    await outbox.drained();
    expect(outbox.failed).toEqual([]);
    expect(new Set(world.now() as Row[])).toEqual(new Set([{ id: 1, qty: 9 }, TWO, THREE]));
  });

  test('keeps what the server has changed in another line', async () => {
    const theirs = [ONE, TWO, { id: 3, qty: 7 }];
    const now = await editOffline(setting(LINES), [setQty(1, 9)], theirs, isRestarted);
    expect(now).toEqual([{ id: 1, qty: 9 }, TWO, { id: 3, qty: 7 }]);
  });

  test('stays with its line when the ids are texts', async () => {
    const lines = [
      { id: 'A-1', qty: 1 },
      { id: 'b-2', qty: 1 },
    ];
    const edited = [
      { id: 'A-1', qty: 9 },
      { id: 'b-2', qty: 1 },
    ];
    const now = await editOffline(setting(lines), [setQty('A-1', 9)], [...lines].reverse(), isRestarted);
    expect(now).toEqual([...edited].reverse());
  });

  test('and edits of other saves stay with their lines', async () => {
    const edits = [setQty(1, 9), setQty(3, 8), setQty(1, 7)];
    const now = await editOffline(setting(LINES), edits, [THREE, TWO, ONE], isRestarted);
    expect(new Set(now as Row[])).toEqual(new Set([{ id: 1, qty: 7 }, TWO, { id: 3, qty: 8 }]));
  });

  test('stays with its item of a json list that the server has sorted', async () => {
    const items = [
      { sku: 'a', qty: 1 },
      { sku: 'b', qty: 1 },
    ];
    const edited = [{ sku: 'a', qty: 9 }, items[1]];
    const edit = ({ order }: Page) => order.set({ data: edited });
    expect(await editOffline(setting(items, [], 'data'), [edit], [...items].reverse(), isRestarted)).toEqual(
      [...edited].reverse(),
    );
  });
});

test('the removal of a line that the server has edited is a conflict, and one that it has not edited goes', async () => {
  const world = setting(LINES);
  const { outbox, now } = await leaveOffline(world, [removeLine(1), removeLine(2)], [{ id: 1, qty: 5 }, TWO, THREE]);
  expect(now).toEqual([{ id: 1, qty: 5 }, TWO, THREE]);
  expect(outbox.failed).toMatchObject([{ error: { code: 'conflict' } }]);
  await outbox.retry(outbox.failed[0] as FailedWrite);
  await outbox.drained();
  expect(world.now()).toEqual([THREE]);
});

test.each([
  ['an equal line that another user has added are two lines', false, 2],
  ['the line of our own update whose answer was lost are one line', true, 1],
])('an added line and %s', async (_which, isSent, count) => {
  const { server, page, put, now } = setting(LINES);
  const first = await page();
  server.fault = () => {
    if (isSent) return 'after';
    throw new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } });
  };
  first.order.set({ lines: [...(first.order.lines ?? []), new first.Line({ qty: 6 })] });
  await first.order.save().catch(() => undefined);
  await first.outbox.close();
  put([...LINES, { id: 4, qty: 6 }, { id: 5, qty: 7 }]);
  server.fault = () => undefined;
  const { outbox } = await page();
  await outbox.send();
  await outbox.drained();
  expect((now() as Row[]).filter(({ qty }) => qty === 6)).toHaveLength(count);
});

test.each([
  ['on the same page', false],
  ['after a restart', true],
])('what is read of another line %s is not stored as an edit by a later save', async (_when, isRestarted) => {
  const { server, page, put, now } = setting(LINES);
  const first = await page();
  server.fault = (method) => (method === 'GET' ? undefined : 'before');
  setQty(1, 9)(first);
  await first.order.save().catch(() => undefined);
  if (isRestarted) await first.outbox.close();
  put([ONE, TWO, { id: 3, qty: 7 }]);
  const { order, outbox, Order } = isRestarted ? await page() : first;
  const orders = new Store({ model: Order, pageSize: 0 });
  await orders.load();
  order.data = 'other';
  await order.save().catch(() => undefined);
  put([ONE, TWO, { id: 3, qty: 8 }]);
  await orders.load();
  server.fault = () => undefined;
  await outbox.send();
  await outbox.drained();
  expect(now()).toEqual([{ id: 1, qty: 9 }, TWO, { id: 3, qty: 8 }]);
});

test.each([
  ['keepMine', [TWO, { id: 1, qty: 9 }]],
  ['takeTheirs', [TWO]],
  ['merge', [TWO, { id: 1, qty: 9 }]],
] as const)('%s() ends the conflict about a line that the server has removed', async (call, expected) => {
  const world = setting([ONE, TWO], [conflicts()]);
  const { outbox, order, now } = await leaveOffline(world, [setQty(1, 9)], [TWO], false);
  expect(now).toEqual([TWO]);
  const error = order.$.error as ConflictError;
  expect(error.code).toBe('conflict');
  if (call === 'merge') await error.merge(({ mine }) => mine);
  else await error[call]();
  await outbox.drained();
  expect(new Set(world.now() as Row[])).toEqual(new Set(expected));
  expect([outbox.entries, outbox.failed]).toEqual([[], []]);
});

describe('after a list was merged and sent,', () => {
  test.each([false, true])(
    'the page shows it, has no edit of it, and the next save sends nothing of it (json: %s)',
    async (isJson) => {
      const here = setting(LINES, [], isJson ? 'data' : 'lines');
      const add = ({ order, Line }: Page) =>
        isJson
          ? (order.data = [...LINES, { id: 4, qty: 5 }])
          : (order.lines = [...order.lines!, new Line({ qty: 5 })] as never);
      const theirs = [...LINES, { id: 9, qty: 9 }];
      const { order, outbox } = await leaveOffline(here, [add], theirs, false);
      expect([order.dirty, outbox.size]).toEqual([false, 0]);
      const sent = here.now() as Row[];
      expect(sent.map(({ qty }) => qty).sort()).toEqual([...theirs.map(({ qty }) => qty), 5].sort());
      await order.save();
      expect(here.now()).toEqual(sent);
    },
  );

  test('a new line stands once, also if the server has sorted the others', async () => {
    const here = setting(LINES);
    const add = ({ order, Line }: Page) => (order.lines = [...order.lines!, new Line({ qty: 5 })] as never);
    const { order } = await leaveOffline(here, [add], [...LINES].reverse(), false);
    await order.save();
    const qtys = (lines: readonly { readonly qty?: unknown }[]) => lines.map(({ qty }) => qty).sort();
    expect(qtys(here.now() as Row[])).toEqual(qtys([...LINES, { qty: 5 }]));
    expect(qtys(order.lines as never)).toEqual(qtys([...LINES, { qty: 5 }]));
  });
});

test('a tag that two people have added stands once', async () => {
  const tags = (...names: string[]) => names as unknown as readonly Row[];
  const here = setting(tags('a'), [], 'data');
  expect(await editOffline(here, [({ order }) => (order.data = ['a', 'b'])], tags('a', 'b', 'c'))).toEqual([
    'a',
    'b',
    'c',
  ]);
});

test('a line that is removed goes also if its row has more members by then, or the server has made all lines anew', async () => {
  const remove = ({ order }: Page) => (order.lines = order.lines!.slice(1) as never);
  const more = LINES.map((line) => ({ ...line, total: 5 }));
  expect(await editOffline(setting(LINES), [remove], more)).toEqual(more.slice(1));
  const anew = LINES.map((line, at) => ({ ...line, id: 100 + at }));
  expect(await editOffline(setting(LINES), [remove], anew)).toEqual(anew.slice(1));
});

test('drop() of a line that was edited here and removed elsewhere leaves no edit of it', async () => {
  const here = setting(LINES);
  const edit = ({ order }: Page) => void (order.lines![0]!.qty = 9);
  const { order, outbox } = await leaveOffline(here, [edit], LINES.slice(1), false);
  await outbox.discard(outbox.failed[0] as FailedWrite);
  expect([order.lines!.map(({ id }) => id), order.dirty]).toEqual([LINES.slice(1).map(({ id }) => id), false]);
});

test.each(['page', 'next page'])('confirm() of a create leaves no edit of its lines (%s)', async (where) => {
  const all = setting([]);
  const first = await all.page();
  all.server.fault = (method) => (method === 'POST' ? 'after' : undefined);
  const made = new first.Order({ lines: [new first.Line({ qty: 2 }), new first.Line({ qty: 3 })] });
  await made.save().catch(() => undefined);
  if (where === 'next page') await first.outbox.close();
  const { outbox } = where === 'page' ? first : await all.page();
  const [write] = outbox.failed as readonly [FailedWrite];
  const lines = [
    { id: 32, qty: 3 },
    { id: 31, qty: 2 },
  ];
  const record = await outbox.confirm(write, { id: 101, lines });
  expect([record.dirty, record.$.modified]).toEqual([false, {}]);
  expect(record.get('lines')).toMatchObject(lines);
});

test('the lines of a new record are the same records, and no edits, when an outbox has sent its create', async () => {
  const { Order, Line } = await setting([]).page();
  const made = new Order({ lines: [new Line({ qty: 2 }), new Line({ qty: 3 })] });
  const lines = [...made.lines!];
  await made.save();
  expect([made.dirty, made.$.modified]).toEqual([false, {}]);
  expect(made.lines!.map((line, at) => line === lines[at])).toEqual([true, true]);
});

describe('lines that another tab has saved', () => {
  /** Two tabs, and what the second one shows of what the first one has saved and not sent. */
  async function twoTabs(save: (first: Page) => Page['order']) {
    const all = setting(LINES);
    const [storage, locks] = [sharedStorage(), fakeLocks()];
    const connection = { online: false, onOnline: () => () => undefined };
    const tab = () => all.page({ storage: storage.tab(), locks, connection, autoStart: false });
    const first = await tab();
    const saved = save(first);
    await saved.save().catch(() => undefined);
    const second = await tab();
    const shown = saved.phantom ? new Store({ model: second.Order }).getAt(0) : second.order;
    const send = async () => {
      connection.online = true;
      await first.outbox.send();
      await expect.poll(() => second.outbox.size).toBe(0);
    };
    return { shown: shown as Page['order'], send };
  }
  const create = ({ Order, Line }: Page) => new Order({ lines: [new Line({ qty: 2 }), new Line({ qty: 3 })] });
  const edit = ({ order }: Page) => Object.assign(order, { lines: order.lines!.slice(1) });

  test.each([
    ['a create', create, [2, 3]],
    ['an update', edit, [1, 1]],
  ] as const)('are no edits once it has sent them (%s)', async (_what, save, quantities) => {
    const { shown, send } = await twoTabs(save);
    expect(shown.lines!.map(({ qty }) => qty)).toEqual(quantities);
    await send();
    expect([shown.phantom, shown.dirty, shown.$.modified]).toEqual([false, false, {}]);
    expect(shown.lines!.map(({ qty }) => qty)).toEqual(quantities);
  });

  test('are not removed by a save of a list that was being edited when they became known', async () => {
    const all = setting(LINES);
    const [storage, locks] = [sharedStorage(), fakeLocks()];
    const connection = { online: false, onOnline: () => () => undefined };
    const tab = () => all.page({ storage: storage.tab(), locks, connection, autoStart: false });
    const [first, second] = [await tab(), await tab()];
    const orders = new Store({ model: second.Order, pageSize: 0 });
    await orders.load();
    const order = orders.getAt(0) as Page['order'];
    const quantities = () => order.lines!.map(({ qty }) => qty);
    const [edited] = order.lines!;
    edited!.qty = 9;
    first.order.lines = [...first.order.lines!, new first.Line({ qty: 4 })];
    first.order.lines[1]!.qty = 5;
    await first.order.save().catch(() => undefined);
    await second.outbox.send();
    expect([quantities(), order.lines![0] === edited]).toEqual([[9, 5, 1, 4], true]);
    connection.online = true;
    await first.outbox.send();
    await second.outbox.send();
    expect([quantities(), order.lines![0] === edited]).toEqual([[9, 5, 1, 4], true]);
    await order.save();
    expect([(all.now() as Row[]).map(({ qty }) => qty), order.dirty]).toEqual([[9, 5, 1, 4], false]);
  });
});

test('an edit after a rejected one that is stored is relative to what was saved before both', async () => {
  const { server, storage, page } = setting([]);
  const { Order, Line, outbox } = await page();
  let answer: (status: number) => void = () => undefined;
  const answered = new Promise<number>((resolve) => {
    answer = resolve;
  });
  server.fault = (method) => (method === 'POST' ? answered : undefined);
  const made = new Order({ lines: [new Line({ qty: 2 })] });
  const saves = [made.save()];
  await expect.poll(() => server.log.some(({ method }) => method === 'POST')).toBe(true);
  made.lines = [];
  saves.push(made.save());
  await expect.poll(async () => (await storage.all()).length).toBe(2);
  made.reject();
  made.lines?.[0]?.set({ qty: 5 });
  saves.push(made.save());
  server.fault = (method) => (method === 'POST' ? 422 : undefined);
  answer(422);
  await Promise.allSettled(saves);
  server.fault = () => undefined;
  await outbox.retry(outbox.failed[0] as FailedWrite);
  await outbox.drained();
  expect([...server.table('orders').values()].at(-1)?.['lines']).toEqual([{ qty: 5 }]);
});

test('a new record keeps its lines if those edited while its create was stored are rejected', async () => {
  const { server, page } = setting([]);
  const { Order, Line, outbox } = await page();
  let answer: () => void = () => undefined;
  const answered = new Promise<number | undefined>((resolve) => {
    answer = () => resolve(undefined);
  });
  server.fault = (method) => (method === 'POST' ? answered : undefined);
  const made = new Order({ lines: [new Line({ qty: 2 }), new Line({ qty: 3 })] });
  const saves = [made.save()];
  made.lines![0]!.qty = 9;
  saves.push(made.save());
  await expect.poll(() => server.log.some(({ method }) => method === 'POST')).toBe(true);
  made.reject();
  const shown = () => made.lines!.map((line) => line?.qty);
  const inFlight = shown();
  answer();
  await Promise.allSettled(saves);
  await outbox.drained();
  expect([inFlight, shown(), made.dirty]).toEqual([[2, 3], [2, 3], false]);
  expect([...server.table('orders').values()].at(-1)?.['lines']).toMatchObject([{ qty: 2 }, { qty: 3 }]);
});
