import { type FilterTemplates, filterTemplates, plain, readAnyProblem, Store } from 'repose';
import { expect } from 'vitest';
import { soulVersion, startSoul, USERS } from '../../helpers/servers/index.js';
import { type ContractStore, idOf } from '../host.js';
import { jsonAccess } from '../json-access.js';
import type { Answer, ServerProfile } from '../profile.js';
import { USER_FIELDS, USER_RECORDS, userFacts } from '../users.js';

const by = (operator: string) => `_filters={name}__${operator}:{value}`;
/** Soul writes values into its SQL as they are, and splits the conditions at commas outside of brackets. */
const FILTER: FilterTemplates = {
  ...{ eq: by('eq'), ne: by('neq'), ge: by('gte'), gt: by('gt'), le: by('lte'), lt: by('lt') },
  in: '_filters={name}:[{values}]',
  isNull: '_filters={name}__null',
  notNull: '_filters={name}__notnull',
  join: ',',
  escape: { all: { "'": "''" } },
  refuse: { all: /^$|[[\]]/ },
};

/** The places of values in an answer. Its errors are those of SQLite. */
const ANSWERS = {
  rootProperty: 'data',
  record: { single: 'data[0]' },
  affected: 'data.changes',
  problem: readAnyProblem,
};

/** Doubles the apostrophes of an update, which Soul writes into its SQL as they are. */
function quoted(body: unknown, { action }: { action: string }) {
  return action === 'update' ? JSON.parse(JSON.stringify(body).replaceAll("'", "''")) : body;
}

/** The id in the response to a create. The response to an update tells that of the last create, too. */
function newId({ data }: Answer, { action }: { action: string }) {
  return action === 'create' ? data.lastInsertRowid : undefined;
}

const rows = (url: string) => `${url}/api/tables/users/rows`;

export const profile: ServerProfile = {
  title: 'Soul, a REST server over SQLite',
  version: soulVersion,
  dialect: 'plain',
  start: startSoul,
  proxy: (url) => ({
    url: `${url}/api/tables/users/rows`,
    dialect: plain({
      page: '_page={page}&_limit={limit}',
      sort: { asc: '_ordering={name}', desc: '_ordering=-{name}', several: 'refuse' },
      searchParam: '',
      filter: filterTemplates(FILTER),
      actionMethods: { update: 'PUT' },
      writer: { rootProperty: 'fields', writeAllFields: false, transform: quoted },
      reader: { ...ANSWERS, saved: { id: newId } },
    }),
  }),
  fields: { id: 'int', ...USER_FIELDS },
  rows: USERS,
  access: (url) =>
    jsonAccess({
      address: (id) => `${rows(url)}/${id}`,
      list: rows(url),
      change: 'PUT',
      body: (fields) => ({ fields }),
      row: ({ data }: { data: [Record<string, unknown>] }) => data[0],
    }),
  ...USER_RECORDS,
  sentFields: (body) => (body as { fields: object }).fields,
  statuses: { destroy: 200 },
  facts: {
    ...userFacts(),
    encoded: [
      { property: 'team', value: 2 },
      { property: 'email', value: USERS[58]?.email },
    ],
    operators: {
      eq: { property: 'name', value: 'Ada' },
      ne: { property: 'team', operator: 'ne', value: 2 },
      gt: { property: 'team', operator: 'gt', value: 1 },
      ge: { property: 'age', operator: 'ge', value: 30 },
      between: { property: 'age', operator: 'between', value: [30, 40] },
      in: { property: 'name', operator: 'in', value: ['Ada', 'Bob'] },
      isNull: { property: 'age', operator: 'isNull' },
      several: [
        { property: 'age', operator: '>=', value: 30 },
        { property: 'team', value: 1 },
        { property: 'age', operator: '<', value: 35 },
      ],
    },
    refused: { property: 'name', operator: 'contains', value: 'a' },
    invalid: { values: { email: 'ada@example.test' }, fields: ['email'] },
  },
  without: {
    multiSort: 'Soul sorts by one field',
    search: 'Soul writes the text of a search into its SQL as it is, so that nobody should send one',
    suffix: 'Soul has no format suffixes',
    location: 'Soul sends no Location',
    put: 'PUT changes what it is sent, so that edited fields suffice; a further check sends them',
    patch: 'Soul has no PATCH',
    stale: 'Soul compares no versions: the last write wins',
    noContent: 'Soul answers every write with a body',
    oddIds: 'the ids of this table are numbers',
    longNumber: 'Soul rounds long numbers itself',
    file: 'Soul takes JSON only',
    bulk: 'Soul takes several rows at another address only, and in a form of its own',
  },
  notes: [
    'Soul writes the values of filters and updates into its SQL as they are: the options double the apostrophes in them.',
  ],
  more(host, test) {
    test('updates with the edited fields alone, and keeps apostrophes', async () => {
      const name = "O'Brien' OR team = '9";
      const record = await host.saved();
      const before = await host.row(idOf(record));
      record.set({ name });
      await record.save();
      expect(host.writes.map(({ method, body }) => [method, body])).toEqual([
        ['PUT', { fields: { name: name.replaceAll("'", "''") } }],
      ]);
      expect(await host.row(idOf(record))).toEqual({ ...before, name });
      const store = new Store({ model: host.model() as never, remoteFilter: true } as never) as never as ContractStore;
      store.filter({ property: 'name', value: name } as never);
      await store.load();
      expect(store.getRange().map(idOf)).toEqual([idOf(record)]);
    });
  },
};
