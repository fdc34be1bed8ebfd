import { filterTemplates, plain, Store } from 'repose';
import { expect } from 'vitest';
import { prismVersion, startPrism, USERS } from '../../helpers/servers/index.js';
import { failureOf } from '../contract.js';
import { type ContractStore, idOf, NEW } from '../host.js';
import { jsonAccess } from '../json-access.js';
import type { ServerProfile } from '../profile.js';
import { USER_FIELDS, USER_RECORDS, userFacts } from '../users.js';

const NO_DATA = 'Prism keeps nothing: each response is the example of the document';
const NO_QUERY = 'Prism checks a query, and answers with the example; a further check sends queries';

export const profile: ServerProfile = {
  title: 'Prism, which answers by an OpenAPI document',
  version: prismVersion,
  dialect: 'plain',
  start: startPrism,
  proxy: (url) => ({
    url: `${url}/users`,
    dialect: plain({
      page: 'offset={start}&size={limit}',
      maxPageSize: 25,
      sortParam: 'order',
      sort: { asc: '{name} up', desc: '{name} down' },
      searchParam: '',
      filter: filterTemplates({ eq: '{name}', ge: 'minimum_{name}' }),
      actionMethods: { update: 'PUT' },
    }),
  }),
  fields: { id: { type: 'int', persist: false }, ...USER_FIELDS },
  rows: USERS,
  access: (url) => jsonAccess({ address: (id) => `${url}/users/${id}` }),
  ...USER_RECORDS,
  facts: {
    ...userFacts(),
    refused: { property: 'name', operator: 'contains', value: 'a' },
    invalid: { values: { name: '', email: 'not an address' }, fields: ['email', 'name'] },
  },
  without: {
    null: NO_DATA,
    missing: NO_DATA,
    page: NO_QUERY,
    more: NO_QUERY,
    sort: NO_QUERY,
    multiSort: NO_QUERY,
    filter: NO_QUERY,
    encoded: NO_QUERY,
    operators: NO_QUERY,
    empty: NO_QUERY,
    search: 'the document has no search',
    suffix: 'the document has no format suffixes',
    create: NO_DATA,
    location: NO_DATA,
    put: NO_DATA,
    undeclared: NO_DATA,
    patch: NO_DATA,
    missingUpdate: NO_DATA,
    stale: NO_DATA,
    erase: NO_DATA,
    missingErase: NO_DATA,
    oddIds: NO_DATA,
    longNumber: NO_DATA,
    file: 'the document takes JSON only',
    sync: NO_DATA,
    syncFailure: NO_DATA,
    bulk: 'the document takes one user per request',
  },
  notes: ['The document allows no id in a body: `persist: false` of the field leaves it out.'],
  more(host, test) {
    test('creates, updates and erases with requests that the document allows', async () => {
      const record = new (host.model())(profile.record(host.next()), NEW);
      await record.save();
      expect(idOf(record)).toBe(USERS[1]?.id);
      record.set(profile.edit(host.next()));
      await record.save();
      await record.erase();
      expect(host.writes.map(({ method, status }) => [method, status])).toEqual([
        ['POST', 201],
        ['PUT', 200],
        ['DELETE', 204],
      ]);
    });

    test('sends pages, orders and filters that the document allows, and shows what Prism refuses', async () => {
      const model = host.model() as never;
      const listOf = (query: object) =>
        new Store({
          model,
          pageSize: 25,
          remoteSort: true,
          remoteFilter: true,
          ...query,
        } as never) as never as ContractStore;
      const filters = [
        { property: 'team', value: 1 },
        { property: 'age', operator: 'ge', value: 30 },
      ];
      await listOf({ filters, sorters: ['team', { property: 'name', direction: 'DESC' }] }).load({ page: 3 });
      expect(host.exchanges.map(({ url, status }) => [new URL(url).search, status])).toEqual([
        ['?offset=50&size=25&order=team%20up%2Cname%20down&team=1&minimum_age=30', 200],
      ]);
      expect(await failureOf(listOf({ sorters: ['email'] }).load())).toMatchObject({ status: 422 });
    });

    test('asks for a response of the document by a header', async () => {
      const model = host.model({ headers: { Prefer: 'code=404' } });
      expect(await failureOf(model.load(2))).toMatchObject({ code: 'http', status: 404 });
    });
  },
};
