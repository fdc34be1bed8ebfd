// LoopBack 4 with a model in memory, whose addresses are `/users`.
// usage: node app.cjs FOLDER-OF-MODULES FILE-WITH-ROWS
const { createRequire } = require('node:module');
const { readFileSync } = require('node:fs');

const [, , modules, file] = process.argv;
const load = createRequire(`${modules}/`);
const { inject } = load('@loopback/core');
const { defineCrudRepositoryClass, defineModelClass, Entity, juggler, ModelDefinition } = load('@loopback/repository');
const { RestApplication } = load('@loopback/rest');
const { defineCrudRestController } = load('@loopback/rest-crud');

const definition = new ModelDefinition('User')
  .addProperty('id', { type: 'number', id: true, generated: true })
  .addProperty('name', { type: 'string', required: true, jsonSchema: { minLength: 1 } })
  .addProperty('email', { type: 'string', jsonSchema: { pattern: '^\\S+@\\S+$' } })
  .addProperty('age', { type: 'number', jsonSchema: { nullable: true } })
  .addProperty('team', { type: 'number' });
const User = defineModelClass(Entity, definition);
const Repository = defineCrudRepositoryClass(User);
const Controller = defineCrudRestController(User, { basePath: '/users' });
inject('repository')(Controller, undefined, 0);

async function main() {
  const users = new Repository(new juggler.DataSource({ name: 'memory', connector: 'memory' }));
  // The model gives the ids, so that rows come without theirs.
  for (const { id, ...row } of JSON.parse(readFileSync(file, 'utf8'))) await users.create(row);
  const app = new RestApplication();
  app.bind('repository').to(users);
  app.controller(Controller);
  await app.start();
}
main().catch((error) => {
  console.error(error);
  process.exit(1);
});
