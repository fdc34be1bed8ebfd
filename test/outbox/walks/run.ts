/**
 * `npm run test:outbox-walks -- [--seeds A-B] [--steps N] [--tabs N] [--storage memory|indexed-db] [--history]`: runs tabs with real
 * outboxes over one storage, whose steps happen in a random order with kills and faults. Prints what breaks a law.
 */
import { parseArgs } from 'node:util';
import { Walk, type WalkOptions } from './walk.js';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1-100' },
    steps: { type: 'string', default: '150' },
    tabs: { type: 'string', default: '2' },
    storage: { type: 'string', default: 'memory' },
    history: { type: 'boolean', default: false },
  },
});
const [first = 1, last = first] = values.seeds.split('-').map(Number);
let steps = 0;
let failed = 0;
for (let seed = first; seed <= last; seed += 1) {
  const options = {
    seed,
    steps: Number(values.steps),
    tabs: Number(values.tabs),
    storage: values.storage as WalkOptions['storage'],
  };
  const result = await new Walk(options).run();
  steps += result.steps;
  if (result.findings.length === 0) continue;
  failed += 1;
  console.log(`seed ${seed}:\n  ${result.findings.join('\n  ')}`);
  if (values.history) console.log(result.history.map((each) => `    ${each}`).join('\n'));
}
console.log(`${last - first + 1} walks with ${values.tabs} tabs (${values.storage}), ${steps} steps: ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
