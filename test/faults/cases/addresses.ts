import { AddressError, Operation, RestProxy } from 'repose';
import type { Random } from '../random.js';
import type { RandomCheck } from './random-check.js';

const COLLECTION = 'http://a.test/api/users';
const pieces = ['7', '.', '..', '/', '\\', '%2e', '%2F', '%', '?', '#', ' ', 'é', "'", '(', 'a', '\u0000', '\ud800'];

const proxy = new RestProxy({ baseUrl: 'http://a.test/api', url: '/users', noCache: false });

/** A request leaves its collection for no id, or it is refused. */
export const addresses: RandomCheck = {
  name: 'addresses',
  tryCase(random) {
    const action = random.pick(['read', 'destroy'] as const);
    const id = randomText(random);
    let url: string | undefined;
    try {
      url = proxy.buildRequest(new Operation({ action, id })).url;
    } catch (error) {
      if (error instanceof AddressError) return undefined;
      throw error;
    }
    const { href } = new URL(`http://a.test/api${url}`);
    const isInside = href.startsWith(`${COLLECTION}/`) || (action === 'read' && href === COLLECTION && id === '');
    return isInside ? undefined : `${action} of ${JSON.stringify(id)} goes to ${href}`;
  },
};

function randomText(random: Random): string {
  return Array.from({ length: random.integer(0, 5) }, () => random.pick(pieces)).join('');
}
