import { Model } from 'repose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { POSTS, type RealServer, START_TIMEOUT, startJsonServer } from '../helpers/servers/index.js';
import { serverContract } from './contract.js';
import { jsonServer } from './json-server-dialect.js';

serverContract('json-server', startJsonServer, {
  proxy: ({ url }) => ({ url: `${url}/users`, dialect: jsonServer() }),
  address: ({ url }, id) => `${url}/users/${id}`,
  without: { validation: 'json-server accepts any row' },
});

describe('json-server, which replaces the row by what PUT sends', () => {
  let server: RealServer;
  beforeAll(async () => {
    server = await startJsonServer();
  }, START_TIMEOUT);
  afterAll(() => server?.stop());

  test('keeps nested members, null and the text of numbers and dates', async () => {
    class Post extends Model.define({
      name: 'post',
      fields: { id: 'int', title: 'string', price: 'decimal', published: 'date' },
      proxy: { type: 'rest', url: `${server.url}/posts`, dialect: jsonServer(), actionMethods: { update: 'PUT' } },
    }) {}
    const post = await Post.load(1);
    expect(post.published).toEqual(new Date('2026-11-21T08:00:00Z'));
    post.title = 'two';
    await post.save();
    const row = await (await fetch(`${server.url}/posts/1`)).json();
    expect(row).toEqual({ ...POSTS[0], title: 'two' });
  });
});
