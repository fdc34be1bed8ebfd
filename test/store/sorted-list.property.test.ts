import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cutChunks, hasSameRecords } from '../../src/store/chunks.js';
import { Difference } from '../../src/store/difference.js';
import { ChunkSnapshot } from '../../src/store/snapshot.js';
import { type Place, SortedList, type Touched } from '../../src/store/sorted-list.js';

const byNumber = (a: { n: number }, b: { n: number }) => a.n - b.n;
/** Several operations of one kind, so that chunks split, shrink and merge. */
const run = fc.record({
  do: fc.constantFrom('insert', 'append', 'extend', 'delete', 'change'),
  from: fc.nat({ max: 4000 }),
  count: fc.integer({ min: 1, max: 900 }),
});
const runs = fc.array(run, { maxLength: 8 });
const size = fc.nat({ max: 3000 });
/** A key that many items share. */
const first = {
  read: ({ n }: { n: number }) => Math.floor(n / 64),
  compare: (a: unknown, b: unknown) => Number(a) - Number(b),
};

const unit = { min: 0, max: 1, maxExcluded: true, noNaN: true };

function build(count: number, keyed: boolean = false) {
  const items = Array.from({ length: count }, (_, i) => ({ n: i * 2 }));
  return { items: [...items], list: new SortedList(cutChunks(items), byNumber, keyed ? first : undefined) };
}

function apply(
  items: { n: number }[],
  list: SortedList<{ n: number }>,
  steps: readonly { do: string; from: number; count: number }[],
) {
  for (const step of steps) {
    if (step.do === 'extend') {
      const last = items.at(-1)?.n ?? 0;
      const more = Array.from({ length: step.count }, (_, i) => ({ n: last + 1 + i }));
      items.push(...more);
      list.append(more);
      continue;
    }
    for (let i = 0; i < step.count; i += 1) {
      if (step.do === 'delete') {
        const [item] = items.splice(items.length === 0 ? 0 : step.from % items.length, 1);
        if (item) list.delete(list.find(item) as never);
        continue;
      }
      if (step.do === 'change') {
        const at = (step.from + i) % (items.length || 1);
        const item = items[at];
        if (!item) continue;
        const place = list.find(item) as Place;
        const [low, high] = [items[at - 1]?.n ?? item.n - 100, items[at + 1]?.n ?? item.n + 100];
        item.n = (low + 3 * high) / 4;
        if (list.updateInPlace(place, item)) continue;
        // Only the first and the last item of a chunk are inserted again if they still fit.
        expect([0, (list.freeze()[place.chunk] as readonly unknown[]).length - 1]).toContain(place.at);
        list.delete(place);
        list.insert(item);
        continue;
      }
      const at = step.do === 'append' ? items.length : step.from % (items.length + 1);
      const low = items[at - 1]?.n ?? -1e9;
      const high = items[at]?.n ?? low + 2;
      const item = { n: (low + high) / 2 };
      if (!(item.n > low && item.n < high)) continue;
      items.splice(at, 0, item);
      list.insert(item);
    }
  }
}

const itemsOf = <T>(snapshot: ChunkSnapshot<T>) => [...snapshot];
const snap = <T>(list: SortedList<T>) => new ChunkSnapshot(list.freeze(), list.count);

describe('SortedList', () => {
  test('holds the same items as an array changed in the same way', () => {
    fc.assert(
      fc.property(size, fc.boolean(), runs, (count, keyed, steps) => {
        const { items, list } = build(count, keyed);
        apply(items, list, steps);
        const snapshot = snap(list);
        expect(itemsOf(snapshot)).toEqual(items);
        expect(list.count).toBe(items.length);
        for (const i of [0, 1, 511, 512, 1023, 1024, items.length - 1, items.length, -1]) {
          expect(list.at(i)).toBe(items[i]);
          expect(snapshot.at(i)).toBe(items[i]);
        }
        for (const i of [0, items.length >> 1, items.length - 1].filter((at) => items[at]))
          expect(list.indexOf(list.find(items[i] as never) as never)).toBe(i);
      }),
      { numRuns: 60 },
    );
  });

  test('keeps the keys of its items through inserts, deletes and changes', () => {
    const key = { ...first, read: ({ n }: { n: number }) => n };
    const steps = fc.array(fc.tuple(fc.constantFrom('insert', 'delete', 'move', 'change'), fc.double(unit)), {
      minLength: 1500,
      maxLength: 1500,
    });
    fc.assert(
      fc.property(fc.integer({ min: 20, max: 600 }), steps, (count, all) => {
        let id = 0;
        const make = (n: number) => ({ n, id: (id += 1) });
        const order = (a: ReturnType<typeof make>, b: ReturnType<typeof make>) => a.n - b.n || a.id - b.id;
        const items = Array.from({ length: count }, (_, i) => make(i * 2));
        const list = new SortedList(cutChunks(items), order, key);
        for (const [what, where] of all) {
          const at = Math.floor(where * items.length);
          const item = items[at];
          if (what === 'insert' || !item) {
            const added = make(where * count * 2);
            items.push(added);
            list.insert(added);
          } else if (what === 'delete') {
            items.splice(at, 1);
            list.delete(list.find(item) as never);
          } else {
            const place = list.find(item) as never;
            item.n = what === 'move' ? (item.n * 7919) % (count * 2) : item.n + where / 64;
            if (!list.updateInPlace(place, item)) {
              list.delete(place);
              list.insert(item);
            }
          }
          items.sort(order);
        }
        expect(itemsOf(snap(list))).toEqual(items);
      }),
      { numRuns: 20, endOnFailure: true },
    );
  });

  test('never changes a snapshot', () => {
    fc.assert(
      fc.property(size, runs, runs, (count, first, second) => {
        const { items, list } = build(count);
        apply(items, list, first);
        const [kept, snapshot] = [[...items], snap(list)];
        apply(items, list, second);
        expect(itemsOf(snapshot)).toEqual(kept);
      }),
      { numRuns: 60 },
    );
  });

  test('finds no item that it does not contain', () => {
    const { list } = build(2000);
    expect(list.find({ n: 10 })).toBeUndefined();
    expect(list.find({ n: -1 })).toBeUndefined();
    expect(list.find({ n: 1e6 })).toBeUndefined();
    expect(list.find({ n: 10 }, true)).toBeUndefined();
  });

  test('detects whether a changed item still fits between its neighbours; the first and the last of a chunk are inserted again', () => {
    const { items, list } = build(1500);
    for (const i of [0, 1, 510, 511, 512, 513, 700, 1498, 1499]) {
      const item = items[i] as { n: number };
      const place = list.find(item) as Place;
      const inside = place.at > 0 && place.at + 1 < (list.freeze()[place.chunk] as readonly unknown[]).length;
      expect(inside).toBe([1, 510, 513, 700, 1498].includes(i));
      const kept = item.n;
      expect(list.updateInPlace(place, item)).toBe(inside);
      item.n = kept + 1;
      expect(list.updateInPlace(place, item)).toBe(inside);
      item.n = kept + 3;
      expect(list.updateInPlace(place, item)).toBe(false);
      item.n = kept - 3;
      expect(list.updateInPlace(place, item)).toBe(false);
      item.n = kept;
    }
  });
});

describe('the difference of two snapshots', () => {
  test('turns the first into the second by splices, and lists added, removed and moved records', () => {
    fc.assert(
      fc.property(
        size,
        runs,
        fc.array(fc.tuple(fc.nat({ max: 2999 }), fc.nat({ max: 2999 })), { maxLength: 5 }),
        (count, steps, moves) => {
          const { items, list } = build(count);
          const before = snap(list);
          list.takeTouched(true);
          apply(items, list, steps);
          const moved = new Set<{ n: number }>();
          for (const [from, to] of moves) {
            const [item, target] = [items[from], items[to]];
            if (!item || !target || item === target) continue;
            list.delete(list.find(item) as never);
            item.n = target.n + 2 ** -20 * (moved.size + 1);
            list.insert(item);
            moved.add(item);
            items.sort(byNumber);
          }
          const now = snap(list);
          const touched = list.takeTouched(false) as Touched<{ n: number }>;
          const [was, is] = [new Set(itemsOf(before)), new Set(itemsOf(now))];
          for (const [item, touch] of touched) expect(touch).toEqual({ was: was.has(item), is: is.has(item) });
          const half = new Map([...touched].filter((_, i) => i % 2 === 0));
          const more = new Map([
            ...touched,
            ...items.slice(0, 50).map((item) => [item, { was: true, is: true }] as const),
          ]);
          // A note of too many or too few items gives longer splices, but no wrong ones.
          for (const hint of [touched, half, more, undefined]) {
            const difference = new Difference(before, now, hint);
            const replayed = itemsOf(before);
            for (const { index, remove, records } of difference.splices) replayed.splice(index, remove, ...records);
            expect(replayed).toEqual(itemsOf(now));
            expect(new Set(difference.added)).toEqual(new Set([...is].filter((item) => !was.has(item))));
            expect(new Set(difference.removed)).toEqual(new Set([...was].filter((item) => !is.has(item))));
            const stays = (item: { n: number }) => was.has(item) && is.has(item) && !difference.moved.includes(item);
            expect(itemsOf(before).filter(stays)).toEqual(itemsOf(now).filter(stays));
            expect(difference.moved.length).toBeLessThanOrEqual(moved.size);
            expect(difference.splices.length === 0).toBe(hasSameRecords(before.chunks, now.chunks));
            if (hint !== touched) continue;
            const named = difference.splices.reduce((sum, { remove, records }) => sum + remove + records.length, 0);
            expect(named).toBeLessThanOrEqual(2 * touched.size);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  test('names as few moved records as possible, also when most of the list moved', () => {
    const permutation = fc.shuffledSubarray(
      Array.from({ length: 7 }, (_, i) => i),
      { minLength: 0 },
    );
    fc.assert(
      fc.property(permutation, permutation, fc.boolean(), fc.boolean(), (from, to, cut, hinted) => {
        const items = Array.from({ length: 7 }, (_, n) => ({ n }));
        const pick = (numbers: readonly number[]) => numbers.map((n) => items[n] as { n: number });
        // Items that all lists share stand between the others, in a chunk that is shared or copied.
        const shared = [{ n: 100 }, { n: 101 }];
        const listOf = (numbers: readonly number[], cut: boolean) => [
          pick(numbers.slice(0, 3)),
          cut ? [...shared] : shared,
          pick(numbers.slice(3)),
        ];
        const [before, now] = [listOf(from, false), listOf(to, cut)];
        const difference = new Difference(
          snapshotOf(before),
          snapshotOf(now),
          hinted ? new Map(items.map((item) => [item, { was: true, is: true }])) : undefined,
        );
        const replayed = before.flat();
        for (const { index, remove, records } of difference.splices) replayed.splice(index, remove, ...records);
        expect(replayed).toEqual(now.flat());
        const common = now.flat().filter((item) => before.flat().includes(item));
        const places = common.map((item) => before.flat().indexOf(item));
        expect(difference.moved.length).toBe(common.length - longestAscending(places));
        expect(hasSameRecords(before, now)).toBe(difference.splices.length === 0);
      }),
      { numRuns: 300 },
    );
  });

  test('names the record that was edited as moved, not its neighbours', () => {
    const { items, list } = build(300);
    const before = snap(list);
    list.takeTouched(true);
    const [item, behind] = [items[40], items[41]] as [{ n: number }, { n: number }];
    list.delete(list.find(item) as Place);
    item.n = behind.n + 1;
    list.insert(item);
    const { moved, splices } = new Difference(before, snap(list), list.takeTouched(false));
    expect(moved).toEqual([item]);
    expect(splices).toEqual([
      { index: 40, remove: 1, records: [] },
      { index: 41, remove: 0, records: [item] },
    ]);
  });

  test('compares only the positions that changed', () => {
    const { items, list } = build(100_000);
    const before = snap(list);
    list.takeTouched(true);
    const all = [...items];
    for (const i of [50_000, 50_003, 77_000]) list.delete(list.find(all[i] as { n: number }) as Place);
    const { splices } = new Difference(before, snap(list), list.takeTouched(true));
    expect(splices.map(({ index, remove }) => [index, remove])).toEqual([
      [50_000, 1],
      [50_002, 1],
      [76_998, 1],
    ]);
    // Without a note of what was touched, one splice covers a chunk that changed.
    const coarse = new Difference(before, snap(list));
    expect(coarse.splices.map(({ index, remove }) => [index, remove])).toEqual([
      [50_000, 4],
      [76_998, 1],
    ]);
    expect(list.takeTouched(false)).toEqual(new Map());
    expect(list.takeTouched(false)).toBeUndefined();
  });
});

const snapshotOf = <T>(chunks: readonly (readonly T[])[]) => new ChunkSnapshot(chunks, chunks.flat().length);

/** Length of the longest ascending selection, found by trying all. */
function longestAscending([first, ...rest]: readonly number[], above: number = -1): number {
  if (first === undefined) return 0;
  const without = longestAscending(rest, above);
  return first > above ? Math.max(without, 1 + longestAscending(rest, first)) : without;
}
