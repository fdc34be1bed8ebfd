import fc from 'fast-check';
import { changesOf, childrenOf, fork, MergeError, Model, type RecordConflict, Session, Store } from 'repose';
import { describe, expect, test } from 'vitest';
import { Line, Order } from '../children/support.js';

const TYPES = ['rename', 'sku', 'move', 'add', 'order', 'remove', 'removeOrder'];
const stepsOf = (...types: readonly string[]): fc.Arbitrary<Step[]> =>
  fc.array(fc.record({ type: fc.constantFrom(...types), at: fc.nat(9), to: fc.nat(9) }), { maxLength: 12 });
const steps = stepsOf(...TYPES, 'reject');
/** A copy is rejected to what its original shows, which is not what a reject of the original gives. */
const stepsInside = stepsOf(...TYPES);

interface Step {
  readonly type: string;
  readonly at: number;
  readonly to: number;
}

/** A session with two orders and their lines. */
function open(): { readonly session: Session; readonly orders: Order[] } {
  const session = new Session();
  const store = new Store({ model: Order, session, pageSize: 0 });
  store.setRecords([
    {
      id: 1,
      name: 'one',
      lines: [
        { id: 1, sku: 'a' },
        { id: 2, sku: 'b' },
      ],
    },
    { id: 2, name: 'two', lines: [{ id: 3, sku: 'c' }] },
  ]);
  const orders = [...store];
  for (const order of orders) childrenOf(order, Line);
  return { session, orders };
}

function present(session: Session, orders: readonly Order[]): Order[] {
  return orders.filter((each) => session.getById(Order, each.getId() as number));
}

/** Makes the same edits in any session that has the same orders. New orders are added to the list. */
function edit(session: Session, orders: Order[], all: readonly Step[], prefix: string): void {
  for (const [count, { type, at, to }] of all.entries()) {
    if (type === 'order') orders.push(session.create(Order, { name: `${prefix}${count}` }));
    const shown = present(session, orders);
    const order = shown[at % Math.max(shown.length, 1)];
    if (!order) continue;
    const lines = childrenOf(order, Line);
    const line = lines.getAt(to % Math.max(lines.count, 1));
    if (type === 'rename') order.name = `${prefix}${to}`;
    if (type === 'add') lines.add({ sku: `${prefix}${count}` });
    if (type === 'removeOrder') session.remove(order);
    if (type === 'reject') (line ?? order).reject();
    if (type === 'sku' && line) line.sku = `${prefix}${to}`;
    if (type === 'remove' && line) lines.remove(line);
    if (type === 'move' && line) line.orderId = shown[to % shown.length]?.getId() as number;
  }
}

/** The writes that a session would send, and what its orders show, without keys and temporary ids. */
function told(session: Session, orders: readonly Order[]): { readonly changes: string[]; readonly lists: unknown[] } {
  const newOrders = session.pending.created.filter((each) => each instanceof Order);
  const names = new Map<unknown, string>(newOrders.map((each) => [each.getId(), each.name ?? '']));
  const changes = changesOf(session).map(({ model, action, id, values }) => {
    const { orderId } = values;
    const sent =
      action === 'destroy'
        ? {}
        : { ...values, orderId: names.get(orderId) ?? (Number(orderId) < 0 ? 'removed' : orderId) };
    return JSON.stringify([model, action, id, Object.entries(sent).sort()]);
  });
  const lists = present(session, orders).map((order) => [
    order.name,
    [...childrenOf(order, Line)].map(({ sku }) => sku).sort(),
  ]);
  return { changes: changes.sort(), lists };
}

describe('a fork', () => {
  test('that is merged gives the parent what the same edits there would give', () => {
    fc.assert(
      fc.property(steps, stepsInside, (before, inside) => {
        const [direct, forked] = [open(), open()];
        for (const { session, orders } of [direct, forked]) edit(session, orders, before, 'p');
        const there = present(direct.session, direct.orders);
        edit(direct.session, there, inside, 'f');

        const originals = present(forked.session, forked.orders);
        const dialog = fork(forked.session);
        const copies = originals.map((each) => dialog.copyOf(each));
        const untouched = JSON.stringify(told(forked.session, originals));
        edit(dialog, copies, inside, 'f');
        expect(JSON.stringify(told(forked.session, originals))).toBe(untouched);
        const shown = told(dialog, copies).lists;

        const taken = dialog.merge() as readonly Order[];
        const added = copies.slice(originals.length).map((copy) => taken.find((each) => each.$.key === copy.$.key));
        const here = [...originals, ...added.filter((each) => each instanceof Order)];
        expect(told(forked.session, here)).toEqual(told(direct.session, there));
        expect(told(dialog, copies).lists).toEqual(shown);
        expect(dialog.merge()).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  test('that is dropped leaves no trace', () => {
    fc.assert(
      fc.property(steps, steps, (before, inside) => {
        const { session, orders } = open();
        edit(session, orders, before, 'p');
        const state = () => JSON.stringify([told(session, orders), changesOf(session), session.status.get()]);
        const untouched = state();
        const dialog = fork(session);
        const copies = present(session, orders).map((each) => dialog.copyOf(each));
        edit(dialog, copies, inside, 'f');
        dialog.drop();
        expect(state()).toBe(untouched);
      }),
      { numRuns: 100 },
    );
  });
});

class Sheet extends Model.define({
  name: 'sheet',
  fields: { id: 'int', a: 'string', b: 'int', c: { type: 'json', allowNull: true }, d: 'date' },
}) {}
const NAMES = ['a', 'b', 'c', 'd'] as const;
const values = fc.record(
  {
    a: fc.constantFrom('x', 'y', 'z'),
    b: fc.constantFrom(1, 2, 3),
    c: fc.constantFrom(null, { in: [1] }, { in: [2] }),
    d: fc.constantFrom('2020-01-01T00:00:00.000Z', '2021-01-01T00:00:00.000Z').map((text) => new Date(text)),
  },
  { requiredKeys: [] },
);
const ROW = { id: 1, a: 'x', b: 1, c: { in: [1] }, d: '2020-01-01T00:00:00.000Z' };

describe('edits on both sides', () => {
  test('are all kept, or told as conflicts by field', () => {
    const json = (value: unknown) => JSON.stringify(value);
    fc.assert(
      fc.property(values, values, values, (earlier, mine, theirs) => {
        const session = new Session();
        const store = new Store({ model: Sheet, session, pageSize: 0 });
        const [sheet] = store.setRecords([ROW]) as [Sheet];
        sheet.set(earlier);
        const dialog = fork(session);
        const copy = dialog.copyOf(sheet);
        const base = JSON.parse(json(sheet));
        copy.set(mine);
        sheet.set(theirs);
        const [left, right] = [JSON.parse(json(copy)), JSON.parse(json(sheet))];
        const differs = (name: string, one: Record<string, unknown>) => json(one[name]) !== json(base[name]);
        const both = NAMES.filter(
          (name) => differs(name, left) && differs(name, right) && json(left[name]) !== json(right[name]),
        );
        let conflicts: readonly RecordConflict[] = [];
        try {
          dialog.merge();
        } catch (error) {
          if (!(error instanceof MergeError)) throw error;
          ({ conflicts } = error);
          // Nothing was changed on either side.
          expect([JSON.parse(json(copy)), JSON.parse(json(sheet))]).toEqual([left, right]);
          dialog.merge(({ mine: taken }) => taken);
        }
        expect(conflicts.map(({ field }) => field).sort()).toEqual(both);
        const merged = Object.fromEntries(NAMES.map((name) => [name, differs(name, left) ? left[name] : right[name]]));
        expect(JSON.parse(json(sheet))).toMatchObject(merged);
        expect(JSON.parse(json(copy))).toEqual(JSON.parse(json(sheet)));
      }),
      { numRuns: 300 },
    );
  });
});
