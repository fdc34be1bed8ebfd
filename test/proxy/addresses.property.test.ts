import fc from 'fast-check';
import {
  AddressError,
  AjaxProxy,
  Model,
  Operation,
  type OperationConfig,
  type ProxyRequest,
  plain,
  RestProxy,
  type RestProxyConfig,
} from 'repose';
import { describe, expect, test, vi } from 'vitest';

// No id, template value, format or name, however hostile, yields an address outside its collection; the platform's URL is the judge.

vi.setConfig({ testTimeout: 60_000 });

const ORIGIN = 'https://h.test';
const pieces = [
  ...[
    '.',
    '..',
    '/',
    '\\',
    '//',
    '%2e',
    '%2E%2e',
    '%2f',
    '%5c',
    '%00',
    '?',
    '#',
    '&',
    '=',
    ';',
    ':',
    '@',
    '{',
    '}',
    '{x}',
  ],
  ...['\t', '\n', '\r', '\0', ' ', '\u00a0', '\u2024', '\uff0e', '\uff0f', '\ud800', '\udc00', '😀', 'é', 'e\u0301'],
  ...['http://evil.test', '//evil.test', 'javascript:', '__proto__', 'constructor', 'a', 'json', '7', '-1', 'null'],
];
const hostileText = fc.oneof(
  fc.array(fc.constantFrom(...pieces), { maxLength: 6 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
);
const hostile = fc.oneof(
  { weight: 6, arbitrary: hostileText },
  { weight: 2, arbitrary: fc.oneof(fc.double(), fc.integer(), fc.maxSafeInteger(), fc.bigInt()) },
  { weight: 1, arbitrary: fc.anything({ withDate: true, withNullPrototype: true, withSparseArray: true }) },
);
const action = fc.constantFrom('create', 'read', 'update', 'destroy');

/** The address of the request; undefined if it is refused with an `AddressError`. Any other error fails the test. */
function sent(proxy: RestProxy | AjaxProxy, operation: OperationConfig): URL | undefined {
  try {
    const request = proxy.buildRequest(new Operation(operation));
    return new URL(request.url as string, ORIGIN);
  } catch (error) {
    if (error instanceof AddressError) return undefined;
    throw error;
  }
}

const proxyOf = (config: RestProxyConfig) => new RestProxy({ baseUrl: ORIGIN, noCache: false, ...config });
const isValid = (id: unknown) => Boolean(id) || id === 0;
const below = (url: URL, base: string) => url.origin === ORIGIN && url.pathname.startsWith(`${base}/`) && !url.username;

describe('an id', () => {
  test('addresses its record inside the collection, or is refused', () => {
    fc.assert(
      fc.property(hostile, action, (id, act) => {
        const url = sent(proxyOf({ url: '/api/users' }), { action: act, id });
        if (!url) return;
        if (!isValid(id)) {
          expect(['create', 'read']).toContain(act);
          expect(url.href).toBe(`${ORIGIN}/api/users`);
          return;
        }
        expect(below(url, '/api/users')).toBe(true);
        expect(url.search + url.hash).toBe('');
        const segments = url.pathname.slice('/api/users/'.length).split('/');
        expect(segments).toHaveLength(1);
        expect(decodeURIComponent(segments[0] as string)).toBe(String(id));
      }),
      { numRuns: 1000 },
    );
  });

  test('of a record addresses its record inside the collection, or is refused', () => {
    class User extends Model.define({ fields: { id: 'auto' }, proxy: { type: 'rest', url: '/api/users' } }) {}
    fc.assert(
      fc.property(hostileText, fc.constantFrom('read', 'update', 'destroy'), (id, act) => {
        const url = sent(proxyOf({ url: '/api/users' }), { action: act, records: [User.fromRow({ id }) as never] });
        if (!url) return;
        if (id === '') expect(url.pathname).toBe('/api/users');
        else expect(url.pathname.slice('/api/users/'.length).split('/').map(decodeURIComponent)).toEqual([id]);
      }),
      { numRuns: 1000 },
    );
  });

  test('that is safe text is never refused', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (id) => {
        // A server that decodes slashes early would leave the collection by these.
        const segments = id.split(/[/\\]/);
        fc.pre(segments.some(Boolean) && !segments.some((segment) => segment === '.' || segment === '..'));
        const url = sent(proxyOf({ url: '/api/users' }), { action: 'read', id });
        expect(decodeURIComponent((url as URL).pathname)).toBe(`/api/users/${id}`);
      }),
    );
  });

  test('stays one segment with a format or a trailing slash', () => {
    fc.assert(
      fc.property(hostile, fc.boolean(), (id, slash) => {
        fc.pre(isValid(id));
        const url = sent(proxyOf({ url: '/api/users', ...(slash ? { trailingSlash: true } : { format: 'json' }) }), {
          action: 'read',
          id,
        });
        if (!url) return;
        const [segment = '', ...more] = url.pathname.slice('/api/users/'.length).split('/');
        expect(more).toEqual(slash ? [''] : []);
        // An id that ends with a dot brings the dot of the format along (§4 rule 5.1).
        const suffix = slash ? '' : String(id).endsWith('.') ? 'json' : '.json';
        expect(decodeURIComponent(segment)).toBe(String(id) + suffix);
      }),
      { numRuns: 1000 },
    );
  });

  test('that is sent as a parameter never changes the path', () => {
    fc.assert(
      fc.property(hostile, fc.boolean(), (id, ajax) => {
        const config = { url: '/api/users', baseUrl: ORIGIN, noCache: false };
        const proxy = ajax ? new AjaxProxy(config) : new RestProxy({ ...config, appendId: false });
        const url = sent(proxy, { action: 'read', id });
        if (!url) return;
        expect(url.origin + url.pathname + url.hash).toBe(`${ORIGIN}/api/users`);
        expect(url.searchParams.get('id')).toBe(isValid(id) ? String(id) : null);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('an override of buildUrl', () => {
  /** Changes that an override can make to an address. */
  const edit = fc.oneof(
    fc.record({ at: fc.nat(20), remove: fc.nat(4), insert: hostileText }),
    fc.record({ at: fc.nat(20), remove: fc.constant(0), insert: fc.constantFrom('0', '.json', '/', '/x', '%30', 'x') }),
  );
  const id = fc.oneof(fc.constantFrom('7', '70', 'a/b', '7.', 'a b', 'é', '%', 'a?b', 'a.json'), hostileText);
  const write = fc.constantFrom('update', 'destroy');
  const format = fc.constantFrom(undefined, 'json');

  /** Whether the segments behind the base hold the id as one of them: the platform's URL is the judge. */
  function names(url: URL, text: string, suffix: string | undefined): boolean {
    if (!below(url, '/api/users')) return false;
    const ends = [text, ...(suffix ? [text + (text.endsWith('.') ? suffix : `.${suffix}`)] : [])];
    const segments = url.pathname.slice('/api/users/'.length).split('/');
    return segments.some((segment) => {
      try {
        return ends.includes(decodeURIComponent(segment));
      } catch {
        return false;
      }
    });
  }

  test('writes to the record whose segment the address holds, or is refused', () => {
    fc.assert(
      fc.property(id, write, format, fc.array(edit, { maxLength: 3 }), (given, act, suffix, edits) => {
        fc.pre(isValid(given));
        class Edited extends RestProxy {
          override buildUrl(request: ProxyRequest): string {
            let url = super.buildUrl(request);
            for (const { at, remove, insert } of edits)
              url = url.slice(0, at) + insert + url.slice(Math.min(url.length, at + remove));
            return url;
          }
        }
        const proxy = new Edited({ url: '/api/users', baseUrl: ORIGIN, noCache: false, format: suffix });
        const url = sent(proxy, { action: act, id: given });
        if (url) expect([url.href, names(url, given, suffix)]).toEqual([url.href, true]);
      }),
      { numRuns: 3000 },
    );
  });

  test('that leaves the id whole is not refused', () => {
    const around = fc.array(fc.constantFrom('x', '7', 'a b', '%2E%2E', '', '.json'), { maxLength: 3 });
    fc.assert(
      fc.property(id, write, format, around, around, (given, act, suffix, before, behind) => {
        const segments = given.split(/[/\\]/);
        fc.pre(isValid(given) && !/[\p{Surrogate}\p{Cc}]/u.test(given));
        fc.pre(segments.some(Boolean) && !segments.some((each) => each === '.' || each === '..'));
        const kept = (segments: string[]) => segments.filter((each) => each !== '%2E%2E').map((each) => `/${each}`);
        class Wider extends RestProxy {
          override buildUrl(request: ProxyRequest): string {
            const behindBase = super.buildUrl(request).slice('/api/users'.length);
            return ['/api/users', ...kept(before), behindBase, ...kept(behind)].join('');
          }
        }
        const proxy = new Wider({ url: '/api/users', baseUrl: ORIGIN, noCache: false, format: suffix });
        expect(sent(proxy, { action: act, id: given })).toBeDefined();
      }),
      { numRuns: 1000 },
    );
  });

  test('of encodeId can write only to the record whose text it returned', () => {
    fc.assert(
      fc.property(hostileText, hostileText, write, (text, prefix, act) => {
        class Unencoded extends RestProxy {
          override encodeId(): string {
            return prefix + text;
          }
        }
        const url = sent(new Unencoded({ url: '/api/users', baseUrl: ORIGIN, noCache: false }), { action: act, id: 7 });
        if (!url) return;
        expect(below(url, '/api/users')).toBe(true);
        // No part of the text is dropped, as a URL parser would drop `..`, a tab or a fragment.
        const readable = (each: string) => each.replace(/(?:%[\da-f]{2})+/gi, (run) => tryDecode(run));
        expect(readable(url.pathname.slice('/api/users/'.length) + url.search)).toBe(
          readable(prefix + text).replace(/^([^?]*)\?$/, '$1'),
        );
      }),
      { numRuns: 1000 },
    );
  });

  function tryDecode(text: string): string {
    try {
      return decodeURIComponent(text);
    } catch {
      return text.toUpperCase();
    }
  }
});

describe('a template value', () => {
  test('fills one segment, or is refused', () => {
    fc.assert(
      fc.property(hostile, fc.boolean(), (team, byCall) => {
        const proxy = proxyOf({ url: '/api/{team}/users', ...(!byCall && { pathParams: { team } }) });
        const url = sent(proxy, { action: 'read', id: 7, ...(byCall && { pathParams: { team } }) });
        if (!url) return;
        expect(url.origin + url.search + url.hash).toBe(ORIGIN);
        const segments = url.pathname.split('/');
        expect(segments).toHaveLength(5);
        expect(segments.map(decodeURIComponent)).toEqual(['', 'api', String(team), 'users', '7']);
      }),
      { numRuns: 1000 },
    );
  });

  test('is found under any name', () => {
    fc.assert(
      fc.property(hostileText, (name) => {
        const url = sent(proxyOf({ url: `/api/{${name}}/users` }), {
          action: 'read',
          pathParams: { ['__proto__']: 1, [name]: 'x' },
        });
        if (url) expect(url.pathname.startsWith('/api/')).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('a format', () => {
  test('is appended to the last segment, or is refused', () => {
    fc.assert(
      fc.property(hostileText, fc.constantFrom(undefined, 7), (format, id) => {
        const url = sent(proxyOf({ url: '/api/users', format }), { action: 'read', id });
        const base = id === undefined ? '/api/users' : '/api/users/7';
        if (url) expect(url.href).toBe(ORIGIN + base + (format && `.${format}`));
      }),
      { numRuns: 1000 },
    );
  });
});

describe('parameters', () => {
  test('never change the path, and arrive as they were given', () => {
    fc.assert(
      fc.property(fc.dictionary(hostileText, hostileText), (params) => {
        const url = sent(proxyOf({ url: '/api/users?own=1' }), { action: 'read', id: 7, params });
        if (!url) return;
        expect(url.origin + url.pathname + url.hash).toBe(`${ORIGIN}/api/users/7`);
        const { id: _, '': __, ...expected } = params;
        expect([...url.searchParams].slice(1)).toEqual(Object.entries(expected));
      }),
      { numRuns: 1000 },
    );
  });

  test('with any value give an address or an AddressError', () => {
    fc.assert(
      fc.property(hostileText, fc.anything({ withDate: true, withBigInt: true, withMap: true }), (name, value) => {
        const url = sent(proxyOf({ url: '/api/users' }), { action: 'read', params: { [name]: value } });
        if (url) expect(url.origin + url.pathname + url.hash).toBe(`${ORIGIN}/api/users`);
      }),
      { numRuns: 1000 },
    );
  });

  test('never change the path under any name', () => {
    fc.assert(
      fc.property(hostileText, (name) => {
        const names = { pageParam: name, idParam: name, cacheString: name, sortParam: name };
        const url = sent(proxyOf({ url: '/api/users', noCache: true, ...names }), {
          action: 'read',
          page: 1,
          sorters: ['a'],
        });
        if (url) expect(url.origin + url.pathname + url.hash).toBe(`${ORIGIN}/api/users`);
      }),
      { numRuns: 500 },
    );
  });
});

describe('the option `path` of send()', () => {
  test('adds one segment to the address, or is refused', async () => {
    await fc.assert(
      fc.asyncProperty(hostile, async (path) => {
        const asked: string[] = [];
        const fetch: typeof globalThis.fetch = async (url) => {
          asked.push(String(url));
          return new Response('{}');
        };
        await proxyOf({ url: '/api/users', fetch })
          .send({ method: 'POST', path: path as string })
          .catch((error: unknown) => {
            if (!(error instanceof AddressError)) throw error;
          });
        for (const each of asked) {
          const url = new URL(each);
          if (path === undefined || path === '') expect(['/api/users', '/api/users/']).toContain(url.pathname);
          else expect(url.pathname.split('/').map(decodeURIComponent)).toEqual(['', 'api', 'users', String(path)]);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('plain()', () => {
  test('keeps filters in the query', () => {
    fc.assert(
      fc.property(hostileText, hostile, (property, value) => {
        const filters = [{ property, value }];
        try {
          const url = sent(proxyOf({ url: '/api/users', dialect: plain() }), { action: 'read', filters });
          if (url) expect(url.origin + url.pathname + url.hash).toBe(`${ORIGIN}/api/users`);
        } catch (error) {
          expect(error).toMatchObject({ code: 'unsupported-query' });
        }
      }),
      { numRuns: 500 },
    );
  });
});
