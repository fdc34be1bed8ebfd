import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);

test.each([
  ['UTC', ['2026-03-29']],
  ['Europe/Berlin', ['2026-03-29', '2026-10-25']],
  // Midnight is left out on one of these days, and comes twice on the other.
  ['America/Havana', ['2026-03-08', '2026-11-01']],
  ['Australia/Lord_Howe', ['2026-04-05', '2026-10-04']],
  ['Pacific/Apia', ['2011-12-29', '2011-12-31']],
])(
  'filters of days are the whole days of %s',
  async (zone, days) => {
    const args = ['--import', 'tsx', 'test/grid/filter-days.ts', zone, ...days];
    const { stdout } = await run(process.execPath, args, { env: { ...process.env, TZ: zone } });
    expect(JSON.parse(stdout)).toEqual({ zone, compared: days.length * 7 * 384, mistakes: [] });
  },
  60_000,
);
