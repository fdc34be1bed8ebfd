import fc from 'fast-check';
import { json, Model, Operation, type RestProxyConfig, Store } from 'repose';
import { describe, expect, test } from 'vitest';
import { MODEL } from '../../src/operation/operation-record.js';
import { hasLongNumber } from '../../src/reader/long-number.js';
import type { DigitPlace } from '../../src/reader/stream/digit-places.js';
import { keepDigits } from '../../src/reader/stream/keep-digits.js';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

const LONG = '9007199254740993';

class Line extends Model.define({ fields: { serial: 'bigint', count: 'int' } }) {}
const fields = {
  id: 'string',
  name: 'string',
  serial: { type: 'bigint', mapping: 'deep.serial', allowNull: true },
  price: 'decimal',
  int: 'int',
  number: 'number',
  any: json<unknown>(),
  tags: { type: 'string', mapping: 'tags[1]' },
  line: Line,
  lines: [Line],
} as const;
class Row extends Model.define({ fields, proxy: server.proxy('/rows') }) {}
const withReader = (reader: RestProxyConfig['reader'] & object) =>
  Row.with({ proxy: server.proxy('/rows', { reader }) });

const BODY = `{
  "id": ${LONG}, "name": "a \\"id\\": ${LONG}", "deep": { "serial": -1${LONG}, "id": ${LONG} }, "price": 12345678901234567.10,
  "int": ${LONG}, "number": ${LONG}, "any": { "id": ${LONG} }, "tags": [${LONG}, ${LONG}],
  "line": { "serial": ${LONG}, "count": ${LONG} }, "lines": [{ "serial": 1 }, { "serial": ${LONG} }]
}`;
const LOST = Number(LONG);
const VALUES = {
  id: LONG,
  name: `a "id": ${LONG}`,
  serial: -19007199254740993n,
  price: '12345678901234567.10',
  int: LOST,
  number: LOST,
  any: { id: LOST },
  tags: LONG,
};

/** The values that every way of reading must come to. */
function check(row: Row) {
  const { line, lines } = row;
  expect(Object.fromEntries(Object.keys(VALUES).map((name) => [name, row[name as 'id']]))).toEqual(VALUES);
  expect([line.serial, line.count]).toEqual([BigInt(LONG), LOST]);
  expect(lines.map(({ serial }) => serial)).toEqual([1n, BigInt(LONG)]);
}

describe('numbers beyond the safe integers', () => {
  test('keep their digits in fields for text, bigints and decimals, and nowhere else', async () => {
    server.reply({ text: BODY, headers: { 'Content-Type': 'application/json' } });
    check(await Row.load(LONG));
  });

  test('address the record that they name', async () => {
    server.reply({ text: BODY }, { text: BODY });
    const row = await Row.load(LONG);
    await row.$.reload();
    expect(server.lines).toEqual([`GET /rows/${LONG}`, `GET /rows/${LONG}`]);
  });

  test.each<[string, RestProxyConfig['reader'] & object, string]>([
    ['an array', {}, `[${BODY}]`],
    ['a path', { rootProperty: 'a.rows', record: 'node' }, `{"total":${LONG},"a":{"rows":[{"node":${BODY}}]}}`],
    ['an array in spite of a path', { rootProperty: 'rows' }, `[${BODY}]`],
    ['a stream', { rootProperty: 'a.rows', record: 'node', stream: true }, `{"a":{"rows":[{"node":${BODY}}]}}`],
    ['lines', { type: 'ndjson' }, BODY.replaceAll('\n', ' ')],
    ['one row instead of a list', { rootProperty: 'row', stream: true }, `{"row":${BODY}}`],
  ])('keep them in %s', async (_, reader, text) => {
    const model = withReader(reader);
    server.always(() => ({ text }));
    const store = new Store({ model, pageSize: 0 });
    await store.load();
    expect(store.count).toBe(1);
    check(store.getAt(0) as Row);
    const handed: object[] = [];
    const onRows = (rows: readonly object[]) => void handed.push(...rows);
    const { rows } = await model.proxy.read(new Operation({ action: 'read', model: new model()[MODEL], onRows }));
    check(model.fromRow([...handed, ...rows][0] as object));
  });

  test('leave everything as it was where a body is reshaped', async () => {
    const model = withReader({ transform: (body) => body });
    server.reply({ text: `[{"id":${LONG}}]` });
    const store = new Store({ model, pageSize: 0 });
    await store.load();
    expect(store.getAt(0)?.id).toBe(String(LOST));
  });

  test('travel back as text', async () => {
    server.reply({ text: `{"id":1,"deep":{"serial":${LONG}}}` }, { status: 204 });
    const row = await Row.load(1);
    row.name = 'new';
    await row.save();
    expect(server.last.body).toEqual({ id: 1, name: 'new', deep: { serial: LONG } });
  });

  test('are the only ones that change, in any JSON', () => {
    const number = fc.oneof(
      fc.bigInt().map(String),
      fc.tuple(fc.bigInt({ min: 0n }), fc.nat()).map(([a, b]) => `${a}.${b}`),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((each) => JSON.stringify(each)),
      fc.integer().map(String),
    );
    const text = fc.string({ unit: fc.constantFrom('"', '\\', '{', '}', '[', ',', ':', '1234567890123456', 'é') });
    const { tree } = fc.letrec<{ tree: string; list: string; members: string }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 3 },
        number,
        text.map((each) => JSON.stringify(each)),
        tie('list'),
        tie('members'),
      ),
      list: fc.array(tie('tree'), { maxLength: 4 }).map((items) => `[${items.join(' , ')}]`),
      members: fc
        .array(fc.tuple(fc.oneof(text, fc.constantFrom('a', 'b')), tie('tree')), { maxLength: 4 })
        .map((all) => `{${all.map(([name, value]) => `${JSON.stringify(name)} :${value}`).join(',')}}`),
    }));
    const place = (): DigitPlace => ({ keeps: false, inside: new Map(), items: undefined });
    const everywhere = Object.assign(place(), { keeps: true });
    everywhere.items = everywhere;
    everywhere.inside.get = () => everywhere;
    fc.assert(
      fc.property(tree, (json) => {
        expect(keepDigits(json, place())).toBe(json);
        // A text that became one reads as the number that it was, and no digit is lost.
        const seen: string[] = [];
        const kept = keepDigits(json, everywhere);
        JSON.parse(kept, (_, value: unknown) => {
          if (typeof value === 'number' && Number.isInteger(value) && Math.abs(value) < 1e21) seen.push(String(value));
          return value;
        });
        for (const each of seen) expect(json).toContain(each);
        expect(kept.replaceAll('"', '')).toBe(json.replaceAll('"', ''));
      }),
    );
  });
});

describe('hasLongNumber', () => {
  test('finds every run of sixteen digits and points', () => {
    const unit = fc.constantFrom('1', '9', '0', '.', '1', '2', 'x', '"');
    const text = fc.oneof(
      fc.string({ unit, maxLength: 80 }),
      fc
        .tuple(fc.string({ maxLength: 40 }), fc.integer({ min: 10, max: 22 }), fc.string({ maxLength: 40 }))
        .map(([before, count, behind]) => before + '7'.repeat(count) + behind),
    );
    fc.assert(
      fc.property(text, (each) => {
        expect(hasLongNumber(each)).toBe(/[\d.]{16}/.test(each));
      }),
    );
  });
});
