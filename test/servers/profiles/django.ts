import { plain } from 'repose';
import { djangoVersion, startDjango, USERS } from '../../helpers/servers/index.js';
import { jsonAccess } from '../json-access.js';
import type { ServerProfile } from '../profile.js';
import { USER_FIELDS, USER_RECORDS, userFacts } from '../users.js';

export const profile: ServerProfile = {
  title: 'Django REST Framework, limit and offset',
  version: djangoVersion,
  dialect: 'plain',
  start: startDjango,
  proxy: (url) => ({
    url: `${url}/api/users`,
    dialect: plain({
      page: 'limit={limit}&offset={start}',
      sortParam: 'ordering',
      filter: { eq: '{name}', ge: '{name}__gte' },
    }),
    trailingSlash: true,
    reader: { rootProperty: 'results', totalProperty: 'count' },
  }),
  fields: { id: 'int', ...USER_FIELDS },
  rows: USERS,
  access: (url) => jsonAccess({ address: (id) => `${url}/api/users/${id}/`, list: `${url}/api/users/` }),
  ...USER_RECORDS,
  facts: {
    ...userFacts(),
    operators: { ge: { property: 'age', operator: '>=', value: 30 } },
    refused: { property: 'age', operator: '>', value: 30 },
    invalid: { values: { name: '', email: 'not an address' }, fields: ['email', 'name'] },
    suffix: { format: 'json', proxy: { trailingSlash: false } },
  },
  without: {
    search: 'no search is set up yet',
    location: 'Django REST Framework sends no Location unless the serializer has a url field',
    stale: 'Django REST Framework compares no versions: the last write wins',
    oddIds: 'the server gives the ids',
    bulk: 'Django REST Framework takes one record per request',
    file: 'no field for files is set up yet',
    longNumber: 'no field for long numbers is set up yet',
  },
};
