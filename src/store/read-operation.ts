import type { ModelDefinition } from '../model/model-definition.js';
import { Operation, type RowsListener } from '../operation/operation.js';
import { pageNumbers } from './paging.js';
import type { QueryState } from './query-state.js';
import type { LoadOptions } from './store-config.js';

/** Creates the operation of a load, with the parts of the query that the server applies. */
export function readOperation<M>(
  model: ModelDefinition,
  query: QueryState,
  pageSize: number,
  options: LoadOptions<M>,
  signal: AbortSignal,
  onRows: RowsListener | undefined,
): Operation {
  const { id, url, pathParams, headers, next } = options;
  const { remoteSort, remoteFilter, sorters, filters, groupers, searchText } = query;
  const [grouper, ...inner] = groupers;
  const params = next?.params ? { ...options.params, ...next.params } : options.params;
  return new Operation({
    action: 'read',
    model,
    ...{ id, url, params, pathParams, headers, signal, onRows, link: next?.url },
    ...pageNumbers(options, pageSize),
    // Servers have a parameter for one grouper only; inner groups come from sorting by their groupers first.
    ...(remoteSort && { sorters: inner.length > 0 ? [...inner, ...sorters] : sorters, grouper }),
    ...(remoteFilter && { filters, search: searchText || undefined }),
  });
}
