import type { Operation } from '../operation/operation.js';
import { hasErrorBrand } from './data-error.js';
import type { Messages } from './messages.js';
import { NetworkError } from './network-error.js';

/** Runs a part of an operation; whatever it throws becomes an error of ours that knows the operation, and is thrown on. */
export async function within<T>(
  operation: Operation,
  messages: Messages | undefined,
  act: () => Promise<T>,
): Promise<T> {
  try {
    return await act();
  } catch (cause) {
    const error = hasErrorBrand(cause) ? cause : new NetworkError(cause);
    operation.error = error.inContext(operation, messages);
    throw error;
  }
}
