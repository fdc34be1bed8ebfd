import type { Model } from '../model/model.js';
import { innerModel, type ModelDefinition } from '../model/model-definition.js';
import { DEFINITION } from '../model/symbols.js';
import type { Filter, Sorter } from '../operation/query-parts.js';
import type { FilterConfig, SorterConfig } from '../store/query.js';
import type { Store } from '../store/store.js';
import { isSame } from '../util/values.js';
import { type GridSorter, toStoreFilters, toStoreSorter } from './grid-filters.js';

/** Applies the query of a grid to a store, and keeps the sorters and filters that the application sets, whenever it sets them. */
export class GridQuery<M extends Model> {
  /** The sorters and filters of the grid that were applied last. */
  private sorters: readonly object[] = [];
  private filters: readonly Filter[] = [];
  /** The sorters of the store since then. */
  private applied: readonly Sorter[] | undefined = undefined;
  private ownSorters: readonly Sorter[] = [];

  constructor(private readonly store: Store<M>) {}

  /**
   * Applies sorters and filters of a grid, if the store does not have them yet. Throws `UnsupportedQueryError` for what a store cannot
   * apply, and changes nothing then.
   */
  apply(sortModel: readonly GridSorter[], filterModel: unknown): void {
    const model = definitionOf(this.store);
    const sorters = sortModel.map((item) => toStoreSorter(item, model));
    const filters = toStoreFilters(filterModel, model);
    this.sort(sorters);
    this.filter(filters);
  }

  /** The grid's sorters replace those of the application while the grid has any. */
  private sort(sorters: readonly object[]): void {
    const { store } = this;
    if (isSame(sorters, this.sorters)) return;
    if (store.query.sorters !== this.applied) this.ownSorters = store.query.sorters;
    store.sort((sorters.length > 0 ? sorters : this.ownSorters) as SorterConfig<Model>[]);
    this.sorters = sorters;
    this.applied = store.query.sorters;
  }

  /** The grid's filters are added to those of the application. */
  private filter(filters: readonly Filter[]): void {
    const { store } = this;
    // The application may have replaced all filters of the store.
    const isApplied = filters.every((filter) => indexOf(store.query.filters, filter) >= 0);
    if (isApplied && isSame(filters, this.filters)) return;
    const own = [...store.query.filters];
    for (const filter of this.filters) {
      const at = indexOf(own, filter);
      if (at >= 0) own.splice(at, 1);
    }
    store.filter([...own, ...filters] as FilterConfig<Model>[]);
    this.filters = filters;
  }
}

/** The definition of the model of a store. */
export function definitionOf<M extends Model>(store: Store<M>): ModelDefinition {
  return innerModel(store.model)[DEFINITION];
}

/** The index of a filter by its contents, because a store copies the filters that it is given. */
function indexOf(filters: readonly Filter[], filter: Filter): number {
  return filters.findIndex((each) => isSame(each, filter));
}
