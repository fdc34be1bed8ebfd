import type { StandardSchemaV1 } from '../util/standard-schema.js';
import type { ActionOptions } from './action-options.js';
import type { Model } from './model.js';
import type { CreateAction } from './parts/declared-actions.js';
import type { ACTION } from './symbols.js';

/** A declared action: a request beyond create, read, update and destroy, such as `POST /orders/7/cancel`. */
export interface ActionConfig {
  /** The HTTP method. @default 'POST' */
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The last segment of the address. @default the action's name */
  path?: string;
  /** Whether the action is about one record, or about the collection. @default 'record' */
  on?: 'record' | 'collection';
  /** The schema of the body; without one, the request has no body. */
  body?: StandardSchemaV1;
  /** The content of the response: the record's row, a blob, or a value that a schema reads. @default nothing */
  reply?: 'record' | 'blob' | StandardSchemaV1;
}
/** The declaration of an action, as `action()` returns it. */
export type DeclaredAction<A = ActionConfig> = A & { readonly [ACTION]: CreateAction };
/** The declared actions of a model by name: its option `actions`. */
export type ActionConfigs = Record<string, DeclaredAction>;
/** The actions of a model as functions. */
export type Actions<A> = { readonly [K in keyof A]: ActionCall<A[K]> };
type ActionCall<A> = A extends { on: 'collection' }
  ? (...args: ActionBody<A>) => Promise<ActionReply<A, unknown>>
  : <M extends Model>(record: M, ...args: ActionBody<A>) => Promise<ActionReply<A, M>>;
type ActionBody<A> = A extends { body: infer S extends StandardSchemaV1 }
  ? [body: StandardSchemaV1.InferInput<S>, options?: ActionOptions]
  : [options?: ActionOptions];
type ActionReply<A, M> = A extends { reply: infer R }
  ? R extends 'record'
    ? M
    : R extends 'blob'
      ? Blob
      : R extends StandardSchemaV1
        ? StandardSchemaV1.InferOutput<R>
        : void
  : void;
