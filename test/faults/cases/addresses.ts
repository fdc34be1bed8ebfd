import { AddressError, type Operation, type RestProxy } from 'repose';
import { type AddressCase, AddressCases } from './address-case.js';
import { segmentsBehindFront, segmentsOf } from './front-server.js';
import type { RandomCheck } from './random-check.js';

const cases = new AddressCases({ baseUrl: 'http://a.test' });

/** Whatever ids, template values and subpaths hold, a request stays in its collection and at its record, or it is refused. */
export const addresses: RandomCheck = {
  name: 'addresses',
  tryCase(random) {
    const given = cases.next(random);
    const url = addressOf(given.proxy, given.operation);
    const broken =
      url instanceof AddressError ? wronglyRefused(given, url) : brokenPromise(given, new URL(url, 'http://a.test'));
    return broken && `${given.shown}\n${broken}`;
  },
};

function addressOf(proxy: RestProxy, operation: Operation): string | AddressError {
  try {
    return proxy.buildRequest(operation).url as string;
  } catch (error) {
    if (error instanceof AddressError) return error;
    throw error;
  }
}

function wronglyRefused({ mustPass }: AddressCase, { message }: AddressError): string | undefined {
  return mustPass ? `was refused: ${message}` : undefined;
}

/** Why the address that was sent breaks a promise; undefined if it keeps all. */
export function brokenPromise(given: AddressCase, { pathname, searchParams }: URL): string | undefined {
  const { base, path, parameter, namesRecord, mayPass } = given;
  if (!mayPass) return `was sent to ${pathname}`;
  const arrived = segmentsBehindFront(pathname);
  const collection = segmentsOf(base);
  if (path !== undefined && !isSame(arrived, segmentsOf(path))) return `reaches ${arrived.join('/')}, not ${path}`;
  if (path === undefined && !isBelow(arrived, collection)) return `leaves ${base} for ${arrived.join('/')}`;
  if (namesRecord && arrived.join('/') === collection.join('/')) return 'reaches the whole collection';
  if (parameter !== undefined && searchParams.get('id') !== parameter) return `asks for ${searchParams.get('id')}`;
  return undefined;
}

function isSame(one: readonly string[], two: readonly string[]): boolean {
  return one.length === two.length && one.every((each, at) => each === two[at]);
}

/** Whether a path is that of a collection or below it; the key of an entity, or a format, may follow the last segment. */
function isBelow(arrived: readonly string[], collection: readonly string[]): boolean {
  return collection.every((each, at) => {
    const segment = arrived[at] ?? '';
    const isLast = at === collection.length - 1;
    return segment === each || (isLast && (segment.startsWith(`${each}(`) || segment.startsWith(`${each}.`)));
  });
}
