import { AddressError } from '../../errors/mistakes.js';

/** The error of an address that needs the id of a new record: that record must be saved first (H10). */
export function unsavedError(name: string): AddressError {
  return new AddressError('template-phantom', { name, url: `{${name}}` });
}
