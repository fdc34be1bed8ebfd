import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { RestProxy } from 'repose';
import { describe, expect, test } from 'vitest';
import { notRun } from '../../scripts/test.mjs';
import { isReserved } from '../../src/store/compile-query.js';
import { membersOf } from './declarations.js';
import { readPage, root, tableBelow } from './markdown.js';

const { text: readme } = readPage('README.md');
const reference = (name: string): string => readPage(`docs/reference/${name}.md`).text;
const json = (file: string) => JSON.parse(readFileSync(path.join(root, file), 'utf8'));
const bare = (cell: string | undefined): string => (cell ?? '').replaceAll('`', '');

describe('README.md', () => {
  test('has at most 250 lines', () => {
    expect(readme.split('\n').length).toBeLessThanOrEqual(250);
  });

  test('shows the methods that the proxy uses', () => {
    const { defaultActionMethods } = new RestProxy();
    for (const [action = '', , method] of tableBelow(readme, '## What is sent')) {
      expect(method).toBe(defaultActionMethods[action.split(',')[0] as 'read']);
    }
  });

  test('lists the codes of the errors that an operation can fail with', () => {
    const errorFiles = readdirSync(path.join(root, 'src/errors')).filter((file) => file.endsWith('.ts'));
    const codes = Object.fromEntries(
      errorFiles.flatMap((file) => {
        const source = readFileSync(path.join(root, 'src/errors', file), 'utf8');
        // A file may hold several classes.
        return source.split(/(?=^export (?:abstract )?class )/m).flatMap((part) => {
          const name = /^export class (\w+)/.exec(part)?.[1];
          const code = /code(?:: Code)? = '([\w-]+)' as/.exec(part)?.[1];
          return name && code ? [[name, code]] : [];
        });
      }),
    );
    const union = readFileSync(path.join(root, 'src/errors/is-data-error.ts'), 'utf8').matchAll(/^ {2}\| (\w+)/gm);
    const [, listed = ''] = /^The codes of requests are (.*)\. Others/m.exec(readme) ?? [];
    expect([...listed.matchAll(/`([\w-]+)`/g)].map(([, code]) => code)).toEqual(
      [...union].map(([, name = '']) => codes[name]),
    );
  });

  test('lists the entry points', () => {
    const entries = Object.keys(json('package.json').exports).filter((name) => name !== './package.json');
    const rows = tableBelow(readPage('docs/README.md').text, '## Entries').map(([name]) => bare(name));
    expect(rows).toEqual(entries.map((name) => name.replace('.', 'repose')));
  });

  test('says how many address vectors there are', () => {
    const [all = 0, real = 0] = ['rest-addressing', 'real-apis'].map(
      (name) => json(`conformance/${name}.json`).vectors.length,
    );
    expect(readme).toContain(`${all + real} vectors pass, ${real} of them from published APIs`);
  });

  test('names the compilers that the types are tested on', () => {
    const { devDependencies } = json('package.json');
    const versions = ['ts54', 'ts59', 'typescript', 'ts7'].map(
      (name) => /(\d+\.\d+)\.\d+$/.exec(devDependencies[name])?.[1],
    );
    expect(readme).toContain(`TypeScript ${versions.slice(0, 3).join(', ')} and ${versions[3]}`);
  });

  test('lists the scripts that `npm test` runs', () => {
    const { scripts } = json('package.json');
    const run = Object.keys(scripts).filter((name) => name.startsWith('test:') && !notRun.includes(name));
    expect(tableBelow(readPage('CONTRIBUTING.md').text, '## Tests').map(([name]) => bare(name))).toEqual(run);
  });

  test('compares with the versions of other libraries that are pinned here, and with their measured sizes', () => {
    const { date, peers } = json('bench/comparison.json');
    expect(Date.parse(date)).toBeGreaterThan(0);
    for (const [name, { version, pinnedIn }] of Object.entries<{ version: string; pinnedIn?: string }>(peers))
      if (pinnedIn) expect(json(`${pinnedIn}/package.json`).dependencies[name], name).toBe(version);
    const sizes =
      tableBelow(readme, '## When to use something else').find(([row]) => row === 'Kilobytes, gzipped') ?? [];
    const measured = Object.values<{ kilobytes: Record<string, number> }>(peers).flatMap(({ kilobytes }) =>
      Object.values(kilobytes).map((kB) => String(Math.round(kB))),
    );
    const shown = sizes.slice(2).join(' ').match(/\d+/g) ?? [];
    expect([...shown].sort()).toEqual(measured.sort());
  });

  test('has at most eight words of the glossary before its first screen, and imports at most eight names there', () => {
    const before = readme.slice(0, readme.indexOf('## A first program')).toLowerCase();
    const words = tableBelow(readPage('docs/glossary.md').text, '# ').map(([word]) => bare(word).toLowerCase());
    expect(words.length).toBeGreaterThan(20);
    expect(words.filter((word) => new RegExp(`\\*\\*${word}`).test(before)).length).toBeLessThanOrEqual(8);
    const imported = [...before.matchAll(/^import {([^}]*)}/gm)].flatMap(([, names = '']) => names.split(','));
    expect(imported.length).toBeLessThanOrEqual(8);
  });

  test('names the oldest Node that the package runs on', () => {
    expect(readme).toContain(`Node ${json('package.json').engines.node.replace('>=', '')} and later`);
  });
});

describe('reference pages', () => {
  test.each([
    ['network', '## Repeats', 'src/extensions/retry.ts', 'RetryConfig'],
    ['network', '## Limits of servers', 'src/extensions/rate-limit.ts', 'RateLimitConfig'],
    ['sync', '## Options', 'src/store/store-config.ts', 'SyncOptions'],
    ['stores', '## Windows', 'src/store/window-config.ts', 'WindowConfig'],
  ])('docs/reference/%s.md lists under %s the options that %s declares', (page, heading, file, name) => {
    const listed = tableBelow(reference(page), heading).flatMap(([option]) => bare(option).split(', '));
    expect(listed.sort()).toEqual(
      membersOf(file, name)
        .map((member) => member.name)
        .sort(),
    );
  });

  test('list the field types', () => {
    const names = tableBelow(reference('models'), '## Field types').map(
      ([name]) => /^`(?:'(?<text>\w+)'|(?<declared>decimal|bigint)\(\))/.exec(name ?? '')?.groups,
    );
    expect(names.flatMap((each) => each?.['text'] ?? each?.['declared'] ?? [])).toEqual(
      membersOf('src/model/field.ts', 'FieldTypes').map(({ name }) => name),
    );
  });

  test('list the names that no field can have', () => {
    const [, line = ''] = /## Names that are taken\s+`([^`]+)`/.exec(reference('models')) ?? [];
    const names = line.split(' ');
    expect(names).toHaveLength(14);
    expect(names.filter((name) => !isReserved(name))).toEqual([]);
  });

  test('list the steps of a dialect', () => {
    const names = tableBelow(reference('dialects'), '## The steps').map(([name]) => bare(name));
    expect(names.sort()).toEqual(
      membersOf('src/dialect/dialect.ts', 'Dialect')
        .map(({ name }) => name)
        .sort(),
    );
  });

  test('list the members of $', () => {
    const names = tableBelow(reference('records'), '## What stands behind')
      .flatMap(([cell]) => bare(cell).split(', '))
      .map((name) => name.replace('$.', '').replace(/\(\w*\)/, ''));
    expect(names.sort()).toEqual(
      membersOf('src/model/infer.ts', 'RecordState')
        .map(({ name }) => name)
        .sort(),
    );
  });

  test.each([
    ['Operation', '## Operations', 'src/operation/operation.ts'],
    ['ResultSet', '## Result sets', 'src/operation/result-set.ts'],
  ])('list the members of %s', (name, heading, file) => {
    const names = tableBelow(reference('dialects'), heading).flatMap(([cell]) => bare(cell).split(', '));
    const source = readFileSync(path.join(root, file), 'utf8').split(`export class ${name}<`)[1] ?? '';
    const declared = [...source.split('constructor(')[0]!.matchAll(/^ {2}(?:readonly )?(\w+): /gm)].map(
      ([, each]) => each,
    );
    expect(declared.length).toBeGreaterThan(5);
    expect(names.sort()).toEqual(declared.sort());
  });

  test('list the members of an issue', () => {
    const names = tableBelow(reference('errors'), '## An issue').map(([cell]) => bare(cell));
    expect(names).toEqual(membersOf('src/errors/validation-error.ts', 'Issue').map(({ name }) => name));
  });

  test('list the events of a store', () => {
    const names = tableBelow(reference('stores'), '## Events').map(([name]) => bare(name));
    const declared = ['ViewEvents', 'StoreEvents'].flatMap((name) => membersOf('src/store/store-config.ts', name));
    expect(names).toEqual(declared.map(({ name }) => name));
  });
});

test('docs/testing.md lists the faults', () => {
  const declared = readFileSync(path.join(root, 'src/testing/faults.ts'), 'utf8').matchAll(/readonly type: '(\w+)';/g);
  const rows = tableBelow(readPage('docs/testing.md').text, '## Faults on demand');
  const names = rows.map(([fault = '']) => /'(\w+)'/.exec(fault)?.[1]);
  expect(names.sort()).toEqual([...declared].map(([, name]) => name).sort());
});
