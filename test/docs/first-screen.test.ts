import { describe, expect, test } from 'vitest';
import { blocksOf, proseOf, readPage, tableBelow } from './markdown.js';

/** The words of the glossary. A line may hold several. */
const words = tableBelow(readPage('docs/glossary.md').text, '# ').flatMap(([cell = '']) => cell.split(', '));
/** The words that a newcomer needs for a first screen: the first lines of the glossary. */
const EIGHT = ['model', 'field', 'proxy', 'dialect', 'store', 'record', 'form', 'save'];

const between = (text: string, begin: string, end: string): string =>
  text.slice(text.indexOf(begin), text.indexOf(end));

const screens = [
  { name: 'README.md', text: between(readPage('README.md').text, '## A first screen', '## What is guaranteed') },
  { name: 'docs/guide/start.md', text: between(readPage('docs/guide/start.md').text, '# ', '## Next') },
];

/** The words of the glossary in a text, also in the plural; code and the targets of links do not count. */
function wordsIn(text: string): string[] {
  const prose = proseOf(text)
    .replace(/`[^`]*`/g, '')
    .replace(/\]\([^)]*\)/g, ']');
  return words.filter((word) => new RegExp(`\\b${word.replace(/y$/, '(?:y|ie)')}(?:s|es)?\\b`, 'i').test(prose));
}

test('the glossary begins with the words of a first screen', () => {
  expect(words.length).toBeGreaterThan(20);
  expect(words.slice(0, EIGHT.length)).toEqual(EIGHT);
});

describe.each(screens)('the first screen of $name', ({ text }) => {
  test('is told in the first eight words of the glossary, each of them in bold', () => {
    expect(wordsIn(text)).toEqual(EIGHT);
    const bold = [...text.matchAll(/\*\*(\w+?)s?\*\*/g)].map(([, word]) => word);
    expect([...new Set(bold)].sort()).toEqual([...EIGHT].sort());
  });

  test('needs no extension and no member of `$`', () => {
    const code = blocksOf(text).map((block) => block.code);
    expect(code.length).toBeGreaterThan(0);
    expect(code.join('\n')).not.toMatch(/safeWrites|\buse: |\.\$/);
    const imported = code.flatMap((each) => [...each.matchAll(/^import {([^}]*)}/gm)]);
    expect(imported.flatMap(([, names = '']) => names.split(',')).length).toBeLessThanOrEqual(8);
  });
});

test('a word of the glossary that a screen does not need is found', () => {
  expect(wordsIn('A **query** of edits, `session` and [a page](outbox.md)')).toEqual(['edit', 'query']);
});
