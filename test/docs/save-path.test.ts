import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { readPage, root, tableBelow } from './markdown.js';

/** The layers of a save that the list shows; the others belong to the request. */
const LAYERS = ['record', 'write', 'settle', 'checks', 'seam of extensions'];
/** Functions that the loader of TypeScript adds. */
const ADDED = /^__name$|^<.*>$/;

/** The functions that one save runs, by file, of the layers above. */
function trace(): Map<string, readonly string[]> {
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--import', 'tsx', 'scripts/trace-save.mjs', 'src'], {
    cwd: root,
    encoding: 'utf8',
  });
  expect({ status, stderr }).toMatchObject({ status: 0 });
  const files = new Map<string, readonly string[]>();
  let layer = '';
  for (const line of stdout.split('\n')) {
    const [, name] = /^(\S[^:]*): \d+$/.exec(line) ?? [];
    layer = name ?? layer;
    const [, file, names] = /^ {2}(\S+): (.*)$/.exec(line) ?? [];
    if (file && names && LAYERS.includes(layer))
      files.set(
        file,
        names.split(', ').filter((each) => !ADDED.test(each)),
      );
  }
  return files;
}

/** The list in CONTRIBUTING.md: pairs of file and function. */
function printedPath(): (readonly [file: string, name: string])[] {
  const [, block = ''] =
    /## The path of a save[\s\S]*?```text\n([\s\S]*?)```/.exec(readPage('CONTRIBUTING.md').text) ?? [];
  return block
    .trim()
    .split('\n')
    .map((line) => line.split(/\s+/).slice(0, 2) as [string, string]);
}

describe('the path of a save', () => {
  const traced = trace();

  test('passes the functions that CONTRIBUTING.md lists, and no file that it does not name', () => {
    const printed = printedPath();
    expect(printed.length).toBeGreaterThan(15);
    expect(printed.length).toBeLessThan(25);
    expect(printed.filter(([file, name]) => !traced.get(file)?.includes(name))).toEqual([]);
    expect([...traced.keys()].sort()).toEqual([...new Set(printed.map(([file]) => file))].sort());
  });

  test('is at most 71 functions in 12 files', () => {
    expect([...traced.values()].flat().length).toBeLessThanOrEqual(71);
    expect(traced.size).toBeLessThanOrEqual(12);
  });

  test('passes the files of the model that docs/inside/architecture.md names for it', () => {
    const rows = tableBelow(readPage('docs/inside/architecture.md').text, '## One save, stop by stop');
    const named = rows.flatMap(([, cell = '']) => cell.match(/src\/(?:model|operation)\/[\w-]+\.ts/g) ?? []);
    expect(named.length).toBeGreaterThan(6);
    expect(named.filter((file) => !traced.has(path.relative('src', file)))).toEqual([]);
  });
});
