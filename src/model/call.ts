import type { DataError } from '../errors/data-error.js';
import { toDataError } from '../errors/error-context.js';
import { Operation } from '../operation/operation.js';
import { MODEL } from '../operation/operation-record.js';
import { CallController } from '../util/call-controller.js';
import { callSafely } from '../util/event-emitter.js';
import type { ActionOptions, SaveOptions } from './action-options.js';
import { coreOf, type InnerRecord } from './record.js';

/** Options of a call, whatever its record. */
export type CallOptions = SaveOptions<never> | undefined;
/** Tells the call which operation it became. */
export type Use = (operation: Operation) => Operation;

/** Runs a call, and its callbacks, once, beside its promise; where one listens for failures, nobody else needs to. */
export function withCallbacks<M>(options: unknown, record: M, run: (use: Use) => Promise<M>): Promise<M> {
  const given = (options ?? {}) as ActionOptions<M>;
  let operation: Operation | undefined;
  const end = (result: M, ok: boolean) => {
    const told = operation ?? new Operation({ action: 'read' });
    callSafely(() => (ok ? given.success?.(result, told) : given.failure?.(result, told)));
    callSafely(() => given.callback?.(result, told, ok));
  };
  const call = async () => {
    try {
      const result = await run((each) => (operation = each));
      end(result, true);
      return result;
    } catch (error) {
      operation ??= (error as DataError).operation;
      end(record, false);
      throw error;
    }
  };
  const promise = call();
  if (given.failure ?? given.callback) promise.catch(() => undefined);
  return promise;
}

/** Runs an operation of a record so that `$.abort()` reaches it, and errors know it. */
export async function runOperation<T>(record: InnerRecord, operation: Operation, run: () => Promise<T>): Promise<T> {
  const core = coreOf(record);
  const controllers = (core.controllers ??= new Set());
  const controller = new CallController();
  let unfollow: (() => void) | undefined;
  operation.controller = controller;
  controllers.add(controller);
  try {
    unfollow = record[MODEL].signals.follow(controller, operation.signal);
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
