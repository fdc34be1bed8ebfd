import type { SortTypeName } from '../operation/sort-types.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import type { StandardSchemaV1 } from '../util/standard-schema.js';
import type { DateFormat } from './date-format.js';
import type { FieldTypeHandler } from './field-types.js';
import type { Model } from './model.js';
import type { Embedding } from './parts/embedded.js';
import type { TYPE_CODE } from './symbols.js';
import type { Validator } from './validators.js';

/** The field types by name, each with the type of its values in records and the type that servers send. */
export interface FieldTypes {
  /** Any value, unchanged. */
  auto: [value: unknown, received: unknown];
  /** A text; numbers and flags that are received become text. */
  string: [value: string, received: string];
  /** A whole number; a text of digits that is received becomes one. A number that would have to be rounded is an error of the field. */
  int: [value: number, received: number];
  /**
   * A number, or the text of a decimal number in full whose digits JavaScript holds: `'+007.50'` is 7.5, whereas `'1e3'`, `'0x10'`, `' 7 '` and
   * `'9007199254740993'` are errors of the field.
   */
  number: [value: number, received: number];
  /** True or false; `1`, `0`, and texts of the four become one. */
  boolean: [value: boolean, received: boolean];
  /**
   * A point in time: an ISO 8601 text, or milliseconds since 1970. A getter returns a fresh copy. A text without a zone is read in the zone of the
   * platform, and an edit of it is written so; a value where there was none is written in UTC. Say by `format` what the times are.
   */
  date: [value: Date, received: string | number];
  /** A day such as `2026-11-21`, kept as text: without time zones, and never converted to a `Date`. */
  dateonly: [value: string, received: string];
  /** An exact decimal number of any length, kept as the text of its digits: `decimal()`. It is written as it was received, as number or text. */
  decimal: [value: string, received: string | number];
  /** A whole number of any length: `bigint()`. It is written as it was received, as number or text; in a new record as text. */
  bigint: [value: bigint, received: string | number];
  /** One of the texts or numbers of the option `values`, which narrows its type: `{ type: 'enum', values: ['new', 'paid'] as const }`. */
  enum: [value: string | number, received: string | number];
  /** Any JSON value; see {@link json} for a typed one. */
  json: [value: unknown, received: unknown];
}
/** The names of the field types that every model has. Other types bring their code: {@link decimal}, {@link bigint}, {@link embed}. */
export type TypeName = 'auto' | 'string' | 'int' | 'number' | 'boolean' | 'date' | 'dateonly' | 'enum' | 'json';

/** The code that a declared type brings along. `type` is its name, or the model that it embeds. */
export interface TypeCode<T> {
  readonly type: T;
  readonly handler?: FieldTypeHandler;
  readonly embed?: (type: unknown, field: string, config: FieldConfig) => Embedding | undefined;
}
/** The type in a declaration that brings its code, such as `decimal()`. */
export interface DeclaredType<T = unknown> {
  readonly [TYPE_CODE]: TypeCode<T>;
}
/** The declaration of a field whose type brings its code. */
export type Declared<T, C = {}> = C & { readonly type: DeclaredType<T> };

/** A model class, with the members that fields and stores need. */
export interface ModelType<M extends Model> {
  new (data?: object): M;
  readonly proxy: DataProxy;
}
/** Any model class. */
export type AnyModel = ModelType<Model>;

/**
 * A field's reference to a model, with options for the stores of the records that refer to one record
 * (`childrenOf`).
 */
export interface ReferenceConfig {
  model: AnyModel;
  /**
   * The member of the parent's row that holds the rows of its children, such as `'lines'`: a store of children is filled from there, without
   * a request. A path leads into members: `'content.lines'`. @default none: the children are loaded
   */
  nested?: string;
  /**
   * Says what an erase of the parent does to the children that the client knows, those in a store of children: `'erase'` erases them first,
   * `'detach'` empties the field and saves it first, `'restrict'` refuses the erase, `'server'` takes them out of their lists
   * after the erase, because the server has erased them with their parent, and `'ignore'` leaves them to the server.
   * @default 'ignore'
   */
  // A text, because a method that overrides `references()` without a return type says no more.
  onErase?: string;
}
/** A field's reference to a model, as `references()` declares it: the model alone, or with options. */
export type Reference = AnyModel | ReferenceConfig;
/** The records that a reference leads to. */
export type Referred<R> = R extends abstract new (
  ...args: never
) => infer M
  ? M
  : R extends { model: abstract new (...args: never) => infer M }
    ? M
    : never;

/** The type in a field's declaration: a type name, a schema, or a type that a function such as `decimal()` has declared. */
export type FieldType = TypeName | StandardSchemaV1 | DeclaredType;

/** Options of a field. */
export interface FieldConfig {
  /** Type of the value: a type name, or a Standard Schema. `decimal()`, `bigint()` and `embed()` give it themselves. @default 'auto' */
  type?: FieldType;
  /**
   * Name or path of the member in the raw row (`manager.id`, `tags[0]`, `links['self.href']` for a name with a dot or bracket),
   * or a function of the row. A field with a function is read-only, unless `serialize` returns the members to write. In the
   * row, numbers that JavaScript cannot hold are `LongNumber`s.
   * @default the field's name, converted by the model's `naming`
   */
  mapping?: string | ((row: Readonly<Record<string, unknown>>) => unknown);
  /** The field's value in a new record that is created without one. A function is called for each new record. */
  defaultValue?: unknown;
  /** Whether `null` is a valid value. @default false */
  allowNull?: boolean;
  /**
   * The values of the type `'enum'`, for which the option is required: texts or numbers, each once. With `as const`, the type of the field
   * is one of them. `fieldsOf(User).status.values` gives them to a select box.
   */
  values?: readonly (string | number)[];
  /**
   * How values of the types `'date'` and `'dateonly'` travel: `dateFormat()` with a pattern of Ext JS's letters (`'d.m.Y'`,
   * `'Y-m-d H:i:s'`), with `'timestamp'` (seconds since 1970) or with `'time'` (milliseconds). Letters: `d j m n M F Y H G h g A a i s u P O`; a backslash makes a letter plain text,
   * and names of months are English. A pattern without a zone (`P`, `O`) is UTC. A received value that does not fit is an error of the field
   * and stays as it is, and so is a value that the pattern would shorten. Filters send values in this form, too.
   * @default ISO 8601 in UTC; milliseconds if a number was received
   */
  format?: DateFormat;
  /** Whether writers send the field. @default true */
  persist?: boolean;
  /**
   * Computes the value from other fields; the field is read-only. The value's type is `unknown`, unless the field has a `type`
   * or the function declares its return type. For typed computed values, prefer a getter in the class body.
   *
   * @example
   * ```ts
   * class Item extends Model.define({
   *   fields: {
   *     id: 'int',
   *     price: 'number',
   *     quantity: 'int',
   *     total: { type: 'number', depends: ['price', 'quantity'], calculate: ({ price, quantity }) => price * quantity },
   *   },
   * }) {}
   * show(new Item({ price: 2, quantity: 3 }).total); // 6
   * ```
   */
  // biome-ignore lint/suspicious/noExplicitAny: the record's type is not known before its fields are declared
  calculate?: (record: any) => unknown;
  /**
   * Converts the received value before the type reads it. For a number that JavaScript cannot hold, the function gets the nearest
   * number, or the text of its digits if the type is `string`, `bigint` or `decimal`. With `depends`, it gets the record as well, and is
   * called whenever the field is read, so that the value follows the fields that are named there. A value that is set stays as it is.
   *
   * @example
   * ```ts
   * class Product extends Model.define({
   *   fields: {
   *     id: 'int',
   *     name: 'string',
   *     title: {
   *       type: 'string',
   *       depends: ['name'],
   *       convert: (title: string | undefined, product: { name?: string }) => title ?? product.name,
   *     },
   *   },
   * }) {}
   * ```
   */
  // biome-ignore lint/suspicious/noExplicitAny: what a server sends has no type before it is converted
  convert?: (raw: any, record: any) => unknown;
  /**
   * The fields that `convert` reads from the record, or `calculate`. Throws `DefinitionError` for a name that is no field, and for fields
   * that depend on each other in a circle. @default none: `convert` gets no record; `calculate` may read all fields
   */
  depends?: readonly string[];
  /**
   * Converts the value to what is sent.
   *
   * @example
   * ```ts
   * class Member extends Model.define({
   *   fields: {
   *     id: 'int',
   *     name: { type: 'string', serialize: (name: string | undefined) => name?.trim() },
   *   },
   * }) {}
   * ```
   */
  // biome-ignore lint/suspicious/noExplicitAny: the value's type is not known before the field is declared
  serialize?: (value: any, row: Readonly<Record<string, unknown>>) => unknown;
  /**
   * How stores sort by the field locally: a function that converts a value to the value that is compared, or the name of an order.
   * `'natural'` compares the numbers in texts by their value and ignores case (`'Item 9'` before `'item 10'`), `'numeric'` compares texts as
   * the numbers that they are (another text counts as missing), `'textCi'` ignores case. The function is not called for null and undefined. A
   * sorter with a `transform` or `sortType` uses that instead. Has no effect on a server that sorts.
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
  // The type of a method, so that the function may declare the type of the field's values for its argument.
  sortType?: SortTypeName | { sortType(value: unknown): unknown }['sortType'];
  /**
   * The name of the field for people, in forms and columns: `fieldsOf(User).joined.label`.
   * @default the field's name in words: `firstName` is 'First name'
   */
  label?: string;
  /** Validators of the value: `[length({ min: 1 })]`. */
  validators?: readonly Validator[];
}

/** Options of a field whose type a function declares: `decimal({ allowNull: true })`. */
export type FieldOptions = Omit<FieldConfig, 'type' | 'values'>;

/** The declaration of a field: its type, or an object of options. */
export type Field = FieldType | (FieldConfig & object);
/** The fields of a model by name: the option `fields`. */
export type Fields = Record<string, Field>;

/**
 * Declares a JSON field with a TypeScript type, which is not checked at run time: `settings: json<Settings>()`.
 *
 * @example
 * ```ts
 * interface Settings {
 *   theme: 'dark' | 'light';
 * }
 * class Account extends Model.define({ fields: { id: 'int', settings: json<Settings>() } }) {}
 * new Account({ settings: { theme: 'dark' } }).settings?.theme; // 'dark'
 * ```
 */
// @__NO_SIDE_EFFECTS__
export function json<T>(): StandardSchemaV1<T> {
  return { '~standard': { version: 1, vendor: 'repose', validate: (value) => ({ value: value as T }) } };
}
