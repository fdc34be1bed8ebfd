import fc from 'fast-check';
import { bigint, decimal, Model, plain } from 'repose';
import { expect, test } from 'vitest';

/** The value of a decimal text as an integer and a power of ten; undefined for any other text. */
function exactly(text: string): { digits: bigint; places: number } | undefined {
  const [, sign = '', whole = '', fraction = ''] = /^([+-]?)([0-9]+)(?:\.([0-9]+))?$/.exec(text) ?? [];
  if (whole === '') return undefined;
  const digits = BigInt(whole + fraction);
  return { digits: sign === '-' ? -digits : digits, places: fraction.length };
}
/** The shortest text of a number without an exponent. */
function shortest(number: number): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(number)) ?? [];
  const shift = Number(exponent);
  const all = whole + fraction;
  const point = whole.length + shift;
  if (shift >= 0) return `${sign}${all.slice(0, point).padEnd(point, '0')}.${all.slice(point) || '0'}`;
  return `${sign}0.${'0'.repeat(-point)}${all}`;
}
function isSameValue(text: string, number: number): boolean {
  const [a, b] = [exactly(text), Number.isFinite(number) ? exactly(shortest(number)) : undefined];
  if (!a || !b) return false;
  const places = BigInt(Math.max(a.places, b.places));
  const scaled = ({ digits, places: own }: { digits: bigint; places: number }) =>
    digits * 10n ** (places - BigInt(own));
  return scaled(a) === scaled(b);
}

const digits = fc.stringMatching(/^[0-9]{1,24}$/);
const texts = fc.oneof(
  fc.tuple(fc.constantFrom('', '+', '-'), digits).map(([sign, whole]) => sign + whole),
  fc
    .tuple(fc.constantFrom('', '+', '-'), fc.stringMatching(/^[0-9]{1,12}$/), digits)
    .map(([sign, whole, fraction]) => `${sign}${whole}.${fraction}`),
  fc.double({ noNaN: true }).map(String),
  fc.maxSafeInteger().map((number) => `0x${Math.abs(number).toString(16)}`),
  fc.string(),
  fc.constantFrom(
    '',
    ' ',
    '.',
    '-',
    '+',
    '1.',
    '.5',
    ' 7 ',
    '7\n',
    '1_000',
    '1,5',
    '٣',
    '1e5',
    '0b1',
    '0o7',
    '-0',
    '--1',
  ),
);

class Sample extends Model.define({
  fields: { id: 'int', int: 'int', number: 'number', decimal: decimal(), bigint: bigint() },
  proxy: { type: 'rest', url: '/samples', baseUrl: 'http://a.test', dialect: plain() },
}) {}
type Name = 'int' | 'number' | 'decimal' | 'bigint';

const expected: Record<Name, (text: string) => unknown> = {
  int: (text) => (/^[+-]?[0-9]+$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) + 0 : undefined),
  number: (text) => (isSameValue(text, Number(text)) ? Number(text) + 0 : undefined),
  decimal: (text) => (exactly(text) ? text : undefined),
  bigint: (text) => (exactly(text)?.places === 0 && !text.includes('.') ? exactly(text)?.digits : undefined),
};

test.each<Name>(['int', 'number', 'decimal', 'bigint'])(
  'a text becomes a value of the type %s if it is that decimal number in full, else an error',
  (name) => {
    fc.assert(
      fc.property(texts, (text) => {
        const value = expected[name](text);
        const set = Sample.fromRow({ id: 1 });
        set.set({ [name]: text });
        const received = Sample.fromRow({ id: 1, [name]: text });
        for (const record of [set, received]) {
          expect(record[name]).toBe(value ?? text);
          expect(record.$.errors[name] !== undefined).toBe(value === undefined);
        }
      }),
      { numRuns: 1500 },
    );
  },
);

test('a received text that is refused goes back as it came', async () => {
  const bodies: unknown[] = [];
  const fetch = async (_: unknown, { body }: RequestInit = {}) => {
    bodies.push(body);
    return new Response(null, { status: 204 });
  };
  const Whole = Sample.with({
    proxy: { actionMethods: { update: 'PUT' }, fetch: fetch as typeof globalThis.fetch },
  });
  const record = Whole.fromRow({ id: 1, number: '0x10', int: '1e3' });
  record.decimal = '1.0';
  await record.save();
  expect(bodies).toEqual(['{"id":1,"number":"0x10","int":"1e3","decimal":"1.0"}']);
  record.number = '9007199254740993' as never;
  await expect(record.save()).rejects.toMatchObject({ code: 'validation' });
  expect(bodies.length).toBe(1);
});
