import { AddressError } from 'repose';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type GuardInput, guardUrl, joinUrl } from '../../src/http/url.js';

const guard = (more: Partial<GuardInput>) =>
  guardUrl({
    url: '/users/7',
    base: '/users',
    baseUrl: 'https://h.test',
    format: undefined,
    written: undefined,
    ...more,
  });
/** The absolute form of an address that is its own base. */
const resolveUrl = (url: string, baseUrl: string | undefined) => new URL(guard({ url, base: url, baseUrl }));
const reason = (act: () => unknown) => {
  try {
    return act();
  } catch (error) {
    return error instanceof AddressError ? error.reason : error;
  }
};

const thrown = (act: () => unknown): Error => {
  try {
    return expect.unreachable(String(act()));
  } catch (error) {
    return error as Error;
  }
};

describe('the absolute address', () => {
  afterEach(() => vi.unstubAllGlobals());

  test('is resolved against `baseUrl`, else against the address of the document', () => {
    expect(resolveUrl('/users', 'https://h.test/api').href).toBe('https://h.test/api/users');
    expect(reason(() => resolveUrl('/users', undefined))).toBe('url-relative');
    expect(reason(() => resolveUrl('/users', '/api'))).toBe('url-relative');
    vi.stubGlobal('document', { baseURI: 'https://doc.test/app/page' });
    expect(resolveUrl('/users', undefined).href).toBe('https://doc.test/users');
    expect(resolveUrl('users', undefined).href).toBe('https://doc.test/app/users');
    expect(resolveUrl('users', '/api').href).toBe('https://doc.test/api/users');
    expect(resolveUrl('users', 'https://h.test').href).toBe('https://h.test/users');
    expect(resolveUrl('//h.test/users', undefined).href).toBe('https://h.test/users');
  });

  test('is resolved against the address of a worker, which has no document', () => {
    vi.stubGlobal('location', { href: 'https://worker.test/w.js' });
    expect(resolveUrl('/users', undefined).href).toBe('https://worker.test/users');
  });

  test.each(['http://', 'https://a b/', 'https://h:99999/', '//'])('is refused for %o', (url) => {
    expect(reason(() => resolveUrl(url, undefined))).toBe('url-invalid');
  });
});

describe('guardUrl', () => {
  test('gives the absolute, normalised address', () => {
    expect(guard({ url: '/users/a/../7?q=ä' })).toBe('https://h.test/users/7?q=%C3%A4');
  });

  test.each(['', '/api', 'api/v1'])('accepts an absolute address whatever `baseUrl` is: %o', (baseUrl) => {
    expect(resolveUrl('https://h.test/users', baseUrl).href).toBe('https://h.test/users');
    expect(reason(() => resolveUrl('//h.test/users', baseUrl))).toBe('url-invalid');
    expect(reason(() => resolveUrl('/users', baseUrl))).toBe('url-relative');
  });

  test('compares the host of addresses whose scheme has no origin', () => {
    const app = { baseUrl: 'capacitor://localhost' };
    expect(guard(app)).toBe('capacitor://localhost/users/7');
    expect(reason(() => guard({ ...app, url: 'capacitor://evil/users/7' }))).toBe('url-outside');
    expect(reason(() => guard({ ...app, url: 'ionic://localhost/users/7' }))).toBe('url-outside');
  });

  test('treats the default port like no port', () => {
    expect(guard({ url: 'https://h.test:443/users/7' })).toBe('https://h.test/users/7');
    expect(reason(() => guard({ url: 'https://h.test:444/users/7' }))).toBe('url-outside');
  });

  test.each(['https://me:pass@h.test/users', 'https://me@h.test/users', 'https://:pass@h.test/users'])(
    'refuses an address with credentials, and does not repeat them in the error: %s',
    (base) => {
      for (const given of [{ base, url: `${base}/7` }, { base, url: 'https://h.test/users/7' }, { url: base }]) {
        const error = thrown(() => guard(given));
        expect(error).toMatchObject({ name: 'AddressError', reason: 'url-invalid' });
        expect([error.message, String(error.cause)].join()).not.toContain('pass');
      }
    },
  );

  test.each([
    ['/users', '/users.json', 'json', true],
    ['/users.', '/users.json', 'json', true],
    ['/users/', '/users/.json', 'json', true],
    ['/users', '/users.xml', 'json', false],
    ['/users', '/users.json', undefined, false],
    ['/users', '/users.', '', false],
    ['/', '/anything', undefined, true],
    ['/users', '/Users', undefined, false],
    ['/users', '/users%2f7', undefined, false],
    ['/us%65rs', '/us%65rs/7', undefined, true],
  ])('of the base %o the address %o (format %o): %o', (base, url, format, passes) => {
    expect(reason(() => guard({ base, url, format }))).toBe(passes ? `https://h.test${url}` : 'url-outside');
  });

  test.each([
    ['/7', '/users/7', true],
    ['/7', '/users/7.json', true],
    ['/7', '/users/x/7/y', true],
    ['/a%20b', '/users/a b', true],
    ['/ä', '/users/%C3%A4', true],
    ['/7', '/users//7', true],
    ['/7', '/users/7/', true],
    ['/7', '/users/7?a=1', true],
    ['/a/b', '/users/x/a/b/y', true],
    ['/a%2Fb', '/users/a%2fb', true],
    ['/7?rev=3', '/users/7?a=1&rev=3', true],
    ['/7.', '/users/7.json', true],
    ['/7', '/users/70', false],
    ['/7', '/users/17', false],
    ['/7', '/users/7.xml', false],
    ['/7', '/users/7json', false],
    ['/7', '/users.json', false],
    ['/a/b', '/users/a/x/b', false],
    ['/a/b', '/users/a%2Fb', false],
    ['/a%252Fb', '/users/a%2Fb', false],
    ['/7?rev=3', '/users/7', false],
    ['/7?rev=3', '/users/7?rev=30', false],
    ['/7#x', '/users/7#x', false],
    ['/?id=7', '/users/?id=7', false],
    ['?id=7', '/users?id=7', false],
    ['/a\tb', '/users/a\tb', false],
    ['/a\\b', '/users/a\\b', false],
    ['/7', '/users/8', false],
    ['/7', '/users', false],
    ['/7', '/users/', false],
    ['', '/users/7', false],
    ['/.', '/users/7', false],
    ['/..', '/users/7', false],
    ['/a/..', '/users/7', false],
    ['//', '/users///', false],
    ['/%2F', '/users/%2F', false],
    ['/%5C', '/users/%5c', false],
    ['/a//b', '/users/a/b', true],
  ])('requires the text that was written (%o) in %o: %o', (written, url, passes) => {
    expect(reason(() => guard({ url, written, format: 'json' }))).toBe(
      passes ? new URL(url, 'https://h.test').href : 'url-collection',
    );
  });

  test.each([
    '/users/7%2F..%2F8',
    '/users/7/%2E%2e%2F..%2Fadmins',
    '/users/7%5c..',
    '/users/7%5C%2E%5C',
    '/users/..%2Fadmins',
  ])('refuses %o: a server that decodes the path would go elsewhere', (url) => {
    expect(reason(() => guard({ url }))).toBe('url-outside');
  });

  test.each(['/users/..a', '/users/a..%2Fb', '/users/%252e%252e', '/users/...%2F7', '/users/7%2F.a'])(
    'accepts %o, which holds no dot segment',
    (url) => expect(guard({ url })).toBe(`https://h.test${url}`),
  );

  test.each(['/users/7%00b', '/users/%0d%0A', '/users/a%7F', '/users/%C2%85'])(
    'refuses the control character in %o',
    (url) => {
      expect(reason(() => guard({ url }))).toBe('id-control');
    },
  );

  test('refuses a declared path whose key leads out of the base', () => {
    for (const declared of ['/users(/../../admins/1)', '/users(\\..?)', '/users(/..#)'])
      expect(reason(() => guard({ url: declared, declared }))).toBe('url-outside');
    expect(guard({ url: '/users(7)', declared: '/users(7)' })).toBe('https://h.test/users(7)');
    const relative = { base: '../users', url: '../users(7)', declared: '../users(7)', baseUrl: 'https://h.test/a/b' };
    expect(guard(relative)).toBe('https://h.test/a/users(7)');
  });

  test('accepts a declared path that equals the base only with the query that was written', () => {
    const given = { base: '/users', declared: '/users' };
    expect(reason(() => guard({ ...given, url: '/users', written: '' }))).toBe('url-collection');
    expect(reason(() => guard({ ...given, url: '/users', written: '?id=7' }))).toBe('url-collection');
    expect(guard({ ...given, url: '/users?id=7', written: '?id=7' })).toBe('https://h.test/users?id=7');
  });

  test('accepts a declared path without the text that was written', () => {
    expect(guard({ url: '/Users(7)', declared: '/Users(7)', written: '/7' })).toBe('https://h.test/Users(7)');
    expect(reason(() => guard({ url: '/Users(8)', declared: '/Users(7)' }))).toBe('url-outside');
  });
});

describe('joinUrl', () => {
  test.each([
    ['', '/users', '/users'],
    ['/api', 'users', '/api/users'],
    ['/api/', '//users', '//users'],
    ['/api//', '/users', '/api/users'],
    ['https://h/api?x=1#y', '/users', 'https://h/api/users'],
    ['https://h', 'http://other/users', 'http://other/users'],
    ['https://h', '?x=1', 'https://h/?x=1'],
  ])('%o and %o give %o', (base, url, expected) => {
    expect(joinUrl(base, url)).toBe(expected);
  });
});
