/** Runs files of conformance vectors: `npm run conformance -- FILE...`; without a file, those in this folder. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { runVector, type VectorFile } from './vector.js';

const given = process.argv.slice(2);
const files = given.length
  ? given
  : ['rest-addressing.json', 'real-apis.json'].map((name) => fileURLToPath(new URL(name, import.meta.url)));
let passed = 0;
let failed = 0;
for (const file of files) {
  let vectors: VectorFile['vectors'];
  try {
    ({ vectors } = JSON.parse(await readFile(file, 'utf8')) as VectorFile);
    if (!Array.isArray(vectors)) throw new Error('it has no list `vectors`');
  } catch (error) {
    console.error(`${file}: ${(error as Error).message}`);
    failed += 1;
    continue;
  }
  for (const vector of vectors) {
    const failure = await runVector(vector);
    if (failure === undefined) passed += 1;
    else {
      failed += 1;
      console.log(`FAILED ${vector.name}: expected ${failure.expected}, got ${failure.got}`);
    }
  }
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed ? 1 : 0;
