import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { copyPlain, deepFreeze, isPlainObject, isSame, sealed } from '../../src/util/values.js';

const json = () => fc.jsonValue({ noUnicodeString: false, maxDepth: 4 });

describe('isPlainObject', () => {
  test('accepts objects made by a literal or by JSON.parse', () => {
    expect([{}, Object.create(null), JSON.parse('{"a":1}')].every(isPlainObject)).toBe(true);
    expect([null, 5, [], new Date(), new Map(), new (class A {})()].some(isPlainObject)).toBe(false);
  });
});

describe('isSame', () => {
  test('compares JSON by content, whatever the order of members', () => {
    fc.assert(
      fc.property(json(), (value) => {
        const copy = JSON.parse(JSON.stringify(value)) as unknown;
        expect([isSame(value, value), isSame(copyPlain(copy), copy), isSame(copy, [copy])]).toEqual([
          true,
          true,
          false,
        ]);
      }),
    );
    fc.assert(
      fc.property(json(), json(), (a, b) => {
        const text = (value: unknown) => JSON.stringify(sortMembers(value));
        expect(isSame(JSON.parse(JSON.stringify(a)), JSON.parse(JSON.stringify(b)))).toBe(text(a) === text(b));
        expect(isSame(a, b)).toBe(isSame(b, a));
      }),
    );
  });

  test('does not compare the content of class instances', () => {
    class Box {
      constructor(readonly content: number) {}
    }
    const box = new Box(1);
    expect([isSame(box, box), isSame(box, new Box(1)), isSame(box, { content: 1 })]).toEqual([true, false, false]);
    expect([isSame(new Date(5), { getTime: () => 5 }), isSame({}, new Date(5)), isSame([], {})]).toEqual([
      false,
      false,
      false,
    ]);
  });
});

describe('copyPlain', () => {
  test('copies plain data and dates at any depth, and nothing else', () => {
    const box = new Map();
    const source = { a: [{ b: new Date(5) }], box };
    const copy = copyPlain(source);
    expect(copy).toEqual(source);
    expect([copy.a === source.a, copy.a[0]?.b === source.a[0]?.b, copy.box === box]).toEqual([false, false, true]);
  });

  test('keeps `__proto__` as an own member', () => {
    expect(JSON.stringify(copyPlain(JSON.parse('{"__proto__":{"a":1}}')))).toBe('{"__proto__":{"a":1}}');
  });
});

describe('sealed', () => {
  test('freezes plain data at any depth, and leaves other objects alone', () => {
    class Box {}
    const [box, list] = [new Box(), [{ a: [1] }]];
    expect(sealed(list)).toBe(list);
    expect([list, list[0], list[0]?.a].every(Object.isFrozen)).toBe(true);
    expect(Object.isFrozen(sealed({ box }).box)).toBe(false);
    expect([sealed(5), sealed(null), sealed('a')]).toEqual([5, null, 'a']);
  });

  test('copies dates', () => {
    const date = new Date(5);
    expect(sealed(date)).toEqual(date);
    expect(sealed(date)).not.toBe(date);
  });

  test('stops at objects that are frozen already', () => {
    const inner = { a: 1 };
    const outer = Object.freeze({ inner });
    deepFreeze(outer);
    expect(Object.isFrozen(inner)).toBe(false);
  });
});

function sortMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortMembers);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return { members: members.map(([name, each]) => [name, sortMembers(each)]) };
}
