import { checkGiven } from '../dev/checks.js';
import { unknownProperty } from '../errors/unsupported-query-error.js';
import type { ModelType } from '../model/field.js';
import type { FieldName, ValuesOf } from '../model/infer.js';
import type { Model } from '../model/model.js';
import { MODEL, type RecordModel } from '../operation/operation-record.js';
import type { Operator } from '../operation/query-parts.js';
import type { Condition, FieldFilterOptions, MemberOf } from './query.js';

/** A condition on the field `K`, whose values have the type `V`. */
export type FieldCondition<K, V> = FieldFilterOptions<K, V> & Condition<V>;

/** Makes conditions on one field. */
export interface FieldWhere<K, V> {
  /**
   * The value is equal to the given one: dates by their time, arrays and objects by content.
   *
   * @example
   * ```ts
   * users.filter(where(User).team.eq('A'));
   * ```
   */
  eq(value: V | null): FieldCondition<K, V>;
  /** The value is not equal to the given one. */
  ne(value: V | null): FieldCondition<K, V>;
  /**
   * The value is less than the given one.
   *
   * Never true for null, as `le`, `gt` and `ge`.
   */
  lt(value: V): FieldCondition<K, V>;
  /** The value is less than the given one, or equal to it. */
  le(value: V): FieldCondition<K, V>;
  /** The value is greater than the given one. */
  gt(value: V): FieldCondition<K, V>;
  /** The value is greater than the given one, or equal to it. */
  ge(value: V): FieldCondition<K, V>;
  /**
   * The value is one of a list.
   *
   * With an empty list, no record passes, and nothing is sent.
   *
   * @example
   * ```ts
   * users.filter(where(User).team.in(['A', 'B'])); // `in([])` matches nothing
   * ```
   */
  in(values: readonly V[]): FieldCondition<K, V>;
  /**
   * The value is none of a list.
   *
   * With an empty list, all records pass.
   *
   * @example
   * ```ts
   * users.filter(where(User).team.nin(['A', 'B']));
   * ```
   */
  nin(values: readonly V[]): FieldCondition<K, V>;
  /**
   * The value is not less than `from`, and not greater than `to`.
   *
   * @example
   * ```ts
   * users.filter(where(User).age.between(18, 65)); // 18 and 65 match
   * ```
   */
  between(from: V, to: V): FieldCondition<K, V>;
  /**
   * There is no value; with `false`, there is one. @default true
   *
   * @example
   * ```ts
   * users.filter(where(User).team.isNull()); // without a team; with one: `isNull(false)`
   * ```
   */
  isNull(isNull?: boolean): FieldCondition<K, V>;
  /**
   * The member is there, also if it is null; with `false`, it is missing.
   *
   * Few servers have it: `postgrest()` for members of JSON columns.
   *
   * @default true
   */
  exists(exists?: boolean): FieldCondition<K, V>;
}

/** Makes conditions on a field of texts. */
export interface TextWhere<K, V> extends FieldWhere<K, V> {
  /**
   * The text contains the given one.
   *
   * Case matters, as for `startsWith` and `endsWith`.
   *
   * @example
   * ```ts
   * users.filter(where(User).name.contains('ada'));
   * ```
   */
  contains(text: V): FieldCondition<K, V>;
  /**
   * The text starts with the given one.
   *
   * @example
   * ```ts
   * users.filter(where(User).name.startsWith('A'));
   * ```
   */
  startsWith(text: V): FieldCondition<K, V>;
  /** The text ends with the given one. */
  endsWith(text: V): FieldCondition<K, V>;
  /**
   * The text contains the given one, in upper or lower case.
   *
   * @example
   * ```ts
   * users.filter(where(User).name.like('ada')); // matches 'Ada' and 'Adam'
   * ```
   */
  like(text: V): FieldCondition<K, V>;
}

/** Makes conditions on a field of lists. */
export interface ListWhere<K, V> extends FieldWhere<K, V> {
  /**
   * The list has the given member.
   *
   * @example
   * ```ts
   * class Note extends Model.define({ fields: { id: 'int', tags: { type: json<string[]>(), defaultValue: [] } } }) {}
   * const notes = new Store({ model: Note, data: [{ id: 1, tags: ['red'] }, { id: 2, tags: ['reddish'] }] });
   * notes.filter(where(Note).tags.contains('red'));
   * notes.count; // 1
   * ```
   */
  contains(member: MemberOf<V>): FieldCondition<K, V>;
}

/** A value that a condition may have: `undefined` is a mistake there. */
type Given<V> = Exclude<V, undefined>;

/** Makes conditions on the fields of records `M`, by the name of the field. */
export type Where<M> = {
  readonly [K in FieldName<M>]: [NonNullable<ValuesOf<M>[K]>] extends [string]
    ? TextWhere<K, Given<ValuesOf<M>[K]>>
    : [NonNullable<ValuesOf<M>[K]>] extends [readonly unknown[]]
      ? ListWhere<K, Given<ValuesOf<M>[K]>>
      : FieldWhere<K, Given<ValuesOf<M>[K]>>;
};

const SINGLE = ['eq', 'ne', 'lt', 'le', 'gt', 'ge', 'in', 'nin', 'contains', 'startsWith', 'endsWith', 'like'] as const;

/**
 * Makes conditions on the fields of a model, with the types of their values. A condition is plain data, such as
 * `{ property: 'age', operator: 'ge', value: 18 }`; join conditions with `and`, `or` and `not`. Throws `DefinitionError` for what is no
 * model, and `UnsupportedQueryError` for names that are no fields.
 *
 * @example
 * ```ts
 * const { age, team } = where(User);
 * users.filter(or(age.ge(18), team.eq('A')));
 * ```
 */
export function where<M extends Model>(model: ModelType<M>): Where<M> {
  const known = (model as { readonly prototype?: { readonly [MODEL]?: RecordModel } } | undefined)?.prototype?.[MODEL];
  checkGiven('The argument of `where()`', known, {
    expected: 'a model, such as `User`',
    holds: (value) => value !== undefined,
  });
  const fields = Object.create(null) as Record<string, object>;
  for (const { name } of (known as RecordModel).fields) fields[name] = conditionsOn(name);
  return new Proxy(fields, {
    get(target, name) {
      if (typeof name === 'string' && !(name in target)) throw unknownProperty(name, known as RecordModel);
      return target[name as string];
    },
  }) as Where<M>;
}

/**
 * A filter that holds if all of the given ones hold.
 *
 * @example
 * ```ts
 * const { age, team } = where(User);
 * users.filter(or(team.eq('A'), and(age.ge(18), age.lt(65))));
 * ```
 */
export function and<const F extends readonly object[]>(...filters: F): { and: F; property?: undefined } {
  return { and: filters };
}

/**
 * A filter that holds if at least one of the given ones holds.
 *
 * @example
 * ```ts
 * const { age, team } = where(User);
 * users.filter(or(age.ge(18), team.eq('A'))); // { or: [{ property: 'age', … }, { property: 'team', … }] }
 * ```
 */
export function or<const F extends readonly object[]>(...filters: F): { or: F; property?: undefined } {
  return { or: filters };
}

/**
 * A filter that holds if the given one does not.
 *
 * @example
 * ```ts
 * const { team } = where(User);
 * users.filter(not(team.in(['A', 'B'])));
 * ```
 */
export function not<const F extends object>(filter: F): { not: F; property?: undefined } {
  return { not: filter };
}

function conditionsOn(property: string): object {
  const condition = (operator: Operator, value: unknown) => ({ property, operator, value });
  return Object.freeze({
    ...Object.fromEntries(SINGLE.map((operator) => [operator, (value: unknown) => condition(operator, value)])),
    between: (from: unknown, to: unknown) => condition('between', [from, to]),
    isNull: (isNull = true) => condition('isNull', isNull),
    exists: (exists = true) => condition('exists', exists),
  });
}
