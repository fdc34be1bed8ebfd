import { checkGiven, checkOptions } from '../dev/checks.js';
import { list, type Rule, text, wrongValue } from '../errors/option-rules.js';
import { isValidId } from '../http/url.js';
import { bigint } from '../model/declarations.js';
import type { Fields, ModelType } from '../model/field.js';
import type {
  CheckedFields,
  FieldName,
  FreeNames,
  Immutable,
  Problem,
  RecordInput,
  ReservedName,
  Typed,
  Values,
} from '../model/infer.js';
import { Model } from '../model/model.js';
import { innerModel } from '../model/model-definition.js';
import { FIELDS_RULE } from '../model/model-options.js';
import { DEFINITION } from '../model/symbols.js';
import { isData } from '../util/data-path.js';
import { Store } from './store.js';
import type { StoreConfig, ViewConfig } from './store-config.js';
import { VIEW_RULES } from './store-options.js';

/** A record of a list without a model: its values, and the members that all records have. */
export type ListRecord<V> = Typed<V> & V & Model;

type RowKey<R> = R extends unknown ? keyof R & string : never;
type RowValue<R, K> = R extends unknown ? (K extends keyof R ? R[K] : undefined) : never;
type WithId<V, P extends string> = P extends keyof V ? V : { [K in P]: string | number } & V;
type Flat<V> = { [K in keyof V]: V[K] } & {};

/** Makes rows that are lists of values, or that have a member with a reserved name, a readable compile error. */
export type CheckedRows<R> = R extends readonly unknown[]
  ? Problem<'rows that are lists of values need `names`'>
  : Extract<RowKey<R>, ReservedName> extends never
    ? unknown
    : Problem<`'${Extract<RowKey<R>, ReservedName>}' is a member of every record: give the member another name`>;

/** The values of the records of a list, by the rows from which it was made; a member that some rows lack may be undefined. */
export type RowValues<R, P extends string = 'id'> = Flat<
  WithId<{ -readonly [K in RowKey<R>]: Immutable<RowValue<R, K>> }, P>
>;

/** The values of the records of a list of rows that are arrays. */
export type TupleValues<T, N extends readonly string[], P extends string = 'id'> = Flat<
  WithId<
    {
      -readonly [I in keyof N as I extends `${number}` ? N[I] & string : never]: I extends keyof T
        ? Immutable<T[I]>
        : undefined;
    },
    P
  >
>;

/** The values of the records of a list with declared fields. */
export type ListValues<F, P extends string = 'id'> = Flat<WithId<Values<F>, P>>;

/** Options of a list without a model: those of a view but `query`, and the name of the id. */
export interface ListOptions<M extends Model, P extends string = string, O = unknown>
  extends Omit<ViewConfig<M, O>, 'query'> {
  /** The member that holds the id of each row. Rows without it get an id. @default 'id' */
  idProperty?: P;
}

/** Options of a list of rows that are objects. */
export interface RowListOptions<M extends Model, P extends string = string, O = unknown> extends ListOptions<M, P, O> {
  /** The names of the fields, if the rows may lack some of them, or if there may be no row. @default the members of the rows */
  names?: readonly FieldName<NoInfer<M>>[];
}

/** Options of a list of rows that are arrays. */
export interface TupleListOptions<M extends Model, N extends readonly string[], P extends string = string, O = unknown>
  extends ListOptions<M, P, O> {
  /** The names of the fields: the first is the name of the first value of each row. */
  names: N;
}

/** Options of a list with declared fields. */
export interface FieldListOptions<F, M extends Model, P extends string = string, O = unknown>
  extends ListOptions<M, P, O> {
  /** The fields, as in `Model.define`. */
  fields: F;
  /** The first records, as values by field name. @default none */
  data?: readonly RecordInput<Values<NoInfer<F>>>[];
}

/** The options that are not passed on to the store. */
interface OwnOptions {
  readonly names?: readonly string[];
  readonly idProperty?: string;
  readonly fields?: Fields;
  readonly data?: readonly object[];
}

const nameList: Rule = {
  expected: "a list of different names, such as `['code', 'label']`",
  holds: (value) =>
    Array.isArray(value) && value.every((name) => typeof name === 'string') && new Set(value).size === value.length,
};
const rowsOrOptions: Rule = {
  expected: "a list of rows, or an object such as `{ fields: { code: 'string' } }`",
  holds: (value) => isData(value) && isData((value as OwnOptions).fields),
};

/** The options of the store of a list without a model. Throws `DefinitionError` for rows or names of another kind. */
function listConfig(rowsOrFields: unknown, given: object = {}): StoreConfig<Model> {
  if (Array.isArray(rowsOrFields)) {
    checkOptions('listOf', given, { ...VIEW_RULES, idProperty: text, names: nameList });
    const { names, idProperty = 'id', ...config } = given as OwnOptions;
    const rows = rowsByName(rowsOrFields, names);
    return { ...config, ...recordsOf(inferredFields(rows, names), idProperty, rows) };
  }
  checkGiven('The argument of `listOf`', rowsOrFields, rowsOrOptions);
  checkOptions('listOf', rowsOrFields, { ...VIEW_RULES, idProperty: text, fields: FIELDS_RULE, data: list });
  const { fields = {}, idProperty = 'id', data = [], ...config } = rowsOrFields as OwnOptions;
  return { ...config, ...recordsOf(fields, idProperty, rowsByName(data, undefined)) };
}

/** The rows as objects. */
function rowsByName(rows: readonly unknown[], names: readonly string[] | undefined): readonly object[] {
  return rows.map((row) => {
    if (isData(row) && !Array.isArray(row)) return row;
    const isTuple = Array.isArray(row) && names !== undefined && row.length <= names.length;
    if (!isTuple) throw wrongValue('A row of `listOf`', expectedRow(names), row);
    return Object.fromEntries((row as unknown[]).map((value, index) => [names[index], value]));
  });
}

function expectedRow(names: readonly string[] | undefined): string {
  return names ? `an object, or a list of at most ${names.length} values` : 'an object; a list of values needs `names`';
}

/** The fields of rows: each member has the type that all of its values have. */
function inferredFields(rows: readonly object[], names: readonly string[] = []): Fields {
  const columns = new Map<string, unknown[]>(names.map((name) => [name, []]));
  for (const row of rows)
    for (const [name, value] of Object.entries(row)) {
      const column = columns.get(name);
      if (column) column.push(value);
      else columns.set(name, [value]);
    }
  return Object.fromEntries([...columns].map(([name, values]) => [name, fieldOf(values)]));
}

function fieldOf(values: readonly unknown[]): Fields[string] {
  const given = values.filter((value) => value !== undefined && value !== null);
  const types = new Set(given.map(typeNameOf));
  const [type = 'auto'] = types;
  const allowNull = values.includes(null);
  if (types.size === 1 && type === 'bigint') return bigint({ allowNull });
  return { type: types.size === 1 && type !== 'bigint' ? type : 'auto', allowNull };
}

function typeNameOf(value: unknown): 'string' | 'number' | 'boolean' | 'bigint' | 'date' | 'auto' {
  if (value instanceof Date) return 'date';
  const type = typeof value;
  return type === 'string' || type === 'number' || type === 'boolean' || type === 'bigint' ? type : 'auto';
}

/** Makes a model from fields. */
function modelOf(fields: Fields, idProperty: string): ModelType<Model> {
  return Model.define({ name: 'list', fields, idProperty: idProperty });
}

/** A model with these fields, and its first records, each with an id: a row is no new record. */
function recordsOf(
  fields: Fields,
  idProperty: string,
  rows: readonly object[],
): Required<Pick<StoreConfig<Model>, 'model' | 'data'>> {
  const declared = Object.hasOwn(fields, idProperty) ? fields : { ...fields, [idProperty]: 'auto' as const };
  const model = modelOf(declared, idProperty);
  const { identifier, counters } = innerModel(model)[DEFINITION];
  const idOf = (row: object) => (row as Record<string, unknown>)[idProperty];
  // The ids that are made must not be those of later rows.
  for (const row of rows) counters.skip(idOf(row));
  const data = rows.map((row) => {
    if (isValidId(idOf(row))) return row;
    const id = identifier();
    counters.markPermanent(id);
    return { ...row, [idProperty]: id };
  });
  return { model, data: data };
}

/**
 * Makes a list without a model, typed from its rows: the entries of a select box, the result of a calculation. It is an ordinary store
 * without a proxy, so nothing is loaded or sent. The rows are copied, and count as saved; a row without an id gets one. Values are not
 * checked beyond the type that all values of a member have. Throws `DefinitionError` for rows or names of another kind, and for a member
 * with a reserved name.
 *
 * `load()` and `sync()` reject with `DefinitionError`, and `commit()` makes edits the base. The id of a row without one is
 * `'list-1'`, or a negative number where the other ids are numbers. A row that is a list may be shorter than `names`, not longer.
 *
 * @example
 * ```ts
 * const sizes = listOf([
 *   { id: 'm', label: 'Medium', weight: 2 },
 *   { id: 'l', label: 'Large', weight: 3 },
 * ]);
 * sizes.getById('l')?.weight; // 3
 * ```
 */
export function listOf<R extends object, const P extends string = 'id', const O = unknown>(
  rows: readonly R[] & CheckedRows<R>,
  options?: RowListOptions<ListRecord<RowValues<R, P>>, P, O>,
): Store<ListRecord<RowValues<R, P>>, O>;
/**
 * The same for rows that are lists of values.
 *
 * @example
 * ```ts
 * const countries = listOf([['ch', 'Switzerland'], ['it', 'Italy']], { names: ['id', 'name'] });
 * countries.getById('it')?.name; // 'Italy'
 * ```
 */
export function listOf<
  T extends readonly unknown[] | [],
  const N extends readonly string[],
  const P extends string = 'id',
  const O = unknown,
>(
  rows: readonly T[],
  options: TupleListOptions<ListRecord<TupleValues<T, N, P>>, N, P, O>,
): Store<ListRecord<TupleValues<T, N, P>>, O>;
/**
 * The same for declared fields, with or without first records.
 *
 * @example
 * ```ts
 * const lines = listOf({ fields: { sku: 'string', price: decimal() }, sorters: ['sku'] });
 * lines.add({ sku: 'A-1', price: '9.90' });
 * ```
 */
export function listOf<
  const F extends Fields & FreeNames<F> & CheckedFields<F>,
  const P extends string = 'id',
  const O = unknown,
>(options: FieldListOptions<F, ListRecord<ListValues<F, P>>, P, O>): Store<ListRecord<ListValues<F, P>>, O>;
export function listOf(rowsOrFields: unknown, options?: object): Store<Model> {
  return new Store(listConfig(rowsOrFields, options));
}
