// What one save() passes: every function of the built package that runs in the PATCH of a record without extensions, by file, with
// the concern that the file serves. Fails where a file of an optional concern is among them: those are paid for by nobody else.
// usage: node scripts/trace-save.mjs [DIST], the folder of another build, to compare with
import { Session } from 'node:inspector';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import ensureBuilt from './ensure-built.mjs';

/** Files of optional concerns, by how their paths begin. */
const OPTIONAL = {
  'extensions/': 'an extension',
  'outbox/': 'outbox',
  'model/parts/': 'a part of models',
  'model/bulk': 'several records in one request',
  'model/undo': 'undo of a sync',
  'operation/stream-progress': 'streaming',
  'reader/stream/': 'streaming',
  'store/': 'stores',
  'sync/': 'stores',
  'groups/': 'groups',
};

/** Files of the core; the first line that fits counts. */
const CORE = {
  'util/': 'helpers',
  'errors/': 'errors',
  'http/guard': 'address',
  'http/url': 'address',
  'http/': 'HTTP',
  'operation/lane': 'lane',
  'operation/': 'operation',
  'extension/': 'seam of extensions',
  'reader/': 'reader',
  'writer/': 'writer',
  'dialect/': 'dialect',
  'proxy/template': 'address',
  'proxy/url-cache': 'address',
  'proxy/rest-proxy': 'address',
  'proxy/': 'proxy',
  'model/write': 'write',
  'model/record-write': 'write',
  'model/settle': 'settle',
  'model/classify-outcome': 'settle',
  'model/check-same': 'settle',
  'model/created-id': 'settle',
  'model/validat': 'checks',
  'model/field': 'fields',
  'model/': 'record',
};

const [given] = process.argv.slice(2);
if (!given) ensureBuilt();
const dist = path.resolve(given ?? path.join(import.meta.dirname, '../dist'));
const passed = functionsIn(await traceSave());
print(passed);
const wrong = passed.filter(({ file }) => !coreConcern(file));
for (const { file } of wrong) console.error(`FAILED ${file}: save() passes ${concernOf(file)}, which it does not use`);
if (wrong.length > 0 || passed.length === 0) process.exitCode = 1;

/** The coverage of one save that changes one field, when everything has been used before. */
async function traceSave() {
  const session = new Session();
  session.connect();
  // Before anything is loaded: of functions that have run by then, V8 does not count all.
  ask(session, 'enable');
  ask(session, 'startPreciseCoverage', { callCount: true, detailed: false });
  const { Model, RestProxy, plain } = await import(pathToFileURL(path.join(dist, 'core.js')).href);
  const fetch = async (_, { body }) => Response.json({ id: 7, name: 'Ed', ...(body && JSON.parse(body)) });
  const proxy = { type: RestProxy, url: 'https://server.test/users', noCache: false, dialect: plain(), fetch };
  const User = class extends Model.define({ name: 'user', fields: { id: 'int', name: 'string' }, proxy }) {};
  const user = await User.load(7);
  user.name = 'Eddy';
  await user.save();
  user.name = 'Edward';
  await setImmediate();
  // Sets every count back to 0.
  ask(session, 'takePreciseCoverage');
  await user.save();
  // What ends behind the promise belongs to the save as well.
  await setImmediate();
  const { result } = ask(session, 'takePreciseCoverage');
  session.disconnect();
  return result;
}

function ask(session, method, options) {
  let answer;
  // In the same thread, the answer comes before `post` returns.
  session.post(`Profiler.${method}`, options, (error, result) => {
    if (error) throw new Error(error.message);
    answer = result;
  });
  return answer;
}

/** The files that were passed, each with the names of its functions, in the order of the source. */
function functionsIn(scripts) {
  return scripts
    .filter(({ url }) => url.startsWith('file:') && fileURLToPath(url).startsWith(dist + path.sep))
    .map(({ url, functions }) => ({
      file: path.relative(dist, fileURLToPath(url)).replaceAll('\\', '/').replace(/js$/, 'ts'),
      names: functions.filter(({ ranges }) => ranges[0].count > 0).map((each) => nameOf(each, functions)),
    }))
    .filter(({ names }) => names.length > 0)
    .sort((a, b) => (a.file < b.file ? -1 : 1));
}

/** The name of a function; one without a name is a part of the innermost named function around it. */
function nameOf({ functionName, ranges: [own] }, functions) {
  if (functionName) return functionName;
  const around = functions.filter(
    ({ functionName: name, ranges: [range] }) =>
      name && range.startOffset < own.startOffset && range.endOffset >= own.endOffset,
  );
  const [inner] = around.sort((a, b) => b.ranges[0].startOffset - a.ranges[0].startOffset);
  return `(in ${inner?.functionName ?? 'the module'})`;
}

function coreConcern(file) {
  return findConcern(OPTIONAL, file) ? undefined : findConcern(CORE, file);
}

function concernOf(file) {
  return (
    findConcern(OPTIONAL, file) ?? findConcern(CORE, file) ?? 'a concern that scripts/trace-save.mjs does not know'
  );
}

function findConcern(table, file) {
  return Object.entries(table).find(([start]) => file.startsWith(start))?.[1];
}

function print(files) {
  const byConcern = {};
  for (const each of files) (byConcern[concernOf(each.file)] ??= []).push(each);
  for (const [concern, group] of Object.entries(byConcern)) {
    console.log(`${concern}: ${group.flatMap(({ names }) => names).length}`);
    for (const { file, names } of group) console.log(`  ${file}: ${names.join(', ')}`);
  }
  console.log(`\n${files.flatMap(({ names }) => names).length} functions in ${files.length} files`);
}
