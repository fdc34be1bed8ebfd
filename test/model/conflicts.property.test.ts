import fc from 'fast-check';
import { ConflictError, conflicts, etags, json, Model } from 'repose';
import { describe, expect, test } from 'vitest';

const FIELDS = ['a', 'b', 'c', 'd'] as const;
type Row = Record<string, unknown>;

/** One row with an ETag that counts its versions; `write` changes it as another user would. */
function oneRow(start: Row) {
  let row = start;
  let version = 1;
  const write = (next: Row) => {
    row = next;
    version += 1;
  };
  const reply = (status: number, body: unknown) =>
    new Response(body === undefined ? null : JSON.stringify(body), { status, headers: { ETag: `"${version}"` } });
  return {
    row: () => row,
    write,
    fetch: async (_: unknown, { method = 'GET', headers, body }: RequestInit = {}): Promise<Response> => {
      const sent = new Headers(headers);
      // Other clients may be faster, as over a network.
      await Promise.resolve();
      if (method === 'GET')
        return sent.get('If-None-Match') === `"${version}"` ? reply(304, undefined) : reply(200, row);
      if (sent.get('If-Match') !== `"${version}"`) return reply(412, version % 2 ? { current: row } : undefined);
      write({ ...row, ...JSON.parse(String(body)) });
      return reply(200, row);
    },
  };
}

const define = (fetch: unknown) =>
  class extends Model.define({
    name: 'thing',
    fields: { id: 'int', a: 'int', b: 'int', c: 'int', d: 'int', log: json<readonly string[]>() },
    proxy: {
      ...{ type: 'rest', url: 'http://one.test/things', noCache: false, use: [etags(), conflicts()] },
      actionMethods: { update: 'PATCH' },
      fetch: fetch as typeof globalThis.fetch,
    },
  }) {};

const values = fc.tuple(...FIELDS.map(() => fc.integer({ min: 0, max: 2 })));
const rowOf = (given: readonly number[]): Row => ({
  id: 7,
  ...Object.fromEntries(FIELDS.map((name, i) => [name, given[i] as number])),
});

describe('merge()', () => {
  test('gives each field the value of the side that changed it, and asks about fields that both changed', async () => {
    await fc.assert(
      fc.asyncProperty(values, values, values, async (b, m, t) => {
        const [base, mine, theirs] = [rowOf(b), rowOf(m), rowOf(t)];
        const server = oneRow(base);
        const record = await define(server.fetch).load(7);
        server.write(theirs);
        record.set(mine);
        const wanted = FIELDS.filter((name) => mine[name] !== base[name]);
        const contested = wanted.filter((name) => theirs[name] !== base[name] && theirs[name] !== mine[name]);
        const error = await record.save().catch((each: unknown) => each);
        expect(error).toBeInstanceOf(ConflictError);
        const conflict = error as ConflictError;
        if (contested.length > 0) {
          await expect(conflict.merge()).rejects.toBe(conflict);
          expect(conflict.fields.map(({ field }) => field)).toEqual(contested);
          expect(server.row()).toEqual(theirs);
          expect(record).toMatchObject(mine);
        }
        const asked: string[] = [];
        await conflict.merge(({ field, ...sides }) => {
          asked.push(field);
          expect(sides).toEqual({ base: base[field], mine: mine[field], theirs: theirs[field] });
          return 9;
        });
        expect(asked).toEqual(contested);
        const merged = FIELDS.map((name) =>
          contested.includes(name) ? 9 : mine[name] === base[name] ? theirs[name] : mine[name],
        );
        expect(server.row()).toEqual(rowOf(merged as number[]));
        expect(record).toMatchObject(rowOf(merged as number[]));
        expect(record.dirty).toBe(false);
        expect(record.$.error).toBeUndefined();
      }),
    );
  });

  test('lets several clients add to one list, and loses no saved entry', async () => {
    type Sides = Record<'base' | 'mine' | 'theirs', readonly string[]>;
    const added = ({ base, mine, theirs }: Sides) => [...theirs, ...mine.filter((each) => !base.includes(each))];
    const steps = fc.array(fc.tuple(fc.nat(2), fc.boolean()), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(steps, async (given) => {
        const server = oneRow({ id: 7, log: [] });
        const records = await Promise.all([0, 1, 2].map(() => define(server.fetch).load(7)));
        const add = async (record: (typeof records)[number], entry: string): Promise<void> => {
          record.log = [...record.log, entry];
          let write: Promise<unknown> = record.save();
          for (;;) {
            const error: unknown = await write.then(
              () => undefined,
              (reason: unknown) => reason,
            );
            if (error === undefined) return;
            expect(error).toBeInstanceOf(ConflictError);
            write = (error as ConflictError).merge((sides) => added(sides as unknown as Sides));
          }
        };
        // Clients run at the same time; the calls of each client run one after the other.
        const run = async (client: number) => {
          const record = records[client] as (typeof records)[number];
          for (const [i, [each, reloads]] of given.entries()) {
            if (each !== client) continue;
            if (reloads) await record.load();
            await add(record, `${client}.${i}`);
          }
        };
        await Promise.all([0, 1, 2].map(run));
        const log = server.row()['log'] as string[];
        expect([...log].sort()).toEqual(given.map(([client], i) => `${client}.${i}`).sort());
      }),
    );
  });
});
