import { afterEach, describe, expect, test, vi } from 'vitest';
import { type RealServer, START_TIMEOUT, startDjango, startJsonServer, USERS } from '../helpers/servers/index.js';

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

describe.each([
  { name: 'json-server', start: startJsonServer, path: '/users/1' },
  { name: 'Django REST Framework', start: startDjango, path: '/api/users/1/' },
])('a start of $name', ({ start, path }) => {
  test(
    'answers with the seeded rows',
    async () => {
      const server = await started(start);
      expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
      const response = await fetch(server.url + path);
      expect(await response.json()).toMatchObject({ ...USERS[0] });
    },
    START_TIMEOUT,
  );

  test(
    'shares neither port nor rows with another server',
    async () => {
      const [one, two] = await Promise.all([started(start), started(start)]);
      expect(one.url).not.toBe(two.url);
      expect((await fetch(one.url + path, { method: 'DELETE' })).ok).toBe(true);
      expect((await fetch(one.url + path)).status).toBe(404);
      expect((await fetch(two.url + path)).status).toBe(200);
    },
    START_TIMEOUT,
  );

  test(
    'no longer answers after stop()',
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
