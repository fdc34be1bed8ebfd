import { AddressError } from '../../errors/address-error.js';

/** Why there is no address: a new record would have to be saved first (H10). */
export function unsaved(name: string): AddressError {
  const messages = { 'template-phantom': "'{{name}}' is of a record that was never saved: save it first" };
  return new AddressError('template-phantom', { name, url: `{${name}}` }, { messages });
}
