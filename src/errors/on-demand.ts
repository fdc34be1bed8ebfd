import { hasErrorBrand } from './data-error.js';
import { NetworkError } from './network-error.js';

/** A part of the package that is loaded where it is used; a `NetworkError` where it cannot be fetched. */
export async function onDemand<T>(part: Promise<T>): Promise<T> {
  try {
    return await part;
  } catch (cause) {
    if (hasErrorBrand(cause)) throw cause;
    const network = 'Nothing was sent: a part of the package could not be loaded ({why})';
    throw new NetworkError(cause, { messages: { network } });
  }
}
