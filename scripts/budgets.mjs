// Measures what the package costs a reader, an application and a processor, and compares the figures with budgets.json. Fails if one is
// larger than there: a figure may grow only with its line in budgets.json, and the commit says why.
// usage: npm run budgets [-- --write], which writes the measured figures; or [-- FOLDER] for the figures of another checkout with a dist/
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';
import { startCoverage } from './coverage.mjs';
import ensureBuilt from './ensure-built.mjs';
import { measureSizes } from './sizes.mjs';
import upward from './upward-imports.cjs';

const args = process.argv.slice(2);
const other = args.find((arg) => !arg.startsWith('--'));
const root = path.resolve(other ?? path.join(import.meta.dirname, '..'));
const file = path.join(import.meta.dirname, '../budgets.json');
if (!other) ensureBuilt();

const measured = { ...(await costOfCalls()), ...(other ? {} : await costOfBundles()), ...costOfReading() };
const budgets = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
if (args.includes('--write')) writeFileSync(file, `${JSON.stringify(measured, null, 2)}\n`);
else compare();

function compare() {
  const width = Math.max(...Object.keys(measured).map((name) => name.length));
  for (const [name, figure] of Object.entries(measured)) {
    const budget = budgets[name];
    const isOver = !other && !(figure <= budget);
    if (isOver) process.exitCode = 1;
    const state = isOver ? 'FAILED' : figure < budget ? 'better' : 'ok    ';
    console.log(`${state} ${name.padEnd(width)} ${String(figure).padStart(8)} of at most ${budget ?? 'nothing'}`);
  }
  const gone = Object.keys(budgets).filter((name) => !other && !(name in measured));
  for (const name of gone) console.error(`FAILED budgets.json has '${name}', which is not measured`);
  if (gone.length > 0) process.exitCode = 1;
}

/** The functions that run for one call, when everything has run once: plain dialect, `fetch` that answers at once. */
async function costOfCalls() {
  const dist = path.join(root, 'dist');
  const coverage = startCoverage(dist);
  const { Model, plain, Store } = await import(pathToFileURL(path.join(dist, 'index.js')).href);
  const rows = (count) => Array.from({ length: count }, (_, at) => ({ id: at + 1, name: `name ${at}`, rank: at % 7 }));
  let answer = rows(100);
  const fetch = async (_, { method, body } = {}) =>
    Response.json(method === 'GET' ? { data: answer, total: answer.length } : JSON.parse(body));
  const proxy = { type: 'rest', url: 'https://server.test/users', noCache: false, dialect: plain(), fetch };
  proxy.reader = { rootProperty: 'data' };
  class User extends Model.define({
    name: 'user',
    fields: { id: 'int', name: 'string', rank: 'int' },
    proxy,
  }) {}
  const store = new Store({ model: User, pageSize: 0 });
  const loads = async (count) => {
    answer = rows(count);
    await store.load();
    return coverage.during(() => store.load());
  };
  const edit = (count, text) => {
    for (let id = 1; id <= count; id += 1) store.getById(id).set('name', text);
  };

  const load = await loads(100);
  const longLoad = await loads(200);
  // A record of its own, so that no store listens.
  const user = User.fromRow({ id: 7, name: 'Ed', rank: 1 });
  for (const name of ['Eddy', 'Edwin']) await user.set('name', name).save();
  user.set('name', 'Edward');
  const save = await coverage.during(() => user.save());
  edit(3, 'c');
  await store.sync();
  edit(3, 'd');
  const sync = await coverage.during(() => store.sync());
  coverage.stop();
  return {
    'functions of a save': functionsIn(save),
    'files of a save': save.length,
    'functions of a load of 100 rows': functionsIn(load),
    'files of a load of 100 rows': load.length,
    'calls for a row of a known record': Math.round((callsIn(longLoad) - callsIn(load)) / 100),
    'calls of sync() with 3 edited records': callsIn(sync),
  };
}

function functionsIn(files) {
  return files.flatMap(({ functions }) => functions).length;
}

function callsIn(files) {
  return sum(files.flatMap(({ functions }) => functions.map(({ count }) => count)));
}

/** The growth of a bundle in kB (gzip) up to a tenth, because compressors of platforms differ by a few bytes. */
async function costOfBundles() {
  const kilobytes = (bytes) => Math.ceil(bytes / 100) / 10;
  const sets = (await measureSizes()).slice(0, 3);
  return Object.fromEntries(
    sets.flatMap(({ imports, gzip, production }) => [
      [`kB of ${imports}, production`, kilobytes(production.gzip)],
      [`kB of ${imports}, development`, kilobytes(gzip)],
    ]),
  );
}

/** The size of the source for somebody who wants to understand it. */
function costOfReading() {
  const src = path.join(root, 'src');
  const names = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const texts = new Map(names.map((name) => [path.join(src, name), readFileSync(path.join(src, name), 'utf8')]));
  return {
    'files in the largest circle of imports, types included': largestCircle(importsOf(texts)),
    'imports that point upwards': sum(upward.map(({ from, to }) => from.length * to.length)),
    '`as unknown as` in src': sum([...texts.values()].map((text) => text.match(/\bas unknown as\b/g)?.length ?? 0)),
    'files of src': texts.size,
    'lines of code of src': sum([...texts.values()].map(linesOfCode)),
  };
}

function sum(numbers) {
  return numbers.reduce((all, each) => all + each, 0);
}

/** The files that each file imports, also only as types. */
function importsOf(texts) {
  return new Map(
    [...texts].map(([name, text]) => {
      const relative = ts.preProcessFile(text).importedFiles.filter(({ fileName }) => fileName.startsWith('.'));
      const targets = relative.map(({ fileName }) =>
        path.resolve(path.dirname(name), fileName).replace(/\.js$/, '.ts'),
      );
      return [name, targets.filter((target) => texts.has(target))];
    }),
  );
}

/** The size of the largest set of files that all reach each other; 1 without a circle. */
function largestCircle(graph) {
  const reached = (start, edges) => {
    const seen = new Set([start]);
    for (const each of seen) for (const next of edges.get(each) ?? []) seen.add(next);
    return seen;
  };
  const back = new Map([...graph.keys()].map((name) => [name, []]));
  for (const [name, targets] of graph) for (const target of targets) back.get(target).push(name);
  const left = new Set(graph.keys());
  let largest = 0;
  for (const name of left) {
    const there = reached(name, graph);
    const circle = [...reached(name, back)].filter((each) => there.has(each));
    for (const each of circle) left.delete(each);
    largest = Math.max(largest, circle.length);
  }
  return largest;
}

/** The lines that hold a token: comments and blank lines hold none. */
function linesOfCode(text) {
  const source = ts.createSourceFile('file.ts', text, ts.ScriptTarget.Latest);
  const lines = new Set();
  const visit = (node) => {
    if (node.kind >= ts.SyntaxKind.FirstJSDocNode && node.kind <= ts.SyntaxKind.LastJSDocNode) return;
    const children = node.getChildren(source);
    if (children.length === 0 && node.end > node.getStart(source)) {
      const first = source.getLineAndCharacterOfPosition(node.getStart(source)).line;
      const last = source.getLineAndCharacterOfPosition(node.end).line;
      for (let line = first; line <= last; line += 1) lines.add(line);
    }
    children.forEach(visit);
  };
  visit(source);
  return lines.size;
}
