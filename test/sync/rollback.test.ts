import { Model, Store } from 'repose';
import { describe, expect, test } from 'vitest';
import type { Received, Reply } from '../helpers/rest-server.js';
import { obliging, sentLines, server } from './support.js';

class Line extends Model.define({ fields: { sku: 'string', qty: 'int' } }) {}

class Order extends Model.define({
  name: 'order',
  fields: { id: 'int', title: 'string', note: 'string', line: Line },
  proxy: server.proxy('/orders', { idempotencyHeader: 'Idempotency-Key' }),
}) {}

/** Answers every write, but refuses the record that is named `bad`. */
function refusing(answer: (request: Received) => Reply = obliging()): (request: Received) => Reply {
  return (request) => ([request.body?.name, request.body?.title].includes('bad') ? { status: 422 } : answer(request));
}

describe('an edit made during a sync that is rolled back', () => {
  /** A new order whose create got no answer, and another one that will be refused. */
  async function repeating() {
    const store = new Store({ model: Order, pageSize: 0 });
    const [order] = store.add({ title: 'new', line: { sku: 'a', qty: 1 } }) as [Order];
    server.reply({ drop: true });
    await order.save().catch(() => undefined);
    expect(order.$.inDoubt).toBe(true);
    store.add({ title: 'bad' });
    return { store, order };
  }

  /** Syncs, edits while the create is on its way again, and lets it be undone. */
  async function editedDuring(edit: (order: Order) => void, before: (order: Order) => void = () => undefined) {
    const { store, order } = await repeating();
    before(order);
    const held = server.hold();
    const syncing = store.sync({ onFailure: 'rollback', concurrency: 1 });
    const { body } = await held.request;
    edit(order);
    server.always(refusing(({ method, body }) => (method === 'DELETE' ? { status: 204 } : { json: body })));
    held.answer({ status: 201, json: { ...body, id: 101 } });
    const { outcomes } = await syncing;
    expect(outcomes.map(({ error }) => error?.code)).toEqual(['undone', 'validation']);
    expect(server.lines.at(-1)).toBe('DELETE /orders/101');
    return { store, order };
  }

  test('survives, also where it followed a repeated create to the server', async () => {
    const { store, order } = await editedDuring((each) => (each.note = 'typed'));
    expect(server.lines).toContain('PUT /orders/101');
    expect([order.phantom, order.note, order.$.modified]).toEqual([true, 'typed', { note: 'typed' }]);
    server.reset();
    server.always(refusing());
    await store.sync();
    expect(server.requests[0]?.body).toEqual({ title: 'new', note: 'typed', line: { sku: 'a', qty: 1 } });
  });

  test('survives beside an edit that was made before', async () => {
    const { order } = await editedDuring(
      (each) => each.set({ title: 'newest', note: 'typed' }),
      (each) => (each.title = 'newer'),
    );
    expect(order.$.modified).toEqual({ title: 'newest', note: 'typed' });
    expect(order.$.previousValues).toEqual({ title: 'new', note: undefined });
  });

  test('survives inside a record that it holds', async () => {
    let line: Line | undefined;
    const { order } = await editedDuring((each) => {
      line = each.line;
      line.qty = 9;
    });
    expect([order.line === line, order.line.sku, order.line.qty, order.line.$.modified]).toEqual([
      ...[true, 'a', 9],
      { qty: 9 },
    ]);
    expect(order.dirty).toBe(true);
  });

  test('survives where it gave the record another one to hold', async () => {
    const line = new Line({ sku: 'b', qty: 9 });
    const { store, order } = await editedDuring((each) => (each.line = line));
    expect([order.line, order.dirty]).toEqual([line, true]);
    server.reset();
    server.always(refusing());
    await store.sync();
    expect(server.requests[0]?.body).toEqual({ title: 'new', line: { sku: 'b', qty: 9 } });
  });

  test('is none where it was set back', async () => {
    const { order } = await editedDuring(
      (each) => (each.title = 'new'),
      (each) => (each.title = 'newer'),
    );
    expect([order.title, order.$.modified]).toEqual(['new', {}]);
  });

  test('is taken back on the server where it was sent, and is pending again', async () => {
    class Part extends Model.define({
      name: 'part',
      fields: { id: 'int', name: 'string', note: 'string' },
      proxy: server.proxy('/parts', { reader: { rows: 'partial' } }),
    }) {}
    const store = new Store({ model: Part, pageSize: 0 });
    server.reply({
      json: [
        { id: 1, name: 'one' },
        { id: 2, name: 'two' },
      ],
    });
    await store.load();
    const [part, bad] = [...store] as [Part, Part];
    part.name = 'edited';
    bad.name = 'bad';
    const read = server.hold();
    const syncing = store.sync({ onFailure: 'rollback', concurrency: 1 });
    await read.request;
    part.note = 'typed';
    server.always(
      refusing(({ method, body }) => ({ json: method === 'GET' ? { id: 2, name: 'two', note: 'theirs' } : body })),
    );
    read.answer({ json: { id: 1, name: 'one', note: 'theirs' } });
    const { outcomes } = await syncing;
    expect(outcomes.map(({ error }) => error?.code)).toEqual(['undone', 'validation']);
    expect(sentLines().filter((line) => line.startsWith('PUT /parts/1'))).toEqual([
      'PUT /parts/1 {"id":1,"name":"edited","note":"typed"}',
      'PUT /parts/1 {"id":1,"name":"one","note":"theirs"}',
    ]);
    expect(part.$.modified).toEqual({ name: 'edited', note: 'typed' });
    expect(part.$.previousValues).toEqual({ name: 'one', note: 'theirs' });
  });
});
