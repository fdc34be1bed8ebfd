import { toDataError } from '../errors/error-context.js';
import type { AnyDataError } from '../errors/is-data-error.js';
import { wrongValue } from '../errors/option-rules.js';
import { AbortError } from '../errors/request-errors.js';
import type { ModelDefinition } from '../model/model-definition.js';
import type { Operation } from '../operation/operation.js';
import { ignoreRejection } from '../util/ignore-rejection.js';

/**
 * Calls the `canLoad` of a store for a load. Returns an `AbortError` if the application refuses the load, a `DefinitionError` if its
 * function fails or returns no boolean, and undefined if the load may be sent.
 */
export function loadRefusal(
  config: { canLoad?(operation: Operation): boolean },
  operation: Operation,
  { name: model, messages }: ModelDefinition,
): AnyDataError | undefined {
  if (!config.canLoad) return undefined;
  try {
    const answer: unknown = config.canLoad(operation);
    if (answer === true) return undefined;
    if (answer === false) throw new AbortError('load-refused', { model });
    ignoreRejection(answer);
    throw wrongValue('The result of `canLoad`', 'true or false at once', answer);
  } catch (cause) {
    return toDataError(operation, messages, cause) as AnyDataError;
  }
}
