// Lists the functions of the built package that run in one save(), the PATCH of a record without extensions, by file and concern.
// Fails if a file of an optional concern is among them: only applications that import it may pay for it.
// usage: node scripts/trace-save.mjs [DIST]; DIST is the folder of another build, to compare with
import { Session } from 'node:inspector';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import ensureBuilt from './ensure-built.mjs';

/** Files of optional concerns, by the beginning of their paths. */
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

/** Files of the core, by concern; the first entry that matches counts. */
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

/** The coverage of one save of one field, after everything has been used once. */
async function traceSave() {
  const session = new Session();
  session.connect();
  // Coverage starts before the package is loaded: V8 misses some of the functions that have run before.
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
  // Resets every count to 0.
  ask(session, 'takePreciseCoverage');
  await user.save();
  // Work that ends after the promise has resolved belongs to the save as well.
  await setImmediate();
  const { result } = ask(session, 'takePreciseCoverage');
  session.disconnect();
  return result;
}

function ask(session, method, options) {
  let answer;
  // The session runs in the same thread, so that the answer comes before `post` returns.
  session.post(`Profiler.${method}`, options, (error, result) => {
    if (error) throw new Error(error.message);
    answer = result;
  });
  return answer;
}

/** The files with functions that ran, each with the names of these functions in the order of the source. */
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
