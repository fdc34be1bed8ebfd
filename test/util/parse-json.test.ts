import fc from 'fast-check';
import { LongNumber } from 'repose';
import { describe, expect, test } from 'vitest';
import { isLong } from '../../src/util/long-number.js';
import { findLongRuns, hasLongExponent } from '../../src/util/long-runs.js';
import { parseJson, TOO_DEEP } from '../../src/util/parse-json.js';
import { rounded } from '../../src/util/rounded.js';
import { stringifyJson } from '../../src/util/stringify-json.js';

const read = (text: string) => parseJson(text).value;
const again = (text: string) => stringifyJson(read(text));

const LONG_NUMBERS = [
  '9007199254740992',
  '9007199254740993',
  '-9007199254740993',
  '12345678901234567890',
  '1e400',
  '-1E+400',
  '1e-400',
  '5.512345678e-320',
  '0.1234567890123456789',
  '0.10000000000000000555',
  '12345678901234567890.10',
  '-0',
  `${'9'.repeat(400)}`,
];
const SHORT_NUMBERS = [
  '0',
  '1',
  '-7',
  '1.10',
  '0.1',
  '9007199254740991',
  '1e21',
  '1E-7',
  '1e308',
  '0.30000000000000004',
];

describe('parseJson', () => {
  test.each(LONG_NUMBERS)('keeps the digits of %s at any place', (number) => {
    for (const [before, behind] of [
      ['', ''],
      ['[', ']'],
      ['{"a":{"b":[1,', ']}}'],
      ['{"1":', ',"0":2}'],
      [' [ ', ' ] '],
    ])
      expect(again(`${before}${number}${behind}`)?.replaceAll(' ', '')).toContain(number);
    const [value] = read(`[${number}]`) as [LongNumber];
    expect(value).toBeInstanceOf(LongNumber);
    expect(Object.is(value.valueOf(), Number(number))).toBe(true);
    expect(JSON.stringify({ value })).toBe(JSON.stringify({ value: Number(number) }));
    expect(`${value}`).toBe(number);
  });

  test.each(SHORT_NUMBERS)('reads %s as a JavaScript number', (number) => {
    expect(parseJson(`[${number}]`)).toEqual({ value: [Number(number)], long: false });
  });

  test('does not read a number inside a text', () => {
    const text = JSON.stringify({ a: 'id: 9007199254740993, 1e400', 'b, 9007199254740993,': ['-0', '[1e400]'] });
    expect(parseJson(text)).toEqual({ value: JSON.parse(text) as unknown, long: false });
    const mixed = '{"a":"x: 9007199254740993, y","b":9007199254740993,"c":"\\" 9007199254740993 "}';
    expect(again(mixed)).toBe(mixed);
  });

  test('distinguishes a long number from a short one with the same value', () => {
    for (const text of [
      '[0.1,0.10000000000000000555]',
      '[0.10000000000000000555,0.1]',
      '{"b":0.10000000000000000555,"1":0.1}',
    ])
      expect(again(text)).toBe(stringifyJson(read(text)));
    expect(again('[0.1,0.10000000000000000555,0.1]')).toBe('[0.1,0.10000000000000000555,0.1]');
    expect(again('[9007199254740992,9007199254740993]')).toBe('[9007199254740992,9007199254740993]');
    // Engines move names that are numbers to the front.
    expect(again('{"b":9007199254740993,"1":9007199254740992}')).toBe('{"1":9007199254740992,"b":9007199254740993}');
  });

  test('takes the last of several members with the same name', () => {
    expect(again('{"a":9007199254740993,"b":9007199254740995,"a":1}')).toBe('{"a":1,"b":9007199254740995}');
    expect(again('{"a":1,"a":9007199254740993}')).toBe('{"a":9007199254740993}');
    expect(again('{"a":{"b":9007199254740993},"a":{"c":1}}')).toBe('{"a":{"c":1}}');
  });

  test('does not change prototypes', () => {
    const text = '{"__proto__":{"polluted":9007199254740993},"constructor":{"prototype":{"polluted":1e400}}}';
    expect(again(text)).toBe(text);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect(Object.prototype).not.toHaveProperty('polluted');
  });

  test('does not take an object for a long number, whatever its members', () => {
    const text = '{"digits":"9007199254740993","toJSON":1}';
    expect(read(text)).not.toBeInstanceOf(LongNumber);
    expect(again(`[${text},9007199254740993]`)).toBe(`[${text},9007199254740993]`);
  });

  test.each(['{', '[9007199254740993', '[01]', '[1e400,]', '"9007199254740993'])('refuses %s', (text) => {
    expect(() => read(text)).toThrow(SyntaxError);
  });

  test('refuses JSON that is nested deeper than 1,000 levels', () => {
    const lists = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    const objects = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
    for (const nested of [lists, objects]) {
      expect(again(nested(1000))).toBe(nested(1000));
      expect(() => read(nested(1001))).toThrow(TOO_DEEP);
      expect(() => read(nested(100_000))).toThrow(TOO_DEEP);
    }
    expect(() => read(`{"rows":[{"id":1,"x":${lists(1000)}}],"total":9007199254740993}`)).toThrow(TOO_DEEP);
    // Many objects beside each other are not deep nesting.
    expect((read(`[${Array(5000).fill('{"a":[]}').join()}]`) as unknown[]).length).toBe(5000);
  });

  test('keeps every number in any JSON', () => {
    const digits = fc.oneof(
      fc.constantFrom(...LONG_NUMBERS, ...SHORT_NUMBERS),
      fc.bigInt().map(String),
      fc.tuple(fc.bigInt({ min: 0n }), fc.bigInt({ min: 0n })).map(([a, b]) => `${a}.${b}`),
      fc.tuple(fc.integer(), fc.integer({ min: -500, max: 500 })).map(([a, b]) => `${a}e${b}`),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((each) => JSON.stringify(each)),
    );
    const part = fc.constantFrom('"', '\\', '{', '}', '[', ',', ': ', '9007199254740993', '1e400', '-0', 'é', ' ');
    const words = fc.array(part, { maxLength: 8 }).map((parts) => parts.join(''));
    const name = fc.oneof(words, fc.constantFrom('a', 'b', '1', '10', '__proto__'));
    const { tree } = fc.letrec<{ tree: string; list: string; members: string }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        digits,
        words.map((each) => JSON.stringify(each)),
        tie('list'),
        tie('members'),
      ),
      list: fc.array(tie('tree'), { maxLength: 4 }).map((items) => `[${items.join(' , ')}]`),
      members: fc
        .uniqueArray(fc.tuple(name, tie('tree')), { maxLength: 4, selector: ([each]) => each })
        .map((all) => `{${all.map(([each, value]) => `${JSON.stringify(each)} :${value}`).join(',')}}`),
    }));
    fc.assert(
      fc.property(tree, fc.boolean(), (json, padded) => {
        // Long and short texts are parsed in different ways.
        const text = padded ? `${' '.repeat(3000)}${json}` : json;
        const { value, long } = parseJson(text);
        expect(rounded(value)).toEqual(JSON.parse(text));
        const numbers = numbersIn(json);
        expect(long).toBe(numbers.some(isLong));
        expect(numbersIn(stringifyJson(value) as string).sort()).toEqual(
          numbers.map((each) => (isLong(each) ? each : JSON.stringify(Number(each)))).sort(),
        );
      }),
      { numRuns: 500 },
    );
  });
});

/** The numbers of a JSON text, found by a regular expression. */
function numbersIn(json: string): string[] {
  return [...json.matchAll(/"(?:[^"\\]|\\.)*"|(-?\d[\d.eE+-]*)/gs)].flatMap(([, number]) => number ?? []);
}

describe('the search for long numbers', () => {
  const around = fc.constantFrom('"', 'x', ',', ':', ' ', '[', ']', '}', '-', 'e', '1', '.', '7777777', '');
  const texts = fc.array(
    fc.oneof(
      around,
      fc.nat({ max: 22 }).map((count) => '7'.repeat(count)),
    ),
    { maxLength: 30 },
  );

  test('finds every number with more than 15 digits', () => {
    fc.assert(
      fc.property(texts, (parts) => {
        const text = parts.join('');
        const runs = findLongRuns(text) ?? [];
        const found = runs.flatMap((start, at) => (at % 2 === 0 ? [text.slice(start, runs[at + 1])] : []));
        const all = [...text.matchAll(/(?<=^|[:,[\s])[\d.eE+-]+(?=$|[,\]}\s])/g)].map(([number]) => number);
        expect(found).toEqual(all.filter((number) => /[\d.]{16}/.test(number)));
      }),
      { numRuns: 1000 },
    );
  });

  test.each([
    ['[1e400]', true],
    ['{"a":-1.5E+308}', true],
    ['1e-400', true],
    ['["1e400"]', false],
    ['{"id":"a-1e400-b"}', false],
    ['[1e40,2e99]', false],
    ['["x 1e4000"]', false],
  ])('finds long exponents in %s: %s', (text, found) => {
    expect(hasLongExponent(text)).toBe(found);
  });
});
