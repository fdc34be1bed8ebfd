import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LongNumber } from '../../src/util/long-number.js';
import { type MergeConflict, merge3, type Shape } from '../../src/util/merge3.js';

interface Line {
  id?: number;
  sku: string;
  qty: number;
  note?: string;
}

const BY_ID: Shape = { item: { idOf: ({ id }) => id?.toString() } };
const BY_KEY: Shape = { item: { idOf: ({ sku }) => String(sku) } };
const BY_CONTENT: Shape = {};
const RUNS = { numRuns: 300 };

/** Merges, and notes the places that had to be decided. */
function merge(base: unknown, mine: unknown, theirs: unknown, shape?: Shape, isRepeat = false) {
  const conflicts: MergeConflict[] = [];
  const decide = (conflict: MergeConflict) => {
    conflicts.push(conflict);
    return conflict.mine;
  };
  return { value: merge3(base, mine, theirs, { shape, isRepeat, decide }), conflicts };
}

const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(
      null,
      0,
      1,
      2,
      'a',
      'b',
      true,
      new LongNumber('9007199254740993'),
      new LongNumber('0.1234567890123456789'),
    ),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__', 'toString'), tie('value'), { maxKeys: 3 }),
  ),
})).value;
const shape = fc.constantFrom(BY_ID, BY_KEY, BY_CONTENT);

const names = ['a', 'b', 'c', 'd', 'e', 'f'];
/** A list of lines whose ids, skus and contents all differ. */
const lines = fc
  .uniqueArray(fc.constantFrom(...names), { maxLength: 6 })
  .map((skus): Line[] => skus.map((sku, at) => ({ id: at + 1, sku, qty: 10 + at })));
const withoutId = ({ id: _, ...line }: Line): Line => line;
const listFor = (of: Shape, list: readonly Line[]) => (of === BY_ID ? [...list] : list.map(withoutId));

/** A step of a side on a list: lines are named by their sku, which no edit changes. */
type Step =
  | { does: 'edit'; at: number; member: 'qty' | 'note'; value: number }
  | { does: 'remove'; at: number }
  | { does: 'move'; at: number; to: number }
  | { does: 'add'; to: number; qty: number };
const step = (moves: boolean): fc.Arbitrary<Step> =>
  fc.oneof(
    fc.record({
      does: fc.constant('edit' as const),
      at: fc.nat(9),
      member: fc.constantFrom('qty' as const, 'note' as const),
      value: fc.nat(9),
    }),
    fc.record({ does: fc.constant('remove' as const), at: fc.nat(9) }),
    fc.record({ does: fc.constant('add' as const), to: fc.nat(9), qty: fc.nat(9) }),
    ...(moves ? [fc.record({ does: fc.constant('move' as const), at: fc.nat(9), to: fc.nat(9) })] : []),
  );
/** Makes steps on a list; those that name a line which `isFree` refuses are left out. */
function play(
  list: readonly Line[],
  steps: readonly Step[],
  prefix: string,
  isFree = (_sku: string, _member?: string) => true,
): Line[] {
  const now = list.map((line) => ({ ...line }));
  for (const [n, each] of steps.entries()) {
    if (each.does === 'add') {
      // The ids and contents of new lines are those of one side only.
      const id = list[0]?.id === undefined ? {} : { id: 100 * prefix.charCodeAt(0) + n };
      now.splice(each.to % (now.length + 1), 0, { ...id, sku: `${prefix}${n}`, qty: 1000 * prefix.charCodeAt(0) + n });
      continue;
    }
    if (now.length === 0) continue;
    const at = each.at % now.length;
    const line = now[at] as Line;
    if (!isFree(line.sku, each.does === 'edit' ? each.member : undefined)) continue;
    if (each.does === 'remove') now.splice(at, 1);
    else if (each.does === 'edit')
      Object.assign(line, {
        [each.member]: each.member === 'note' ? `${prefix}${each.value}` : 1000 * prefix.charCodeAt(0) + each.value,
      });
    else now.splice(each.to % now.length, 0, ...now.splice(at, 1));
  }
  return now;
}
const bySku = (list: unknown) => new Map((list as Line[]).map((line) => [line.sku, line]));
const sorted = (list: unknown) =>
  [...(list as Line[])].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

describe('any JSON', () => {
  test('what mine has not changed is that of theirs', () => {
    fc.assert(
      fc.property(json, json, shape, (base, theirs, of) => {
        const merged = merge(base, base, theirs, of);
        expect(merged.conflicts).toEqual([]);
        expect(merged.value).toBe(theirs);
      }),
      RUNS,
    );
  });

  test('what theirs has not changed is that of mine', () => {
    fc.assert(
      fc.property(json, json, shape, (base, mine, of) => {
        const merged = merge(base, mine, base, of);
        expect(merged.conflicts).toEqual([]);
        expect(merged.value).toEqual(mine);
      }),
      RUNS,
    );
  });

  test('what both have changed in the same way is no conflict', () => {
    fc.assert(
      fc.property(json, json, shape, (base, both, of) => {
        const merged = merge(base, both, both, of);
        expect(merged.conflicts).toEqual([]);
        expect(merged.value).toBe(both);
      }),
      RUNS,
    );
  });

  test('a change of one member does not depend on the others: the laws hold at every depth', () => {
    fc.assert(
      fc.property(json, json, json, shape, (base, mine, theirs, of) => {
        const merged = merge(
          { a: base, b: base, c: mine },
          { a: mine, b: base, c: mine },
          { a: base, b: theirs, c: theirs },
          { member: () => of },
        );
        const { a, b, c } = merged.value as Record<string, unknown>;
        expect(merged.conflicts).toEqual([]);
        expect([a, b, c]).toEqual([mine, theirs, theirs]);
      }),
      RUNS,
    );
  });

  test('no value comes from nowhere', () => {
    const leaves = (value: unknown): string[] =>
      value instanceof LongNumber || typeof value !== 'object' || value === null
        ? [value instanceof LongNumber ? `long ${value.digits}` : JSON.stringify(value)]
        : Object.values(value).flatMap(leaves);
    fc.assert(
      fc.property(json, json, json, shape, (base, mine, theirs, of) => {
        const known = new Set([...leaves(mine), ...leaves(theirs)]);
        for (const leaf of leaves(merge(base, mine, theirs, of).value)) expect(known).toContain(leaf);
      }),
      RUNS,
    );
  });

  test('without a conflict, both ways of merging have the same values', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom('a', 'b', 'c'), json),
        fc.dictionary(fc.constantFrom('a', 'b', 'c'), json),
        fc.dictionary(fc.constantFrom('a', 'b', 'c'), json),
        (base, mine, theirs) => {
          // Lists are compared as they are below: their order is that of one side.
          const whole: Shape = { member: () => ({ whole: true }) };
          const [one, other] = [merge(base, mine, theirs, whole), merge(base, theirs, mine, whole)];
          expect(one.conflicts.length).toBe(other.conflicts.length);
          if (one.conflicts.length === 0) expect(one.value).toEqual(other.value);
        },
      ),
      RUNS,
    );
  });
});

describe.each([
  ['an id', BY_ID],
  ['a key', BY_KEY],
  ['no id', BY_CONTENT],
] as const)('lists whose lines have %s', (_name, of) => {
  const steps = (moves = true) => fc.array(step(moves), { maxLength: 5 });
  // A line without an id that was edited is found by its place, so whoever edits such a line moves none.
  const mySteps = of === BY_CONTENT ? steps(false) : steps();

  test("an edit of a line stays with its line, whatever the other side does with the others and with the line's place", () => {
    fc.assert(
      fc.property(lines, fc.nat(9), steps(), (all, place, theirSteps) => {
        fc.pre(all.length > 0);
        const base = listFor(of, all);
        const at = place % base.length;
        const { sku } = base[at] as Line;
        const mine = base.map((line, i) => (i === at ? { ...line, qty: 1 } : line));
        const isFree = (each: string, member?: string) =>
          each === sku ? member === undefined : of !== BY_CONTENT || member === undefined;
        const theirs = play(
          base,
          theirSteps.filter(({ does }) => does !== 'remove'),
          't',
          isFree,
        );
        const { value, conflicts } = merge(base, mine, theirs, of);
        expect(conflicts).toEqual([]);
        expect(value).toEqual(theirs.map((line) => (line.sku === sku ? { ...line, qty: 1 } : line)));
      }),
      RUNS,
    );
  });

  test('the line that one side has removed and the other one edited is a conflict, of either side', () => {
    fc.assert(
      fc.property(lines, fc.nat(9), (all, place) => {
        fc.pre(all.length > 0);
        const base = listFor(of, all);
        const at = place % base.length;
        const edited = base.map((line, i) => (i === at ? { ...line, qty: 1 } : line));
        const removed = base.filter((_, i) => i !== at);
        const kept = merge(base, edited, removed, of);
        expect(kept.conflicts).toEqual([{ path: [at], base: base[at], mine: edited[at], theirs: undefined }]);
        expect(kept.value).toEqual(edited);
        const dropped = merge(base, removed, edited, of);
        expect(dropped.conflicts).toEqual([{ path: [at], base: base[at], mine: undefined, theirs: edited[at] }]);
        expect(dropped.value).toEqual(removed);
      }),
      RUNS,
    );
  });

  test('the order is that of theirs, with the moves of mine', () => {
    fc.assert(
      fc.property(lines, fc.nat(9), fc.nat(9), steps(false), (all, from, to, theirSteps) => {
        fc.pre(all.length > 0);
        const base = listFor(of, all);
        const mine = play(base, [{ does: 'move', at: from, to }], 'm');
        const theirs = play(
          base,
          theirSteps.filter(({ does }) => does === 'add'),
          't',
        );
        const { value, conflicts } = merge(base, mine, theirs, of);
        expect(conflicts).toEqual([]);
        const isOld = ({ sku }: Line) => !sku.startsWith('t');
        expect((value as Line[]).filter(isOld)).toEqual(mine);
        expect(sorted(value)).toEqual(sorted(theirs));
      }),
      RUNS,
    );
  });

  test('the lines that both have added stay, each behind the line that it follows', () => {
    fc.assert(
      fc.property(lines, steps(), steps(), (all, mySteps_, theirSteps) => {
        const base = listFor(of, all);
        const onlyAdds = (each: readonly Step[]) => each.filter(({ does }) => does === 'add');
        const [mine, theirs] = [play(base, onlyAdds(mySteps_), 'm'), play(base, onlyAdds(theirSteps), 't')];
        const { value, conflicts } = merge(base, mine, theirs, of);
        expect(conflicts).toEqual([]);
        const without = (prefix: string) => (value as Line[]).filter(({ sku }) => !sku.startsWith(prefix));
        expect([without('t'), without('m')]).toEqual([mine, theirs]);
      }),
      RUNS,
    );
  });

  test('agrees with making the steps of both one after the other, where no step meets one of the other side', () => {
    fc.assert(
      fc.property(lines, mySteps, steps(of !== BY_CONTENT), fc.nat(), (all, my, their, seed) => {
        const base = listFor(of, all);
        // Each line belongs to one side; with ids, also each member of a line, if nobody removes lines.
        const hash = (text: string) =>
          [...text].reduce((sum, char) => (sum * 31 + char.charCodeAt(0) + seed) % 1009, 7);
        const owns = (side: number) => (sku: string) => sku.length > 1 || hash(sku) % 2 === side;
        const mine = play(base, my, 'm', owns(0));
        const theirs = play(base, their, 't', owns(1));
        // The steps of mine, on the list of theirs: by the names of the lines.
        const [was, now] = [bySku(base), bySku(mine)];
        const oracle = [
          ...theirs
            .filter(({ sku }) => !was.has(sku) || now.has(sku))
            .map((line) => (owns(0)(line.sku) && was.has(line.sku) ? now.get(line.sku) : line)),
          ...mine.filter(({ sku }) => !was.has(sku)),
        ];
        const { value, conflicts } = merge(base, mine, theirs, of);
        expect(conflicts).toEqual([]);
        expect(sorted(value)).toEqual(sorted(oracle));
        const other = merge(base, theirs, mine, of);
        expect(other.conflicts).toEqual([]);
        expect(sorted(other.value)).toEqual(sorted(value));
      }),
      RUNS,
    );
  });
});

describe('lists whose lines have an id', () => {
  test('every change that does not meet a change of the other side is kept, and no other change is made', () => {
    fc.assert(
      fc.property(
        lines,
        fc.array(step(true), { maxLength: 6 }),
        fc.array(step(true), { maxLength: 6 }),
        (base, my, their) => {
          const [mine, theirs] = [play(base, my, 'm'), play(base, their, 't')];
          const { value, conflicts } = merge(base, mine, theirs, BY_ID);
          const [b, m, t, v] = [base, mine, theirs, value].map(bySku) as [
            Map<string, Line>,
            Map<string, Line>,
            Map<string, Line>,
            Map<string, Line>,
          ];
          const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
          let met = 0;
          for (const sku of new Set([...m.keys(), ...t.keys()])) {
            const [old, my1, their1, now] = [b.get(sku), m.get(sku), t.get(sku), v.get(sku)];
            if (old && !my1 && their1) {
              expect(now).toBeUndefined();
              met += isSame(old, their1) ? 0 : 1;
            } else if (old && my1 && !their1) {
              expect(now).toEqual(isSame(old, my1) ? undefined : my1);
              met += isSame(old, my1) ? 0 : 1;
            } else
              for (const member of ['id', 'sku', 'qty', 'note'] as const) {
                const [o, x, y] = [old?.[member], my1?.[member], their1?.[member]];
                const expected = !my1 ? y : !their1 ? x : isSame(o, x) ? y : x;
                expect(now?.[member]).toEqual(expected);
                if (my1 && their1 && !isSame(o, x) && !isSame(o, y) && !isSame(x, y)) met += 1;
              }
          }
          expect(conflicts.length).toBe(met);
          expect(v.size).toBe((value as Line[]).length);
          for (const { path, mine: own } of conflicts)
            if (own !== undefined) expect((value as Line[])[path[0] as number]).toBeDefined();
        },
      ),
      RUNS,
    );
  });
});

describe('members', () => {
  const names = ['a', 'b', '__proto__', 'toString', 'constructor', 'hasOwnProperty'];
  const members = fc
    .uniqueArray(fc.tuple(fc.constantFrom(...names), fc.nat(1)), { selector: ([name]) => name })
    .map((entries) => Object.fromEntries(entries) as Record<string, unknown>);
  const memberOf = (row: unknown, name: string) =>
    Object.hasOwn(row as object, name) ? (row as Record<string, unknown>)[name] : undefined;

  test.each([
    ['of an object', (row: object): unknown => row, (value: unknown) => value],
    ['of a line', (row: object): unknown => [row], (value: unknown) => (value as unknown[])[0]],
  ])('%s are merged by their own names alone, and one that was removed is not there', (_where, put, take) => {
    fc.assert(
      fc.property(members, members, members, (base, mine, theirs) => {
        // A line without an id is found by its place.
        const value = take(merge(put(base), put(mine), put(theirs)).value);
        const left = names.filter((name) => {
          const [was, own, other] = [base, mine, theirs].map((row) => memberOf(row, name));
          const expected = was === own ? other : own;
          expect(memberOf(value, name)).toBe(expected);
          return expected !== undefined;
        });
        expect(Reflect.ownKeys(value as object).sort()).toEqual(left.sort());
        expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
      }),
      RUNS,
    );
  });
});

describe('lists without ids', () => {
  test('an edit never goes to another line, also where that line was edited, moved, or stands beside new ones', () => {
    const row = fc.record({ isEdited: fc.boolean(), rank: fc.nat(9), addedBefore: fc.nat(1) });
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.constantFrom(...names), { minLength: 2 }),
        fc.array(fc.boolean(), { minLength: 6 }),
        fc.array(row, { minLength: 6, maxLength: 6 }),
        fc.boolean(),
        (skus, isMine, rows, isMoved) => {
          const base = skus.map((sku) => ({ sku, mine: '', theirs: '' }));
          const mine = base.map((line, at) => (isMine[at] ? { ...line, mine: line.sku } : line));
          const all = base.map((line, at) => ({
            ...(rows[at] as { isEdited: boolean; rank: number; addedBefore: number }),
            line,
            at,
          }));
          if (isMoved) all.sort((a, b) => a.rank - b.rank || a.at - b.at);
          // Lines that are all edited, and that stand between the same lines, cannot be told apart: then their order tells.
          const unedited = all.filter(({ isEdited }) => !isEdited).map(({ at }) => at);
          const isTold = unedited.some((at, n) => n > 0 && at < (unedited[n - 1] as number));
          fc.pre(isTold || !isMoved);
          const theirs = all.flatMap(({ line, isEdited, addedBefore }, n) => [
            ...(addedBefore ? [{ sku: `new ${n}`, mine: 'nobody', theirs: `new ${n}` }] : []),
            isEdited ? { ...line, theirs: line.sku } : line,
          ]);
          const { value } = merge(base, mine, theirs);
          for (const line of value as typeof base) {
            if (line.sku.startsWith('new')) expect(line.mine).toBe('nobody');
            else expect(['', line.sku]).toContain(line.mine);
            expect(['', line.sku]).toContain(line.theirs);
          }
        },
      ),
      RUNS,
    );
  });

  test('an edit of one of several equal lines stays in its place, whatever block of lines the other side adds or removes', () => {
    const equal = fc.array(fc.constantFrom('a', 'b'), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(equal, equal, fc.nat(6), fc.nat(6), fc.boolean(), (list, block, at, from, isRemoved) => {
        const place = at % list.length;
        const [base, edited] = [list.map((sku) => ({ sku })), { sku: list[place] as string, qty: 1 }];
        const mine = base.map((line, n) => (n === place ? edited : line));
        const count = isRemoved ? Math.min(block.length, list.length) : block.length;
        const added = isRemoved ? [] : block.map((sku) => ({ sku }));
        const without = (start: number, sides: readonly object[]) => [
          ...sides.slice(0, start),
          ...sides.slice(start + count),
        ];
        const withBlock = (start: number, sides: readonly object[], lines: readonly object[]) => [
          ...sides.slice(0, start),
          ...lines,
          ...sides.slice(start),
        ];
        const start = from % (isRemoved ? list.length - count + 1 : list.length + 1);
        const theirs = isRemoved ? without(start, base) : withBlock(start, base, added);
        // The same list may be that of blocks in several places.
        const isTheirs = (each: readonly object[]) => JSON.stringify(each) === JSON.stringify(theirs);
        const possible = [...Array(list.length + 1).keys()].flatMap((n) => {
          if (isRemoved) return n + count <= list.length && isTheirs(without(n, base)) ? [without(n, mine)] : [];
          const lines = theirs.slice(n, n + count);
          return isTheirs(withBlock(n, base, lines)) ? [withBlock(n, mine, lines)] : [];
        });
        const { value, conflicts } = merge(base, mine, theirs);
        if (conflicts.length === 0) expect(possible).toContainEqual(value);
        else expect(conflicts.map((each) => [each.mine, each.theirs])).toEqual([[edited, undefined]]);
        if (!isRemoved || possible.every((each) => each.includes(edited))) expect(conflicts).toEqual([]);
      }),
      RUNS,
    );
  });
});

describe('lines that both sides have added', () => {
  const added = fc.array(fc.constantFrom('x', 'y', 'z'), { maxLength: 3 });

  test('are two where two people have added equal ones', () => {
    fc.assert(
      fc.property(lines, added, added, shape, (all, own, others, of) => {
        const base = listFor(of, all);
        const news = (skus: readonly string[], id: number) =>
          listFor(
            of,
            skus.map((sku, n) => ({ id: id + n, sku: of === BY_KEY ? `${sku}${id}` : sku, qty: 5 })),
          );
        const [mine, theirs] = [news(own, 100), [...news(others, 200), { sku: 'last', qty: 6 }]];
        const { value, conflicts } = merge(base, [...base, ...mine], [...base, ...theirs], of);
        expect(conflicts).toEqual([]);
        expect(sorted(value)).toEqual(sorted([...base, ...mine, ...theirs]));
      }),
      RUNS,
    );
  });

  test('are one where the answer to our own write was lost, with what the server has given them', () => {
    fc.assert(
      fc.property(lines, added, added, fc.boolean(), (base, own, others, hasId) => {
        const mine = own.map((sku) => ({ sku, qty: 5 }));
        const stored = mine.map((line, n) => ({
          ...(hasId && { id: 100 + n }),
          ...line,
          ...(hasId && { note: 'stored' }),
        }));
        const theirs = [...others.map((sku, n) => ({ id: 200 + n, sku, qty: 7 })), ...stored];
        const { value, conflicts } = merge(base, [...base, ...mine], [...base, ...theirs], BY_ID, true);
        expect(conflicts).toEqual([]);
        expect(value).toEqual([...base, ...theirs]);
      }),
      RUNS,
    );
  });
});

test('finds an edited line in a long list without ids that the other side has sorted', () => {
  const base = Array.from({ length: 2000 }, (_, n) => ({ sku: `sku ${n}`, qty: 1 }));
  const edited = { sku: 'sku 700', qty: 2 };
  const mine = base.map((line) => (line.sku === edited.sku ? edited : line));
  const { value, conflicts } = merge(base, mine, [...base].reverse());
  expect(conflicts).toEqual([]);
  expect(value).toEqual([...mine].reverse());
});

test.each([500, 5000])(
  'merges %i edited lines without ids in a number of steps that grows as their number',
  (count) => {
    let steps = 0;
    const counted: Shape = {
      item: {
        member: () => ({
          isSame: () => {
            steps += 1;
            return false;
          },
        }),
      },
    };
    const base = Array.from({ length: count }, (_, n) => ({ sku: `sku ${n}`, qty: n, note: 'a' }));
    const mine = base.map((line) => ({ ...line, qty: -1 - line.qty }));
    const theirs = base.map((line) => ({ ...line, note: `note ${line.qty}` }));
    const { value, conflicts } = merge(base, mine, theirs, counted);
    expect(conflicts).toEqual([]);
    expect(value).toEqual(mine.map((line, n) => ({ ...line, note: `note ${n}` })));
    expect(steps).toBeLessThan(100 * count);
  },
);

test.each([true, false])(
  'an edited line without an id is found that the server has in another place (repeat: %s)',
  (isRepeat) => {
    const [a, b] = [
      { sku: 'a', qty: 1 },
      { sku: 'b', qty: 2 },
    ];
    const edited = { ...b, qty: 3 };
    const theirs = [
      { id: 5, ...edited },
      { id: 4, ...a },
    ];
    expect(merge([a, b], [a, edited], theirs, BY_ID, isRepeat)).toEqual({ value: theirs, conflicts: [] });
  },
);
