import type { Operation } from '../operation/operation.js';
import { hasErrorBrand } from './data-error.js';
import { DefinitionError } from './definition-error.js';
import type { Messages } from './messages.js';

/**
 * Runs a part of an operation; an error of ours learns the operation it belongs to and is thrown on. What anything else throws
 * (a `headers` function, a `transform`) is the application's mistake, and says so.
 */
export async function within<T>(
  operation: Operation,
  messages: Messages | undefined,
  act: () => Promise<T>,
): Promise<T> {
  try {
    return await act();
  } catch (cause) {
    const error = hasErrorBrand(cause) ? cause : new DefinitionError('hook', { why: cause }, { cause });
    operation.error = error.inContext(operation, messages);
    throw error;
  }
}
