import fc from 'fast-check';
import { type ConflictError, embed, Model, plain, receive, Store, safeWrites } from 'repose';
import { memoryStorage, Outbox } from 'repose/outbox';
import { restServer } from 'repose/testing';
import { describe, expect, test } from 'vitest';
import { switchedConnection } from '../helpers/switched-connection.js';

class Address extends Model.define({ name: 'address', fields: { city: 'string', zip: 'string' } }) {}
class Line extends Model.define({ name: 'line', fields: { id: 'int', text: 'string', to: embed(Address) } }) {}

const ADDRESS = { city: 'c', zip: 'z' };
const ROW = {
  ...{ note: 'n', place: 'p', address: ADDRESS },
  lines: [1, 2].map((id) => ({ id, text: `t${id}`, to: ADDRESS })),
};

/** The texts of a value, by their places; lines by their ids. */
function texts(value: unknown, place = ''): Map<string, unknown> {
  if (typeof value !== 'object' || value === null) return new Map([[place, value]]);
  const members = Array.isArray(value) ? value.map((each) => [`#${each.id}`, each]) : Object.entries(value);
  return new Map(members.flatMap(([name, each]) => [...texts(each, `${place}.${name}`)]));
}

/** Rows of a server with versions, and people who open them. A request that replaces what its sender has not seen is noted. */
function world(method: 'PATCH' | 'PUT', batchActions: boolean, queues: boolean) {
  const rows = [1, 2].map((id) => ({ id, ...structuredClone(ROW) }));
  const server = restServer({ etags: 'required', collections: { '/orders': rows } });
  const replaced: string[] = [];
  const open = async (name: string) => {
    const seen = new Set<string>();
    const see = (row: unknown) => {
      for (const [place, value] of texts(row)) seen.add(`${place}=${value}`);
    };
    class Order extends Model.define({
      name: 'order',
      fields: { id: 'int', note: 'string', place: 'string', address: embed(Address), lines: embed([Line]) },
      proxy: {
        ...{ url: '/orders', baseUrl: server.baseUrl, dialect: plain(), use: [safeWrites()], batchActions },
        actionMethods: { update: method },
        fetch: async (input: RequestInfo | URL, init: RequestInit = {}) => {
          const before = structuredClone(server.rows('/orders'));
          const answer = await server.fetch(input, init);
          for (const [at, row] of server.rows('/orders').entries()) {
            const now = texts(row);
            for (const [place, value] of texts(before[at]))
              if (now.get(place) !== value && !seen.has(`${place}=${value}`))
                replaced.push(`${name}: ${place}=${value}`);
          }
          return answer;
        },
      },
    }) {}
    const connection = switchedConnection();
    const outbox = queues
      ? new Outbox({ scope: name, storage: memoryStorage(), connection, backoff: { base: 1, max: 1 } })
      : undefined;
    await outbox?.ready;
    const orders = new Store({ model: Order, pageSize: 0, ...(outbox && { proxy: { use: [outbox] } }) });
    await orders.load();
    const look = () => {
      for (const order of orders) see(JSON.parse(JSON.stringify(order)));
    };
    look();
    return { orders, look, see, connection, outbox };
  };
  return { server, open, replaced };
}

const PLACES = ['note', 'address.city', 'address.zip', 'lines[0].text'] as const;
const step = fc.record({
  who: fc.nat(1),
  row: fc.constant(0),
  what: fc.oneof(
    { weight: 4, arbitrary: fc.record({ edit: fc.constantFrom(...PLACES) }) },
    { weight: 3, arbitrary: fc.constantFrom('feed', 'load', 'reload', 'save', 'sync', 'switch') },
  ),
  way: fc.constantFrom('keepMine', 'takeTheirs', 'merge'),
});

describe.each([
  ['PATCH', false, false],
  ['PUT', false, false],
  ['PATCH', true, false],
  ['PATCH', false, true],
  ['PUT', false, true],
] as const)('by %s, several records in one request: %s, with an outbox: %s', (method, isBulk, queues) => {
  test('no value that somebody else has saved and this person has not seen is replaced', {
    timeout: 120_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 30 }), async (steps) => {
        const { server, open, replaced } = world(method, isBulk, queues);
        const people = [await open('a'), await open('b'), await open('c')];
        let count = 0;
        for (const { who, row, what, way } of steps) {
          const { orders, look, see, connection, outbox } = people[who]!;
          const order = orders.getById(row + 1)!;
          const decide = async (record: typeof order, reason: unknown) => {
            let error = reason as ConflictError;
            // A queued write is decided when it was sent.
            if ((error as { queued?: boolean }).queued || !connection.online) return;
            for (let tries = 0; tries < 5; tries += 1) {
              expect(error.code).toBe('conflict');
              await error.inspect();
              see(error.theirs);
              const failed: unknown = await (way === 'merge'
                ? error.merge(({ mine }) => mine)
                : (async () => error[way]())()
              ).then(
                () => undefined,
                (again: unknown) => again,
              );
              if (!failed) break;
              error = failed as ConflictError;
            }
            expect([record.$.error, record.$.state.get().newer]).toEqual([undefined, undefined]);
          };
          if (typeof what === 'object') order.set(what.edit as never, `m${(count += 1)}` as never);
          else if (what === 'feed') receive(orders, structuredClone(server.rows('/orders')));
          else if (what === 'switch') {
            if (!outbox) continue;
            connection.switchTo(!connection.online);
            await outbox.send();
            for (const { record } of connection.online ? outbox.failed : [])
              await decide(record as never, record?.$.error);
          } else if (what === 'load') await order.load();
          else if (what === 'reload') await orders.load();
          else if (what === 'save') await order.save().catch((error) => decide(order, error));
          else for (const { record, error } of (await orders.sync()).failures) await decide(record as never, error);
          look();
          expect(replaced).toEqual([]);
        }
      }),
      { numRuns: 100 },
    );
  });
});
