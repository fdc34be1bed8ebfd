import { errorWithin } from '../errors/within.js';
import { modelOf } from '../operation/operation-record.js';
import type { Call, Send } from './call.js';
import type { Extension } from './extension.js';
import type { Outcome, Write, WriteStep } from './write.js';

/** Puts the `send` hooks around what sends a call once; without hooks, that is returned as it is. */
export function composeSend(extensions: readonly Extension[], sendOnce: Send): Send {
  return extensions.reduceRight<Send>(
    (next, extension) => (extension.send ? (call: Call) => extension.send?.(call, next) as ReturnType<Send> : next),
    sendOnce,
  );
}

/** Puts the `write` hooks around a step; without hooks, that is returned as it is. */
export function composeWrite(extensions: readonly Extension[], step: WriteStep): WriteStep {
  return extensions.reduceRight<WriteStep>(
    (next, extension) =>
      extension.write ? guarded((write) => extension.write?.(write, next) as ReturnType<WriteStep>) : next,
    step,
  );
}

/** A step that never rejects: what it throws is how all records of the write ended. It begins in the tick in which it is called. */
function guarded(step: WriteStep): WriteStep {
  return async (write) => {
    try {
      return await step(write);
    } catch (cause) {
      return failedOutcomes(write, cause);
    }
  };
}

/** The outcomes of a write that ended with one error for all its records. */
export function failedOutcomes({ operation, records }: Write, cause: unknown): readonly Outcome[] {
  const error = errorWithin(operation, modelOf(operation)?.messages, cause);
  return records.map(() => ({ error }));
}
