// Makes docs/reference/options.md of the TSDoc of the interfaces that declare the options: scripts/update-reference.mjs writes it.
import ts from 'typescript';
import { cell, declarationIn, descriptionOf, plain, tagsOf } from './tsdoc.mjs';

/** The tables: a heading, where the options are given, and the interfaces whose members are listed, with a prefix for nested ones. */
const sections = [
  {
    heading: '## Proxies',
    text: 'Options that all proxies have, also `type: MemoryProxy`.',
    interfaces: [['src/proxy/data-proxy.ts', 'DataProxyConfig']],
  },
  {
    heading: '## REST proxy',
    text: "Given as `proxy: { type: 'rest', … }` or `new RestProxy({ … })`, together with the options of all proxies. An empty text, or `null`, as the name of a parameter means that the parameter is not sent.",
    interfaces: [
      ['src/proxy/proxy-config.ts', 'AjaxProxyConfig'],
      ['src/proxy/proxy-config.ts', 'RestProxyConfig'],
    ],
  },
  {
    heading: '## `rowCount()`',
    text: 'Given as `countUrl: rowCount({ … })` of a proxy.',
    interfaces: [['src/proxy/proxy-config.ts', 'CountAddress']],
  },
  {
    heading: '## Memory proxy',
    text: 'Given as `proxy: { type: MemoryProxy, … }`, together with the options of all proxies.',
    interfaces: [['src/proxy/memory-proxy.ts', 'MemoryProxyConfig']],
  },
  {
    heading: '## Reader',
    text: 'Given as `reader: { … }` of a proxy. A path is written with dots: `result.items`.',
    interfaces: [['src/reader/json-reader.ts', 'JsonReaderConfig']],
  },
  {
    heading: '## Writer',
    text: 'Given as `writer: { … }` of a proxy.',
    interfaces: [['src/writer/json-writer.ts', 'JsonWriterConfig']],
  },
  {
    heading: '## `plain()`',
    text: 'Given to the dialect `plain({ … })`, together with the options of a REST proxy that name parameters (`pageParam` and its like), and `trailingSlash`, `batchActions`, `actionMethods`, `reader` and `writer`, of which a proxy with this dialect takes its defaults.',
    interfaces: [
      ['src/dialect/plain.ts', 'PlainOptions'],
      ['src/dialect/plain.ts', 'SortTemplates', 'sort.'],
      ['src/dialect/filter-templates.ts', 'FilterTemplates', 'filter.'],
      ['src/dialect/value-rules.ts', 'ValueRules', 'filter.'],
      ['src/dialect/filter-templates.ts', 'ValueTexts', 'filter.values.'],
    ],
  },
  {
    heading: '## `jsonFilter()` and `bracketFilter()`',
    interfaces: [
      ['src/dialect/filter-tree.ts', 'TreeNames'],
      ['src/dialect/value-rules.ts', 'ValueRules'],
      ['src/dialect/bracket-filter.ts', 'BracketLimits'],
    ],
  },
  {
    heading: '## Model',
    text: 'Given to `Model.define({ … })`. `Model.with({ … })` takes `proxy`, `naming`, `identifier` and `messages`.',
    interfaces: [
      ['src/model/model-config.ts', 'ModelConfig'],
      ['src/model/model-config.ts', 'ModelDefaults'],
    ],
  },
  {
    heading: '## Field',
    text: "Given in `fields` of a model: `fields: { age: { type: 'int', allowNull: true } }`.",
    interfaces: [['src/model/field.ts', 'FieldConfig']],
  },
  {
    heading: '## Identifier',
    text: 'Given as `identifier: { … }` of a model.',
    interfaces: [['src/model/identifier.ts', 'IdentifierOptions']],
  },
  {
    heading: '## Declared action',
    text: 'Given in `actions` of a model.',
    interfaces: [['src/model/action-types.ts', 'ActionConfig']],
  },
  {
    heading: '## Load, save and erase of a record',
    text: 'Given to `Model.load(id, { … })`, `record.load({ … })`, `record.save({ … })` and `record.erase({ … })`.',
    interfaces: [['src/model/action-options.ts', 'ActionOptions']],
  },
  {
    heading: '### Load only',
    interfaces: [['src/model/action-options.ts', 'RecordLoadOptions']],
  },
  {
    heading: '### Save only',
    interfaces: [['src/model/action-options.ts', 'SaveOptions']],
  },
  {
    heading: '## Form of a record',
    text: 'Given to `new RecordForm(record, { … })`.',
    interfaces: [['src/form/record-form.ts', 'FormOptions']],
  },
  {
    heading: '## Store',
    text: 'Given to `new Store({ … })`.',
    interfaces: [['src/store/store-config.ts', 'StoreConfig']],
  },
  {
    heading: '## List without a model',
    text: 'Given to `listOf(rows, { … })` and `listOf({ fields: { … } })`, together with the options of a view but `query`.',
    interfaces: [
      ['src/store/list-of.ts', 'ListOptions'],
      ['src/store/list-of.ts', 'RowListOptions'],
      ['src/store/list-of.ts', 'FieldListOptions'],
    ],
  },
  {
    heading: '## Store and view',
    text: 'Given to `new Store({ … })` and to `viewOf(store, { … })`.',
    interfaces: [['src/store/store-config.ts', 'ViewConfig']],
  },
  {
    heading: '## Sorter',
    text: "Given in `sorters` and to `sort`: `{ property: 'name', direction: 'DESC' }`.",
    interfaces: [['src/store/query.ts', 'PropertySorter']],
  },
  {
    heading: '## Filter',
    text: "Given in `filters` and to `filter`, together with an `operator` and a `value`: `{ property: 'age', operator: 'ge', value: 18 }`.",
    interfaces: [['src/store/query.ts', 'FieldFilterOptions']],
  },
  {
    heading: '## Load of a store',
    text: 'Given to `store.load({ … })` and its relatives.',
    interfaces: [['src/store/paging.ts', 'LoadOptions']],
  },
  {
    heading: '## Sync',
    text: 'Given to `store.sync({ … })`, `session.sync({ … })` and `sync([users, tasks], { … })`.',
    interfaces: [['src/store/store-config.ts', 'SyncOptions']],
  },
  {
    heading: '## Window',
    text: 'Given to `windowOf(store, { … })`.',
    interfaces: [['src/store/window-config.ts', 'WindowConfig']],
  },
  {
    heading: '## `keepFresh()`',
    text: 'Given to `keepFresh(store, { … })` or `keepFresh(window, { … })`.',
    interfaces: [['src/store/keep-fresh-options.ts', 'KeepFreshOptions']],
  },
  {
    heading: '## Filter and search',
    text: 'Given to `store.filter(…, { … })` and `store.search(…, { … })`.',
    interfaces: [['src/store/store-config.ts', 'QueryOptions']],
  },
  {
    heading: '## Groups',
    text: 'Given to `groups({ … })` of `repose/groups`.',
    interfaces: [['src/store/groups-config.ts', 'GroupsOptions']],
  },
  {
    heading: '## `historyOf()`',
    text: 'Given to `historyOf(session, { … })` of `repose/history`, at its first call.',
    interfaces: [['src/history/history-of.ts', 'HistoryOptions']],
  },
  {
    heading: '## Grid data source',
    text: 'Given to `gridDataSource(Order, { … })` of `repose/mui-grid`.',
    interfaces: [['src/mui-grid.ts', 'DataSourceOptions']],
  },
  {
    heading: '## Data provider of Refine',
    text: 'Given to `dataProvider(models, { … })` of `repose/refine`.',
    interfaces: [['src/refine.ts', 'ProviderOptions']],
  },
  {
    heading: '## `meta` of data providers',
    text: 'Given as `meta` of calls to a data provider of `repose/react-admin` or `repose/refine`.',
    interfaces: [['src/adapter/call-request.ts', 'ProviderMeta']],
  },
  {
    heading: '## `retry()`',
    interfaces: [
      ['src/extensions/retry.ts', 'RetryConfig'],
      ['src/extensions/retry.ts', 'BackoffConfig', 'backoff.'],
    ],
  },
  { heading: '## `auth()`', interfaces: [['src/extensions/auth.ts', 'AuthConfig']] },
  { heading: '## `rateLimit()`', interfaces: [['src/extensions/rate-limit.ts', 'RateLimitConfig']] },
  { heading: '## `conflicts()`', interfaces: [['src/extensions/conflicts/conflicts.ts', 'ConflictsConfig']] },
  { heading: '## `safeWrites()`', interfaces: [['src/extensions/safe-writes.ts', 'SafeWritesConfig']] },
  { heading: '## `etags()`', interfaces: [['src/extensions/etags.ts', 'EtagsConfig']] },
  { heading: '## `idempotency()`', interfaces: [['src/extensions/idempotency.ts', 'IdempotencyConfig']] },
  { heading: '## `formBodies()`', interfaces: [['src/extensions/form-bodies.ts', 'FormBodiesConfig']] },
  { heading: '## `telemetry()`', interfaces: [['src/extensions/telemetry.ts', 'TelemetryConfig']] },
  {
    heading: '## Outbox',
    text: 'Given to `new Outbox({ … })` of `repose/outbox`.',
    interfaces: [
      ['src/outbox/outbox-config.ts', 'OutboxConfig'],
      ['src/outbox/outbox-config.ts', 'OutboxBackoff', 'backoff.'],
    ],
  },
  {
    heading: '## `feed()`',
    text: 'Given to `feed(store, { … })` of `repose/live`.',
    interfaces: [['src/live/feed-config.ts', 'FeedConfig']],
  },
  {
    heading: '## `serverSentEvents()`',
    text: 'Given to `serverSentEvents(Task, { … })` of `repose/live`.',
    interfaces: [['src/live/server-sent-events.ts', 'ServerSentEventsConfig']],
  },
  {
    heading: '## Tree',
    text: 'Given to `new TreeStore({ … })` of `repose/tree`, together with options of a store.',
    interfaces: [['src/tree/tree-config.ts', 'TreeConfig']],
  },
  {
    heading: '## `xml()`',
    text: 'Given to `xml({ … })` of `repose/xml`.',
    interfaces: [['src/xml/xml-format.ts', 'XmlOptions']],
  },
  {
    heading: '## `tableSource()`',
    text: 'Given to `tableSource(store, createAtom, { … })` of `repose/tanstack-table`.',
    interfaces: [['src/tanstack-table.ts', 'TableSourceOptions']],
  },
  {
    heading: '## Inspector',
    text: 'Given to `record(targets, { … })` and `mountInspector(targets, { … })` of `repose/devtools`; `mountInspector` alone takes the last four.',
    interfaces: [
      ['src/devtools/recorder.ts', 'RecorderOptions'],
      ['src/devtools/mount.ts', 'InspectorOptions'],
    ],
  },
  {
    heading: '## `restServer()`',
    text: 'Given to `restServer({ … })` of `repose/testing`, together with names of parameters such as `pageParam`.',
    interfaces: [
      ['src/testing/rest-config.ts', 'RestServerOptions'],
      ['src/testing/rest-config.ts', 'RestCollectionConfig', "collections['…']."],
    ],
  },
];

const intro = `# Options

Every option, its default and its meaning. The tables are made from the comments in the source, which editors also show: \`node scripts/update-reference.mjs\` writes this page. What a value that brings its code adds to a bundle, such as \`embed()\`: see [sizes](sizes.md).`;

/** The whole page. Throws where an option has no description. */
export function optionsPage() {
  const parts = sections.map(({ heading, text, interfaces }) => {
    const lines = interfaces.flatMap(([file, name, prefix = '']) =>
      optionsOf(file, name).map((row) => `| \`${prefix}${row.name}\` | ${code(row.default)} | ${cell(row.meaning)} |`),
    );
    return [
      heading,
      ...(text ? [text] : []),
      ['| Option | Default | Meaning |', '|---|---|---|', ...lines].join('\n'),
    ].join('\n\n');
  });
  return `${[intro, ...parts].join('\n\n')}\n`;
}

/** The options that an interface declares itself: name, default and the first paragraph of the description. */
export function optionsOf(file, name) {
  const options = new Map();
  for (const member of declarationIn(file, name, ts.isInterfaceDeclaration).members) {
    const option = member.name.text;
    // The first of several overloads describes the option.
    if (options.has(option)) continue;
    const [meaning] = descriptionOf(member).split('\n\n');
    if (!meaning) throw new Error(`${file}: ${name}.${option} has no description`);
    options.set(option, { name: option, default: plain(tagsOf(member, 'default')[0] ?? ''), meaning });
  }
  return [...options.values()];
}

/** A default as code where it is a value. */
function code(text) {
  return text && /^(?:'[^']*'|\d+|true|false|\[\]|null|[a-z]\w*)$/.test(text) ? `\`${text}\`` : cell(text);
}
