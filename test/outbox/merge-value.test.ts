import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mergeValue } from '../../src/outbox/merge-value.js';

const numbers = fc.uniqueArray(fc.nat(9), { minLength: 2, maxLength: 6 });
const rows = (ids: readonly number[]) => ids.map((id) => ({ id, qty: 0 }));

test('an edit of an item stays with it, whatever order the server has given the list', () => {
  fc.assert(
    fc.property(numbers, fc.nat(5), fc.nat(5), fc.nat(5), (ids, at, from, to) => {
      const base = rows(ids);
      const edited = ids[at % ids.length];
      const mine = base.map((row) => (row.id === edited ? { ...row, qty: 1 } : row));
      const theirs = [...base];
      theirs.splice(to % ids.length, 0, ...theirs.splice(from % ids.length, 1));
      const merged = mergeValue(base, mine, theirs) as typeof base;
      expect(merged.filter(({ qty }) => qty === 1)).toEqual([{ id: edited, qty: 1 }]);
      expect(merged.map(({ id }) => id).sort()).toEqual([...ids].sort());
    }),
  );
});

test('edits of different items are all kept, also where one side has moved or removed items', () => {
  fc.assert(
    fc.property(numbers, fc.nat(5), fc.nat(5), fc.nat(5), (ids, at, theirAt, removedAt) => {
      const [own, other, removed] = [at, theirAt, removedAt].map((n) => ids[n % ids.length]);
      fc.pre(own !== other && own !== removed);
      const base = rows(ids);
      const theirs = base.map((row) => (row.id === other ? { ...row, note: 'theirs' } : row));
      const mine = base.map((row) => (row.id === own ? { ...row, qty: 1 } : row));
      const edited = theirs.map((row) => (row.id === own ? { ...row, qty: 1 } : row));
      expect(mergeValue(base, mine, theirs)).toEqual(edited);
      const without = (list: readonly { id: number }[]) => list.filter(({ id }) => id !== removed);
      expect(mergeValue(base, without(base), theirs)).toEqual(without(theirs));
      expect(mergeValue(base, [...base].reverse(), theirs)).toEqual([...theirs].reverse());
    }),
  );
});

test.each(['a', '__proto__', 'toString', 'constructor'])(
  'a member %s is merged, and missing once it was removed',
  (name) => {
    const row = (n: number, value?: number) =>
      Object.fromEntries([...(value === undefined ? [] : [[name, value] as const]), ['n', n] as const]);
    const names = (value: unknown) => Reflect.ownKeys(value as object);
    expect(names(mergeValue(row(0, 1), row(1, 1), row(2)))).toEqual(['n']);
    expect(names(mergeValue(row(0, 1), row(1), row(2, 1)))).toEqual(['n']);
    const added = mergeValue(row(0), row(1, 5), row(2));
    expect(Object.entries(added as object).sort()).toEqual(Object.entries(row(1, 5)).sort());
    expect(Object.getPrototypeOf(added)).toBe(Object.prototype);
  },
);
