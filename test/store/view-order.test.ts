import fc from 'fast-check';
import { Model, Store, viewOf } from 'repose';
import { groups } from 'repose/groups';
import { describe, expect, test } from 'vitest';

class Item extends Model.define({ name: 'item', fields: { id: 'int', name: 'string', kind: 'string', size: 'int' } }) {}
const data = [
  { id: 1, name: 'c', kind: 'x', size: 1 },
  { id: 2, name: 'a', kind: 'y', size: 2 },
  { id: 3, name: 'b', kind: 'x', size: 3 },
];
const ids = (list: Iterable<Item>) => [...list].map(({ id }) => id).join();

describe('a view without sorters', () => {
  test('keeps the order of its store, also when that changes', () => {
    const store = new Store({ model: Item, data, sorters: ['name'], pageSize: 0 });
    const view = viewOf(store, { filters: [{ property: 'kind', value: 'x' }] });
    const seen: string[] = [];
    view.on('change', () => seen.push(ids(view)));
    expect([ids(store), ids(view)]).toEqual(['2,3,1', '3,1']);
    store.sort('name', 'DESC');
    store.flush();
    view.flush();
    expect(ids(view)).toBe('1,3');
    store.sort([]);
    view.flush();
    expect([ids(view), seen]).toEqual(['1,3', ['1,3']]);
  });

  test('follows edits of what the store sorts by, and records that come to match', () => {
    const store = new Store({ model: Item, data, sorters: ['name'], pageSize: 0 });
    const view = viewOf(store, { filters: [{ property: 'kind', value: 'x' }] });
    expect(ids(view)).toBe('3,1');
    store.getById(3)?.set('name', 'z');
    expect(ids(view)).toBe('1,3');
    store.getById(2)?.set('kind', 'x');
    expect(ids(view)).toBe('2,1,3');
    store.add({ id: 4, name: 'b', kind: 'x' });
    expect(ids(view)).toBe('2,4,1,3');
  });

  test('has its groups in their order, and the records of a group in that of the store', () => {
    const store = new Store({ model: Item, data, sorters: ['name'], pageSize: 0 });
    const view = viewOf(store, { groups: groups({ by: ['kind'] }) });
    expect(ids(view)).toBe('3,1,2');
    expect(view.groups.groups.map((group) => ids(group.records))).toEqual(['3,1', '2']);
    store.sort('name', 'DESC');
    expect(view.groups.groups.map((group) => ids(group.records))).toEqual(['1,3', '2']);
  });

  test('stands in the order of its own sorters, where it has some', () => {
    const store = new Store({ model: Item, data, sorters: ['name'], pageSize: 0 });
    const view = viewOf(store, { sorters: [{ property: 'size', direction: 'DESC' }] });
    store.sort('name', 'DESC');
    expect(ids(view)).toBe('3,2,1');
    view.sort([]);
    expect(ids(view)).toBe('1,3,2');
  });

  test('has the order in which the server sent the records, if the server sorts', () => {
    const store = new Store({ model: Item, data, sorters: ['name'], remoteSort: true, pageSize: 0 });
    expect(ids(viewOf(store))).toBe('1,2,3');
  });

  test('takes over the order of a store with a function, a getter or a locale', () => {
    class Named extends Item.define({ fields: {} }) {
      get negative(): number {
        return -(this.size ?? 0);
      }
    }
    const store = new Store({ model: Named, data, sorters: ['negative'], pageSize: 0 });
    const view = viewOf(store);
    expect(ids(view)).toBe('3,2,1');
    store.getById(1)?.set('size', 9);
    expect(ids(view)).toBe('1,3,2');
    store.sort({ sorterFn: (a, b) => (a.size ?? 0) - (b.size ?? 0) });
    expect(ids(view)).toBe('2,3,1');
  });

  test('shows what its store shows, whatever is done to both', () => {
    const name = fc.constantFrom('a', 'b', 'c', 'd');
    const step = fc.oneof(
      fc.record({ do: fc.constant('add' as const), name, size: fc.nat(3) }),
      fc.record({ do: fc.constant('edit' as const), at: fc.nat(9), name, size: fc.nat(3) }),
      fc.record({ do: fc.constant('remove' as const), at: fc.nat(9) }),
      fc.record({ do: fc.constant('sort' as const), by: fc.constantFrom('name', 'size', 'id'), down: fc.boolean() }),
      fc.record({ do: fc.constant('unsort' as const) }),
      fc.record({ do: fc.constant('read' as const) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const store = new Store({ model: Item, data, pageSize: 0, sorters: ['name'] });
        const view = viewOf(store);
        for (const each of steps) {
          if (each.do === 'add') store.add({ name: each.name, size: each.size });
          else if (each.do === 'edit') store.getAt(each.at)?.set({ name: each.name, size: each.size });
          else if (each.do === 'remove') store.remove(...store.getRange(each.at, each.at + 1));
          else if (each.do === 'sort') store.sort(each.by as 'name', each.down ? 'DESC' : 'ASC');
          else if (each.do === 'unsort') store.sort([]);
          else expect(ids(view)).toBe(ids(store));
        }
        expect(ids(view)).toBe(ids(store));
      }),
    );
  });
});
