import path from 'node:path';
import { build, type Plugin } from 'esbuild';
import * as main from 'repose';
import * as core from 'repose/core';
import * as namespace from 'repose/namespace';
import { describe, expect, test } from 'vitest';
import { root } from './markdown.js';

/** The files of the source that an entry reaches at run time, and the packages; `atStart`: without what is imported on demand. */
async function reachedFrom(entry: string, atStart = false): Promise<string[]> {
  const { metafile } = await build({
    entryPoints: [path.join(root, 'src', `${entry}.ts`)],
    absWorkingDir: root,
    bundle: true,
    metafile: true,
    write: false,
    format: 'esm',
    packages: 'external',
    logLevel: 'silent',
    plugins: atStart ? [withoutOnDemand] : [],
  });
  const inputs = Object.entries(metafile.inputs);
  return [
    ...inputs.map(([file]) => file.replace('src/', '')),
    ...inputs.flatMap(([, { imports }]) =>
      imports.filter((each) => each.external).map((each) => `package ${each.path}`),
    ),
  ];
}

const withoutOnDemand: Plugin = {
  name: 'without-on-demand',
  setup({ onResolve }) {
    onResolve({ filter: /./ }, ({ kind, path }) => (kind === 'dynamic-import' ? { path, external: true } : undefined));
  },
};

describe('entry points', () => {
  test('none reaches a package', async () => {
    for (const entry of ['index', 'core', 'groups', 'namespace', 'testing']) {
      expect((await reachedFrom(entry)).filter((each) => each.startsWith('package '))).toEqual([]);
    }
  });

  test('the main entry reaches neither the dotted names nor the help for tests', async () => {
    const reached = await reachedFrom('index');
    expect(reached).toContain('model/model.ts');
    expect(reached.filter((file) => /^(namespace|testing)\b/.test(file))).toEqual([]);
  });

  test('none loads at its start what reads streams', async () => {
    const streams = (files: string[]) => files.filter((file) => file.startsWith('reader/stream/'));
    for (const entry of ['index', 'core', 'namespace', 'testing']) {
      expect(streams(await reachedFrom(entry))).not.toEqual([]);
      expect(streams(await reachedFrom(entry, true))).toEqual([]);
    }
  });

  test('core does not reach the table of proxies by name, nor what comes with it', async () => {
    const reached = await reachedFrom('core');
    expect(reached).toContain('model/base-model.ts');
    expect(reached).not.toContain('model/model.ts');
    expect(reached.filter((file) => /^(namespace|testing)\b/.test(file))).toEqual([]);
  });

  test('the outbox is reached by its own entry only, and only on demand a package', async () => {
    const files = async (entry: string) => (await reachedFrom(entry)).filter((file) => /^outbox\b/.test(file));
    expect(await files('outbox')).toContain('outbox/outbox.ts');
    for (const entry of ['index', 'core', 'groups', 'namespace', 'testing']) expect(await files(entry)).toEqual([]);
    const packages = (each: string) => each.startsWith('package ');
    expect((await reachedFrom('outbox')).filter(packages)).toEqual(['package idb']);
    const atStart = await reachedFrom('outbox', true);
    expect(
      atStart.filter((each) => /^(store[/](main-)?store|model[/]model|proxy[/]rest-proxy)[.]ts/.test(each)),
    ).toEqual([]);
  });

  test('groups are reached by their own entry only', async () => {
    const files = async (entry: string) => (await reachedFrom(entry)).filter((file) => /^groups\b/.test(file));
    expect(await files('groups')).toContain('groups/live-groups.ts');
    for (const entry of ['index', 'core', 'namespace', 'testing']) expect(await files(entry)).toEqual([]);
  });

  test('the namespace does not reach the help for tests', async () => {
    expect((await reachedFrom('namespace')).filter((file) => /^testing\b/.test(file))).toEqual([]);
  });

  test('core has the same names as the main entry', () => {
    expect(Object.keys(core).sort()).toEqual(Object.keys(main).sort());
    expect(core.Model).not.toBe(main.Model);
    const Thing = main.Model.define({ fields: { id: 'int' } });
    expect(new Thing({ id: 1 })).toBeInstanceOf(core.Model);
  });

  test.each([
    ['decimal fields', { total: 'decimal' }],
    ['days', { day: 'dateonly' }],
    ['whole numbers of any length', { serial: 'bigint' }],
    ['embedded models', { address: main.Model.define({ fields: { street: 'string' } }) }],
  ])('core does without %s, and the main entry has them', (_, fields) => {
    const declare = (Model: unknown) =>
      (Model as typeof main.Model).define({ fields: { id: 'int', ...fields } as never });
    expect(() => declare(core.Model)).toThrow(main.DefinitionError);
    expect(() => declare(main.Model)).not.toThrow();
  });

  test('core does without namings by name, and the main entry has them', () => {
    const declare = (Model: unknown, naming: unknown) =>
      (Model as typeof main.Model).define({ fields: { id: 'int', dueDate: 'string' }, naming: naming as 'snake' });
    expect(() => declare(core.Model, 'snake')).toThrow(main.DefinitionError);
    expect(declare(main.Model, 'snake').fromRow({ due_date: 'd' }).dueDate).toBe('d');
    const upper = (name: string) => name.toUpperCase();
    expect(declare(core.Model, upper).fromRow({ DUEDATE: 'd' }).dueDate).toBe('d');
  });

  test('core does without references, and the main entry has them', () => {
    expect(['references' in core.Model, 'related' in core.Model]).toEqual([false, false]);
    expect(['references' in main.Model, 'related' in main.Model]).toEqual([true, true]);
  });

  test('core does without declared actions, and the main entry has them', () => {
    const declare = (Model: unknown) =>
      (Model as typeof main.Model).define({ fields: { id: 'int' }, actions: { cancel: {} } });
    expect(() => declare(core.Model)).toThrow(main.DefinitionError);
    expect(declare(main.Model).actions).toHaveProperty('cancel');
  });

  test('core does without windows, and the main entry has them', () => {
    expect('window' in core.Store.prototype).toBe(false);
    expect('window' in main.Store.prototype).toBe(true);
  });

  test('the dotted names are the same classes', () => {
    const { data } = namespace;
    expect(data.proxy.Rest).toBe(main.RestProxy);
    expect(data.RestProxy).toBe(main.RestProxy);
    expect(data.Model).toBe(main.Model);
    expect(data.Store).toBe(main.Store);
  });
});
