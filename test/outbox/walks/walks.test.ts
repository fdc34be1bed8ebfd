import { expect, test } from 'vitest';
import { Walk } from './walk.js';

test.each([
  ['memory', 2],
  ['memory', 3],
  ['indexed-db', 2],
] as const)('tabs over one storage (%s, %i tabs) break no law in any order of their steps', async (storage, tabs) => {
  for (let seed = 1; seed <= 6; seed += 1) {
    const { findings } = await new Walk({ seed, steps: 150, tabs, storage }).run();
    expect({ seed, findings }).toEqual({ seed, findings: [] });
  }
});

test.each([404, 411])('three tabs repeat together what was sent together and got no response (%i)', async (seed) => {
  const { findings } = await new Walk({ seed, steps: 150, tabs: 3, storage: 'memory' }).run();
  expect(findings).toEqual([]);
});
