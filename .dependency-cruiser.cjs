const upward = require('./scripts/upward-imports.cjs');

// The layers of the source, lowest first; folders in one row do not know each other.
// Imports point to lower rows only, also those of types. The exceptions are in scripts/upward-imports.cjs.
const layers = [
  ['util'],
  ['errors', 'dev'],
  ['http'],
  ['operation'],
  ['extension'],
  ['reader', 'writer'],
  ['dialect'],
  ['proxy'],
  ['model'],
  ['form'],
  ['store'],
  ['extensions'],
  ['sync'],
  ['children'],
  ['binding'],
  ['ssr'],
  ['groups', 'history', 'live', 'tree'],
  ['grid'],
  ['adapter'],
  ['xml'],
  ['outbox'],
  ['devtools'],
  ['namespace'],
  ['testing'],
];
/** Frameworks and libraries that one entry each imports. React is installed for the demo, the others in test/frameworks only. */
const frameworks =
  '^(node_modules/)?(@angular/core|@mui/x-data-grid|@refinedev/core|ag-grid-community|react|react-admin|solid-js|svelte|vue)(/|$)';
const bindings = '^src/(ag-grid|angular|mui-grid|react-admin|react|refine|solid|svelte|vue)[.]ts$';
const entries = '^src/[^/]+[.]ts$';
const runtime = { dependencyTypesNot: ['type-only'] };
const folders = (names) => `^src/(${names.join('|')})/`;

/** Folders of one row that know each other: errors have the texts of `dev`, whose checks throw errors. */
const pairs = [['errors', 'dev']];

/** The folders that a folder may import. */
const knownBy = (folder) => {
  const rank = layers.findIndex((row) => row.includes(folder));
  const pair = pairs.find((names) => names.includes(folder)) ?? [folder];
  return [...new Set([folder, ...pair]), ...layers.slice(0, rank).flat()];
};
const fileNames = (names) => `^src/(${names.map((name) => name.replaceAll('.', '[.]')).join('|')})$`;
const exempt = upward.flatMap(({ from }) => from);

const layerRules = layers.flat().map((folder) => {
  const known = knownBy(folder);
  return {
    name: `layer-${folder}`,
    comment: `src/${folder} may import only itself and: ${known.slice(1).join(', ')}. scripts/upward-imports.cjs has the exceptions.`,
    severity: 'error',
    from: { path: folders([folder]), pathNot: fileNames(exempt) },
    to: { path: '^src/', pathNot: folders(known) },
  };
});

/** A file with exceptions may import these, and what its folder may import. */
const exceptionRules = [...new Set(exempt)].map((file) => {
  const targets = upward.filter(({ from }) => from.includes(file)).flatMap(({ to }) => to);
  return {
    name: 'upward-import',
    comment: `src/${file} may import only what its folder may, and: ${targets.join(', ')}.`,
    severity: 'error',
    from: { path: fileNames([file]) },
    to: { path: '^src/', pathNot: [folders(knownBy(file.split('/')[0])), fileNames(targets)] },
  };
});
const typeRules = upward
  .filter(({ atRunTime }) => !atRunTime)
  .map(({ from, to }) => ({
    name: 'upward-import-of-types',
    comment: 'An exception is for types only.',
    severity: 'error',
    from: { path: fileNames(from) },
    to: { ...runtime, path: fileNames(to) },
  }));
/** An exception that is not needed any more has to leave the list. */
const neededRules = upward.flatMap(({ from, to }) =>
  from.flatMap((file) =>
    to.map((target) => ({
      name: 'upward-import-needed',
      comment: `src/${file} does not import src/${target} any more: remove the pair from scripts/upward-imports.cjs.`,
      severity: 'error',
      module: { path: fileNames([file]) },
      to: { path: fileNames([target]) },
    })),
  ),
);

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-cycle',
      comment: 'Modules must not import each other in a circle at run time.',
      severity: 'error',
      from: { path: '^src/' },
      to: { circular: true, viaOnly: runtime },
    },
    ...layerRules,
    ...exceptionRules,
    ...typeRules,
    {
      name: 'known-layer',
      comment: 'A new folder of src needs a place in the list of layers.',
      severity: 'error',
      from: { path: '^src/[^/]+/', pathNot: folders(layers.flat()) },
      to: {},
    },
    {
      name: 'namespace-stays-apart',
      comment: 'The namespace is reached by its own entry point only.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(namespace[.]ts|namespace/)' },
      to: { path: '^src/(namespace[.]ts|namespace/)' },
    },
    {
      name: 'groups-stay-apart',
      comment: 'Groups are reached by their own entry point only; their types may be named.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(groups[.]ts|groups/)' },
      to: { ...runtime, path: '^src/(groups[.]ts|groups/)' },
    },
    {
      name: 'outbox-stays-apart',
      comment: 'The outbox is reached by its own entry point only; its types may be named.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(outbox[.]ts|outbox/)' },
      to: { ...runtime, path: '^src/(outbox[.]ts|outbox/)' },
    },
    {
      name: 'declarations-bring-their-code',
      comment: 'The code of a declaration comes with the function that makes it: nothing else of the model imports it.',
      severity: 'error',
      from: { path: '^src/model/', pathNot: '^src/model/(declarations[.]ts|parts/)' },
      to: { ...runtime, path: '^src/model/parts/' },
    },
    {
      name: 'store-does-without-functions',
      comment: 'What follows a store from outside is in a bundle only if it is imported: the store imports none of it.',
      severity: 'error',
      from: { path: '^src/(store/store|sync/session)[.]ts$' },
      to: {
        ...runtime,
        path: '^src/(store/(all-pages|difference|list-of|record-window|selection|stream-intake|sync-rollback|view)|sync/(fork|apply-changes|session-changes))[.]ts$',
      },
    },
    {
      name: 'testing-stays-apart',
      comment: 'The test helpers are reached by their own entry point only.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(testing[.]ts|testing/)' },
      to: { path: '^src/(testing[.]ts|testing/)' },
    },
    {
      name: 'no-entry-from-below',
      comment: 'Nothing inside the folders imports an entry file, not even as a type.',
      severity: 'error',
      from: { path: '^src/[^/]+/' },
      to: { path: entries },
    },
    {
      name: 'nothing-from-outside',
      comment:
        'The source imports neither packages nor modules of a platform, except the frameworks in their bindings.',
      severity: 'error',
      from: { path: '^src/', pathNot: bindings },
      to: { pathNot: '^src/|^node_modules/(idb|@rgrove/parse-xml|eventsource-parser)/' },
    },
    {
      name: 'frameworks-only-in-bindings',
      comment: 'A binding imports its framework and nothing else from outside.',
      severity: 'error',
      from: { path: bindings },
      to: { pathNot: `^src/|${frameworks}` },
    },
    {
      name: 'idb-for-one-file',
      comment: 'The one optional package is loaded where a database of the browser is opened.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/outbox/(storage/)?(indexed-db-storage|log-database)[.]ts$' },
      to: { path: '^node_modules/idb/' },
    },
    {
      name: 'parse-xml-for-one-file',
      comment: 'The parser of XML is imported by the entry repose/xml only.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/xml/parse-body[.]ts$' },
      to: { path: '^node_modules/@rgrove/' },
    },
    {
      name: 'event-parser-for-one-file',
      comment: 'The parser of events is imported by the entry repose/live only.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/live/server-sent-events[.]ts$' },
      to: { path: '^node_modules/eventsource-parser/' },
    },
    {
      name: 'xml-stays-apart',
      comment: 'XML is reached by its own entry point only.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(xml[.]ts|xml/)' },
      to: { path: '^src/(xml[.]ts|xml/)' },
    },
    {
      name: 'resolvable',
      severity: 'error',
      from: { path: '^src/' },
      to: { couldNotResolve: true, pathNot: frameworks },
    },
  ],
  required: neededRules,
  options: {
    tsPreCompilationDeps: 'specify',
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: { extensions: ['.ts', '.js'], conditionNames: ['import', 'types'] },
  },
};
