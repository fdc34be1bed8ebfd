import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { proseOf, readPage, root } from './markdown.js';

const SCREEN = 'test/frameworks/readme-screen.test.ts';
const README = 'test/docs/readme.test.ts';
const SIZES = 'test/docs/sizes.test.ts';

/** The evidence for a statement: a test by its file and title, a guide whose program prints a line, or a source with its date. */
type Evidence =
  | { readonly test: string; readonly title: string }
  | { readonly guide: string; readonly prints: string }
  | { readonly source: string; readonly date: string }
  /** The sentence states nothing: it leads to pages, whose links `links.test.ts` checks. */
  | { readonly leads: true };

const STATEMENTS: readonly (readonly [begins: string, ...evidence: Evidence[]])[] = [
  ['Repose is a TypeScript library', { test: SCREEN, title: 'asks for a sorted page, searches, edits and saves' }],
  ['You declare a model once', { test: 'test/docs/code.test.ts', title: 'of every page compiles' }],
  [
    'It has no dependencies',
    { test: README, title: 'is about a package without dependencies, with an entry for each' },
  ],
  ['Version 0.1.0 is not published', { source: 'https://registry.npmjs.org/repose', date: '2026-11-30' }],
  ['A list that the server searches', { test: SCREEN, title: 'asks for a sorted page, searches, edits and saves' }],
  ['A model declares', { test: README, title: 'loads and saves as its first screen says' }],
  ['Its proxy says', { test: README, title: 'loads and saves as its first screen says' }],
  ['A store is a list', { test: SCREEN, title: 'asks for a sorted page, searches, edits and saves' }],
  ['A form keeps what is typed', { guide: 'errors', prints: 'false Please correct' }],
  ['Its save sends', { test: README, title: 'loads and saves as its first screen says' }],
  ['Go on with', { leads: true }],
  [
    'Always: what is typed',
    { test: 'test/model/repeated.test.ts', title: 'keeps an edit made while the save was in flight' },
  ],
  [
    'An id such as',
    { test: 'test/spec/bad-input.test.ts', title: "{ name: 'the id ..'" },
    { test: 'test/spec/house-rules.test.ts', title: 'that an override has set outside the collection' },
  ],
  ['Addresses follow one document', { test: README, title: 'says how many address vectors there are' }],
  ['With PATCH', { guide: 'writes', prints: 'PATCH {"name":"Ada Lovelace"}' }],
  ['The default dialect', { guide: 'writes', prints: 'left {"id":7,"name":"Ada Lovelace","email":"ada@old.example"}' }],
  [
    'With `safeWrites()`',
    {
      test: 'test/extensions/safe-writes.test.ts',
      title: 'refuses a save over a row that has changed since it was read',
    },
    { guide: 'writes', prints: '412: somebody else has changed the row, merging' },
  ],
  [
    'Failed requests',
    { test: 'test/extensions/retry.test.ts', title: 'never repeats a call that could create a duplicate' },
  ],
  [
    'creates only with',
    { test: 'test/proxy/extensions.test.ts', title: 'repeats a create only under an idempotency key' },
  ],
  [
    'With an outbox',
    { test: 'test/outbox/killed-process.test.ts', title: 'loses and duplicates no write that it reported' },
  ],
  [
    'Back offices',
    { test: 'test/frameworks/back-office.test.ts', title: 'an order is edited, refused beside the field, saved' },
  ],
  ['Servers that you', { test: README, title: 'says how many lines a whole dialect takes' }],
  [
    'Teams that leave Ext JS',
    { test: 'test/examples/ext-port.test.ts', title: 'every model and store of the application has its port' },
  ],
  ['Take something else', { test: README, title: 'names the version, which is too young for years of use' }],
  ['bench/comparison.json names', { test: 'test/docs/comparison.test.ts', title: 'has a dated source for' }],
  ['Production bundles', { test: SIZES, title: 'README.md shows sizes of docs/reference/sizes.md' }],
  ['Records without lists', { test: SIZES, title: 'README.md shows sizes of docs/reference/sizes.md' }],
  ['with lists', { test: SIZES, title: 'README.md shows sizes of docs/reference/sizes.md' }],
  ['The screen above', { test: SIZES, title: 'one of them that of its first screen' }],
  ['`safeWrites` adds', { test: SIZES, title: 'README.md shows sizes of docs/reference/sizes.md' }],
  ['All sizes', { test: 'test/docs/bench.test.ts', title: 'with how many other libraries the benchmark compares' }],
  ['Needs Node', { test: README, title: 'names the oldest Node that the package runs on' }],
  ['types are tested on', { test: README, title: 'names the compilers that the types are tested on' }],
  ['Guides by task', { test: 'test/site/site.test.ts', title: 'works without a connection once it was opened' }],
  ['dialects, tested servers', { leads: true }],
  ['Changes, contributing', { leads: true }],
];

/** The sentences of a page, without headings, tables, pictures and comments; links are their words. */
function sentencesOf(text: string): string[] {
  return proseOf(text)
    .split('\n')
    .filter((line) => line && !/^(?:#|\||!\[|<!--)/.test(line))
    .map((line) =>
      line
        .replace(/^- /, '')
        .replaceAll('**', '')
        .replace(/\[([^\]]+)\]\([^)]*\)/g, '$1'),
    )
    .flatMap((line) => line.split(/(?<=[.;]) /));
}

const sentences = sentencesOf(readPage('README.md').text);
const printed = (guide: string): string => readPage(`docs/guide/${guide}.md`).text;

describe('README.md', () => {
  test('states nothing that has no test and no dated source, in this order', () => {
    const found = sentences.map((each) => STATEMENTS.find(([begins]) => each.startsWith(begins))?.[0] ?? each);
    expect(found).toEqual(STATEMENTS.map(([begins]) => begins));
  });

  test.each(STATEMENTS.map(([begins, ...evidence]) => ({ begins, evidence })))('$begins', ({ evidence }) => {
    expect(evidence.length).toBeGreaterThan(0);
    for (const each of evidence) {
      if ('test' in each) expect(readFileSync(path.join(root, each.test), 'utf8')).toContain(each.title);
      if ('guide' in each) expect(printed(each.guide)).toContain(each.prints);
      if ('source' in each) expect(new Date(each.date).toISOString().slice(0, 10)).toBe(each.date);
    }
  });
});
