// Writes the sizes as they are measured now into the README; test/docs/sizes.test.ts holds it to them.
// usage: node scripts/update-readme-sizes.mjs
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { formatSize, measureSizes } from './sizes.mjs';

const readme = path.resolve(import.meta.dirname, '../README.md');
const text = readFileSync(readme, 'utf8');
const parts = /(<!-- sizes: [^\n]* -->\n).*(<!-- \/sizes -->)/s;
if (!parts.test(text)) throw new Error('README.md has no markers for the table of sizes');

const rows = (await measureSizes()).map(({ imports, from, gzip, minified, limit }) =>
  [`\`import ${imports} from '${from}'\``, ...[gzip, minified, limit].map(formatSize)].join(' | '),
);
const table = [
  '| Import | Minified and gzipped | Minified | Limit |',
  '|---|---|---|---|',
  ...rows.map((row) => `| ${row} |`),
];
writeFileSync(
  readme,
  text.replace(parts, (_, begin, end) => `${begin}\n${table.join('\n')}\n\n${end}`),
);
