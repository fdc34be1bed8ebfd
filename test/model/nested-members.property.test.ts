import fc from 'fast-check';
import { bigint, Model, plain } from 'repose';
import { expect, test } from 'vitest';

type Row = Record<string, unknown>;

// A number that JavaScript cannot hold is a marked text inside the server, so that it keeps its digits there.
const toServer = (text: string): Row => JSON.parse(text.replace(/(?<=[:[,])-?\d{16,}(?=[,\]}])/g, '"#$&"')) as Row;
const fromServer = (value: unknown): string => JSON.stringify(value).replace(/"#(-?\d{16,})"/g, '$1');

const isObject = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value);
const mergeDeeply = (old: unknown, patch: unknown): unknown => {
  if (!isObject(patch)) return patch;
  const merged = isObject(old) ? { ...old } : {};
  for (const [name, value] of Object.entries(patch)) merged[name] = mergeDeeply(merged[name], value);
  return merged;
};
const servers = {
  replaces: (stored: Row, patch: Row): Row => ({ ...stored, ...patch }),
  merges: (stored: Row, patch: Row): Row => mergeDeeply(stored, patch) as Row,
};
/** The body of a server's response to a PATCH: the row, the members that were sent, or nothing. */
const replies = {
  row: (stored: Row, _: Row) => fromServer(stored),
  sent: (_: Row, patch: Row) => fromServer(patch),
  nothing: () => undefined,
};

const value = fc.oneof(
  fc.jsonValue({ maxDepth: 1 }).map((each) => JSON.parse(JSON.stringify(each)) as unknown),
  fc.constantFrom('#9007199254740993', '10.50', '2026-11-24T10:00:00+02:00', null),
);
const text = fc.stringMatching(/^[a-z]{0,6}$/);
const address = fc.record(
  {
    city: text,
    zip: fc.oneof(fc.integer(), fc.constant('#12345678901234567890')),
    street: value,
    geo: fc.record({
      lat: fc.integer(),
      lng: fc.oneof(fc.integer(), fc.constant('#99999999999999999999')),
      more: value,
    }),
  },
  { requiredKeys: ['street'] },
);
const lines = fc.array(fc.record({ text, price: value }), { minLength: 1, maxLength: 3 });
const rows = fc.record(
  {
    name: text,
    address: fc.oneof({ weight: 4, arbitrary: address }, { weight: 1, arbitrary: fc.constant(null) }),
    lines,
    extra: value,
  },
  { requiredKeys: ['name'] },
);

const PATHS = {
  name: ['name'],
  city: ['address', 'city'],
  lat: ['address', 'geo', 'lat'],
  first: ['lines', 0, 'text'],
} as const;
type Name = keyof typeof PATHS;
const edits = fc
  .dictionary(fc.constantFrom<Name>('name', 'city', 'lat', 'first'), fc.constant(0))
  .chain((names) =>
    fc.record(
      Object.fromEntries(
        Object.keys(names).map((name) => [name, name === 'lat' ? fc.integer() : fc.stringMatching(/^[A-Z]{1,5}$/)]),
      ),
    ),
  );

const fields = {
  id: 'int',
  name: 'string',
  city: { type: 'string', mapping: 'address.city' },
  lat: { type: 'int', mapping: 'address.geo.lat' },
  zip: bigint({ mapping: 'address.zip' }),
  first: { type: 'string', mapping: 'lines[0].text' },
} as const;

function without(row: unknown, path: readonly (string | number)[]): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return undefined;
  if (Array.isArray(row)) return row.map((each, at) => (at === name ? without(each, rest) : each));
  const { [name]: inside, ...others } = isObject(row) ? row : {};
  const left = rest.length > 0 ? without(inside, rest) : undefined;
  const isEmpty =
    left === undefined || (isObject(left) && Object.keys(left).length === 0) || JSON.stringify(left) === '[{}]';
  return isEmpty ? others : { ...others, [name]: left };
}
const at = (row: unknown, path: readonly (string | number)[]) =>
  path.reduce<unknown>((inside, name) => (inside as Row | undefined)?.[name], row);
const canonical = (each: unknown): unknown => {
  if (Array.isArray(each)) return each.map(canonical);
  if (!isObject(each)) return each;
  return Object.entries(each)
    .map(([name, inside]) => [name, canonical(inside)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
};

test('a PATCH changes nothing that nobody edited, whether the server replaces members or merges them', async () => {
  const cases = fc.tuple(
    rows,
    fc.array(edits, { minLength: 1, maxLength: 3 }),
    fc.constantFrom<keyof typeof servers>('replaces', 'merges'),
    fc.constantFrom<keyof typeof replies>('row', 'sent', 'nothing'),
    fc.boolean(),
  );
  await fc.assert(
    fc.asyncProperty(cases, async ([row, rounds, server, reply, fromList]) => {
      let stored = toServer(fromServer({ id: 1, ...row }));
      const fetch = async (_: unknown, { method, body }: RequestInit = {}) => {
        if (method === 'GET') return new Response(fromServer(stored));
        const patch = toServer(body as string);
        stored = servers[server](stored, patch);
        const answer = replies[reply](stored, patch);
        return new Response(answer ?? null, { status: answer === undefined ? 204 : 200 });
      };
      class Person extends Model.define({
        fields,
        proxy: {
          type: 'rest',
          url: '/people',
          baseUrl: 'http://a.test',
          dialect: plain(),
          reader: { rows: 'incomplete' },
          fetch: fetch as typeof globalThis.fetch,
        },
      }) {}
      const person = await Person.load(1);
      const before = structuredClone(stored);
      const edited = new Map<Name, unknown>();
      for (const values of rounds) {
        if (fromList) await person.load();
        person.set(values);
        for (const [name, each] of Object.entries(values)) edited.set(name as Name, each);
        if (person.dirty) await person.save();
      }
      let [left, was]: unknown[] = [stored, before];
      for (const [name, each] of edited) {
        expect(at(stored, PATHS[name])).toEqual(each);
        left = without(left, PATHS[name]);
        was = without(was, PATHS[name]);
      }
      expect(canonical(left)).toEqual(canonical(was));
    }),
    { numRuns: 150 },
  );
});
