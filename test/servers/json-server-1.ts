import { Store } from 'repose';
import { expect } from 'vitest';
import { USERS } from '../helpers/servers/index.js';
import { jsonAccess } from './json-access.js';
import type { ServerProfile } from './profile.js';
import { USER_FIELDS, USER_RECORDS, userFacts } from './users.js';

/** The betas of json-server 1.0 have these members of their profiles in common. Their ids are texts. */
export const JSON_SERVER_1 = {
  dialect: 'jsonServer',
  fields: { id: 'string', ...USER_FIELDS },
  rows: USERS.map((row) => ({ ...row, id: String(row.id) })),
  access: (url) => jsonAccess({ address: (id) => `${url}/users/${encodeURIComponent(id)}`, list: `${url}/users` }),
  ...USER_RECORDS,
  statuses: { destroy: 200 },
  facts: userFacts(String),
  without: {
    search: 'json-server 1.0 has no search',
    location: 'json-server 1.0 sends no Location',
    invalidCreate: 'json-server accepts any row',
    invalidUpdate: 'json-server accepts any row',
    stale: 'json-server has no versions: the last write wins',
    noContent: 'json-server answers every write with a body',
    suffix: 'json-server has no format suffixes',
    bulk: 'json-server makes one row of a list',
    file: 'json-server takes JSON only',
    longNumber: 'json-server rounds long numbers itself',
  },
  more(host, test) {
    test('takes the last page, which the server sends for a page behind it, for an empty page', async () => {
      const store = new Store({ model: host.model() as never, pageSize: 25 } as never);
      expect(await store.load({ page: 9 })).toEqual([]);
      expect(host.exchanges[0]?.answer).toContain('"id"');
      expect(store.hasMore).toBe(false);
    });
  },
} satisfies Partial<ServerProfile>;
