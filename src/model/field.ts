import type { DataProxy } from '../proxy/data-proxy.js';
import type { StandardSchemaV1 } from '../util/standard-schema.js';
import type { BaseModel } from './base-model.js';
import type { Validator } from './validators.js';

/** Field type names: the value a record hands out, and what a server may send for it. */
export interface FieldTypes {
  /** As it comes. */
  auto: [value: unknown, received: unknown];
  string: [value: string, received: string];
  /** A whole number. */
  int: [value: number, received: number];
  number: [value: number, received: number];
  boolean: [value: boolean, received: boolean];
  /** An instant. */
  date: [value: Date, received: string | number];
  /** `2026-11-21`, never through `Date`. */
  dateonly: [value: string, received: string];
  /** Exact decimal digits. */
  decimal: [value: string, received: string | number];
  bigint: [value: bigint, received: string | number];
  /** Any JSON; see {@link json} for a typed one. */
  json: [value: unknown, received: unknown];
}

/** A model class, as far as fields and stores need to know. */
export interface ModelType<M extends BaseModel> {
  new (data?: object): M;
  readonly proxy: DataProxy;
}
/** A model class, whichever. */
export type AnyModel = ModelType<BaseModel>;

/** What a field may be declared as: a type name, a schema, an embedded model, a list of embedded models. */
export type FieldType = keyof FieldTypes | StandardSchemaV1 | AnyModel | readonly [AnyModel];

/** Options of a field. */
export interface FieldConfig {
  /** Type of the value: a type name, a Standard Schema, a model, or a list of one model. @default 'auto' */
  type?: FieldType;
  /**
   * Name or path of the member in the raw row (`manager.id`, `tags[0]`, `links['self.href']` for a name with a dot or bracket), or a
   * function of the row. A function cannot be inverted: such a field is read-only unless `serialize` returns the members to write. Numbers that
   * JavaScript cannot hold are `LongNumber`s in the row.
   * @default the field's own name, or what the model's `naming` makes of it
   */
  mapping?: string | ((row: Readonly<Record<string, unknown>>) => unknown);
  /** Value of a new record that was created without one; a function is called for each. */
  defaultValue?: unknown;
  /** Whether `null` is a legal value. @default false */
  allowNull?: boolean;
  /** Whether writers send the field. @default true */
  persist?: boolean;
  /**
   * Computes the value from other fields; the field is read-only. Its value is `unknown` unless there is a `type`, or the function
   * says what it returns. For typed computed values prefer a getter in the class body.
   */
  // biome-ignore lint/suspicious/noExplicitAny: the record's type is not known before its fields are declared
  calculate?: (record: any) => unknown;
  /**
   * Turns what was received into the value, before the type looks at it. It is given a number that JavaScript cannot hold as the
   * nearest one; as a text of its digits where the type is `string`, `bigint` or `decimal`.
   */
  // biome-ignore lint/suspicious/noExplicitAny: what a server sends has no type before it is converted
  convert?: (raw: any) => unknown;
  /** Turns the value into what is sent. */
  // biome-ignore lint/suspicious/noExplicitAny: the value's type is not known before the field is declared
  serialize?: (value: any, row: Readonly<Record<string, unknown>>) => unknown;
  /**
   * Turns a value into the one that stores compare when they sort by the field themselves; not called for null and undefined, which
   * sort first. A sorter with a `transform` uses that instead. Not sent: a server sorts in its own way.
   *
   * @example
   * ```ts
   * class Ticket extends Model.define({
   *   fields: {
   *     id: 'int',
   *     level: { type: 'string', sortType: (level: string) => ['low', 'high', 'urgent'].indexOf(level) },
   *   },
   * }) {}
   * ```
   */
  // Taken from a member, so that the function may name the type of the field's values.
  sortType?: { sortType(value: unknown): unknown }['sortType'];
  /** Rules for the value: `[length({ min: 1 })]`. */
  validators?: readonly Validator[];
}

/** A field as it is declared: its type, or options with it. */
export type Field = FieldType | (FieldConfig & object);
/** The fields of a model by name: the option `fields`. */
export type Fields = Record<string, Field>;

/**
 * A field that is typed but not checked: `settings: json<Settings>()`.
 */
// @__NO_SIDE_EFFECTS__
export function json<T>(): StandardSchemaV1<T> {
  return { '~standard': { version: 1, vendor: 'repose', validate: (value) => ({ value: value as T }) } };
}
