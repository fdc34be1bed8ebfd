import { hasErrorBrand } from '../errors/data-error.js';
import { toDataError } from '../errors/error-context.js';
import { modelOf } from '../operation/operation-record.js';
import { isObject } from '../util/data-path.js';
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
      extension.write
        ? guarded(extension.name, (write) => extension.write?.(write, next) as ReturnType<WriteStep>)
        : next,
    step,
  );
}

/**
 * A step that never rejects, and has an outcome for each record: what it throws is how all records of the write ended. It begins in
 * the tick in which it is called.
 */
function guarded(name: string, step: WriteStep): WriteStep {
  return async (write) => {
    try {
      const outcomes: unknown = await step(write);
      checkOutcomes(outcomes, name, write.records.length);
      return outcomes;
    } catch (cause) {
      return failedOutcomes(write, cause);
    }
  };
}

/** Throws where a hook did not give an outcome for each record: those without one would never settle. */
function checkOutcomes(given: unknown, name: string, count: number): asserts given is readonly Outcome[] {
  if (Array.isArray(given) && given.length === count && given.every(isOutcome)) return;
  throw new TypeError(
    `the \`write\` hook of the extension '${name}' must resolve with a list of ${count} outcomes, one for each record: \`{ row }\`, or \`{ error }\` with a DataError`,
  );
}

function isOutcome(given: unknown): given is Outcome {
  if (!isObject(given)) return false;
  const { error } = given as Partial<Outcome>;
  return error === undefined || hasErrorBrand(error);
}

/** The outcomes of a write that ended with one error for all its records. */
export function failedOutcomes({ operation, records }: Write, cause: unknown): readonly Outcome[] {
  const error = toDataError(operation, modelOf(operation)?.messages, cause);
  return records.map(() => ({ error }));
}
