// Writes the sizes as they are measured now into the README and docs/reference/options.md; test/docs/sizes.test.ts compares them.
// usage: node scripts/update-readme-sizes.mjs [--limits]; with --limits, it also sets the limits in scripts/sizes.mjs anew: 3 % above
// the sizes, and at least 60 bytes. Use that when a growth is wanted, and say why in the commit.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import {
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

const readme = path.resolve(import.meta.dirname, '../README.md');
const text = readFileSync(readme, 'utf8');
const markers = /(<!-- sizes: [^\n]* -->\n).*(<!-- \/sizes -->)/s;
if (!markers.test(text)) throw new Error('README.md has no place for the sizes');

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
  `${what}: ${sets.map(({ name, production }) => `\`${name}\` ${formatSize(production.gzip)}`).join(', ')}.`;
const tables = [
  table(['An application with', 'imports', 'Production', 'Minified', 'Limit', 'Development'], rows),
  // In lines, so that the page stays short.
  added('Added to a whole store, in a production bundle, by an extension', extensions),
  added('By a binding, its framework apart, or an entry', [...bindings, ...tools]),
  added('By a function', functions),
  added('By a value', values),
];
writeFileSync(
  readme,
  text.replace(markers, (_, begin, end) => `${begin}\n${tables.join('\n\n')}\n\n${end}`),
);

const options = path.resolve(import.meta.dirname, '../docs/reference/options.md');
const costs = table(
  ['Import', 'Adds'],
  [...extensions, ...functions, ...values].map(({ name, from, production }) => [
    from === 'repose' ? `\`${name}\`` : `\`${name}\` of \`${from}\``,
    formatSize(production.gzip),
  ]),
);
const page = readFileSync(options, 'utf8');
if (!markers.test(page)) throw new Error('docs/reference/options.md has no place for the sizes');
writeFileSync(
  options,
  page.replace(markers, (_, begin, end) => `${begin}\n${costs}\n\n${end}`),
);
