import fc from 'fast-check';
import {
  bigint,
  ConflictError,
  conflicts,
  copyOf,
  decimal,
  embed,
  json,
  LongNumber,
  Model,
  plain,
  reference,
  Store,
  streaming,
  sync,
} from 'repose';
import { memoryStorage } from 'repose/outbox';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';
import { openOutbox } from '../outbox/open-outbox.js';

const server = useRestServer();

const proxy = server.proxy('/rows', { dialect: plain(), use: [conflicts()], actionMethods: { update: 'PUT' } });
class Inside extends Model.define({ fields: { id: 'int', serial: bigint(), n: 'number', text: 'string' } }) {}
class Row extends Model.define({
  name: 'row',
  fields: {
    id: 'int',
    name: 'string',
    int: 'int',
    number: 'number',
    big: bigint(),
    price: decimal(),
    j: json<{ name?: string; n?: unknown; list?: unknown[] }>(),
    inside: embed(Inside),
    insides: embed([Inside]),
  },
  proxy,
}) {}

const A = '9007199254740993';
const B = '12345678901234567890';
const NEAR_A = 9007199254740992;
const NEAR_B = 12345678901234567000;
/** Unedited members with every kind of number that JavaScript cannot hold. */
const OTHERS = `"x":${B},"exp":1e400,"f":0.1234567890123456789,"deep":{"list":[[${A}],-0]},"s":"n: ${A}, ${B}"`;

async function load(row: string, Class: typeof Row = Row): Promise<Row> {
  server.reply({ text: row });
  return await Class.load(1);
}
/** Saves, and returns the body that was sent. */
async function sentBy(row: { save(): Promise<unknown> }): Promise<string> {
  server.reply({ status: 204 });
  await row.save();
  return server.last.text;
}

describe('numbers that JavaScript cannot hold', () => {
  test('are sent back digit by digit if they were not edited', async () => {
    const text = `{"id":1,"name":"old","int":${A},"number":0.1234567890123456789,"big":${B},"price":1e400,"j":{"n":[${A}]},${OTHERS}}`;
    const row = await load(text);
    row.name = 'new';
    expect(await sentBy(row)).toBe(text.replace('old', 'new'));
    row.name = 'newer';
    expect(await sentBy(row)).toBe(text.replace('old', 'newer'));
  });

  test('are sent back digit by digit from rows of lists, streams and lines of JSON', async () => {
    const rows = [`{"id":1,"name":"a",${OTHERS}}`, `{"id":2,"name":"b",${OTHERS}}`];
    const readers = [
      [{}, `[${rows.join()}]`],
      [{ stream: true, rootProperty: 'data' }, `{"total":2,"data":[${rows.join()}]}`],
      [{ type: 'ndjson' }, rows.join('\n')],
    ] as const;
    for (const [reader, text] of readers) {
      const store = new Store({ model: Row.with({ proxy: { ...proxy, reader, use: [streaming()] } }), pageSize: 0 });
      server.reply({ text });
      await store.load();
      (store.getById(2) as Row).name = 'new';
      server.reply({ status: 204 });
      await store.sync();
      expect(server.last.text).toBe(`{"id":2,"name":"new",${OTHERS}}`);
    }
  });

  test('are shown as the nearest number in getters, data, JSON, previous values and snapshots', async () => {
    const row = await load(`{"id":1,"int":${A},"number":${B},"j":{"n":${A},"list":[1,${B}]},"inside":{"n":${A}}}`);
    const j = { n: NEAR_A, list: [1, NEAR_B] };
    expect([row.int, row.number, row.j, row.inside.n]).toEqual([NEAR_A, NEAR_B, j, NEAR_A]);
    expect(row.$.data).toMatchObject({ int: NEAR_A, number: NEAR_B, j });
    expect(JSON.parse(JSON.stringify(row))).toMatchObject({ int: NEAR_A, number: NEAR_B, j });
    expect(row.j).toBe(row.j);
    row.set({ int: 1, number: 2, j: { name: 'x' } });
    expect(row.$.previousValues).toEqual({ int: NEAR_A, number: NEAR_B, j });
    row.reject();
    row.set('j.name', 'x');
    expect(row.j).toEqual({ ...j, name: 'x' });
    expect(row.j).toBe(row.j);
    expect(row.$.modified).toEqual({ j: { ...j, name: 'x' } });
  });

  test('are exact in bigint and decimal fields, and are sent back as numbers or texts, as received', async () => {
    const row = await load(`{"id":1,"big":${A},"price":12345678901234567.10}`);
    expect([row.big, row.price]).toEqual([BigInt(A), '12345678901234567.10']);
    row.set({ big: BigInt(A) + 2n, price: '0.12345678901234567891' });
    expect(await sentBy(row)).toBe('{"id":1,"big":9007199254740995,"price":0.12345678901234567891}');
    row.set({ big: 7n, price: '+007.50' });
    expect(await sentBy(row)).toBe('{"id":1,"big":7,"price":7.5}');
    const texts = await load(`{"id":1,"big":"${A}","price":"1.10"}`);
    texts.set({ big: BigInt(B), price: '2.20' });
    expect(await sentBy(texts)).toBe(`{"id":1,"big":"${B}","price":"2.20"}`);
  });

  test('are compared by every digit when they are edited', async () => {
    const row = await load(`{"id":1,"big":${A},"price":0.10000000000000000555,"number":0.10000000000000000555}`);
    row.set({ big: 9007199254740992n, price: '0.1' });
    expect(row.dirty).toBe(true);
    expect(await sentBy(row)).toBe('{"id":1,"big":9007199254740992,"price":0.1,"number":0.10000000000000000555}');
    // The getter shows the nearest number, so setting that changes nothing.
    row.number = 0.1;
    expect(row.dirty).toBe(false);
    row.number = 5;
    row.number = 0.1;
    expect(row.dirty).toBe(false);
  });

  test('are an issue of an int field in `$.errors`, and can be saved all the same', async () => {
    const row = await load(`{"id":1,"int":${A},"number":${A},"name":"old"}`);
    expect(Object.keys(row.$.errors)).toEqual(['int']);
    expect(row.$.errors['int' as never]).toMatchObject([{ code: 'type' }]);
    const held = await load(`{"id":1,"int":9007199254740992}`);
    expect([held.int, held.$.errors]).toEqual([NEAR_A, {}]);
    row.name = 'new';
    expect(await sentBy(row)).toBe(`{"id":1,"int":${A},"number":${A},"name":"new"}`);
  });

  test('keep their digits beside an edit by path, and in a new value made from the old one', async () => {
    const row = await load(`{"id":1,"j":{"name":"old","n":${A},"list":[{"n":${B}},{"n":${A}},${A}]}}`);
    row.set('j.name', 'new');
    row.set('j.list[0].more' as never, true as never);
    expect(await sentBy(row)).toBe(
      `{"id":1,"j":{"name":"new","n":${A},"list":[{"n":${B},"more":true},{"n":${A}},${A}]}}`,
    );
    // Without its first item, the others are recognised by their numbers.
    row.j = { ...row.j, list: (row.j.list as unknown[]).slice(1) };
    expect(await sentBy(row)).toBe(`{"id":1,"j":{"name":"new","n":${A},"list":[{"n":${A}},${A}]}}`);
    row.j = { list: [NEAR_B, 9007199254740994] };
    expect(await sentBy(row)).toBe('{"id":1,"j":{"list":[12345678901234567000,9007199254740994]}}');
  });

  test('keep their item when a list is sorted, shortened or edited, also next to one with the same nearest number', async () => {
    const [first, second] = ['1541815603606036480', '1541815603606036481'];
    const [one, two] = [`{"p":${first},"q":1}`, `{"p":${second},"q":2}`];
    const edit = async (change: (items: { p: number; q: number }[]) => unknown[]): Promise<string> => {
      const row = await load(`{"id":1,"j":{"list":[${one},${two}]}}`);
      row.j = { list: change(row.j.list as { p: number; q: number }[]) };
      return (await sentBy(row)).replace(/^.*"list":(.*)\}\}$/, '$1');
    };
    expect(await edit((items) => [...items].reverse())).toBe(`[${two},${one}]`);
    expect(await edit((items) => items.slice(1))).toBe(`[${two}]`);
    expect(await edit((items) => items.slice(0, 1))).toBe(`[${one}]`);
    expect(await edit(([a, b]) => [a, { ...b, q: 5 }])).toBe(`[${one},{"p":${second},"q":5}]`);
    expect(await edit(([a, b]) => [{ ...b, q: 5 }, a])).toBe(`[{"p":${second},"q":5},${one}]`);
    expect(await edit(([a, b]) => [{ q: 0 }, b, a])).toBe(`[{"q":0},${two},${one}]`);
  });

  test('keep their digits in a value edited before a read or during a save', async () => {
    const row = await load(`{"id":1,"name":"a","j":{"n":${A}}}`);
    row.set('j.name', 'mine');
    server.reply({ text: `{"id":1,"name":"b","j":{"n":${B}}}` });
    await row.load();
    // Somebody else has another value in the edited field.
    const conflict = await row.save().catch((error: ConflictError) => error);
    expect(conflict).toMatchObject({ code: 'conflict' });
    const held = server.hold();
    const saved = (conflict as ConflictError).keepMine();
    await held.request;
    row.set('j.list', []);
    held.answer({ text: `{"id":1,"name":"c","j":{"name":"mine","n":${A}}}` });
    await saved;
    expect(server.last.text).toBe(`{"id":1,"name":"b","j":{"n":${A},"name":"mine"}}`);
    expect(await sentBy(row)).toBe(`{"id":1,"name":"c","j":{"n":${A},"name":"mine","list":[]}}`);
    expect(row.dirty).toBe(false);
  });

  test('keep their digits in embedded records', async () => {
    const inside = `{"id":${A},"serial":${A},"n":${B},"text":"old","y":1e400}`;
    const row = await load(`{"id":1,"inside":${inside},"insides":[${inside},{"serial":${B}}]}`);
    expect([row.inside.serial, row.inside.n, row.insides[1]?.serial]).toEqual([BigInt(A), NEAR_B, BigInt(B)]);
    row.inside.text = 'new';
    (row.insides[1] as Inside).text = 'new';
    expect(await sentBy(row)).toBe(
      `{"id":1,"inside":${inside.replace('old', 'new')},"insides":[${inside},{"serial":${B},"text":"new"}]}`,
    );
    expect(row.dirty).toBe(false);
  });

  test('keep their digits over copy(), commit() and a failed save', async () => {
    const row = await load(
      `{"id":1,"int":${A},"number":0.1234567890123456789,"big":${B},"price":${B}.5,"j":{"n":${A}}}`,
    );
    row.set('j.name', 'x');
    row.commit();
    server.reply({ status: 500 }, { status: 204 });
    row.name = 'new';
    await row.save().catch(() => undefined);
    await row.save();
    const values = `"int":${A},"number":0.1234567890123456789,"big":${B},"price":${B}.5,"j":{"n":${A},"name":"x"}`;
    expect(server.last.text).toBe(`{"id":1,${values},"name":"new"}`);
    server.reply({ status: 201, text: `{"id":2}` });
    const copy = copyOf(row);
    expect(copy.$.data).toMatchObject({ int: NEAR_A, big: BigInt(B), j: { n: NEAR_A, name: 'x' } });
    await copy.save();
    const created = JSON.parse(server.last.text.replace(/:(-?[\d.]{16,})/g, ':"$1"')) as object;
    expect(created).toEqual({
      ...{ name: 'new', int: A, number: '0.1234567890123456789', big: B, price: `${B}.5` },
      j: { n: A, name: 'x' },
    });
  });

  test('keep their digits in a PATCH, in bulk writes and from replies', async () => {
    const Patched = Row.with({ proxy: { ...proxy, actionMethods: { update: 'PATCH' }, batchActions: true } });
    const store = new Store({ model: Patched, pageSize: 0 });
    server.reply({ text: `[{"id":${A},"j":{"n":${B}}},{"id":2,"j":{"n":${A}}}]` });
    await store.load();
    for (const row of store) row.set('j.name', 'x');
    server.reply({ text: `[{"id":2,"j":{"n":${A},"name":"x"}},{"id":${A},"int":${B},"j":{"n":${B},"name":"x"}}]` });
    const { outcomes } = await store.sync();
    expect(outcomes.map(({ error }) => error)).toEqual([undefined, undefined]);
    expect(server.last.text).toBe(`[{"j":{"n":${B},"name":"x"},"id":${A}},{"j":{"n":${A},"name":"x"},"id":2}]`);
    const [first] = store;
    expect((first as Row).int).toBe(NEAR_B);
    (first as Row).name = 'y';
    server.reply({ status: 204 });
    await store.sync();
    expect(server.lines.at(-1)).toBe(`PATCH /rows/${A}`);
  });

  test('keep their digits in the rows of a conflict, and when it is decided', async () => {
    const row = await load(`{"id":1,"name":"a","version":${A},"j":{"n":${A}}}`);
    row.name = 'mine';
    server.reply({ status: 412, text: `{"id":1,"name":"theirs","version":${B},"j":{"n":${A}}}` });
    const error = (await row.save().catch((each: unknown) => each)) as ConflictError;
    expect(error).toBeInstanceOf(ConflictError);
    expect(error.theirs).toEqual({ id: 1, name: 'theirs', version: NEAR_B, j: { n: NEAR_A } });
    expect(error.base).toEqual({ id: 1, name: 'a', version: NEAR_A, j: { n: NEAR_A } });
    expect(error.mine).toEqual({ id: 1, name: 'mine', version: NEAR_A, j: { n: NEAR_A } });
    expect(error.body).toEqual(error.theirs);
    server.reply({ status: 204 });
    await error.keepMine();
    expect(server.last.text).toBe(`{"id":1,"name":"mine","version":${B},"j":{"n":${A}}}`);
  });

  test('keep their digits in the conflict of one entry of a bulk write', async () => {
    const Bulk = Row.with({ proxy: { ...proxy, batchActions: true } });
    const store = new Store({ model: Bulk, pageSize: 0 });
    server.reply({ text: `[{"id":1,"x":${A}},{"id":2,"x":${A}}]` });
    await store.load();
    for (const row of store) row.name = 'mine';
    const conflict = `{"id":2,"status":412,"body":{"id":2,"name":"theirs","x":${B}}}`;
    server.reply({ status: 207, text: `[{"id":1,"status":204},${conflict}]` });
    const { outcomes } = await store.sync();
    const error = outcomes[1]?.error as ConflictError;
    expect([error.theirs, error.body]).toEqual(Array(2).fill({ id: 2, name: 'theirs', x: NEAR_B }));
    server.reply({ status: 204 });
    await error.keepMine();
    expect(server.last.text).toBe(`{"id":2,"name":"mine","x":${B}}`);
  });

  test('are passed to functions of the application as numbers, but are exact inside rows', async () => {
    const seen: unknown[] = [];
    const see = (raw: unknown) => {
      seen.push(raw);
      return raw;
    };
    const Own = Model.define({
      fields: {
        id: 'int',
        n: { type: 'number', convert: see },
        b: bigint({ convert: see }),
        half: { type: 'number', mapping: (row) => Number(row['n']) / 2 },
        text: { type: 'string', mapping: (row) => `#${String(row['n'])}` },
        exact: bigint({ mapping: (row) => row['n'] }),
        tree: { type: 'json', serialize: (value: object) => ({ ...value, sent: true }) },
      },
      proxy,
    });
    const row = await load(`{"id":1,"n":${A},"b":${B},"tree":{"n":${A}}}`, Own as never);
    const own = row as unknown as InstanceType<typeof Own>;
    expect([own.n, own.b, own.half]).toEqual([NEAR_A, BigInt(B), NEAR_A / 2]);
    expect([own.text, own.exact]).toEqual([`#${A}`, BigInt(A)]);
    expect(seen).toEqual([NEAR_A, B]);
    own.tree = { ...(own.tree as object), more: 1 };
    expect(await sentBy(own)).toBe(`{"id":1,"n":${A},"b":${B},"tree":{"n":${A},"more":1,"sent":true}}`);
  });

  test('can be set as instances of LongNumber', () => {
    const row = new Row({ number: new LongNumber(A) as never, big: new LongNumber(B) as never });
    expect([row.number, row.big]).toEqual([NEAR_A, BigInt(B)]);
  });

  test('are never confused with an object that the server sent', async () => {
    const text = `{"id":1,"name":"a","j":{"digits":"${A}","__proto__":{"n":${A}}},"x":{"digits":"1"}}`;
    const row = await load(text);
    row.name = 'new';
    expect(await sentBy(row)).toBe(text.replace('"a"', '"new"'));
    expect(Object.keys(row.j)).toEqual(['digits', '__proto__']);
    expect(({} as { n?: unknown }).n).toBeUndefined();
  });

  test('are sent back unchanged beside an edit, in any row', async () => {
    const number = fc.oneof(
      fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }).map(String),
      fc
        .tuple(fc.bigInt({ min: 0n, max: 10n ** 20n }), fc.bigInt({ min: 1n, max: 10n ** 25n }))
        .map(([a, b]) => `${a}.${b}`),
      fc.tuple(fc.integer(), fc.integer({ min: -450, max: 450 })).map(([a, b]) => `${a}e${b}`),
      fc.integer().map(String),
    );
    const { tree } = fc.letrec<{ tree: string; list: string; members: string }>((tie) => ({
      tree: fc.oneof({ maxDepth: 3 }, number, tie('list'), tie('members')),
      list: fc.array(tie('tree'), { maxLength: 4 }).map((items) => `[${items.join()}]`),
      members: fc.dictionary(fc.constantFrom('a', 'b', '1', 'n'), tie('tree')).map(textOf),
    }));
    const declared = fc.record(
      {
        int: number,
        number,
        big: number,
        price: number,
        j: fc.tuple(tree, number).map(([a, n]) => `{"a":${a},"n":${n}}`),
      },
      { requiredKeys: [] },
    );
    const undeclared = fc.dictionary(fc.constantFrom('u', 'v', '7'), tree);
    await fc.assert(
      fc.asyncProperty(declared, undeclared, fc.boolean(), async (own, others, byPath) => {
        server.reset();
        const text = textOf({ id: '1', name: '"old"', j: '{}', ...own, ...others });
        const row = await load(text);
        void row.$.data;
        if (byPath) row.set('j.name', 'new');
        else row.name = 'new';
        const sent = await sentBy(row);
        expect(normal(sent)).toBe(normal(text, byPath ? ['j', 'name'] : ['name']));
        expect(row.dirty).toBe(false);
      }),
      { numRuns: 150 },
    );
  });
});

const textOf = (members: Readonly<Record<string, string>>) =>
  `{${Object.entries(members)
    .map(([name, value]) => `"${name}":${value}`)
    .join()}}`;

/** JSON with sorted members and each number as a text with all its digits; the value at `path` becomes 'new'. */
function normal(text: string, path: readonly string[] = []): string {
  const quoted = text.replace(/"[^"]*"|(-?\d[\d.eE+-]*)/g, (all, digits?: string) => {
    if (digits === undefined) return all;
    const value = Number(digits);
    const isHeld =
      String(value) === digits || (Number.isFinite(value) && value !== 0 && /^-?\d{1,15}(e|$)/.test(digits));
    return `"${isHeld && /^-?\d*$/.test(digits) ? value : digits.replace(/e\+?/, 'e')}"`;
  });
  const sorted = (value: unknown): unknown => {
    if (typeof value === 'string' && /^-?[\d.]+(e-?\d+)?$/.test(value)) return decimalOf(value);
    if (Array.isArray(value)) return value.map(sorted);
    if (typeof value !== 'object' || value === null) return value;
    return Object.entries(value)
      .map(([name, each]) => [name, sorted(each)])
      .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1));
  };
  const data = JSON.parse(quoted) as Record<string, unknown>;
  const [name, inner] = path;
  if (name !== undefined) data[name] = inner === undefined ? 'new' : { ...(data[name] as object), [inner]: 'new' };
  return JSON.stringify(sorted(data));
}

/** Digits and power of ten: equal for all spellings of a number. */
function decimalOf(text: string): string {
  const [, sign = '', whole = '', fraction = '', power = '0'] = /^(-?)(\d*)\.?(\d*)e?(.*)$/.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  const exponent = Number(power || 0) - fraction.length + digits.length - significant.length;
  return significant ? `${sign}${significant}e${exponent}` : '0';
}

describe('ids that JavaScript cannot hold', () => {
  test('are distinct if they differ only in their last digits', async () => {
    const ids = ['9007199254740992', '9007199254740993', '9007199254740994', '12345678901234567890'];
    const store = new Store({ model: Row, pageSize: 0 });
    server.reply({ text: `[${ids.map((id) => `{"id":${id},"name":"${id}"}`).join()}]` });
    await store.load();
    expect(store.count).toBe(4);
    for (const id of ids) {
      const row = store.getById(id) as Row;
      expect([row.name, row.getId(), row.id]).toEqual([id, id, Number(id)]);
      row.name = 'new';
      server.reply({ status: 204 });
      await row.save();
      expect([server.lines.at(-1), server.last.text]).toEqual([`PUT /rows/${id}`, `{"id":${id},"name":"new"}`]);
    }
    server.reply({ text: `{"id":9007199254740993,"name":"read"}` }, { status: 204 });
    const row = store.getById('9007199254740993') as Row;
    await row.$.reload();
    await row.erase();
    expect(server.lines.slice(-2)).toEqual(['GET /rows/9007199254740993', 'DELETE /rows/9007199254740993']);
    expect(store.count).toBe(3);
  });

  test('are refused as JavaScript numbers, which have lost their digits', async () => {
    await expect(Row.load(9007199254740992)).rejects.toMatchObject({ code: 'address', reason: 'id-unsafe' });
    const row = Row.fromRow({ id: 9007199254740992, name: 'a' });
    row.name = 'new';
    await expect(row.save()).rejects.toMatchObject({ code: 'address', reason: 'id-unsafe' });
    expect(server.lines).toEqual([]);
  });

  test('are found by their text, and are sent with every digit as a parameter', async () => {
    server.reply({ text: `{"id":${A},"name":"old"}` }, { status: 204 }, { text: `{"id":${A}}` });
    const Flat = Row.with({ proxy: { ...proxy, appendId: false } });
    const row = await Flat.load(A);
    row.name = 'new';
    await row.save();
    await row.load();
    expect(server.lines).toEqual([`GET /rows?id=${A}`, 'PUT /rows', `GET /rows?id=${A}`]);
    expect(server.requests[1]?.text).toBe(`{"id":${A},"name":"new"}`);
  });

  test('are sent in references with every digit', async () => {
    class Task extends Model.define({
      name: 'task',
      fields: { id: 'int', rowId: reference('int'), title: 'string' },
      proxy: server.proxy('/tasks', { dialect: plain() }),
    }) {
      static override references() {
        return { rowId: Row };
      }
    }
    const rows = new Store({ model: Row, pageSize: 0 });
    const tasks = new Store({ model: Task, pageSize: 0 });
    const [row] = rows.add({ name: 'parent' }) as [Row];
    const [task] = tasks.add({ title: 'child', rowId: row.id }) as [Task];
    server.reply({ status: 201, text: `{"id":${A},"name":"parent"}` });
    server.reply({ status: 201, text: `{"id":5,"rowId":${A},"title":"child"}` });
    await sync([rows, tasks]);
    expect(server.last.text).toBe(`{"title":"child","rowId":${A}}`);
    expect(task).toMatchObject({ rowId: NEAR_A, dirty: false, id: 5 });
    server.reply({ text: `{"id":${A},"name":"parent"}` });
    const found = (await Task.loadReference(task, 'rowId')) as Row | undefined;
    expect([server.lines.at(-1), found?.name]).toEqual([`GET /rows/${A}`, 'parent']);
  });
});

describe('an outbox', () => {
  test('keeps long numbers over a restart', async () => {
    const storage = memoryStorage();
    const start = async () => {
      const outbox = await openOutbox({ scope: 'me', storage, models: [Row] });
      return { outbox, Class: Row.with({ proxy: { ...proxy, use: [outbox] } }) };
    };
    const first = await start();
    server.reply({ text: `{"id":${A},"name":"old","big":${A},"j":{"n":${B}},"x":${B}}` });
    const row = await first.Class.load(A);
    row.set('j.name', 'new');
    row.big = (row.big as bigint) + 2n;
    server.reply({ drop: true });
    await row.save().catch(() => undefined);
    const copy = copyOf(row);
    server.reply({ drop: true });
    await copy.save().catch(() => undefined);
    expect(JSON.stringify(await storage.read({ scope: 'me' }))).toContain(`\\"n\\":${B}`);
    await first.outbox.close();

    server.reset();
    const { outbox } = await start();
    server.reply({ text: `{"id":${A},"name":"theirs","big":${A},"j":{"n":${B}},"x":${B}}` });
    server.reply({ status: 204 }, { status: 201, text: '{"id":9}' });
    await outbox.send();
    const bodies = server.requests.map(({ method, path, text }) => `${method} ${path} ${text}`);
    expect(bodies).toEqual([
      `GET /rows/${A} `,
      `PUT /rows/${A} {"id":${A},"name":"theirs","big":9007199254740995,"j":{"n":${B},"name":"new"},"x":${B}}`,
    ]);
    const [waiting] = outbox.entries;
    expect(waiting).toMatchObject({ action: 'create', state: 'unconfirmed' });
    await outbox.close();
  });
});
