import type { Operation } from '../operation/operation.js';

/** Options of one call: what goes with the request, and whom to tell beside the promise. */
export interface ActionOptions<M> {
  /** Query parameters; they beat the proxy's. */
  params?: Record<string, unknown> | undefined;
  /** Values for the `{name}`s of the proxy's `url`. */
  pathParams?: Record<string, string | number> | undefined;
  /** Takes the place of the proxy's `url` for this call. */
  url?: string | undefined;
  /** Headers of this request; they beat the proxy's. */
  headers?: Record<string, string> | undefined;
  /** Aborts the call: the promise rejects with `AbortError`. */
  signal?: AbortSignal | undefined;
  /** Called once when it went well, before the promise resolves. */
  success?(record: M, operation: Operation): void;
  /** Called once when it failed, before the promise rejects; with it, a rejection nobody handles is no error. */
  failure?(record: M, operation: Operation): void;
  /** Called once either way, after `success` or `failure`. */
  callback?(record: M, operation: Operation, success: boolean): void;
}

/** Options of `Model.load()`. */
export interface RecordLoadOptions<M> extends ActionOptions<M> {
  /**
   * Whether the answer may hold a record with another id than the one that was asked for: `load('me', { anyId: true })`. The record
   * has the id of its row (H6). Otherwise another id is a `ReadError`. @default false
   */
  anyId?: boolean | undefined;
}

/** Options of `save()`. */
export interface SaveOptions<M> extends ActionOptions<M> {
  /**
   * Sends a create again that is in doubt (`$.inDoubt`), although that may make a second record. Not needed where the proxy uses
   * `idempotency()`. @default false
   */
  repeat?: boolean | undefined;
}
