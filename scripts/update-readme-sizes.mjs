// Writes the sizes as they are measured now into the README; test/docs/sizes.test.ts holds it to them.
// usage: node scripts/update-readme-sizes.mjs
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { formatSize, importSets, measureSizes } from './sizes.mjs';

const readme = path.resolve(import.meta.dirname, '../README.md');
const text = readFileSync(readme, 'utf8');
const markers = /(<!-- sizes: [^\n]* -->\n).*(<!-- \/sizes -->)/s;
const promise = /(a REST proxy is at most )[\d.]+( kB minified and gzipped, everything is at most )[\d.]+( kB)/;
if (!markers.test(text) || !promise.test(text)) throw new Error('README.md has no place for the sizes');

const rows = (await measureSizes()).map(({ imports, from, gzip, minified, limit, goal }) =>
  [`\`import ${imports} from '${from}'\``, ...[gzip, minified, limit, goal].map(formatSize)].join(' | '),
);
const head = ['| Import | Minified and gzipped | Minified | Limit today | Goal |', '|---|---|---|---|---|'];
const table = [...head, ...rows.map((row) => `| ${row} |`)].join('\n');
const [smallest, , largest] = importSets.map(({ limit }) => limit / 1000);
const result = text
  .replace(markers, (_, begin, end) => `${begin}\n${table}\n\n${end}`)
  .replace(promise, (_, ...parts) => `${parts[0]}${smallest}${parts[1]}${largest}${parts[2]}`);
writeFileSync(readme, result);
