import { Model, Store, viewOf } from 'repose';
import { groups } from 'repose/groups';
import { expect, test } from 'vitest';

test('a view that follows all records in the order of their store changes neither the store nor a snapshot', () => {
  const Item = Model.define({ name: 'item', fields: { id: 'int', name: 'string' } });
  const store = new Store({ model: Item, data: Array.from({ length: 300 }, (_, at) => ({ id: at + 1, name: 'a' })) });
  const view = viewOf(store, { groups: groups({ by: [], summaries: {} }) });
  expect(view.groups.count).toBe(300);
  expect(view.getAt(0)).toBe(store.getAt(0));
  const before = store.list.get();
  const known = [...before];
  store.insert(7, Item.fromRow({ id: 1000, name: 'b' }));
  store.add(Item.fromRow({ id: 1001, name: 'c' }));
  store.remove(store.getAt(100) as InstanceType<typeof Item>);
  store.insert(0, Item.fromRow({ id: 1002, name: 'd' }));
  expect([...before]).toEqual(known);
  expect(store.count).toBe(302);
  expect([...view]).toEqual([...store]);
  expect(new Set(store).size).toBe(302);
  expect(view.groups.count).toBe(302);
});
