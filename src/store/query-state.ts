import { UnsupportedQueryError } from '../errors/unsupported-query-error.js';
import type { BaseModel } from '../model/base-model.js';
import type { FieldDefinition } from '../model/field-definition.js';
import { createReader } from '../model/field-reader.js';
import { isDate } from '../model/field-types.js';
import type { ModelDefinition } from '../model/model-definition.js';
import { baseValue, currentValue, type InnerRecord, inner, peekValue } from '../model/record.js';
import { RecordCore } from '../model/record-core.js';
import { isReserved } from '../model/reserved.js';
import { CACHE, CORE } from '../model/symbols.js';
import {
  compareOf,
  createComparator,
  createCondition,
  createPredicate,
  type ItemReader,
  orderOf,
  sortedBy,
} from '../operation/local-query.js';
import { MODEL } from '../operation/operation-record.js';
import { conditionsOf, type Filter, type Grouper, isDisabled, localOption, type Sorter } from '../operation/query.js';
import type { KeyReader } from './columns.js';

/** What a store sorts, filters and groups by, and where. */
export interface QueryState {
  sorters: readonly Sorter[];
  filters: readonly Filter[];
  /** From the outermost groups to the innermost. */
  groupers: readonly Grouper[];
  searchText: string;
  /** What the text comes to where the search is this side's. */
  search: Filter | undefined;
  /** The order of texts for sorters without a `locale` of their own. */
  readonly locale: Intl.Collator | undefined;
  remoteSort: boolean;
  remoteFilter: boolean;
}

/** The part of a query that is answered on this side. Groups stand in the plain order of their values, whatever sorters say. */
function localPart(
  query: QueryState,
  model?: ModelDefinition,
): { sorters: readonly Sorter[]; filters: readonly Filter[] } {
  const { remoteSort, remoteFilter, groupers, search } = query;
  const sorters = () => query.sorters.map((sorter) => completeSorter(sorter, query, model));
  const filters = remoteFilter ? query.filters.filter((each) => each.filterFn) : query.filters;
  return {
    sorters: remoteSort ? query.sorters.filter((each) => each.sorterFn) : [...groupers, ...sorters()],
    filters: search ? [...filters, search] : filters,
  };
}

/** A sorter with the `sortType` of its field and the `locale` of its view, where it has neither `transform` nor `locale` itself. */
function completeSorter(sorter: Sorter, { locale }: QueryState, model: ModelDefinition | undefined): Sorter {
  if (sorter.sorterFn) return sorter;
  const field = model?.field(sorter.property as string);
  const transform = sorter.transform ?? field?.config.sortType;
  // Decimals have an order of their own, though they are texts.
  const common = field?.compare && !transform ? undefined : locale;
  return transform || common ? { ...sorter, transform, locale: sorter.locale ?? common } : sorter;
}

/** One key of an order, for sorting many at once. */
export interface SortKey<M> {
  readonly property: string;
  /** Whether the key is the value of a field that the record holds, so that its column can be kept under the field's name. */
  readonly stored: boolean;
  readonly descending: boolean;
  readonly read: KeyReader<M>;
  readonly compare: ((a: unknown, b: unknown) => number) | undefined;
}

/** A filter that looks at one field, for testing many records at once. */
export interface FieldCondition<M> {
  readonly field: string;
  readonly read: KeyReader<M>;
  /** Whether a value passes; a date as its time. */
  test(value: unknown): boolean;
}

/** A query as functions; undefined where there is nothing to do. */
export interface LocalQuery<M> {
  // Typed as methods are, whose parameters vary both ways: a `Store<User>` is to be a `Store<Model>`.
  readonly keep: { keep(record: M): boolean }['keep'] | undefined;
  /** The same filter by filter; undefined where one is more than a condition on a field. */
  readonly conditions: readonly FieldCondition<M>[] | undefined;
  readonly order: { order(a: M, b: M): number }['order'] | undefined;
  /** The same order key by key; undefined where a function orders. */
  readonly keys: readonly SortKey<M>[] | undefined;
  /** The fields that it all depends on; undefined where it may depend on anything. */
  readonly fields: ReadonlySet<string> | undefined;
  /** Whether the order depends on plain values that records hold, and on nothing else. */
  readonly steady: boolean;
}

/** What is to be done here, ready for use. Throws `UnsupportedQueryError` for unknown properties. */
export function compileQuery<M extends BaseModel>(
  query: QueryState,
  model: ModelDefinition,
  prototype: object,
): LocalQuery<M> {
  const { sorters, filters } = localPart(query, model);
  const reader = recordReader<M>(model, prototype);
  const names = [...sorters, ...filters.flatMap(conditionsOf)].map(({ property }) => property);
  const stored = (name: string | undefined) =>
    name !== undefined && model.field(name) !== undefined && !model.field(name)?.config.calculate;
  const byFunction = sorters.some((sorter) => sorter.sorterFn);
  const enabled = filters.filter((filter) => !isDisabled(filter));
  return {
    keep: createPredicate(filters, reader),
    order: createComparator(sorters, reader),
    conditions: enabled.every((filter) => isPlainCondition(filter, model))
      ? enabled.map((filter) => conditionOf(filter, reader, model))
      : undefined,
    keys: byFunction ? undefined : sorters.map((sorter) => sortKeyOf(sorter, reader, stored(sorter.property))),
    fields: names.every(stored) ? new Set(names as string[]) : undefined,
    steady:
      !byFunction &&
      sorters.every(
        ({ property, transform }) => !transform && stored(property) && !model.field(property as string)?.embedding,
      ),
  };
}

/** Whether a filter is a condition on a field whose values are as JSON has them, or dates. */
function isPlainCondition({ property, filterFn, convert, and, or, not }: Filter, model: ModelDefinition): boolean {
  const field = filterFn || convert || and || or || not ? undefined : model.field(property as string);
  if (!field || field.kind) return field !== undefined;
  // What is computed changes with other fields.
  return field.type === 'date' && !field.config.convert && !field.config.calculate;
}

function conditionOf<M>(filter: Filter, reader: ItemReader<M>, model: ModelDefinition): FieldCondition<M> {
  const field = filter.property as string;
  const test = createCondition(filter, undefined);
  const dated = model.field(field)?.type === 'date';
  return {
    field,
    read: (reader.peek ?? reader.read)(field),
    test: dated ? (value) => test(dateOf(value)) : test,
  };
}

/** A time as a date; a number that is none stays what it is. */
function dateOf(value: unknown): unknown {
  const date = typeof value === 'number' ? new Date(value) : undefined;
  return date && (isDate(date) || Number.isNaN(value)) ? date : value;
}

function sortKeyOf<M>(sorter: Sorter, reader: ItemReader<M>, stored: boolean): SortKey<M> {
  const property = sorter.property as string;
  const own = compareOf(sorter, reader);
  return {
    property,
    stored: stored && !sorter.transform,
    descending: sorter.direction === 'DESC',
    read: sortedBy(sorter, (reader.peek ?? reader.read)(property)),
    compare: own && orderOf(own),
  };
}

/** Whether there is anything to sort, filter or group here. */
export function isLocal(query: QueryState): boolean {
  const { sorters, filters } = localPart(query);
  return sorters.length + filters.length > 0;
}

/**
 * Refuses functions among the filters that the server applies: they would filter the loaded rows only (H8). Inside a tree they are
 * refused in any case, because the other parts of the tree are tested on the server. So are options that cannot be sent: without
 * them the server would sort and filter in another way.
 */
export function refuseFunctions(query: QueryState, allowPartial: boolean = false): void {
  const { remoteSort, remoteFilter, sorters, filters } = query;
  const option = localOption(remoteSort ? sorters : [], remoteFilter ? filters : []);
  const remote = option === 'convert' ? 'remoteFilter' : 'remoteSort';
  if (option) throw new UnsupportedQueryError('query-local', { option, remote });
  if (!remoteFilter) return;
  const functions = filters.filter(
    (filter) => !isDisabled(filter) && conditionsOf(filter).some((each) => each.filterFn && !isDisabled(each)),
  );
  if (functions.some(({ filterFn }) => !filterFn || !allowPartial)) throw new UnsupportedQueryError('query-function');
}

/** Refuses to sort, filter or group locally: what is here is only a part. */
export function refusePartial(query: QueryState): void {
  const { sorters } = localPart(query);
  const [what, remote] = sorters.length ? ['sorting', 'Sort'] : ['filtering', 'Filter'];
  if (isLocal(query)) throw new UnsupportedQueryError('query-partial', { what, remote });
}

/** An edited record as it was before its edits, getters of the class body included. */
export function withoutEdits<M extends BaseModel>(record: M): M {
  const before = Object.assign(Object.create(Object.getPrototypeOf(record)), record) as M;
  const core = Object.assign(new RecordCore(), inner(record)[CORE], { edits: undefined, state: undefined });
  // Its own: what it converts belongs to it.
  const kept = inner(record)[CACHE]?.slice();
  // Records inside have edits of their own: read anew from the row they have none.
  for (const { embedding, slot } of inner(record)[MODEL].fields) if (embedding && kept?.[slot]) kept[slot] = undefined;
  return Object.assign(before, { [CORE]: core, [CACHE]: kept });
}

/** A function that reads a field; the same for all queries, so that engines know it for as long as the model. */
function fieldReader(field: FieldDefinition, look: typeof currentValue): (record: never) => unknown {
  const known = field.readers.get(look);
  if (known) return known;
  const reader = createReader(field, look, look === lookAt);
  field.readers.set(look, reader);
  return reader;
}

/** Reads fields, and getters of the class body. */
export function recordReader<M extends BaseModel>(model: ModelDefinition, prototype: object): ItemReader<M> {
  const reader =
    (look: typeof currentValue) =>
    (property: string): ((record: M) => unknown) => {
      const field = model.field(property);
      if (field) return fieldReader(field, look) as (record: unknown) => unknown;
      if (!isGetter(prototype, property))
        throw new UnsupportedQueryError('query-field', { property, model: model.name });
      return (record) => (record as unknown as Record<string, unknown>)[property];
    };
  return { read: reader(lookAt), peek: reader(glanceAt), compare: (property) => model.field(property)?.compare };
}

/** The value as it stands, but not the copy that is handed out: nobody keeps what a comparison looks at. */
function lookAt(record: InnerRecord, field: FieldDefinition): unknown {
  return (record[CORE] || field.config.calculate ? currentValue : baseValue)(record, field);
}

/** The same; what it converts is not kept. */
function glanceAt(record: InnerRecord, field: FieldDefinition): unknown {
  return (record[CORE] || field.config.calculate ? currentValue : peekValue)(record, field);
}

function isGetter(prototype: object, name: string): boolean {
  if (isReserved(name)) return false;
  for (let at: object | null = prototype; at; at = Object.getPrototypeOf(at) as object | null) {
    const found = Object.getOwnPropertyDescriptor(at, name);
    if (found) return found.get !== undefined;
  }
  return false;
}
