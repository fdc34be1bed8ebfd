import {
  and, type AnyDataError, type AnyOutcomeError, type Batch, type DataProxy, DependencyError, type Filter, type FilterConfig, type Grouper, type GrouperConfig, isDataError, type Issue, json, type LoadOptions, MemoryProxy, Model, not, or,
  type Operation, type Outcome, Query, RestProxy, type ListSnapshot, type Sorter, Store, type StoreConfig, type SyncError, type SyncOptions, where, viewOf,
} from 'repose';
import { is } from './equal.js';

class Task extends Model.define({ fields: { id: 'int', title: 'string', done: 'boolean', due: 'date' }, proxy: { url: '/tasks' } }) {
  get late(): boolean {
    return (this.due ?? 0) < new Date();
  }
}

// ── options ───────────────────────────────────────────────────────────────────
const load: LoadOptions<Task> = {
  page: 2, start: 25, limit: 25, addRecords: true, url: '/other', headers: { 'X-A': 'b' }, params: { all: true }, pathParams: { id: 7 },
  signal: new AbortController().signal,
};
const config: StoreConfig<Task> = {
  model: Task, pageSize: 0, remoteSort: true, remoteFilter: true, allowPartial: true, holdEdited: true, concurrency: 2, autoLoad: load,
  grouper: { property: 'done', direction: 'desc' }, groupField: 'done', groupDir: 'DESC', data: [{ id: 1, title: 'x' }],
};
const tasks = new Store(config);
is<Store<Task>>()(tasks);
new Store({ model: Task, grouper: 'late' });
const sync: SyncOptions = { params: { a: 1 }, headers: { 'X-A': 'b' }, signal: new AbortController().signal };
const grouper: GrouperConfig<Task> = 'late';
// @ts-expect-error no such field
new Store({ model: Task, grouper: { property: 'dnoe' } });
// @ts-expect-error getters group locally by `grouper`; `groupField` names a field
new Store({ model: Task, groupField: 'late' });
// @ts-expect-error no such direction
new Store({ model: Task, grouper: { property: 'done', direction: 'down' } });
// @ts-expect-error wrong value
new Store({ model: Task, data: [{ id: 'x' }] });
// @ts-expect-error misspelt option of a load
await tasks.load({ pgae: 2 });
// @ts-expect-error misspelt option of a sync
await tasks.sync({ parms: {} });
// @ts-expect-error misspelt option of the load at once
new Store({ model: Task, autoLoad: { pgae: 2 } });

// ── optional values can be passed on ──────────────────────────────────────────
declare const maybe: { signal: AbortSignal | undefined; url: string | undefined; count: number | undefined; flag: boolean | undefined };
declare const sent: { headers: Record<string, string> | undefined; params: Record<string, unknown> | undefined };
await tasks.load({ ...sent, signal: maybe.signal, url: maybe.url, page: maybe.count, limit: maybe.count, addRecords: maybe.flag });
await tasks.loadMore({ ...sent, signal: maybe.signal });
await tasks.sync({ ...sent, signal: maybe.signal, concurrency: maybe.count, batchSize: maybe.count, onFailure: undefined });
await Task.load(1, { ...sent, signal: maybe.signal, url: maybe.url });
await new Task().save({ ...sent, signal: maybe.signal, repeat: maybe.flag });
Task.with({ proxy: { use: undefined } });

// ── a proxy of its own ────────────────────────────────────────────────────────
class Own extends RestProxy {}
new Store({ model: Task, proxy: { type: 'rest', url: '/my-tasks', appendId: false } });
new Store({ model: Task, proxy: { url: '/my-tasks' } });
new Store({ model: Task, proxy: { type: RestProxy, url: '/my-tasks', format: 'json' } });
new Store({ model: Task, proxy: { type: Own, url: '/my-tasks' } });
new Store({ model: Task, proxy: { type: MemoryProxy, data: [{ id: 1 }] } });
new Store({ model: Task, proxy: new RestProxy({ url: '/my-tasks' }) });
// @ts-expect-error misspelt option
new Store({ model: Task, proxy: { type: 'rest', ulr: '/my-tasks' } });
// @ts-expect-error misspelt option of a class
new Store({ model: Task, proxy: { type: RestProxy, ulr: '/my-tasks' } });
// @ts-expect-error an option of another proxy
new Store({ model: Task, proxy: { type: MemoryProxy, url: '/my-tasks' } });
// @ts-expect-error no proxy
new Store({ model: Task, proxy: { type: Date } });

// ── members ───────────────────────────────────────────────────────────────────
is<number | undefined>()(tasks.total);
is<boolean>()(tasks.status.get().loading);
is<AnyDataError | undefined>()(tasks.status.get().error);
tasks.query.sorters satisfies readonly Sorter[];
new Store({ model: Task, canLoad: (operation) => { is<Operation>()(operation); return true; } });
// @ts-expect-error it cannot be waited for
new Store({ model: Task, canLoad: async () => true });
is<number>()(tasks.pageSize);
is<readonly Task[]>()(tasks.setRecords([{ id: 1, title: 'x' }, new Task()]));
is<void>()(tasks.setPageSize(10));
is<void>()(tasks.setRemote({ remoteSort: true }));
is<void>()(tasks.setRemote({ remoteFilter: false }));
// @ts-expect-error set by setPageSize
tasks.pageSize = 10;
// @ts-expect-error a flag
tasks.setRemote({ remoteSort: 'yes' });
tasks.query.filters satisfies readonly Filter[];
tasks.query.groupers[0] satisfies Grouper | undefined;
is<DataProxy>()(tasks.proxy);
is<Task | undefined>()(tasks.getAt(0));
is<Task | undefined>()(tasks.getById('7'));
is<Task[]>()(tasks.getRange(0, 10));
is<Task[]>()([...tasks]);
is<Task[]>()(tasks.insert(0, { title: 'x' }));
is<Task[]>()([...tasks.pending.created, ...tasks.pending.edited]);
is<readonly Task[]>()(await tasks.load(load));
is<readonly Task[]>()(await tasks.load({ page: 2 }));
is<ListSnapshot<Task>>()(tasks.list.get());
is<Task | undefined>()(tasks.list.get().at(0));
is<Batch<Task>>()(await tasks.sync(sync));
is<readonly Outcome<Task>[]>()((await tasks.sync()).outcomes);
is<Batch<Task>>()((await tasks.sync()).orThrow());
tasks.group(grouper, 'desc');
tasks.filter([{ property: 'done', value: true }, { filterFn: (each) => each.late }]);
tasks.setQuery(tasks.query.with({ filters: [...tasks.query.filters, { property: 'due', operator: 'between', value: [new Date(0), new Date()] }] }));
tasks.sort({ property: 'title', transform: (title: string) => title.length, locale: 'de' });
tasks.sort({ property: 'title', sortType: 'natural', nulls: 'last' });
// @ts-expect-error no such order
tasks.sort({ property: 'title', sortType: 'asText' });
// @ts-expect-error no such place
tasks.sort({ property: 'title', nulls: 'none' });
tasks.sort([{ property: 'late', transform: (late: boolean) => !late }, { property: 'title', locale: new Intl.Collator('de') }]);
tasks.filter({ property: 'title', value: 'x', convert: (title) => { is<string>()(title); return title.trim(); } });
tasks.filter({ property: 'id', operator: 'ge', value: maybe.count ?? null, disableOnEmpty: true });
declare const either: 'id' | 'title';
tasks.sort({ property: either, locale: 'de' });
new Store({ model: Task, locale: 'de', sorters: ['title'] });
is<Task[]>()(viewOf(tasks, { locale: 'de' }).insert(0, { title: 'x' }));
// @ts-expect-error a function belongs there
tasks.sort({ property: 'title', transform: 'length' });
// @ts-expect-error a function belongs there
tasks.filter({ property: 'title', value: 'x', convert: 'trim' });
// @ts-expect-error no field of a task
viewOf(tasks).add({ titel: 'x' });
// Every documented spelling of an operator.
for (const operator of ['eq', 'ne', 'lt', 'le', 'lte', 'gt', 'ge', 'gte', '=', '==', '===', '!=', '!==', '/=', '<', '<=', '>', '>='] as const)
  tasks.filter({ property: 'id', operator, value: 1 });
tasks.setQuery(tasks.query.with({ filters: tasks.query.filters.filter(({ property }) => property !== 'done') }));
const stop = tasks.on('write', ({ operation }) => is<Operation>()(operation));
is<() => void>()(stop);
// @ts-expect-error unknown field
tasks.add({ titel: 'x' });

// ── why a write failed ────────────────────────────────────────────────────────
const why = new Task().$.error;
is<AnyOutcomeError | undefined>()(why);
if (why?.code === 'conflict') is<number>()(why.status);
if (why?.code === 'validation') is<readonly Issue[]>()(why.issues);
if (why?.code === 'skipped') void (why satisfies SyncError);
if (why instanceof DependencyError) is<DependencyError>()(why);
// @ts-expect-error no such code
if (why?.code === 'conflcit') void why;
const { outcomes, failures } = await tasks.sync();
for (const { error, undoError } of outcomes) {
  is<AnyOutcomeError | undefined>()(error);
  is<AnyOutcomeError | undefined>()(undoError);
  if (error?.code === 'skipped') void (error satisfies SyncError);
  if (error?.code === 'dependency') is<DependencyError>()(error);
}
for (const { error } of failures) is<AnyDataError>()(error);
tasks.on('exception', ({ error }) => { if (error.code === 'dependency') is<DependencyError>()(error); });
const reason: unknown = outcomes;
if (reason instanceof DependencyError) is<DependencyError>()(reason);
else if (isDataError(reason)) is<AnyDataError>()(reason);

// ── filters by where() ────────────────────────────────────────────────────────
const { id, title } = where(Task);
tasks.filter(id.ge(1));
tasks.filter([or(id.eq(1), and(title.contains('x'), not(title.isNull())))]);
const made: FilterConfig<Task> = not(or(id.in([1, 2]), id.between(3, 4)));
void made;
// @ts-expect-error no such field
where(Task).titel;
// @ts-expect-error a value of another type
id.eq('1');
// @ts-expect-error numbers contain no text
id.contains(1);
class Tagged extends Model.define({
  fields: { id: 'int', title: 'string', tags: json<string[]>(), hours: { type: json<readonly number[]>(), allowNull: true }, any: json() },
}) {}
const tagged = new Store({ model: Tagged });
const { tags, hours } = where(Tagged);
tagged.filter([tags.contains('red'), or(hours.contains(7), tags.eq(['red']))]);
tagged.filter([{ property: 'tags', operator: 'contains', value: 'red' }, { property: 'tags', operator: 'like', value: 'r' }]);
tagged.filter({ property: 'any', operator: 'contains', value: 7 });
// @ts-expect-error a member of another type
tags.contains(7);
// @ts-expect-error a member of another type
tagged.filter({ property: 'hours', operator: 'contains', value: 'x' });
// @ts-expect-error an equal list is a list
tagged.filter({ property: 'tags', operator: 'eq', value: 'red' });
// @ts-expect-error a text has no members
tagged.filter({ property: 'title', operator: 'contains', value: 7 });
class Other extends Model.define({ fields: { id: 'int', size: 'int' } }) {}
// @ts-expect-error a field of another model
tasks.filter(or(id.eq(1), where(Other).size.eq(1)));

// ── queries are typed by their model ──────────────────────────────────────────
{
  class Person extends Model.define({ fields: { id: 'int', name: 'string', born: 'date' } }) {}
  class Place extends Model.define({ fields: { id: 'int', street: 'string' } }) {}
  const people = Query.of(Person, { sorters: ['name'], filters: [{ property: 'born', operator: 'lt', value: new Date() }] });
  is<Query<Person>>()(people.with({ filters: [...people.filters, { property: 'name', value: 'Ada' }] }));
  // @ts-expect-error no such field
  Query.of(Person, { sorters: ['street'] });
  // @ts-expect-error a value of another type
  people.with({ filters: [{ property: 'name', value: 7 }] });
  const store = new Store({ model: Person, query: people });
  is<Query<Person>>()(store.query);
  void store.load({ query: people });
  // @ts-expect-error a query of another model
  store.setQuery(Query.of(Place));
  // @ts-expect-error a query of another model
  new Store({ model: Person, query: Query.of(Place) });
  const any: Store<Model> = store as Store<Person>;
  void any;
}
