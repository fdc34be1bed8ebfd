// Feathers 5 with services in memory: `/users` with schemas, `/limited` with short pages, `/bare` without pages.
// usage: node app.cjs FOLDER-OF-MODULES FILE-WITH-ROWS
const { createRequire } = require('node:module');
const { readFileSync } = require('node:fs');

const [, , modules, file] = process.argv;
const load = createRequire(`${modules}/`);
const { feathers } = load('@feathersjs/feathers');
const { koa, rest, bodyParser, errorHandler } = load('@feathersjs/koa');
const { MemoryService } = load('@feathersjs/memory');
const { Ajv, getValidator, querySyntax, validateData, validateQuery } = load('@feathersjs/schema');

const rows = JSON.parse(readFileSync(file, 'utf8'));
const text = { type: 'string' };
const id = { type: ['integer', 'string'] };
const properties = {
  id,
  name: { ...text, minLength: 1 },
  email: { ...text, pattern: '^\\S+@\\S+$' },
  age: { type: ['integer', 'null'] },
  team: { type: 'integer' },
};
const whole = { $id: 'User', type: 'object', properties, required: ['name'], additionalProperties: false };
const query = {
  $id: 'UserQuery',
  type: 'object',
  properties: querySyntax({
    id: { type: 'integer' },
    name: text,
    email: text,
    age: { type: 'integer' },
    team: { type: 'integer' },
  }),
  additionalProperties: false,
};
const bodies = new Ajv({ allErrors: true });
const check = validateData(getValidator(whole, bodies));
const checkPart = validateData(getValidator({ ...whole, $id: 'UserPart', required: [] }, bodies));

const app = koa(feathers());
app.use(errorHandler());
app.use(bodyParser());
app.configure(rest());
const service = (options) => new MemoryService({ store: structuredClone(rows), startId: 61, ...options });
app.use('users', service({ paginate: { default: 25, max: 100 }, multi: ['create'] }));
app.use('limited', service({ paginate: { default: 10, max: 10 } }));
app.use('bare', service({}));
app.service('users').hooks({
  before: {
    find: [validateQuery(getValidator(query, new Ajv({ coerceTypes: true })))],
    create: [check],
    update: [check],
    patch: [checkPart],
  },
});
app.listen(0);
