import fc from 'fast-check';
import { bigint, decimal, embed, Model } from 'repose';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

class Inside extends Model.define({ fields: { text: 'string', at: 'date' } }) {}
class Sample extends Model.define({
  fields: {
    id: 'int',
    auto: { type: 'auto', allowNull: true },
    string: 'string',
    int: 'int',
    number: 'number',
    boolean: 'boolean',
    date: 'date',
    dateonly: 'dateonly',
    decimal: decimal(),
    bigint: bigint(),
    json: { type: 'json', allowNull: true },
    renamed: { type: 'string', mapping: 'Re Named' },
    deep: { type: 'date', mapping: 'nest.deep.value' },
    sibling: { type: 'int', mapping: 'nest.sibling' },
    item: { type: 'string', mapping: 'list[1].name' },
    inside: embed(Inside),
    insides: embed([Inside]),
  },
  proxy: server.proxy('/samples'),
}) {}
class Patched extends Sample.with({ proxy: { actionMethods: { update: 'PATCH' } } }) {}

type Json = unknown;
/** Members as pairs, so that `__proto__` is a name like any other. */
type Members = readonly (readonly [name: string, value: Json])[];

const text = (members: Members) => `{${members.map(([name, value]) => `${JSON.stringify(name)}:${write(value)}`)}}`;
const write = (value: Json): string => JSON.stringify(value);
/** Equal JSON gives equal text, whatever the order of members. */
const canonical = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  return ['{}', ...Object.entries(value).map(([name, each]) => [name, canonical(each)])].sort((a, b) =>
    JSON.stringify(a) < JSON.stringify(b) ? -1 : 1,
  );
};
const parsed = (json: string) => canonical(JSON.parse(json));

const anyJson = () => fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as Json);
const isoDate = () =>
  fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true }).map((date) => date.toISOString());
const digits = () =>
  fc.tuple(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), fc.nat(99)).map(([a, b]) => `${a}.${b}`);

/** Values that a server may send for a field: of its type, convertible, or invalid. */
const RECEIVED: Record<string, fc.Arbitrary<Json>> = {
  auto: anyJson(),
  json: anyJson(),
  string: fc.oneof(fc.string({ unit: 'binary' }), fc.integer()),
  int: fc.oneof(fc.integer(), fc.constantFrom('7', '007', '+7')),
  number: fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constantFrom('1.50', ' 2 ')),
  boolean: fc.constantFrom(true, false, 1, 0, 'true', 'false'),
  date: fc.oneof(isoDate(), fc.nat(), fc.constantFrom('2026-11-21', '2026-11-21T10:00:00+02:00')),
  dateonly: fc.constantFrom('2026-11-21', '2024-02-29'),
  decimal: fc.oneof(digits(), fc.integer(), fc.constantFrom('10.50', 10.5)),
  bigint: fc.oneof(fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String), fc.integer()),
  'Re Named': fc.string(),
  nest: fc.oneof(
    fc.record({ deep: fc.record({ value: isoDate(), more: anyJson() }), sibling: fc.integer(), other: anyJson() }),
    anyJson(),
  ),
  list: fc.oneof(fc.array(fc.record({ name: fc.string(), more: anyJson() }), { minLength: 2 }), anyJson()),
  inside: fc.oneof(fc.record({ text: fc.string(), at: isoDate(), more: anyJson() }), anyJson()),
  insides: fc.oneof(fc.array(fc.record({ text: fc.string(), more: anyJson() })), anyJson()),
};

/** A value that a user sets, and the value to be sent to a server that sent `raw`. */
interface Edit {
  readonly field: string;
  readonly path: readonly (string | number)[];
  readonly value: unknown;
  readonly written: (raw: Json) => Json;
}
const as = <T>(
  field: string,
  path: readonly (string | number)[],
  values: fc.Arbitrary<T>,
  written: (value: T, raw: Json) => Json,
) => values.map((value): Edit => ({ field, path, value, written: (raw) => written(value, raw) }));
const same = <T>(value: T): Json => value;
const day = (date: Date, raw: Json) => (typeof raw === 'number' ? date.getTime() : date.toISOString());
const dates = () => fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true });
const EDITS: Record<string, fc.Arbitrary<Edit>> = {
  auto: as('auto', ['auto'], anyJson(), same),
  json: as('json', ['json'], anyJson(), same),
  string: as('string', ['string'], fc.string({ unit: 'binary' }), same),
  int: as('int', ['int'], fc.integer(), same),
  number: as('number', ['number'], fc.double({ noNaN: true, noDefaultInfinity: true }), same),
  boolean: as('boolean', ['boolean'], fc.boolean(), same),
  date: as('date', ['date'], dates(), day),
  dateonly: as('dateonly', ['dateonly'], fc.constantFrom('2000-01-01', '2001-02-03'), same),
  decimal: as('decimal', ['decimal'], fc.constantFrom('0.5', '12345678901234567890.1', '7'), (value, raw) =>
    typeof raw === 'number' ? Number(value) : value,
  ),
  bigint: as('bigint', ['bigint'], fc.constantFrom(5n, 2n ** 60n), (value, raw) =>
    typeof raw === 'number' ? Number(value) : String(value),
  ),
  renamed: as('renamed', ['Re Named'], fc.string(), same),
  deep: as('deep', ['nest', 'deep', 'value'], dates(), day),
  sibling: as('sibling', ['nest', 'sibling'], fc.integer(), same),
  item: as('item', ['list', 1, 'name'], fc.string(), same),
};

const member = (name: string) => (RECEIVED[name] as fc.Arbitrary<Json>).map((value) => [name, value] as const);
const undeclaredName = fc
  .oneof(fc.constantFrom('__proto__', 'constructor', 'toString', 'hasOwnProperty', '', 'ID', 'nest.deep'), fc.string())
  .filter((name) => !(name in RECEIVED) && name !== 'id');
const rows: fc.Arbitrary<Members> = fc
  .tuple(
    fc.subarray(Object.keys(RECEIVED)).chain((names) => fc.tuple(...names.map(member))),
    fc.array(fc.tuple(undeclaredName, anyJson()), { maxLength: 4 }),
  )
  .map(([declared, undeclared]) => [...new Map<string, Json>([['id', 7], ...declared, ...undeclared])]);

/** JSON with a value set at a path; anything in the way is replaced. */
function withValue(source: Json, path: readonly (string | number)[], value: Json): Json {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  const list = Array.isArray(source ?? []) && typeof name === 'number';
  const copy = list
    ? [...((source ?? []) as Json[])]
    : new Map(typeof source === 'object' && source ? Object.entries(source) : []);
  const old = list ? (copy as Json[])[name] : (copy as Map<string, Json>).get(String(name));
  const next = withValue(old, rest, value);
  if (list) return Object.assign(copy, { [name]: next });
  return Object.fromEntries((copy as Map<string, Json>).set(String(name), next));
}
const valueAt = (source: Json, path: readonly (string | number)[]): Json =>
  path.reduce<Json>(
    (at, name) => (typeof at === 'object' && at !== null && Object.hasOwn(at, name) ? (at as never)[name] : undefined),
    source,
  );

async function loaded(Class: typeof Sample, row: Members) {
  server.reset();
  server.reply({ text: text(row) }, { status: 204 }, { status: 204 });
  return await Class.load(7);
}

describe('load, then save', () => {
  test('sends the row as received, whichever fields were read', async () => {
    await fc.assert(
      fc.asyncProperty(rows, fc.subarray(Object.keys(new Sample().$.data)), async (row, read) => {
        const sample = await loaded(Sample, row);
        for (const name of read) sample.get(name as 'auto');
        await sample.save();
        expect(parsed(server.last.text)).toEqual(parsed(text(row)));
        expect(sample.dirty).toBe(false);
      }),
      { numRuns: 150 },
    );
  });
});

describe('load, edit, save: only the edited values differ from the received row', () => {
  test.each(Object.entries(EDITS))('%s', async (_, edits) => {
    await fc.assert(
      fc.asyncProperty(rows, edits, fc.boolean(), async (row, { field, path, value, written }, whole) => {
        const sample = await loaded(whole ? Sample : Patched, row);
        const before = sample.get(field as 'auto');
        sample.set({ [field]: value });
        // Setting the current value is no edit, so everything is sent as received.
        const edits = sample.dirty;
        if (!edits) expect(sample.get(field as 'auto')).toEqual(before);
        await sample.save();
        const received = JSON.parse(text(row)) as Json;
        // A PATCH sends the whole member of a path, because most servers replace members.
        const [root = ''] = path;
        const member = path.length > 1 && edits ? valueAt(received, [root]) : undefined;
        const source = whole ? received : member === undefined ? {} : { [root]: member };
        const wire = written(valueAt(received, path));
        // JSON turns the empty places of a list into null.
        const expected = JSON.stringify(edits ? withValue(source, path, wire) : source);
        expect(parsed(server.last.text)).toEqual(parsed(expected));
        const edited = sample.get(field as 'auto');
        const first = server.last.text;
        if (whole) {
          await sample.save();
          expect(server.last.text).toBe(first);
        }
        expect([sample.dirty, sample.get(field as 'auto')]).toEqual([false, edited]);
      }),
      { numRuns: 60 },
    );
  });
});
