/**
 * `npm run test:outbox-walks -- [--seeds A-B] [--steps N] [--tabs N] [--storage memory|indexed-db] [--history]`: runs tabs with real
 * outboxes over one storage, whose steps happen in a random order with kills and faults. Prints what breaks a law. With `--explore
 * [--deviations N]`, it runs each schedule of small scenarios that deviates from the usual one at most so often.
 */
import { parseArgs } from 'node:util';
import { explore, historyOf, SCENARIOS } from './schedule.js';
import { Walk, type WalkOptions } from './walk.js';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1-100' },
    steps: { type: 'string', default: '150' },
    tabs: { type: 'string', default: '2' },
    storage: { type: 'string', default: 'memory' },
    history: { type: 'boolean', default: false },
    explore: { type: 'boolean', default: false },
    deviations: { type: 'string', default: '2' },
  },
});
if (values.explore) process.exit((await exploreAll()) > 0 ? 1 : 0);
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

/** Explores all scenarios. Returns the number of schedules that break a law. */
async function exploreAll(): Promise<number> {
  const storage = values.storage as WalkOptions['storage'];
  let broken = 0;
  for (const scenario of SCENARIOS) {
    const { schedules, steps, findings } = await explore(scenario, storage, Number(values.deviations));
    broken += findings.length;
    console.log(`${scenario.name} (${storage}): ${schedules} schedules, ${steps} steps, ${findings.length} broken`);
    for (const { choices, broken: laws } of findings.slice(0, 3)) {
      console.log(`  choices ${choices.join()}:\n    ${laws.join('\n    ')}`);
      if (values.history)
        console.log((await historyOf(scenario, storage, choices)).map((each) => `      ${each}`).join('\n'));
    }
  }
  return broken;
}
