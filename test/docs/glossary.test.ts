import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const text = readFileSync(path.join(import.meta.dirname, '../../docs/glossary.md'), 'utf8');
const rows = text
  .split('\n')
  .filter((line) => /^\| (?!Word )/.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()));

test('the glossary has at most 30 words, each once, with a meaning and two words of other libraries', () => {
  const words = rows.map(([, word]) => word as string);
  expect(words.length).toBeGreaterThan(20);
  expect(words.length).toBeLessThanOrEqual(30);
  expect(new Set(words).size).toBe(words.length);
  for (const [, , meaning, ext, tanstack] of rows)
    expect([meaning, ext, tanstack].every((cell) => (cell ?? '').length > 0)).toBe(true);
});
