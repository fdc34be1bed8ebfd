// Writes docs/servers.md from the reports of the last run of `npm run test:servers` and from the profiles of the servers;
// test/docs/servers.test.ts compares them.
// usage: node scripts/update-servers.mjs
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';

const root = path.resolve(import.meta.dirname, '..');
const page = 'docs/servers.md';
const MAX_LINES = 12;

const read = (file) => readFileSync(path.join(root, file), 'utf8');
const namesIn = (folder, extension) =>
  readdirSync(path.join(root, folder))
    .filter((file) => file.endsWith(extension))
    .map((file) => path.basename(file, extension))
    .sort();
const sourceOf = (file) => ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true);

/** The nodes of a tree that `find` returns a value for. */
function collect(node, find) {
  const found = find(node);
  const inner = [];
  node.forEachChild((child) => {
    inner.push(...collect(child, find));
  });
  return found === undefined ? inner : [found, ...inner];
}

/** The names of the checks and their sentences, as test/servers/profile.ts declares them. */
export function checks() {
  const [table] = collect(sourceOf('test/servers/profile.ts'), (node) =>
    ts.isVariableDeclaration(node) && node.name.text === 'CHECKS' ? node.initializer.expression : undefined,
  );
  return Object.fromEntries(table.properties.map(({ name, initializer }) => [name.text, initializer.text]));
}

/** How a profile configures the proxy: the source of its member `proxy`. */
export function configurationOf(name) {
  const file = `test/servers/profiles/${name}.ts`;
  const source = sourceOf(file);
  const [proxy] = collect(source, (node) =>
    ts.isPropertyAssignment(node) && node.name.getText() === 'proxy' && ts.isArrowFunction(node.initializer)
      ? node.initializer
      : undefined,
  );
  if (!proxy) throw new Error(`${file} has no member \`proxy: (url) => ({ … })\`.`);
  // The page shows JavaScript, and profiles have types of answers only.
  const lines = proxy.getText().replaceAll(': Answer', '').split('\n');
  const indent = Math.min(...lines.slice(1).map((line) => line.search(/\S/)));
  const inner = lines.length - 2;
  if (inner > MAX_LINES) throw new Error(`${file}: \`proxy\` has ${inner} lines, allowed are ${MAX_LINES}.`);
  return lines.map((line, i) => (i === 0 ? line : line.slice(indent))).join('\n');
}

/** The reports of the last run, by the names of the profiles. */
export function reports() {
  return namesIn('test/servers/reports', '.json').map((name) => ({
    name,
    ...JSON.parse(read(`test/servers/reports/${name}.json`)),
  }));
}

const PASSED = 'passed';
const entries = ({ checks: results }) => Object.entries(results);
const passed = (report) => entries(report).filter(([, result]) => result === PASSED).length + report.more.length;
const left = (report) => entries(report).filter(([, result]) => result !== PASSED);
/** The anchor of a heading. */
const anchor = (title) =>
  title
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');

/** The dialects without a server in the tests, with what their pages say about it. */
function others(all) {
  const used = new Set(all.map(({ dialect }) => fileOf(dialect)));
  return namesIn('docs/dialects', '.md')
    .filter((name) => !used.has(name))
    .map((name) => {
      const text = read(`docs/dialects/${name}.md`);
      const [, title] = /^# (.+)$/m.exec(text);
      const [, against] = /^Tested against: (.+)$/m.exec(text);
      return `| [${title}](dialects/${name}.md) | ${against} |`;
    });
}

/** The name of a dialect's page: `json-server` for `jsonServer`. */
const fileOf = (dialect) => dialect.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
const dialectLink = (dialect) =>
  dialect === 'plain'
    ? '[`plain()`](reference/dialects.md#plain)'
    : `[\`${dialect}()\`](dialects/${fileOf(dialect)}.md)`;

/** The checks that were left out, by reason. Node 20 has no `Map.groupBy`. */
function groupBy(list) {
  const groups = new Map();
  for (const [check, reason] of list) groups.set(reason, [...(groups.get(reason) ?? []), check]);
  return groups;
}

/** A section about one server: configuration, what differs, further checks. */
function section(report) {
  const { name, title, version, dialect, more, notes } = report;
  const byReason = groupBy(left(report));
  const reasons = [...byReason].map(
    ([reason, list]) => `- ${list.map((check) => `\`${check}\``).join(', ')}: ${reason}.`,
  );
  return [
    `## ${title}`,
    '',
    `Version ${version}, with ${dialectLink(dialect)}; ${passed(report)} checks passed. [The whole profile](../test/servers/profiles/${name}.ts).`,
    '',
    '```js',
    `const proxy = ${configurationOf(name)};`,
    '```',
    ...(reasons.length > 0 ? ['', 'Left out:', '', ...reasons] : []),
    ...(more.length > 0 ? ['', 'Also checked:', '', ...more.map((each) => `- ${each}`)] : []),
    ...(notes.length > 0 ? ['', 'To know:', '', ...notes.map((each) => `- ${each}`)] : []),
  ].join('\n');
}

/** The text of docs/servers.md. */
export function serversPage() {
  const all = reports();
  const sentences = checks();
  return `${[
    '# Servers',
    '',
    'Repose is tested against these servers as their authors ship them: each is started from scratch, and one suite of checks runs against it. This page is made from the last run, by `node scripts/update-servers.mjs`. [How to add a server](../test/servers/README.md).',
    '',
    '| Server | Version | Dialect | Checks | Left out |',
    '|---|---|---|---|---|',
    ...all.map(
      (report) =>
        `| [${report.title}](#${anchor(report.title)}) | ${report.version} | ${dialectLink(report.dialect)} | ${passed(report)} passed | ${left(report).length} |`,
    ),
    '',
    'These dialects have no server in the tests. They are tested with requests and answers from documentation, or against servers that ran while they were written:',
    '',
    '| Dialect | Tested against |',
    '|---|---|',
    ...others(all),
    '',
    'A check that a server cannot pass is left out with a reason; the sections below list them. Names in capitals are constants of the profile.',
    '',
    '| Check | What a test does |',
    '|---|---|',
    ...Object.entries(sentences).map(([name, sentence]) => `| \`${name}\` | ${sentence} |`),
    '',
    all.map(section).join('\n\n'),
  ].join('\n')}\n`;
}

if (process.argv[1] && pathToFileURL(process.argv[1]).href === import.meta.url) {
  writeFileSync(path.join(root, page), serversPage());
}
