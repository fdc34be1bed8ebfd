import type { AnyOutcomeError } from '../errors/is-data-error.js';
import type { Issue } from '../errors/validation-error.js';
import type { RecordId } from '../operation/actions.js';
import type { StandardSchemaV1 } from '../util/standard-schema.js';
import type { Source } from '../util/value-source.js';
import type { ReadOptions } from './action-options.js';
import type { Actions } from './action-types.js';
import type { IdParts } from './composite-field.js';
import type { DeclaredType, Field, FieldConfig, FieldType, FieldTypes, ModelType, TypeName } from './field.js';
import type { Model } from './model.js';
import type { ChildrenSnapshot } from './record-children.js';
import type { FieldSnapshot, RecordSnapshot } from './record-sources.js';

/** The deeply `readonly` form of a type, because values of records are immutable. Records and dates stay as they are. */
export type Immutable<T> = T extends Scalar | Date | Model
  ? T
  : T extends readonly unknown[] | object
    ? { readonly [K in keyof T]: Immutable<T[K]> }
    : T;
type Scalar = string | number | bigint | boolean | symbol | null | undefined | ((...args: never) => unknown);

type TypeValue<T> = T extends keyof FieldTypes
  ? FieldTypes[T][0]
  : T extends StandardSchemaV1
    ? Immutable<StandardSchemaV1.InferOutput<T>>
    : T extends DeclaredType<infer D>
      ? D extends ModelType<infer M>
        ? M
        : D extends readonly [ModelType<infer M>]
          ? readonly M[]
          : unknown
      : unknown;

/** Replaces `any` by `unknown`: a `calculate` function whose result is `any` gives a field of type `unknown`. */
type NoAny<V> = 0 extends 1 & V ? unknown : V;

/** A validator that refuses a missing value, as `presence()` does. */
interface Presence {
  readonly constraint: { readonly kind: 'presence' };
}
/** The value of a field with options that nobody has given: nothing, unless it has a default, is computed, or demands a value. */
type Missing<F> = F extends { defaultValue: unknown } | { calculate: unknown }
  ? never
  : F extends { validators: readonly (infer W)[] }
    ? [Extract<W, Presence>] extends [never]
      ? undefined
      : never
    : undefined;

/** The value of a declared field. A schema decides about missing values itself. */
export type FieldValue<F> = F extends TypeName
  ? FieldTypes[F][0] | undefined
  : F extends FieldType
    ? TypeValue<F>
    : F extends { type: 'enum'; values: readonly (infer V)[] }
      ? (F extends { allowNull: true } ? V | null : V) | Missing<F>
      : F extends { type: TypeName }
        ? FieldTypes[F['type']][0] | (F extends { allowNull: true } ? null : never) | Missing<F>
        : F extends { type: DeclaredType<infer T extends keyof FieldTypes> }
          ? FieldTypes[T][0] | (F extends { allowNull: true } ? null : never) | Missing<F>
          : F extends { type: infer T; allowNull: true }
            ? TypeValue<T> | null
            : F extends { type: infer T }
              ? TypeValue<T>
              : F extends { calculate: (...args: never) => infer V }
                ? NoAny<V>
                : unknown;

type Calculated<F> = { [K in keyof F]: F[K] extends { calculate: unknown } ? K : never }[keyof F];
type Expand<T> = { [K in keyof T]: T[K] } & {};
/** The field `id`: a record always has one. */
type Identified<F> = F extends { id: infer I } ? { id: Exclude<FieldValue<I>, undefined> } : unknown;

/** The value of an id of several fields. */
type CompositeOf<F, P> = { readonly [I in keyof P]: P[I] extends keyof F ? NonNullable<FieldValue<F[P[I]]>> : never };
/** The member `id` of an id of several fields. */
type Composite<F, P> = [P] extends [never]
  ? unknown
  : P extends IdParts<infer N>
    ? { readonly id: CompositeOf<F, N> }
    : unknown;

/** The values of a record with these fields; calculated values are read-only. */
export type Values<F, P = never> = Expand<
  Identified<F> &
    Composite<F, P> & { -readonly [K in Exclude<keyof F, Calculated<F> | 'id'>]: FieldValue<F[K]> } & {
      readonly [K in Calculated<F>]: FieldValue<F[K]>;
    }
>;

/** A type-level member that carries the types of a record's fields; it does not exist at run time. */
export declare const VALUES: unique symbol;

/** The values by field name for creating or setting a record. An embedded record is given as a record, or by its values. */
export type RecordInput<V> = { [K in keyof V]?: V[K] | EmbeddedInput<V[K]> };
/** The values that may be given instead of an embedded record, or of a list of embedded records. */
type EmbeddedInput<T> = T extends { readonly [VALUES]: infer V }
  ? RecordInput<V>
  : T extends readonly { readonly [VALUES]: infer V }[]
    ? readonly (T[number] | RecordInput<V>)[]
    : never;

/** The names that no field can have: members of every record and of every object. */
export type ReservedName = keyof Model | keyof Typed<object> | keyof object | keyof Object | '__proto__';

/** The members of a record that depend on its fields. */
export interface Typed<V> {
  readonly [VALUES]: V;
  /**
   * The value of a field.
   *
   * @example
   * ```ts
   * const column = 'team' as const; // such as the column that the user has chosen
   * show(user.get(column));
   * ```
   */
  get<K extends keyof V & string>(name: K): V[K];
  /**
   * Sets a field, or a member inside its value: `set('address.street', 'Main St')`. A name with a dot or bracket is quoted:
   * `set("links['self.href']", '/x')`; the type of its value is not checked. A function is called with the old value and returns the new
   * one. Setting a field back to its original value removes the edit. Throws `StateError` for an erased record, for an unknown or
   * calculated field, and for a value that JSON cannot carry (a `Map`, a `Set`, a function, a symbol, a file), unless the field is not
   * sent or has a `serialize`.
   *
   * Values are compared by content: dates by their time, arrays and objects member by member.
   *
   * @example
   * ```ts
   * user.set('age', (age = 0) => age + 1);
   * user.set({ name: 'Grace', team: 'B' }); // one event for both
   * await user.save();
   * ```
   */
  set<P extends Path<V>, const T extends ValueAt<V, P>>(
    path: P,
    value: ValueAt<V, P> | EmbeddedInput<ValueAt<V, P>> | ((old: ValueAt<V, P>) => T),
  ): this;
  set(values: RecordInput<V>): this;
  /** The state of the record, in one member, so that no other names are taken from the fields. */
  readonly $: RecordState<V, this>;
}

/** A field name, or the path of a member inside the value of a field. */
export type Path<V> = {
  [K in keyof V & string]: NonNullable<V[K]> extends Scalar | Date | readonly unknown[]
    ? K
    : K | `${K}.${string}` | `${K}[${string}`;
}[keyof V & string];

/** The type of the value at a path such as `address.street`; `unknown` for a path with brackets, such as `links['self.href']`. */
export type ValueAt<V, P> = P extends keyof V
  ? V[P]
  : P extends `${infer K extends keyof V & string}.${infer Rest}`
    ? ValueAt<NonNullable<V[K]>, Rest>
    : P extends `${string}[${string}`
      ? unknown
      : `no member '${P & string}' here`;

/** The members of `record.$`. */
export interface RecordState<V, M> {
  /** A key for lists and caches: it never changes, is unique across tabs and restarts, and is never sent. */
  readonly key: string;
  /** All values by field name. */
  readonly data: Readonly<V>;
  /** The edited fields and their new values. */
  readonly modified: Readonly<Partial<V>>;
  /** The edited fields and their values before the edit. */
  readonly previousValues: Readonly<Partial<V>>;
  /** Whether a write of the record is in flight or waits. False when the last `change` event of a write is delivered. */
  readonly saving: boolean;
  /** Whether a `load()` or `$.reload()` of the record is in flight. */
  readonly loading: boolean;
  /**
   * Whether an outbox keeps a save or the erase of the record and sends it by itself: it is neither done nor lost. The same after a reload
   * and in every tab. False if the application has to decide about the write; it is in `outbox.failed` then.
   */
  readonly queued: boolean;
  /** Why the last write failed; `code` narrows its type. The next edit or successful write clears it. */
  readonly error: AnyOutcomeError | undefined;
  /**
   * Whether it is not known if the record exists on the server: its create, or the request by which a `sync()` undoes the create, got no
   * clear response. Edits do not change this.
   *
   * `save()`, `sync()` and `erase()` then reject with the original error and send nothing, `commit()` throws, and `reject()` drops the
   * edits made since, until `decide()` or `save({ repeat: true })` ends it.
   */
  readonly unconfirmed: boolean;
  /**
   * Whether records that refer to this one have pending changes, in the stores that `childrenOf` has made: `order.$.children.dirty`; also as
   * a source.
   */
  readonly children: Source<ChildrenSnapshot> & ChildrenSnapshot;
  /**
   * The validation errors by field name: those of the model, and those in the server's response to the last write. Frozen, and the same
   * object until they change.
   */
  readonly errors: { readonly [K in keyof V]?: readonly Issue[] };
  /**
   * The whole record as a source, for a row or a form. It tells its listeners at once, in the same call: each edit, the start and the
   * end of a save, its failure, a rejected edit, a load.
   *
   * @example
   * ```ts
   * user.$.state.subscribe(() => console.log(user.$.state.get().saving));
   * ```
   */
  readonly state: Source<RecordSnapshot<V>>;
  /**
   * One field as a source, for an input or a cell: always the same source for the same field. It tells its listeners at once, in the
   * same call, so that an input keeps its caret. Throws `StateError` for a name that is no field.
   *
   * @example
   * ```ts
   * const name = user.$.field('name');
   * name.subscribe(() => console.log(name.get().value, name.get().errors));
   * ```
   */
  field<K extends keyof V & string>(name: K): Source<FieldSnapshot<V[K]>>;
  /**
   * Whether the model finds no validation errors.
   *
   * @example
   * ```ts
   * if (user.$.isValid()) await user.save();
   * else show(user.$.errors.name?.[0]?.message);
   * ```
   */
  isValid(): boolean;
  /**
   * All validation errors that the model finds.
   *
   * @example
   * ```ts
   * for (const { path, message } of user.$.validate()) console.log(path.join('.'), message);
   * ```
   */
  validate(): readonly Issue[];
  /**
   * Aborts the record's requests in flight. A request of `sync()` that carries several records (`batchActions`) is not aborted; the option
   * `signal` of `sync()` aborts it.
   *
   * An abort after sending has the same effect as a lost response.
   *
   * @example
   * ```ts
   * const saving = user.save();
   * user.$.abort(); // such as "Cancel"
   * await saving.catch((error) => show(error.code)); // 'abort'
   * ```
   */
  abort(): void;
  /**
   * Reads the record again and keeps its edits. Rejects with a `DataError`.
   *
   * @example
   * ```ts
   * user.name = 'Grace';
   * await user.$.reload({ params: { include: 'team' } }); // GET /users/7?include=team
   * show(user.name, user.dirty); // 'Grace' true: the edit stays
   * ```
   */
  reload(options?: ReadOptions<M>): Promise<M>;
}

/** The values of a record class: `ValuesOf<User>`. */
export type ValuesOf<M> = M extends { readonly [VALUES]: infer V } ? V : {};
/** The names of the fields of a record class. */
export type FieldName<M> = keyof ValuesOf<M> & string;

/** Makes a mistake in a declaration a readable compile error at the field that has the mistake. */
export interface Problem<Message extends string> {
  readonly problem: Message;
}
/**
 * Checks that no field has the name of a member of every record. Names that are only known at run time are checked at run time.
 */
export type FreeNames<F> = string extends keyof F
  ? unknown
  : {
      [K in keyof F &
        ReservedName]: Problem<`'${K & string}' is a member of every record: give the field another name and set its mapping`>;
    };
/**
 * Checks the declaration of every field. The most frequent cases come first, because large projects pay for each case in compile
 * time.
 */
export type CheckedFields<F> = {
  [K in keyof F]: F[K] extends TypeName
    ? unknown
    : F[K] extends string
      ? Problem<NoType<F[K]>>
      : F[K] extends StandardSchemaV1
        ? AcceptsItsOutput<F[K], K>
        : F[K] extends NamedTypeConfig
          ? NoOtherOptions<F[K]>
          : F[K] extends FieldType
            ? unknown
            : F[K] extends Scalar | readonly unknown[] | (abstract new (...args: never) => unknown)
              ? Problem<NoType<F[K]>>
              : F[K] extends Field
                ? NoOtherOptions<F[K]> & Writable<F[K], K>
                : WrongOptions<F[K]>;
};
interface NamedTypeConfig extends FieldConfig {
  type: TypeName | DeclaredType<keyof FieldTypes>;
}
/** The mistake in a type. */
type NoType<T> = T extends 'decimal' | 'bigint'
  ? `write ${T}(), which is imported from 'repose'`
  : T extends string
    ? `'${T}' is no field type`
    : T extends ModelType<Model>
      ? "write embed(Model), which is imported from 'repose'"
      : T extends readonly [ModelType<Model>]
        ? "write embed([Model]), which is imported from 'repose'"
        : 'this is no field type';
type NoOtherOptions<F> = {
  [O in Exclude<keyof F, keyof FieldConfig>]: Problem<`'${O & string}' is no option of a field`>;
};
type WrongOptions<F> = {
  [O in keyof F as O extends keyof FieldConfig ? (F[O] extends FieldConfig[O] ? never : O) : O]: O extends 'type'
    ? Problem<NoType<F[O]>>
    : O extends keyof FieldConfig
      ? FieldConfig[O]
      : Problem<`'${O & string}' is no option of a field`>;
};
/** Checks that a schema accepts its own output, because the output is written back. Otherwise the field needs a `serialize`. */
type AcceptsItsOutput<S extends StandardSchemaV1, K> =
  StandardSchemaV1.InferOutput<S> extends StandardSchemaV1.InferInput<S>
    ? unknown
    : Problem<`the schema of '${K & string}' gives out another type than it takes in: declare it as { type, serialize }`>;
type Writable<F, K> = F extends { serialize: unknown } | { persist: false }
  ? unknown
  : F extends { type: infer S extends StandardSchemaV1 }
    ? { type: AcceptsItsOutput<S, K> }
    : unknown;

/** The members that differ if the id has several fields. */
export type CompositeMembers<F, P> = [P] extends [never]
  ? unknown
  : P extends IdParts<infer N>
    ? {
        /** The id; a new record has a temporary one, a text, until all parts are known. */
        getId(): CompositeOf<F, N> | RecordId | undefined;
      }
    : unknown;

/** The class that `define` returns, for `class … extends`. */
export type ModelClass<V, B extends typeof Model, A = {}, I = unknown> = (new (
  data?: RecordInput<ValuesOf<InstanceType<B>> & V>,
  options?: { phantom?: boolean },
) => I & Typed<ValuesOf<InstanceType<B>> & V> & V & InstanceType<B>) & {
  [K in keyof B as K extends 'prototype' | 'actions' ? never : K]: B[K];
} & { readonly actions: Actions<A> & B['actions'] };

type Received<F> = F extends { allowNull: true; type: infer T }
  ? Received<T> | null
  : F extends FieldConfig
    ? Received<F['type']>
    : F extends TypeName
      ? FieldTypes[F][1]
      : F extends StandardSchemaV1
        ? StandardSchemaV1.InferInput<F>
        : F extends DeclaredType<infer T extends keyof FieldTypes>
          ? FieldTypes[T][1]
          : unknown;
type DtoName<F, K> = F extends { mapping: infer P } ? P : K;
type Differing<F, Dto> = {
  [K in keyof F]: F[K] extends { persist: false } | { calculate: unknown }
    ? never
    : DtoName<F[K], K> extends keyof Dto
      ? Exclude<Dto[DtoName<F[K], K>], undefined> extends Received<F[K]>
        ? never
        : K
      : K;
}[keyof F];
/** Checks the fields against the type of the option `matches`. */
export type MatchesDto<F, Dto> = unknown extends Dto
  ? unknown
  : {
      [K in Differing<F, Dto>]: Problem<
        DtoName<F[K], K> extends keyof Dto
          ? `the type of '${K & string}' is not the type it has in the DTO`
          : `the DTO has no '${K & string}'`
      >;
    };

export type { Field };
