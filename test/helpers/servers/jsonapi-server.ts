import { installedVersion, startApp } from './node-app.js';
import type { RealServer } from './real-server.js';
import { USERS } from './seed.js';

/** An article of each of three users, which the other two have read. */
const ARTICLES = ['11', '12', '13'].map((id, _, ids) => ({
  id,
  type: 'articles',
  title: `Article ${id}`,
  author: { type: 'users', id },
  readers: ids.filter((other) => other !== id).map((other) => ({ type: 'users', id: other })),
}));

/** jsonapi-server with `/rest/users` and `/rest/articles`, in memory. */
export function startJsonapiServer(): Promise<RealServer> {
  const users = USERS.map((row) => ({ ...row, id: String(row.id), type: 'users' }));
  return startApp('jsonapi-server', '/rest/users/1', { users, articles: ARTICLES });
}

export function jsonapiServerVersion(): Promise<string> {
  return installedVersion('jsonapi-server', 'jsonapi-server');
}
