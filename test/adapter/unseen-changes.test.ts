import { type ConflictError, conflicts, etags, plain, StateError } from 'repose';
import { gridDataSource } from 'repose/mui-grid';
import { dataProvider as reactAdmin } from 'repose/react-admin';
import { dataProvider, type ProviderError } from 'repose/refine';
import { restServer } from 'repose/testing';
import { describe, expect, test } from 'vitest';
import { orders, setUp } from './support.js';

/** A provider of Refine, which gives no values before with an update. */
function provide() {
  const all = setUp();
  const { Order, server } = all;
  const change = (id: number, values: object) =>
    server.setRows(
      '/orders',
      server.rows('/orders').map((row) => (row['id'] === id ? { ...row, ...values } : row)),
    );
  return {
    ...{ ...all, change, provider: dataProvider({ orders: Order }) },
    row: (id: number) => server.rows('/orders').find((row) => row['id'] === id),
  };
}

const fails = (promise: Promise<unknown>) => promise.catch((error: unknown) => error as ProviderError);

describe('an update without the values before', () => {
  test('of a record that was not read is refused', async () => {
    const { provider, sent } = provide();
    const update = (meta?: object) =>
      provider.update({ resource: 'orders', id: 8, variables: { title: 'Nuts', total: 80 }, ...(meta && { meta }) });
    const error = await fails(update());
    expect(error).toBeInstanceOf(StateError);
    expect(error).toMatchObject({ reason: 'provider-unread' });
    expect(sent).toEqual([]);
    await update({ overwrite: true });
    expect(sent).toEqual(['PATCH /orders/8 {"title":"Nuts","total":80}']);
  });

  test('sends what differs from the values before in `meta`', async () => {
    const { provider, sent } = provide();
    const variables = { id: 8, title: 'Nuts', total: 80 };
    const previousData = { id: 8, title: 'Order 8', total: 80 };
    await provider.update({ resource: 'orders', id: 8, variables, meta: { previousData } });
    expect(sent).toEqual(['GET /orders/8', 'PATCH /orders/8 {"title":"Nuts"}']);
  });

  test('of a form that was opened before somebody else saved does not write over that', async () => {
    const { provider, sent, change, row } = provide();
    const { data: shown } = await provider.getOne({ resource: 'orders', id: 7 });
    change(7, { title: 'Theirs' });
    // The list is read again behind the open form.
    await provider.getList({ resource: 'orders', pagination: { pageSize: 25 } });
    sent.length = 0;
    const variables = { ...shown, total: 71 };
    const error = (await fails(provider.update({ resource: 'orders', id: 7, variables }))) as ProviderError;
    expect([error.statusCode, error.message]).toEqual([409, 'Somebody else has changed this in the meantime.']);
    const conflict = error.cause as ConflictError;
    expect(conflict).toMatchObject({
      code: 'conflict',
      base: { title: 'Order 7', internal: 'kept' },
      mine: { title: 'Order 7', total: 71 },
      theirs: { title: 'Theirs', total: 70 },
    });
    expect(sent).toEqual([]);
    // The title of the form was not edited, so the merge keeps the other one.
    await conflict.merge();
    expect(sent).toEqual(['PATCH /orders/7 {"total":71}']);
    expect(row(7)).toMatchObject({ title: 'Theirs', total: 71 });
    await expect(conflict.keepMine()).rejects.toMatchObject({ reason: 'conflict-over' });
  });

  test('that has edited nothing sends nothing when it is merged', async () => {
    const { provider, sent, change } = provide();
    const { data: shown } = await provider.getOne({ resource: 'orders', id: 7 });
    change(7, { title: 'Theirs' });
    await provider.getOne({ resource: 'orders', id: 7 });
    sent.length = 0;
    const error = (await fails(provider.update({ resource: 'orders', id: 7, variables: shown }))) as ProviderError;
    await (error.cause as ConflictError).merge();
    expect(sent).toEqual([]);
  });

  test('saves the fields that nobody else has changed', async () => {
    const { provider, sent, change } = provide();
    await provider.getOne({ resource: 'orders', id: 7 });
    change(7, { title: 'Theirs' });
    await provider.getOne({ resource: 'orders', id: 7 });
    await provider.update({ resource: 'orders', id: 7, variables: { total: 71 } });
    expect(sent.at(-1)).toBe('PATCH /orders/7 {"total":71}');
  });

  test('tells of a change once, and lets the user decide', async () => {
    const { provider, change, row } = provide();
    await provider.getOne({ resource: 'orders', id: 7 });
    change(7, { title: 'Theirs', total: 72 });
    await provider.getOne({ resource: 'orders', id: 7 });
    const update = (variables: object) => fails(provider.update({ resource: 'orders', id: 7, variables }));
    const conflict = ((await update({ title: 'Mine', total: 70 })) as ProviderError).cause as ConflictError;
    expect((await conflict.inspect()).filter(({ base, theirs }) => base !== theirs && base !== undefined)).toEqual(
      expect.arrayContaining([
        { field: 'title', base: 'Order 7', mine: 'Mine', theirs: 'Theirs' },
        { field: 'total', base: 70, mine: 70, theirs: 72 },
      ]),
    );
    await expect(conflict.merge()).rejects.toMatchObject({ fields: [{ field: 'title' }] });
    await conflict.merge(({ mine, theirs }) => `${mine} and ${theirs}`);
    expect(row(7)).toMatchObject({ title: 'Mine and Theirs', total: 72 });
    await update({ title: 'Mine' });
    expect(row(7)).toMatchObject({ title: 'Mine' });
  });

  test('knows what the user has saved, and not what came back with it', async () => {
    const { provider, change, row } = provide();
    const { data: shown } = await provider.getOne({ resource: 'orders', id: 7 });
    change(7, { title: 'Theirs' });
    // The form still shows the title before, but the response of the first save has the other one.
    await provider.update({ resource: 'orders', id: 7, variables: { ...shown, total: 71 } });
    const error = await fails(provider.update({ resource: 'orders', id: 7, variables: { ...shown, total: 72 } }));
    expect(error).toMatchObject({ statusCode: 409 });
    expect(row(7)).toMatchObject({ title: 'Theirs', total: 71 });
    // A value that the user has saved, and sets back, is no conflict.
    await provider.update({ resource: 'orders', id: 7, variables: { total: 70 } });
    expect(row(7)).toMatchObject({ total: 70 });
  });

  test('remembers a change however often the row is read', async () => {
    const { provider, change } = provide();
    await provider.getOne({ resource: 'orders', id: 7 });
    for (const total of [71, 72, 73, 74, 75, 76]) {
      change(7, { title: 'Theirs', total });
      await provider.getOne({ resource: 'orders', id: 7 });
    }
    expect(await fails(provider.update({ resource: 'orders', id: 7, variables: { title: 'Order 7' } }))).toMatchObject({
      statusCode: 409,
    });
  });

  test('of a record whose fields were read in part reads the row first', async () => {
    const { sent } = provide();
    const meta = { fields: ['id', 'title'] };
    class Some extends setUp().Order.with({
      proxy: { fetch: provideFetch(sent), dialect: plain({ fieldsParam: 'fields' }) },
    }) {}
    const some = dataProvider({ orders: Some });
    await some.getOne({ resource: 'orders', id: 7, meta });
    await some.update({ resource: 'orders', id: 7, variables: { title: 'Mine' } });
    expect(sent).toEqual(['GET /orders/7?fields=id,title', 'GET /orders/7', 'PATCH /orders/7 {"title":"Mine"}']);
  });

  test('never puts an older row over a newer one', async () => {
    const { Order, sent, change, row } = provide();
    class Put extends Order.with({ proxy: { actionMethods: { update: 'PUT' } } }) {}
    const provider = dataProvider({ orders: Put });
    await provider.getOne({ resource: 'orders', id: 7 });
    change(7, { title: 'Theirs', internal: 'newer' });
    await provider.getOne({ resource: 'orders', id: 7 });
    await provider.update({ resource: 'orders', id: 7, variables: { total: 71 } });
    expect(row(7)).toMatchObject({ title: 'Theirs', internal: 'newer', total: 71 });
    sent.length = 0;
    await provider.updateMany({ resource: 'orders', ids: [9], variables: { open: true } });
    expect(sent.map((each) => each.split(' ')[0])).toEqual(['GET', 'PUT']);
    expect(row(9)).toMatchObject({ ...orders[8], open: true });
  });
});

/** A server that gives the fields that are asked for. */
function provideFetch(sent: string[]): typeof globalThis.fetch {
  return async (input, init) => {
    const { pathname, search } = new URL(String(input));
    sent.push(`${init?.method ?? 'GET'} ${pathname}${decodeURIComponent(search)}${init?.body ? ` ${init.body}` : ''}`);
    const row = { ...orders[6], ...JSON.parse(String(init?.body ?? '{}')) };
    return Response.json(search ? { id: 7, title: row.title } : row);
  };
}

describe('an update with the values before', () => {
  test('that were shown before somebody else saved is a conflict without versions too', async () => {
    const { Order, change, row } = provide();
    const provider = reactAdmin({ orders: Order });
    const { data: shown } = await provider.getOne('orders', { id: 7 });
    change(7, { title: 'Theirs' });
    await provider.getOne('orders', { id: 7 });
    const save = (values: object) =>
      provider.update('orders', { id: 7, data: { ...shown, ...values }, previousData: shown });
    await save({ total: 71 });
    expect(row(7)).toMatchObject({ title: 'Theirs', total: 71 });
    const error = (await save({ title: 'Mine' }).catch((each: unknown) => each)) as ProviderError;
    expect(error).toMatchObject({ status: 409, cause: { theirs: { title: 'Theirs' } } });
    await (error.cause as ConflictError).keepMine();
    expect(row(7)).toMatchObject({ title: 'Mine', total: 71 });
  });

  test('puts what has changed into the newest row that was read', async () => {
    const { Order, change, row } = provide();
    class Put extends Order.with({ proxy: { actionMethods: { update: 'PUT' } } }) {}
    const source = gridDataSource(Put);
    const filterModel = { items: [] };
    const page = { sortModel: [], filterModel, paginationModel: { page: 0, pageSize: 2 }, start: 0, end: 1 };
    const { rows } = await source.getRows(page);
    change(1, { title: 'Theirs', internal: 'newer' });
    await source.getRows(page);
    const saved = await source.updateRow({
      rowId: 1,
      updatedRow: { ...rows[0]!, total: 11 },
      previousRow: rows[0]!,
    });
    expect(saved).toMatchObject({ title: 'Theirs', total: 11 });
    expect(row(1)).toMatchObject({ title: 'Theirs', internal: 'newer', total: 11 });
  });

  test('that changes nothing gives the newest row', async () => {
    const { Order, change, sent } = provide();
    const provider = reactAdmin({ orders: Order });
    const { data: shown } = await provider.getOne('orders', { id: 7 });
    change(7, { title: 'Theirs' });
    await provider.getOne('orders', { id: 7 });
    sent.length = 0;
    const { data } = await provider.update('orders', { id: 7, data: { ...shown }, previousData: shown });
    expect([data.title, sent]).toEqual(['Theirs', []]);
  });
});

test('with versions, the server refuses an update of an older row', async () => {
  const server = restServer({ collections: { '/orders': { rows: orders } }, etags: 'required' });
  class Order extends setUp().Order.with({
    proxy: { baseUrl: server.baseUrl, fetch: server.fetch, dialect: plain(), use: [etags(), conflicts()] },
  }) {}
  const provider = dataProvider({ orders: Order });
  await provider.getOne({ resource: 'orders', id: 1 });
  server.setRows('/orders', [{ ...orders[0], title: 'Theirs' }, ...orders.slice(1)]);
  const error = await fails(provider.update({ resource: 'orders', id: 1, variables: { total: 11 } }));
  expect(error).toMatchObject({ statusCode: 412 });
});

describe('writes of one record', () => {
  test('are sent one after the other', async () => {
    const { provider, server } = provide();
    await provider.getOne({ resource: 'orders', id: 7 });
    const running: string[] = [];
    let most = 0;
    class Slow extends setUp().Order.with({
      proxy: {
        fetch: async (input, init) => {
          if (init?.method !== 'GET') running.push(String(init?.body ?? init?.method));
          most = Math.max(most, running.length);
          await new Promise((resolve) => setTimeout(resolve, 5));
          running.pop();
          return server.fetch(input, init);
        },
      },
    }) {}
    const slow = dataProvider({ orders: Slow });
    await slow.getOne({ resource: 'orders', id: 7 });
    const update = (total: number) => slow.update({ resource: 'orders', id: 7, variables: { total } });
    await Promise.all([
      ...[1, 2, 3].map(update),
      slow.updateMany({ resource: 'orders', ids: [7], variables: { total: 4 } }),
      slow.update({ resource: 'orders', id: '7', variables: { total: 5 } }),
    ]);
    expect([most, server.rows('/orders')[6]!['total']]).toEqual([1, 5]);
  });

  test('that the user has made in a row are no conflict with each other', async () => {
    const server = restServer({ collections: { '/orders': { rows: orders } }, etags: 'required' });
    class Order extends setUp().Order.with({
      proxy: { baseUrl: server.baseUrl, fetch: server.fetch, dialect: plain(), use: [etags(), conflicts()] },
    }) {}
    const source = gridDataSource(Order);
    const page = { sortModel: [], filterModel: { items: [] }, start: 0, end: 1 };
    const { rows } = await source.getRows({ ...page, paginationModel: { page: 0, pageSize: 2 } });
    const previousRow = rows[0]!;
    const edit = (values: object) =>
      source.updateRow({ rowId: 1, updatedRow: { ...previousRow, ...values }, previousRow });
    // Two cells of a row are edited before the first one is saved, and the first one is edited again.
    await Promise.all([edit({ title: 'Bolts' }), edit({ total: 11 }), edit({ title: 'Nuts' })]);
    expect(server.rows('/orders')[0]).toMatchObject({ title: 'Nuts', total: 11 });
    server.setRows('/orders', [{ ...server.rows('/orders')[0], open: false }, ...orders.slice(1)]);
    await expect(edit({ total: 12 })).rejects.toMatchObject({ code: 'conflict' });
  });

  test('keep what came back with a save of the user from somebody else', async () => {
    const { Order, change, row } = provide();
    const provider = reactAdmin({ orders: Order });
    const { data: shown } = await provider.getOne('orders', { id: 7 });
    change(7, { title: 'Theirs' });
    const save = (values: object) =>
      provider.update('orders', { id: 7, data: { ...shown, ...values }, previousData: shown });
    await save({ total: 71 });
    await save({ total: 72 });
    await expect(save({ title: 'Mine' })).rejects.toMatchObject({ status: 409 });
    expect(row(7)).toMatchObject({ title: 'Theirs', total: 72 });
  });

  test('in bulk are sent although the row that is known has the value', async () => {
    const { provider, sent, change, row } = provide();
    await provider.getList({ resource: 'orders', pagination: { pageSize: 3 } });
    change(1, { open: false });
    sent.length = 0;
    await provider.updateMany({ resource: 'orders', ids: [1, 2], variables: { open: true } });
    expect(sent).toEqual(['PATCH /orders/1 {"open":true}', 'PATCH /orders/2 {"open":true}']);
    expect(row(1)).toMatchObject({ open: true });
  });
});

test('the conflicts of a bulk update can be decided', async () => {
  const server = restServer({ collections: { '/orders': { rows: orders } }, etags: 'required' });
  class Order extends setUp().Order.with({
    proxy: { baseUrl: server.baseUrl, fetch: server.fetch, dialect: plain(), use: [etags(), conflicts()] },
  }) {}
  const provider = dataProvider({ orders: Order });
  for (const id of [1, 2]) await provider.getOne({ resource: 'orders', id });
  server.setRows('/orders', [{ ...orders[0], title: 'Theirs' }, ...orders.slice(1)]);
  const error = await fails(provider.updateMany({ resource: 'orders', ids: [1, 2], variables: { total: 5 } }));
  const { failed } = error as ProviderError;
  expect(failed.map(({ at, id }) => [at, id])).toEqual([[0, 1]]);
  await (failed[0]!.error as ConflictError).keepMine();
  expect(server.rows('/orders').slice(0, 2)).toMatchObject([
    { title: 'Theirs', total: 5 },
    { title: 'Order 2', total: 5 },
  ]);
});

test('what the library has added to a row is no change', async () => {
  const { Order, sent } = provide();
  const provider = reactAdmin({ orders: Order });
  const { data } = await provider.getOne('orders', { id: 7 });
  const shown = { ...data, customer: { name: 'Ada' } };
  await provider.update('orders', { id: 7, data: { ...shown, title: 'Bolts' }, previousData: shown });
  expect(sent.slice(1)).toEqual(['PATCH /orders/7 {"title":"Bolts"}']);
});
