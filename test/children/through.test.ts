import { childrenOf, fork, Model, plain, reference, Session, type Store, through } from 'repose';
import { restServer } from 'repose/testing';
import { beforeEach, describe, expect, expectTypeOf, test } from 'vitest';

let server: ReturnType<typeof restServer>;
/** A part of the addresses that are answered 500. */
let broken: string | undefined;
/** Tells that an erase has begun, and lets it go on. */
let erases: { readonly begun: () => void; readonly allowed: Promise<void> } | undefined;
const proxy = (url: string) => ({
  type: 'rest' as const,
  url,
  dialect: plain(),
  baseUrl: 'http://test.test',
  fetch: (async (input, init) => {
    if (init?.method === 'DELETE') erases?.begun();
    if (init?.method === 'DELETE') await erases?.allowed;
    if (broken && String(input).includes(broken)) return Promise.resolve(new Response('{}', { status: 500 }));
    return server.fetch(String(input).replace('http://test.test', server.baseUrl), init);
  }) as typeof fetch,
});

class Post extends Model.define({ name: 'post', fields: { id: 'int', title: 'string' }, proxy: proxy('/posts') }) {}
class Tag extends Model.define({ name: 'tag', fields: { id: 'int', name: 'string' }, proxy: proxy('/tags') }) {}
class Tagging extends Model.define({
  name: 'tagging',
  fields: { id: 'int', postId: reference('int'), tagId: reference('int') },
  proxy: proxy('/taggings'),
}) {
  static override references(): { postId: typeof Post; tagId: typeof Tag } {
    return { postId: Post, tagId: Tag };
  }
}
class Person extends Model.define({
  name: 'person',
  fields: { id: 'int', name: 'string' },
  proxy: proxy('/people'),
}) {}
class Friendship extends Model.define({
  name: 'friendship',
  fields: { id: 'int', fromId: reference('int'), toId: reference('int'), viaId: reference('int') },
  proxy: proxy('/friendships'),
}) {
  static override references(): { fromId: typeof Person; toId: typeof Person; viaId: typeof Person } {
    return { fromId: Person, toId: Person, viaId: Person };
  }
}

beforeEach(() => {
  skipped = 0;
  erases = undefined;
  server = restServer({
    collections: {
      '/posts': [{ id: 7, title: 'On engines' }],
      '/tags': [
        { id: 1, name: 'a' },
        { id: 2, name: 'b' },
        { id: 3, name: 'c' },
      ],
      '/taggings': [
        { id: 11, postId: 7, tagId: 2 },
        { id: 12, postId: 8, tagId: 3 },
        { id: 13, postId: 7, tagId: 1 },
        { id: 14, postId: 7, tagId: 2 },
      ],
      '/people': [
        { id: 1, name: 'Ada' },
        { id: 2, name: 'Alan' },
      ],
      '/friendships': [{ id: 1, fromId: 1, toId: 2 }],
    },
  });
});

const names = (tags: Iterable<Tag>) => [...tags].map(({ name }) => name);
let skipped = 0;
const skip = () => {
  skipped = server.requests.length;
};
const sent = () =>
  server.requests
    .slice(skipped)
    .map(({ method, url, body }) =>
      [method, decodeURIComponent(url.replace(server.baseUrl, '')), body].filter(Boolean).join(' '),
    );

/** A post in a session or alone, and a tag that it does not have yet. */
async function open(isShared: boolean) {
  const session = new Session();
  const post = isShared ? await session.load(Post, 7) : await Post.load(7);
  const tags = through(post, Tag, Tagging);
  const other = isShared ? await session.load(Tag, 3) : await Tag.load(3);
  skip();
  return { session, post, tags, other };
}

describe.each([
  ['in a session', true],
  ['outside of a session', false],
])('the tags of a post %s', (_, isShared) => {
  test('are read with the taggings and one request for all tags, each shown once, in the order of the taggings', async () => {
    const { post, tags } = await open(isShared);
    expectTypeOf(tags).toEqualTypeOf<Store<Tag>>();
    expect(through(post, Tag, Tagging)).toBe(tags);
    expect([tags.count, tags.status.get().loaded]).toEqual([0, false]);
    const loading = tags.load();
    expect(tags.status.get().loading).toBe(true);
    await loading;
    expect([names(tags), tags.status.get().loaded, tags.status.get().loading]).toEqual([['b', 'a'], true, false]);
    expect(sent()).toHaveLength(2);
    expect(sent()[0]).toBe('GET /taggings?postId=7');
    expect(sent()[1]).toMatch(/^GET \/tags\?.*2.*1/);

    await tags.load();
    expect(sent().slice(2)).toEqual(['GET /taggings?postId=7']);
    expect(names(tags)).toEqual(['b', 'a']);
  });

  test('are added and removed by taggings, and told to those who watch', async () => {
    const { post, tags, other } = await open(isShared);
    await tags.load();
    const taggings = childrenOf(post, Tagging);
    let told = 0;
    tags.list.subscribe(() => {
      told += 1;
    });
    expect(tags.add(other)).toEqual([other]);
    expect(names(tags)).toEqual(['b', 'a', 'c']);
    await Promise.resolve();
    expect(told).toBe(1);
    expect(taggings.pending.created.map(({ postId, tagId }) => [postId, tagId])).toEqual([[7, 3]]);
    // A tag that is there already is not added again.
    tags.add(other, tags.getAt(0) as Tag);
    expect(taggings.pending.created).toHaveLength(1);

    const first = tags.getAt(0) as Tag;
    expect(tags.remove(first)).toEqual([first]);
    expect([names(tags), first.erased, tags.pending.removed]).toEqual([['a', 'c'], false, []]);
    expect(taggings.pending.removed.map((each) => each.getId())).toEqual([11, 14]);

    skip();
    const batch = await tags.sync();
    expect(batch.failures).toEqual([]);
    expect(sent().sort()).toEqual([
      'DELETE /taggings/11',
      'DELETE /taggings/14',
      'POST /taggings {"tagId":3,"postId":7}',
    ]);
    expect(server.rows('/tags')).toHaveLength(3);
    expect(names(tags)).toEqual(['a', 'c']);
  });

  test('come back with their tagging, also by a reject', async () => {
    const { post, tags } = await open(isShared);
    await tags.load();
    const a = tags.getAt(1) as Tag;
    tags.remove(a);
    tags.add(a);
    expect([
      names(tags),
      [...childrenOf(post, Tagging).pending.created, ...childrenOf(post, Tagging).pending.edited],
    ]).toEqual([['b', 'a'], []]);
    tags.removeAll();
    expect(names(tags)).toEqual([]);
    tags.reject();
    expect(names(tags)).toEqual(['b', 'a']);
  });

  test('get a new tagging if they are added while the former one is being erased', async () => {
    const { tags } = await open(isShared);
    await tags.load();
    const a = tags.getAt(1) as Tag;
    let allow = () => {};
    const allowed = new Promise<void>((resolve) => (allow = resolve));
    const begun = new Promise<void>((resolve) => {
      erases = { begun: resolve, allowed };
    });
    tags.remove(a);
    skip();
    const sync = tags.sync();
    await begun;
    expect([tags.add(a), names(tags)]).toEqual([[a], ['b', 'a']]);
    allow();
    expect((await sync).failures).toEqual([]);
    expect(names(tags)).toEqual(['b', 'a']);
    expect((await tags.sync()).failures).toEqual([]);
    expect(sent()).toEqual(['DELETE /taggings/13', 'POST /taggings {"tagId":1,"postId":7}']);
  });

  test('that are new are created before their taggings', async () => {
    const { tags } = await open(isShared);
    await tags.load();
    const [made] = tags.add({ name: 'new' }) as [Tag];
    expect([names(tags), made.phantom]).toEqual([['b', 'a', 'new'], true]);
    skip();
    expect((await tags.sync()).failures).toEqual([]);
    expect(sent()).toEqual(['POST /tags {"name":"new"}', `POST /taggings {"tagId":${made.getId()},"postId":7}`]);
    expect(names(tags)).toEqual(['b', 'a', 'new']);
    await tags.load();
    expect(names(tags)).toEqual(['b', 'a', 'new']);
    expect(tags.getAt(2)).toBe(made);
  });

  test('are put before another one, and sorted, as in any store', async () => {
    const { tags, other } = await open(isShared);
    await tags.load();
    tags.insert(0, other);
    expect(names(tags)).toEqual(['c', 'b', 'a']);
    tags.sort('name');
    expect(names(tags)).toEqual(['a', 'b', 'c']);
  });

  test('follow taggings that are edited elsewhere', async () => {
    const { post, tags, other } = await open(isShared);
    await tags.load();
    const taggings = childrenOf(post, Tagging);
    tags.add(other);
    (taggings.getRange().find(({ tagId }) => tagId === 1) as Tagging).tagId = 3;
    expect(names(tags)).toEqual(['b', 'c']);
    taggings.remove(...taggings);
    expect(names(tags)).toEqual([]);
  });

  test('of a new post are kept, and saved with it', async () => {
    const { session, other } = await open(isShared);
    const draft = isShared ? session.create(Post, { title: 'draft' }) : new Post({ title: 'draft' });
    const tags = through(draft, Tag, Tagging);
    await tags.load();
    tags.add(other);
    skip();
    await draft.save({ children: true });
    expect(sent()).toEqual(['POST /posts {"title":"draft"}', `POST /taggings {"tagId":3,"postId":${draft.getId()}}`]);
    expect(names(tags)).toEqual(['c']);
  });
});

describe('through()', () => {
  test('tells a load that failed, and shows what it had', async () => {
    const { tags } = await open(true);
    await tags.load();
    broken = '/taggings';
    await expect(tags.load()).rejects.toMatchObject({ code: 'http', status: 500 });
    expect([names(tags), tags.status.get().error?.code, tags.status.get().loading]).toEqual([
      ['b', 'a'],
      'http',
      false,
    ]);
    broken = undefined;
    await tags.load();
    expect([names(tags), tags.status.get().error]).toEqual([['b', 'a'], undefined]);
  });

  test('needs `by` and `to` where several references lead to one model', async () => {
    const ada = await Person.load(1);
    expect(() => through(ada, Person, Friendship)).toThrow(expect.objectContaining({ reason: 'children-several' }));
    expect(() => through(ada, Person, Friendship, { by: 'fromId' })).toThrow(
      expect.objectContaining({ code: 'definition', reason: 'through-several' }),
    );
    const friends = through(ada, Person, Friendship, { by: 'fromId', to: 'toId' });
    await friends.load();
    expect([...friends].map(({ name }) => name)).toEqual(['Alan']);
  });

  test('refuses a joining model that does not lead to both sides', async () => {
    const post = await Post.load(7);
    const refused = () => through(post, Post, Tagging);
    expect(refused).toThrow(expect.objectContaining({ code: 'definition', reason: 'through-none' }));
    expect(() => through(post, Tag, Tagging).setRecords([])).toThrow(
      expect.objectContaining({ reason: 'through-set' }),
    );
  });

  test('shows copies in a fork, whose taggings are merged', async () => {
    const { session, post, tags, other } = await open(true);
    await tags.load();
    const dialog = fork(session);
    const copies = through(dialog.copyOf(post), Tag, Tagging);
    expect(names(copies)).toEqual(['b', 'a']);
    copies.remove(copies.getAt(0) as Tag);
    copies.add(dialog.copyOf(other));
    expect(names(tags)).toEqual(['b', 'a']);
    dialog.merge();
    expect(names(tags)).toEqual(['a', 'c']);
  });

  test('takes a pushed row of a tag that it shows, and no other', async () => {
    const { session, tags } = await open(true);
    await tags.load();
    session.receive(Tag, [
      { id: 1, name: 'changed' },
      { id: 9, name: 'other' },
    ]);
    expect(names(tags)).toEqual(['b', 'changed']);
  });
});
