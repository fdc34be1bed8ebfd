// LoopBack 3 with a model in memory, whose addresses are `/api/users`.
// usage: node app.cjs FOLDER-OF-MODULES FILE-WITH-ROWS
const { createRequire } = require('node:module');
const { readFileSync } = require('node:fs');

const [, , modules, file] = process.argv;
const loopback = createRequire(`${modules}/`)('loopback');

const app = loopback();
app.dataSource('memory', { connector: 'memory' });
const User = app.registry.createModel(
  'Person',
  {
    id: { type: 'number', id: true, generated: true },
    name: { type: 'string', required: true },
    email: 'string',
    age: 'number',
    team: 'number',
  },
  { plural: 'users' },
);
app.model(User, { dataSource: 'memory' });
User.validatesFormatOf('email', { with: /^\S+@\S+$/, allowNull: true, message: 'is no address' });
app.use('/api', loopback.rest());
// The model gives the ids, so that rows come without theirs.
const rows = JSON.parse(readFileSync(file, 'utf8')).map(({ id, ...row }) => row);
User.create(rows).then(() => app.listen(0));
