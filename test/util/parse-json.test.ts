import fc from 'fast-check';
import { LongNumber } from 'repose';
import { describe, expect, test } from 'vitest';
import { parseJson, stringifyJson, TOO_DEEP } from '../../src/util/json.js';
import { isLong } from '../../src/util/long-number.js';
import { rounded } from '../../src/util/rounded.js';

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
  test('finds a number with more than 15 digits wherever it stands in the text', () => {
    for (const number of ['9007199254740993', '-12345678901234567', '0.10000000000000000555', '12345678.90123456789']) {
      for (let blanks = 0; blanks < 40; blanks += 1) {
        const row = `${' '.repeat(blanks)}{"d":"2026-11-21T10:00:00.123456Z","n":${number},"v":1234567,"w":123456789012345}`;
        expect(read(row)).toMatchObject({ n: new LongNumber(number), v: 1234567, w: 123456789012345 });
      }
    }
  });

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

  test('does not take a text for a long number, whatever characters it has', () => {
    const marks = ['\u0080', '\u0080\u0080', '\\u0080', '\\u0080\u0080\\u0080', '\\\\u0080'];
    const texts = marks.flatMap((mark) => [`"${mark}9007199254740993"`, `"${mark}"`, `"${mark}-0"`]);
    for (const number of ['9007199254740993', '1e400']) {
      const data = read(`[${texts.join()},${number},{"\u0080${number}":1}]`) as unknown[];
      expect(data.slice(0, -2)).toEqual(JSON.parse(`[${texts.join()}]`));
      expect(data.at(-2)).toEqual(new LongNumber(number));
      expect(Object.keys(data.at(-1) as object)).toEqual([`\u0080${number}`]);
    }
    expect(parseJson(`[${texts.join()}]`).long).toBe(false);
  });

  test('reads short numbers beside long ones that a later member has replaced', () => {
    expect(again('[{"a":{"n":9007199254740993},"a":{"n":9007199254740995}},{"n":1e16}]')).toBe(
      '[{"a":{"n":9007199254740995}},{"n":10000000000000000}]',
    );
    expect(again('["x, 10000000000000001 ,",1e16]')).toBe('["x, 10000000000000001 ,",10000000000000000]');
  });

  test('reads texts with very many escapes and digits', () => {
    const long = `"${'\\n\\"1234567890123456789, '.repeat(200_000)}"`;
    for (const number of ['-0', '9007199254740993', '1e-400']) {
      const [text, value] = read(`[${long},${number}]`) as [string, LongNumber];
      expect(text).toBe(JSON.parse(long));
      expect(value).toEqual(new LongNumber(number));
    }
  });

  test.each([
    '{',
    '[9007199254740993',
    '[01]',
    '[1e400,]',
    '"9007199254740993',
    '{"a":1, 9007199254740993 :2}',
    '[-9007199254740993-]',
  ])('refuses %s', (text) => {
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
    const part = fc.constantFrom(
      '"',
      '\\',
      '{',
      '}',
      '[',
      ',',
      ': ',
      '9007199254740993',
      '1e400',
      '-0',
      'é',
      ' ',
      '\u0080',
    );
    const words = fc.array(part, { maxLength: 8 }).map((parts) => parts.join(''));
    const name = fc.oneof(words, fc.constantFrom('a', 'b', '1', '10', '__proto__'));
    const { tree } = fc.letrec<{ tree: string; list: string; members: string }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        digits,
        words.map((each) => JSON.stringify(each)),
        words.map((each) => JSON.stringify(each).replaceAll('\u0080', '\\u0080')),
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

  test('keeps a quote and the mark at the end of a text beside long numbers', () => {
    const text = String.raw`{"a":"x\"\u0080","b":9007199254740993,"c":"\u0080"}`;
    const marked = JSON.stringify({ a: 'x"\u0080', b: 0, c: '\u0080' }).replace(':0', ':9007199254740993');
    expect(again(text)).toBe(marked);
  });
});

/** The numbers of a JSON text, found by a regular expression. */
function numbersIn(json: string): string[] {
  return [...json.matchAll(/"(?:[^"\\]|\\.)*"|(-?\d[\d.eE+-]*)/gs)].flatMap(([, number]) => number ?? []);
}
