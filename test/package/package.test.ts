import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import ensureBuilt from '../../scripts/ensure-built.mjs';

const root = path.resolve(import.meta.dirname, '../..');
const { exports, peerDependencies } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
const entries = Object.keys(exports)
  .filter((name) => name !== './package.json')
  .map((name) => name.replace(/^\./, 'repose'));
const peers = Object.keys(peerDependencies);

/** The answer of `npm pack`. */
let packed: {
  readonly filename: string;
  readonly unpackedSize: number;
  readonly entryCount: number;
  readonly files: readonly { readonly path: string }[];
};
/** The folder of an application that has the package installed. */
let app: string;

beforeAll(() => {
  ensureBuilt();
  app = mkdtempSync(path.join(tmpdir(), 'repose-package-'));
  const said = execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', app], { cwd: root });
  [packed] = JSON.parse(said.toString());
  const installed = path.join(app, 'node_modules/repose');
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', path.join(app, packed.filename), '-C', installed, '--strip-components=1']);
  writeFileSync(path.join(app, 'package.json'), '{ "name": "app" }');
});

afterAll(() => rmSync(app, { recursive: true, force: true }));

describe('the package', () => {
  test('has at most 800 files and 6 MB', () => {
    expect(packed.entryCount).toBeLessThanOrEqual(800);
    expect(packed.unpackedSize).toBeLessThanOrEqual(6_000_000);
  });

  test('has no source, no source maps and no pages for those who maintain it', () => {
    const names = packed.files.map((file) => file.path);
    expect(names.filter((name) => /^(src|docs\/inside)\/|\.map$/.test(name))).toEqual([]);
    for (const name of ['README.md', 'CHANGELOG.md', 'docs/README.md', 'dist/index.js', 'dist/index.d.ts'])
      expect(names).toContain(name);
  });

  test('refers to no file that it does not have', () => {
    const names = new Set(packed.files.map((file) => file.path));
    const code = [...names].filter((name) => /^dist\/.*\.(js|d\.ts)$/.test(name));
    const missing = code.flatMap((name) => {
      const text = readFileSync(path.join(app, 'node_modules/repose', name), 'utf8');
      const targets = [...text.matchAll(/^(?:import|export)\b[^;]*?["'](\.{1,2}\/[^"']+)["'];?$/gm)].map(([, to]) =>
        path.posix.join(path.posix.dirname(name), to ?? ''),
      );
      const wanted = name.endsWith('.d.ts') ? targets.map((to) => to.replace(/(\.d)?\.js$/, '.d.ts')) : targets;
      return wanted.filter((to) => !names.has(to)).map((to) => `${name}: ${to}`);
    });
    expect(code.length).toBeGreaterThan(100);
    expect(missing).toEqual([]);
  });
});

/** Runs code of the application in a process of its own, and returns what it printed as JSON. */
function run(code: string, ...flags: readonly string[]): unknown {
  const file = path.join(app, 'main.cjs');
  writeFileSync(file, code);
  const { stdout, stderr, status } = spawnSync(process.execPath, [...flags, file], { cwd: app, encoding: 'utf8' });
  expect({ status, stderr: withoutWarning(stderr) }).toEqual({ status: 0, stderr: '' });
  return JSON.parse(stdout);
}

/** Node 20 and 22 warn once that `require()` of a module is experimental. */
function withoutWarning(stderr: string): string {
  return stderr.replace(/^.*ExperimentalWarning: CommonJS module .*\n(.*\n)?.*--trace-warnings.*\n/m, '');
}

describe.each([
  ['development', []],
  ['production', ['--conditions=production']],
] as const)("require('repose') in a %s build", (_, flags) => {
  test('loads and saves a record', () => {
    const code = `
      const { Model, Store, plain } = require('repose');
      const rows = [{ id: 1, name: 'Ada' }];
      const fetch = async (_, { method, body } = {}) =>
        Response.json(method === 'PATCH' || method === 'PUT' ? JSON.parse(body) : rows);
      class User extends Model.define({
        name: 'user',
        fields: { id: 'int', name: 'string' },
        proxy: { type: 'rest', url: 'https://server.test/users', dialect: plain(), fetch },
      }) {}
      const main = async () => {
        const store = new Store({ model: User });
        await store.load();
        const user = store.getById(1);
        user.name = 'Grace';
        await user.save();
        console.log(JSON.stringify({ name: user.name, dirty: user.dirty }));
      };
      main();`;
    expect(run(code, ...flags)).toEqual({ name: 'Grace', dirty: false });
  });

  test('gives the same values as import', () => {
    const code = `
      const required = require('repose');
      import('repose').then((imported) => {
        const other = Object.keys(imported).filter((name) => imported[name] !== required[name]);
        console.log(JSON.stringify({ other, count: Object.keys(imported).length }));
      });`;
    expect(run(code, ...flags)).toEqual({ other: [], count: expect.any(Number) });
  });

  test('works for every entry, up to the package that it adapts to', () => {
    // The packages that are installed beside Repose.
    for (const name of peers.filter((peer) => !peer.includes('/'))) link(name);
    const code = `
      const outcomes = ${JSON.stringify(entries)}.map((entry) => {
        try {
          return [entry, Object.keys(require(entry)).length > 0];
        } catch (error) {
          return [entry, error.code, /Cannot find (?:package|module) '([^']+)'/.exec(error.message)?.[1]];
        }
      });
      console.log(JSON.stringify(outcomes));`;
    const outcomes = run(code, ...flags) as readonly [string, boolean | string, string?][];
    expect(outcomes.length).toBe(entries.length);
    const wrong = outcomes.filter(
      ([, code, missing]) =>
        code !== true && !(code === 'ERR_MODULE_NOT_FOUND' && peers.some((peer) => missing?.startsWith(peer))),
    );
    expect(wrong).toEqual([]);
    expect(outcomes.filter(([, code]) => code === true).length).toBeGreaterThan(15);
  });
});

/** Links a package of the root into the application, if it is installed. */
function link(name: string): void {
  try {
    symlinkSync(path.join(root, 'node_modules', name), path.join(app, 'node_modules', name), 'dir');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

test('a CommonJS module that requires the package has its types', () => {
  writeFileSync(
    path.join(app, 'typed.cts'),
    `import repose = require('repose');
     import outbox = require('repose/outbox');
     class User extends repose.Model.define({ name: 'user', fields: { id: 'int', name: 'string' } }) {}
     export const name: string | undefined = new User({ name: 'Ada' }).name;
     // @ts-expect-error: no such field
     export const wrong = new User({ nam: 'Ada' });
     export const { Outbox } = outbox;`,
  );
  const tsc = path.join(root, 'node_modules/ts7/bin/tsc');
  const options = ['--module', 'nodenext', '--target', 'es2022', '--strict', '--noEmit'];
  const { stdout } = spawnSync(process.execPath, [tsc, ...options, 'typed.cts'], { cwd: app, encoding: 'utf8' });
  expect(stdout).toBe('');
});
