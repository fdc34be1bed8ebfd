import { rejectMistake } from '../dev/checks.js';
import { type DataError, hasErrorBrand } from '../errors/data-error.js';
import { toDataError } from '../errors/error-context.js';
import type { Messages } from '../errors/message-format.js';
import { Operation, type OperationConfig } from '../operation/operation.js';
import { MODEL } from '../operation/operation-record.js';
import { CallController } from '../util/abort.js';
import { callSafely } from '../util/notifier.js';
import type { CallbackOptions, SaveOptions } from './action-options.js';
import { coreOf, type InnerRecord } from './record.js';

/** Options of a call, for any type of record. */
export type CallOptions = SaveOptions<never> | undefined;
/** Reports the operation that a call runs to its callbacks; returns the operation. */
export type OperationListener = (operation: Operation) => Operation;

/** The listener of a call that has no callbacks. */
export const unheard: OperationListener = (operation) => operation;

/** Throws `DefinitionError` for options that a call does not accept. */
export type CheckCall = (options: unknown) => void;

/** Whether a call adds no address, parameters or headers to the request of its record. */
export function isOrdinaryRequest(
  options: Pick<OperationConfig, 'params' | 'pathParams' | 'url' | 'headers' | 'fields'> = {},
): boolean {
  const { params, pathParams, url, headers, fields } = options;
  return (params ?? pathParams ?? url ?? headers ?? fields) === undefined;
}

/**
 * Runs a call, then each of its callbacks once, if it takes any. With a callback for failures, an unhandled rejection of the promise is not
 * reported. A mistake in the options rejects before anything is done, and calls no callback. `messages` are the texts of the model.
 */
export function runCall<M>(
  check: CheckCall | undefined,
  options: unknown,
  messages: Messages | undefined,
  run: (onOperation: OperationListener) => Promise<M>,
  callbacks?: CallbackOptions<M>,
  record?: M,
): Promise<M> {
  const rejected = options === undefined ? undefined : rejectMistake(check, options, messages);
  if (rejected) return rejected;
  let operation: Operation | undefined;
  const settle = async () => {
    try {
      const result = await run((each) => (operation = each));
      if (callbacks) runCallbacks(callbacks, result, true, operation);
      return result;
    } catch (error) {
      if (callbacks) runCallbacks(callbacks, record as M, false, operation ?? (error as DataError).operation);
      // An error with an operation has the texts already: those of the proxy, which take precedence.
      throw hasErrorBrand(error) && !error.operation ? error.inWords(messages) : error;
    }
  };
  const promise = settle();
  if (callbacks?.failure ?? callbacks?.callback) promise.catch(() => undefined);
  return promise;
}

/** Runs the callbacks of a call that has ended. */
function runCallbacks<M>(
  callbacks: CallbackOptions<M>,
  result: M,
  ok: boolean,
  operation: Operation = new Operation({ action: 'read' }),
): void {
  callSafely(() => (ok ? callbacks.success?.(result, operation) : callbacks.failure?.(result, operation)));
  callSafely(() => callbacks.callback?.(result, operation, ok));
}

/** Runs an operation of a record, so that `$.abort()` aborts it and its errors name the operation. */
export async function runOperation<T>(record: InnerRecord, operation: Operation, run: () => Promise<T>): Promise<T> {
  const core = coreOf(record);
  const controllers = (core.controllers ??= new Set());
  const controller = new CallController();
  let unfollow: (() => void) | undefined;
  operation.controller = controller;
  controllers.add(controller);
  try {
    if (operation.signal) unfollow = record[MODEL].signals.follow(controller, operation.signal);
    (operation as { signal: AbortSignal }).signal = controller.signal;
    return await run();
  } catch (cause) {
    throw toDataError(operation, record[MODEL].messages, cause);
  } finally {
    unfollow?.();
    operation.controller = undefined;
    controllers.delete(controller);
  }
}
