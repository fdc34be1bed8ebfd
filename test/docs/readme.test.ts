import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import * as repose from 'repose';
import { RestProxy } from 'repose';
import { describe, expect, test } from 'vitest';
import { isReserved } from '../../src/model/reserved.js';
import { membersOf } from './declarations.js';
import { readPage, root, tableBelow } from './markdown.js';

const { text: readme } = readPage('README.md');
const reference = (name: string): string => readPage(`docs/reference/${name}.md`).text;
const json = (file: string) => JSON.parse(readFileSync(path.join(root, file), 'utf8'));
const bare = (cell: string | undefined): string => (cell ?? '').replaceAll('`', '');

/** Name and default, as a table of options has them. */
function optionsBelow(text: string, marker: string): { name: string; default: string }[] {
  return tableBelow(text, marker).map(([name, value]) => ({ name: bare(name), default: bare(value) }));
}

describe('README.md', () => {
  test('has at most 250 lines', () => {
    expect(readme.split('\n').length).toBeLessThanOrEqual(250);
  });

  test('lists every option of the REST proxy with its default', () => {
    const declared = ['RestProxyConfig', 'AjaxProxyConfig', 'ServerProxyConfig']
      .flatMap((name) => membersOf('src/proxy/proxy-config.ts', name))
      .concat(membersOf('src/proxy/data-proxy.ts', 'DataProxyConfig'));
    const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);
    expect(optionsBelow(readme, '## Options of the REST proxy').sort(byName)).toEqual([...declared].sort(byName));
  });

  test('tells the verbs as the proxy has them', () => {
    const { defaultActionMethods } = new RestProxy();
    for (const [action = '', , method] of tableBelow(readme, '## What is sent')) {
      expect(method).toBe(defaultActionMethods[action.split(',')[0] as 'read']);
    }
  });

  test('lists the errors that an operation can fail with, and their codes', () => {
    const codes = Object.fromEntries(
      readdirSync(path.join(root, 'src/errors')).flatMap((file) => {
        const source = readFileSync(path.join(root, 'src/errors', file), 'utf8');
        const name = /export class (\w+)/.exec(source)?.[1];
        const code = /code(?:: Code)? = '([\w-]+)' as/.exec(source)?.[1];
        return name && code ? [[name, code]] : [];
      }),
    );
    const union = readFileSync(path.join(root, 'src/errors/is-data-error.ts'), 'utf8').match(/^ {2}\| (\w+)/gm) ?? [];
    const rows = tableBelow(readme, '## Errors').map(([name, code]) => [bare(name), bare(code)]);
    expect(rows.map(([name]) => `  | ${name}`)).toEqual(union);
    for (const [name = '', code] of rows) {
      expect(repose).toHaveProperty(name);
      expect(code).toBe(codes[name]);
    }
  });

  test('lists the entry points', () => {
    const entries = Object.keys(json('package.json').exports).filter((name) => name !== './package.json');
    const rows = tableBelow(readme, '## Supported').map(([name]) => bare(name));
    expect(rows).toEqual(entries.map((name) => name.replace('.', 'repose')));
  });

  test('tells how many address vectors there are', () => {
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

  test('names the oldest Node that the package runs on', () => {
    expect(readme).toContain(`Node ${json('package.json').engines.node.replace('>=', '')} and later`);
  });
});

describe('reference pages', () => {
  test('list the options of readers and writers with their defaults', () => {
    for (const [heading, file, name] of [
      ['### Reader', 'src/reader/json-reader.ts', 'JsonReaderConfig'],
      ['### Writer', 'src/writer/json-writer.ts', 'JsonWriterConfig'],
    ] as const) {
      expect(optionsBelow(reference('dialects'), heading)).toEqual(membersOf(file, name));
    }
  });

  test('list the options of a field', () => {
    const names = tableBelow(reference('models'), '## Options of a field').flatMap(([name]) => bare(name).split(', '));
    expect(names.sort()).toEqual(
      membersOf('src/model/field.ts', 'FieldConfig')
        .map(({ name }) => name)
        .sort(),
    );
  });

  test('list the field types', () => {
    const names = tableBelow(reference('models'), '## Field types').map(([name]) => /^`'(\w+)'/.exec(name ?? '')?.[1]);
    expect(names.filter(Boolean)).toEqual(membersOf('src/model/field.ts', 'FieldTypes').map(({ name }) => name));
  });

  test('list the names that no field may have', () => {
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

  test('list what stands behind $', () => {
    const names = tableBelow(reference('records'), '## What stands behind')
      .flatMap(([cell]) => bare(cell).split(', '))
      .map((name) => name.replace('$.', '').replace('()', ''));
    expect(names.sort()).toEqual(
      membersOf('src/model/infer.ts', 'RecordState')
        .map(({ name }) => name)
        .sort(),
    );
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
