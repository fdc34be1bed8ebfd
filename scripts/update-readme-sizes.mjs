// Writes the sizes as they are measured now into the README; test/docs/sizes.test.ts holds it to them.
// usage: node scripts/update-readme-sizes.mjs
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { formatSize, importSets, measureExtensions, measureSizes } from './sizes.mjs';

const readme = path.resolve(import.meta.dirname, '../README.md');
const text = readFileSync(readme, 'utf8');
const markers = /(<!-- sizes: [^\n]* -->\n).*(<!-- \/sizes -->)/s;
const promise =
  /(a REST proxy is at most )[\d.]+( kB minified and gzipped, with a store and all parts at most )[\d.]+( kB)/;
if (!markers.test(text) || !promise.test(text)) throw new Error('README.md has no place for the sizes');

const line = (cells) => `| ${cells.join(' | ')} |`;
const table = (head, rows) => [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
const sets = (await measureSizes()).map(({ imports, from, gzip, minified, limit }) => [
  `\`import ${imports} from '${from}'\``,
  ...[gzip, minified, limit].map(formatSize),
]);
const extensions = await measureExtensions();
const tables = [
  table(['Import', 'Minified and gzipped', 'Minified', 'Limit'], sets),
  // Side by side, so that the page stays short.
  table(
    ['Added to the first', ...extensions.map(({ name }) => `\`${name}\``)],
    [['Minified and gzipped', ...extensions.map(({ gzip }) => formatSize(gzip))]],
  ),
];
const [smallest, , largest] = importSets.map(({ limit }) => limit / 1000);
const result = text
  .replace(markers, (_, begin, end) => `${begin}\n${tables.join('\n\n')}\n\n${end}`)
  .replace(promise, (_, ...parts) => `${parts[0]}${smallest}${parts[1]}${largest}${parts[2]}`);
writeFileSync(readme, result);
