// Lists the functions of the built package that run in one load() of a store with 100 rows, by file. CONTRIBUTING.md tells the way through them.
// usage: node scripts/trace-load.mjs [DIST]; DIST is the folder of another build, or src with a loader of TypeScript
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { startCoverage } from './coverage.mjs';
import ensureBuilt from './ensure-built.mjs';

const [given] = process.argv.slice(2);
if (!given) ensureBuilt();
const dist = path.resolve(given ?? path.join(import.meta.dirname, '../dist'));

/** The functions of one load, after everything has been used once: plain dialect, `fetch` that answers at once. */
async function traceLoad() {
  const coverage = startCoverage(dist);
  const { Model, plain, Store } = await import(pathToFileURL(path.join(dist, 'index.js')).href);
  const rows = Array.from({ length: 100 }, (_, at) => ({ id: at + 1, name: `name ${at}` }));
  const fetch = async () => Response.json(rows);
  const proxy = { type: 'rest', url: 'https://server.test/users', noCache: false, dialect: plain(), fetch };
  class User extends Model.define({ name: 'user', fields: { id: 'int', name: 'string' }, proxy }) {}
  const store = new Store({ model: User, pageSize: 0, sorters: ['name'] });
  await store.load();
  const files = await coverage.during(() => store.load());
  coverage.stop();
  return files;
}

for (const { file, functions } of await traceLoad())
  console.log(`${file}: ${functions.map(({ name }) => name).join(', ')}`);
