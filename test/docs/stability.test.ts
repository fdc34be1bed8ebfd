import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { readPage, root, tableBelow } from './markdown.js';

const { text } = readPage('docs/reference/stability.md');
const platforms = new Map(tableBelow(text, '## Platforms').map(([name = '', ...cells]) => [name, cells]));
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const { engines, devDependencies } = JSON.parse(read('package.json')) as {
  engines: { node: string };
  devDependencies: Record<string, string>;
};

describe('docs/reference/stability.md', () => {
  test('has the versions of Node of package.json and of CI', () => {
    const [supported, tested] = platforms.get('Node') ?? [];
    expect(engines.node).toBe(`>=${/^[\d.]+/.exec(supported ?? '')?.[0]}`);
    const others = [...read('.ci/run').matchAll(/\.ci\/other-node (\d+)/g)].map(([, major]) => major);
    expect([...(tested ?? '').matchAll(/(\d+): the tests of/g)].map(([, major]) => major)).toEqual(others);
  });

  test('has the compilers that the types are tested on', () => {
    const versions = ['ts54', 'ts59', 'typescript', 'ts7'].map(
      (name) => /(\d+\.\d+)\.\d+$/.exec(devDependencies[name] ?? '')?.[1],
    );
    const [supported, tested] = platforms.get('TypeScript') ?? [];
    expect(tested).toBe(versions.join(', '));
    expect(supported).toBe(`${versions[0]} and later`);
  });
});
