import { expect, test } from 'vitest';
import { formatSize, importSets, measureSizes } from '../../scripts/sizes.mjs';
import { readPage, tableBelow } from './markdown.js';

/** Compressors of different platforms differ by a few bytes. */
const NEAR = 40;

const around = (bytes: number): string[] => [bytes - NEAR, bytes, bytes + NEAR].map(formatSize);

test('README.md tells the sizes as they are: `node scripts/update-readme-sizes.mjs` writes them', {
  timeout: 120_000,
}, async () => {
  const rows = tableBelow(readPage('README.md').text, '<!-- sizes:');
  const sets = await measureSizes();
  expect(rows.map(([imports]) => imports)).toEqual(
    sets.map(({ imports, from }) => `\`import ${imports} from '${from}'\``),
  );
  for (const [i, { gzip, minified, limit, goal }] of sets.entries()) {
    const [, zipped = '', plain = '', ...bounds] = rows[i] as string[];
    expect(around(gzip)).toContain(zipped);
    expect(around(minified)).toContain(plain);
    expect(bounds).toEqual([limit, goal].map(formatSize));
  }
});

test('README.md promises no less than the limits', () => {
  const { text } = readPage('README.md');
  const [smallest, , largest] = importSets.map(({ limit }) => `${limit / 1000} kB`);
  const [promise = ''] = /^- No runtime dependencies.*$/m.exec(text) ?? [];
  expect(promise.match(/[\d.]+ kB/g)).toEqual([smallest, largest]);
});
