import { describe, expect, test } from 'vitest';
import {
  type Data,
  deletePath,
  formatPath,
  getMember,
  hasPath,
  isData,
  isPath,
  parsePath,
  readPath,
  setMember,
  setMembers,
  withPath,
  writePath,
} from '../../src/util/data-path.js';

const proto = (): Data => JSON.parse('{"__proto__":{"polluted":true}}');

describe('parsePath', () => {
  test.each([
    ['a', ['a']],
    ['a.b', ['a', 'b']],
    ['a[0].b', ['a', 0, 'b']],
    ['a.0[12]', ['a', '0', 12]],
    ['a[b][1]', ['a', 'b', 1]],
    ['a-b.c d', ['a-b', 'c d']],
    ['tags[].b', ['tags[]', 'b']],
    ['page[size-max]', ['page[size-max]']],
    ['a[12345678901234567890]', ['a', '12345678901234567890']],
    ['', ['']],
  ])('%s', (text, path) => {
    expect(parsePath(text)).toEqual(path);
  });
});

describe('a quoted name in a path', () => {
  test.each([
    ["a['b-c']", ['a', 'b-c']],
    ['a["b.c"].d', ['a', 'b.c', 'd']],
    ["['a.b']", ['a.b']],
    ["['a']['b'][0].c[1]", ['a', 'b', 0, 'c', 1]],
    ["a[0]['b]']", ['a', 0, 'b]']],
    [String.raw`a['it\'s']["\\"]`, ['a', "it's", '\\']],
    ["a['0']", ['a', '0']],
    ["a['']", ['a', '']],
    ["tags[]['a']", ['tags[]', 'a']],
  ])('in %s is one member', (text, path) => {
    expect([isPath(text), parsePath(text)]).toEqual([true, path]);
    expect(parsePath(formatPath(path))).toEqual(path);
  });

  test.each([
    "a['b",
    'a["b]',
    "a['b'",
    "a['b']c",
    "a['b'].",
    "a.['b']",
    "a['b']..c",
    ".a['b']",
    'a[\'b"]',
    "a['b'][c-d]",
  ])('is malformed in %s, which is then one member as a whole', (text) => {
    expect([isPath(text), parsePath(text)]).toEqual([false, [text]]);
  });

  test('is written by formatPath for every name that needs it', () => {
    expect(formatPath(['a', 'b.c', 0, "d'e", 'f[g', ''])).toBe(String.raw`a['b.c'][0]['d\'e']['f[g']['']`);
    expect([formatPath([]), formatPath(['a']), formatPath(['a.b'])]).toEqual(['', 'a', "['a.b']"]);
  });
});

describe('isData', () => {
  test('accepts objects other than arrays', () => {
    expect([{}, Object.create(null), new Date()].map(isData)).toEqual([true, true, true]);
    expect([null, undefined, 5, 'text', [], () => undefined].some(isData)).toBe(false);
  });
});

describe('reading a path', () => {
  const source = { a: { b: [{ c: 1 }] }, n: null, t: 'text' };

  test('finds the value, and undefined if the path ends early', () => {
    expect(readPath(source, ['a', 'b', '0', 'c'])).toBe(1);
    expect(readPath(source, [])).toBe(source);
    for (const path of [['x'], ['n', 'x'], ['t', 'length'], ['a', 'b', '5', 'c']])
      expect(readPath(source, path)).toBeUndefined();
  });

  test('reads own members only', () => {
    expect([getMember({}, 'toString'), getMember([], 'map'), readPath({}, ['constructor', 'name'])]).toEqual(
      Array(3).fill(undefined),
    );
    expect(getMember(proto(), '__proto__')).toEqual({ polluted: true });
    expect(getMember({}, '__proto__')).toBeUndefined();
  });

  test('hasPath distinguishes undefined from missing', () => {
    expect(hasPath({ a: { b: undefined } }, ['a', 'b'])).toBe(true);
    expect([hasPath({ a: {} }, ['a', 'b']), hasPath({ a: null }, ['a', 'b']), hasPath(5, ['a'])]).toEqual([
      false,
      false,
      false,
    ]);
    expect(hasPath(5, [])).toBe(true);
  });
});

describe('writing a path', () => {
  test('copies the objects along the path and shares the rest', () => {
    const source = { a: { b: { c: 1 }, other: {} }, list: [{ x: 1 }, { y: 2 }] };
    const copy = withPath(source, ['a', 'b', 'c'], 2) as typeof source;
    expect(copy).toEqual({ ...source, a: { ...source.a, b: { c: 2 } } });
    expect([source.a.b.c, copy.a.other === source.a.other, copy.list === source.list]).toEqual([1, true, true]);
    const listed = withPath(source, ['list', '0', 'x'], 5) as typeof source;
    expect([listed.list, Array.isArray(listed.list), listed.list[1] === source.list[1]]).toEqual([
      [{ x: 5 }, { y: 2 }],
      true,
      true,
    ]);
    expect(withPath(source, [], 5)).toBe(5);
    expect(withPath('text', ['a'], 1)).toEqual({ a: 1 });
  });

  test('writePath changes its target, and copies the objects below it', () => {
    const inner = { b: 1 };
    const target: Data = { a: inner };
    writePath(target, ['a', 'b'], 2);
    writePath(target, ['c'], 3);
    expect([target, inner]).toEqual([{ a: { b: 2 }, c: 3 }, { b: 1 }]);
  });

  test('deletePath changes its target, and copies the objects below it', () => {
    const inner = { b: 1, c: 2 };
    const target: Data = { a: inner, d: 3 };
    deletePath(target, ['a', 'b']);
    deletePath(target, ['d']);
    deletePath(target, ['nope', 'x']);
    deletePath(target, ['a', 'nope']);
    expect([target, inner]).toEqual([{ a: { c: 2 } }, { b: 1, c: 2 }]);
  });

  test('sets `__proto__` as an own member and pollutes nothing', () => {
    const target: Data = {};
    setMember(target, '__proto__', { polluted: 1 });
    expect(JSON.stringify(target)).toBe('{"__proto__":{"polluted":1}}');
    expect(Object.getPrototypeOf(target)).toBe(Object.prototype);
    writePath(target, ['__proto__', 'polluted'], 2);
    expect(JSON.stringify(withPath(proto(), ['__proto__', 'x'], 1))).toBe('{"__proto__":{"polluted":true,"x":1}}');
    const members: Data = {};
    setMembers(members, proto());
    expect([JSON.stringify(target), JSON.stringify(members)]).toEqual([
      '{"__proto__":{"polluted":2}}',
      '{"__proto__":{"polluted":true}}',
    ]);
    expect({}).not.toHaveProperty('polluted');
  });

  test('setMembers ignores a source that is no object', () => {
    const target: Data = { a: 1 };
    for (const none of [undefined, null, 5, 'text', [1]]) setMembers(target, none);
    setMembers(target, { b: 2 });
    expect(target).toEqual({ a: 1, b: 2 });
  });
});
