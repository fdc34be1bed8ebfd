import type { GridFilterItem, GridGetRowsParams } from '@mui/x-data-grid';
import { MemoryProxy, UnsupportedQueryError, where } from 'repose';
import { gridDataSource } from 'repose/mui-grid';
import { describe, expect, expectTypeOf, test, vi } from 'vitest';
import { orders, setUp } from './support.js';

// The calls as the grid makes them; test/frameworks runs the real one, and checks the types of this file.
const paramsOf = (params: Partial<GridGetRowsParams> = {}): GridGetRowsParams => ({
  sortModel: [],
  filterModel: { items: [] },
  paginationModel: { page: 0, pageSize: 2 },
  start: 0,
  end: 1,
  ...params,
});

describe('rows', () => {
  test('asks the server for a page, sorted and filtered in the dialect of the model', async () => {
    const { Order, sent } = setUp();
    const source = gridDataSource(Order, { filters: [where(Order).customerId.eq(1)], params: { tenant: 'a' } });
    const { rows, rowCount } = await source.getRows(
      paramsOf({
        paginationModel: { page: 1, pageSize: 2 },
        sortModel: [{ field: 'total', sort: 'desc' }],
        filterModel: { items: [{ field: 'open', operator: 'is', value: 'true' }], quickFilterValues: ['Order', '1'] },
      }),
    );
    expect(sent).toEqual(['GET /orders?tenant=a&page=2&limit=2&search=Order 1&sort=-total&customerId=1&open=true']);
    expectTypeOf(rows[0]!.createdAt).toEqualTypeOf<Date | undefined>();
    expect([rowCount, rows.map(({ id }) => id)]).toEqual([3, [1]]);
  });

  test('tells a total of -1 and whether there is a next page where the server tells none', async () => {
    const { Order } = setUp();
    class Bare extends Order.with({ proxy: { fetch: async () => Response.json(orders.slice(0, 2)) } }) {}
    const { rows, ...told } = await gridDataSource(Bare).getRows(paramsOf());
    expect([rows.length, told]).toEqual([2, { rowCount: -1, pageInfo: { hasNextPage: true } }]);
  });

  test('reads blocks of rows without pages', async () => {
    const { Order, sent } = setUp();
    const source = gridDataSource(Order);
    const { paginationModel: _, ...bare } = paramsOf();
    await source.getRows({ ...bare, start: 10, end: 19 });
    expect(sent).toEqual(['GET /orders?page=2&limit=10']);
    await expect(source.getRows({ ...bare, start: 5, end: 14 })).rejects.toThrow(/the rows 5 to 14/);
  });

  test('refuses what the model or the server does not know before anything is sent', async () => {
    const { Order, sent } = setUp();
    const source = gridDataSource(Order);
    const filtered = (item: GridFilterItem) => source.getRows(paramsOf({ filterModel: { items: [item] } }));
    await expect(filtered({ field: 'titel', operator: 'equals', value: 'x' })).rejects.toThrow(/did you mean 'title'/);
    await expect(filtered({ field: 'title', operator: 'sounds', value: 'x' })).rejects.toThrow(
      "A store cannot apply the filter 'sounds' of the MUI X Data Grid: leave it out of `filterOperators` of the column",
    );
    await expect(filtered({ field: 'total', operator: '<', value: 3 })).rejects.toThrow(UnsupportedQueryError);
    await expect(filtered({ field: 'due', operator: 'is', value: 'soon' })).rejects.toThrow(/the day 'soon'/);
    await expect(filtered({ field: 'open', operator: 'is', value: 'yes' })).rejects.toThrow(/the value 'yes'/);
    await expect(filtered({ field: '__proto__', operator: 'equals', value: 'x' })).rejects.toThrow(/'__proto__'/);
    const words = { items: [], quickFilterValues: ['a', 'b'], quickFilterLogicOperator: 'or' as never };
    await expect(source.getRows(paramsOf({ filterModel: words }))).rejects.toThrow(/any of several words/);
    await expect(source.getRows({ ...paramsOf(), groupKeys: ['a'] } as never)).rejects.toThrow(
      /groups, sums or pivots/,
    );
    await expect(source.getRows(paramsOf({ sortModel: [{ field: 'name', sort: 'asc' }] }))).rejects.toThrow(/'name'/);
    expect(sent).toEqual([]);
  });
});

describe('filters', () => {
  const day = new Date('2026-11-23');

  test.each<[item: GridFilterItem, expected: object | undefined]>([
    [
      { field: 'title', operator: 'contains', value: 'a' },
      { property: 'title', operator: 'like', value: 'a' },
    ],
    [
      { field: 'title', operator: 'doesNotContain', value: 'a' },
      { not: { property: 'title', operator: 'like', value: 'a' } },
    ],
    [
      { field: 'total', operator: '>=', value: 3 },
      { property: 'total', operator: 'ge', value: 3 },
    ],
    [
      { field: 'title', operator: 'isAnyOf', value: ['a'] },
      { property: 'title', operator: 'in', value: ['a'] },
    ],
    [
      { field: 'title', operator: 'isEmpty' },
      {
        or: [
          { property: 'title', operator: 'isNull', value: true },
          { property: 'title', operator: 'eq', value: '' },
        ],
      },
    ],
    [
      { field: 'total', operator: 'isNotEmpty' },
      { property: 'total', operator: 'isNull', value: false },
    ],
    [
      { field: 'open', operator: 'is', value: 'false' },
      { property: 'open', operator: 'eq', value: false },
    ],
    [
      { field: 'due', operator: 'after', value: day },
      { property: 'due', operator: 'gt', value: '2026-11-23' },
    ],
    [
      { field: 'createdAt', operator: 'onOrBefore', value: day },
      { property: 'createdAt', operator: 'lt', value: new Date(2026, 10, 24) },
    ],
    [{ field: 'title', operator: 'contains', value: undefined }, undefined],
    [{ field: 'title', operator: 'isAnyOf', value: [] }, undefined],
  ])('reads %j', async (item, expected) => {
    expect(await filtersOf({ items: [item] })).toEqual(expected ? [expected] : []);
  });

  test('reads the minutes of columns of the type `dateTime`', async () => {
    const value = new Date('2026-11-23T08:30:00Z');
    const items = [{ field: 'createdAt', operator: 'is', value }];
    const end = new Date('2026-11-23T08:31:00Z');
    expect(await filtersOf({ items }, ['createdAt'])).toEqual([
      {
        and: [
          { property: 'createdAt', operator: 'ge', value },
          { property: 'createdAt', operator: 'lt', value: end },
        ],
      },
    ]);
    const wrong = [{ field: 'createdAt', operator: 'is', value: 'noon' }];
    await expect(filtersOf({ items: wrong }, ['createdAt'])).rejects.toThrow(/the time 'noon'/);
  });

  test('reads a condition on `id` whatever the field of the id is called', async () => {
    const { Customer, sent } = setUp();
    const filterModel = { items: [{ field: 'id', operator: 'equals', value: 'C-2' }] };
    const { rows } = await gridDataSource(Customer).getRows(paramsOf({ filterModel }));
    expect([rows.map(({ name }) => name), sent]).toEqual([['Grace'], ['GET /customers?page=1&limit=2&code=C-2']]);
  });

  test('joins conditions by `or`', async () => {
    const items = [
      { id: 1, field: 'title', operator: 'equals', value: 'a' },
      { id: 2, field: 'total', operator: '=', value: 3 },
    ];
    expect(await filtersOf({ items, logicOperator: 'or' as never })).toEqual([
      {
        or: [
          { property: 'title', operator: 'eq', value: 'a' },
          { property: 'total', operator: 'eq', value: 3 },
        ],
      },
    ]);
  });

  /** The filters that a proxy which takes all of them is asked for. */
  async function filtersOf(filterModel: GridGetRowsParams['filterModel'], dateTimes: 'createdAt'[] = []) {
    const { Order } = setUp();
    class Any extends Order.with({ proxy: { type: MemoryProxy } as never }) {}
    const read = vi.spyOn(Any.proxy, 'read');
    await gridDataSource(Any, { dateTimes }).getRows(paramsOf({ filterModel }));
    return (read.mock.calls[0]![0].filters ?? []).map((filter) => ({ ...filter }));
  }
});

describe('edits', () => {
  test('saves what has changed in a row, with the version of the row that the user has seen', async () => {
    const { Order, sent } = setUp();
    const source = gridDataSource(Order);
    const { rows } = await source.getRows(paramsOf());
    const previousRow = rows[0]!;
    const saved = await source.updateRow({ rowId: 1, updatedRow: { ...previousRow, title: 'Bolts' }, previousRow });
    expect(saved).toEqual({ ...previousRow, title: 'Bolts' });
    expect(sent.slice(1)).toEqual(['PATCH /orders/1 {"title":"Bolts"}']);
  });

  test('rejects with the errors of the server by field', async () => {
    const { Order } = setUp();
    const source = gridDataSource(Order);
    const { rows } = await source.getRows(paramsOf());
    await expect(
      source.updateRow({ rowId: 1, updatedRow: { ...rows[0]!, total: 2000 }, previousRow: rows[0]! }),
    ).rejects.toMatchObject({ code: 'validation', issues: [{ path: ['total'], message: 'is too much' }] });
  });
});
