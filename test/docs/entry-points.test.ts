import path from 'node:path';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';
import * as main from 'repose';
import * as extend from 'repose/extend';
import * as namespace from 'repose/namespace';
import { describe, expect, test } from 'vitest';
import { root } from './markdown.js';

/** Description of a bundle by esbuild; `atStart`: without the modules that are imported on demand. */
async function metafileOf(options: BuildOptions, atStart: boolean): Promise<Metafile> {
  const { metafile } = await build({
    ...options,
    absWorkingDir: root,
    bundle: true,
    metafile: true,
    write: false,
    format: 'esm',
    packages: 'external',
    logLevel: 'silent',
    plugins: atStart ? [withoutOnDemand] : [],
  });
  return metafile as Metafile;
}

/** The source files and packages that an entry imports at run time; `atStart`: without those that are imported on demand. */
async function reachedFrom(entry: string, atStart = false): Promise<string[]> {
  const { inputs: reached } = await metafileOf({ entryPoints: [path.join(root, 'src', `${entry}.ts`)] }, atStart);
  const inputs = Object.entries(reached);
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

const MODEL_PARTS = /^model[/]parts[/]|^errors[/]problem-families/;
/** The files of what follows a store, and of the values that bring their code. */
const STORE_FUNCTIONS =
  /^store[/](all-pages|difference|list-of|record-window|selection|stream-intake|sync-rollback|view|window-\w+)[.]ts|^model[/]undo/;

/** The files of parts with code in a bundle, without those that are imported on demand. */
async function partsIn(contents: string, parts: RegExp = MODEL_PARTS): Promise<string[]> {
  const { outputs } = await metafileOf({ stdin: { contents, resolveDir: root, loader: 'ts' } }, true);
  return Object.entries(Object.values(outputs)[0]?.inputs ?? {})
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([file]) => file.replace('src/', ''))
    .filter((file) => parts.test(file))
    .sort();
}

describe('entry points', () => {
  test('the main entry exports at most 105 values, and none of those for authors of extensions and dialects', () => {
    expect(Object.keys(main).length).toBeLessThanOrEqual(105);
    expect(Object.keys(extend).filter((name) => name in main)).toEqual([]);
  });

  test('import no package', async () => {
    for (const entry of ['index', 'groups', 'namespace', 'testing', 'tree']) {
      expect((await reachedFrom(entry)).filter((each) => each.startsWith('package '))).toEqual([]);
    }
  });

  test('the main entry imports neither the dotted names nor the test tools', async () => {
    const reached = await reachedFrom('index');
    expect(reached).toContain('model/model.ts');
    expect(reached.filter((file) => /^(namespace|testing)\b/.test(file))).toEqual([]);
  });

  test('a bundle without `forms` has no code that writes forms', async () => {
    const parts = /^extensions[/](?:form|xhr)/;
    const store = "export { Model, RestProxy, Store } from './src/index.ts';";
    expect(await partsIn(store, parts)).toEqual([]);
    expect(await partsIn("export { formBodies } from './src/index.ts';", parts)).toEqual(
      expect.arrayContaining(['extensions/form-entries.ts', 'extensions/xhr-fetch.ts']),
    );
  });

  test('a bundle without `streaming` has no code that reads streams', async () => {
    const streams = /^reader[/]stream[/]|^extensions[/]streaming/;
    expect(await partsIn("export { Model, RestProxy, Store } from './src/index.ts';", streams)).toEqual([]);
    expect(await partsIn("export { Model, plain, Store } from './src/index.ts';", streams)).toEqual([]);
    expect(await partsIn("export { streaming } from './src/index.ts';", streams)).toEqual(
      expect.arrayContaining(['extensions/streaming.ts', 'reader/stream/read-stream.ts']),
    );
  });

  test('a bundle without `keepFresh` has no code that refreshes', async () => {
    const refreshing = /^store[/]keep-fresh/;
    expect(await partsIn("export { Model, plain, Store } from './src/index.ts';", refreshing)).toEqual([]);
    expect(await partsIn("export { keepFresh } from './src/index.ts';", refreshing)).toHaveLength(2);
  });

  test('the outbox is in its own entry only, and imports its package on demand', async () => {
    const files = async (entry: string) => (await reachedFrom(entry)).filter((file) => /^outbox\b/.test(file));
    expect(await files('outbox')).toContain('outbox/outbox-class.ts');
    for (const entry of ['index', 'groups', 'namespace', 'testing']) expect(await files(entry)).toEqual([]);
    const packages = (each: string) => each.startsWith('package ');
    expect((await reachedFrom('outbox')).filter(packages)).toEqual(['package idb']);
    const atStart = await reachedFrom('outbox', true);
    expect(atStart.filter((each) => /^(store[/]store|model[/]model|proxy[/]rest-proxy)[.]ts/.test(each))).toEqual([]);
  });

  test('the parser of XML is imported by its own entry only', async () => {
    expect((await reachedFrom('xml')).filter((each) => each.startsWith('package '))).toEqual([
      'package @rgrove/parse-xml',
    ]);
    for (const entry of ['index', 'dialects', 'outbox', 'namespace', 'testing']) {
      expect((await reachedFrom(entry)).filter((file) => /^xml\b|parse-xml/.test(file))).toEqual([]);
    }
  });

  test('the parser of events is imported by its own entry only', async () => {
    expect((await reachedFrom('live')).filter((each) => each.startsWith('package '))).toEqual([
      'package eventsource-parser',
    ]);
    for (const entry of ['index', 'groups', 'outbox', 'react', 'testing', 'tree']) {
      expect((await reachedFrom(entry)).filter((file) => /^live\b|eventsource/.test(file))).toEqual([]);
    }
  });

  test('the inspector is in its own entry only', async () => {
    const files = async (entry: string) => (await reachedFrom(entry)).filter((file) => /^devtools\b/.test(file));
    expect(await files('devtools')).toContain('devtools/recorder.ts');
    for (const entry of ['index', 'groups', 'live', 'namespace', 'outbox', 'react', 'tree'])
      expect(await files(entry)).toEqual([]);
    // A replay masks secrets as the recording did.
    for (const file of await files('testing')) expect(file).toMatch(/^devtools\/secrets\//);
  });

  test('the history of sessions is in its own entry only', async () => {
    const files = async (entry: string) => (await reachedFrom(entry)).filter((file) => /^history\b/.test(file));
    expect(await files('history')).toContain('history/running-history.ts');
    for (const entry of ['index', 'live', 'outbox', 'react', 'tree']) expect(await files(entry)).toEqual([]);
  });

  test('groups are in their own entry only', async () => {
    const files = async (entry: string) => (await reachedFrom(entry)).filter((file) => /^groups\b/.test(file));
    expect(await files('groups')).toContain('groups/live-groups.ts');
    for (const entry of ['index', 'namespace', 'testing']) expect(await files(entry)).toEqual([]);
  });

  test.each([
    ['angular', 'inject'],
    ['react', 'use'],
    ['solid', 'use'],
    ['svelte', 'use'],
    ['vue', 'use'],
  ])('the binding %s has models, stores and forms only where it makes them', async (entry, prefix) => {
    const codeOf = (...names: string[]) =>
      partsIn(`export { ${names.map((name) => prefix + name).join(', ')} } from './src/${entry}.ts';`, /^/);
    const made = /^(form|model|operation|proxy|store|sync)[/]/;
    expect((await codeOf('List', 'Status', 'Record')).filter((file) => made.test(file))).toEqual([]);
    // A field shows what was typed as long as its input has the focus.
    expect((await codeOf('Field')).filter((file) => file.startsWith('form/'))).toEqual(['form/field-input.ts']);
    expect(await codeOf('Form')).toContain('form/record-form.ts');
  });

  test('the namespace does not import the test tools', async () => {
    expect((await reachedFrom('namespace')).filter((file) => /^testing\b/.test(file))).toEqual([]);
  });

  test('a bundle of models and stores has nothing that declarations bring along', async () => {
    expect(await partsIn("export { Model, RestProxy, Store } from './src/index.ts';")).toEqual([]);
  });

  test('a bundle of the model has what its declarations bring along, and nothing else', async () => {
    const chosen = `
      import { embed, Model, RestProxy } from './src/index.ts';
      class Line extends Model.define({ fields: {} }) {}
      export class Order extends Model.define({ fields: { lines: embed([Line]) } }) {}
      export { RestProxy };`;
    expect(await partsIn(chosen)).toEqual([
      'model/parts/embedded.ts',
      'model/parts/field-shape.ts',
      'model/parts/merge-lists.ts',
      'model/parts/waiting-lines.ts',
    ]);
  });

  test.each([
    ['reference', ['model/parts/references.ts', 'model/parts/resolve-references.ts', 'model/parts/write-order.ts']],
    ['action', ['model/parts/declared-actions.ts', 'model/parts/run-action.ts']],
    ['decimal', ['model/parts/exact-types.ts']],
    ['bigint', ['model/parts/exact-types.ts']],
  ])('the code that %s brings is in the bundle itself, not loaded on demand', async (name, files) => {
    expect(await partsIn(`export { ${name} } from './src/index.ts';`)).toEqual(expect.arrayContaining(files));
  });

  test('a bundle of a store has nothing of what follows a store', async () => {
    const contents = "export { Model, RestProxy, Session, Store, sync } from './src/index.ts';";
    expect(await partsIn(contents, STORE_FUNCTIONS)).toEqual([]);
  });

  test.each([
    ['windowOf', ['store/record-window.ts', 'store/window-loader.ts']],
    ['selectionOf', ['store/all-pages.ts', 'store/selection.ts']],
    ['viewOf', ['store/view.ts']],
    ['pagesOf', ['store/all-pages.ts']],
    ['listOf', ['store/list-of.ts']],
    ['differenceOf', ['store/difference.ts']],
    ['rollback', ['model/undo.ts', 'store/sync-rollback.ts']],
    ['streaming', ['store/stream-intake.ts']],
  ])('a bundle with %s has all its files, none loaded on demand', async (name, files) => {
    expect(await partsIn(`export { ${name} } from './src/index.ts';`, STORE_FUNCTIONS)).toEqual(
      expect.arrayContaining(files),
    );
  });

  test('the dotted names are the same classes', () => {
    const { data } = namespace;
    expect(data.proxy.Rest).toBe(main.RestProxy);
    expect(data.RestProxy).toBe(main.RestProxy);
    expect(data.Model).toBe(main.Model);
    expect(data.Store).toBe(main.Store);
  });
});
