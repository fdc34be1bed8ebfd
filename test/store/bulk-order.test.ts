import { Model, plain, reference, Store, sync } from 'repose';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();
const fields = { id: 'int', no: 'string', size: 'int' } as const;
class Order extends Model.define({
  name: 'order',
  fields,
  proxy: server.proxy('/orders', { batchActions: true, dialect: plain() }),
}) {}
class Line extends Model.define({
  name: 'line',
  fields: { id: 'int', orderId: reference('int'), sku: 'string' },
  proxy: server.proxy('/lines', { batchActions: true, dialect: plain() }),
}) {
  static override references() {
    return { orderId: Order };
  }
}

/** Creates orders by one request that is answered so; resolves with the ids that they have, by their numbers, and the failures. */
async function created(numbers: readonly string[], answer: (rows: { no: string }[]) => object[], status = 201) {
  server.always(({ body }) => ({ status, json: answer(body as { no: string }[]) }));
  const orders = new Store({ model: Order, pageSize: 0, data: [] });
  orders.add(...numbers.map((no) => ({ no, size: 1 })));
  const { failures } = await orders.sync();
  return [
    [...orders].map(({ no, id, phantom }) => [no, phantom ? undefined : id]),
    failures.map(({ error }) => error.reason),
  ];
}

const withIds = (rows: { no: string }[]) => rows.map((row, at) => ({ ...row, id: 10 + at }));

describe('the rows of a bulk create that the server answers', () => {
  test('in another order belong to the records whose values they have', async () => {
    const ids = [
      ['A', 10],
      ['B', 11],
      ['C', 12],
    ];
    expect(await created(['A', 'B', 'C'], (rows) => withIds(rows).reverse())).toEqual([ids, []]);
    expect(await created(['A', 'B', 'C'], (rows) => [2, 0, 1].map((at) => withIds(rows)[at] as object))).toEqual([
      ids,
      [],
    ]);
  });

  test('in their order belong to their records, also where the server has changed all values', async () => {
    const upper = (rows: { no: string }[]) => withIds(rows).map((row) => ({ ...row, no: `N-${row.no}` }));
    expect(await created(['A', 'B'], upper)).toEqual([
      [
        ['N-A', 10],
        ['N-B', 11],
      ],
      [],
    ]);
  });

  test('in another order leave a record without an answer if no row has its values', async () => {
    const answer = (rows: { no: string }[]) => {
      const [a, b, c] = withIds(rows);
      return [b, a, { ...c, no: 'other' }] as object[];
    };
    expect(await created(['A', 'B', 'C'], answer)).toEqual([
      [
        ['A', 10],
        ['B', 11],
        ['C', undefined],
      ],
      ['response-missing'],
    ]);
  });

  test('in their order belong to their records, also where a changed value is that of another record', async () => {
    const clamp = (rows: { no: string }[]) => withIds(rows).map((row) => ({ ...row, no: 'A' }));
    expect(await created(['B', 'A'], clamp)).toEqual([
      [
        ['A', 10],
        ['A', 11],
      ],
      [],
    ]);
  });

  test('tell the error of their own record', async () => {
    const answer = ([, row]: { no: string }[]) => [{ status: 422 }, { ...row, no: 'A', id: 11 }];
    expect(await created(['A', 'B'], answer, 207)).toEqual([
      [
        ['A', undefined],
        ['A', 11],
      ],
      ['http-validation'],
    ]);
  });

  test('with equal values belong to any of these records, each to one', async () => {
    expect(await created(['A', 'A', 'B'], (rows) => withIds(rows).reverse())).toEqual([
      [
        ['A', 10],
        ['A', 11],
        ['B', 12],
      ],
      [],
    ]);
  });
});

test('lines go below their own order, whatever the order of the answer', async () => {
  const kept: { orderId: number; sku: string }[] = [];
  server.always(({ path, body }) => {
    const rows = withIds(body as { no: string }[]);
    if (path.startsWith('/lines')) kept.push(...(body as typeof kept));
    return { status: 201, json: path.startsWith('/orders') ? rows.reverse() : rows };
  });
  const orders = new Store({ model: Order, pageSize: 0, data: [] });
  const lines = new Store({ model: Line, pageSize: 0, data: [] });
  const [a, b] = orders.add({ no: 'A' }, { no: 'B' }) as [Order, Order];
  lines.add({ orderId: a.id as number, sku: 'for A' }, { orderId: b.id as number, sku: 'for B' });
  const { failures } = await sync([orders, lines]);
  expect([failures, a.no, b.no]).toEqual([[], 'A', 'B']);
  expect(kept).toMatchObject([
    { orderId: 10, sku: 'for A' },
    { orderId: 11, sku: 'for B' },
  ]);
});
