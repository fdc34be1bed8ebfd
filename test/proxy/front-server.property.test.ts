import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { posix } from 'node:path';
import fc from 'fast-check';
import { AddressError } from 'repose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AddressCases } from '../faults/cases/address-case.js';
import { brokenPromise } from '../faults/cases/addresses.js';
import { Random } from '../faults/random.js';

/** The addresses that the server behind the front server would get. */
const arrived: URL[] = [];
let front: Server;

/** The path as a front server passes it on: decoded, with backslashes as slashes, and resolved. */
function passedOn(path: string): string {
  // Bytes that are no UTF-8, as overrides of `encodeId` write them, stay as they are.
  const decoded = path.replace(/(?:%[\da-f]{2})+/gi, (bytes) => {
    try {
      return decodeURIComponent(bytes);
    } catch {
      return bytes;
    }
  });
  return posix.normalize(decoded.replaceAll('\\', '/'));
}

beforeAll(async () => {
  front = createServer(({ url = '' }, answer) => {
    const [path = '', query = ''] = url.split(/\?(.*)/s);
    const back = new URL(`http://back.test/?${query}`);
    // Encoded once more: the server behind it gets exactly this path.
    back.pathname = passedOn(path).split('/').map(encodeURIComponent).join('/');
    arrived.push(back);
    answer.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
  }).listen(0, '127.0.0.1');
  await once(front, 'listening');
});

afterAll(() => {
  front.close();
  front.closeAllConnections();
});

test('behind a server that decodes paths, every request is at its record, or it was refused', async () => {
  const { port } = front.address() as AddressInfo;
  const cases = new AddressCases({ baseUrl: `http://127.0.0.1:${port}` });
  let reached = 0;
  await fc.assert(
    fc.asyncProperty(fc.nat(), async (seed) => {
      const given = cases.next(new Random(seed, 'front'));
      arrived.length = 0;
      const error = await given.proxy.execute(given.operation).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      if (error instanceof AddressError) expect(given.mustPass, given.shown).toBe(false);
      if (error instanceof AddressError) expect(arrived).toEqual([]);
      else expect(arrived, given.shown).toHaveLength(1);
      for (const url of arrived) expect(brokenPromise(given, url), given.shown).toBeUndefined();
      reached += arrived.length;
    }),
    { numRuns: 1500 },
  );
  expect(reached).toBeGreaterThan(100);
});
