import { activeFilters, type Filter } from '../operation/query.js';
import { isSame } from '../util/values.js';
import type { QueryState } from './query-state.js';

/** The filters and the text to search that the server applied to the loaded rows. */
export interface ServerFilter {
  readonly filters: readonly Filter[];
  readonly searchText: string;
}

/** For rows that the server did not filter. */
export const UNFILTERED: ServerFilter = { filters: [], searchText: '' };

/** The part of a query by which the server filters. */
export function serverFilterOf({ remoteFilter, filters, searchText }: QueryState): ServerFilter {
  return remoteFilter ? { filters: activeFilters(filters), searchText } : UNFILTERED;
}

/** Whether the rows that the server left can answer a query: it filters in the same way, or further. */
export function answersQuery({ filters, searchText }: ServerFilter, query: QueryState): boolean {
  if (query.remoteFilter) return true;
  const active = activeFilters(query.filters);
  const isSearched = searchText === '' || searchText === query.searchText;
  return isSearched && filters.every((filter) => active.some((each) => isSame(each, filter)));
}
