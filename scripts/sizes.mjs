// Measures how much a bundle grows by the package: minified by esbuild and gzipped, everything reachable counted.
// `npm run test:size` compares the sizes with their limits, and a test compares docs/reference/sizes.md and README.md with the sizes.
// usage: node scripts/sizes.mjs [--modules], which also prints the minified bytes of each module
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import ensureBuilt from './ensure-built.mjs';

const root = path.resolve(import.meta.dirname, '..');

/**
 * The imports of applications. The JSON reader and writer are defaults of the proxy and so always included. 1 kB is 1000 bytes.
 * `limit` is 3 % above the measured size of a development bundle, `productionLimit` above that of a production bundle.
 */
export const importSets = [
  {
    use: 'records, no lists',
    imports: '{ Model, RestProxy }',
    from: 'repose',
    limit: 76_860,
    productionLimit: 54_100,
  },
  {
    use: 'records and lists',
    imports: '{ Model, RestProxy, Store }',
    from: 'repose',
    limit: 108_760,
    productionLimit: 84_450,
  },
  {
    use: 'a whole store',
    imports: '{ Model, plain, Store }',
    from: 'repose',
    limit: 112_900,
    productionLimit: 87_430,
  },
  {
    use: 'a store with safe writes',
    imports: '{ Model, plain, Store, safeWrites }',
    from: 'repose',
    limit: 120_630,
    productionLimit: 94_510,
  },
  {
    use: 'a store with safe writes and forms, in React',
    imports: '{ Model, plain, Store, safeWrites }',
    from: 'repose',
    and: { imports: '{ useStore, useForm }', from: 'repose/react' },
    limit: 126_080,
    productionLimit: 99_090,
  },
  {
    use: 'the first screen of the README, React apart',
    imports: '{ Model, plain, Store }',
    from: 'repose',
    and: { imports: '{ useForm, useStore }', from: 'repose/react' },
    limit: 118_340,
    productionLimit: 92_110,
  },
];

/** The imports of a set, as docs/reference/sizes.md writes them. */
export const importsOf = ({ and, ...set }) =>
  [set, ...(and ? [and] : [])].map(({ imports, from }) => `\`${imports}\` from \`${from}\``).join(', ');

/** The name in docs/reference/sizes.md of an import that is added to the base: a name of an entry, or the whole entry. */
export function addedName({ name, from, imports = `{ ${name} }` }) {
  if (imports !== `{ ${name} }`) return `\`${from}\``;
  return from === 'repose' ? `\`${name}\`` : `\`${name}\` of \`${from}\``;
}

/** The import set with which most applications begin: the cost of each extension is measured beside it. */
const base = importSets[2];

/** The extensions, each of which is added to the base. `limit` is 3 % above the measured size, and at least 60 bytes. */
export const extensions = [
  { name: 'safeWrites', from: 'repose', limit: 7_680 },
  { name: 'retry', from: 'repose', limit: 1_380 },
  { name: 'rateLimit', from: 'repose', limit: 2_780 },
  { name: 'auth', from: 'repose', limit: 1_880 },
  { name: 'telemetry', from: 'repose', limit: 290 },
  { name: 'idempotency', from: 'repose', limit: 530 },
  { name: 'conflicts', from: 'repose', limit: 3_860 },
  { name: 'confirm', from: 'repose', limit: 490 },
  { name: 'etags', from: 'repose', limit: 2_820 },
  { name: 'streaming', from: 'repose', limit: 4_000 },
  { name: 'formBodies', from: 'repose', limit: 2_260 },
  { name: 'diagnostics', from: 'repose/diagnostics', limit: 2_570 },
  { name: 'Outbox', from: 'repose/outbox', limit: 34_900 },
  { name: 'xml', from: 'repose/xml', limit: 2_290 },
];

/** The functions of a binding without its forms. */
const WITHOUT_FORMS = '{ useField, useList, useRecord, useStatus, useSuspenseList }';

/**
 * The bindings, each of which is added to the base; the framework is external, so it is not counted. `limit` is as for extensions.
 * Forms are measured once, because all bindings share them.
 */
export const bindings = [
  { name: 'react', imports: WITHOUT_FORMS, from: 'repose/react', limit: 2_020 },
  { name: 'vue', imports: WITHOUT_FORMS, from: 'repose/vue', limit: 2_330 },
  { name: 'svelte', imports: WITHOUT_FORMS, from: 'repose/svelte', limit: 2_260 },
  { name: 'solid', imports: WITHOUT_FORMS, from: 'repose/solid', limit: 1_530 },
  {
    name: 'angular',
    imports: '{ injectField, injectList, injectRecord, injectStatus }',
    from: 'repose/angular',
    limit: 1_490,
  },
  { name: 'useForm', imports: '{ useForm }', from: 'repose/react', limit: 3_560 },
];

/**
 * The entries for one purpose and the adapters to other libraries, each of which is added to the base; the libraries are external, so
 * they are not counted. `limit` is 5 % above the measured size.
 */
export const tools = [
  { name: 'repose/history', imports: '{ historyOf }', from: 'repose/history', limit: 8_510 },
  { name: 'repose/live', imports: '{ feed, serverSentEvents }', from: 'repose/live', limit: 11_020 },
  { name: 'repose/devtools', imports: '{ mountInspector }', from: 'repose/devtools', limit: 34_060 },
  { name: 'repose/react-admin', imports: '{ dataProvider }', from: 'repose/react-admin', limit: 6_510 },
  { name: 'repose/refine', imports: '{ dataProvider }', from: 'repose/refine', limit: 6_700 },
  { name: 'repose/mui-grid', imports: '{ gridDataSource }', from: 'repose/mui-grid', limit: 6_470 },
];

/** The functions that follow a store, a record or a session, each of which is added to the base. `limit` is as for extensions. */
export const functions = [
  { name: 'windowOf', from: 'repose', limit: 4_800 },
  { name: 'selectionOf', from: 'repose', limit: 3_530 },
  { name: 'viewOf', from: 'repose', limit: 420 },
  { name: 'pagesOf', from: 'repose', limit: 1_080 },
  { name: 'listOf', from: 'repose', limit: 930 },
  { name: 'differenceOf', from: 'repose', limit: 1_040 },
  { name: 'receive', from: 'repose', limit: 1_470 },
  { name: 'refreshStale', from: 'repose', limit: 250 },
  { name: 'queryFromJSON', from: 'repose', limit: 410 },
  { name: 'explain', from: 'repose', limit: 1_240 },
  { name: 'fieldsOf', from: 'repose', limit: 950 },
  { name: 'copyOf', from: 'repose', limit: 440 },
  { name: 'decide', from: 'repose', limit: 540 },
  { name: 'childrenOf', from: 'repose', limit: 6_870 },
  { name: 'through', from: 'repose', limit: 7_770 },
  { name: 'saveGraph', from: 'repose', limit: 3_640 },
  { name: 'storeOf', from: 'repose', limit: 700 },
  { name: 'fork', from: 'repose', limit: 11_380 },
  { name: 'changesOf', from: 'repose', limit: 1_590 },
  { name: 'applyChanges', from: 'repose', limit: 3_610 },
];

/** The values that bring their code, each of which is added to the base. `limit` is as for extensions. */
export const values = [
  { name: 'embed', from: 'repose', limit: 5_640 },
  { name: 'reference', from: 'repose', limit: 2_950 },
  { name: 'action', from: 'repose', limit: 860 },
  { name: 'decimal', from: 'repose', limit: 410 },
  { name: 'bigint', from: 'repose', limit: 260 },
  { name: 'dateFormat', from: 'repose', limit: 1_720 },
  { name: 'uuid', from: 'repose', limit: 70 },
  { name: 'compositeId', from: 'repose', limit: 480 },
  { name: 'rollback', from: 'repose', limit: 2_560 },
  { name: 'filterTemplates', from: 'repose', limit: 3_980 },
  { name: 'rowCount', from: 'repose', limit: 1_390 },
  { name: 'readAnyProblem', from: 'repose', limit: 1_810 },
];

/** The folders of the two builds. */
const DEVELOPMENT = 'dist';
const PRODUCTION = 'dist/production';

/** The most bytes that a dialect adds, with the templates that `plain()` alone does not have. */
const DIALECT_LIMIT = 6_400;

/**
 * Measures every import set: the set with `minified` and `gzip`, in bytes, and `modules`, and the same of a production bundle as
 * `production`. Builds the package first if needed.
 */
export async function measureSizes() {
  ensureBuilt();
  const sizes = await measureAll(importSets.map((set) => exportLine(set)));
  const production = await measureAll(importSets.map((set) => exportLine(set, PRODUCTION)));
  return importSets.map((set, at) => ({ ...set, ...sizes[at], production: production[at] }));
}

/** Measures what each of some extensions, functions or values adds to the base, in the form of `measureSizes`. */
export function measureNamed(sets) {
  return measureAdded(sets.map((set) => ({ ...set, imports: `{ ${set.name} }` })));
}

/**
 * Measures what each dialect of `repose/dialects` adds to the base, which already holds `plain()`. All have one limit: a dialect that
 * needs more says why on its page.
 */
export async function measureDialects() {
  ensureBuilt();
  const names = Object.keys(await import('../dist/dialects.js'));
  return measureAdded(
    names.map((name) => ({ name, imports: `{ ${name} }`, from: 'repose/dialects', limit: DIALECT_LIMIT })),
  );
}

/** Measures what each binding adds to the base, in the form of `measureSizes`. */
export function measureBindings() {
  return measureAdded(bindings);
}

/** Measures what each entry of `tools` adds to the base, in the form of `measureSizes`. */
export function measureTools() {
  return measureAdded(tools);
}

async function measureAdded(sets) {
  ensureBuilt();
  const linesIn = (folder) => {
    const baseLine = exportLine(base, folder);
    return [baseLine, ...sets.map((set) => `${baseLine}\n${exportLine(set, folder)}`)];
  };
  const [without, ...sizes] = await measureAll(linesIn(DEVELOPMENT));
  const [withoutInProduction, ...production] = await measureAll(linesIn(PRODUCTION));
  return sets.map((set, at) => {
    const { minified, gzip, modules } = sizes[at];
    // The minifier gives a module other names in each bundle: differences of a few bytes mean nothing.
    const added = Object.entries(modules).map(([file, bytes]) => [file, bytes - (without.modules[file] ?? 0)]);
    return {
      ...set,
      minified: minified - without.minified,
      gzip: gzip - without.gzip,
      production: { gzip: production[at].gzip - withoutInProduction.gzip },
      modules: Object.fromEntries(added.filter(([, bytes]) => bytes > 20)),
    };
  });
}

function exportLine({ imports, from, and }, folder = DEVELOPMENT) {
  const line = `export ${imports} from './${folder}/${from === 'repose' ? 'index' : path.basename(from)}.js';`;
  return and ? `${line}\n${exportLine(and, folder)}` : line;
}

/** Measures the bundle of each entry. All are built in one run, which parses a module once and not once for each bundle. */
async function measureAll(entries) {
  const { outputFiles, metafile } = await build({
    entryPoints: entries.map((_, at) => ({ in: `entry:${at}`, out: `${at}` })),
    outdir: root,
    plugins: [entriesFrom(entries)],
    absWorkingDir: root,
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    // Optional packages, which applications that use them install themselves.
    external: [
      ...['idb', '@rgrove/parse-xml', 'eventsource-parser', 'react', 'vue', 'svelte', 'solid-js', '@angular/core'],
      ...['react-admin', '@refinedev/core', '@mui/x-data-grid'],
    ],
    metafile: true,
    write: false,
    logLevel: 'silent',
  });
  return entries.map((_, at) => {
    const { contents } = outputFiles.find((file) => path.basename(file.path) === `${at}.js`);
    const modules = Object.entries(metafile.outputs[`${at}.js`].inputs).map(([name, { bytesInOutput }]) => [
      name.replace(/^dist\/(production\/)?/, ''),
      bytesInOutput,
    ]);
    return {
      minified: contents.length,
      gzip: gzipSync(contents, { level: 9 }).length,
      modules: Object.fromEntries(modules.filter(([, bytes]) => bytes > 0)),
    };
  });
}

/** A plugin that gives esbuild the entries, which are in no file. */
function entriesFrom(entries) {
  return {
    name: 'entries',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^entry:/ }, ({ path }) => ({ path, namespace: 'entry' }));
      onLoad({ filter: /./, namespace: 'entry' }, ({ path }) => ({
        contents: entries[path.slice('entry:'.length)],
        resolveDir: root,
      }));
    },
  };
}

/** A size as the documents write it: `10.4 kB`. */
export function formatSize(bytes) {
  // Adding 0 makes -0 to 0.
  return `${(Math.round(bytes / 100) / 10 + 0).toFixed(1)} kB`;
}

/** Prints a size and its limit and, with `withModules`, the modules, largest first. */
function print(
  what,
  { gzip, minified, limit, modules, production, productionLimit = Number.POSITIVE_INFINITY },
  withModules,
) {
  const ok = gzip <= limit && production.gzip <= productionLimit;
  const bound = productionLimit === Number.POSITIVE_INFINITY ? '' : ` of at most ${formatSize(productionLimit)}`;
  const sizes = `${formatSize(gzip)} (${gzip} bytes) of at most ${formatSize(limit)}, ${formatSize(minified)} before gzip; production ${formatSize(production.gzip)} (${production.gzip} bytes)${bound}`;
  console.log(`${ok ? 'ok    ' : 'FAILED'} ${what}: ${sizes}`);
  if (!ok) process.exitCode = 1;
  if (!withModules) return;
  for (const [file, bytes] of Object.entries(modules).sort(([, a], [, b]) => b - a))
    console.log(`${String(bytes).padStart(9)} ${file}`);
}

if (pathToFileURL(process.argv[1]).href === import.meta.url) {
  const withModules = process.argv.includes('--modules');
  for (const set of await measureSizes()) print(importsOf(set), set, withModules);
  for (const extension of await measureNamed(extensions))
    print(`${extension.name} of '${extension.from}' adds`, extension, withModules);
  for (const dialect of await measureDialects())
    print(`${dialect.name} of '${dialect.from}' adds`, dialect, withModules);
  for (const binding of await measureBindings())
    print(`${binding.imports} of '${binding.from}' adds`, binding, withModules);
  for (const each of [...(await measureTools()), ...(await measureNamed([...functions, ...values]))])
    print(`${each.imports} of '${each.from}' adds`, each, withModules);
}
