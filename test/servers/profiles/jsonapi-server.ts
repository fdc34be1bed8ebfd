import { filterTemplates, Model, reference, Session, Store } from 'repose';
import { jsonApi } from 'repose/dialects';
import { expect } from 'vitest';
import { jsonapiServerVersion, startJsonapiServer, USERS } from '../../helpers/servers/index.js';
import { failureOf } from '../contract.js';
import { jsonAccess } from '../json-access.js';
import type { Id, Row, ServerProfile } from '../profile.js';
import { USER_FIELDS, USER_RECORDS, userFacts } from '../users.js';

interface Resource {
  readonly data: { readonly id: string; readonly attributes: Row };
}

const ROWS = USERS.map((row) => ({ ...row, id: String(row.id) }));

/** The server's own names of filters, since JSON:API defines none. */
const FILTERS = {
  eq: 'filter[{name}][]',
  in: 'filter[{name}][]',
  gt: 'filter[{name}][]=>{value}',
  lt: 'filter[{name}][]=<{value}',
  like: 'filter[{name}][]=:{value}',
};

export const profile: ServerProfile = {
  title: 'jsonapi-server, JSON:API 1.0',
  version: jsonapiServerVersion,
  dialect: 'jsonApi',
  start: startJsonapiServer,
  proxy: (url) => ({
    url: `${url}/rest/users`,
    dialect: jsonApi({
      page: 'page[offset]={start}&page[limit]={limit}',
      sort: { several: 'refuse' },
      filter: filterTemplates(FILTERS),
    }),
  }),
  fields: { id: 'string', ...USER_FIELDS },
  rows: ROWS,
  access: (url) =>
    jsonAccess({
      address: (id: Id) => `${url}/rest/users/${encodeURIComponent(id)}`,
      list: `${url}/rest/users`,
      headers: { 'Content-Type': 'application/vnd.api+json' },
      row: ({ data }: Resource) => ({ id: data.id, ...data.attributes }),
      body: (attributes, id) => ({ data: { type: 'users', id, attributes } }),
    }),
  ...USER_RECORDS,
  sentFields: (body) => (body as Resource).data.attributes,
  statuses: { destroy: 200 },
  facts: {
    ...userFacts(String),
    compare: (a, b) => String(a).localeCompare(String(b)),
    operators: {
      eq: { property: 'name', value: 'Ada' },
      in: { property: 'team', operator: 'in', value: [2, 3] },
      gt: { property: 'age', operator: 'gt', value: 30 },
      lt: { property: 'team', operator: 'lt', value: 2 },
      like: { property: 'name', operator: 'like', value: 'USER 1' },
    },
    refused: { property: 'age', operator: '>=', value: 30 },
    invalid: {
      values: { name: '', email: 'not an address' },
      fields: ['email', 'name'],
      error: { code: 'validation', status: 403 },
    },
    oddIds: { ids: ["it's", 'two words', 'Zoë', 'dot.', '50%', 'a/b', 'x?y#z'] },
  },
  without: {
    multiSort: 'jsonapi-server sorts by one field',
    search: 'JSON:API has no search; a server may have a filter for it',
    put: 'JSON:API has no PUT',
    undeclared: 'JSON:API has no PUT',
    stale: 'jsonapi-server compares no versions: the last write wins',
    noContent: 'jsonapi-server answers every write with a body',
    suffix: 'JSON:API has no format suffixes',
    bulk: 'JSON:API takes one resource per request; its extension for atomic operations is not built',
    file: 'JSON:API takes JSON only',
    longNumber: 'jsonapi-server rounds long numbers itself',
  },
  notes: [
    'jsonapi-server splits a text at its commas, but not the items of `filter[name][]`.',
    'Invalid values are answered with 403, which is a `ValidationError` here.',
  ],
  more(host, test) {
    const models = () => {
      const dialect = jsonApi({
        models: () => ({ users: User, articles: Article }),
        relationships: { readers: 'users' },
        page: 'page[offset]={start}&page[limit]={limit}',
      });
      class ApiModel extends Model.with({ proxy: { baseUrl: `${host.url}/rest`, dialect } }) {}
      class User extends ApiModel.define({
        fields: { id: 'string', name: 'string', email: 'string' },
        proxy: { type: 'rest', url: '/users' },
      }) {}
      class Article extends ApiModel.define({
        fields: {
          id: 'string',
          title: 'string',
          authorId: reference('string', { mapping: 'author', allowNull: true }),
          readers: 'json',
        },
        proxy: { type: 'rest', url: '/articles' },
      }) {
        static override references() {
          return { authorId: User };
        }
      }
      return { User, Article };
    };

    test('makes records of a session from the resources that a document includes', async () => {
      const { User, Article } = models();
      const session = new Session();
      const articles = new Store({ model: Article, session, pageSize: 2 });
      await articles.load({ params: { include: 'author,readers' } });
      expect([articles.count, articles.total]).toEqual([2, 3]);
      const [first] = articles.getRange();
      const author = session.getById(User, first?.authorId ?? '');
      expect(author).toMatchObject({ name: 'User 11', email: 'user11@example.test', dirty: false });
      expect(first?.readers).toEqual(['12', '13']);
      expect(session.getById(User, '13')?.name).toBe('User 13');
      await articles.loadMore();
      expect(articles.getRange().map(({ id }) => id)).toEqual(['11', '12', '13']);
      expect(await session.load(User, '11')).toBe(author);
    });

    test('merges resources of which some fields were asked for', async () => {
      const { User, Article } = models();
      const session = new Session();
      const user = await session.load(User, '11');
      await session.load(Article, '11', { params: { include: 'author', 'fields[users]': 'name' } });
      expect(user).toMatchObject({ name: 'User 11', email: 'user11@example.test' });
    });

    test('writes relationships to one resource and to many', async () => {
      const { Article } = models();
      const article = new Article({ title: 'New', authorId: '2', readers: ['1'] });
      await article.save();
      article.authorId = null;
      article.readers = ['3', '1'];
      await article.save();
      const read = await Article.load(article.id);
      expect(read).toMatchObject({ title: 'New', authorId: null, readers: ['3', '1'] });
      await read.erase();
      expect(await failureOf(Article.load(article.id))).toMatchObject({ code: 'http', status: 404 });
    });

    test('filters by a relationship', async () => {
      const { Article } = models();
      const articles = new Store({
        model: Article,
        remoteFilter: true,
        filters: [{ property: 'authorId', value: '12' }],
      });
      await articles.load();
      expect(articles.getRange().map(({ title }) => title)).toEqual(['Article 12']);
    });

    test('tells a model with ids that are numbers', async () => {
      const record = await host.model({}, { fields: { id: 'int', name: 'string' } }).load(2);
      expect(record.getId()).toBe(2);
      record.set({ name: 'Bobby' });
      await record.save();
      expect(await host.row('2')).toMatchObject({ name: 'Bobby' });
      record.set({ name: 'Bob' });
      await record.save();
    });
  },
};
