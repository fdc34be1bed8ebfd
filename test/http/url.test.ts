import fc from 'fast-check';
import { AddressError } from 'repose';
import { describe, expect, test } from 'vitest';
import { encodeParam, idParam, jsonText } from '../../src/http/params.js';
import { append, encodeSegment, encodeText, idText, isAbsolute, isValidId, parseUrl } from '../../src/http/url.js';

describe('parseUrl', () => {
  test.each([
    ['/users', '/users', '', false],
    ['', '', '', false],
    ['/users?x=1&y', '/users', '?x=1&y', false],
    ['/users?', '/users', '', false],
    ['/users?#', '/users', '', false],
    ['/users?x=?#y', '/users', '?x=?', false],
    ['/users#a?b', '/users', '', false],
    ['#a', '', '', false],
    ['?x=1', '', '?x=1', false],
    ['https://h.test', 'https://h.test/', '', false],
    ['https://h.test#f', 'https://h.test/', '', false],
    ['https://h.test:8080?x=1', 'https://h.test:8080/', '?x=1', false],
    ['capacitor+x://h', 'capacitor+x://h/', '', false],
    ['//h', '//h/', '', false],
    ['/users/{a}/b', '/users/{a}/b', '', true],
    ['/users/{a', '/users/{a', '', false],
    ['/users/#{a}', '/users/', '', false],
    ['https://h.test/{a}', 'https://h.test/{a}', '', true],
  ])('%o has the path %o and the query %o', (url, path, query, template) => {
    expect(parseUrl(url)).toEqual({ path, query, template });
  });

  test.each([
    '/{}',
    '/{+a}',
    '/{?a}',
    '/{/a}',
    '/{.a}',
    '/{;a}',
    '/{&a}',
    '/a?{b}',
    'https://{h}/a',
    '//{h}/a',
    '/{a}?x={a}',
    'https://{a}/{a}',
  ])('the template %o is refused', (url) => {
    expect(() => parseUrl(url)).toThrow(AddressError);
  });
});

test.each([
  ['https://h', true],
  ['HTTPS://h', true],
  ['//h', true],
  ['/h', false],
  ['h', false],
  ['h:80/x', false],
  ['https:/h', false],
  ['mailto:a@b', false],
  ['?//h', false],
])('isAbsolute(%o) is %o', (url, expected) => {
  expect(isAbsolute(url)).toBe(expected);
});

test('append adds a mark unless it is there', () => {
  expect([append('/a', '/', 'b'), append('/a/', '/', 'b'), append('', '/', 'b'), append('/a', '/', '')]).toEqual([
    '/a/b',
    '/a/b',
    '/b',
    '/a/',
  ]);
});

describe('encodeText', () => {
  test('is encodeURIComponent for every well-formed text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(encodeText(text)).toBe(encodeURIComponent(text));
      }),
      { numRuns: 500 },
    );
  });

  test('refuses a lone surrogate with the cause', () => {
    expect(() => encodeText('a\ud800')).toThrow(
      expect.objectContaining({ reason: 'id-surrogate', cause: expect.any(URIError) }),
    );
  });
});

test('ids are percent-encoded, and ids that would leave their segment are refused', () => {
  expect([0, -0, 1.5, 12n, true, 'a'].map(idText)).toEqual(['0', '0', '1.5', '12', 'true', 'a']);
  expect(() => idText(Number.NaN)).toThrow(AddressError);
  expect(encodeSegment('a/b')).toBe('a%2Fb');
  expect(idParam('..')).toBe('..');
  expect([0, '0', 'a', 1, true, {}].every(isValidId)).toBe(true);
  expect([undefined, null, '', false, Number.NaN].some(isValidId)).toBe(false);
});

describe('encodeParam and jsonText', () => {
  test('URLSearchParams reads the given values back', () => {
    const scalar = fc.oneof(fc.string({ unit: 'grapheme' }), fc.integer(), fc.boolean());
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.array(scalar, { minLength: 1 }), (name, values) => {
        const read = new URLSearchParams(encodeParam(name, values)).getAll(name);
        expect(read).toEqual(values.map(String));
      }),
      { numRuns: 500 },
    );
  });

  test('JSON.parse reads the given value back', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        fc.pre(typeof value === 'object' && value !== null && !Array.isArray(value));
        const read = new URLSearchParams(encodeParam('a', value)).get('a') as string;
        expect(JSON.parse(read)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test('an error names the parameter and the reason in one line', () => {
    const loop: Record<string, unknown> = {};
    loop['self'] = loop;
    expect(() => jsonText(loop, 'filter')).toThrow(/^The parameter 'filter' cannot be sent: [^\n]*circular[^\n]*$/i);
    // JavaScript can throw values that are not an Error.
    const odd = { toJSON: () => (function* () {})().throw('odd') };
    expect(() => jsonText(odd, 'a')).toThrow(/odd/);
  });
});
