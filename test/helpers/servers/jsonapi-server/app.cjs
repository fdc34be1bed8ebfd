// jsonapi-server with the resources `users` and `articles` in memory.
// usage: node app.cjs FOLDER-OF-MODULES FILE-WITH-ROWS
const { createRequire } = require('node:module');
const { readFileSync } = require('node:fs');

const [, , modules, file] = process.argv;
const jsonApi = createRequire(`${modules}/`)('jsonapi-server');
const { Joi } = jsonApi;
const { users, articles } = JSON.parse(readFileSync(file, 'utf8'));

const COMPARE = {
  '>': (a, b) => a > b,
  '<': (a, b) => a < b,
  ':': (a, b) => String(a).toLowerCase().includes(String(b).toLowerCase()),
};

/** The handler that comes with the server filters each page alone. This one filters first, as those over databases do. */
class Handler extends jsonApi.MemoryHandler {
  initialise(config) {
    this.list = config.examples;
    this.lastId = this.list.length;
    super.initialise(config);
  }

  search({ params, processedFilter }, callback) {
    const passes = (row) =>
      Object.entries(processedFilter ?? {}).every(([name, terms]) =>
        terms.some(({ operator, value }) => {
          const found = row[name]?.id ?? row[name];
          return operator ? COMPARE[operator](found, value) : found === value;
        }),
      );
    const rows = this.list.filter(passes);
    this._sortList({ params }, rows);
    const { offset, limit } = params.page;
    callback(null, structuredClone(rows.slice(offset, offset + limit)), rows.length);
  }

  create(request, row, callback) {
    this.lastId += 1;
    super.create(request, { ...row, id: row.id ?? String(this.lastId) }, callback);
  }
}

const define = (resource, attributes, examples) =>
  jsonApi.define({
    ...{ namespace: 'tests', resource, description: resource, handlers: new Handler(), generateId: false, examples },
    attributes: { id: Joi.string(), ...attributes },
  });

jsonApi.setConfig({ protocol: 'http', hostname: '127.0.0.1', port: 80, base: 'rest', graphiql: false, meta: {} });
define(
  'users',
  {
    name: Joi.string().required(),
    email: Joi.string().email(),
    age: Joi.number().allow(null),
    team: Joi.number(),
  },
  users,
);
define('articles', { title: Joi.string().required(), author: Joi.one('users'), readers: Joi.many('users') }, articles);
jsonApi.start();
