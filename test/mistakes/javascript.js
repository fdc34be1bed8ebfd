// Mistakes of people who write plain JavaScript and have not read the reference, or who know another library. No types check this file.
// The messages stand in `javascript-messages.json`, under the titles.
import {
  action,
  auth,
  conflicts,
  email,
  etags,
  explain,
  filterTemplates,
  format,
  inclusion,
  JsonReader,
  length,
  MemoryProxy,
  Model,
  nextPage,
  off,
  plain,
  presence,
  RestProxy,
  range,
  retry,
  rowCount,
  Session,
  Store,
  sync,
  telemetry,
  viewOf,
  windowOf,
} from 'repose';
import { defineDialect } from 'repose/extend';
import { groups } from 'repose/groups';
import { memoryStorage, Outbox } from 'repose/outbox';
import { build, proxyContract, restServer } from 'repose/testing';

/** Mistakes by what is written; `url` is that of a server that must not be asked. */
export function mistakesAt(url) {
  const fields = { id: 'int', name: 'string', age: 'int' };
  class User extends Model.define({
    name: 'user',
    fields,
    actions: { invite: action({ path: 'invite' }) },
    proxy: { url: `${url}/users`, dialect: plain() },
  }) {}
  class Settings extends Model.define({
    name: 'settings',
    fields: { theme: 'string' },
    proxy: { url: `${url}/settings`, singleton: true },
  }) {}
  const user = User.fromRow({ id: 7, name: 'Ada' });
  const users = new Store({ model: User, data: [{ id: 1, name: 'Ada' }] });
  const remote = new Store({ model: User, remoteSort: true, remoteFilter: true });
  const modelWith = (proxy) => Model.define({ fields, proxy: { url: `${url}/users`, ...proxy } });
  const loadWith = (proxy) => modelWith(proxy).load(7);

  return {
    // Models
    'Model.define()': () => Model.define(),
    'define({})': () => Model.define({}),
    "define({ fields: ['id', 'name'] })": () => Model.define({ fields: ['id', 'name'] }),
    'define({ feilds: {} })': () => Model.define({ feilds: {} }),
    'define({ hasMany: … })': () => Model.define({ fields, hasMany: 'Post' }),
    'define({ belongsTo: … })': () => Model.define({ fields, belongsTo: 'Team' }),
    'define({ validations: … })': () => Model.define({ fields, validations: [] }),
    'define({ url })': () => Model.define({ fields, url: '/users' }),
    "define({ primaryKey: 'uid' })": () => Model.define({ fields, primaryKey: 'uid' }),
    "define({ idProperty: 'nmae' })": () => Model.define({ fields, idProperty: 'nmae' }),
    "define({ proxy: 'rest' })": () => Model.define({ fields, proxy: 'rest' }),
    'define({ proxy: RestProxy })': () => Model.define({ fields, proxy: RestProxy }),
    "define({ proxy: { type: 'rset' } })": () => Model.define({ fields, proxy: { type: 'rset' } }),
    "define({ identifier: 'uid' })": () => Model.define({ fields, identifier: 'uid' }),
    "define({ naming: 'camel' })": () => Model.define({ fields, naming: 'camel' }),
    "define({ actions: { cancel: action({ verb: 'POST' }) } })": () =>
      Model.define({ fields, actions: { cancel: action({ verb: 'POST' }) } }),
    "define({ actions: { cancel: { method: 'POST' } } })": () =>
      Model.define({ fields, actions: { cancel: { method: 'POST' } } }),
    "define({ actions: { cancel: 'POST' } })": () => Model.define({ fields, actions: { cancel: 'POST' } }),
    'with({ fields })': () => Model.with({ fields }),
    'with({ fields: {} }) of a model': () => User.with({ fields: {} }),
    'an option called __proto__, from JSON': () =>
      Model.define({ fields, ...JSON.parse('{ "__proto__": {} }') }) && users.load(JSON.parse('{ "__proto__": {} }')),
    'an option called constructor': () => Model.define({ fields, constructor: 'x' }),

    // Fields
    "{ type: 'strnig' }": () => Model.define({ fields: { name: { type: 'strnig' } } }),
    "total: 'decimal'": () => Model.define({ fields: { total: 'decimal' } }),
    'at: Address': () => Model.define({ fields: { at: Model.define({ fields: {} }) } }),
    'name: String': () => Model.define({ fields: { name: String } }),
    "{ tpye: 'string' }": () => Model.define({ fields: { name: { tpye: 'string' } } }),
    "{ default: 'x' }": () => Model.define({ fields: { name: { type: 'string', default: 'x' } } }),
    '{ nullable: true }': () => Model.define({ fields: { name: { type: 'string', nullable: true } } }),
    "{ depends: ['name'] }": () => Model.define({ fields: { size: { calculate: () => 1, depends: ['name'] } } }),
    "{ allowNull: 'yes' }": () => Model.define({ fields: { name: { type: 'string', allowNull: 'yes' } } }),
    "{ convert: 'trim' }": () => Model.define({ fields: { name: { type: 'string', convert: 'trim' } } }),
    "{ calculate: 'name' }": () => Model.define({ fields: { name: { calculate: 'name' } } }),
    '{ mapping: 7 }': () => Model.define({ fields: { name: { mapping: 7 } } }),
    "{ validators: ['presence'] }": () => Model.define({ fields: { name: { validators: ['presence'] } } }),
    '{ validators: presence() }': () => Model.define({ fields: { name: { validators: presence() } } }),
    '{ validators: [email] }, not called': () => {
      class Mail extends Model.define({ fields: { address: { type: 'string', validators: [email] } } }) {}
      return new Mail({ address: 'ada@example.com' }).$.validate();
    },

    '{ validators: [atLeast] }, not called': () => {
      const atLeast = (least) => (value) => (value < least ? { code: 'min', params: { min: least } } : undefined);
      class Person extends Model.define({ fields: { age: { type: 'int', validators: [atLeast] } } }) {}
      return new Person({ age: 7 }).$.validate();
    },

    'length({ least: 1 })': () => length({ least: 1 }),
    "presence({ text: '…' })": () => presence({ text: 'must be given' }),
    'presence({ allowempty: true })': () => presence({ allowempty: true }),
    'email({ message: 7 })': () => email({ message: 7 }),

    'length(5)': () => length(5),
    "length({ min: '1' })": () => length({ min: '1' }),
    "inclusion('abc')": () => inclusion('abc'),
    'presence(null)': () => presence(null),
    'range({ min: [] })': () => range({ min: [] }),
    "format('a')": () => format('a'),

    // Proxies
    'new RestProxy("/users")': () => new RestProxy('/users'),
    "{ baseURL: '…' }": () => loadWith({ baseURL: 'https://example.com' }),
    "{ dialect: 'plain' }": () => loadWith({ dialect: 'plain' }),
    '{ dialect: plain }, not called': () => loadWith({ dialect: plain }),
    "plain({ pagParam: 'p' })": () => plain({ pagParam: 'p' }),
    "plain({ rootProperty: 'data' })": () => plain({ rootProperty: 'data' }),
    "plain({ page: '{page}' })": () => plain({ page: '{page}' }),
    "plain({ page: 'p={number}' })": () => plain({ page: 'p={number}' }),
    "plain({ page: 'p={page}', pageParam: 'p' })": () => plain({ page: 'p={page}', pageParam: 'p' }),
    "plain({ sort: '{name}:desc' })": () => plain({ sort: '{name}:desc' }),
    "plain({ sort: { desc: 'DESC' } })": () => plain({ sort: { desc: 'DESC' } }),
    "plain({ filter: { gte: '{name}__gte' } })": () => plain({ filter: filterTemplates({ gte: '{name}__gte' }) }),
    "plain({ filter: { ge: 'age' } })": () => plain({ filter: filterTemplates({ ge: 'age' }) }),
    "plain({ filter: { ge: '{name}={values}' } })": () => plain({ filter: filterTemplates({ ge: '{name}={values}' }) }),
    "plain({ filter: { ge: '{name}=x' } })": () => plain({ filter: filterTemplates({ ge: '{name}=x' }) }),
    "plain({ filter: 'where' })": () => plain({ filter: 'where' }),
    'plain({ filter: { values: { null: null } } })': () =>
      plain({ filter: filterTemplates({ eq: '{name}', values: { null: null } }) }),
    'defineDialect({ params })': () => defineDialect({ ...plain(), params() {} }),
    'defineDialect({ sort: true })': () => defineDialect({ ...plain(), sort: true }),
    "defineDialect({ name: 'house' })": () => defineDialect({ name: 'house' }),
    "defineDialect({ capabilities: { operators: ['gte'] } })": () =>
      defineDialect({ ...plain(), capabilities: { operators: ['gte'] } }),
    "{ timeout: '5000' }": () => loadWith({ timeout: '5000' }),
    "{ fetch: 'node-fetch' }": () => loadWith({ fetch: 'node-fetch' }),
    "{ headers: 'Bearer …' }": () => loadWith({ headers: 'Bearer x' }),
    "{ reader: { root: 'data' } }": () => loadWith({ reader: { root: 'data' } }),
    "{ reader: 'json' }": () => loadWith({ reader: 'json' }),
    "{ reader: { type: 'xml' } }": () => loadWith({ reader: { type: 'xml' } }),
    "{ reader: { transform: 'upper' } }": () => loadWith({ reader: { transform: 'upper' } }),
    "{ rootProperty: 'data' }": () => loadWith({ rootProperty: 'data' }),
    '{ writer: { writeAllField: true } }': () => loadWith({ writer: { writeAllField: true } }),
    "{ actionMethods: { delete: 'DELETE' } }": () => loadWith({ actionMethods: { delete: 'DELETE' } }),
    "{ actionMethods: { update: 'PATHC' } }": () => loadWith({ actionMethods: { update: 'PATHC' } }),
    '{ trustLinks: [5] }': () => loadWith({ trustLinks: [5] }),
    "{ trustLinks: ['https://example.com/'] }": () => loadWith({ trustLinks: ['https://example.com/'] }),
    "{ writer: { type: 'form' } } without formBodies()": () =>
      User.with({ proxy: { writer: { type: 'form' } } }).proxy.send({ method: 'POST', body: { a: 1 } }),
    'send({ body: { file } }) as JSON': () =>
      User.proxy.send({ method: 'POST', body: { file: new File(['x'], 'x.txt') } }),
    '{ countUrl: { total } }': () => loadWith({ countUrl: rowCount({ total: 'count' }) }),
    "{ api: { index: '/x' } }": () => loadWith({ api: { index: '/x' } }),
    '{ use: retry }, not called': () => loadWith({ use: retry }),
    '{ use: [etags] }, not called': () => loadWith({ use: [etags] }),
    '{ retry: { limit: 3 } }': () => loadWith({ retry: { limit: 3 } }),
    'new MemoryProxy({ data: {} })': () => new MemoryProxy({ data: {} }),
    'new JsonReader({ rootproperty })': () => new JsonReader({ rootproperty: 'data' }),
    '{ extraParams: async () => … }': () => loadWith({ extraParams: async () => ({ a: 1 }) }),
    "{ extraParams: () => 'a=1' }": () => loadWith({ extraParams: () => 'a=1' }),
    '{ pathParams: () => undefined }': () => loadWith({ url: `${url}/{team}/users`, pathParams: () => undefined }),
    'explain({ acton })': () => explain(User.proxy, { acton: 'read' }),
    "send({ verb: 'POST' })": () => User.proxy.send({ verb: 'POST' }),
    "send({ method: 'GTE' })": () => User.proxy.send({ method: 'GTE' }),
    "send({ method: 'TRACE' })": () => User.proxy.send({ method: 'TRACE' }),
    "send({ method: 'GET /' })": () => User.proxy.send({ method: 'GET /' }),

    // Extensions
    'retry({ limt: 3 })': () => retry({ limt: 3 }),
    "retry({ limit: '3' })": () => retry({ limit: '3' }),
    'auth()': () => auth(),
    "auth({ renew: '/refresh' })": () => auth({ renew: '/refresh' }),
    'telemetry(console.log)': () => telemetry(console.log),
    "conflicts({ keep: 'mine' })": () => conflicts({ keep: 'mine' }),
    'off(retry)': () => off(retry),
    'a hook that is misspelt': () => loadWith({ use: [{ name: 'own', layer: 130, prepair() {} }] }),

    // Records
    "new User('Ada')": () => new User('Ada'),
    'new User(user)': () => new User(user),
    'new User({}, { phantm: true })': () => new User({}, { phantm: true }),
    'save({ sucess })': () => user.save({ sucess() {} }),
    "save({ success: 'x' })": () => user.save({ success: 'x' }),
    'save(new AbortController().signal)': () => user.save(new AbortController().signal),
    'save({ signal: new AbortController() })': () => user.save({ signal: new AbortController() }),
    'save({ onError })': () => user.save({ onError() {} }),
    'save(user)': () => user.save(user),
    'save(event)': () => user.save(new Event('click')),
    'user.load(event)': () => user.load(new Event('click')),
    'save(null)': () => user.save(null),
    'load(null) of a record': () => user.load(null),
    'erase(null)': () => user.erase(null),
    'User.load(7, null)': () => User.load(7, null),
    'User.actions.invite(user, null)': () => User.actions.invite(user, null),
    'erase({ param })': () => user.erase({ param: {} }),
    'user.load({ scope })': () => user.load({ scope: user }),
    'User.load(7, { anyid: true })': () => User.load(7, { anyid: true }),
    'Settings.load({ pathParam })': () => Settings.load({ pathParam: {} }),
    'User.actions.invite(user, { header })': () => User.actions.invite(user, { header: {} }),
    'user.$.reload({ param })': () => user.$.reload({ param: {} }),
    "user.on('change')": () => user.on('change', () => undefined),
    "user.on('set')": () => user.on('set'),

    // Stores
    'new Store()': () => new Store(),
    'new Store({})': () => new Store({}),
    "new Store({ model: 'User' })": () => new Store({ model: 'User' }),
    'new Store({ model: Model })': () => new Store({ model: Model }),
    '{ title } of a subclass without optionNames()': () =>
      new (class Titled extends Store {})({ model: User, title: 'Users' }),
    '{ pagesize: 25 }': () => new Store({ model: User, pagesize: 25 }),
    "{ pageSize: '25' }": () => new Store({ model: User, pageSize: '25' }),
    '{ data: {} }': () => new Store({ model: User, data: {} }),
    "{ sorters: 'name' }": () => new Store({ model: User, sorters: 'name' }),
    '{ listeners: … }': () => new Store({ model: User, listeners: {} }),
    "{ url: '/users' } of a store": () => new Store({ model: User, url: '/users' }),
    "{ proxy: 'rest' } of a store": () => new Store({ model: User, proxy: 'rest' }),
    '{ session: Session }': () => new Store({ model: User, session: Session }),
    '{ groups: … } without groups()': () => new Store({ model: User, groups: { by: ['name'] } }),
    "on('beforeload')": () => users.on('beforeload', () => undefined),
    "on('lod')": () => users.on('lod', () => undefined),
    "on('load') without a listener": () => users.on('load'),
    "view.on('load')": () => viewOf(users).on('load', () => undefined),
    'load({ offset: 25 })': () => users.load({ offset: 25 }),
    'load({ filters })': () => users.load({ filters: [] }),
    "load({ page: '2' })": () => users.load({ page: '2' }),
    'loadMore({ page: 2 })': () => users.loadMore({ page: 2 }),
    'reload({ success })': () => users.reload({ success() {} }),
    'sync({ progress })': () => users.sync({ progress() {} }),
    "sync({ onProgress: 'x' })": () => users.sync({ onProgress: 'x' }),
    "sync({ onFailure: 'abort' })": () => users.sync({ onFailure: 'abort' }),
    'sync([users], { concurency: 2 })': () => sync([users], { concurency: 2 }),
    'view({ sort })': () => viewOf(users, { sort: 'name' }),
    'window({ from: 0 })': () => windowOf(remote, { from: 0 }),
    'window.show({ from, to })': () => windowOf(remote).show({ from: 0, to: 10 }),
    "search('a', { wait: 300 })": () => users.search('a', { wait: 300 }),
    'add(undefined)': () => users.add(undefined),
    "insert({ name: 'Ada' }), without an index": () => users.insert({ name: 'Ada' }),
    'insert(-1, …)': () => users.insert(-1, { name: 'Ada' }),
    'insert(NaN, …)': () => users.insert(Number.NaN, { name: 'Ada' }),
    'insert(0.5, …) into a view': () => viewOf(users).insert(0.5, { name: 'Ada' }),
    'remove(1)': () => users.remove(1),
    'remove({ id: 1 })': () => users.remove({ id: 1 }),
    'remove(undefined)': () => users.remove(users.getById(99)),
    'remove([user])': () => users.remove([user]),
    'view.remove(1)': () => viewOf(users).remove(1),
    'remove(a record of another model)': () => users.remove(new Settings()),
    'sync({ concurrency: 0 })': () => users.sync({ concurrency: 0 }),
    'sync({ concurrency: NaN })': () => users.sync({ concurrency: Number.NaN }),
    'sync({ batchSize: -1 })': () => users.sync({ batchSize: -1 }),
    '{ concurrency: 0 } of a store': () => new Store({ model: User, concurrency: 0 }),
    "search('a', { delay: NaN })": () => users.search('a', { delay: Number.NaN }),
    "search('a', { delay: Infinity })": () => users.search('a', { delay: Number.POSITIVE_INFINITY }),
    'search(5)': () => users.search(5),
    'reload(true)': () => users.reload(true),
    'nextPage(true)': () => nextPage(users, true),
    'batch(5)': () => users.batch(5),
    'load(null) of a store': () => users.load(null),
    'loadMore(null)': () => users.loadMore(null),
    'reload(null)': () => users.reload(null),
    'sync(null)': () => users.sync(null),
    'session.load(User, 7, null)': () => new Session().load(User, 7, null),
    "setExtraParams('a=1')": () => users.setExtraParams('a=1'),
    'groups({ sum: … })': () => groups({ sum: ['age'] }),
    "groups({ by: 'name' })": () => groups({ by: 'name' }),
    'new Session({ stores })': () => new Session({ stores: [users] }),

    // Queries
    "sort('nmae')": () => users.sort('nmae'),
    "sort('-name')": () => users.sort('-name'),
    "sort({ field: 'name' })": () => users.sort({ field: 'name' }),
    "sort({ property: 'name', dir: 'DESC' })": () => users.sort({ property: 'name', dir: 'DESC' }),
    "sort({ property: 'name', direction: 'down' })": () => users.sort({ property: 'name', direction: 'down' }),
    "sort({ property: 'name', descending: true })": () => users.sort({ property: 'name', descending: true }),
    "group({ property: 'name', order: 'DESC' })": () => users.group({ property: 'name', order: 'DESC' }),
    "group({ property: 'name', transform })": () => users.group({ property: 'name', transform() {} }),
    "sort({ sorterFn: 'name' })": () => users.sort({ sorterFn: 'name' }),
    "filter('name', 'Ada')": () => users.filter('name', 'Ada'),
    "filter({ field: 'name', value: 'Ada' })": () => users.filter({ field: 'name', value: 'Ada' }),
    "filter({ property: 'nmae', value: 'Ada' })": () => users.filter({ property: 'nmae', value: 'Ada' }),
    "filter({ property: 'name', vlaue: 'Ada' })": () => users.filter({ property: 'name', vlaue: 'Ada' }),
    "filter({ property: 'age', op: 'gt', value: 18 })": () => users.filter({ property: 'age', op: 'gt', value: 18 }),
    "filter({ property: 'name', anyMatch: true, value: 'A' })": () =>
      users.filter({ property: 'name', anyMatch: true, value: 'A' }),
    "filter({ or: [{ property: 'age', comparison: 'gt', value: 18 }] })": () =>
      users.filter({ or: [{ property: 'age', comparison: 'gt', value: 18 }] }),
    "filter({ property: 'name', value: 'A', colour: 'red' })": () =>
      users.filter({ property: 'name', value: 'A', colour: 'red' }),
    "filter({ property: 'name', operator: 'has', value: 'A' })": () =>
      users.filter({ property: 'name', operator: 'has', value: 'A' }),
    "filter({ filterFn: 'x' })": () => users.filter({ filterFn: 'x' }),

    // The other entries
    'new Outbox({ scop })': () => new Outbox({ scop: 'ada', storage: memoryStorage() }),
    'new Outbox({ storage: memoryStorage }), not called': () => new Outbox({ scope: 'ada', storage: memoryStorage }),
    'new Outbox without a storage': () => new Outbox({ scope: 'ada' }),
    'Outbox.open(), the old name': () => Outbox.open({ scope: 'ada', storage: memoryStorage() }),
    'new Outbox({ models: User })': () =>
      new Outbox({ scope: 'ada', storage: memoryStorage(), locks: false, models: User }),
    "outbox.on('error')": async () => {
      const outbox = new Outbox({ scope: 'ada', storage: memoryStorage() });
      try {
        outbox.on('error', () => undefined);
      } finally {
        await outbox.close();
      }
    },
    'restServer({ collection })': () => restServer({ collection: {} }),
    "build('User')": () => build('User'),
    'proxyContract({ proxy })': () => proxyContract({ proxy: User.proxy }, {}),
  };
}
