import { UnsupportedQueryError } from '../errors/unsupported-query-error.js';
import type { BaseModel } from '../model/base-model.js';
import type { ModelDefinition } from '../model/model-definition.js';
import { baseValue, currentValue, inner } from '../model/record.js';
import { isReserved } from '../model/reserved.js';
import { CORE } from '../model/symbols.js';
import { createComparator, createPredicate, type ItemReader } from '../operation/local-query.js';
import type { Filter, Grouper, Sorter } from '../operation/query.js';

/** What a store sorts, filters and groups by, and where. */
export interface QueryState {
  sorters: readonly Sorter[];
  filters: readonly Filter[];
  grouper: Grouper | undefined;
  readonly remoteSort: boolean;
  readonly remoteFilter: boolean;
}

/** What of a query is this side's to do. */
export function localPart(query: QueryState): { sorters: readonly Sorter[]; filters: readonly Filter[] } {
  const { remoteSort, remoteFilter, grouper } = query;
  return {
    sorters: remoteSort
      ? query.sorters.filter((each) => each.sorterFn)
      : [...(grouper ? [grouper] : []), ...query.sorters],
    filters: remoteFilter ? query.filters.filter((each) => each.filterFn) : query.filters,
  };
}

/** Records in local order, without those that local filters leave out. Throws `UnsupportedQueryError` for unknown properties. */
export function applyQuery<M extends BaseModel>(
  records: readonly M[],
  query: QueryState,
  model: ModelDefinition,
  prototype: object,
  holdEdited: boolean,
): M[] {
  const { sorters, filters } = localPart(query);
  const reader = recordReader<M>(model, prototype, holdEdited);
  const keep = createPredicate(filters, reader);
  const order = createComparator(sorters, reader);
  const found = keep ? records.filter(keep) : [...records];
  return order ? found.sort(order) : found;
}

/** Throws `UnsupportedQueryError` for a query that cannot be answered locally. */
export function checkQuery(query: QueryState, model: ModelDefinition, prototype: object): void {
  const { sorters, filters } = localPart(query);
  const reader = recordReader(model, prototype, false);
  createPredicate(filters, reader);
  createComparator(sorters, reader);
}

/** Reads fields, and getters of the class body; held records are seen as they were before their edits. */
function recordReader<M extends BaseModel>(
  model: ModelDefinition,
  prototype: object,
  holdEdited: boolean,
): ItemReader<M> {
  return {
    read: (property) => {
      const field = model.field(property);
      if (field) {
        return (record) => {
          const own = inner(record);
          // Not the handed-out copy: nobody keeps what a comparison looks at.
          return own[CORE] || field.config.calculate
            ? holdEdited && record.dirty
              ? baseValue(own, field)
              : currentValue(own, field)
            : baseValue(own, field);
        };
      }
      if (!isGetter(prototype, property))
        throw new UnsupportedQueryError('query-field', { property, model: model.name });
      return (record) => (record as unknown as Record<string, unknown>)[property];
    },
    compare: (property) => model.field(property)?.compare,
  };
}

function isGetter(prototype: object, name: string): boolean {
  if (isReserved(name)) return false;
  for (let at: object | null = prototype; at; at = Object.getPrototypeOf(at) as object | null) {
    const found = Object.getOwnPropertyDescriptor(at, name);
    if (found) return found.get !== undefined;
  }
  return false;
}
