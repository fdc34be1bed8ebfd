import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { World } from './notifications/world.js';

/** The logs of the runs with these seeds are kept whole, for people who look for the cause of a difference. */
const WHOLE = [2, 4, 5];
const RUNS = 80;

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 12);
/** The kind of a notification: the word of its line before numbers of records and listeners. */
const kindOf = (line: string): string => line.split(/ (?=[-\d#[{])/)[0] ?? '';

describe('the order of all notifications', () => {
  test('is the recorded one in random runs, which notify every kind of listener', async () => {
    const lines: string[] = [];
    const kinds = new Map<string, number>();
    for (let seed = 1; seed <= RUNS; seed += 1) {
      const log = await new World(seed).run(60);
      lines.push(`${seed} ${log.split('\n').length} ${hashOf(log)}`);
      const told = log.split('\n').filter((line) => /^[a-z]/.test(line));
      for (const kind of told.map(kindOf)) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    }
    const counts = [...kinds].sort().map(([kind, count]) => `${count} ${kind}`);
    await expect(`${[...lines, ...counts].join('\n')}\n`).toMatchFileSnapshot('notifications/runs.txt');
  });

  test.each(WHOLE)('is the recorded one, line by line, in run %i', async (seed) => {
    await expect(await new World(seed).run(60)).toMatchFileSnapshot(`notifications/run-${seed}.txt`);
  });
});
