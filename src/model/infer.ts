import type { AnyOutcomeError } from '../errors/is-data-error.js';
import type { Issue } from '../errors/issue.js';
import type { RecordId } from '../operation/actions.js';
import type { StandardSchemaV1 } from '../util/standard-schema.js';
import type { ActionOptions } from './action-options.js';
import type { Actions } from './action-types.js';
import type { BaseModel } from './base-model.js';
import type { Field, FieldConfig, FieldType, FieldTypes, ModelType } from './field.js';

/** Values are immutable by contract, so their types are too. Records and dates stay as they are. */
export type Immutable<T> = T extends Scalar | Date | BaseModel
  ? T
  : T extends readonly unknown[] | object
    ? { readonly [K in keyof T]: Immutable<T[K]> }
    : T;
type Scalar = string | number | bigint | boolean | symbol | null | undefined | ((...args: never) => unknown);

type TypeValue<T> = T extends keyof FieldTypes
  ? FieldTypes[T][0]
  : T extends StandardSchemaV1
    ? Immutable<StandardSchemaV1.InferOutput<T>>
    : T extends ModelType<infer M>
      ? M
      : T extends readonly [ModelType<infer M>]
        ? readonly M[]
        : unknown;

/** What came of a record whose type was not known is of no known type: `any` never reaches a record. */
type Known<V> = 0 extends 1 & V ? unknown : V;

/** The value of a declared field. */
export type FieldValue<F> = F extends FieldType
  ? TypeValue<F>
  : F extends { type: infer T; allowNull: true }
    ? TypeValue<T> | null
    : F extends { type: infer T }
      ? TypeValue<T>
      : F extends { calculate: (...args: never) => infer V }
        ? Known<V>
        : unknown;

type Calculated<F> = { [K in keyof F]: F[K] extends { calculate: unknown } ? K : never }[keyof F];
type Flat<T> = { [K in keyof T]: T[K] } & {};

/** The values of a record with these fields; calculated ones are read-only. */
export type Values<F> = Flat<
  { -readonly [K in Exclude<keyof F, Calculated<F>>]: FieldValue<F[K]> } & {
    readonly [K in Calculated<F>]: FieldValue<F[K]>;
  }
>;

/** Carries the types of a record's fields; no value exists at run time. */
export declare const VALUES: unique symbol;

/** Values that a record is made from or set to, by field: an embedded record as it is, or as its own values. */
export type Given<V> = { [K in keyof V]?: V[K] | Inside<V[K]> };
/** What stands for an embedded record, or a list of them, besides itself. */
type Inside<T> = T extends { readonly [VALUES]: infer V }
  ? Given<V>
  : T extends readonly { readonly [VALUES]: infer V }[]
    ? readonly (T[number] | Given<V>)[]
    : never;

/** Names that no field may have: members of every record, and of every object. */
export type ReservedName = keyof BaseModel | keyof Typed<object> | keyof object | keyof Object | '__proto__';

/** What `define` adds to a record: its fields under their names, and by name. */
export interface Typed<V> {
  readonly [VALUES]: V;
  /** The value of a field. */
  get<K extends keyof V & string>(name: K): V[K];
  /**
   * Sets a field, or a member inside its value: `set('address.street', 'Main St')`, `set("links['self.href']", '/x')` for a name
   * with a dot or bracket, whose value has no known type. A function gets the old value.
   * Setting a field back to what it was clears its mark. Throws `StateError` for an erased record, for what cannot be set, and for a
   * value that JSON cannot carry (a `Map`, a `Set`, a function, a symbol, a file) in a field that is sent and has no `serialize`.
   */
  set<P extends Path<V>, const T extends ValueAt<V, P>>(
    path: P,
    value: ValueAt<V, P> | Inside<ValueAt<V, P>> | ((old: ValueAt<V, P>) => T),
  ): this;
  set(values: Given<V>): this;
  /** Everything else about the record, out of the way of its fields. */
  readonly $: RecordState<V, this>;
}

/** A field name, or the path of a member of an object inside a field. */
export type Path<V> = {
  [K in keyof V & string]: NonNullable<V[K]> extends Scalar | Date | readonly unknown[]
    ? K
    : K | `${K}.${string}` | `${K}[${string}`;
}[keyof V & string];

/** The value at a path such as `address.street`; behind a name in brackets, as in `links['self.href']`, its type is not known. */
export type ValueAt<V, P> = P extends keyof V
  ? V[P]
  : P extends `${infer K extends keyof V & string}.${infer Rest}`
    ? ValueAt<NonNullable<V[K]>, Rest>
    : P extends `${string}[${string}`
      ? unknown
      : `no member '${P & string}' here`;

/** What `record.$` holds. */
export interface RecordState<V, M> {
  /** Identity for lists and caches: stable for life, unique across tabs and restarts, never sent. */
  readonly key: string;
  /** All values by field. */
  readonly data: Readonly<V>;
  /** Edited fields and their new values. */
  readonly modified: Readonly<Partial<V>>;
  /** Edited fields and their values before the edit. */
  readonly previousValues: Readonly<Partial<V>>;
  /** Whether a write is in flight or waits for one. False when the last `change` of a write is delivered. */
  readonly saving: boolean;
  /** Why the last write failed, narrowed by `code`; cleared by the next edit or success. */
  readonly error: AnyOutcomeError | undefined;
  /**
   * Whether the record may exist on the server: its create, or what a `sync()` has sent to undo the create, got no clear answer. Edits
   * do not change that.
   */
  readonly inDoubt: boolean;
  /** What is wrong with the values, by field: what the model finds, and what the server said of the last write. */
  readonly errors: { readonly [K in keyof V]?: readonly Issue[] };
  isValid(): boolean;
  /** All that the model finds wrong with the values. */
  validate(): readonly Issue[];
  /**
   * A new record (a phantom) with the same values. It has the given id, which its create sends where creates send ids
   * (`identifier: 'natural'`, `writer: { writeRecordId: true }`); without one, a temporary id.
   *
   * @example
   * ```ts
   * users.add(user.$.copy());
   * ```
   */
  copy(id?: RecordId): M;
  /**
   * Aborts the record's requests in flight. One of `sync()` that carries other records as well (`batchActions`) goes on: its
   * `signal` aborts that.
   */
  abort(): void;
  /**
   * Decides on a create that is in doubt, with what a look-up found: the row that it made, or null where it made none. An outbox then
   * sends what was saved or erased behind the create; where it made no record, such an erase is done. Does nothing where nothing is in
   * doubt. Throws `StateError` while a write is under way, `AddressError` for a row without an id.
   *
   * @example
   * ```ts
   * const found: { id: number; name: string }[] = []; // what a look-up by something that only it has came to
   * if (user.$.inDoubt) user.$.settle(found[0] ?? null);
   * ```
   */
  settle(row: object | null): void;
  /** Reads the record again; edits stay on top. */
  reload(options?: ActionOptions<M>): Promise<M>;
}

/** The values of a record class: `ValuesOf<User>`. */
export type ValuesOf<M> = M extends { readonly [VALUES]: infer V } ? V : {};
/** The names of the fields of a record class. */
export type FieldName<M> = keyof ValuesOf<M> & string;

/** Turns a mistake in a declaration into an error that reads as a sentence, at the field it is about. */
export interface Problem<Message extends string> {
  readonly problem: Message;
}
/** No field is named like a member of every record. Names that only run time knows are checked there. */
export type FreeNames<F> = string extends keyof F
  ? unknown
  : {
      [K in keyof F &
        ReservedName]: Problem<`'${K & string}' is a member of every record: give the field another name and set its mapping`>;
    };
/** Every field is declared as one can be. Ordered by how often it holds: this is what large projects pay for. */
export type CheckedFields<F> = {
  [K in keyof F]: F[K] extends keyof FieldTypes
    ? unknown
    : F[K] extends string
      ? Problem<`'${F[K]}' is no field type`>
      : F[K] extends StandardSchemaV1
        ? TwoWay<F[K], K>
        : F[K] extends NamedTypeConfig
          ? NoOtherOptions<F[K]>
          : F[K] extends FieldType
            ? unknown
            : F[K] extends Scalar | readonly unknown[] | (abstract new (...args: never) => unknown)
              ? Problem<'this is no field type'>
              : F[K] extends Field
                ? NoOtherOptions<F[K]> & Writable<F[K], K>
                : WrongOptions<F[K]>;
};
interface NamedTypeConfig extends FieldConfig {
  type: keyof FieldTypes;
}
type NoOtherOptions<F> = {
  [O in Exclude<keyof F, keyof FieldConfig>]: Problem<`'${O & string}' is no option of a field`>;
};
type WrongOptions<F> = {
  [O in keyof F as O extends keyof FieldConfig ? (F[O] extends FieldConfig[O] ? never : O) : O]: O extends 'type'
    ? Problem<F[O] extends string ? `'${F[O]}' is no field type` : 'this is no field type'>
    : O extends keyof FieldConfig
      ? FieldConfig[O]
      : Problem<`'${O & string}' is no option of a field`>;
};
/** What a schema gives out is written back: where the schema would not take it in, the field must say how. */
type TwoWay<S extends StandardSchemaV1, K> =
  StandardSchemaV1.InferOutput<S> extends StandardSchemaV1.InferInput<S>
    ? unknown
    : Problem<`the schema of '${K & string}' gives out another type than it takes in: declare it as { type, serialize }`>;
type Writable<F, K> = F extends { serialize: unknown } | { persist: false }
  ? unknown
  : F extends { type: infer S extends StandardSchemaV1 }
    ? { type: TwoWay<S, K> }
    : unknown;

/** What `define` returns and `class … extends` takes. */
export type ModelClass<V, B extends typeof BaseModel, A = {}> = (new (
  data?: Given<ValuesOf<InstanceType<B>> & V>,
  options?: { phantom?: boolean },
) => Typed<ValuesOf<InstanceType<B>> & V> & V & InstanceType<B>) & {
  [K in keyof B as K extends 'prototype' | 'actions' ? never : K]: B[K];
} & { readonly actions: Actions<A> & B['actions'] };

type Received<F> = F extends { allowNull: true; type: infer T }
  ? Received<T> | null
  : F extends FieldConfig
    ? Received<F['type']>
    : F extends keyof FieldTypes
      ? FieldTypes[F][1]
      : F extends StandardSchemaV1
        ? StandardSchemaV1.InferInput<F>
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
/** Checks fields against the type that `matches` carries. */
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
