import type { Messages } from '../errors/messages.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import type { StandardSchemaV1 } from '../util/standard-schema.js';
import type { IdentifierConfig } from './identifier.js';
import type { Problem } from './infer.js';
import type { Naming } from './model-definition.js';

/** A proxy class, whatever its options. */
export type ProxyClass = new (config: never) => DataProxy;
/** The proxies that `type` may name. */
export type ProxyTypes = Record<string, ProxyClass>;
/** The options of a proxy class. */
export type ConfigOf<C> = C extends new (config: infer O) => DataProxy ? NonNullable<O> : never;
/** Options with a `type` from a table. Without one: that of the base model, else 'rest'. */
export type NamedProxy<T extends ProxyTypes> = {
  [K in keyof T]: (K extends 'rest' ? { type?: K } : { type: K }) & ConfigOf<T[K]>;
}[keyof T];
/** How records travel: a proxy, options with the name of one, or options with a class. */
export type ProxyOption<T extends ProxyTypes, C = never> =
  | DataProxy
  | ([keyof T] extends [never] ? NoNames : NamedProxy<T>)
  | ({ type: C } & ConfigOf<C>);
interface NoNames {
  type: Problem<'this Model knows no proxy by name: give the class, such as type: RestProxy'>;
}

/** Settings that models inherit. */
export interface ModelDefaults<T extends ProxyTypes, C = never> {
  /** A proxy, or a config whose `type` is a name from `proxyTypes` or a class. Merged over the base model's, key by key. */
  proxy?: ProxyOption<T, C>;
  /** Derives mappings from field names: `createdAt` is `created_at` on the wire. @default the names as they are */
  naming?: Naming;
  /**
   * How new records are identified until the server gives an id; `{ prefix, seed }` says how to count. With `natural` the
   * application gives the id (an e-mail address, a code): creates send it, and a new record without one is refused with a
   * `ValidationError` (H14).
   * @default 'negative' for numbers, else 'sequential'
   */
  identifier?: IdentifierConfig;
  /** Texts that replace the built-in ones. */
  messages?: Messages;
}

/** What `define` takes. */
export interface ModelConfig<F, T extends ProxyTypes, C, A, D = unknown> extends ModelDefaults<T, C> {
  /** Stable name of the model, also after minification. */
  name?: string;
  /** The fields: type names, schemas, models, or options. */
  fields: F;
  /** Name of the field that holds the record's id. @default 'id' */
  idProperty?: NoInfer<keyof F & string>;
  /** Calls beyond create, read, update and destroy. */
  actions?: A;
  /** A type that the fields must agree with: `matches: json<UserDto>()`. */
  matches?: StandardSchemaV1<D>;
}
