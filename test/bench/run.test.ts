import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { measure, type Row } from '../../bench/harness.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), 'repose-bench-'));

/** Runs the benchmark as `npm run bench` does. */
function bench(...args: string[]) {
  const options = ['--import', 'tsx', '--expose-gc', 'bench/run.ts', ...args];
  const env = { ...process.env, TSX_TSCONFIG_PATH: path.join(root, 'bench/tsconfig.json') };
  return spawnSync(process.execPath, options, { cwd: root, encoding: 'utf8', env });
}

beforeAll(() => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/ensure-built.mjs'], { cwd: root, encoding: 'utf8' });
  expect(status, stderr).toBe(0);
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('npm run bench', () => {
  test('measures Repose and the floor in a quick run, and writes the rows', () => {
    const file = path.join(folder, 'rows.json');
    const { status, stdout, stderr } = bench(
      'ingest',
      'query',
      'edit',
      'tree',
      '--quick',
      '--only',
      'repose',
      '--json',
      file,
    );
    expect(status, stderr).toBe(0);
    const rows = JSON.parse(readFileSync(file, 'utf8')) as Row[];
    expect([...new Set(rows.map(({ workload }) => workload))]).toEqual(['ingest', 'query', 'edit', 'tree']);
    for (const row of rows) {
      expect(Object.keys(row)).toEqual(['workload', 'case', 'n', 'subject', 'value', 'unit', 'ratio']);
      expect(row.value).toBeGreaterThan(0);
      expect(row.ratio).toBeGreaterThan(0);
    }
    const names = (subject: string) => rows.filter((row) => row.subject === subject).map((row) => [row.case, row.n]);
    expect(names('repose')).toEqual(names('floor'));
    expect(names('repose').length).toBeGreaterThan(12);
    expect(rows.filter(({ subject }) => subject === 'floor').map(({ ratio }) => ratio)).toEqual(
      rows.filter(({ subject }) => subject === 'floor').map(() => 1),
    );
    expect(stdout).toContain('query: sort by one key');
    expect(stderr).toContain('ingest, query, edit: repose …');
  });

  test('refuses an unknown workload and lists the known ones', () => {
    const { status, stderr } = bench('inngest');
    expect(status).not.toBe(0);
    expect(stderr).toContain(
      "There is no workload 'inngest'; known: url, ingest, query, edit, tree, stream, sync, outbox, memory, size, screen.",
    );
  });
});

describe('measure', () => {
  const session = (results: readonly number[]) => ({
    workload: 'none',
    n: 1,
    unit: 'ms' as const,
    runs: 1,
    subjects: results.map((result, at) => ({ name: `subject ${at}`, prepare: () => result })),
    steps: [{ case: 'one', run: (result: number) => result, check: (sum: number) => ({ sum }) }],
  });

  test('returns a row for each subject if their results are equal', async () => {
    const rows = await measure(session([7, 7]));
    expect(rows.map(({ subject, ratio }) => [subject, ratio > 0])).toEqual([
      ['subject 0', true],
      ['subject 1', true],
    ]);
  });

  test('throws if a result differs from that of the floor', async () => {
    await expect(measure(session([7, 8]))).rejects.toThrow('none, one: sum is 7 at the floor, 8 with subject 1');
  });
});
