import { djangoVersion, startDjango, USERS } from '../helpers/servers/index.js';
import { jsonAccess } from './json-access.js';
import type { ServerProfile } from './profile.js';
import { USER_FIELDS, USER_RECORDS, userFacts } from './users.js';

/** The profiles of Django REST Framework have these members in common; they differ by the pagination class. */
export const DJANGO = {
  version: djangoVersion,
  dialect: 'django',
  start: startDjango,
  fields: {
    id: 'int',
    ...USER_FIELDS,
    serial: { type: 'int', allowNull: true },
  },
  rows: USERS,
  access: (url) =>
    jsonAccess({
      address: (id) => `${url}/api/users/${encodeURIComponent(id)}/`,
      list: `${url}/api/users/`,
    }),
  ...USER_RECORDS,
  facts: {
    ...userFacts(),
    operators: {
      ge: { property: 'age', operator: '>=', value: 30 },
      gt: { property: 'age', operator: '>', value: 30 },
      le: { property: 'age', operator: '<=', value: 30 },
      lt: { property: 'age', operator: '<', value: 30 },
      in: { property: 'name', operator: 'in', value: ['Ada', 'Bob'] },
      between: { property: 'age', operator: 'between', value: [30, 40] },
      isNull: { property: 'age', operator: 'isNull' },
      'eq null': { property: 'age', value: null },
      'isNull false': { property: 'age', operator: 'isNull', value: false },
      startsWith: { property: 'name', operator: 'startsWith', value: 'User 1' },
      endsWith: { property: 'name', operator: 'endsWith', value: '7' },
      like: { property: 'name', operator: 'like', value: 'USER 1' },
      several: [
        { property: 'age', operator: '>', value: 30 },
        { property: 'age', operator: '<=', value: 40 },
        { property: 'team', value: 1 },
      ],
    },
    refused: { property: 'age', operator: '!=', value: 30 },
    search: { text: 'user07@', ids: [7] },
    invalid: { values: { name: '', email: 'not an address' }, fields: ['email', 'name'] },
  },
  without: {
    location: 'Django REST Framework sends no Location unless the serializer has a url field',
    stale: 'Django REST Framework compares no versions: the last write wins',
    bulk: 'a ViewSet takes one record per request',
  },
} satisfies Partial<ServerProfile>;
