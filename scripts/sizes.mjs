// What an application pays: bytes of the bundled import sets, minified by esbuild and gzipped, everything reachable counted.
// The one source of the numbers: `npm run test:size` holds them to their limits, a test compares the README with them.
// usage: node scripts/sizes.mjs [--modules], which tells of each module how many minified bytes it brings
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import ensureBuilt from './ensure-built.mjs';

const root = path.resolve(import.meta.dirname, '..');

/** The import sets. JSON reader and writer are the proxy's defaults and so inside. 1 kB is 1000 bytes. `limit` is 3 % above what was measured. */
export const importSets = [
  { imports: '{ Model, RestProxy }', from: 'repose/core', limit: 37_300 },
  { imports: '{ Model, RestProxy, Store }', from: 'repose/core', limit: 54_500 },
  { imports: '{ Model, plain, Store }', from: 'repose', limit: 69_700 },
];

/** What each extension adds to the first set. `limit` is 3 % above what was measured, and at least 60 bytes. */
export const extensions = [
  { name: 'retry', from: 'repose/core', limit: 1_650 },
  { name: 'rateLimit', from: 'repose/core', limit: 3_190 },
  { name: 'auth', from: 'repose/core', limit: 1_590 },
  { name: 'telemetry', from: 'repose/core', limit: 500 },
  { name: 'idempotency', from: 'repose/core', limit: 660 },
  { name: 'conflicts', from: 'repose/core', limit: 2_340 },
  { name: 'confirm', from: 'repose/core', limit: 640 },
  { name: 'etags', from: 'repose/core', limit: 1_640 },
  { name: 'streaming', from: 'repose/core', limit: 3_520 },
  { name: 'Outbox', from: 'repose/outbox', limit: 14_300 },
];

/** Measures every import set: the set with `minified` and `gzip`, in bytes, and `modules`. Builds the package first if needed. */
export async function measureSizes() {
  ensureBuilt();
  return Promise.all(importSets.map(async (set) => ({ ...set, ...(await measure(exportLine(set))) })));
}

/** Measures what each extension adds to the first import set, in the form of `measureSizes`. */
export async function measureExtensions() {
  ensureBuilt();
  const [smallest] = importSets;
  const base = await measure(exportLine(smallest));
  return Promise.all(
    extensions.map(async (extension) => {
      const { name, from } = extension;
      const { minified, gzip, modules } = await measure(
        `${exportLine(smallest)}\n${exportLine({ imports: `{ ${name} }`, from })}`,
      );
      // Shorter names in the one bundle, longer ones in the other: a few bytes say nothing about a module.
      const added = Object.entries(modules).map(([file, bytes]) => [file, bytes - (base.modules[file] ?? 0)]);
      return {
        ...extension,
        minified: minified - base.minified,
        gzip: gzip - base.gzip,
        modules: Object.fromEntries(added.filter(([, bytes]) => bytes > 20)),
      };
    }),
  );
}

function exportLine({ imports, from }) {
  return `export ${imports} from './dist/${from === 'repose' ? 'index' : path.basename(from)}.js';`;
}

async function measure(contents) {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: root },
    absWorkingDir: root,
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    // The one package: an application that stores in a browser's database installs it.
    external: ['idb'],
    metafile: true,
    write: false,
    logLevel: 'silent',
  });
  const [file] = outputFiles;
  const [{ inputs }] = Object.values(metafile.outputs);
  const modules = Object.entries(inputs).map(([name, { bytesInOutput }]) => [name.replace('dist/', ''), bytesInOutput]);
  return {
    minified: file.contents.length,
    gzip: gzipSync(file.contents, { level: 9 }).length,
    modules: Object.fromEntries(modules.filter(([, bytes]) => bytes > 0)),
  };
}

/** As the README writes it: `10.4 kB`. */
export function formatSize(bytes) {
  return `${(bytes / 1000).toFixed(1)} kB`;
}

/** Prints a size beside its limit, and where asked for the modules, the largest first. */
function print(what, { gzip, minified, limit, modules }, withModules) {
  const ok = gzip <= limit;
  const sizes = `${formatSize(gzip)} (${gzip} bytes) of at most ${formatSize(limit)}, ${formatSize(minified)} before gzip`;
  console.log(`${ok ? 'ok    ' : 'FAILED'} ${what}: ${sizes}`);
  if (!ok) process.exitCode = 1;
  if (!withModules) return;
  for (const [file, bytes] of Object.entries(modules).sort(([, a], [, b]) => b - a))
    console.log(`${String(bytes).padStart(9)} ${file}`);
}

if (pathToFileURL(process.argv[1]).href === import.meta.url) {
  const withModules = process.argv.includes('--modules');
  for (const set of await measureSizes()) print(`import ${set.imports} from '${set.from}'`, set, withModules);
  for (const extension of await measureExtensions())
    print(`${extension.name} of '${extension.from}' adds`, extension, withModules);
}
