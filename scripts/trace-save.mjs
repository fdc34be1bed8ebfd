// Lists the functions of the built package that run in one save(), the PATCH of a record without extensions, by file and concern.
// Fails if a file of an optional concern is among them: only applications that import it may pay for it.
// usage: node scripts/trace-save.mjs [DIST]; DIST is the folder of another build, to compare with
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { startCoverage } from './coverage.mjs';
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
  'dev/': 'checks of a development build',
  'http/url': 'address',
  'http/': 'HTTP',
  'operation/': 'operation',
  'extension/': 'seam of extensions',
  'reader/': 'reader',
  'writer/': 'writer',
  'dialect/': 'dialect',
  'proxy/address': 'address',
  'proxy/rest-proxy': 'address',
  'proxy/': 'proxy',
  'model/write': 'write',
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
const passed = await traceSave();
print(passed);
const wrong = passed.filter(({ file }) => !coreConcern(file));
for (const { file } of wrong) console.error(`FAILED ${file}: save() passes ${concernOf(file)}, which it does not use`);
if (wrong.length > 0 || passed.length === 0) process.exitCode = 1;

/** The functions of one save of one field, after everything has been used once. */
async function traceSave() {
  const coverage = startCoverage(dist);
  const { Model, RestProxy, plain } = await import(pathToFileURL(path.join(dist, 'index.js')).href);
  const fetch = async (_, { body }) => Response.json({ id: 7, name: 'Ed', ...(body && JSON.parse(body)) });
  const proxy = { type: RestProxy, url: 'https://server.test/users', noCache: false, dialect: plain(), fetch };
  const User = class extends Model.define({ name: 'user', fields: { id: 'int', name: 'string' }, proxy }) {};
  const user = await User.load(7);
  user.name = 'Eddy';
  await user.save();
  user.name = 'Edward';
  const files = await coverage.during(() => user.save());
  coverage.stop();
  return files.map(({ file, functions }) => ({ file, names: functions.map(({ name }) => name) }));
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
