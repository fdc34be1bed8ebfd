import {
  childrenOf,
  compositeId,
  DefinitionError,
  Model,
  plain,
  reference,
  StateError,
  Store,
  saveGraph,
  through,
} from 'repose';
import { describe, expect, test } from 'vitest';
import { accepting, Line, Order, sentLines, server } from './support.js';

/** A model that refers to itself. */
class Node extends Model.define({
  name: 'node',
  fields: { id: 'int', parentId: reference('int', { allowNull: true }), name: 'string' },
  proxy: server.proxy('/nodes', { dialect: plain() }),
}) {
  static override references() {
    return { parentId: { model: Node, onErase: 'erase' as const } };
  }
}

describe('a circle of parents', () => {
  test('of new records is told as a dependency, and nothing is sent', async () => {
    server.always(accepting());
    const [a, b] = [new Node({ name: 'a' }), new Node({ name: 'b' })];
    childrenOf(a, Node).add(b);
    childrenOf(b, Node).add(a);
    const { failures } = await saveGraph(a);
    expect(failures.map(({ record, error }) => [record, error.code])).toEqual([
      [a, 'dependency'],
      [b, 'dependency'],
    ]);
    expect([sentLines(), a.phantom, b.phantom]).toEqual([[], true, true]);
  });

  test('of saved records is saved once each', async () => {
    server.always(accepting());
    const [a, b] = [Node.fromRow({ id: 1, parentId: 2 }), Node.fromRow({ id: 2, parentId: 1 })];
    childrenOf(a, Node).setRecords([b]);
    childrenOf(b, Node).setRecords([a]);
    a.name = 'a';
    b.name = 'b';
    (await saveGraph(a)).orThrow();
    expect(sentLines().toSorted()).toEqual(['PATCH /nodes/1 {"name":"a"}', 'PATCH /nodes/2 {"name":"b"}']);
  });
});

test.each([
  ['a record', new Order()],
  ['nothing', undefined],
  ['a class of another kind', Map],
  ['a model without fields', Model],
])('a model that is %s is refused by childrenOf and through', (_, model) => {
  const refused = expect.objectContaining({ constructor: DefinitionError, reason: 'children-model' });
  expect(() => childrenOf(new Order() as never, model as never)).toThrow(refused);
  expect(() => through(new Order() as never, model as never, Line)).toThrow(refused);
  expect(() => through(new Order() as never, Line, model as never)).toThrow(refused);
});

describe('an unknown parent', () => {
  test('is refused: a record of another model, an erased one, and what is no record', async () => {
    server.always(accepting());
    const erased = Order.fromRow({ id: 7 });
    await erased.erase();
    expect(() => childrenOf(erased, Line)).toThrow(StateError);
    expect(() => childrenOf(new Node() as never, Line)).toThrow(DefinitionError);
    for (const parent of [{ id: 7 }, null, 7])
      expect(() => childrenOf(parent as never, Line)).toThrow(expect.objectContaining({ reason: 'children-parent' }));
    expect(sentLines()).toEqual(['DELETE /orders/7']);
  });

  test('whose id has several parts is refused, because a reference holds one value', () => {
    class Position extends Model.define({
      name: 'position',
      fields: { orderId: 'int', line: 'int' },
      idProperty: compositeId('orderId', 'line'),
      proxy: server.proxy('/orders/{orderId}/positions', { dialect: plain() }),
    }) {}
    class Note extends Model.define({
      name: 'note',
      fields: { id: 'int', positionId: reference('auto') },
      proxy: server.proxy('/notes', { dialect: plain() }),
    }) {
      static override references() {
        return { positionId: Position };
      }
    }
    const position = Position.fromRow({ orderId: 7, line: 1 });
    expect(() => childrenOf(position, Note)).toThrow(expect.objectContaining({ reason: 'children-composite' }));
  });

  test('of a new child leaves it unsent, with an error that names the parent', async () => {
    const order = new Order({ name: 'new' });
    const line = new Line({ orderId: order.id, sku: 'A' });
    const lines = new Store({ model: Line });
    lines.add(line);
    const { failures } = await lines.sync();
    expect(failures.map(({ error }) => error.code)).toEqual(['address']);
    await expect(line.save()).rejects.toMatchObject({ code: 'address' });
    expect([sentLines(), line.phantom, line.orderId]).toEqual([[], true, order.id]);
  });
});

test('an order that is erased while the create of its line is in flight is gone, and its line saved', async () => {
  const order = Order.fromRow({ id: 7, name: 'seven' });
  const lines = childrenOf(order, Line);
  const [line] = lines.add({ sku: 'A' });
  const held = server.hold();
  const saved = lines.sync();
  await held.request;
  const erased = order.erase();
  server.reply({ status: 204 });
  held.answer({ status: 201, json: { id: 3, orderId: 7, sku: 'A' } });
  (await saved).orThrow();
  await erased;
  expect(sentLines()).toEqual(['POST /orders/7/lines {"sku":"A","orderId":7}', 'DELETE /orders/7']);
  expect([order.erased, line?.phantom, line?.id]).toEqual([true, false, 3]);
});
