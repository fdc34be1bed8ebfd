import { DataProxy, Model, type Operation, ResultSet, Store, viewOf } from 'repose';
import { describe, expect, test } from 'vitest';

/** Answers with the rows that a test gives it. */
class RowsProxy extends DataProxy {
  rows: object[] = [];

  override async read(operation: Operation): Promise<ResultSet> {
    operation.resultSet = new ResultSet({ rows: this.rows as never[], total: 100 }) as ResultSet<never>;
    return operation.resultSet;
  }

  override create(operation: Operation): Promise<ResultSet> {
    return this.read(operation);
  }

  override update(operation: Operation): Promise<ResultSet> {
    return this.read(operation);
  }

  override erase(operation: Operation): Promise<ResultSet> {
    return this.read(operation);
  }
}

class Item extends Model.define({ name: 'item', fields: { id: 'int', name: 'string' } }) {
  constructor(...args: ConstructorParameters<ReturnType<typeof Model.define>>) {
    super(...(args as []));
    if (this.name === 'boom') throw new Error('boom');
  }
}

const idsOf = (records: Iterable<{ id: number }>) => Array.from(records, ({ id }) => id);

describe('a page with one row that cannot become a record', () => {
  test.each([
    ['load', 0],
    ['loadMore', 2],
  ] as const)('%s: changes nothing, and the page can be loaded again', async (how, before) => {
    const proxy = new RowsProxy();
    const store = new Store({ model: Item, proxy, pageSize: 2 });
    const view = viewOf(store, { filters: [{ filterFn: () => true }] });
    if (before) {
      proxy.rows = [
        { id: 1, name: 'a' },
        { id: 2, name: 'b' },
      ];
      await store.load();
    }
    const known = before ? [1, 2] : [];
    expect(idsOf(view)).toEqual(known);
    proxy.rows = [
      { id: 3, name: 'c' },
      { id: 4, name: 'boom' },
    ];
    await expect(store[how]()).rejects.toThrow('boom');
    expect(store.getById(3)).toBeUndefined();
    expect(idsOf(store)).toEqual(known);
    proxy.rows = [
      { id: 3, name: 'c' },
      { id: 4, name: 'd' },
    ];
    await store[how]();
    expect(idsOf(store)).toEqual([...known, 3, 4]);
    expect(idsOf(view)).toEqual([...known, 3, 4]);
    const third = store.getById(3) as Item;
    third.name = 'x';
    expect(idsOf(view)).toEqual([...known, 3, 4]);
  });
});
