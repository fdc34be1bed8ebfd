import { spawnSync } from 'node:child_process';
import process from 'node:process';
import { describe, expect, test } from 'vitest';
import { readPage, root } from './markdown.js';

/** The functions that one load runs, by file. */
function trace(): Map<string, readonly string[]> {
  const args = ['--import', 'tsx', 'scripts/trace-load.mjs', 'src'];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  expect({ status, stderr }).toMatchObject({ status: 0 });
  const lines = stdout.trim().split('\n');
  return new Map(lines.map((line) => line.split(': ')).map(([file = '', names = '']) => [file, names.split(', ')]));
}

/** The list in CONTRIBUTING.md: pairs of file and function. */
function printedPath(): (readonly [file: string, name: string])[] {
  const { text } = readPage('CONTRIBUTING.md');
  const [, block = ''] = /## The path of a load[\s\S]*?```text\n([\s\S]*?)```/.exec(text) ?? [];
  return block
    .trim()
    .split('\n')
    .map((line) => line.split(/\s+/).slice(0, 2) as [string, string]);
}

describe('the path of a load', () => {
  test('passes the functions that CONTRIBUTING.md lists, in at most 25 lines', () => {
    const traced = trace();
    const printed = printedPath();
    expect(printed.length).toBeGreaterThan(15);
    expect(printed.length).toBeLessThanOrEqual(25);
    expect(printed.filter(([file, name]) => !traced.get(file)?.includes(name))).toEqual([]);
  });
});
