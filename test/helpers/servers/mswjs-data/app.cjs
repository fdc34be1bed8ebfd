// The handlers that @mswjs/data makes for a model, behind an HTTP server. The addresses are `/users`.
// usage: node app.cjs FOLDER-OF-MODULES FILE-WITH-ROWS
const { createRequire } = require('node:module');
const { readFileSync } = require('node:fs');

const [, , modules, file] = process.argv;
const load = createRequire(`${modules}/`);
const { factory, nullable, primaryKey } = load('@mswjs/data');
const { createServer } = load('@mswjs/http-middleware');

const db = factory({
  user: { id: primaryKey(Number), name: String, email: String, age: nullable(Number), team: Number },
});
for (const row of JSON.parse(readFileSync(file, 'utf8'))) db.user.create(row);
createServer(...db.user.toHandlers('rest')).listen(0);
