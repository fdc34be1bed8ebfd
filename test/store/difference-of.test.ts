import { differenceOf, Model, Store, type StoreChange } from 'repose';
import { expect, test } from 'vitest';

class Task extends Model.define({ name: 'task', fields: { id: 'int', title: 'string' } }) {}

function changesOfStore() {
  const store = new Store({ model: Task, sorters: ['title'] });
  store.setRecords([1, 2, 3].map((id) => Task.fromRow({ id, title: `t${id}` })));
  const changes: StoreChange<Task>[] = [];
  store.on('change', (change) => changes.push(change));
  return { store, changes };
}

test('a change holds the lists before and after it, also when the store has changed since', () => {
  const { store, changes } = changesOfStore();
  store.add({ id: 4, title: 't0' });
  store.flush();
  store.removeAll();
  store.flush();
  const [change] = changes as [StoreChange<Task>];
  const titles = (list: StoreChange<Task>['now']) => [...list].map(({ title }) => title);
  expect(titles(change.before)).toEqual(['t1', 't2', 't3']);
  expect(titles(change.now)).toEqual(['t0', 't1', 't2', 't3']);
  expect(differenceOf(change).splices).toEqual([{ index: 0, remove: 0, records: [change.now.at(0)] }]);
});

test('a record that comes and changes in one tick is added, and not updated', () => {
  const { store, changes } = changesOfStore();
  const [added] = store.add({ id: 4, title: 't4' });
  (added as Task).title = 't0';
  const record = store.getById(3) as Task;
  record.title = 'a';
  store.flush();
  const [change] = changes as [StoreChange<Task>];
  expect(change.updated).toEqual([record]);
  expect(differenceOf(change)).toMatchObject({ added: [added], removed: [], moved: [record] });
});

test('a change of a list that was built anew tells what was shown before', () => {
  const { store, changes } = changesOfStore();
  const [one, two] = [store.getById(1) as Task, store.getById(2) as Task];
  one.title = 'z';
  store.filter({ property: 'id', operator: '<', value: 3 });
  two.title = 'y';
  store.filter([]);
  store.add({ id: 5, title: 'x' });
  (store.getById(5) as Task).title = 'w';
  store.flush();
  const [change] = changes as [StoreChange<Task>];
  expect(new Set(change.updated)).toEqual(new Set([one, two]));
  expect(differenceOf(change).added.map(({ id }) => id)).toEqual([5]);
});

test('a list that is as before tells no change', () => {
  const { store, changes } = changesOfStore();
  store.sort('id');
  store.sort('title');
  store.flush();
  expect(changes).toEqual([]);
});
