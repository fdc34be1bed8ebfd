import { filterTemplates, jsonFilter, plain, Store } from 'repose';
import { expect } from 'vitest';
import { DOCUMENTS, pouchdbServerVersion, startPouchdbServer } from '../../helpers/servers/index.js';
import { type ContractStore, idOf } from '../host.js';
import { jsonAccess } from '../json-access.js';
import type { Answer, Id, ServerProfile } from '../profile.js';
import { USER_FIELDS, USER_RECORDS, userFacts } from '../users.js';

/**
 * The body of a query. CouchDB sorts by a field only if the selector names it. Without an order, PouchDB would count its indexes among
 * the documents that a page skips.
 */
function find({ selector = '{}', sort = 'name:asc', ...page }: Readonly<Record<string, unknown>>) {
  const conditions = JSON.parse(String(selector));
  const [name, direction] = String(sort).split(':') as [string, string];
  conditions[name] = { $gte: null, ...conditions[name] };
  return { ...page, sort: [{ [name]: direction }], selector: conditions };
}

/** The values of a document by the names of the model's fields. */
function fieldsOf({ _id: id, _rev, ...values }: { _id?: string; _rev?: string }): Record<string, unknown> {
  return id === undefined ? values : { id, ...values };
}

/** The id and the revision of a saved document, under their names in a document. */
function savedDocument({ id, rev }: Answer): object {
  return { _id: id, _rev: rev };
}

export const profile: ServerProfile = {
  title: "PouchDB Server, CouchDB's API",
  version: pouchdbServerVersion,
  dialect: 'plain',
  start: startPouchdbServer,
  proxy: (url) => ({
    url: `${url}/users`,
    api: { list: { url: `${url}/users/_find`, body: find } },
    dialect: plain({
      page: 'skip={start}&limit={limit}',
      sort: { asc: '{name}:asc', desc: '{name}:desc', several: 'refuse' },
      searchParam: '',
      filterParam: 'selector',
      filter: jsonFilter({ eq: '$eq', ne: '$ne', ge: '$gte', lt: '$lt', in: '$in', nin: '$nin' }),
      actionMethods: { update: 'PUT' },
      reader: { rootProperty: 'docs', saved: { row: savedDocument }, etagProperty: '_rev' },
    }),
  }),
  fields: { id: { type: 'string', mapping: '_id' }, ...USER_FIELDS },
  rows: [...DOCUMENTS].sort((a, b) => (a.name < b.name ? -1 : 1)),
  access: (url) => {
    const address = (id: Id) => `${url}/users/${encodeURIComponent(id)}`;
    const put = async (body: object, id: Id) => {
      const headers = { 'Content-Type': 'application/json' };
      await (await fetch(address(id), { method: 'PUT', headers, body: JSON.stringify(body) })).arrayBuffer();
    };
    return {
      ...jsonAccess({ address, row: fieldsOf }),
      change: async (id, values) => put({ ...(await (await fetch(address(id))).json()), ...values }, id),
    };
  },
  ...USER_RECORDS,
  sentFields: (body) => fieldsOf(body as object),
  reads: ({ url }) => url.endsWith('/_find'),
  statuses: { update: 201, destroy: 200 },
  facts: {
    ...userFacts((number) => `user-${String(number).padStart(2, '0')}`),
    stale: {},
    operators: {
      eq: { property: 'name', value: 'Ada' },
      ne: { property: 'team', operator: 'ne', value: 2 },
      lt: { property: 'team', operator: 'lt', value: 2 },
      ge: { property: 'age', operator: 'ge', value: 30 },
      in: { property: 'age', operator: 'in', value: [30, 31] },
      nin: { property: 'name', operator: 'nin', value: ['Ada', 'Bob'] },
      isNull: { property: 'age', operator: 'isNull' },
      several: [
        { property: 'age', operator: '>=', value: 30 },
        { property: 'age', operator: '<', value: 35 },
        { property: 'team', value: 1 },
      ],
    },
    refused: { not: { property: 'name', value: 'Ada' } },
    oddIds: { ids: ['a/b', 'é ü', "it's", '100%', 'a+b=c&d?', 'x.y.'] },
  },
  without: {
    total: '`_find` counts no rows; a further check reads `_all_docs`, which does',
    multiSort: 'CouchDB sorts by several fields in one direction only',
    search: 'CouchDB has no search',
    suffix: 'CouchDB has no format suffixes',
    invalidCreate: 'PouchDB Server takes any document',
    invalidUpdate: 'PouchDB Server takes any document',
    patch: 'CouchDB has no PATCH',
    noContent: 'CouchDB answers every write with a body',
    longNumber: 'PouchDB Server rounds long numbers itself',
    file: 'CouchDB takes a file as an attachment, at an address of its own',
    bulk: 'CouchDB takes several documents at `_bulk_docs`, in a form of its own',
  },
  notes: [
    'Sorting by a field needs an index, and lists are sorted by the name here if they have no sorter.',
    'An update without the revision that the server has is a `ConflictError`, as `etagProperty` names the revision; an erase takes any.',
    'PouchDB Server refuses to sort beside `$and`, `$or` or `$not`.',
    'CouchDB holds null less than any number, so that `lt` and `le` also find rows without a value.',
  ],
  more(host, test) {
    test('reads pages and the total of all documents, which are members of the items of a list', async () => {
      const { api: _, ...proxy } = profile.proxy(host.url);
      const dialect = plain({
        page: 'skip={start}&limit={limit}',
        sortParam: '',
        searchParam: '',
        filter: filterTemplates({}),
      });
      const reader = { rootProperty: 'rows', record: { list: 'doc' }, totalProperty: 'total_rows' };
      const api = { list: `${host.url}/listed/_all_docs` };
      const extraParams = { include_docs: true };
      const model = host.model({ ...proxy, api, dialect, reader, extraParams });
      const store = new Store({ model: model as never, pageSize: 25 } as never) as never as ContractStore;
      await store.load({ page: 3 });
      expect(store.getRange().map(idOf)).toEqual(DOCUMENTS.slice(50).map(({ id }) => id));
      expect(store.total).toBe(DOCUMENTS.length);
    });
  },
};
