import { describe, expect, test } from 'vitest';
import { countWords, tooLong } from '../../scripts/count-words.mjs';
import { readPage } from './markdown.js';

describe('the words of the documents', () => {
  const groups = countWords();

  test('stay within their limits', () => {
    expect(tooLong(groups)).toEqual([]);
  });

  test('are counted in each group', () => {
    for (const { name, words, pages } of groups) {
      expect({ name, counted: pages > 0 && words > 100 }).toEqual({ name, counted: true });
    }
  });

  test('are too many beyond a limit', () => {
    const group = { name: 'pages', pages: 1, words: 11, limit: 10 };
    expect(tooLong([group])).toEqual([group]);
    expect(tooLong([{ ...group, words: 10 }])).toEqual([]);
  });
});

test('a page about an area leaves what one member does to its TSDoc, and has at most 1,200 words', () => {
  const areas = ['stores', 'models', 'records', 'sync', 'outbox', 'errors', 'writes', 'history', 'extensions'];
  const wordsOf = (area: string) => readPage(`docs/reference/${area}.md`).text.split(/\s+/).filter(Boolean).length;
  const long = areas.map((area) => ({ area, words: wordsOf(area) })).filter(({ words }) => words > 1200);
  expect(long).toEqual([]);
});

test('the changelog has one line for each change', () => {
  const [intro = '', ...versions] = readPage('CHANGELOG.md').text.split('\n## ');
  const [unreleased = ''] = versions;
  const [heading, ...lines] = unreleased.split('\n').filter(Boolean);
  expect({ title: intro.split('\n')[0], heading }).toEqual({ title: '# Changelog', heading: 'Unreleased' });
  expect(lines.filter((line) => !line.startsWith('- '))).toEqual([]);
});
