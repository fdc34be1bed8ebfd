import fc from 'fast-check';
import {
  AuthError,
  and,
  auth,
  DefinitionError,
  explain,
  type Filter,
  formBodies,
  HttpError,
  Model,
  not,
  or,
  type RestProxyConfig,
  Store,
  UnsupportedQueryError,
  ValidationError,
  where,
} from 'repose';
import { type PocketbaseOptions, pocketbase } from 'repose/dialects';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

/**
 * Not run against a PocketBase. Requests and answers are those of its documentation, https://pocketbase.io/docs/api-records (list, view,
 * create, update, delete, errors) and https://pocketbase.io/docs/api-rules-and-filters (operators); texts are quoted as its own client
 * does it in `pb.filter()`.
 */
const server = useRestServer();
const URL_OF_POSTS = '/api/collections/posts/records';

class Post extends Model.define({
  name: 'post',
  fields: {
    id: 'string',
    title: 'string',
    views: 'int',
    done: 'boolean',
    tags: 'json',
    city: { type: 'string', mapping: 'address.city' },
    odd: { type: 'string', mapping: '["a-b"]' },
    created: 'date',
  },
}) {}

const bind = (options: PocketbaseOptions = {}, config: RestProxyConfig = {}) =>
  Post.with({ proxy: server.proxy(URL_OF_POSTS, { dialect: pocketbase(options), ...config }) });
const { title, views, done, city, odd, created } = where(Post);
const row = {
  collectionId: 'a98f514eb05f454',
  collectionName: 'posts',
  id: 'ae40239d2bc4477',
  title: 'test1',
  views: 3,
};
const ID = row.id;
const page = (items: readonly object[], more: object = {}) => ({
  json: { page: 1, perPage: 30, totalItems: 57, totalPages: 2, items, ...more },
});

interface Query {
  filters?: readonly unknown[];
  sorters?: readonly unknown[];
  search?: string;
  params?: object;
}
const explained = (query: Query, options: PocketbaseOptions = {}) =>
  explain(bind(options).proxy, { action: 'read', model: Post, ...query } as never);
const filterOf = async (filters: readonly unknown[], options?: PocketbaseOptions) => {
  const { request, refused } = await explained({ filters }, options);
  if (refused) throw refused;
  return request?.params['filter'];
};

describe('lists', () => {
  test('asks for page, size, order and filter, and reads items and total', async () => {
    const posts = new Store({
      model: bind(),
      pageSize: 30,
      remoteSort: true,
      remoteFilter: true,
      grouper: 'done',
      sorters: [{ property: 'created', direction: 'DESC' }, 'id'],
      filters: [views.ge(18), city.eq('Rome')],
    });
    server.reply(page([row], { page: 2 }));
    await posts.load({ page: 2 });
    expect(decodeURIComponent(server.last.url)).toBe(
      `${URL_OF_POSTS}?page=2&perPage=30&sort=done,-created,id&filter=views>=18 && address.city='Rome'`,
    );
    expect([posts.total, posts.getAt(0)?.title]).toEqual([57, 'test1']);
  });

  test('has no total with skipTotal', async () => {
    const posts = new Store({ model: bind({ skipTotal: true }), pageSize: 1 });
    server.reply(page([row], { totalItems: -1, totalPages: -1, perPage: 1 }), page([], { totalItems: -1, page: 2 }));
    await posts.load();
    expect(server.last.url).toBe(`${URL_OF_POSTS}?page=1&perPage=1&skipTotal=1`);
    expect([posts.total, posts.hasMore]).toEqual([undefined, true]);
    await posts.loadMore();
    expect([posts.count, posts.hasMore]).toEqual([1, false]);
  });

  test('takes the last page, which older servers send for every page behind it, for an empty one', async () => {
    const posts = new Store({ model: bind(), pageSize: 30 });
    server.reply(page([row], { page: 2 }));
    await posts.load({ page: 9 });
    expect([posts.count, posts.total]).toEqual([0, 57]);
  });

  test('refuses later pages of a server that sends fewer rows per page', async () => {
    const posts = new Store({ model: bind(), pageSize: 1000 });
    server.reply(page([row], { page: 2, perPage: 500, totalItems: 1300 }));
    await expect(posts.load({ page: 2 })).rejects.toMatchObject({ reason: 'response-limit' });
  });

  test('sends the relations to expand, and reads them', async () => {
    class Expanded extends Model.define({
      fields: { id: 'string', author: { type: 'string', mapping: 'expand.author.name' } },
      proxy: server.proxy(URL_OF_POSTS, { dialect: pocketbase(), extraParams: { expand: 'author' } }),
    }) {}
    server.reply({ json: { ...row, expand: { author: { id: 'x', name: 'Ada' } } } });
    const post = await Expanded.load(ID);
    expect(server.last.url).toBe(`${URL_OF_POSTS}/${ID}?expand=author`);
    expect(post.author).toBe('Ada');
  });
});

describe('filters', () => {
  test.each<[string, readonly unknown[], string]>([
    ['equal', [title.eq('test')], "title='test'"],
    ['not equal', [views.ne(3)], 'views!=3'],
    ['comparisons', [views.gt(1), views.lt(-2.5)], 'views>1 && views<-2.5'],
    ['true', [done.eq(true)], 'done=true'],
    ['null', [title.eq(null as never), city.isNull(false)], 'title=null && address.city!=null'],
    ['a text inside', [title.like("O'Neil")], "title~'O\\'Neil'"],
    ['a number inside a text', [{ property: 'title', operator: 'like', value: 5 }], "title~'5'"],
    ['a number that is no literal there', [views.lt(1e21)], "views<'1e+21'"],
    ['quotes and backslashes', [title.eq('a"b\\c\\\'d')], "title='a\"b\\c\\\\'d'"],
    ['a date, as it is stored', [created.ge(new Date(0))], "created>='1970-01-01 00:00:00.000Z'"],
    ['one of a list', [views.in([1, 2]), done.eq(true)], '(views=1 || views=2) && done=true'],
    ['one of a list of one', [views.in([1])], 'views=1'],
    ['none of a list', [views.nin([1, 2])], 'views!=1 && views!=2'],
    ['a range', [views.between(1, 5)], 'views>=1 && views<=5'],
    ['a tree', [or(and(views.ge(1), done.eq(true)), title.eq('a'))], "(views>=1 && done=true) || title='a'"],
    [
      'two trees',
      [or(views.eq(1), views.eq(2)), or(views.eq(3), done.eq(true))],
      '(views=1 || views=2) && (views=3 || done=true)',
    ],
    [
      'trees of one form',
      [or(views.eq(1), or(views.eq(2), views.in([3, 4])))],
      'views=1 || views=2 || views=3 || views=4',
    ],
    [
      'opposites',
      [not(views.lt(1)), not(views.ge(2)), not(views.le(3)), not(views.gt(4))],
      'views>=1 && views<2 && views>3 && views<=4',
    ],
    [
      'opposites of equality',
      [not(title.eq('a')), not(title.ne('b')), not(title.like('c')), not(title.isNull())],
      "title!='a' && title='b' && title!~'c' && title!=null",
    ],
    [
      'opposites of lists',
      [not(views.in([1, 2])), not(views.nin([3, 4]))],
      'views!=1 && views!=2 && (views=3 || views=4)',
    ],
    ['the opposite of a range', [not(views.between(1, 5))], 'views<1 || views>5'],
    [
      'opposites of trees',
      [not(and(views.eq(1), or(views.eq(2), not(views.eq(3)))))],
      'views!=1 || (views!=2 && views=3)',
    ],
  ])('writes %s', async (_, filters, text) => {
    expect(await filterOf(filters)).toBe(text);
  });

  test('compares each of several values on request', async () => {
    const tags = (operator: string, value: unknown) => ({ property: 'tags', operator, value });
    const filters = [
      tags('eq', 'a'),
      tags('ne', 'b'),
      tags('like', 'c'),
      not(tags('eq', 'd') as never),
      tags('in', ['e', 'f']),
    ];
    expect(await filterOf(filters, { multiple: ['tags'] })).toBe(
      "tags?='a' && tags!='b' && tags?~'c' && tags!='d' && (tags?='e' || tags?='f')",
    );
    expect(await filterOf([tags('isNull', true)], { multiple: ['tags'] })).toBe('tags=null');
  });

  test.each<[string, Query, RegExp]>([
    ['an operator that differs there', { filters: [title.contains('a')] }, /operator 'contains'/],
    ['a text with %', { filters: [title.like('50%')] }, /the character '%' in a value of 'title' with `like`/],
    ['a text that ends with a backslash', { filters: [title.eq('a\\')] }, /the character '\\' in a value of 'title'/],
    [
      'a double quote within brackets',
      { filters: [or(and(title.eq('a"'), views.eq(1)), views.eq(2))] },
      /'"' within brackets/,
    ],
    ['null compared', { filters: [views.gt(null as never)] }, /null as a value of 'views'/],
    ['null inside a text', { filters: [title.like(null as never)] }, /null as a value of 'title'/],
    ['a list as a value', { filters: [{ property: 'title', value: ['a'] }] }, /a list as a value of 'title'/],
    [
      'a range of one',
      { filters: [{ property: 'views', operator: 'between', value: [1] }] },
      /'between' with 1 values/,
    ],
    ['a name that would be grammar', { filters: [odd.eq('a')] }, /a filter by '.*a-b/],
    ['what is no field', { filters: [{ property: 'x', value: 1 }] }, /'x'/],
    [
      'a filter beside one of the call',
      { filters: [views.eq(1)], params: { filter: 'x=1' } },
      /two parameters named 'filter'/,
    ],
    ['a search', { search: 'ed' }, /a search/],
  ])('refuses %s before anything is sent', async (_, query, why) => {
    const { refused } = await explained(query);
    expect(refused).toBeInstanceOf(UnsupportedQueryError);
    expect(refused?.message).toMatch(why);
  });

  test('keep the same rows as the store, on a server that reads the documented grammar', async () => {
    const text = fc
      .array(fc.constantFrom(...'aB\'"\\()&|=~ü'.split(''), ' && ', " || id!='"), { maxLength: 4 })
      .map((parts) => parts.join(''));
    const number = fc.integer({ min: -3, max: 3 });
    const list = (value: fc.Arbitrary<unknown>) => fc.array(value, { minLength: 1, maxLength: 3 });
    const condition: fc.Arbitrary<Filter> = fc.oneof(
      fc.record({ property: fc.constant('title'), operator: fc.constantFrom('eq', 'ne', 'like'), value: text }),
      fc.record({ property: fc.constant('title'), operator: fc.constantFrom('in', 'nin'), value: list(text) }),
      fc.record({
        property: fc.constant('views'),
        operator: fc.constantFrom('eq', 'ne', 'lt', 'le', 'gt', 'ge'),
        value: number,
      }),
      fc.record({ property: fc.constant('views'), operator: fc.constantFrom('in', 'nin'), value: list(number) }),
      fc.record({ property: fc.constant('views'), operator: fc.constant('between'), value: fc.tuple(number, number) }),
    );
    const { filter } = fc.letrec<{ filter: Filter }>((tie) => ({
      filter: fc.oneof(
        { maxDepth: 3 },
        condition,
        fc.record({ and: fc.array(tie('filter'), { minLength: 1, maxLength: 3 }) }),
        fc.record({ or: fc.array(tie('filter'), { minLength: 1, maxLength: 3 }) }),
        fc.record({ not: tie('filter') }),
      ),
    }));
    const rows = fc.uniqueArray(fc.record({ id: fc.stringMatching(/^[a-c]{2}$/), title: text, views: number }), {
      selector: ({ id }) => id,
      maxLength: 6,
    });
    let sent = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(filter, { minLength: 1, maxLength: 3 }), rows, async (filters, items) => {
        const posts = new Store({ model: bind(), pageSize: 0, remoteFilter: true, filters: filters as never });
        if ((await explained({ filters })).refused) return;
        sent += 1;
        server.reply(({ query }) => {
          const holds = new Expression(query.get('filter') ?? '').read();
          return page(
            items.filter((item) => holds(item)),
            { totalItems: 0 },
          );
        });
        await posts.load();
        const kept = new Store({ model: Post, data: items, pageSize: 0, filters: filters as never });
        expect(posts.getRange().map(({ id }) => id)).toEqual(kept.getRange().map(({ id }) => id));
      }),
      { numRuns: 300 },
    );
    expect(sent).toBeGreaterThan(100);
  });
});

type Item = Readonly<Record<string, unknown>>;
type Test = (item: Item) => boolean;

/**
 * Reads an expression as the documentation describes it: operand, operator, operand, joined by `&&`, which binds tighter, `||` and
 * brackets. A quote behind a backslash belongs to the text; any other backslash is an ordinary character.
 */
class Expression {
  private at = 0;
  constructor(private readonly text: string) {}

  read(): Test {
    const found = this.any();
    expect(this.text.slice(this.at)).toBe('');
    return found;
  }

  private take(pattern: RegExp): string {
    const [found] = pattern.exec(this.text.slice(this.at)) ?? [];
    if (found === undefined) throw new Error(`no ${pattern} at ${this.at} in ${this.text}`);
    this.at += found.length;
    return found;
  }

  private has(text: string): boolean {
    const isNext = this.text.startsWith(text, this.at);
    if (isNext) this.at += text.length;
    return isNext;
  }

  private any(): Test {
    const tests = [this.all()];
    while (this.has(' || ')) tests.push(this.all());
    return (item) => tests.some((each) => each(item));
  }

  private all(): Test {
    const tests = [this.one()];
    while (this.has(' && ')) tests.push(this.one());
    return (item) => tests.every((each) => each(item));
  }

  private one(): Test {
    if (this.has('(')) {
      const inside = this.any();
      this.take(/^\)/);
      return inside;
    }
    const name = this.take(/^[a-z]+/);
    const sign = this.take(/^[=!<>~]+/);
    const than = this.literal();
    return (item) => {
      const given = item[name] as string | number;
      const contains = () => String(given).toLowerCase().includes(String(than).toLowerCase());
      const tests: Readonly<Record<string, () => boolean>> = {
        '=': () => given === than,
        '!=': () => given !== than,
        '<': () => given < than,
        '<=': () => given <= than,
        '>': () => given > than,
        '>=': () => given >= than,
        '~': contains,
        '!~': () => !contains(),
      };
      return (tests[sign] as () => boolean)();
    };
  }

  private literal(): string | number {
    if (!this.has("'")) return Number(this.take(/^-?\d+/));
    let text = '';
    while (this.text[this.at] !== "'" || text.endsWith('\\')) text += this.take(/^[\s\S]/);
    this.at += 1;
    return text.replaceAll("\\'", "'");
  }
}

describe('single records', () => {
  test('are read, created, updated and erased at their addresses', async () => {
    const Bound = bind();
    server.reply(
      { json: row },
      { json: { ...row, title: 'b' } },
      { status: 204 },
      { json: { ...row, id: 'd08dfc4f4d84419' } },
    );
    const post = await Bound.load(ID);
    post.set('title', 'b');
    await post.save();
    expect(server.last).toMatchObject({ method: 'PATCH', url: `${URL_OF_POSTS}/${ID}`, body: { title: 'b' } });
    await post.erase();
    expect(server.lines.at(-1)).toBe(`DELETE ${URL_OF_POSTS}/${ID}`);
    const created = new Bound({ title: 'c' });
    await created.save();
    expect(server.last).toMatchObject({ method: 'POST', url: URL_OF_POSTS, body: { title: 'c' } });
    expect(created.id).toBe('d08dfc4f4d84419');
  });

  test.each(['a/b', 'ü x', 'a"b?', '100%'])('may have the id %s', async (id) => {
    server.reply({ json: { ...row, id } });
    await bind().load(id);
    expect(decodeURIComponent(server.last.path)).toBe(`${URL_OF_POSTS}/${id}`);
  });

  test('are written one by one', () => {
    expect(() => bind({}, { batchActions: true }).proxy).toThrow(/batchActions/);
  });
});

test('sends files in forms, in which lists repeat the name', async () => {
  class Photo extends Model.define({
    name: 'photo',
    fields: { id: 'string', tags: 'json', images: 'json' },
    proxy: server.proxy('/api/collections/photos/records', {
      dialect: pocketbase(),
      writer: { type: 'multipart', names: ([name]) => String(name) },
      use: [formBodies()],
    }),
  }) {}
  const photo = Photo.fromRow({ id: ID });
  photo.set({ tags: ['a', 'b'], images: [new File(['x'], 'a.jpg'), new File(['y'], 'b.jpg')] });
  const { request, body } = await explain(Photo.proxy, { action: 'update', records: [photo] });
  expect(request?.method).toBe('PATCH');
  expect(body?.text).toBe('tags=a&tags=b&images=(a.jpg, 1 bytes)&images=(b.jpg, 1 bytes)');
});

describe('errors', () => {
  const fail = async (status: number, json: unknown) => {
    server.reply({ status, json });
    const post = bind().fromRow(row);
    post.set('title', '');
    return (await post.save().catch((error: unknown) => error)) as Error;
  };

  test('of validation name the fields with their codes', async () => {
    const error = await fail(400, {
      status: 400,
      message: 'Failed to create record.',
      data: { title: { code: 'validation_required', message: 'Missing required value.' } },
    });
    expect(error).toBeInstanceOf(ValidationError);
    expect((error as ValidationError).issues).toEqual([
      { path: ['title'], message: 'Missing required value.', code: 'validation_required' },
    ]);
  });

  test('without fields keep their message', async () => {
    const missing = await fail(404, { status: 404, message: "The requested resource wasn't found.", data: {} });
    expect(missing).toMatchObject({ status: 404, reason: 'http-not-found' });
    expect(missing.message).toMatch("The requested resource wasn't found");
    expect(
      await fail(403, { status: 403, message: 'Only superusers can perform this action.', data: {} }),
    ).toBeInstanceOf(AuthError);
    server.reply({
      status: 400,
      json: { status: 400, message: 'Something went wrong while processing your request.', data: {} },
    });
    await expect(new Store({ model: bind() }).load()).rejects.toBeInstanceOf(HttpError);
    server.reply({ status: 502, text: '<html>' });
    await expect(bind().load(ID)).rejects.toMatchObject({ status: 502 });
  });

  test('of an ended token are mended by auth()', async () => {
    let token = 'old';
    const Bound = bind(
      {},
      { headers: () => ({ Authorization: token }), use: [auth({ renew: () => void (token = 'new') })] },
    );
    server.reply(
      {
        status: 401,
        json: { status: 401, message: 'The request requires valid record authorization token.', data: {} },
      },
      { json: row },
    );
    await Bound.load(ID);
    expect(server.last.headers['authorization']).toBe('new');
  });
});

test.each<[string, () => unknown, RegExp]>([
  ['an unknown option', () => pocketbase({ skipTotals: true } as never), /skipTotal/],
  ['a text instead of a list', () => pocketbase({ multiple: 'tags' as never }), /pocketbase\.multiple.*\['tags'\]/],
])('refuses %s', (_, make, why) => {
  expect(make).toThrow(DefinitionError);
  expect(make).toThrow(why);
});
