import type { Messages } from '../errors/message-format.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import type { StandardSchemaV1 } from '../util/standard-schema.js';
import type { IdParts } from './composite-field.js';
import type { IdentifierConfig } from './identifier.js';
import type { Naming } from './model-definition.js';

/** A proxy class with any options. */
export type ProxyClass = new (config: never) => DataProxy;
/** Proxy classes by the names that the option `type` accepts. */
export type ProxyTypes = Record<string, ProxyClass>;
/** The options of a proxy class. */
export type ConfigOf<C> = C extends new (config: infer O) => DataProxy ? NonNullable<O> : never;
/** Proxy options with a `type` from a table of names. Without a `type`, the base model's type is used, else 'rest'. */
export type NamedProxy<T extends ProxyTypes> = {
  [K in keyof T]: (K extends 'rest' ? { type?: K } : { type: K }) & ConfigOf<T[K]>;
}[keyof T];
/** The option `proxy`: a proxy object, or options with the name or class of the proxy as `type`. */
export type ProxyOption<T extends ProxyTypes, C = never> = DataProxy | NamedProxy<T> | ({ type: C } & ConfigOf<C>);

/** Settings that models inherit. */
export interface ModelDefaults<T extends ProxyTypes, C = never> {
  /**
   * A proxy, or options whose `type` is a name from `proxyTypes` or a class. Options replace those of the base model one by one.
   */
  proxy?: ProxyOption<T, C>;
  /** Derives mappings from field names: with `'snake'`, `createdAt` is sent as `created_at`. @default the names unchanged */
  naming?: Naming;
  /**
   * How new records get a temporary id until the server gives the id; `{ prefix, seed }` are options of counted ids. With
   * `natural`, the application gives the id (an e-mail address, a code): creates send it, and saving a new record without one
   * rejects with `ValidationError`.
   * @default 'negative' for numbers, else 'sequential'
   */
  identifier?: IdentifierConfig;
  /** Texts that replace the built-in ones. */
  messages?: Messages;
}

/** The options of `define`. */
export interface ModelConfig<F, T extends ProxyTypes, C, A, D = unknown, P = string | IdParts>
  extends ModelDefaults<T, C> {
  /** The name of the model in errors and in an outbox; unlike a class name, it stays the same after minification. */
  name?: string;
  /** The fields: type names, schemas, options, or what `embed()` and the like return. */
  fields: F;
  /**
   * Name of the field that holds the record's id; or `compositeId('orderId', 'line')`, which names several fields that are its parts.
   * @default 'id'
   */
  idProperty?: P;
  /**
   * Decides about members that no field declares, in the values of a new record: `'refuse'` throws `StateError`, so that a misspelt name is
   * noticed; `'keep'` takes them into the row, so that the create sends them, and `get()` reads them. They do not become fields: only a field
   * can be set. Members in rows of the server are kept in any case.
   *
   * @example
   * ```ts
   * class Note extends Model.define({ fields: { id: 'int', text: 'string' }, undeclared: 'keep', proxy: { url: '/notes' } }) {}
   * const values = { text: 'Call Ada', color: 'red' };
   * await new Note(values).save(); // POST /notes {"text":"Call Ada","color":"red"}
   * ```
   * @default 'refuse'
   */
  undeclared?: 'keep' | 'refuse';
  /** Declared actions: requests beyond create, read, update and destroy. */
  actions?: A;
  /** A type with which the fields must agree, checked at compile time: `matches: json<UserDto>()`. */
  matches?: StandardSchemaV1<D>;
}
