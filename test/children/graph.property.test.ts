import fc from 'fast-check';
import { childrenOf, confirm, decide, idempotency, Model, plain, reference, Session, Store } from 'repose';
import { memoryStorage } from 'repose/outbox';
import { restServer } from 'repose/testing';
import { describe, expect, test } from 'vitest';
import { openOutbox } from '../outbox/open-outbox.js';

const commands = fc.array(
  fc.oneof(
    { weight: 2, arbitrary: fc.record({ type: fc.constant('order' as const), at: fc.nat(9), to: fc.nat(9) }) },
    {
      weight: 10,
      arbitrary: fc.record({
        type: fc.constantFrom('line', 'edit', 'move', 'remove', 'rename', 'erase', 'sync', 'save', 'reject'),
        at: fc.nat(9),
        to: fc.nat(9),
      }),
    },
  ),
  { minLength: 3, maxLength: 25 },
);

/** Models of one run, on a server of its own. */
function open(seed: number, use: readonly object[], isFaulty: boolean) {
  const server = restServer({
    collections: {
      '/orders': [
        { id: 1, name: 'one' },
        { id: 2, name: 'two' },
      ],
      '/lines': [
        { id: 1, orderId: 1, sku: 'a' },
        { id: 2, orderId: 1, sku: 'b' },
        { id: 3, orderId: 2, sku: 'c' },
      ],
    },
    seed,
    ...(isFaulty && { faults: { drop: 0.12, lose: 0.12, reorder: 0.1 } }),
  });
  const proxy = {
    type: 'rest' as const,
    dialect: plain(),
    baseUrl: server.baseUrl,
    fetch: server.fetch,
    use: [...use, confirm(), idempotency()] as never,
  };
  class Order extends Model.define({
    name: 'order',
    fields: { id: 'int', name: 'string' },
    proxy: { ...proxy, url: '/orders' },
  }) {}
  class Line extends Model.define({
    name: 'line',
    fields: { id: 'int', orderId: reference('int'), sku: 'string' },
    proxy: { ...proxy, url: '/lines' },
  }) {
    static override references(): { orderId: { model: typeof Order; onErase: string } } {
      return { orderId: { model: Order, onErase: 'erase' } };
    }
  }
  return { server, Order, Line };
}

describe('a graph of orders and lines', () => {
  test.each([
    ['without an outbox', false],
    ['with an outbox', true],
  ])(
    'is the same on the server after any edits, faults and syncs %s',
    async (_, isQueued) => {
      await fc.assert(
        fc.asyncProperty(commands, fc.nat(), async (steps, seed) => {
          const box = isQueued ? await openOutbox({ scope: 'me', storage: memoryStorage() }) : undefined;
          const { server, Order, Line } = open(seed, box ? [box] : [], !isQueued);
          const session = new Session();
          const orders = new Store({ model: Order, session, pageSize: 0 });
          for (let tries = 0; !orders.status.get().loaded && tries < 50; tries += 1)
            await orders.load().catch(() => undefined);
          const made = [...orders];
          const load = async (order: InstanceType<typeof Order>) => {
            const lines = childrenOf(order, Line);
            for (let tries = 0; !lines.status.get().loaded && tries < 50; tries += 1)
              await lines.load().catch(() => undefined);
          };
          for (const order of made) await load(order);
          /** All values that a record has had, each of which only this record has. */
          const valuesOf = new Map<object, Set<unknown>>();
          const had = (record: object, value: unknown) =>
            void valuesOf.set(record, (valuesOf.get(record) ?? new Set()).add(value));
          const present = () => made.filter((order) => orders.getById(order.id as number) === order && !order.erased);
          /** A failed erase shows its record again, so the application has to remove it again. */
          const gone = new Set<InstanceType<typeof Order> | InstanceType<typeof Line>>();
          const madeLines: InstanceType<typeof Line>[] = [];
          let count = 0;
          for (const { type, at, to } of steps) {
            const all = present();
            const order = all[at % all.length];
            const other = all[to % all.length];
            count += 1;
            if (type === 'order') {
              const [added] = orders.add({ name: `n${count}` });
              if (added) made.push(added);
              if (added) had(added, added.name);
              // The screen of the new order shows its lines from the beginning: a store that is made later has to load them.
              if (added) childrenOf(added, Line);
            }
            if (type === 'sync') await session.sync();
            // Nobody edits what was removed, and is there again because its erase got no answer.
            if (!order || !other || gone.has(order)) continue;
            const lines = childrenOf(order, Line);
            const line = lines.getAt(to % Math.max(1, lines.count));
            if (type === 'line')
              for (const added of lines.add({ sku: `s${count}` })) {
                madeLines.push(added);
                had(added, added.sku);
              }
            if (type === 'rename') {
              order.name = `r${count}`;
              had(order, order.name);
            }
            if (type === 'erase') {
              gone.add(order);
              orders.remove(order);
            }
            if (type === 'save') await order.save({ children: true }).catch(() => undefined);
            if (!line || gone.has(line)) continue;
            if (type === 'edit') {
              line.sku = `e${count}`;
              had(line, line.sku);
            }
            if (type === 'move') line.orderId = other.id as number;
            if (type === 'remove') {
              gone.add(line);
              lines.remove(line);
            }
            // Without an answer nobody knows what an edit that is taken back has become on the server.
            if (type === 'reject' && isQueued && !line.phantom) line.reject();
          }
          server.heal();
          for (let tries = 0; tries < 4; tries += 1) {
            // Whoever gets no answer to a create looks the record up, by a value that only this record has.
            for (const line of madeLines)
              if (line.$.unconfirmed)
                decide(line, server.rows('/lines').find((row) => valuesOf.get(line)?.has(row['sku'])) ?? null);
            for (const each of made)
              if (each.$.unconfirmed)
                decide(each, server.rows('/orders').find((row) => valuesOf.get(each)?.has(row['name'])) ?? null);
            for (const each of gone) if (!each.erased && !each.phantom) session.remove(each);
            await session.sync();
            await box?.send();
          }
          const byId = (a: { id?: unknown }, b: { id?: unknown }) => Number(a.id) - Number(b.id);
          const shown = present();
          const linesShown = shown.flatMap((order) => [...childrenOf(order, Line)]);
          expect(server.rows('/orders').sort(byId)).toEqual(shown.map((each) => each.toJSON()).sort(byId));
          expect(server.rows('/lines').sort(byId)).toEqual(linesShown.map((each) => each.toJSON()).sort(byId));
          const ids = new Set(server.rows('/orders').map(({ id }) => id));
          expect(server.rows('/lines').every(({ orderId }) => ids.has(orderId))).toBe(true);
          expect([...[...session.pending.created, ...session.pending.edited], ...session.pending.removed]).toEqual([]);
          await box?.close?.();
        }),
        { numRuns: isQueued ? 15 : 30 },
      );
    },
    60_000,
  );
});
