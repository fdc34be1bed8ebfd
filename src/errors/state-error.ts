import { DataError, type DataErrorOptions } from './data-error.js';
import type { MessageKey, MessageParams } from './messages.js';

/** Codes of {@link StateError}. */
export type StateCode = 'erased' | 'busy' | 'duplicate' | 'foreign' | 'field' | 'unresolvable' | 'disposed';

/** The state of a record or store does not allow the call. This is a mistake in the code: correct the code instead of handling the error. */
export class StateError extends DataError {
  override readonly name = 'StateError' as const;
  readonly code: StateCode;

  constructor(code: StateCode, reason: MessageKey, params: MessageParams, options?: DataErrorOptions) {
    super(reason, params, options);
    this.code = code;
  }
}
