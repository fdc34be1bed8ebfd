// Writes the sizes as they are measured now into docs/reference/sizes.md, and three lines of them into README.md;
// test/docs/sizes.test.ts compares them.
// usage: node scripts/update-readme-sizes.mjs [--limits]; with --limits, it also sets the limits in scripts/sizes.mjs anew: 3 % above
// the sizes, and at least 60 bytes. Use that when a growth is wanted, and say why in the commit.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  addedName,
  extensions as allExtensions,
  functions as allFunctions,
  values as allValues,
  formatSize,
  importsOf,
  measureBindings,
  measureNamed,
  measureSizes,
  measureTools,
} from './sizes.mjs';

const line = (cells) => `| ${cells.join(' | ')} |`;
const table = (head, rows) => [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
const sets = await measureSizes();
const extensions = await measureNamed(allExtensions);
const bindings = await measureBindings();
const tools = await measureTools();
const functions = await measureNamed(allFunctions);
const values = await measureNamed(allValues);
if (process.argv.includes('--limits')) {
  const limitOf = (gzip, share = 1.03) => Math.ceil(Math.max(gzip * share, gzip + 60) / 10) * 10;
  for (const each of [...sets, ...extensions, ...bindings, ...functions, ...values]) each.limit = limitOf(each.gzip);
  for (const tool of tools) tool.limit = limitOf(tool.gzip, 1.05);
  for (const set of sets) set.productionLimit = limitOf(set.production.gzip);
  const limits = [...sets, ...extensions, ...bindings, ...tools, ...functions, ...values]
    .flatMap(({ limit, productionLimit }) => [limit, productionLimit].filter((each) => each !== undefined))
    .map((limit) => limit.toLocaleString('en').replaceAll(',', '_'));
  const script = path.resolve(import.meta.dirname, 'sizes.mjs');
  writeFileSync(
    script,
    readFileSync(script, 'utf8').replace(/(?<=\b(?:limit|productionLimit): )[\d_]+/g, () => limits.shift()),
  );
}
const rows = sets.map(({ gzip, production, productionLimit, ...set }) => [
  set.use,
  importsOf(set),
  ...[production.gzip, production.minified, productionLimit, gzip].map(formatSize),
]);
const added = (what, sets) =>
  table(
    [what, 'Adds'],
    sets.map((set) => [addedName(set), formatSize(set.production.gzip)]),
  );
writeBetweenMarkers('docs/reference/sizes.md', [
  '## Applications',
  table(['An application with', 'imports', 'Production', 'Minified', 'Limit', 'Development'], rows),
  '## Extensions',
  added('Extension', extensions),
  '## Functions',
  added('Function', functions),
  '## Values',
  added('Value', values),
  '## Bindings and entries',
  added('Binding or entry', [...bindings, ...tools]),
]);

const kB = (list, key, name) => formatSize(list.find((each) => each[key] === name).production.gzip);
writeBetweenMarkers('README.md', [
  [
    `- Records without lists: ${kB(sets, 'use', 'records, no lists')}; with lists: ${kB(sets, 'use', 'records and lists')}.`,
    `- The screen above, React apart: ${kB(sets, 'use', 'the first screen of the README, React apart')}.`,
    `- \`safeWrites\` adds ${kB(extensions, 'name', 'safeWrites')}, \`Outbox\` ${kB(extensions, 'name', 'Outbox')}.`,
  ].join('\n'),
]);

/** Replaces the text between the markers of a page. */
function writeBetweenMarkers(page, parts) {
  const file = path.resolve(import.meta.dirname, '..', page);
  const text = readFileSync(file, 'utf8');
  const markers = /(<!-- sizes: [^\n]* -->\n).*(<!-- \/sizes -->)/s;
  if (!markers.test(text)) throw new Error(`${page} has no place for the sizes`);
  writeFileSync(
    file,
    text.replace(markers, (_, begin, end) => `${begin}\n${parts.join('\n\n')}\n\n${end}`),
  );
}
