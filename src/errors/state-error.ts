import { DataError, type DataErrorOptions } from './data-error.js';
import type { MessageKey, MessageParams } from './messages.js';

/** What {@link StateError} tells apart. */
export type StateCode = 'erased' | 'busy' | 'duplicate' | 'foreign' | 'field' | 'unresolvable';

/** A call that the state of a record or store does not allow. A mistake to mend in the code, not an outcome to handle. */
export class StateError extends DataError {
  override readonly name = 'StateError' as const;
  readonly code: StateCode;

  constructor(code: StateCode, reason: MessageKey, params: MessageParams, options?: DataErrorOptions) {
    super(reason, params, options);
    this.code = code;
  }
}
