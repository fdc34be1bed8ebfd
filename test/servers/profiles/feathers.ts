import { Model, Store } from 'repose';
import { feathers } from 'repose/dialects';
import { expect } from 'vitest';
import { feathersVersion, startFeathers, USERS } from '../../helpers/servers/index.js';
import { failureOf } from '../contract.js';
import { jsonAccess } from '../json-access.js';
import type { ServerProfile } from '../profile.js';
import { USER_FIELDS, USER_RECORDS, userFacts } from '../users.js';

export const profile: ServerProfile = {
  title: 'Feathers 5, memory',
  version: feathersVersion,
  dialect: 'feathers',
  start: startFeathers,
  proxy: (url) => ({
    url: `${url}/users`,
    dialect: feathers(),
  }),
  fields: { id: 'int', ...USER_FIELDS },
  rows: USERS,
  access: (url) => jsonAccess({ address: (id) => `${url}/users/${encodeURIComponent(id)}`, list: `${url}/users` }),
  ...USER_RECORDS,
  statuses: { destroy: 200 },
  facts: {
    ...userFacts(),
    operators: {
      eq: { property: 'name', value: 'Ada' },
      ne: { property: 'team', operator: 'ne', value: 2 },
      gt: { property: 'team', operator: 'gt', value: 1 },
      ge: { property: 'age', operator: 'ge', value: 30 },
      in: { property: 'team', operator: 'in', value: [2, 3] },
      nin: { property: 'name', operator: 'nin', value: ['Ada', 'Bob'] },
      between: { property: 'age', operator: 'between', value: [30, 40] },
      tree: {
        or: [
          { property: 'name', value: 'Ada' },
          {
            and: [
              { property: 'team', value: 1 },
              { property: 'age', operator: '>=', value: 50 },
              { property: 'age', operator: '<', value: 55 },
            ],
          },
        ],
      },
      several: [
        { property: 'age', operator: '>=', value: 30 },
        {
          or: [
            { property: 'team', value: 1 },
            { property: 'name', value: 'Bob' },
          ],
        },
      ],
    },
    refused: { property: 'age', value: null },
    invalid: { values: { name: '', email: 'not an address' }, fields: ['email', 'name'] },
    // The server does not decode what an address escapes.
    oddIds: { ids: ["it's", 'dot.', 'a~b', '-1', '*'] },
    bulk: { proxy: {}, actions: ['create'] },
  },
  without: {
    location: 'Feathers sends no Location',
    search: 'Feathers has no search: each adapter has operators of its own',
    stale: 'Feathers compares no versions: the last write wins',
    noContent: 'Feathers answers every write with the record',
    suffix: 'Feathers has no format suffixes',
    file: 'this service takes JSON only',
    longNumber: 'Feathers rounds long numbers itself',
  },
  notes: [
    'The server takes `$and` at the top only: inside of other trees, conditions share an object, or are refused.',
    'The server reads ids in addresses without decoding them, so that it finds no ids with spaces, slashes or letters beyond ASCII.',
    'Values of a query are texts, which match no numbers unless a schema of the service coerces them.',
    'A PATCH or DELETE of the collection would change all of it, so that Repose sends several records in creates only.',
  ],
  more(host, test) {
    const storeOf = (path: string, pageSize: number) => {
      class User extends Model.define({
        fields: { id: 'int', name: 'string' },
        proxy: { type: 'rest', url: `${host.url}${path}`, dialect: feathers() },
      }) {}
      return new Store({ model: User, pageSize, remoteFilter: true });
    };

    test('reads all rows of a service that sends fewer than asked for, and refuses a later page of it', async () => {
      const store = storeOf('/limited', 25);
      await store.load();
      expect([store.count, store.total]).toEqual([10, USERS.length]);
      while (store.hasMore) await store.loadMore();
      expect(store.getRange().map(({ id }) => id)).toEqual(USERS.map(({ id }) => id));
      expect(await failureOf(store.load({ page: 2 }))).toMatchObject({ code: 'read', reason: 'response-limit' });
    });

    test('reads the array of a service without pages', async () => {
      const store = storeOf('/bare', 0);
      await store.load();
      expect([store.count, store.total, store.hasMore]).toEqual([USERS.length, USERS.length, false]);
    });

    test('reads lists and names at the limits of the parser of queries', async () => {
      // Rows that no other check writes.
      const ids = Array.from({ length: 20 }, (_, i) => i + 31);
      const users = new Store({ model: host.model() as never, pageSize: 50, remoteFilter: true } as never);
      users.filter([{ property: 'id', operator: 'in', value: ids } as never]);
      await users.load();
      expect(users.getRange().map((record) => record.getId())).toEqual(ids);
      const limited = storeOf('/limited', 10);
      const name = (value: string) => ({ property: 'name', value }) as const;
      limited.filter([{ or: [{ or: [name('User 30'), name('User 33')] }, name('User 45')] }]);
      await limited.load();
      expect(limited.getRange().map(({ id }) => id)).toEqual([30, 33, 45]);
    });
  },
};
