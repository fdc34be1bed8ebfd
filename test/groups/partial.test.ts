import { Model, plain, Store, viewOf } from 'repose';
import { groups } from 'repose/groups';
import { expect, test } from 'vitest';
import { groupsSource } from '../../src/binding/groups-source.js';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

class Task extends Model.define({
  name: 'task',
  fields: { id: 'int', team: 'string', hours: 'number' },
  proxy: server.proxy('/tasks', { dialect: plain(), reader: { rootProperty: 'rows', totalProperty: 'total' } }),
}) {}

const rows = Array.from({ length: 6 }, (_, at) => ({ id: at + 1, team: at % 2 ? 'A' : 'B', hours: 1 }));
const byTeam = () => groups({ by: ['team'], summaries: { hours: 'sum' } });

test('groups say that their sums are those of a part, until the store has all rows', async () => {
  const store = new Store({ model: Task, pageSize: 3, groups: byTeam() });
  const view = viewOf(store, { groups: byTeam() });
  server.reply({ json: { rows: rows.slice(0, 3), total: 6 } });
  await store.load();
  expect([store.groups.summaries.hours, store.groups.partial, view.groups.partial]).toEqual([3, true, true]);
  server.reply({ json: { rows: rows.slice(3), total: 6 } });
  await store.loadMore();
  expect([store.groups.summaries.hours, store.groups.partial, view.groups.partial]).toEqual([6, false, false]);
});

test('groups of another page are those of a part', async () => {
  const store = new Store({ model: Task, pageSize: 3, groups: byTeam() });
  server.reply({ json: { rows: rows.slice(3), total: 6 } });
  await store.load({ page: 2 });
  expect(store.groups.partial).toBe(true);
});

test('groups of all rows that match on the server are not those of a part', async () => {
  const filters = [{ property: 'team', value: 'A' }] as const;
  const store = new Store({ model: Task, pageSize: 3, remoteFilter: true, filters, groups: byTeam() });
  const own = rows.filter(({ team }) => team === 'A');
  server.reply({ json: { rows: own, total: own.length } });
  await store.load();
  expect([store.groups.summaries.hours, store.groups.partial]).toEqual([3, false]);
});

test('groups of given records are not those of a part', () => {
  const store = new Store({ model: Task, data: rows, groups: byTeam() });
  expect([store.groups.summaries.hours, store.groups.partial]).toEqual([6, false]);
});

test('what a screen shows of groups says so too, and tells when the rest has come', async () => {
  const store = new Store({ model: Task, pageSize: 3, groups: byTeam() });
  const view = viewOf(store, { groups: byTeam() });
  const sources = [groupsSource(store), groupsSource(view)];
  const told: boolean[][] = sources.map(() => []);
  for (const [at, source] of sources.entries()) source.subscribe(() => told[at]?.push(source.get().partial));
  server.reply({ json: { rows: rows.slice(0, 3), total: 6 } });
  await store.load();
  expect(sources.map((source) => source.get().partial)).toEqual([true, true]);
  server.reply({ json: { rows: rows.slice(3), total: 6 } });
  await store.loadMore();
  expect(sources.map((source) => source.get().partial)).toEqual([false, false]);
  expect(told.map((each) => each.at(-1))).toEqual([false, false]);
  expect(sources[0]?.get()).toBe(sources[0]?.get());
});

test('a screen is told when only the total shows that there is more', async () => {
  const store = new Store({ model: Task, pageSize: 3, groups: byTeam() });
  const source = groupsSource(store);
  server.reply({ json: { rows: rows.slice(0, 3), total: 3 } });
  await store.load();
  const told: boolean[] = [];
  source.subscribe(() => told.push(source.get().partial));
  server.always(() => ({ json: { rows: rows.slice(0, 3), total: 6 } }));
  await store.reload();
  expect([source.get().partial, told]).toEqual([true, [true]]);
});
