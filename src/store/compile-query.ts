import { UnsupportedQueryError, unknownProperty } from '../errors/unsupported-query-error.js';
import type { FieldDefinition } from '../model/field-definition.js';
import { createReader } from '../model/field-reader.js';
import { isDate } from '../model/field-types.js';
import { Model } from '../model/model.js';
import type { ModelDefinition } from '../model/model-definition.js';
import { baseValue, currentValue, type InnerRecord, peekValue } from '../model/record.js';
import { CORE } from '../model/symbols.js';
import {
  compareOf,
  createComparator,
  createCondition,
  createPredicate,
  type ItemReader,
  sortedBy,
  sortOrder,
} from '../operation/local-query.js';
import { conditionsOf, type Filter, type Grouper, type Sorter } from '../operation/query-parts.js';
import { sortTypeOf } from '../operation/sort-types.js';
import type { KeyReader } from './columns.js';

/**
 * Completes a sorter: without its own `transform` or `sortType` it gets the `sortType` of its field, without its own `locale` that of the
 * view.
 */
function completeSorter(sorter: Sorter, locale: Intl.Collator | undefined, model: ModelDefinition): Sorter {
  if (sorter.sorterFn) return sorter;
  const field = model.field(sorter.property as string);
  const byField = field?.config.sortType;
  const transform =
    sorter.transform ?? sortTypeOf(sorter.sortType) ?? (typeof byField === 'string' ? sortTypeOf(byField) : byField);
  // Decimals are held as text, but compare as numbers, so a `locale` must not apply to them.
  const common = field?.compare && !transform ? undefined : locale;
  return transform || common ? { ...sorter, transform, locale: sorter.locale ?? common } : sorter;
}

/** The parts of a query that the store applies to the records that it holds, with active filters only. */
export interface LocalPart {
  readonly sorters: readonly Sorter[];
  readonly filters: readonly Filter[];
  readonly groupers: readonly Grouper[];
  /** The names of the fields that the rows have; empty: all. */
  readonly fields: readonly string[];
}

/** One sorter, prepared for sorting many records by columns. */
export interface SortKey<M> {
  readonly property: string;
  /**
   * Whether the key is the value of a field that the record holds, so that its column can be cached under the name of the field.
   */
  readonly stored: boolean;
  readonly descending: boolean;
  readonly read: KeyReader<M>;
  readonly compare: ((a: unknown, b: unknown) => number) | undefined;
}

/** A filter on one field, prepared for testing many records by columns. */
export interface FieldCondition<M> {
  readonly field: string;
  readonly read: KeyReader<M>;
  /** Whether a value passes; dates are given as their time in milliseconds. */
  test(value: unknown): boolean;
}

/** The local part of a query, compiled to functions. */
export interface CompiledQuery<M> {
  // A method type, because parameters of methods are bivariant: so a `Store<User>` can be assigned to `Store<Model>`.
  readonly filter: { filter(record: M): boolean }['filter'] | undefined;
  /** The filters one by one; undefined if one of them is more than a condition on a field. */
  readonly conditions: readonly FieldCondition<M>[] | undefined;
  readonly order: { order(a: M, b: M): number }['order'] | undefined;
  /** The sorters one by one; undefined if a function of the application sorts. */
  readonly keys: readonly SortKey<M>[] | undefined;
  /** The fields that filters and sorters read; undefined if they may read anything. */
  readonly fields: ReadonlySet<string> | undefined;
  /** Whether the order depends only on plain values that the records hold. */
  readonly steady: boolean;
}

/**
 * Compiles the local part of a query: groups are in the plain order of their values, then the sorters decide. `locale` is the order of
 * texts for sorters that have none themselves. Throws `UnsupportedQueryError` for unknown properties, and for fields that the rows do not
 * have.
 */
export function compileQuery<M extends Model>(
  query: LocalPart,
  locale: Intl.Collator | undefined,
  model: ModelDefinition,
  prototype: object,
): CompiledQuery<M> {
  const { filters, fields } = query;
  const sorters: readonly Sorter[] = [
    ...query.groupers,
    ...query.sorters.map((sorter) => completeSorter(sorter, locale, model)),
  ];
  const reader = recordReader<M>(model, prototype);
  const names = [...sorters, ...filters.flatMap(conditionsOf)].map(({ property }) => property);
  const missing = names.find(
    (name) => name !== undefined && !fields.includes(name) && name !== model.idField.name && model.field(name),
  );
  if (fields.length > 0 && missing) throw new UnsupportedQueryError('query-unselected', { property: missing });
  const stored = (name: string | undefined) =>
    name !== undefined && model.field(name) !== undefined && !model.field(name)?.derived;
  const byFunction = sorters.some((sorter) => sorter.sorterFn);
  return {
    filter: createPredicate(filters, reader),
    order: createComparator(sorters, reader),
    conditions: filters.every((filter) => isPlainCondition(filter, model))
      ? filters.map((filter) => conditionOf(filter, reader, model))
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

/** Whether a filter is a condition on one field that holds plain JSON values or dates. */
function isPlainCondition({ property, filterFn, convert, and, or, not }: Filter, model: ModelDefinition): boolean {
  const field = filterFn || convert || and || or || not ? undefined : model.field(property as string);
  if (!field || field.kind) return field !== undefined;
  // Computed values change with other fields, so a column of them would be outdated.
  return field.type === 'date' && !field.config.convert && !field.derived;
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

/** A time in milliseconds as a date; other values are returned as they are. */
function dateOf(value: unknown): unknown {
  const date = typeof value === 'number' ? new Date(value) : undefined;
  return date && (isDate(date) || Number.isNaN(value)) ? date : value;
}

function sortKeyOf<M>(sorter: Sorter, reader: ItemReader<M>, stored: boolean): SortKey<M> {
  const property = sorter.property as string;
  const compare = sorter.nulls || compareOf(sorter, reader) ? sortOrder(sorter, reader) : undefined;
  return {
    property,
    stored: stored && !sorter.transform,
    descending: sorter.direction === 'DESC',
    read: sortedBy(sorter, (reader.peek ?? reader.read)(property)),
    compare,
  };
}

/** A function that reads a field. It is cached with the field, so that all queries use the same optimised function. */
function fieldReader(field: FieldDefinition, readValue: typeof currentValue): (record: never) => unknown {
  const cached = field.readers.get(readValue);
  if (cached) return cached;
  const reader = createReader(field, readValue, readValue === readCurrent);
  field.readers.set(readValue, reader);
  return reader;
}

/** Creates functions that read fields, or getters of the class body, from records. */
export function recordReader<M extends Model>(model: ModelDefinition, prototype: object): ItemReader<M> {
  const reader =
    (look: typeof currentValue) =>
    (property: string): ((record: M) => unknown) => {
      const field = model.field(property);
      if (field) return fieldReader(field, look) as (record: unknown) => unknown;
      if (!isGetter(prototype, property)) throw unknownProperty(property, model);
      return (record) => record[property as keyof M];
    };
  return {
    read: reader(readCurrent),
    peek: reader(peekCurrent),
    compare: (property) => model.field(property)?.compare,
  };
}

/** Reads the current value, without the copy that getters make of dates: a comparison does not keep the value. */
function readCurrent(record: InnerRecord, field: FieldDefinition): unknown {
  return (record[CORE] || field.derived ? currentValue : baseValue)(record, field);
}

/** Reads the current value as `readCurrent` does, but does not cache converted values. */
function peekCurrent(record: InnerRecord, field: FieldDefinition): unknown {
  return (record[CORE] || field.derived ? currentValue : peekValue)(record, field);
}

function isGetter(prototype: object, name: string): boolean {
  if (isReserved(name)) return false;
  for (let at: object | null = prototype; at; at = Object.getPrototypeOf(at) as object | null) {
    const found = Object.getOwnPropertyDescriptor(at, name);
    if (found) return found.get !== undefined;
  }
  return false;
}

/**
 * Whether a name is a member of every record or of every object, so that no field can have it. No further names will be reserved:
 * everything else that records can do is a member of `$`.
 */
export function isReserved(name: string): boolean {
  return name in Model.prototype;
}
