import { decimal, Model } from 'repose';
import { jsonServer } from 'repose/dialects';
import { expect } from 'vitest';
import { jsonServerVersion, POSTS, startJsonServer, USERS } from '../../helpers/servers/index.js';
import { jsonAccess } from '../json-access.js';
import type { ServerProfile } from '../profile.js';
import { USER_FIELDS, USER_RECORDS, userFacts } from '../users.js';

const FOLDER = 'json-server-0.17';

export const profile: ServerProfile = {
  title: 'json-server 0.17',
  version: () => jsonServerVersion(FOLDER),
  dialect: 'jsonServer',
  start: () => startJsonServer(FOLDER),
  proxy: (url) => ({
    url: `${url}/users`,
    dialect: jsonServer({ version: '0.17' }),
  }),
  fields: { id: 'int', ...USER_FIELDS },
  rows: USERS,
  access: (url) => jsonAccess({ address: (id) => `${url}/users/${encodeURIComponent(id)}`, list: `${url}/users` }),
  ...USER_RECORDS,
  statuses: { destroy: 200 },
  facts: {
    ...userFacts(),
    operators: {
      ge: { property: 'age', operator: '>=', value: 30 },
      le: { property: 'age', operator: 'le', value: 40 },
      ne: { property: 'team', operator: '!=', value: 2 },
      in: { property: 'team', operator: 'in', value: [2, 3] },
      nin: { property: 'name', operator: 'notin', value: ['Ada', 'Bob'] },
      between: { property: 'age', operator: 'between', value: [30, 40] },
      like: { property: 'name', operator: 'like', value: 'a+B=C?' },
      several: [
        { property: 'age', operator: '>=', value: 30 },
        { property: 'age', operator: '<=', value: 40 },
        { property: 'team', value: 1 },
      ],
    },
    refused: { property: 'age', operator: '>', value: 30 },
    search: { text: 'user 07', ids: [7] },
    oddIds: { ids: ["it's", 'two words', 'Zoë ☃', 'dot.', '50%', 'a/b', 'x?y#z'] },
  },
  without: {
    invalidCreate: 'json-server accepts any row',
    invalidUpdate: 'json-server accepts any row',
    stale: 'json-server has no versions: the last write wins',
    noContent: 'json-server answers every write with a body',
    suffix: 'json-server has no format suffixes',
    bulk: 'json-server makes one row of a list',
    file: 'json-server takes JSON only',
    longNumber: 'json-server rounds long numbers itself',
  },
  more(host, test) {
    test('keeps nested members, null and the text of numbers and dates after a PUT', async () => {
      class Post extends Model.define({
        name: 'post',
        fields: { id: 'int', title: 'string', price: decimal(), published: 'date' },
        proxy: {
          type: 'rest',
          url: `${host.url}/posts`,
          dialect: jsonServer({ version: '0.17' }),
          actionMethods: { update: 'PUT' },
        },
      }) {}
      const post = await Post.load(1);
      expect(post.price).toBe('10.50');
      expect(post.published).toEqual(new Date('2026-11-21T08:00:00Z'));
      post.title = 'two';
      await post.save();
      const row = await (await fetch(`${host.url}/posts/1`)).json();
      expect(row).toEqual({ ...POSTS[0], title: 'two' });
    });
  },
};
