// Counts the words of the documents, as `wc -w` does, and compares them with limits.
// usage: node scripts/count-words.mjs; the exit status is 1 if a limit that is held is passed
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const root = path.resolve(import.meta.dirname, '..');

/** Parts of a page between comments such as ``<!-- sizes: `node scripts/…` writes these tables -->`` and `<!-- /sizes -->`. */
const MADE_PART = /<!-- (\w+): `node scripts\/[^\n]* writes [^\n]*-->[\s\S]*?<!-- \/\1 -->/g;
/** Pages that a script or a test writes: for each, a test fails if the page differs from what the script makes. */
const MADE = ['docs/errors.md', 'docs/reference/options.md', 'docs/servers.md', 'docs/state-table.md'];
const isMade = (file) => MADE.includes(file) || file.startsWith('docs/reference/members/');
const isInside = (file) => file.startsWith('docs/inside/');

/** Groups of pages with the most words that they may have. */
const GROUPS = [
  { name: 'README.md', limit: 900, has: (file) => file === 'README.md' },
  {
    name: 'pages for users, written by hand',
    limit: 60_000,
    has: (file) => file.startsWith('docs/') && !isInside(file) && !isMade(file),
  },
  { name: 'pages and tables for users, made by scripts', made: true, has: (file) => file.startsWith('docs/') },
  { name: 'docs/inside', limit: 12_000, has: isInside },
  { name: 'docs/inside/architecture.md', limit: 2500, has: (file) => file === 'docs/inside/architecture.md' },
  { name: 'docs/inside/decisions.md', limit: 6000, has: (file) => file === 'docs/inside/decisions.md' },
  { name: 'CHANGELOG.md', limit: 500, has: (file) => file === 'CHANGELOG.md' },
];

/** The words of each group, with its limit. */
export function countWords() {
  const pages = readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .map((name) => `docs/${name.replaceAll('\\', '/')}`)
    .filter((file) => file.endsWith('.md'));
  const files = ['README.md', 'CHANGELOG.md', ...pages].map((file) => ({ file, ...wordsOf(file) }));
  return GROUPS.map(({ name, limit, made = false, has }) => {
    const own = files.filter(({ file }) => has(file));
    const words = own.reduce((sum, { written, all }) => sum + (made ? all - written : written), 0);
    return { name, limit, pages: own.length, words };
  });
}

/** All words of a page, and those that no script writes. */
function wordsOf(file) {
  const text = readFileSync(path.join(root, file), 'utf8');
  const written = isMade(file) ? '' : file.startsWith('docs/') ? text.replaceAll(MADE_PART, '') : text;
  return { all: countOf(text), written: countOf(written) };
}

const countOf = (text) => text.split(/\s+/).filter(Boolean).length;

/** The groups that have more words than their limit. */
export function tooLong(groups) {
  return groups.filter(({ words, limit }) => limit !== undefined && words > limit);
}

function main() {
  const groups = countWords();
  const number = (value) => value.toLocaleString('en').padStart(8);
  for (const { name, words, limit } of groups)
    console.log(`${number(words)}  ${name}${limit === undefined ? '' : ` of ${limit.toLocaleString('en')}`}`);
  const problems = tooLong(groups);
  for (const { name, words, limit } of problems) console.error(`${name} has ${words} words, ${limit} at most`);
  if (problems.length > 0) process.exitCode = 1;
}

if (pathToFileURL(process.argv[1]).href === import.meta.url) main();
