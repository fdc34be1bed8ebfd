/** `npm run test:stories -- [--seeds A-B] [--steps N] [--log] [--first] [--more]`: runs random stories, and prints those that break a law. */
import { parseArgs } from 'node:util';
import { Story } from './story.js';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1-1000' },
    steps: { type: 'string', default: '80' },
    log: { type: 'boolean', default: false },
    first: { type: 'boolean', default: false },
    more: { type: 'boolean', default: false },
  },
});
const [first = 1, last = first] = values.seeds.split('-').map(Number);
let failed = 0;
for (let seed = first; seed <= last; seed += 1) {
  const { findings, world, log } = await new Story({ seed, steps: Number(values.steps), more: values.more }).run();
  if (findings.length === 0) continue;
  failed += 1;
  console.log(
    `seed ${seed} ${JSON.stringify(world)}:\n  ${findings.map((each) => each.split('\n', 6).join('\n    ')).join('\n  ')}`,
  );
  if (values.log) console.log(log.map((each) => `    ${each}`).join('\n'));
  if (values.first) break;
}
console.log(`${last - first + 1} stories of ${values.steps} steps: ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
