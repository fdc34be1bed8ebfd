import type { Operation } from '../operation/operation.js';
import { type DataError, hasErrorBrand } from './data-error.js';
import { DefinitionError } from './definition-error.js';
import type { Messages } from './messages.js';

/** Runs a part of an operation; what it throws is the operation's error. */
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
 * What was thrown while an operation ran, as its error: one of ours learns which operation it belongs to. What anything else
 * throws (a `headers` function, a `transform`) is the application's mistake, and says so.
 */
export function toDataError(operation: Operation, messages: Messages | undefined, cause: unknown): DataError {
  const error = hasErrorBrand(cause) ? cause : new DefinitionError('hook', { why: cause }, { cause });
  operation.error = error.inContext(operation, messages);
  return error;
}
