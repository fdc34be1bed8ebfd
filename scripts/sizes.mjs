// What an application pays: bytes of the bundled import sets, minified by esbuild and gzipped.
// The one source of the numbers: `npm run test:size` holds them to their limits, a test compares the README with them.
// usage: node scripts/sizes.mjs
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import ensureBuilt from './ensure-built.mjs';

const root = path.resolve(import.meta.dirname, '..');

/** The import sets. JSON reader and writer are the proxy's defaults and so inside. 1 kB is 1000 bytes. `limit` is what is held today: it goes down towards `goal`, and up only with what a release adds. */
export const importSets = [
  { imports: '{ Model, RestProxy }', from: 'repose/core', file: 'dist/core.js', limit: 33_300, goal: 11_000 },
  { imports: '{ Model, RestProxy, Store }', from: 'repose/core', file: 'dist/core.js', limit: 49_900, goal: 17_000 },
  { imports: '*', from: 'repose', file: 'dist/index.js', limit: 73_000, goal: 24_000 },
];

/** Measures every import set: the set with `minified` and `gzip`, in bytes. Builds the package first if needed. */
export async function measureSizes() {
  ensureBuilt();
  return Promise.all(importSets.map(async (set) => ({ ...set, ...(await measure(set)) })));
}

async function measure({ imports, file }) {
  const { outputFiles } = await build({
    stdin: { contents: `export ${imports} from './${file}';`, resolveDir: root },
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    write: false,
    logLevel: 'silent',
    plugins: [onDemand],
  });
  const [{ contents }] = outputFiles;
  return { minified: contents.length, gzip: gzipSync(contents, { level: 9 }).length };
}

/** What is imported on demand is a file of its own, which most applications never load. */
const onDemand = {
  name: 'on-demand',
  setup({ onResolve }) {
    onResolve({ filter: /./ }, ({ kind, path }) => (kind === 'dynamic-import' ? { path, external: true } : undefined));
  },
};

/** As the README writes it: `10.4 kB`. */
export function formatSize(bytes) {
  return `${(bytes / 1000).toFixed(1)} kB`;
}

if (pathToFileURL(process.argv[1]).href === import.meta.url) {
  for (const { imports, from, gzip, minified, limit, goal } of await measureSizes()) {
    const ok = gzip <= limit;
    const sizes = `${formatSize(gzip)} of at most ${formatSize(limit)}, goal ${formatSize(goal)} (${formatSize(minified)} before gzip)`;
    console.log(`${ok ? 'ok    ' : 'FAILED'} import ${imports} from '${from}': ${sizes}`);
    if (!ok) process.exitCode = 1;
  }
}
