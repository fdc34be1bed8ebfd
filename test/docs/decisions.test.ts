import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { readPage, root, tableBelow } from './markdown.js';

const { text } = readPage('docs/inside/decisions.md');

/** Topics of the decisions that are final. */
const TOPICS = [
  'Reserved names',
  'Base, edits and the lossless body',
  'The state table',
  'Event shape and timing',
  'View and pending',
  'Identity',
  "`$.key` and the model's `name`",
  'The step object and its trace',
  'Filter and sorter values',
  'Error classes and codes',
  'Entry points and what each may reach',
];

describe('docs/inside/decisions.md', () => {
  test('names only files that exist', () => {
    const files = [...text.matchAll(/`((?:test|scripts|src)\/[^`]+|\.[\w-]+\.cjs)`/g)].map(([, file = '']) => file);
    expect(files.length).toBeGreaterThan(20);
    expect(files.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
  });

  test.each(TOPICS)('has an entry about %s that names the test', (topic) => {
    const section = text.slice(text.indexOf('## Fixed for good'), text.indexOf('## State of a record'));
    const entry = section.split('\n\n').find((each) => each.startsWith(`**${topic}.**`));
    expect(entry).toMatch(/Pinned by `test\/[\w./-]+\.test\.ts`/);
  });

  test('tells each choice in one paragraph, and none twice', () => {
    const paragraphs = text.split('\n\n').filter((each) => !each.startsWith('#'));
    const titles = paragraphs.flatMap((each) => /^\*\*(.+?)\*\*/.exec(each)?.[1] ?? []);
    // The page and its first section begin with a sentence about them.
    expect(titles.length).toBe(paragraphs.length - 2);
    expect(new Set(titles).size).toBe(titles.length);
  });
});

test('docs/reference/house-rules.md has a line for each house rule', () => {
  const rules = tableBelow(readPage('docs/reference/house-rules.md').text, '# House rules').map(([rule]) => rule);
  expect(rules).toEqual(Array.from({ length: 17 }, (_, i) => `H${i + 1}`));
});
