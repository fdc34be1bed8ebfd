import type { Operation } from '../operation/operation.js';
import type { FieldName } from './infer.js';

/** Options of one call: additions to the request. */
export interface ActionOptions {
  /** Query parameters; they take precedence over the proxy's. */
  params?: Record<string, unknown> | undefined;
  /** Values for the templates (`{name}`) in the proxy's `url`. */
  pathParams?: Record<string, string | number> | undefined;
  /** Replaces the proxy's `url` for this call. */
  url?: string | undefined;
  /** Headers of this request; they take precedence over the proxy's. */
  headers?: Record<string, string> | undefined;
  /** Aborts the call: the promise rejects with `AbortError`. */
  signal?: AbortSignal | undefined;
}

/** Options of the load or save of a record: additions to the request, and callbacks beside the promise. */
export interface CallbackOptions<M> extends ActionOptions {
  /**
   * Called once when the call has succeeded, before the promise resolves.
   *
   * @example
   * ```ts
   * await user.save({
   *   success: (saved) => show(`${saved.name} is saved`),
   *   failure: (_, { error }) => show(error?.userMessage),
   * });
   * ```
   */
  success?(record: M, operation: Operation): void;
  /** Called once when the call has failed, before the promise rejects. With `failure`, an unhandled rejection is not reported. */
  failure?(record: M, operation: Operation): void;
  /** Called once in either case, after `success` or `failure`. With `callback`, an unhandled rejection is not reported. */
  callback?(record: M, operation: Operation, success: boolean): void;
}

/** Options of `record.load()`. */
export interface ReadOptions<M> extends CallbackOptions<M> {
  /**
   * The fields that the response should have; a server that can do it leaves the others out. What is known of the others stays. A write that
   * needs the whole row reads it first. @default all
   */
  fields?: readonly FieldName<M>[] | undefined;
}

/** Options of `Model.load()`. */
export interface RecordLoadOptions<M> extends ReadOptions<M> {
  /**
   * Accepts a response whose record has another id than the one that was requested: `load('me', { anyId: true })`. The record gets
   * the id of its row. Without this option, another id is a `ReadError`. @default false
   */
  anyId?: boolean | undefined;
}

/** Options of `load()` of a session. */
export type SharedLoadOptions<M = never> = Omit<RecordLoadOptions<M>, 'success' | 'failure' | 'callback'>;

/** Options of `save()`. */
export interface SaveOptions<M> extends CallbackOptions<M> {
  /**
   * Sends an unconfirmed create (`$.unconfirmed`) again, although this may make a second record on the server. Not needed if the
   * proxy uses `idempotency()`. @default false
   */
  repeat?: boolean | undefined;
  /**
   * Whether the records that refer to this one are written too, those that the stores of `childrenOf` know, and their children: as
   * `saveGraph()` does. The promise then rejects with a `BatchError` if one of them could not be written. Takes no `url`, `pathParams` or
   * `repeat`, which are of one request. @default false
   */
  children?: boolean | undefined;
}
