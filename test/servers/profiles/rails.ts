import { rails } from 'repose/dialects';
import { railsVersion, startRails, USERS } from '../../helpers/servers/index.js';
import type { ServerProfile } from '../profile.js';
import { RAILS_WITHOUT, railsAccess, railsFields } from '../rails.js';
import { USER_FIELDS, USER_RECORDS, userFacts } from '../users.js';

const RANSACK = 'Ransack, which queries need, is no package of Debian';

export const profile: ServerProfile = {
  title: 'Rails with api-pagination and kaminari',
  version: railsVersion,
  dialect: 'rails',
  start: startRails,
  proxy: (url) => ({
    url: `${url}/members`,
    format: 'json',
    dialect: rails({ wrap: 'member', paging: 'api-pagination', lockVersion: true }),
  }),
  fields: { id: 'int', ...USER_FIELDS },
  rows: USERS,
  access: (url) => railsAccess(`${url}/members`, 'member'),
  sentFields: (body) => railsFields((body as { member: Record<string, unknown> }).member),
  ...USER_RECORDS,
  facts: {
    ...userFacts(),
    refused: { property: 'name', value: 'Ada' },
    invalid: { values: { name: '', email: 'ada@example.test' }, fields: ['email', 'name'] },
    stale: {},
    longNumber: {
      field: 'serial',
      digits: '9007199254740993',
      body: (n) => `{"member":{"name":"Long ${n}","serial":9007199254740993}}`,
    },
    suffix: { format: 'json' },
  },
  without: {
    ...RAILS_WITHOUT,
    sort: RANSACK,
    multiSort: RANSACK,
    filter: RANSACK,
    encoded: RANSACK,
    operators: RANSACK,
    empty: RANSACK,
    search: 'Ransack has no search over all fields',
  },
};
