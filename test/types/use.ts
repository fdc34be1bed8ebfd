import * as z from 'zod';
import * as v from 'valibot';
import { type } from 'arktype';
import { Model, Store, RestProxy, AjaxProxy, MemoryProxy, json, plain, isDataError, HttpError,
  type AjaxProxyConfig, type ProxyRequest, type FieldName, type ValuesOf, type Batch, type AnyDataError, decimal, embed, bigint, reference, action, copyOf, differenceOf } from 'repose';

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;
const check = <T extends true>() => {};
const is = <T>() => <U>(_: U, ..._ok: Equal<T, U> extends true ? [] : [never]) => {};

// ── 1. define: every kind of field ────────────────────────────────────────────
interface Settings { theme: 'dark' | 'light'; tags: string[]; nested: { deep: { n: number } } }
export class Address extends Model.define({ fields: { street: 'string', city: 'string' } }) {}
export class Line extends Model.define({ fields: { id: 'int', qty: 'int', price: decimal() } }) { get label() { return `${this.qty} x`; } }

export class User extends Model.define({
  name: 'user',
  fields: {
    id: 'int',
    name: 'string',
    email: { type: 'string', allowNull: true },
    role: z.enum(['admin', 'member']),
    plan: { type: v.picklist(['free', 'paid']), defaultValue: 'free' },
    level: type("'low' | 'high'"),
    profile: z.object({ bio: z.string(), links: z.array(z.string()) }),
    settings: json<Settings>(),
    extra: { type: json<{ a: number }>(), allowNull: true },
    address: embed(Address),
    lines: embed([Line]),
    joined: 'date',
    born: 'dateonly',
    credit: decimal(),
    serial: bigint(),
    active: 'boolean',
    any: 'auto',
    initials: { type: 'string', calculate: (user) => user.name[0] },
    length: { calculate: (user): number => user.name.length },
    managerId: { type: 'int', allowNull: true, mapping: 'manager.id' },
    key: 'string', data: 'int', modified: 'date', error: 'string', errors: 'int', then: 'string', references: 'string', related: 'int', name_: 'string',
  },
  idProperty: 'id',
  proxy: { type: 'rest', url: '/api/users', dialect: plain() },
}) {
  get label() { return `${this.name} <${this.email ?? 'no mail'}>`; }
  get age(): number { return 1; }
  rename(name: string) {
    is<string | undefined>()(this.get('name'));
    this.name = name;
    this.set('name', name).set({ name, email: null });
    this.set('settings.theme', 'dark');
    this.set('name', (old) => (old ?? '').toUpperCase());
    const previous: string | undefined = this.$.previousValues.name;
    // @ts-expect-error wrong value, also inside the class
    this.set('name', 1);
    // @ts-expect-error no such field
    this.set({ nmae: name });
    return this.save().then((saved) => saved.label + (previous ?? ''));
  }
}

const user = await User.load(7);
is<User>()(user);
is<number>()(user.id); is<string | undefined>()(user.name); is<string | null | undefined>()(user.email);
is<'admin' | 'member'>()(user.role); is<'free' | 'paid'>()(user.plan); is<'low' | 'high'>()(user.level);
is<{ readonly bio: string; readonly links: readonly string[] }>()(user.profile);
is<Date | undefined>()(user.joined); is<string | undefined>()(user.born); is<string | undefined>()(user.credit); is<bigint | undefined>()(user.serial); is<boolean | undefined>()(user.active); is<unknown>()(user.any);
is<Address>()(user.address); is<readonly Line[]>()(user.lines);
is<string>()(user.initials); is<number>()(user.length);
is<number | null | undefined>()(user.managerId);
is<{ readonly a: number } | null>()(user.extra);
is<string>()(user.label);
is<Promise<string>>()(user.rename('x'));

// deep readonly
// @ts-expect-error values are immutable
user.settings.theme = 'dark';
// @ts-expect-error arrays too
user.settings.tags.push('x');
// @ts-expect-error at any depth
user.settings.nested.deep.n = 1;
// @ts-expect-error lists of embedded records are replaced, not mutated
user.lines.push(new Line());
user.address.street = 'Main St';               // an embedded record is a record
user.settings = { theme: 'dark', tags: ['a'], nested: { deep: { n: 1 } } };
// @ts-expect-error calculated
user.initials = 'x';

// get and set
is<string | undefined>()(user.get('name')); is<Date | undefined>()(user.get('joined'));
user.set('name', 'Ada').set({ role: 'admin', settings: { theme: 'light', tags: [], nested: { deep: { n: 2 } } } });
user.set('settings.theme', 'dark'); user.set('settings.nested.deep.n', 3); user.set('settings.tags', ['a']); user.set('profile.bio', 'x');
user.set('address.street', 'Main St'); user.set("settings['nested'].deep['n']", 4); user.set('settings["theme"]', 'dark');
// @ts-expect-error no such field
user.set("nothing['nested']", 4);
user.set('extra.a', 1);
user.set('settings', (s) => ({ ...s, theme: 'dark' }));
user.set('settings.nested.deep.n', (n) => n + 1);
user.set('settings', (s) => ({ ...s, nested: { deep: { n: s.nested.deep.n + 1 } }, tags: [...s.tags, 'x'] }));
// @ts-expect-error wrong member from a function
user.set('settings', (s) => ({ ...s, theme: 'blue' }));
user.set('lines', (lines) => [...lines, new Line({ qty: 1 })]);
// @ts-expect-error wrong value
user.set('name', 1);
// @ts-expect-error wrong value at a path
user.set('settings.theme', 'blue');
// @ts-expect-error wrong member at a path
user.set('settings.teme', 'dark');
// @ts-expect-error no such field
user.set('nope', 1);
// @ts-expect-error no such field
user.get('nope');
// @ts-expect-error a method is no field
user.get('save');
// @ts-expect-error wrong value
user.role = 'owner';
// @ts-expect-error a string has no members to set
user.set('name.first', 'x');
// Dropped nicety: `user.set('initials', 'x')` compiles, though `user.initials = 'x'` does not; it throws at run time.
user.set('initials', 'x'); user.set({ initials: 'x' });
new User({ name: 'Ada', email: null });
// @ts-expect-error unknown field
new User({ nmae: 'Ada' });

// ── 2. $ ──────────────────────────────────────────────────────────────────────
is<string>()(user.$.key);
is<string | undefined>()(user.key); is<number | undefined>()(user.data); is<Date | undefined>()(user.modified); is<string | undefined>()(user.error); is<string | undefined>()(user.then);
is<string | undefined>()(user.$.data.name);
is<string | undefined>()(user.$.modified.name);
is<string | undefined>()(user.$.previousValues.name);
is<string | undefined>()(user.$.errors.name?.[0]?.message);
is<User>()(copyOf(user)); is<User>()(copyOf(user, 8)); is<Promise<User>>()(user.$.reload());
// @ts-expect-error no such field
user.$.errors.nope;
// @ts-expect-error read-only
user.$.data.name = 'x';
check<Equal<'name' extends FieldName<User> ? true : false, true>>();
check<Equal<FieldName<Line>, 'id' | 'qty' | 'price'>>();
check<Equal<ValuesOf<Address>, { street: string | undefined; city: string | undefined }>>();

// ── 3. references ─────────────────────────────────────────────────────────────
class Team extends Model.define({ fields: { id: 'int', ownerId: reference('int') } }) {
  static override references() { return { ownerId: Person }; }
}
class Person extends Model.define({ fields: { id: 'int', teamId: reference('int') } }) {
  static override references() { return { teamId: Team }; }
  get team() { return Person.loadReference(this, 'teamId'); }
}
class Task extends Model.define({ fields: { id: 'int', teamId: reference('int'), parentId: reference('int') } }) {
  static override references() { return { teamId: Team, parentId: Task }; }
}
const task = await Task.load(1);
is<Team | undefined>()(await Task.loadReference(task, 'teamId'));
is<Task | undefined>()(await Task.loadReference(task, 'parentId'));
is<Person | undefined>()(await Team.loadReference((await Task.loadReference(task, 'teamId'))!, 'ownerId'));
is<Promise<Team | undefined>>()(new Person().team);
// @ts-expect-error not a reference
Task.loadReference(task, 'id');
// @ts-expect-error not a task
Task.loadReference(new Team(), 'teamId');
class SubTask extends Task.define({ fields: { note: 'string', noteId: reference('int') } }) { static override references() { return { ...super.references(), noteId: Person }; } }
is<Person | undefined>()(await SubTask.loadReference(new SubTask(), 'noteId'));
is<Team | undefined>()(await SubTask.loadReference(new SubTask(), 'teamId'));

// ── 4. inheritance of fields, form without a class statement ──────────────────
class Admin extends User.define({ fields: { rank: 'int' } }) { override get label() { return `${super.label} (${this.rank})`; } }
const admin = await Admin.load(1);
is<Admin>()(admin); is<number | undefined>()(admin.rank); is<string | undefined>()(admin.name); is<number | undefined>()(admin.get('rank')); is<string | undefined>()(admin.get('name'));
admin.set('rank', 1).set('name', 'x').set({ rank: 2, name: 'y' }); is<number | undefined>()(admin.$.modified.rank); is<string | undefined>()(admin.$.modified.name);
const asUser: User = admin; void asUser;
// @ts-expect-error wrong value
admin.set('rank', 'x');
new Admin({ name: 'x', rank: 2 });
const Tag = Model.define({ fields: { id: 'string', text: 'string' } });
type Tag = InstanceType<typeof Tag>;
const tag: Tag = await Tag.load('x'); is<string | undefined>()(tag.text);

// ── 5. reserved names and other mistakes in define ────────────────────────────
// @ts-expect-error reserved
Model.define({ fields: { id: 'int', save: 'string' } });
// @ts-expect-error reserved
Model.define({ fields: { id: 'int', toString: 'string' } });
// @ts-expect-error reserved
Model.define({ fields: { id: 'int', $: 'string' } });
// @ts-expect-error reserved
Model.define({ fields: { id: 'int', get: 'string' } });
// @ts-expect-error reserved
Model.define({ fields: { id: 'int', constructor: 'string' } });
// @ts-expect-error idProperty must be a field
Model.define({ fields: { key: 'int' }, idProperty: 'uid' });
// @ts-expect-error no such field type
Model.define({ fields: { id: 'integer' } });
// @ts-expect-error no such field type
Model.define({ fields: { id: { type: 'integer' } } });
// @ts-expect-error misspelt field option
Model.define({ fields: { id: { type: 'int', allowNul: true } } });

// ── 6. with, bases, bound classes ─────────────────────────────────────────────
class ApiModel extends Model.with({ proxy: { type: 'rest', baseUrl: 'https://api.example.com', dialect: plain(), headers: async () => ({ Authorization: 'x' }) } }) {
  get title() { return 'x'; }
}
class Post extends ApiModel.define({ fields: { id: 'int', body: 'string' }, proxy: { url: '/posts' } }) {}
const post = await Post.load(1); is<Post>()(post); is<string>()(post.title); is<string | undefined>()(post.body);
const Mine = User.with({ proxy: { headers: { Authorization: 'x' } } });
is<typeof User>()(Mine); is<User>()(await Mine.load(7));
// @ts-expect-error misspelt
User.with({ proxy: { header: {} } });
// @ts-expect-error misspelt
ApiModel.define({ fields: { id: 'int' }, proxy: { ulr: '/posts' } });

// ── 7. for<Dto> and object schemas ────────────────────────────────────────────
interface UserDto { id: number; name: string; email: string | null; role?: 'admin' | 'member'; created_at: string }
class Checked extends Model.define({ matches: json<UserDto>(),
  fields: { id: 'int', name: 'string', email: { type: 'string', allowNull: true }, role: z.enum(['admin', 'member']), created: { type: 'date', mapping: 'created_at' }, local: { type: 'int', persist: false } },
}) {}
is<Date | undefined>()((await Checked.load(1)).created);
// @ts-expect-error name is a string
Model.define({ matches: json<UserDto>(), fields: { id: 'int', name: 'int' } });
// @ts-expect-error email may be null
Model.define({ matches: json<UserDto>(), fields: { id: 'int', email: 'string' } });
// @ts-expect-error not in the DTO
Model.define({ matches: json<UserDto>(), fields: { id: 'int', nmae: 'string' } });
const schema = z.object({ id: z.number(), name: z.string(), at: z.coerce.date(), nick: z.string().nullable(), opt: z.string().optional() });
class Shaped extends Model.define({ fields: schema.shape }) {}
const shaped = await Shaped.load(1); is<number>()(shaped.id); is<Date>()(shaped.at); is<string | null>()(shaped.nick); is<string | undefined>()(shaped.opt); is<string>()(shaped.get('name'));
const vs = v.object({ id: v.number(), name: v.string() });
class ShapedV extends Model.define({ fields: vs.entries }) {}
is<string>()((await ShapedV.load(1)).name);

// ── 8. proxies ────────────────────────────────────────────────────────────────
class VersionedProxy extends RestProxy {
  override getMethod(request: ProxyRequest) { return request.action === 'update' ? 'PATCH' : super.getMethod(request); }
  override buildUrl(request: ProxyRequest) { request.params['v'] = 2; return super.buildUrl(request); }
}
Model.define({ fields: { id: 'int' }, proxy: { type: RestProxy, url: '/p', format: 'json' } });
Model.define({ fields: { id: 'int' }, proxy: { type: VersionedProxy, url: '/p', appendId: false } });
Model.define({ fields: { id: 'int' }, proxy: new VersionedProxy({ url: '/posts' }) });
Model.define({ fields: { id: 'int' }, proxy: new MemoryProxy() });
Model.define({ fields: { id: 'int' }, proxy: { type: MemoryProxy, data: [] } });
// @ts-expect-error misspelt option
Model.define({ fields: { id: 'int' }, proxy: { type: 'rest', urll: '/x' } });
// @ts-expect-error misspelt option of a class
Model.define({ fields: { id: 'int' }, proxy: { type: RestProxy, urll: '/x' } });
// @ts-expect-error misspelt option of an instance
new RestProxy({ urll: '/x' });
// @ts-expect-error an option of another proxy
Model.define({ fields: { id: 'int' }, proxy: { type: MemoryProxy, url: '/x' } });
// @ts-expect-error appendId is not an option of ajax
Model.define({ fields: { id: 'int' }, proxy: { type: 'ajax', url: '/g', appendId: false } });
// @ts-expect-error unknown type name
Model.define({ fields: { id: 'int' }, proxy: { type: 'rset', url: '/g' } });
// @ts-expect-error wrong value
Model.define({ fields: { id: 'int' }, proxy: { type: 'rest', url: 1 } });
class GraphProxy extends AjaxProxy<AjaxProxyConfig & { depth?: number }> {}
class AppModel extends Model { static override readonly proxyTypes = { ...Model.proxyTypes, graph: GraphProxy }; }
class Node extends AppModel.define({ fields: { id: 'int', name: 'string' }, proxy: { type: 'graph', url: '/g', depth: 2 } }) {}
is<string | undefined>()((await Node.load(1)).name);
// @ts-expect-error depth is a number
AppModel.define({ fields: { id: 'int' }, proxy: { type: 'graph', url: '/g', depth: 'x' } });
// @ts-expect-error not in the table of Model
Model.define({ fields: { id: 'int' }, proxy: { type: 'graph', url: '/g' } });

// ── 9. stores ─────────────────────────────────────────────────────────────────
const users = new Store({
  model: User, pageSize: 25, remoteSort: true,
  sorters: ['name', { property: 'joined', direction: 'DESC' }, 'label', { sorterFn: (a, b) => a.age - b.age }],
  filters: [
    { property: 'role', value: 'admin' }, { property: 'role', operator: 'in', value: ['admin', 'member'] },
    { property: 'joined', operator: 'between', value: [new Date(0), new Date()] }, { property: 'email', operator: 'isNull' },
    { or: [{ property: 'name', operator: 'contains', value: 'a' }, { not: { and: [{ property: 'active', value: true }] } }] },
    { filterFn: (each) => each.label.length > 3 },
  ],
});
is<Store<User>>()(users);
// @ts-expect-error no such field
new Store({ model: User, sorters: ['nope'] });
// Dropped nicety: the name of a method of the class body compiles and is refused at run time.
new Store({ model: User, sorters: ['rename'] });
// @ts-expect-error a member of every record does not sort
new Store({ model: User, sorters: ['save'] });
// @ts-expect-error wrong value
new Store({ model: User, filters: [{ property: 'role', value: 'owner' }] });
// @ts-expect-error wrong value in a tree
new Store({ model: User, filters: [{ or: [{ property: 'role', value: 'owner' }] }] });
// @ts-expect-error no such field
new Store({ model: User, filters: [{ property: 'nope', value: 1 }] });
// @ts-expect-error misspelt option
new Store({ model: User, pagesize: 25 });
for (const each of users) is<User>()(each);
users.on('load', ({ records }) => is<readonly User[]>()(records));
users.on('change', (change) => {
const { added } = differenceOf(change);
const { version } = change;
is<readonly User[]>()(added); is<number>()(version);
});
users.on('exception', ({ error }) => { if (error.code === 'http') is<number>()(error.status); });
// @ts-expect-error no such event
users.on('lod', () => {});
user.on('set', ({ record, modified }) => { is<User>()(record); is<string | undefined>()(modified.name); });
users.sort('label', 'DESC'); users.filter({ property: 'joined', operator: '>', value: new Date(0) });
users.add({ name: 'Ada' }, new User());
const batch = await users.sync(); is<Batch<User>>()(batch);
for (const { record, error } of batch.failures) { is<User>()(record); is<AnyDataError>()(error); }
const generic = <M extends Model>(store: Store<M>, record: M) => { store.add(record); return store.getAt(0)?.save(); };
is<Promise<User> | undefined>()(generic(users, user));
const holder: { store: Store<Model> } = { store: users }; void holder;   // a grid that takes any store
const anyModel: Model = user; void anyModel;

// ── 10. actions ───────────────────────────────────────────────────────────────
class Order extends Model.define({
  fields: { id: 'int', total: decimal() },
  actions: {
    cancel: action({ method: 'POST', body: z.object({ reason: z.string() }), reply: 'record' }),
    ship: action({ method: 'POST' }),
    invoice: action({ method: 'GET', reply: 'blob' }),
    stats: action({ on: 'collection', method: 'GET', reply: z.object({ count: z.number() }) }),
  },
}) { get big() { return true; } }
const order = await Order.load(1);
is<Order>()(await Order.actions.cancel(order, { reason: 'x' }));
is<void>()(await Order.actions.ship(order));
is<Blob>()(await Order.actions.invoice(order));
is<{ count: number }>()(await Order.actions.stats());
// @ts-expect-error wrong body
Order.actions.cancel(order, { reason: 1 });
// @ts-expect-error body missing
Order.actions.cancel(order);
// @ts-expect-error no such action
Order.actions.refund(order);
class Big extends Order.define({ fields: { more: 'int' }, actions: { split: action({ reply: 'record' }) } }) {}
is<Big>()(await Big.actions.split(new Big())); is<Big>()(await Big.actions.cancel(new Big(), { reason: 'x' }));

// ── 11. errors ────────────────────────────────────────────────────────────────
try { await user.save(); } catch (error) {
  if (isDataError(error)) switch (error.code) {
    case 'http': is<number>()(error.status); break;
    case 'conflict': is<number>()(error.status); break;
    case 'validation': is<string | undefined>()(error.issues[0]?.message); break;
    case 'network': is<boolean>()(error.unconfirmed); break;
    case 'address': case 'unsupported-query': case 'timeout': case 'abort': case 'auth': case 'read': break;
    default: error satisfies never;
  }
  if (error instanceof HttpError) is<number>()(error.status);
}

// ── 12. the one shape of `with` ───────────────────────────────────────────────
is<User>()(await User.with({ proxy: { headers: { Authorization: 'x' } } }).load(7));

// ── 13. a resource without an id ──────────────────────────────────────────────
class ListConfig extends Model.define({ fields: { title: 'string' }, proxy: { url: '/lists/{listId}/config', singleton: true } }) {}
is<ListConfig>()(await ListConfig.load({ pathParams: { listId: 'two' } })); is<string | undefined>()((await ListConfig.load()).title);
// @ts-expect-error no such option
ListConfig.load({ pathParam: { listId: 'two' } });
declare const perhaps: number | undefined;
// @ts-expect-error there may be no id
User.load(perhaps);
