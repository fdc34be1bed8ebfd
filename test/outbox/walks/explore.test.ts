import { expect, test } from 'vitest';
import { explore, SCENARIOS } from './schedule.js';

/** The scenarios that are explored here; `npm run test:outbox-walks -- --explore` has all, with two deviations. */
const scenarios = SCENARIOS.filter(({ isShort }) => isShort).map((scenario) => [scenario.name, scenario] as const);

test.each(scenarios)('breaks no law in any schedule with one deviation: %s', async (_, scenario) => {
  const { schedules, findings } = await explore(scenario, 'memory', 1);
  expect(findings).toEqual([]);
  expect(schedules).toBeGreaterThan(100);
});

test('breaks no law over IndexedDB in the usual schedule', async () => {
  for (const scenario of SCENARIOS) {
    const { schedules, findings } = await explore(scenario, 'indexed-db', 0);
    expect({ name: scenario.name, schedules, findings }).toEqual({ name: scenario.name, schedules: 1, findings: [] });
  }
});
