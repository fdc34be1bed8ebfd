import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { readPage, root } from './markdown.js';

const { text } = readPage('docs/decisions.md');

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

describe('docs/decisions.md', () => {
  test('names only files that exist', () => {
    const files = [...text.matchAll(/`((?:test|scripts|src)\/[^`]+|\.[\w-]+\.cjs)`/g)].map(([, file = '']) => file);
    expect(files.length).toBeGreaterThan(20);
    expect(files.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
  });

  test.each(TOPICS)('has an entry about %s that names the test', (topic) => {
    const section = text.slice(text.indexOf('## Fixed for good'), text.indexOf('## House rules'));
    const entry = section.split('\n\n').find((each) => each.startsWith(`**${topic}.**`));
    expect(entry).toMatch(/Pinned by `test\/[\w./-]+\.test\.ts`/);
  });

  test('has a line for each house rule', () => {
    const rules = [...text.matchAll(/^\| (H\d+) \|/gm)].map(([, rule]) => rule);
    expect(rules).toEqual(Array.from({ length: 17 }, (_, i) => `H${i + 1}`));
  });
});
