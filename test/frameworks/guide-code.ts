import { readFileSync } from 'node:fs';
import path from 'node:path';
import { blocksOf, readPage } from '../docs/markdown.js';

const screens = path.join(import.meta.dirname, 'screens');

/**
 * The blocks of a guide in a language that are in none of the given screens. A screen has more than its guide: lines that count renders,
 * and those with the comment `for tests`.
 */
export function codeWithoutScreen(guide: string, language: string, files: readonly string[]): string[] {
  const tested = files.map((file) => {
    const lines = readFileSync(path.join(screens, file), 'utf8').split('\n');
    return lines.filter((line) => !/useCounted|\/\/ for tests$/.test(line)).join('\n');
  });
  const blocks = blocksOf(readPage(`docs/guide/${guide}.md`).text).filter((block) => block.language === language);
  if (blocks.length === 0) throw new Error(`The guide '${guide}' has no code in ${language}.`);
  return blocks.map(({ code }) => code.trim()).filter((code) => !tested.some((text) => text.includes(code)));
}
