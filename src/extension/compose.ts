import { hasErrorBrand } from '../errors/data-error.js';
import { toDataError } from '../errors/error-context.js';
import { DefinitionError } from '../errors/mistakes.js';
import { modelOf } from '../operation/operation-record.js';
import type { AjaxProxy } from '../proxy/ajax-proxy.js';
import { isObject } from '../util/data-path.js';
import type { Extension, Send } from './extension.js';
import type { Outcome, Write, WriteStep } from './write.js';

/** Wraps `sendOnce` in the `send` hooks of a proxy's extensions. If no extension has one, `sendOnce` itself is returned. */
export function composeSend(proxy: AjaxProxy, sendOnce: Send): Send {
  return proxy.extensions.reduceRight<Send>(
    (next, extension) =>
      extension.send ? (request) => extension.send?.(request, next, proxy) as ReturnType<Send> : next,
    sendOnce,
  );
}

/** Wraps a step in the `write` hooks of the extensions. If no extension has one, the step itself is returned. */
export function composeWrite(extensions: readonly Extension[], step: WriteStep): WriteStep {
  return extensions.reduceRight<WriteStep>(
    (next, extension) =>
      extension.write
        ? catchErrors(
            extension.name,
            (write) => extension.write?.(write, sameWrite(write, next)) as ReturnType<WriteStep>,
          )
        : next,
    step,
  );
}

/** The next step of a write, which refuses any other object: a copy of a write would send other values than those captured. */
function sameWrite(write: Write, next: WriteStep): WriteStep {
  return (given) => {
    if (given !== write) throw new DefinitionError('write-captured', { what: 'The write given to `next`' });
    return next(write);
  };
}

/**
 * Wraps a `write` hook so that the result never rejects and has an outcome for each record: an error that the hook throws becomes the
 * outcome of all records of the write. The hook starts in the same tick.
 */
function catchErrors(name: string, step: WriteStep): WriteStep {
  return async (write) => {
    try {
      const outcomes: unknown = await step(write);
      checkOutcomes(outcomes, name, write.records.length);
      return outcomes;
    } catch (cause) {
      return failedOutcomes(write, withExtensionName(name, cause));
    }
  };
}

/** The error of a hook, which names its extension. Errors that an extension makes on purpose stay as they are. */
function withExtensionName(name: string, cause: unknown): unknown {
  if (!hasErrorBrand(cause)) return new DefinitionError('extension-failed', { name, why: cause }, { cause });
  if (cause.reason !== 'write-captured') return cause;
  return new DefinitionError('extension-captured', { what: cause.params['what'], name }, { cause });
}

/** Throws if a hook did not return an outcome for each record: a record without an outcome would never settle. */
function checkOutcomes(outcomes: unknown, name: string, count: number): asserts outcomes is readonly Outcome[] {
  if (Array.isArray(outcomes) && outcomes.length === count && outcomes.every(isOutcome)) return;
  throw new DefinitionError('extension-outcomes', { name, count });
}

function isOutcome(value: unknown): value is Outcome {
  if (!isObject(value)) return false;
  const { error } = value as Partial<Outcome>;
  return error === undefined || hasErrorBrand(error);
}

/** The outcomes of a write that failed as a whole: the same error for each record. */
export function failedOutcomes({ operation, records }: Write, cause: unknown): readonly Outcome[] {
  const error = toDataError(operation, modelOf(operation)?.messages, cause);
  return records.map(() => ({ error }));
}
