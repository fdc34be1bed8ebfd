import { UnsupportedQueryError } from '../errors/unsupported-query-error.js';
import type { BaseModel } from '../model/base-model.js';
import type { ModelDefinition } from '../model/model-definition.js';
import { baseValue, currentValue, inner } from '../model/record.js';
import { RecordCore } from '../model/record-core.js';
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
function localPart(query: QueryState): { sorters: readonly Sorter[]; filters: readonly Filter[] } {
  const { remoteSort, remoteFilter, grouper } = query;
  return {
    sorters: remoteSort
      ? query.sorters.filter((each) => each.sorterFn)
      : [...(grouper ? [grouper] : []), ...query.sorters],
    filters: remoteFilter ? query.filters.filter((each) => each.filterFn) : query.filters,
  };
}

/** A query as functions; undefined where there is nothing to do. */
export interface LocalQuery<M> {
  // Typed as methods are, whose parameters vary both ways: a `Store<User>` is to be a `Store<Model>`.
  readonly keep: { keep(record: M): boolean }['keep'] | undefined;
  readonly order: { order(a: M, b: M): number }['order'] | undefined;
}

/** What is to be done here, ready for use. Throws `UnsupportedQueryError` for unknown properties. */
export function compileQuery<M extends BaseModel>(
  query: QueryState,
  model: ModelDefinition,
  prototype: object,
): LocalQuery<M> {
  const { sorters, filters } = localPart(query);
  const reader = recordReader<M>(model, prototype);
  return { keep: createPredicate(filters, reader), order: createComparator(sorters, reader) };
}

/** Refuses to sort, filter or group locally: what is here is only a part. */
export function refusePartial(query: QueryState): void {
  const { sorters, filters } = localPart(query);
  const [what, remote] = sorters.length ? ['sorting', 'Sort'] : ['filtering', 'Filter'];
  if (sorters.length + filters.length > 0) throw new UnsupportedQueryError('query-partial', { what, remote });
}

/** Edited records as they were before their edits, getters of the class body included. */
export function withoutEdits<M extends BaseModel>(): (record: M) => M {
  const held = new Map<M, M>();
  return (record) => {
    if (!record.dirty) return record;
    let before = held.get(record);
    if (!before) {
      before = Object.assign(Object.create(Object.getPrototypeOf(record)), record) as M;
      inner(before)[CORE] = Object.assign(new RecordCore(), inner(record)[CORE], {
        edits: undefined,
        state: undefined,
      });
      held.set(record, before);
    }
    return before;
  };
}

/** Reads fields, and getters of the class body. */
function recordReader<M extends BaseModel>(model: ModelDefinition, prototype: object): ItemReader<M> {
  return {
    read: (property) => {
      const field = model.field(property);
      if (field) {
        // Not the handed-out copy: nobody keeps what a comparison looks at.
        return (record) =>
          (inner(record)[CORE] || field.config.calculate ? currentValue : baseValue)(inner(record), field);
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
