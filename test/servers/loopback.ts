import { USERS } from '../helpers/servers/index.js';
import type { ServerProfile } from './profile.js';
import { USER_FIELDS, USER_RECORDS, userFacts } from './users.js';

/** LoopBack 3 and 4 have these members of their profiles in common. */
export const LOOPBACK = {
  dialect: 'plain',
  fields: { id: 'int', ...USER_FIELDS },
  rows: USERS,
  ...USER_RECORDS,
  facts: {
    ...userFacts(),
    operators: {
      eq: { property: 'name', value: 'Ada' },
      ne: { property: 'team', operator: 'ne', value: 2 },
      gt: { property: 'team', operator: 'gt', value: 1 },
      ge: { property: 'age', operator: 'ge', value: 30 },
      in: { property: 'age', operator: 'in', value: [30, 31] },
      one: { property: 'age', operator: 'in', value: [30] },
      nin: { property: 'name', operator: 'nin', value: ['Ada', 'Bob'] },
      between: { property: 'age', operator: 'between', value: [30, 40] },
      tree: {
        or: [
          { property: 'name', value: 'Ada' },
          { property: 'age', operator: '>=', value: 50 },
        ],
      },
      several: [
        { property: 'age', operator: '>=', value: 30 },
        { property: 'age', operator: '<', value: 35 },
        { property: 'team', value: 1 },
      ],
    },
    refused: { property: 'name', operator: 'contains', value: 'a' },
    invalid: { values: { name: '', email: 'not an address' }, fields: ['email', 'name'] },
  },
  without: {
    search: 'LoopBack has no search',
    suffix: 'LoopBack has no format suffixes',
    location: 'LoopBack sends no Location',
    stale: 'LoopBack compares no versions: the last write wins',
    oddIds: 'the server gives the ids',
    longNumber: 'LoopBack rounds long numbers itself',
    file: 'this service takes JSON only',
    bulk: 'LoopBack takes one row per request',
  },
} satisfies Partial<ServerProfile>;
