/**
 * A model as the data source of the MUI X Data Grid 9: pages that the server sorts and filters, and edits that it saves.
 *
 * @module
 */
import type { GridDataSource, GridGetRowsParams, GridGetRowsResponse } from '@mui/x-data-grid';
import { requestOfMeta } from './adapter/call-request.js';
import { LIBRARY, readGridFilters } from './adapter/mui-filters.js';
import type { PlainRow } from './adapter/plain-row.js';
import { type PageNumber, Resource } from './adapter/resource.js';
import { refuseLibraryQuery } from './grid/refuse-query.js';
import type { ModelType } from './model/field.js';
import type { FieldName } from './model/infer.js';
import type { Model } from './model/model.js';
import type { ModelDefinition } from './model/model-definition.js';
import { getMember } from './util/data-path.js';
import { isSame } from './util/values.js';

export type { PlainRow };

/** Options of the data source. */
export interface DataSourceOptions<M extends Model> {
  /** The columns of the type `dateTime`: a condition on them names a minute, on other columns of dates a day. @default [] */
  dateTimes?: readonly FieldName<M>[];
  /** Filters that the rows always meet, besides those of the grid: `[where(Order).open.eq(true)]`. @default [] */
  filters?: readonly object[];
  /** Query parameters of every request. @default {} */
  params?: Record<string, unknown>;
  /** Values for the `{name}`s of the proxy's `url`. @default {} */
  pathParams?: Record<string, string | number>;
  /** Headers of every request. @default {} */
  headers?: Record<string, string>;
}

/** Rows of a grid. */
export interface GridRows<M extends Model> extends GridGetRowsResponse {
  rows: PlainRow<M>[];
}

/** The data source of a model: that of the grid, with the type of its rows. */
export interface ModelDataSource<M extends Model> extends GridDataSource {
  /** Reads the rows that the grid asks for. */
  getRows(params: GridGetRowsParams): Promise<GridRows<M>>;
  /** Saves what the user has changed in a row. Resolves with the row as the server has it. */
  updateRow(params: {
    rowId: string | number;
    updatedRow: Partial<PlainRow<M>>;
    previousRow: PlainRow<M>;
  }): Promise<PlainRow<M>>;
}

/**
 * Makes the data source of a grid from a model. Calls reject with the `DataError` of the request, which the grid gives to `onDataSourceError` as
 * its `cause`. What the server cannot sort or filter, groups and aggregations are refused with `UnsupportedQueryError` before anything is
 * sent. An edit sends what has changed, with the version of the row that the user has seen.
 *
 * @example
 * ```tsx
 * const source = gridDataSource(Order);
 * // <DataGrid dataSource={source} columns={columns} pagination />
 * ```
 */
export function gridDataSource<M extends Model>(
  model: ModelType<M>,
  options: DataSourceOptions<M> = {},
): ModelDataSource<M> {
  const resource = new Resource(model as ModelType<Model>);
  const dateTimes: ReadonlySet<string> = new Set(options.dateTimes);
  const request = requestOfMeta(options, undefined);
  return {
    async getRows(params) {
      const { definition } = resource;
      refuseGroups(params, definition);
      const { sortModel, filterModel } = params;
      const { filters, search } = readGridFilters(filterModel, definition, dateTimes, (name) =>
        resource.propertyOf(name),
      );
      const sorters = sortModel.flatMap(({ field, sort }) =>
        sort ? resource.sortersOf(field, sort === 'desc' ? 'DESC' : 'ASC') : [],
      );
      const query = { sorters, filters: [...(options.filters ?? []), ...filters], ...(search && { search }) };
      const page = pageOf(params, definition);
      const { rows, total, hasMore } = await resource.list(query, page, request);
      return {
        rows: rows as PlainRow<M>[],
        rowCount: total ?? -1,
        pageInfo: { hasNextPage: hasMore },
      };
    },
    async updateRow({ rowId, updatedRow, previousRow }) {
      const changed = Object.entries(updatedRow).filter(
        ([name, value]) => !isSame(value, (previousRow as Record<string, unknown>)[name]),
      );
      const basis = { before: previousRow, overwrites: false };
      return (await resource.update(rowId, Object.fromEntries(changed), basis, request)) as PlainRow<M>;
    },
  };
}

function pageOf({ paginationModel, start, end }: GridGetRowsParams, model: ModelDefinition): PageNumber {
  if (paginationModel) return { page: paginationModel.page + 1, pageSize: paginationModel.pageSize };
  const pageSize = end - Number(start) + 1;
  const page = Number(start) / pageSize + 1;
  if (Number.isInteger(page)) return { page, pageSize };
  const remedy = 'give the grid `pagination`, or blocks of rows that begin at a multiple of their length';
  throw refuseLibraryQuery(model, LIBRARY, `the rows ${start} to ${end}`, remedy);
}

/** Grids of the Pro and Premium plans may ask for groups and sums, which a model cannot give. */
function refuseGroups(params: object, model: ModelDefinition): void {
  const asked = ['groupKeys', 'groupFields', 'aggregationModel', 'pivotModel'].map((name) => getMember(params, name));
  if (asked.every((each) => Object.keys(Object(each)).length === 0)) return;
  const remedy = 'leave out `treeData`, row grouping, aggregation and pivoting';
  throw refuseLibraryQuery(model, LIBRARY, 'groups, sums or pivots', remedy);
}
