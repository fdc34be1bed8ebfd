import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  POWERDNS_KEY,
  type RealServer,
  START_TIMEOUT,
  startDjango,
  startJsonServer,
  startPowerDns,
  USERS,
  ZONES,
} from '../helpers/servers/index.js';

const running: RealServer[] = [];
const started = async (start: () => Promise<RealServer>) => {
  const server = await start();
  running.push(server);
  return server;
};

afterEach(async () => {
  vi.unstubAllEnvs();
  await Promise.all(running.splice(0).map((server) => server.stop()));
});

interface Case {
  readonly name: string;
  readonly start: () => Promise<RealServer>;
  readonly path: string;
  /** Part of the response. @default the first user */
  readonly answer?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

const zone = `/api/v1/servers/localhost/zones/${ZONES[0]?.id}`;
const cases: readonly Case[] = [
  { name: 'json-server', start: startJsonServer, path: '/users/1' },
  { name: 'Django REST Framework', start: startDjango, path: '/api/users/1/' },
  { name: 'PowerDNS', start: startPowerDns, path: zone, answer: { ...ZONES[0] }, headers: POWERDNS_KEY },
];

describe.each(cases)('a start of $name', ({ start, path, answer = { ...USERS[0] }, headers = {} }) => {
  test(
    'answers with the seeded rows',
    async () => {
      const server = await started(start);
      expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
      const response = await fetch(server.url + path, { headers });
      expect(await response.json()).toMatchObject(answer);
    },
    START_TIMEOUT,
  );

  test(
    'shares neither port nor rows with another server',
    async () => {
      const [one, two] = await Promise.all([started(start), started(start)]);
      expect(one.url).not.toBe(two.url);
      expect((await fetch(one.url + path, { method: 'DELETE', headers })).ok).toBe(true);
      expect((await fetch(one.url + path, { headers })).status).toBe(404);
      expect((await fetch(two.url + path, { headers })).status).toBe(200);
    },
    START_TIMEOUT,
  );

  test(
    'no longer responses after stop()',
    async () => {
      const server = await start();
      await server.stop();
      await server.stop();
      await expect(fetch(server.url + path)).rejects.toThrow();
    },
    START_TIMEOUT,
  );
});

test('the start without Django REST Framework fails and names the package to install', async () => {
  vi.stubEnv('REPOSE_PYTHON', '/nowhere/python3');
  await expect(startDjango()).rejects.toThrow(
    /did not start: no Python with Django REST Framework.*python3-djangorestframework.*\/nowhere\/python3/s,
  );
});
