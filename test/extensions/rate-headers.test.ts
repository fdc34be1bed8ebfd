import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readRate } from '../../src/extensions/rate-headers.js';

const NOW = Date.UTC(2026, 10, 21);
const read = (headers: Record<string, string>) => readRate(new Headers(headers), NOW);

describe('readRate', () => {
  test.each<[string, Record<string, string>, number | undefined, number | undefined]>([
    ['structured field', { RateLimit: '"default";r=50;t=30' }, 50, 30_000],
    ['structured field without a time', { RateLimit: '"default";r=50' }, 50, undefined],
    [
      'the limit that is nearest to its end',
      { RateLimit: '"day";r=900;t=3600, "minute";r=3;t=20;pk=:cHs=:' },
      3,
      20_000,
    ],
    ['spaces and capitals', { RateLimit: ' "a, b; c" ; R=5 ;t= 7 ' }, 5, 7000],
    ['one field, earlier form', { RateLimit: 'limit=100, remaining=40, reset=12' }, 40, 12_000],
    ['three fields', { 'RateLimit-Limit': '100', 'RateLimit-Remaining': '9', 'RateLimit-Reset': '5' }, 9, 5000],
    ['X-RateLimit, seconds', { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': '5' }, 0, 5000],
    [
      'X-RateLimit, seconds since 1970',
      { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': `${NOW / 1000 + 8}` },
      0,
      8000,
    ],
    ['X-RateLimit, milliseconds since 1970', { 'X-RateLimit-Remaining': '1', 'X-RateLimit-Reset': `${NOW + 8}` }, 1, 8],
    [
      'X-RateLimit, a date',
      { 'X-RateLimit-Remaining': '1', 'X-RateLimit-Reset': new Date(NOW + 4000).toISOString() },
      1,
      4000,
    ],
    ['X-Rate-Limit', { 'X-Rate-Limit-Remaining': '2', 'X-Rate-Limit-Reset': '0.5' }, 2, 500],
    ['a moment that has passed', { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': `${NOW / 1000 - 8}` }, 0, 0],
    ['nonsense', { RateLimit: '"default";r=many;t=soon', 'RateLimit-Remaining': '-1' }, undefined, undefined],
    ['nothing', {}, undefined, undefined],
  ])('%s', (_, headers, remaining, reset) => {
    expect(read(headers)).toMatchObject({ remaining, reset });
  });

  test.each<[string, Record<string, string>, object[]]>([
    [
      'structured field',
      { 'RateLimit-Policy': '"minute";q=100;w=60, "day";q=1000;w=86400' },
      [
        { requests: 100, per: 60_000 },
        { requests: 1000, per: 86_400_000 },
      ],
    ],
    ['earlier form', { 'RateLimit-Policy': '100;w=1' }, [{ requests: 100, per: 1000 }]],
    ['in the limit', { 'RateLimit-Limit': '10, 10;w=1;comment="a;b"' }, [{ requests: 10, per: 1000 }]],
    ['a quota of bytes', { 'RateLimit-Policy': '"bytes";q=100;w=60;qu="content-bytes"' }, []],
    ['no span, no number', { 'RateLimit-Policy': '"a";q=100, "b";w=5, "c";q=0;w=1, "d";q=1;w=0' }, []],
  ])('policies: %s', (_, headers, policies) => {
    expect(read(headers).policies).toEqual(policies);
  });

  test('reads at most eight policies', () => {
    const many = Array.from({ length: 1000 }, (_, i) => `"p${i}";q=${i + 1};w=1`).join(',');
    expect(read({ 'RateLimit-Policy': many }).policies).toHaveLength(8);
  });

  test('accepts any text without failing', () => {
    const text = fc.oneof(
      fc.string({ unit: fc.constantFrom('"', ';', ',', '=', 'r', 't', 'q', 'w', ' ', '1', '0', '.', '-', '\\') }),
      fc.string({ unit: fc.constantFrom(...' !"#$%&()*+,-./0123456789:;<=>?@azAZ[]^_`{|}~') }),
    );
    const name = fc.constantFrom(
      'RateLimit',
      'RateLimit-Policy',
      'RateLimit-Limit',
      'X-RateLimit-Remaining',
      'X-RateLimit-Reset',
    );
    fc.assert(
      fc.property(fc.dictionary(name, text), (headers) => {
        const { remaining = 0, reset = 0, policies } = read(headers);
        expect(remaining >= 0 && reset >= 0 && Number.isFinite(remaining + reset)).toBe(true);
        for (const { requests, per } of policies) expect(requests >= 1 && per > 0).toBe(true);
      }),
    );
  });
});
