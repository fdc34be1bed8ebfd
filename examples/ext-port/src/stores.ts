import { listOf, MemoryProxy, Model, Store, viewOf } from 'repose';
import { groups } from 'repose/groups';
import { TreeStore } from 'repose/tree';
import { Category, Customer, Employee, Order, Product, Tag } from './models.js';

class Note extends Model.define({
  name: 'note',
  fields: { id: 'int', text: 'string' },
  proxy: { type: MemoryProxy, data: [{ id: 1, text: 'Call Ada' }] },
}) {}

/** The stores of the shop, by their `storeId`. */
export function createStores() {
  const orders = new Store({ model: Order, pageSize: 0, sorters: [{ property: 'placed', direction: 'DESC' }] });
  const products = new Store({
    model: Product,
    pageSize: 0,
    sorters: ['name'],
    groups: groups({ by: ['categoryId'] }),
  });
  return {
    customers: new Store({ model: Customer, pageSize: 2, remoteSort: true, remoteFilter: true, sorters: ['name'] }),
    orders,
    openOrders: viewOf(orders, { filters: [{ property: 'status', value: 'open' }] }),
    products,
    cheapProducts: viewOf(products, { filters: [{ property: 'price', operator: '<', value: 5 }], sorters: ['price'] }),
    categories: new TreeStore({ model: Category, sorters: ['name'] }),
    tags: new Store({ model: Tag, pageSize: 0, sorters: ['label'] }),
    employees: new Store({ model: Employee, pageSize: 0, filters: [{ property: 'active', value: true }] }),
    countries: listOf(
      [
        ['ch', 'Switzerland'],
        ['it', 'Italy'],
      ],
      { names: ['code', 'country'], idProperty: 'code' },
    ),
    notes: new Store({ model: Note, pageSize: 0 }),
  };
}
