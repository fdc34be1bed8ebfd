import { DataError } from './data-error.js';

/** The request has no safe address; nothing was sent (H1 to H5, H10). */
export class AddressError extends DataError {
  override readonly name = 'AddressError' as const;
  readonly code = 'address' as const;
}
