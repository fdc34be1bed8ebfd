import { jsonServer } from 'repose/dialects';
import { jsonServerVersion, startJsonServer } from '../../helpers/servers/index.js';
import { JSON_SERVER_1 } from '../json-server-1.js';
import type { ServerProfile } from '../profile.js';

export const profile: ServerProfile = {
  ...JSON_SERVER_1,
  title: 'json-server 1.0',
  version: () => jsonServerVersion('json-server-1'),
  start: () => startJsonServer('json-server-1'),
  proxy: (url) => ({
    url: `${url}/users`,
    dialect: jsonServer({ version: '1' }),
  }),
  facts: {
    ...JSON_SERVER_1.facts,
    operators: {
      ge: { property: 'age', operator: '>=', value: 30 },
      gt: { property: 'age', operator: '>', value: 30 },
      lt: { property: 'name', operator: '<', value: 'User 30' },
      ne: { property: 'team', operator: '!=', value: 2 },
      in: { property: 'name', operator: 'in', value: ['Ada', 'Zoë & Søn #1, 100% a+b=c?'] },
      like: { property: 'name', operator: 'like', value: 'USER 1' },
      between: { property: 'age', operator: 'between', value: [30, 40] },
      isNull: { property: 'age', operator: 'isNull' },
      or: {
        or: [
          { property: 'name', value: 'Ada' },
          { property: 'age', operator: '>', value: 55 },
        ],
      },
      several: [
        { property: 'age', operator: '>', value: 30 },
        { property: 'age', operator: '<=', value: 40 },
        { property: 'team', value: 1 },
      ],
    },
    refused: { property: 'name', operator: 'contains', value: 'Ada' },
  },
  without: { ...JSON_SERVER_1.without, oddIds: 'json-server 1.0 gives the ids, and replaces those of the client' },
};
