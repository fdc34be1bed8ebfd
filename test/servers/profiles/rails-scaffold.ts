import { rails } from 'repose/dialects';
import { railsVersion, startRails, USERS } from '../../helpers/servers/index.js';
import type { ServerProfile } from '../profile.js';
import { RAILS_WITHOUT, railsAccess, railsFields } from '../rails.js';
import { USER_FIELDS, USER_RECORDS, userFacts } from '../users.js';

const QUERIES = 'a scaffold lists all records, and knows no queries';

export const profile: ServerProfile = {
  title: 'Rails, a scaffold as it comes',
  version: railsVersion,
  dialect: 'rails',
  start: startRails,
  proxy: (url) => ({
    url: `${url}/users`,
    dialect: rails(),
  }),
  fields: { id: 'int', ...USER_FIELDS },
  rows: USERS,
  access: (url) => railsAccess(`${url}/users`, 'user'),
  sentFields: (body) => railsFields(body as Record<string, unknown>),
  ...USER_RECORDS,
  facts: {
    ...userFacts(),
    pageSize: 0,
    refused: { property: 'name', value: 'Ada' },
    invalid: { values: { name: '', email: 'ada@example.test' }, fields: ['email', 'name'] },
    stale: { proxy: { actionMethods: { update: 'PUT' } } },
    longNumber: {
      field: 'serial',
      digits: '9007199254740993',
      body: (n) => `{"name":"Long ${n}","serial":9007199254740993}`,
    },
    suffix: { format: 'json' },
  },
  without: {
    ...RAILS_WITHOUT,
    page: QUERIES,
    more: QUERIES,
    sort: QUERIES,
    multiSort: QUERIES,
    filter: QUERIES,
    encoded: QUERIES,
    operators: QUERIES,
    empty: QUERIES,
    search: QUERIES,
  },
  notes: [
    'PUT changes only the members that it has, as PATCH does',
    'PUT sends the whole row with its `lock_version`; PATCH does so with `lockVersion: true`',
  ],
};
