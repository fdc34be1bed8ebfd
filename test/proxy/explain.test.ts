import fc from 'fast-check';
import {
  AddressError,
  AjaxProxy,
  type Clock,
  type ExplainConfig,
  etags,
  explain,
  idempotency,
  MemoryProxy,
  Model,
  Operation,
  type ProxyRequest,
  plain,
  printExplanation,
  RestProxy,
  type RestProxyConfig,
} from 'repose';
import { describe, expect, test } from 'vitest';
import { pageOf } from '../helpers/error-page.js';

const clock: Clock = { now: () => 1700000000000, after: () => () => undefined };
const base = { baseUrl: 'https://h.test', clock };

class User extends Model.define({
  name: 'user',
  fields: { id: 'auto', name: 'string', teamId: 'auto' },
  proxy: { type: 'rest', url: '/users' },
}) {}
const saved = (row: object = { id: 7, name: 'Ed', teamId: 3 }) => User.fromRow(row) as never;

// ── Random proxies and operations ──

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  fc.constantFrom('id', 'page', 'a b', '..', 'ü&=', ''),
);
const value = fc.oneof(
  text,
  fc.integer(),
  fc.boolean(),
  fc.constantFrom(null, undefined, new Date(0), { a: [1] }),
  fc.array(text, { maxLength: 3 }),
);
const name = fc.option(text, { nil: undefined });
const defined = <T extends object>(object: T): T =>
  Object.fromEntries(Object.entries(object).filter(([, each]) => each !== undefined)) as T;

const proxyConfig = fc
  .record({
    url: fc.constantFrom(
      '/users',
      '/users/',
      'users',
      '/users?x=1',
      '/users#f',
      'https://h.test',
      '/t/{teamId}/users?y=2#z',
      '/users.',
    ),
    format: fc.constantFrom(undefined, undefined, 'json', '..'),
    appendId: fc.constantFrom(undefined, true, false),
    trailingSlash: fc.boolean(),
    noCache: fc.boolean(),
    cacheString: fc.constantFrom(undefined, '', 'no cache'),
    idParam: name,
    pageParam: name,
    sortParam: name,
    simpleSortMode: fc.boolean(),
    simpleGroupMode: fc.boolean(),
    extraParams: fc.dictionary(text, value, { maxKeys: 3 }),
    pathParams: fc.constantFrom({}, { teamId: 'a/b' }),
    dialect: fc.constantFrom(undefined, plain()),
    batchActions: fc.boolean(),
  })
  .map(defined) as fc.Arbitrary<RestProxyConfig>;

const operationConfig = fc
  .record({
    action: fc.constantFrom('create', 'read', 'update', 'destroy'),
    id: fc.constantFrom(undefined, null, 0, 7, 'a/b', '..', '', Number.NaN),
    url: fc.constantFrom(undefined, undefined, '/other?o=1'),
    records: fc.constantFrom([], [saved()], [saved({ id: 'a b' })], [saved(), saved()], [new User({ name: 'new' })]),
    page: fc.constantFrom(undefined, 2),
    start: fc.constantFrom(undefined, 0, 25),
    limit: fc.constantFrom(undefined, 25),
    sorters: fc.constantFrom(undefined, ['name'], [{ property: 'name', direction: 'DESC' }, 'id']),
    filters: fc.constantFrom(
      undefined,
      [{ property: 'name', value: 'a' }],
      [{ property: 'name', operator: '>', value: 1 }],
    ),
    grouper: fc.constantFrom(undefined, 'name'),
    params: fc.dictionary(text, value, { maxKeys: 3 }),
  })
  .map(defined) as fc.Arbitrary<Omit<ExplainConfig, 'model'>>;

describe('explain', () => {
  test.each<[string, typeof AjaxProxy<RestProxyConfig>]>([
    ['RestProxy', RestProxy],
    ['AjaxProxy', AjaxProxy],
  ])('returns parts that join to the address of the request (%s)', { timeout: 60_000 }, async (_, Type) => {
    await fc.assert(
      fc.asyncProperty(proxyConfig, operationConfig, async (config, operation) => {
        // Only the REST proxy appends ids and formats.
        const { appendId: _appendId, format: _format, trailingSlash: _trailingSlash, ...common } = config;
        const proxy = new Type({ ...base, ...(Type === RestProxy ? config : common) });
        const explanation = await explain(proxy, operation);
        let request: ProxyRequest | undefined;
        let refused: unknown;
        try {
          request = proxy.buildRequest(new Operation(operation));
        } catch (error) {
          refused = error;
        }
        if (request) {
          expect(explanation.refused).toBeUndefined();
          expect(explanation.parts.map((part) => part.text).join('')).toBe(request.url);
          expect(explanation.parts.every((part) => part.text && part.rule && part.option)).toBe(true);
          expect(explanation.parts.map((part) => part.rule)).not.toContain('override');
          expect(explanation.request).toMatchObject({ url: request.url, method: request.method });
          expect(explanation.body?.text).toBe(request.body === undefined ? undefined : JSON.stringify(request.body));
        } else {
          expect(explanation.refused).toMatchObject({ reason: (refused as AddressError).reason });
          expect(explanation.request).toBeUndefined();
        }
      }),
      { numRuns: 500 },
    );
  });

  test('names the rule and the option of each part', async () => {
    const proxy = new RestProxy({
      ...base,
      url: '/teams/{teamId}/users?x=1',
      format: 'json',
      extraParams: { e: 1 },
    });
    const { parts } = await explain(proxy, { action: 'read', records: [saved()], params: { q: 'a b' } });
    expect(parts).toEqual([
      { text: '/teams/3/users', rule: 'H10', option: 'url' },
      { text: '/7', rule: '§4 rule 3', option: 'appendId' },
      { text: '.json', rule: '§4 rule 5', option: 'format' },
      { text: '?x=1', rule: 'H1', option: 'url' },
      { text: '&_dc=1700000000000', rule: '§4 rule 6', option: 'noCache' },
      { text: '&q=a%20b', rule: '§4 rule 6', option: 'params' },
      { text: '&e=1', rule: '§4 rule 6', option: 'extraParams' },
    ]);
  });

  test.each([
    [{ url: '/other?o=1' }, '/other', '?o=1', 'operation.url'],
    [{}, '/list', '?v=2', 'api.read'],
  ])('names the option that gives the base and its query: %o', async (more, path, query, option) => {
    const proxy = new RestProxy({ ...base, url: '/users', noCache: false, api: { read: '/list?v=2' } });
    expect((await explain(proxy, { action: 'read', ...more })).parts).toEqual([
      { text: path, rule: '§4', option },
      { text: query, rule: 'H1', option },
    ]);
  });

  test('names slash, id parameter, sorting, grouping and filters', async () => {
    const proxy = new RestProxy({ ...base, url: '/users', noCache: false, trailingSlash: true, appendId: false });
    const { parts } = await explain(proxy, {
      action: 'read',
      id: 7,
      page: 1,
      start: 0,
      limit: 5,
      sorters: ['name'],
      grouper: 'name',
      filters: [{ property: 'name', value: 1 }],
    });
    expect(parts.map(({ rule, option }) => `${rule} ${option}`)).toEqual([
      '§4 url',
      'H11 trailingSlash',
      '§4 rule 6 pageParam',
      '§4 rule 6 startParam',
      '§4 rule 6 limitParam',
      '§4 rule 6 groupParam',
      '§4 rule 6 sortParam',
      'H8 filterParam',
      'H4 idParam',
    ]);
  });

  test('uses the names of the server in a read of a list whose model is given', async () => {
    class Post extends Model.define({
      name: 'post',
      fields: { id: 'int', heading: { type: 'string', mapping: 'title' } },
      proxy: { type: 'rest', ...base, url: '/posts', dialect: plain() },
    }) {}
    const read = { action: 'read', sorters: ['heading'], filters: [{ property: 'heading', value: 'a' }] } as const;
    expect((await explain(Post.proxy, { ...read, model: Post })).request?.url).toBe('/posts?sort=title&title=a');
    expect((await explain(Post.proxy, read)).request?.url).toBe('/posts?sort=heading&heading=a');
    const { refused } = await explain(Post.proxy, { action: 'read', sorters: ['headnig'], model: Post });
    expect(refused?.message).toBe(`post has no field 'headnig': did you mean 'heading'?${pageOf('query-field')}`);
  });

  test.each([['post'], [Model], [Object], [null]])('refuses a `model` that is no model: %s', async (model) => {
    const explanation = explain(User.proxy, { action: 'read', model: model as never });
    await expect(explanation).rejects.toThrow('explain.model must be a model, such as `User`');
  });

  test('adds one part `override` if an override changes the address', async () => {
    class OwnProxy extends RestProxy {
      override buildUrl(request: ProxyRequest): string {
        return `${super.buildUrl(request)}?own=1`;
      }
    }
    const { parts } = await explain(new OwnProxy({ ...base, url: '/users', noCache: false }), {
      action: 'read',
      id: 7,
    });
    expect(parts).toEqual([
      { text: '/users', rule: '§4', option: 'url' },
      { text: '/7', rule: '§4 rule 3', option: 'appendId' },
      { text: '/users/7?own=1', rule: 'override', option: 'buildUrl' },
    ]);
  });

  test('names the parameters that an override adds', async () => {
    class OwnProxy extends RestProxy {
      override buildUrl(request: ProxyRequest): string {
        request.params['v'] = 2;
        request.url = '/users/active';
        return super.buildUrl(request);
      }
    }
    const { parts } = await explain(new OwnProxy({ ...base, url: '/users', noCache: false }), { action: 'read' });
    expect(parts).toEqual([
      { text: '/users/active', rule: '§4', option: 'request.url' },
      { text: '?v=2', rule: '§4 rule 6', option: 'params' },
    ]);
  });

  test('returns verb, headers and body', async () => {
    const proxy = new RestProxy({ ...base, url: '/users', headers: { 'x-own': 'proxy', accept: 'text/json' } });
    const { method, headers, body } = await explain(proxy, {
      action: 'update',
      records: [saved()],
      headers: { 'X-Own': 'call' },
    });
    expect(method).toEqual({ text: 'PUT', rule: 'H13', option: 'actionMethods' });
    expect(headers).toEqual([
      { text: 'accept: text/json', rule: 'H15', option: 'headers' },
      { text: 'Content-Type: application/json', rule: 'H15', option: 'default' },
      { text: 'X-Own: call', rule: 'H15', option: 'operation.headers' },
    ]);
    expect(body).toEqual({ text: '{"id":7,"name":"Ed","teamId":3}', rule: 'H7', option: 'writer' });
  });

  test('names the option that gives each header', async () => {
    const options = { use: [idempotency({ header: 'Key' }), etags()], headers: { 'x-own': 'proxy' } };
    const proxy = new RestProxy({ ...base, url: '/users', reader: { etagProperty: 'tag' }, ...options });
    const { headers } = await explain(proxy, {
      action: 'update',
      records: [User.fromRow({ id: 7, name: 'Ed', tag: '"1"' }) as never],
      headers: { 'x-call': 'call' },
      idempotencyKey: 'k',
    });
    expect(Object.fromEntries(headers.map((part) => [part.text, part.option]))).toEqual({
      'Accept: application/json': 'default',
      'Content-Type: application/json': 'default',
      'x-own: proxy': 'headers',
      'Key: k': 'idempotency',
      'If-Match: "1"': 'etags',
      'x-call: call': 'operation.headers',
    });
  });

  test('shows an existing idempotency key and creates none', async () => {
    const proxy = new RestProxy({ ...base, url: '/users', use: [idempotency({ header: 'Key' })] });
    const optionsOf = async (config: Partial<ExplainConfig>) =>
      (await explain(proxy, { action: 'create', ...config })).headers.map(({ text, option }) => `${option} ${text}`);
    const records = [new User({ name: 'Ed' }) as never];
    // The record gets its key when its create is sent.
    expect((await optionsOf({ records })).join()).not.toContain('Key');
    expect(await optionsOf({ records, idempotencyKey: 'k' })).toContain('idempotency Key: k');
    expect((await optionsOf({})).join()).not.toContain('Key');
    const saved = [User.fromRow({ id: 7, name: 'Ed' }) as never];
    expect((await optionsOf({ action: 'update', records: saved })).join()).not.toContain('Key');
  });

  test('shows a headers function as computed without calling it', async () => {
    const headers = () => {
      throw new Error('was called');
    };
    const explanation = await explain(new RestProxy({ ...base, url: '/users', headers }), { action: 'read' });
    expect(explanation.headers.at(-1)).toMatchObject({ option: 'headers', text: expect.stringContaining('computed') });
  });

  test('returns a refusal in `refused`, with its operation, and does not reject', async () => {
    const proxy = new RestProxy({ ...base, url: '/users', noCache: false, messages: { 'id-dots': 'nicht {value}' } });
    const explanation = await explain(proxy, { action: 'read', id: '..' });
    expect(explanation.refused).toBeInstanceOf(AddressError);
    expect(explanation.refused).toMatchObject({ message: 'nicht ..', operation: { action: 'read', id: '..' } });
    expect(explanation.parts).toEqual([{ text: '/users', rule: '§4', option: 'url' }]);
  });

  test('returns a refusal by the guard or the dialect in `refused`, too', async () => {
    const proxy = new RestProxy({ ...base, url: '/users', dialect: plain() });
    expect((await explain(proxy, { action: 'destroy' })).refused).toMatchObject({ reason: 'url-collection' });
    const filters = [{ property: 'a', operator: '>', value: 1 }];
    expect((await explain(proxy, { action: 'read', filters })).refused).toMatchObject({ code: 'unsupported-query' });
  });

  test('returns what an override or a function of the application throws in `refused`, as the call rejects with it', async () => {
    class BrokenProxy extends RestProxy {
      override getMethod(): string {
        throw new TypeError('broken');
      }
    }
    const extraParams = () => {
      throw new TypeError('broken');
    };
    const proxies = [
      new BrokenProxy({ ...base, url: '/users' }),
      new RestProxy({ ...base, url: '/users', extraParams }),
      new RestProxy({ ...base, url: '/{team}/users', pathParams: extraParams }),
    ];
    for (const proxy of proxies) {
      const { refused } = await explain(proxy, { action: 'read' });
      expect(refused).toMatchObject({ code: 'definition', reason: 'hook', cause: new TypeError('broken') });
      await expect(proxy.read(new Operation({ action: 'read' }))).rejects.toMatchObject({ message: refused?.message });
    }
  });

  test('uses up no identifier and changes neither operation nor record', async () => {
    let issued = 0;
    class Note extends Model.define({
      fields: { id: 'string', text: 'string' },
      identifier: () => `note-${++issued}`,
      proxy: { type: 'rest', url: '/notes', writer: { writeRecordId: true } },
    }) {}
    const note = new Note({ text: 'a' });
    const before = [issued, note.$.data, note.dirty, note.phantom];
    const operation = new Operation({ action: 'create', records: [note as never] });
    const explanation = await explain(new RestProxy({ ...base, url: '/notes' }), operation);
    await explain(new RestProxy({ ...base, url: '/notes' }), operation);
    expect(explanation.body?.text).toBe('{"text":"a"}');
    expect([issued, note.$.data, note.dirty, note.phantom]).toEqual(before);
    expect(operation.request).toBeUndefined();
  });
});

describe('printExplanation', () => {
  test('prints the request and one part per line, in columns', async () => {
    const proxy = new RestProxy({ ...base, url: '/users', format: 'json', noCache: false });
    expect(printExplanation(await explain(proxy, { action: 'update', records: [saved()] }))).toBe(
      [
        'PUT /users/7.json',
        '  PUT                              H13        actionMethods',
        '  /users                           §4         url',
        '  /7                               §4 rule 3  appendId',
        '  .json                            §4 rule 5  format',
        '  Accept: application/json         H15        default',
        '  Content-Type: application/json   H15        default',
        '  {"id":7,"name":"Ed","teamId":3}  H7         writer',
      ].join('\n'),
    );
  });

  test('prints a refusal and the parts that were built before it', async () => {
    const printed = printExplanation(
      await explain(new RestProxy({ ...base, url: '/users' }), { action: 'read', id: '..' }),
    );
    expect(printed.split('\n')).toEqual([expect.stringMatching(/^refused: .*'\.\.'/), '  /users  §4  url']);
  });

  test('prints a refusal alone if no part was built', async () => {
    const printed = printExplanation(await explain(new RestProxy({ ...base }), { action: 'read' }));
    expect(printed).toMatch(/^refused: .*`url`/);
    expect(printed).not.toContain('\n');
  });

  test('limits the width of the columns', async () => {
    const proxy = new RestProxy({ ...base, url: '/users', noCache: false });
    const printed = printExplanation(await explain(proxy, { action: 'read', params: { q: 'x'.repeat(500) } }));
    expect(printed.split('\n').find((line) => line.includes('/users '))?.length).toBeLessThan(90);
  });
});

describe('a proxy that sends no requests', () => {
  test('explains that nothing is sent', async () => {
    const explanation = await explain(new MemoryProxy(), { action: 'read', id: 7 });
    expect(explanation).toEqual({ parts: [], headers: [] });
    expect(printExplanation(explanation)).toBe('nothing is sent');
  });
});
