import {
  bigint,
  decimal,
  embed,
  json,
  LongNumber,
  Model,
  Operation,
  type RestProxyConfig,
  Store,
  streaming,
} from 'repose';
import { describe, expect, test } from 'vitest';
import { MODEL } from '../../src/operation/operation-record.js';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

const LONG = '9007199254740993';

class Line extends Model.define({ fields: { serial: bigint(), count: 'int' } }) {}
const fields = {
  id: 'string',
  name: 'string',
  serial: bigint({ mapping: 'deep.serial', allowNull: true }),
  price: decimal(),
  int: 'int',
  number: 'number',
  any: json<unknown>(),
  tags: { type: 'string', mapping: 'tags[1]' },
  line: embed(Line),
  lines: embed([Line]),
} as const;
class Row extends Model.define({ fields, proxy: server.proxy('/rows') }) {}
const withReader = (reader: RestProxyConfig['reader'] & object) =>
  Row.with({ proxy: server.proxy('/rows', { reader, use: [streaming()] }) });

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

/** The values that each way of reading must give. */
function check(row: Row) {
  const { line, lines } = row;
  expect(Object.fromEntries(Object.keys(VALUES).map((name) => [name, row[name as 'id']]))).toEqual(VALUES);
  expect([line.serial, line.count]).toEqual([BigInt(LONG), LOST]);
  expect(lines.map(({ serial }) => serial)).toEqual([1n, BigInt(LONG)]);
}

describe('numbers beyond the safe integers', () => {
  test('keep their digits in fields for texts, bigints and decimals only', async () => {
    server.reply({ text: BODY, headers: { 'Content-Type': 'application/json' } });
    check(await Row.load(LONG));
  });

  test('are exact in the address of their record', async () => {
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
  ])('keep their digits in %s', async (_, reader, text) => {
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

  test('keep their digits if `transform` changes the body, and are instances of LongNumber there', async () => {
    const seen: string[] = [];
    const model = withReader({
      transform: (body) => {
        const rows = (body as { rows: { id: LongNumber; deep: object }[] }).rows;
        for (const { id } of rows) seen.push(`${id instanceof LongNumber} ${id} ${Number(id)} ${JSON.stringify(id)}`);
        return rows.map((row) => ({ ...row, name: 'new' }));
      },
    });
    server.reply({ text: `{"rows":[{"id":${LONG},"deep":{"serial":${LONG}}}]}` });
    const store = new Store({ model, pageSize: 0 });
    await store.load();
    expect(seen).toEqual([`true ${LONG} ${LOST} ${LOST}`]);
    expect(store.getAt(0)).toMatchObject({ id: LONG, serial: BigInt(LONG), name: 'new' });
  });

  test('are sent back as they were received', async () => {
    server.reply({ text: `{"id":1,"deep":{"serial":${LONG}},"price":"1.50","x":[${LONG}]}` }, { status: 204 });
    const row = await Row.load(1);
    row.name = 'new';
    await row.save();
    expect(server.last.text).toBe(`{"id":1,"deep":{"serial":${LONG}},"price":"1.50","x":[${LONG}],"name":"new"}`);
  });
});
