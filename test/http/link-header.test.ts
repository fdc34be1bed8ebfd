import fc from 'fast-check';
import { Model, plain, Store } from 'repose';
import { linkHeader } from 'repose/dialects';
import { describe, expect, test } from 'vitest';
import { linkTargets } from '../../src/http/location.js';

/** A text that counts how often its characters are read. */
class CountedText {
  reads = 0;
  constructor(private readonly text: string) {}
  get length() {
    return this.text.length;
  }
  charAt(at: number) {
    this.reads += 1;
    return this.text.charAt(at);
  }
  slice(start?: number, end?: number) {
    const part = this.text.slice(start, end);
    this.reads += part.length;
    return part;
  }
}

/** The relations of a header, and their addresses. */
const read = (text: string) => Object.fromEntries(linkTargets(text));

describe('linkTargets', () => {
  test.each<[string, object]>([
    ['', {}],
    ['<https://h.test/a?page=2>; rel="next"', { next: 'https://h.test/a?page=2' }],
    ['</a?x=1,2;3>; rel=next, </b>;rel="LAST first"', { next: '/a?x=1,2;3', last: '/b', first: '/b' }],
    ['</a>; title="a, <b>; rel=\\"prev\\""; rel="next"', { next: '/a' }],
    ['</a>; rel="next"; rel="prev"', { next: '/a' }],
    ['</a> ; REL = next ;x', { next: '/a' }],
    ['</a>, </b>; rel=next', { next: '/b' }],
    ['</a>; rel="next', { next: '/a' }],
    ['</a>; anchor="#x"; rel', {}],
    ['<a', {}],
    ['nothing', {}],
    ['<a>; rel="__proto__"', JSON.parse('{"__proto__":"a"}')],
  ])('%s', (header, targets) => {
    expect(read(header)).toEqual(targets);
  });

  test('reads back what was written', () => {
    const relation = fc.stringMatching(/^[a-z][a-z-]{0,8}$/);
    const link = fc.tuple(fc.webUrl(), relation, fc.string()).filter(([url]) => !url.includes('>'));
    fc.assert(
      fc.property(fc.array(link, { maxLength: 5 }), (links) => {
        const quoted = (text: string) => `"${text.replace(/[\\"]/g, '\\$&')}"`;
        const header = links.map(([url, rel, title]) => `<${url}>; title=${quoted(title)}; rel="${rel}"`).join(', ');
        expect(read(header)).toEqual(Object.fromEntries(links.map(([url, rel]) => [rel, url])));
      }),
    );
  });

  test('reads each character a few times at most, whatever the header holds', () => {
    const piece = fc.constantFrom('<', '>', '"', '\\', ';', ',', '=', ' ', 'rel', '<a>', '; rel="next"', '<>;;,');
    const run = fc.tuple(piece, fc.integer({ min: 1, max: 400 })).map(([text, times]) => text.repeat(times));
    fc.assert(
      fc.property(fc.array(run, { maxLength: 8 }), (runs) => {
        const text = new CountedText(runs.join(''));
        linkTargets(text);
        expect(text.reads).toBeLessThanOrEqual(6 * text.length + 6);
      }),
      { numRuns: 500 },
    );
    for (const bad of ['<', '<>', '<a>;', '<a>;"', ';', '<a>;rel=a ', '\\']) {
      const text = new CountedText(bad.repeat(100_000));
      linkTargets(text);
      expect(text.reads).toBeLessThanOrEqual(6 * text.length);
    }
  });
});

test('a hostile header of a list, or of a created record, is no obstacle', async () => {
  for (const [name, dialect] of [
    ['plain', plain()],
    ['linkHeader', linkHeader()],
  ] as const) {
    const headers = { Link: '<'.repeat(100_000), Location: `/a${'/'.repeat(100_000)}y` };
    const fetch = async (_: unknown, init?: RequestInit) =>
      init?.method === 'POST' ? new Response(null, { status: 201, headers }) : Response.json([{ id: 1 }], { headers });
    class Item extends Model.define({
      fields: { id: 'int', title: 'string' },
      proxy: {
        type: 'rest',
        baseUrl: 'http://a.test',
        url: '/items',
        dialect,
        fetch: fetch as typeof globalThis.fetch,
      },
    }) {}
    const items = new Store({ model: Item });
    await items.load();
    expect([name, items.getRange().length]).toEqual([name, 1]);
    await expect(new Item({ title: 'a' }).save()).rejects.toMatchObject({ reason: 'response-no-id' });
  }
});
