import { UnsupportedQueryError } from '../errors/unsupported-query-error.js';
import type { BaseModel } from '../model/base-model.js';
import type { ModelDefinition } from '../model/model-definition.js';
import { baseValue, currentValue, inner, peekValue } from '../model/record.js';
import { RecordCore } from '../model/record-core.js';
import { isReserved } from '../model/reserved.js';
import { CORE } from '../model/symbols.js';
import { compareOf, createComparator, createPredicate, type ItemReader, orderOf } from '../operation/local-query.js';
import type { Filter, Grouper, Sorter } from '../operation/query.js';
import { storeTexts } from './texts.js';

/** What a store sorts, filters and groups by, and where. */
export interface QueryState {
  sorters: readonly Sorter[];
  filters: readonly Filter[];
  /** From the outermost groups to the innermost. */
  groupers: readonly Grouper[];
  searchText: string;
  /** What the text comes to where the search is this side's. */
  search: Filter | undefined;
  readonly remoteSort: boolean;
  readonly remoteFilter: boolean;
}

/** What of a query is this side's to do. */
function localPart(query: QueryState): { sorters: readonly Sorter[]; filters: readonly Filter[] } {
  const { remoteSort, remoteFilter, groupers, search } = query;
  const filters = remoteFilter ? query.filters.filter((each) => each.filterFn) : query.filters;
  return {
    sorters: remoteSort ? query.sorters.filter((each) => each.sorterFn) : [...groupers, ...query.sorters],
    filters: search ? [...filters, search] : filters,
  };
}

/** One key of an order, for sorting many at once. */
export interface SortKey<M> {
  readonly property: string;
  readonly descending: boolean;
  readonly read: { read(record: M): unknown }['read'];
  readonly compare: ((a: unknown, b: unknown) => number) | undefined;
}

/** A query as functions; undefined where there is nothing to do. */
export interface LocalQuery<M> {
  // Typed as methods are, whose parameters vary both ways: a `Store<User>` is to be a `Store<Model>`.
  readonly keep: { keep(record: M): boolean }['keep'] | undefined;
  readonly order: { order(a: M, b: M): number }['order'] | undefined;
  /** The same order key by key; undefined where a function orders. */
  readonly keys: readonly SortKey<M>[] | undefined;
  /** The fields that it all depends on; undefined where it may depend on anything. */
  readonly fields: ReadonlySet<string> | undefined;
  /** Whether the order depends on what records hold, and on nothing else. */
  readonly steady: boolean;
}

/** What is to be done here, ready for use. Throws `UnsupportedQueryError` for unknown properties. */
export function compileQuery<M extends BaseModel>(
  query: QueryState,
  model: ModelDefinition,
  prototype: object,
): LocalQuery<M> {
  const { sorters, filters } = localPart(query);
  const reader = recordReader<M>(model, prototype);
  const names = [...sorters, ...filters.flatMap(leaves)].map(({ property }) => property);
  const stored = (name: string | undefined) =>
    name !== undefined && model.field(name) && !model.field(name)?.config.calculate;
  return {
    keep: createPredicate(filters, reader),
    order: createComparator(sorters, reader),
    keys: sorters.some((sorter) => sorter.sorterFn) ? undefined : sorters.map((sorter) => keyOf(sorter, reader)),
    fields: names.every(stored) ? new Set(names as string[]) : undefined,
    steady: sorters.every((sorter) => !sorter.sorterFn && model.field(sorter.property as string)),
  };
}

function keyOf<M>(sorter: Sorter, reader: ItemReader<M>): SortKey<M> {
  const property = sorter.property as string;
  const own = compareOf(sorter, reader);
  return {
    property,
    descending: sorter.direction === 'DESC',
    read: (reader.peek ?? reader.read)(property),
    compare: own && orderOf(own),
  };
}

/** The conditions of a tree of filters. */
function leaves(filter: Filter): readonly Filter[] {
  const { and = [], or = [], not } = filter;
  const inside = [...and, ...or, ...(not ? [not] : [])];
  return inside.length > 0 && !filter.filterFn ? inside.flatMap(leaves) : [filter];
}

/** Refuses to sort, filter or group locally: what is here is only a part. */
export function refusePartial(query: QueryState): void {
  const { sorters, filters } = localPart(query);
  const [what, remote] = sorters.length ? ['sorting', 'Sort'] : ['filtering', 'Filter'];
  if (sorters.length + filters.length > 0)
    throw new UnsupportedQueryError('query-partial', { what, remote }, { messages: storeTexts });
}

/** An edited record as it was before its edits, getters of the class body included. */
export function withoutEdits<M extends BaseModel>(record: M): M {
  const before = Object.assign(Object.create(Object.getPrototypeOf(record)), record) as M;
  const core = Object.assign(new RecordCore(), inner(record)[CORE], { edits: undefined, state: undefined });
  return Object.assign(before, { [CORE]: core });
}

/** Reads fields, and getters of the class body. */
export function recordReader<M extends BaseModel>(model: ModelDefinition, prototype: object): ItemReader<M> {
  const reader =
    (base: typeof baseValue) =>
    (property: string): ((record: M) => unknown) => {
      const field = model.field(property);
      if (field) {
        // Not the handed-out copy: nobody keeps what a comparison looks at.
        if (field.config.calculate) return (record) => currentValue(inner(record), field);
        return (record) => (inner(record)[CORE] ? currentValue : base)(inner(record), field);
      }
      if (!isGetter(prototype, property))
        throw new UnsupportedQueryError('query-field', { property, model: model.name });
      return (record) => (record as unknown as Record<string, unknown>)[property];
    };
  return { read: reader(baseValue), peek: reader(peekValue), compare: (property) => model.field(property)?.compare };
}

function isGetter(prototype: object, name: string): boolean {
  if (isReserved(name)) return false;
  for (let at: object | null = prototype; at; at = Object.getPrototypeOf(at) as object | null) {
    const found = Object.getOwnPropertyDescriptor(at, name);
    if (found) return found.get !== undefined;
  }
  return false;
}
