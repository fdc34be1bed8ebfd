import { bigint, decimal, LongNumber, Model } from 'repose';
import { describe, expect, test } from 'vitest';
import { compareDecimals } from '../../src/model/decimals.js';
import { inner } from '../../src/model/record.js';
import { MODEL } from '../../src/operation/operation-record.js';
import { stringifyJson } from '../../src/util/json.js';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

class Sample extends Model.define({
  name: 'sample',
  fields: {
    id: 'int',
    auto: 'auto',
    string: 'string',
    int: 'int',
    number: 'number',
    boolean: 'boolean',
    date: 'date',
    dateonly: 'dateonly',
    decimal: decimal(),
    bigint: bigint(),
    json: 'json',
  },
  proxy: server.proxy('/samples'),
}) {}
type Name = Exclude<keyof Sample['$']['data'], 'id'>;

/** Received values with the values read from them; `refused` values are shown as received. */
const READ: Record<Name, { read: [received: unknown, value: unknown][]; refused: unknown[] }> = {
  auto: {
    read: [
      [1, 1],
      [{ a: [1] }, { a: [1] }],
    ],
    refused: [],
  },
  json: { read: [[{ a: null }, { a: null }]], refused: [] },
  string: {
    read: [
      ['', ''],
      ['a', 'a'],
      [5, '5'],
      [true, 'true'],
    ],
    refused: [{}, ['a']],
  },
  int: {
    read: [
      [5, 5],
      ['5', 5],
      ['+5', 5],
      ['-007', -7],
      [0, 0],
    ],
    refused: [5.5, '5.5', '', ' ', '0x10', '1e3', '9007199254740993', true, [5], ['5'], {}],
  },
  number: {
    read: [
      [5.5, 5.5],
      ['5.5', 5.5],
      ['1.50', 1.5],
      ['+007.0', 7],
      ['-0', 0],
    ],
    refused: [
      '',
      ' ',
      ' 7 ',
      '1e3',
      '0x10',
      '0b11',
      '0o17',
      '9007199254740993',
      '0.1234567890123456789',
      '1.',
      '.5',
      '1,5',
      'NaN',
      'Infinity',
      '-Infinity',
      true,
      [5],
      {},
    ],
  },
  boolean: {
    read: [
      [true, true],
      [false, false],
      [1, true],
      [0, false],
      ['1', true],
      ['0', false],
      ['true', true],
      ['false', false],
    ],
    refused: ['', 'yes', 2, -1, [1], ['true'], {}],
  },
  date: {
    read: [
      ['2026-11-21T10:00:00Z', new Date(Date.UTC(2026, 10, 21, 10))],
      ['2026-11-21T10:00:00.123456Z', new Date(Date.UTC(2026, 10, 21, 10, 0, 0, 123))],
      ['2026-11-21T10:00:00,5Z', new Date(Date.UTC(2026, 10, 21, 10, 0, 0, 500))],
      ['2026-11-21T12:00:00+02:00', new Date(Date.UTC(2026, 10, 21, 10))],
      ['2026-11-21T12:00:00+0200', new Date(Date.UTC(2026, 10, 21, 10))],
      ['2026-11-21 10:00:00Z', new Date(Date.UTC(2026, 10, 21, 10))],
      ['2026-11-21', new Date(Date.UTC(2026, 10, 21))],
      ['2026-11', new Date(Date.UTC(2026, 10, 1))],
      ['2024-02-29', new Date(Date.UTC(2024, 1, 29))],
      ['2026-12-31T23:30:00-02:00', new Date(Date.UTC(2027, 0, 1, 1, 30))],
      ['+012026-11-21T10:00:00Z', new Date(Date.UTC(12026, 10, 21, 10))],
      [0, new Date(0)],
      [1_795_255_200_000, new Date(1_795_255_200_000)],
    ],
    refused: [
      ...['', 'tomorrow', '21.11.2026', '11/21/2026', '5', '2026-13-01', '2026-11-21T25:00Z', 9e15, true, {}],
      ...['2024-02-30', '2026-02-29T10:00:00Z', '2026-04-31T10:00:00+02:00'],
    ],
  },
  dateonly: {
    read: [
      ['2026-11-21', '2026-11-21'],
      ['2024-02-29', '2024-02-29'],
      ['0001-01-01', '0001-01-01'],
    ],
    refused: ['2026-02-29', '2026-13-01', '2026-00-10', '2026-11-21T00:00:00Z', '21.11.2026', '', 20_261_121, {}],
  },
  decimal: {
    read: [
      ['10.50', '10.50'],
      ['-0.10', '-0.10'],
      ['123456789012345678901234567890.123456789', '123456789012345678901234567890.123456789'],
      [10.5, '10.5'],
      [-3, '-3'],
    ],
    refused: ['', '1e5', '1.', '.5', '1,5', 1e21, 1e-7, true, {}],
  },
  bigint: {
    read: [
      ['9007199254740993', 9007199254740993n],
      ['-5', -5n],
      [5, 5n],
    ],
    refused: ['', '5.5', '0x10', 5.5, 2 ** 60, true, {}],
  },
};
const NAMES = Object.keys(READ) as Name[];

describe.each(NAMES)('%s', (name) => {
  const { read, refused } = READ[name];

  test('reads valid values', () => {
    for (const [received, value] of read) {
      const record = Sample.fromRow({ id: 1, [name]: received });
      expect([received, record[name]]).toEqual([received, value]);
      expect(record[name]).toEqual(value);
      expect(record.$.errors).toEqual({});
    }
  });

  test('shows an invalid value as received, with an issue, and sends it back unchanged', async () => {
    for (const received of refused) {
      const record = Sample.fromRow({ id: 1, [name]: received });
      expect(record[name]).toEqual(received);
      expect([received, record.$.errors[name]?.map(({ code, params }) => [code, params])]).toEqual([
        received,
        [['type', { type: name }]],
      ]);
      server.reply({ status: 204 });
      await record.save();
      expect(server.last.body).toEqual({ id: 1, [name]: received });
    }
  });

  test('refuses invalid values that were set, before a save', async () => {
    for (const given of refused) {
      const record = Sample.fromRow({ id: 1 });
      record.set(name, given as never);
      await expect(record.save()).rejects.toMatchObject({ issues: [{ path: [name], code: 'type' }] });
    }
    expect(server.requests).toEqual([]);
  });

  test('keeps an invalid value as it was set, also after a commit', async () => {
    for (const given of refused) {
      const record = Sample.fromRow({ id: 1, [name]: 0 });
      record.set(name, given as never);
      record.commit();
      expect(record[name]).toEqual(given);
      server.reply({ status: 204 });
      await record.save();
      expect(server.last.body).toEqual({ id: 1, [name]: given });
    }
  });

  test('reads null and missing members', () => {
    expect(Sample.fromRow({ id: 1, [name]: null })[name]).toBeNull();
    expect(Sample.fromRow({ id: 1 })[name]).toBeUndefined();
    expect(Sample.fromRow({ id: 1, [name]: null }).$.errors[name]?.[0]?.code).toBe('required');
    expect(Sample.fromRow({ id: 1 }).$.errors).toEqual({});
  });
});

describe('the value that a field sends', () => {
  const at = new Date(Date.UTC(2026, 10, 21, 10));
  test.each<[name: Name, received: unknown, value: unknown, written: unknown]>([
    ['string', 'a', 'b', 'b'],
    ['int', '007', 8, 8],
    ['boolean', 1, false, false],
    ['date', '2026-01-01T00:00:00+02:00', at, '2026-11-21T10:00:00.000Z'],
    ['date', 5, at, at.getTime()],
    ['date', null, at, '2026-11-21T10:00:00.000Z'],
    ['dateonly', '2026-01-01', '2026-11-21', '2026-11-21'],
    ['decimal', '1.00', '2.50', '2.50'],
    ['decimal', 1, '2.5', 2.5],
    ['decimal', 1, '0.1234567890123456789', new LongNumber('0.1234567890123456789')],
    ['bigint', '1', 9007199254740993n, '9007199254740993'],
    ['bigint', 1, 2n, 2],
    ['bigint', 1, 9007199254740993n, new LongNumber('9007199254740993')],
    ['json', { a: 1 }, { b: [null] }, { b: [null] }],
  ])('%s %o, set to %o: %o', async (name, received, value, written) => {
    const record = Sample.fromRow({ id: 1, [name]: received });
    record.set(name, value as never);
    server.reply({ status: 204 }, { status: 204 });
    await record.save();
    const body = stringifyJson({ id: 1, [name]: written });
    expect(server.last.text).toBe(body);
    expect([record[name], record.dirty]).toEqual([value, false]);
    await record.save();
    expect(server.last.text).toBe(body);
  });

  test.each<[name: Name, value: unknown, written: unknown]>([
    ['date', at, '2026-11-21T10:00:00.000Z'],
    ['decimal', '2.50', '2.50'],
    ['bigint', 5n, '5'],
    ['string', '', ''],
  ])('for a new record: %s %o is sent as %o', async (name, value, written) => {
    server.reply({ status: 201, json: { id: 1 } });
    const record = new Sample({ [name]: value });
    expect(record[name]).toEqual(value);
    await record.save();
    expect(server.last.body).toEqual({ [name]: written });
    expect(record[name]).toEqual(value);
  });
});

test.each([Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN])(
  'the number %d is refused, because JSON would make it null',
  async (number) => {
    const record = Sample.fromRow({ id: 1, number: 1 });
    record.number = number;
    await expect(record.save()).rejects.toMatchObject({ code: 'validation' });
  },
);

test('a decimal received as a number is sent as a number, unless digits would be lost', async () => {
  const record = Sample.fromRow({ id: 1, decimal: 1 });
  record.decimal = '2.50';
  server.reply({ status: 204 });
  await record.save();
  expect([server.last.body.decimal, record.decimal, record.dirty]).toEqual([2.5, '2.5', false]);
});

test('an invalid date is refused', async () => {
  const record = Sample.fromRow({ id: 1 });
  record.date = new Date(Number.NaN);
  await expect(record.save()).rejects.toMatchObject({ code: 'validation' });
});

test('a record with every kind of value can be turned into JSON', () => {
  const record = Sample.fromRow({ id: 1, bigint: '9007199254740993', decimal: '1.0', date: 0 });
  expect(JSON.parse(JSON.stringify(record))).toEqual({
    id: 1,
    bigint: '9007199254740993',
    decimal: '1.0',
    date: '1970-01-01T00:00:00.000Z',
  });
});

describe('the order of decimals', () => {
  test.each([
    ['10', '9', 1],
    ['1.10', '1.1', 0],
    ['0.30', '0.3000000000000000000001', -1],
    ['-2', '1', -1],
    ['-2', '-10', 1],
    ['+5', '5', 0],
    ['-0', '0.00', 0],
    ['007', '7', 0],
    ['123456789012345678901234567891', '123456789012345678901234567890', 1],
  ])('%s and %s', (a, b, order) => {
    expect(Math.sign(compareDecimals(a, b))).toBe(order);
    expect(Math.sign(compareDecimals(b, a))).toBe(order === 0 ? 0 : -order);
    expect(inner(new Sample())[MODEL].field('decimal')?.compare).toBe(compareDecimals);
  });
});
