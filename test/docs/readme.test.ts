import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Model, plain, RestProxy, Store } from 'repose';
import { restServer } from 'repose/testing';
import { describe, expect, test } from 'vitest';
import { notRun } from '../../scripts/test.mjs';
import { isReserved } from '../../src/store/compile-query.js';
import { membersOf } from './declarations.js';
import { blocksOf, readPage, root, tableBelow } from './markdown.js';

const { text: readme } = readPage('README.md');
const reference = (name: string): string => readPage(`docs/reference/${name}.md`).text;
const json = (file: string) => JSON.parse(readFileSync(path.join(root, file), 'utf8'));
const bare = (cell: string | undefined): string => (cell ?? '').replaceAll('`', '');

describe('README.md', () => {
  test('has at most 900 words, code and tables counted, and one picture', () => {
    expect(readme.split(/\s+/).filter(Boolean).length).toBeLessThanOrEqual(900);
    expect(readme.match(/!\[/g)).toHaveLength(1);
  });

  test('loads and saves as its first screen says', async () => {
    const server = restServer({ collections: { '/api/orders': [{ id: 1, no: 'A-1', total: 5, due: null }] } });
    class Order extends Model.define({
      fields: { id: 'int', no: 'string', total: 'number' },
      proxy: { url: '/api/orders', dialect: plain(), baseUrl: server.baseUrl, fetch: server.fetch },
    }) {}
    const store = new Store({ model: Order, pageSize: 25, sorters: ['no'] });
    await store.load();
    await store.getById(1)?.set('total', 12).save();
    const sent = server.requests.map(({ method, url, body }) => [method, url.slice(server.baseUrl.length), body]);
    expect(readme).toContain(`\`plain()\` sends \`${sent[0]?.slice(0, 2).join(' ')}\``);
    expect(sent[1]).toEqual(['PATCH', '/api/orders/1', '{"total":12}']);
  });

  test('is about a package without dependencies, with an entry for each framework that it names', () => {
    const { dependencies, exports } = json('package.json');
    expect(dependencies).toBeUndefined();
    const [, named = ''] = /works with ([\w, ]+) or no framework/.exec(readme) ?? [];
    const entries = named.split(', ').map((name) => `./${name.toLowerCase()}`);
    expect(entries).toHaveLength(5);
    expect(Object.keys(exports)).toEqual(expect.arrayContaining(entries));
  });

  test('says how many lines a whole dialect takes', () => {
    const source = readFileSync(path.join(root, 'test/proxy/server-proxy.test.ts'), 'utf8');
    const [dialect = ''] = /^ {2}const house: Dialect = {$.*?^ {2}};$/ms.exec(source) ?? [];
    expect(dialect).toContain('body: ');
    expect(dialect.split('\n').length).toBeLessThan(30);
    expect(readme).toContain('of your own takes fewer than thirty lines');
  });

  test('names the version, which is too young for years of use', () => {
    const { version } = json('package.json');
    expect(readme).toContain(`Version ${version} is not published`);
    expect(version).toMatch(/^0\./);
  });

  test('names the commands that CI runs', () => {
    const [commands = ''] = blocksOf(readme).flatMap(({ language, code }) => (language === 'sh' ? [code] : []));
    const named = commands.split('\n').map((line) => /^npm ci && (npm \w+)/.exec(line)?.[1]);
    expect(named).toEqual(['npm start', 'npm test']);
    const ci = readFileSync(path.join(root, '.ci/run'), 'utf8');
    for (const command of ['npm ci', ...named])
      expect(ci).toMatch(new RegExp(`^(?:suite|try) .*\\b${command}\\b`, 'm'));
  });

  test('names the address at which the demo is served', () => {
    const [address = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(readme) ?? [];
    expect(readFileSync(path.join(root, 'demo/main.ts'), 'utf8')).toContain(address.split(':').at(-1));
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
    const sizes = tableBelow(readme, '## Who it is for').find(([row]) => row === 'Kilobytes') ?? [];
    const measured = Object.values<{ kilobytes: Record<string, number> }>(peers).flatMap(({ kilobytes }) =>
      Object.values(kilobytes).map((kB) => String(Math.round(kB))),
    );
    const shown = sizes.slice(2).join(' ').match(/\d+/g) ?? [];
    expect([...shown].sort()).toEqual(measured.sort());
  });

  test('names the oldest Node that the package runs on', () => {
    const oldest = json('package.json').engines.node.replace('>=', '');
    expect(readme).toContain(`Node ${oldest} and later`);
    expect(readPage('docs/guide/start.md').text).toContain(`Node ${oldest} or later`);
  });
});

describe('reference pages', () => {
  test.each([
    ['options', '## Sync\n', 'src/store/store-config.ts', 'SyncOptions'],
    ['options', '## Window\n', 'src/store/window-config.ts', 'WindowConfig'],
  ])('docs/reference/%s.md lists under %s the options that %s declares', (page, heading, file, name) => {
    const listed = tableBelow(reference(page), heading).flatMap(([option]) => bare(option).split(', '));
    expect(listed.sort()).toEqual(
      membersOf(file, name)
        .map((member) => member.name)
        .sort(),
    );
  });

  test('show the methods that the proxy uses', () => {
    const { defaultActionMethods } = new RestProxy();
    const rows = tableBelow(readPage('docs/guide/addressing.md').text, '## The actions');
    expect(rows).toHaveLength(5);
    for (const [action = '', , method] of rows)
      expect(method).toBe(defaultActionMethods[action.split(',')[0] as 'read']);
  });

  test('list the codes of the errors that an operation can fail with', () => {
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
    const [, listed = ''] = /^An operation can fail with these codes: (.*)\.$/m.exec(reference('errors')) ?? [];
    expect([...listed.matchAll(/`([\w-]+)`/g)].map(([, code]) => code)).toEqual(
      [...union].map(([, name = '']) => codes[name]),
    );
  });

  test('list the field types', () => {
    const names = tableBelow(reference('members/models'), '## FieldTypes\n').map(([name]) => bare(name));
    expect(names).toEqual(membersOf('src/model/field.ts', 'FieldTypes').map(({ name }) => name));
  });

  test('list the names that no field can have', () => {
    const [, line = ''] = /## Names that are taken\s+`([^`]+)`/.exec(reference('models')) ?? [];
    const names = line.split(' ');
    expect(names).toHaveLength(14);
    expect(names.filter((name) => !isReserved(name))).toEqual([]);
  });

  test('list the members of $', () => {
    const [, part = ''] = reference('members/records').split(/^## RecordState\n|^## FieldSnapshot\n/m);
    const values = tableBelow(part, '').map(([name]) => bare(name));
    const names = [...values, ...[...part.matchAll(/^### (\w+)\(\)$/gm)].map(([, name]) => name)];
    expect(names.sort()).toEqual(
      membersOf('src/model/infer.ts', 'RecordState')
        .map(({ name }) => name)
        .sort(),
    );
  });

  test('list the members of an issue', () => {
    const names = tableBelow(reference('members/records'), '## Issue\n').map(([cell]) => bare(cell));
    expect(names).toEqual(membersOf('src/errors/validation-error.ts', 'Issue').map(({ name }) => name));
  });

  test('list the events of a store', () => {
    const names = ['ViewEvents', 'StoreEvents'].flatMap((each) =>
      tableBelow(reference('members/stores'), `## ${each}\n`).map(([name]) => bare(name)),
    );
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
