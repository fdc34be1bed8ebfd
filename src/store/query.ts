import { checkGiven, checkOptions } from '../dev/checks.js';
import { inWords } from '../errors/error-context.js';
import { any, isParameterSet, list, type Rules } from '../errors/option-rules.js';
import { badValue, UnsupportedQueryError, unknownProperty } from '../errors/unsupported-query-error.js';
import type { ModelType } from '../model/field.js';
import { randomUuid } from '../model/identifier.js';
import type { FieldName, ReservedName, ValuesOf } from '../model/infer.js';
import type { Model } from '../model/model.js';
import type { ModelDefinition } from '../model/model-definition.js';
import { modelClass } from '../model/model-options.js';
import { DEFINITION } from '../model/symbols.js';
import {
  type Direction,
  type Filter,
  type Grouper,
  type Locale,
  type Nulls,
  operatorOf,
  operators,
  type Sorter,
  toFilters,
  toGrouper,
  toSorters,
} from '../operation/query-parts.js';
import type { SortTypeName } from '../operation/sort-types.js';
import { canonicalText } from '../util/canonical-text.js';
import { deepFreeze, isTooDeep, MAX_DEPTH } from '../util/values.js';
import { recordReader } from './compile-query.js';
import { plainCopy, type QueryData, writeQueryData } from './query-data.js';

import { typedCondition } from './typed-filters.js';

/** Names that a store can sort by: fields, and getters of the class body (local sorting only). */
export type SortName<M> = Exclude<keyof M & string, ReservedName>;
/** A sorter by the values of a property. `transform` and `locale` have an effect in local sorting only. */
export interface PropertySorter<K> {
  /** Name of a field, or of a getter of the class body. */
  property: K;
  /** The direction: `ASC` sorts from the least to the greatest value, `DESC` from the greatest to the least. @default 'ASC' */
  direction?: Direction | 'asc' | 'desc';
  /**
   * Converts a value before it is compared. Not called for null and undefined, which sort first. Has an effect in local sorting only.
   * Declare the type of the value in its parameter.
   *
   * @example
   * ```ts
   * users.sort({ property: 'name', transform: (name: string) => name.length });
   * ```
   * @default the `sortType` of the field
   */
  transform?(value: unknown): unknown;
  /**
   * An order by name, instead of a `transform`: `'natural'` compares the numbers in texts by their value and ignores case (`'Item 9'` before
   * `'item 10'`), `'numeric'` compares texts as the numbers that they are (another text counts as missing), `'textCi'` ignores case. Has an
   * effect in local sorting only. @default the `sortType` of the field
   */
  sortType?: SortTypeName;
  /**
   * The place of missing values, in either direction: null, undefined, and values that are no number or no date. A server that sorts gets it
   * with `postgrest()` and `supabase()`; `odata4()` takes the places that OData gives them; other dialects refuse it before the load of a page.
   * @default they count as least: first with `ASC`, last with `DESC`
   */
  nulls?: Nulls;
  /**
   * The order of texts: a language tag or an `Intl.Collator`. Has an effect in local sorting only. @default the `locale` of the
   * view
   */
  locale?: Locale;
}
/** A sorter by a function, in local sorting only. */
export interface FunctionSorter<M> {
  /**
   * Compares two records: a negative number puts the first one before the second.
   *
   * @example
   * ```ts
   * users.sort({ sorterFn: (a, b) => (a.name ?? '').length - (b.name ?? '').length, direction: 'DESC' });
   * ```
   */
  sorterFn(a: M, b: M): number;
  /** @default 'ASC' */
  direction?: Direction;
}
/** A sorter: a name, a property with options, or a function (local sorting only). */
export type SorterConfig<M> = SortName<M> | PropertySorter<SortName<M>> | FunctionSorter<M>;
/** A grouper by a property. */
export interface PropertyGrouper<K> {
  /** Name of a field, or of a getter of the class body. */
  property: K;
  /** @default 'ASC' */
  direction?: Direction | 'asc' | 'desc';
}
/** A grouper: a name, or a name with a direction. */
export type GrouperConfig<M> = SortName<M> | PropertyGrouper<SortName<M>>;

/** Operators that compare with one value: the canonical names, and their aliases. */
export type CompareOperator =
  | 'eq'
  | 'ne'
  | 'lt'
  | 'le'
  | 'lte'
  | 'gt'
  | 'ge'
  | 'gte'
  | '='
  | '=='
  | '==='
  | '!='
  | '!=='
  | '/='
  | '<'
  | '<='
  | '>'
  | '>=';
/** Operators for texts. `like` ignores case, the others do not. */
export type TextOperator = 'contains' | 'startsWith' | 'endsWith' | 'like';
/** An operator and the value that it compares with. */
export type Condition<V> =
  | { operator: 'in' | 'nin' | 'notin'; value: readonly V[] }
  | { operator: 'between'; value: readonly [V, V] }
  | { operator: 'isNull' | 'exists'; value?: boolean }
  | { operator?: CompareOperator | TextOperator; value: V | null }
  | { operator: TextOperator; value: MemberOf<V> };
/** The type of the members of a list; `never` for other values. */
export type MemberOf<V> = NonNullable<V> extends readonly (infer E)[] ? E : never;
/** Options of a condition on a field. */
export interface FieldFilterOptions<K, V> {
  /** Name of the field. */
  property: K;
  /** Whether the condition has no effect, and is not sent. @default false */
  disabled?: boolean;
  /**
   * Converts the values of records, and the value of the filter or each item of its list, before they are compared. Not called for null
   * and undefined. Has an effect in local filtering only.
   *
   * @example
   * ```ts
   * users.filter({ property: 'name', value: 'ada', convert: (name) => name.toLowerCase() });
   * ```
   */
  convert?(value: NonNullable<V>): unknown;
  /**
   * Whether the condition is disabled while its value is null, undefined, an empty text or an empty list: for values of inputs.
   * @default false
   *
   * @example
   * ```ts
   * const least: number | undefined = undefined;
   * users.filter({ property: 'age', operator: 'ge', value: least ?? null, disableOnEmpty: true });
   * ```
   */
  disableOnEmpty?: boolean;
}
/** A condition on one field. */
export type FieldFilter<V> = {
  [K in keyof V & string]: FieldFilterOptions<K, V[K]> & Condition<Exclude<V[K], undefined>>;
}[keyof V & string];
/** A filter: a condition on a field, a tree of them, or a function (local filtering only). */
export type FilterConfig<M> =
  | FieldFilter<ValuesOf<M>>
  | { and: readonly FilterConfig<M>[]; property?: undefined }
  | { or: readonly FilterConfig<M>[]; property?: undefined }
  | { not: FilterConfig<M>; property?: undefined }
  | { filterFn(record: M): boolean; property?: undefined };
/** A list of filters. Its `property` makes compilers say which names a filter may have, not that it is no list. */
export interface FilterList<M> extends ReadonlyArray<FilterConfig<M>> {
  readonly property?: undefined;
}

declare const ASKED: unique symbol;
/** A part of a query, which `with` takes again whatever its names are. Without further members, so that literals are checked as before. */
export interface AskedPart {
  readonly [ASKED]: true;
}
/** A sorter, filter or grouper of a query. */
export type Asked<T> = T & AskedPart;

/** The members of a query. */
export interface QueryConfig<M> {
  /** The order of the records: by the first sorter, records that it holds equal by the next one. @default [] */
  sorters?: readonly (SortName<M> | PropertySorter<SortName<M>> | FunctionSorter<M> | AskedPart)[] | undefined;
  /** Conditions that a record must all meet. @default [] */
  filters?: readonly (FilterConfig<M> | AskedPart)[] | undefined;
  /** Properties to group by, from the outermost groups to the innermost. @default [] */
  groupers?: readonly (SortName<M> | PropertyGrouper<SortName<M>> | AskedPart)[] | undefined;
  /** The text that records must match. @default '' */
  search?: string | undefined;
  /**
   * The fields that the rows of loads have: a server that can do it leaves the others out. Records that were not known before are then
   * incomplete: a write that needs the whole row reads it first.
   *
   * Names are those of fields, and a computed field stands for those in its `depends`. `odata4()`, `jsonApi()`, `directus()`,
   * `pocketbase()`, `postgrest()`, `supabase()`, `strapi()`, `feathers()` and `plain({ fieldsParam })` send them; other dialects refuse. A
   * store with such rows does not count as holding everything.
   *
   * @default [] (all)
   */
  fields?: readonly FieldName<M>[] | undefined;
  /** Parameters of the requests; they replace those of the proxy with the same name, and those of a call replace them. */
  params?: Readonly<Record<string, unknown>> | undefined;
  /** Values for the `{name}`s of the proxy's `url`. */
  pathParams?: Readonly<Record<string, string | number>> | undefined;
}

/** The members of a query after they were checked. */
type QueryParts = Pick<Query<never>, keyof QueryConfig<never>>;

/** The members of a query. */
export const PART_RULES: Rules<QueryConfig<never>> = {
  sorters: list,
  filters: list,
  groupers: list,
  // These are checked in every build, with errors of queries.
  search: any,
  fields: any,
  params: any,
  pathParams: any,
};

const NOTHING: QueryParts = Object.freeze({
  sorters: Object.freeze([]),
  filters: Object.freeze([]),
  groupers: Object.freeze([]),
  search: '',
  fields: Object.freeze([]),
  params: undefined,
  pathParams: undefined,
});

/** The key of a function, made at its first use. */
const FUNCTION_KEY: unique symbol = Symbol('functionKey');

/**
 * A query of the records of a model, as a frozen value: sorters, filters, groupers, a text to search for, and parameters. Stores, views,
 * windows, loads and caches take one and give theirs. Two queries with the same content have the same `key`.
 *
 * @example
 * ```ts
 * const adults = Query.of(User, { filters: [where(User).age.ge(18)], sorters: ['name'] });
 * const users = new Store({ model: User, query: adults, remoteSort: true, remoteFilter: true });
 * await users.load({ query: adults.with({ search: 'ada' }) });
 * ```
 */
export class Query<M extends Model> {
  declare readonly sorters: readonly Asked<Sorter>[];
  declare readonly filters: readonly Asked<Filter>[];
  /** The groupers, from the outermost groups to the innermost. */
  declare readonly groupers: readonly Asked<Grouper>[];
  /** The text to search for; `''` if there is none. */
  declare readonly search: string;
  /** The names of the fields that rows should have; empty: all. */
  declare readonly fields: readonly string[];
  declare readonly params: Readonly<Record<string, unknown>> | undefined;
  declare readonly pathParams: Readonly<Record<string, string | number>> | undefined;
  /** The key, once it has been read. Not enumerable, so that queries with the same content are equal. */
  declare private readonly cache: { key?: string };

  private constructor(
    /** The class of the records. Typed for `Model`, not for `M`: otherwise a `Store<User>` could not be assigned to `Store<Model>`. */
    readonly model: ModelType<Model>,
    parts: QueryParts,
  ) {
    Object.assign(this, parts);
    Object.defineProperty(this, 'cache', { value: {} });
    Object.freeze(this);
  }

  /**
   * Makes a query of the records of a model. Throws `UnsupportedQueryError` for a property that the model does not have, an operator that
   * does not exist, a condition without a value, and a function in the parameters; `DefinitionError` for unknown members.
   *
   * @example
   * ```ts
   * const team = Query.of(User, { filters: [where(User).team.eq('A')], sorters: ['name'] });
   * users.setQuery(team);
   * show(users.query.key === team.key); // true
   * ```
   */
  static of<M extends Model>(model: ModelType<M>, config: QueryConfig<NoInfer<M>> = {}): Query<M> {
    checkGiven('The model of a query', model, modelClass);
    return new Query<M>(model, checkedParts(model, NOTHING, config as QueryConfig<never>));
  }

  /**
   * The query with some members replaced; the others are shared. Throws as `of` does.
   *
   * @example
   * ```ts
   * const all = Query.of(User, { sorters: ['name'] });
   * const adults = all.with({ filters: [...all.filters, where(User).age.ge(18)] });
   * ```
   */
  with(part: QueryConfig<M>): Query<M> {
    return new Query<M>(this.model, checkedParts(this.model, this, part as QueryConfig<never>));
  }

  /** The query with members that a store was given: a name that only the server knows may be in them, which its dialect judges. */
  protected asked(part: QueryConfig<M>): Query<M> {
    return new Query<M>(this.model, checkedParts(this.model, this, part as QueryConfig<never>, true));
  }

  /**
   * A text that two queries of one model share only if they are equal, whatever the order of the members of their parameters and filters.
   * A function is named by itself, so the key of a query with functions is of use in this process only.
   */
  get key(): string {
    const { cache, sorters, filters, groupers, search, fields, params, pathParams } = this;
    const { name: model } = definitionOf(this.model);
    return (cache.key ??= canonicalText(
      { model, ...withoutEmpty({ sorters, filters, groupers, search, fields, params, pathParams }) },
      functionName,
    ));
  }

  /**
   * The query as plain data, for an address, a storage or another process; `queryFromJSON` makes it a query again. Throws
   * `UnsupportedQueryError`, which names them, for functions, collators, and values that JSON cannot hold.
   *
   * @example
   * ```ts
   * const address = new URL(location.href);
   * address.searchParams.set('query', JSON.stringify(users.query)); // `JSON.stringify` calls `toJSON()`
   * history.replaceState(null, '', address);
   * ```
   */
  toJSON(): QueryData {
    const { sorters, filters, groupers, search, fields, params, pathParams } = this;
    const definition = definitionOf(this.model);
    const data = withoutEmpty({ sorters, filters, groupers, search, fields, params, pathParams });
    return inWords(definition.messages, () => writeQueryData(data, definition));
  }

  /** Tells Vue not to wrap the query in a proxy. */
  protected get __v_skip(): true {
    return true;
  }

  /** The query with members that need no check, because they were checked before, or belong to a single call. */
  protected derive(parts: Partial<QueryParts>): Query<M> {
    return new Query<M>(this.model, { ...(this as QueryParts), ...parts });
  }
}

/** The query with other members, which the caller has checked. */
export function derived<M extends Model>(query: Query<M>, parts: Partial<Unchecked<QueryParts>>): Query<M> {
  return insideOf(query).derive(parts);
}

/**
 * The query with members that a store was given. Properties are checked by who applies them: by the store when it sorts or filters, by the
 * dialect when the server does.
 */
export function asked<M extends Model>(query: Query<M>, part: QueryConfig<M>): Query<M> {
  return insideOf(query).asked(part);
}

/** The members of a query that stores use. */
function insideOf<M extends Model>(
  query: Query<M>,
): {
  derive(parts: object): Query<M>;
  asked(part: QueryConfig<M>): Query<M>;
} {
  return query as unknown as ReturnType<typeof insideOf<M>>;
}

type Unchecked<T> = { readonly [K in keyof T]: T[K] extends readonly Asked<infer E>[] ? readonly E[] : T[K] };

/** The query that a store, view or window was given. Throws `UnsupportedQueryError` for what is no query, and for one of another model. */
export function queryFor<M extends Model>(model: ModelType<M>, query: Query<M>): Query<M> {
  const own = definitionOf(model);
  if (!(query instanceof Query)) throw badValue('a query', query, 'made by `Query.of(User, { … })`');
  const other = definitionOf(query.model);
  // A bound class has the fields of its base class, a subclass may have more.
  const isBase = model.prototype instanceof query.model;
  if (other.fields !== own.fields && !isBase)
    throw new UnsupportedQueryError('query-model', { model: own.name, other: other.name }, { messages: own.messages });
  return query;
}

function definitionOf(model: object): ModelDefinition {
  return (model as { readonly [DEFINITION]: ModelDefinition })[DEFINITION];
}

/** Checks the members that were given, and takes the others from `base`. */
function checkedParts(
  model: ModelType<Model>,
  base: QueryParts,
  given: QueryConfig<never>,
  hasOtherNames: boolean = false,
): QueryParts {
  const definition = definitionOf(model);
  return inWords(definition.messages, () => {
    checkOptions('a query', given, PART_RULES);
    const { sorters, filters, groupers, search, fields, params, pathParams } = given;
    const reader = hasOtherNames ? undefined : recordReader(definition, model.prototype as object);
    const checkName = ({ property }: { readonly property?: string | undefined }) => {
      if (property !== undefined) reader?.read(property);
    };
    const named = <T extends Sorter | Grouper>(given: readonly T[]) => {
      given.forEach(checkName);
      return Object.freeze(given);
    };
    const complete = (condition: Filter, isDisabled: boolean) => {
      checkName(condition);
      checkOperator(condition);
      return isDisabled ? condition : typedCondition(condition, definition);
    };
    const parts = {
      sorters: sorters ? named(toSorters([...sorters])) : base.sorters,
      filters: filters ? toFilters([...filters], { complete }) : base.filters,
      groupers: groupers ? named([...groupers].map(toGrouper)) : base.groupers,
      search: search ?? base.search,
      fields: fields ? toFieldNames(fields, definition) : base.fields,
      params: 'params' in given ? toParams('params', params) : base.params,
      pathParams: 'pathParams' in given ? toParams('pathParams', pathParams) : base.pathParams,
    };
    if (typeof parts.search !== 'string') throw badValue('`search` of a query', parts.search, 'a text');
    return parts as QueryParts;
  });
}

/** The names of fields, each once. Throws `UnsupportedQueryError` for a name that is no field. */
function toFieldNames(names: readonly string[], definition: ModelDefinition): readonly string[] {
  const isList = Array.isArray(names) && names.every((each) => typeof each === 'string');
  if (!isList) throw badValue('`fields` of a query', names, 'a list of names');
  for (const name of names) if (!definition.field(name)) throw unknownProperty(name, definition);
  return Object.freeze([...new Set(names)].sort());
}

/** Throws `UnsupportedQueryError` for an operator that does not exist. */
function checkOperator(condition: Filter): void {
  const { property, operator } = condition;
  if (!operatorOf(condition))
    throw badValue(`the operator of a filter on '${property}'`, operator, `one of ${operators().join(', ')}`);
}

/** Copies and freezes parameters. Throws `UnsupportedQueryError` for what is no set of parameters, and for functions in it. */
function toParams<T extends object>(name: string, params: T | undefined): T | undefined {
  if (params === undefined) return undefined;
  if (!isParameterSet(params)) throw badValue(`\`${name}\` of a query`, params, 'an object of values by name');
  if (isTooDeep(params))
    throw badValue(`\`${name}\` of a query`, params, `nested at most ${MAX_DEPTH} levels deep, and not contain itself`);
  // Instants and big numbers become the texts that are sent.
  const copy = plainCopy({ ...params }, name) as T;
  return Object.keys(copy).length > 0 ? deepFreeze(copy) : undefined;
}

/** The members that ask for something. */
function withoutEmpty<T extends object>(parts: T): Partial<T> {
  const asks = (value: unknown) => value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => asks(value))) as Partial<T>;
}

/** Names a function, or an object with a class, by a key of its own. */
function functionName(part: object): string {
  if (!Object.hasOwn(part, FUNCTION_KEY) && Object.isExtensible(part))
    Object.defineProperty(part, FUNCTION_KEY, { value: randomUuid() });
  // A frozen function equals no other, not even itself: this costs a request too many, and never shows a wrong response.
  return `local(${(part as { readonly [FUNCTION_KEY]?: string })[FUNCTION_KEY] ?? randomUuid()})`;
}
