// Writes the sizes as they are measured now into the README; test/docs/sizes.test.ts compares them.
// usage: node scripts/update-readme-sizes.mjs
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { formatSize, measureExtensions, measureSizes } from './sizes.mjs';

const readme = path.resolve(import.meta.dirname, '../README.md');
const text = readFileSync(readme, 'utf8');
const markers = /(<!-- sizes: [^\n]* -->\n).*(<!-- \/sizes -->)/s;
if (!markers.test(text)) throw new Error('README.md has no place for the sizes');

const line = (cells) => `| ${cells.join(' | ')} |`;
const table = (head, rows) => [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
const sets = (await measureSizes()).map(({ use, imports, from, gzip, minified, limit }) => [
  use,
  `\`${imports}\` from \`${from}\``,
  ...[gzip, minified, limit].map(formatSize),
]);
const extensions = await measureExtensions();
const tables = [
  table(['An application with', 'imports', 'Gzipped', 'Minified', 'Limit'], sets),
  // Side by side, so that the page stays short.
  table(
    ['Added to a whole store', ...extensions.map(({ name }) => `\`${name}\``)],
    [['Gzipped', ...extensions.map(({ gzip }) => formatSize(gzip))]],
  ),
];
writeFileSync(
  readme,
  text.replace(markers, (_, begin, end) => `${begin}\n${tables.join('\n\n')}\n\n${end}`),
);
