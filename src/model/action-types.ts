import type { StandardSchemaV1 } from '../util/standard-schema.js';
import type { ActionOptions } from './action-options.js';
import type { BaseModel } from './base-model.js';

/** A call of a model beyond create, read, update and destroy: `POST /orders/7/cancel`. */
export interface ActionConfig {
  /** HTTP method of the request. @default 'POST' */
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Last segment of the address. @default the action's name */
  path?: string;
  /** Whether it is about one record, or the collection. @default 'record' */
  on?: 'record' | 'collection';
  /** What the body must be. */
  body?: StandardSchemaV1;
  /** What comes back: the record anew, a blob, or what a schema reads. @default nothing */
  reply?: 'record' | 'blob' | StandardSchemaV1;
}
/** Declared actions by name: the option `actions` of a model. */
export type ActionConfigs = Record<string, ActionConfig>;
/** The actions of a model as functions. */
export type Actions<A> = { readonly [K in keyof A]: ActionCall<A[K]> };
type ActionCall<A> = A extends { on: 'collection' }
  ? (...args: ActionBody<A>) => Promise<ActionReply<A, unknown>>
  : <M extends BaseModel>(record: M, ...args: ActionBody<A>) => Promise<ActionReply<A, M>>;
type ActionBody<A> = A extends { body: infer S extends StandardSchemaV1 }
  ? [body: StandardSchemaV1.InferInput<S>, options?: ActionOptions<unknown>]
  : [options?: ActionOptions<unknown>];
type ActionReply<A, M> = A extends { reply: infer R }
  ? R extends 'record'
    ? M
    : R extends 'blob'
      ? Blob
      : R extends StandardSchemaV1
        ? StandardSchemaV1.InferOutput<R>
        : void
  : void;
