import type { Operation } from '../operation/operation.js';
import { type DataError, hasErrorBrand } from './data-error.js';
import type { Messages } from './message-format.js';
import { DefinitionError } from './mistakes.js';

/** Runs a part of an operation. An error that it throws becomes the error of the operation. */
export async function withErrorContext<T>(
  operation: Operation,
  messages: Messages | undefined,
  act: () => Promise<T>,
): Promise<T> {
  try {
    return await act();
  } catch (cause) {
    throw toDataError(operation, messages, cause);
  }
}

/**
 * Turns anything that was thrown while an operation ran into the error of the operation. Errors of this package get the operation.
 * Anything else comes from a function of the application, such as `headers` or `transform`, and becomes a `DefinitionError`.
 */
export function toDataError(operation: Operation, messages: Messages | undefined, cause: unknown): DataError {
  operation.error = asDataError(cause).inContext(operation, messages);
  return operation.error;
}

/** Anything that was thrown as an error of this package. */
export function asDataError(cause: unknown): DataError {
  return hasErrorBrand(cause) ? cause : new DefinitionError('hook', { why: cause }, { cause });
}

/** Runs a function. An error of this package that it throws gets the texts of `messages`. */
export function inWords<T>(messages: Messages | undefined, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw hasErrorBrand(error) ? error.inWords(messages) : error;
  }
}
