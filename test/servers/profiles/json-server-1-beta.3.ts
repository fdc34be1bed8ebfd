import { jsonServer } from 'repose/dialects';
import { jsonServerVersion, startJsonServer } from '../../helpers/servers/index.js';
import { JSON_SERVER_1 } from '../json-server-1.js';
import type { ServerProfile } from '../profile.js';

export const profile: ServerProfile = {
  ...JSON_SERVER_1,
  title: 'json-server 1.0.0-beta.3',
  version: () => jsonServerVersion('json-server-1-beta.3'),
  start: () => startJsonServer('json-server-1-beta.3'),
  proxy: (url) => ({
    url: `${url}/users`,
    dialect: jsonServer({ version: '1.0.0-beta.3' }),
  }),
  facts: {
    ...JSON_SERVER_1.facts,
    operators: {
      ge: { property: 'age', operator: '>=', value: 30 },
      gt: { property: 'age', operator: '>', value: 30 },
      lt: { property: 'age', operator: '<', value: 40 },
      ne: { property: 'team', operator: '!=', value: 2 },
      between: { property: 'age', operator: 'between', value: [30, 40] },
    },
    refused: { property: 'team', operator: 'in', value: [2, 3] },
    oddIds: { ids: ["it's", 'two words', 'Zoë ☃', 'dot.', '50%', 'a/b', 'x?y#z'] },
  },
  notes: ['A filter by equality also selects rows in which the field is null'],
};
