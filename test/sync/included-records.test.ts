import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Model, reference, Session, Store, windowOf } from 'repose';
import { jsonApi } from 'repose/dialects';
import { memoryStorage } from 'repose/outbox';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';
import { openOutbox } from '../outbox/open-outbox.js';

const server = useRestServer();
const dialect = jsonApi({ models: () => ({ people: Person, articles: Article }) });

class Person extends Model.define({
  fields: { id: 'string', name: 'string', email: 'string' },
  proxy: server.proxy('/people', { dialect }),
}) {}

class Article extends Model.define({
  fields: {
    id: 'string',
    title: 'string',
    authorId: reference('string', { mapping: 'author' }),
    parentId: reference('string', { mapping: 'parent' }),
  },
  proxy: server.proxy('/articles', { dialect }),
}) {
  static override references() {
    return { authorId: Person, parentId: Article };
  }
}

const person = (id: string, attributes: object) => ({ type: 'people', id, attributes });
const article = (id: string, author: string, parent?: string) => ({
  type: 'articles',
  id,
  attributes: { title: `Article ${id}` },
  relationships: {
    author: { data: { type: 'people', id: author } },
    ...(parent !== undefined && { parent: { data: { type: 'articles', id: parent } } }),
  },
});
const ADA = person('1', { name: 'Ada', email: 'ada@example.test' });
const BOB = person('2', { name: 'Bob', email: 'bob@example.test' });
const WITH_AUTHORS = { params: { include: 'author' } };

describe('resources that a compound document includes', () => {
  test('become records of their models in a session, without edits and without a request', async () => {
    const session = new Session();
    const articles = new Store({ model: Article, session });
    server.reply({
      json: { data: [article('7', '1'), article('8', '2')], included: [ADA, BOB, { type: 'tags', id: '1' }] },
    });
    await articles.load(WITH_AUTHORS);
    expect(decodeURIComponent(server.last.url)).toBe('/articles?include=author&page[number]=1&page[size]=25');
    const ada = session.getById(Person, articles.getAt(0)?.authorId ?? '');
    expect(ada).toMatchObject({ name: 'Ada', email: 'ada@example.test', dirty: false, phantom: false });
    expect([...session.pending.created, ...session.pending.edited]).toEqual([]);
    const people = new Store({ model: Person, session });
    expect(people.count).toBe(0);
    server.reply({ json: { data: [BOB, ADA] } });
    await people.load();
    expect(people.getById('1')).toBe(ada);
  });

  test('are written like other records', async () => {
    const session = new Session();
    server.reply({ json: { data: article('7', '1'), included: [ADA] } }, { status: 204 });
    const record = await session.load(Article, '7', WITH_AUTHORS);
    const ada = session.getById(Person, record.authorId as string) as Person;
    ada.name = 'Lovelace';
    (await session.sync()).orThrow();
    expect(server.lines).toEqual(['GET /articles/7?include=author', 'PATCH /people/1']);
    expect(server.last.body).toEqual({ data: { type: 'people', id: '1', attributes: { name: 'Lovelace' } } });
  });

  test('give their rows to the records that the session has, and keep edits', async () => {
    const session = new Session();
    server.reply(
      { json: { data: ADA } },
      { json: { data: article('7', '1'), included: [person('1', { name: 'Ada L.', email: 'new@example.test' })] } },
    );
    const ada = await session.load(Person, '1');
    ada.name = 'Mine';
    await session.load(Article, '7', WITH_AUTHORS);
    expect(ada).toMatchObject({ name: 'Mine', email: 'new@example.test', dirty: true });
    server.reply({
      json: { data: article('7', '1'), included: [person('1', { name: 'Mine', email: 'x@example.test' })] },
    });
    // A record that is in the session already is loaded again.
    await session.load(Article, '7', WITH_AUTHORS);
    expect(ada).toMatchObject({ name: 'Mine', email: 'x@example.test', dirty: false });
  });

  test('update the store of their model, also if that is the model that was read', async () => {
    const session = new Session();
    const articles = new Store({ model: Article, session });
    server.reply({ json: { data: [article('7', '1')] } });
    await articles.load();
    const parent = { ...article('7', '2'), attributes: { title: 'Renamed' } };
    server.reply({ json: { data: article('9', '1', '7'), included: [parent, ADA] } });
    const child = await session.load(Article, '9', { params: { include: 'parent,author' } });
    expect(articles.getAt(0)).toMatchObject({ title: 'Renamed', authorId: '2' });
    expect(session.getById(Article, child.parentId as string)).toBe(articles.getAt(0));
  });

  test('are merged if the request asked for some of their fields only', async () => {
    const session = new Session();
    server.reply(
      { json: { data: ADA } },
      { json: { data: article('7', '1'), included: [person('1', { name: 'Ada L.' }), person('2', { name: 'Bob' })] } },
    );
    const ada = await session.load(Person, '1');
    await session.load(Article, '7', { params: { include: 'author', 'fields[people]': 'name' } });
    expect(ada).toMatchObject({ name: 'Ada L.', email: 'ada@example.test', dirty: false });
    expect(session.getById(Person, '2')).toMatchObject({ name: 'Bob', email: undefined });
  });

  test('do not undo a write that ended while the read was in flight, and do not revive an erased record', async () => {
    const session = new Session();
    const articles = new Store({ model: Article, session });
    server.reply({ json: { data: [article('7', '1')], included: [ADA, BOB] } });
    await articles.load(WITH_AUTHORS);
    const ada = session.getById(Person, '1') as Person;
    const bob = session.getById(Person, '2') as Person;
    const held = server.hold();
    const read = articles.load(WITH_AUTHORS);
    await held.request;
    server.reply({ json: { data: person('1', { name: 'New', email: 'n@example.test' }) } }, { status: 204 });
    ada.name = 'New';
    await ada.save();
    await bob.erase();
    held.answer({ json: { data: [article('7', '1')], included: [ADA, BOB] } });
    await read;
    expect(ada).toMatchObject({ name: 'New', dirty: false });
    expect(session.getById(Person, '2')).toBeUndefined();
    // A later read counts.
    server.reply({ json: { data: [article('7', '1')], included: [ADA] } });
    await articles.load(WITH_AUTHORS);
    expect(ada.name).toBe('Ada');
  });

  test('come to windows too', async () => {
    const session = new Session();
    const articles = new Store({
      model: Article,
      session,
      pageSize: 2,
      proxy: server.proxy('/articles', { dialect, extraParams: { include: 'author' } }),
    });
    server.reply({ json: { data: [article('7', '1')], included: [ADA], meta: { total: 1 } } });
    const window = windowOf(articles, { prefetch: 0 });
    await window.show({ start: 0, end: 2 });
    expect(session.getById(Person, '1')?.name).toBe('Ada');
    window.dispose();
  });

  test('are the records of writes that an outbox has queued, with their edits', async () => {
    const outbox = await openOutbox({ scope: 'a', storage: memoryStorage(), autoStart: false });
    const Queued = Person.with({ proxy: { use: [outbox] } });
    const queuing = jsonApi({ models: () => ({ people: Queued }) });
    server.reply({ json: { data: ADA } }, { drop: true });
    const ada = await Queued.load('1');
    ada.name = 'Offline';
    await ada.save().catch(() => undefined);
    expect(outbox.entries).toHaveLength(1);
    const session = new Session();
    server.reply({
      json: { data: article('7', '1'), included: [person('1', { name: 'Ada', email: 'new@example.test' })] },
    });
    await session.load(Article.with({ proxy: { dialect: queuing } }), '7', WITH_AUTHORS);
    expect(session.getById(Queued, '1')).toBe(ada);
    expect(ada).toMatchObject({ name: 'Offline', email: 'new@example.test' });
    await outbox.close();
  });

  test('are ignored without a session, and without a model for their type', async () => {
    server.always(() => ({ json: { data: [article('7', '1')], included: [ADA] } }));
    const articles = new Store({ model: Article });
    await articles.load(WITH_AUTHORS);
    expect(articles.count).toBe(1);
    const session = new Session();
    const bare = new Store({ model: Article.with({ proxy: { dialect: jsonApi() } }), session });
    await bare.load(WITH_AUTHORS);
    expect(session.getById(Person, '1')).toBeUndefined();
  });

  test('stay in memory as long as the record that they came with', async () => {
    const session = new Session();
    const load = async (id: string, author: object) => {
      server.reply({ json: { data: article(id, '1'), included: [author] } });
      return await session.load(Article, id, WITH_AUTHORS);
    };
    const kept = await load('7', ADA);
    await (async () => void (await load('8', BOB)))();
    server.reset();
    setFlagsFromString('--expose-gc');
    const gc = runInNewContext('gc') as () => void;
    for (let i = 0; i < 10; i += 1) {
      await new Promise((resolve) => setTimeout(resolve));
      gc();
    }
    expect(session.getById(Person, kept.authorId as string)?.name).toBe('Ada');
    expect(session.getById(Person, '2')).toBeUndefined();
  });
});
