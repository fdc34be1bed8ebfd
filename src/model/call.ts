import type { DataError } from '../errors/data-error.js';
import type { OperationConfig } from '../operation/operation.js';
import { Operation } from '../operation/operation.js';
import { callSafely } from '../util/event-emitter.js';
import type { ActionOptions } from './action-options.js';
import { coreOf, type InnerRecord } from './record.js';

/** Runs the callbacks of a call, once, beside its promise. */
export async function withCallbacks<M>(
  options: ActionOptions<M> | undefined,
  record: M,
  run: (use: (operation: Operation) => Operation) => Promise<M>,
): Promise<M> {
  let operation: Operation | undefined;
  const use = (given: Operation) => (operation = given);
  const ended = (result: M, ok: boolean) => {
    const told = operation ?? new Operation({ action: 'read' });
    const own = ok ? options?.success : options?.failure;
    if (own) callSafely(own.bind(options), result, told);
    if (options?.callback) callSafely(options.callback.bind(options), result, told, ok);
  };
  try {
    const result = await run(use);
    ended(result, true);
    return result;
  } catch (error) {
    operation ??= (error as DataError).operation;
    ended(record, false);
    throw error;
  }
}

/** Marks a promise as handled where the caller listens by `failure` or `callback`. */
export function handled<T>(promise: Promise<T>, options: ActionOptions<never> | undefined): Promise<T> {
  if (options?.failure || options?.callback) promise.catch(() => undefined);
  return promise;
}

/** What of a call's options goes with the request. */
export function requestOptions(options: ActionOptions<never> | undefined): Partial<OperationConfig> {
  const { params, pathParams, url, headers, signal } = options ?? {};
  return { params, pathParams, url, headers, signal };
}

/** Runs a request of a record so that `$.abort()` reaches it. */
export async function abortable<T>(
  record: InnerRecord,
  signal: AbortSignal | undefined,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { controllers } = coreOf(record);
  const controller = new AbortController();
  const abort = () => controller.abort(signal?.reason);
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort, { once: true });
  controllers.add(controller);
  try {
    return await run(controller.signal);
  } finally {
    controllers.delete(controller);
    signal?.removeEventListener('abort', abort);
  }
}
