import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { type BuildOptions, build, transform } from 'esbuild';
import { type Row, round } from './harness.js';

const folder = import.meta.dirname;
const modules = path.join(folder, 'peers', 'node_modules');

/** The imports of an application, by subject. */
const sets: readonly { subject: string; what: string; code: string; peer?: true }[] = [
  {
    subject: 'floor',
    what: 'a wrapper of fetch',
    code: `export async function request(url, { body, ...options } = {}) {
      const headers = { accept: 'application/json', ...(body && { 'content-type': 'application/json' }), ...options.headers };
      const response = await fetch(url, { ...options, headers, body: body && JSON.stringify(body) });
      if (!response.ok) throw Object.assign(new Error(response.status + ' ' + url), { response });
      return response.status === 204 ? undefined : response.json();
    }`,
  },
  { subject: 'repose', what: 'Model, RestProxy', code: `export { Model, RestProxy } from 'repose';` },
  {
    subject: 'repose',
    what: 'Model, RestProxy, Store',
    code: `export { Model, RestProxy, Store } from 'repose';`,
  },
  { subject: 'repose', what: 'everything', code: `export * from 'repose';` },
  {
    subject: 'tanstack-db',
    what: 'collections, live queries; no REST',
    code: `export { createCollection, localOnlyCollectionOptions, createLiveQueryCollection, eq, sum } from '@tanstack/db';`,
    peer: true,
  },
  {
    subject: 'rtk',
    what: 'entity adapter and store; no REST',
    code: `export { createEntityAdapter, createSlice, configureStore, createAsyncThunk } from '@reduxjs/toolkit';`,
    peer: true,
  },
  {
    subject: 'mobx',
    what: 'observables; no REST',
    code: `export { makeObservable, observable, computed, action, autorun } from 'mobx';`,
    peer: true,
  },
  {
    subject: 'backbone',
    what: 'models, collections, sync',
    code: `export { default } from 'backbone';`,
    peer: true,
  },
  {
    subject: 'orbit',
    what: 'schema, memory source; no REST',
    code: `export { RecordSchema } from '@orbit/records'; export { MemorySource } from '@orbit/memory';`,
    peer: true,
  },
];

/** `npm run bench -- size`: bytes of bundles, minified and gzipped. */
export async function size(subjects: readonly string[]): Promise<Row[]> {
  const rows: Row[] = [];
  const row = (subject: string, what: string, bytes: number) => {
    const ratio = round(bytes / 1000 / (rows[0]?.value ?? bytes / 1000), 1);
    rows.push({
      workload: 'size',
      case: what,
      n: 1,
      subject,
      value: round(bytes / 1000, 2),
      unit: 'kB min+gzip',
      ratio,
    });
  };
  for (const { subject, what, code, peer } of sets) {
    if (subject !== 'floor' && !subjects.includes(subject)) continue;
    row(subject, what, gzipped(await bundle(code, peer ? path.join(folder, 'peers') : folder)));
  }
  if (subjects.includes('dstore')) {
    row(
      'dstore',
      'Rest, Trackable, SimpleQuery',
      gzipped(await amd(['dstore/Rest', 'dstore/Trackable', 'dstore/SimpleQuery'])),
    );
  }
  return rows;
}

async function bundle(contents: string, resolveDir: string): Promise<string> {
  const options: BuildOptions = {
    stdin: { contents, resolveDir },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    define: { 'process.env.NODE_ENV': '"production"' },
    // Backbone works without jQuery.
    external: ['jquery'],
    write: false,
    logLevel: 'silent',
  };
  const { outputFiles } = await build(options);
  return outputFiles?.[0]?.text as string;
}

/** AMD modules with their dependencies, joined in order, as a builder for AMD does it. */
async function amd(entries: readonly string[]): Promise<string> {
  const known = new Map<string, string>();
  const visit = async (id: string): Promise<void> => {
    if (known.has(id)) return;
    const file = path.join(modules, `${id.replace(/^dstore\//, 'dojo-dstore/')}.js`);
    if (!existsSync(file)) return;
    const source = readFileSync(file, 'utf8');
    known.set(id, (await transform(source, { minify: true })).code);
    const [, list = ''] = /define\(\s*(?:["'][^"']*["']\s*,\s*)?\[([^\]]*)\]/.exec(source) ?? [];
    for (const [, name = ''] of list.matchAll(/["']([^"']+)["']/g)) {
      if (!name.includes('!')) await visit(name.startsWith('.') ? path.posix.join(path.posix.dirname(id), name) : name);
    }
  };
  for (const id of entries) await visit(id);
  return [...known.values()].join('');
}

function gzipped(text: string): number {
  return gzipSync(text, { level: 9 }).length;
}
