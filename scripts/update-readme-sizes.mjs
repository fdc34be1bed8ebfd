// Writes the sizes as they are measured now into the README; test/docs/sizes.test.ts compares them.
// usage: node scripts/update-readme-sizes.mjs [--limits]; with --limits, it also sets the limits in scripts/sizes.mjs anew: 3 % above
// the sizes, and at least 60 bytes. Use that when a growth is wanted, and say why in the commit.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { formatSize, measureBindings, measureExtensions, measureSizes, measureTools } from './sizes.mjs';

const readme = path.resolve(import.meta.dirname, '../README.md');
const text = readFileSync(readme, 'utf8');
const markers = /(<!-- sizes: [^\n]* -->\n).*(<!-- \/sizes -->)/s;
if (!markers.test(text)) throw new Error('README.md has no place for the sizes');

const line = (cells) => `| ${cells.join(' | ')} |`;
const table = (head, rows) => [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
const sets = await measureSizes();
const extensions = await measureExtensions();
const bindings = await measureBindings();
const tools = await measureTools();
if (process.argv.includes('--limits')) {
  const limitOf = (gzip, share = 1.03) => Math.ceil(Math.max(gzip * share, gzip + 60) / 10) * 10;
  for (const each of [...sets, ...extensions, ...bindings]) each.limit = limitOf(each.gzip);
  for (const tool of tools) tool.limit = limitOf(tool.gzip, 1.05);
  for (const set of sets) set.productionLimit = limitOf(set.production.gzip);
  const limits = [...sets, ...extensions, ...bindings, ...tools]
    .flatMap(({ limit, productionLimit }) => [limit, productionLimit].filter((each) => each !== undefined))
    .map((limit) => limit.toLocaleString('en').replaceAll(',', '_'));
  const script = path.resolve(import.meta.dirname, 'sizes.mjs');
  writeFileSync(
    script,
    readFileSync(script, 'utf8').replace(/(?<=\b(?:limit|productionLimit): )[\d_]+/g, () => limits.shift()),
  );
}
const rows = sets.map(({ use, imports, from, gzip, production, productionLimit }) => [
  use,
  `\`${imports}\` from \`${from}\``,
  ...[production.gzip, production.minified, productionLimit, gzip].map(formatSize),
]);
const tables = [
  table(['An application with', 'imports', 'Production', 'Minified', 'Limit', 'Development'], rows),
  // Side by side, so that the page stays short.
  table(
    ['Added to a whole store', ...extensions.map(({ name }) => `\`${name}\``)],
    [['Production', ...extensions.map(({ production }) => formatSize(production.gzip))]],
  ),
  table(
    [
      'Added by a binding, its framework apart, or an entry',
      ...[...bindings, ...tools].map(({ name }) => `\`${name}\``),
    ],
    [['Production', ...[...bindings, ...tools].map(({ production }) => formatSize(production.gzip))]],
  ),
];
writeFileSync(
  readme,
  text.replace(markers, (_, begin, end) => `${begin}\n${tables.join('\n\n')}\n\n${end}`),
);
