import { filterTemplates, plain } from 'repose';
import { mswjsDataVersion, startMswjsData, USERS } from '../../helpers/servers/index.js';
import { jsonAccess } from '../json-access.js';
import type { ServerProfile } from '../profile.js';
import { USER_FIELDS, USER_RECORDS, userFacts } from '../users.js';

const ONE_OPERATOR = 'the handlers of @mswjs/data compare texts for equality, and know nothing else';
const NO_RULES = '@mswjs/data takes any values';

export const profile: ServerProfile = {
  title: '@mswjs/data',
  version: mswjsDataVersion,
  dialect: 'plain',
  start: startMswjsData,
  proxy: (url) => ({
    url: `${url}/users`,
    dialect: plain({
      page: 'skip={start}&take={limit}',
      sortParam: '',
      searchParam: '',
      filter: filterTemplates({ eq: '{name}' }),
      actionMethods: { update: 'PUT' },
    }),
  }),
  fields: { id: 'int', ...USER_FIELDS },
  model: { identifier: 'natural' },
  rows: USERS,
  access: (url) => jsonAccess({ address: (id) => `${url}/users/${id}`, list: `${url}/users`, change: 'PUT' }),
  record: (n) => ({ id: 1000 + n, ...USER_RECORDS.record(n) }),
  edit: USER_RECORDS.edit,
  statuses: { destroy: 200 },
  facts: {
    ...userFacts(),
    filter: { property: 'name', value: 'Ada' },
    encoded: [
      { property: 'email', value: USERS[58]?.email },
      { property: 'name', value: USERS[58]?.name },
    ],
    operators: {
      name: { property: 'name', value: 'User 30' },
      several: [
        { property: 'name', value: 'User 30' },
        { property: 'email', value: USERS[29]?.email },
      ],
    },
    refused: { property: 'name', operator: 'contains', value: 'a' },
  },
  without: {
    total: '@mswjs/data counts no rows',
    sort: 'the handlers of @mswjs/data do not sort',
    multiSort: 'the handlers of @mswjs/data do not sort',
    search: ONE_OPERATOR,
    suffix: '@mswjs/data has no format suffixes',
    location: '@mswjs/data sends no Location',
    invalidCreate: NO_RULES,
    invalidUpdate: NO_RULES,
    patch: 'the handlers of @mswjs/data know no PATCH',
    stale: '@mswjs/data compares no versions: the last write wins',
    noContent: '@mswjs/data answers every write with the row',
    oddIds: 'the ids of this model are numbers',
    longNumber: '@mswjs/data rounds long numbers itself',
    file: '@mswjs/data takes JSON only',
    bulk: '@mswjs/data takes one row per request',
  },
  notes: ['A filter by a number finds nothing, because the handlers compare it as a text'],
};
