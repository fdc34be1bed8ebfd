import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Libsql from 'libsql';
import { afterEach, expect, test } from 'vitest';
import { createDemoServer, DemoServerError, type DemoServerOptions } from '../../demo/server/index.js';
import { startServer, temporaryFolder } from './running-server.js';

const cleanups: (() => void | Promise<void>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function folder(): string {
  const { path, remove } = temporaryFolder();
  cleanups.push(remove);
  return path;
}

async function running(options: Partial<DemoServerOptions> = {}) {
  const started = await startServer(options);
  cleanups.push(() => started.stop());
  return started;
}

function failure(run: () => unknown): DemoServerError {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(DemoServerError);
    return error as DemoServerError;
  }
  throw new Error('nothing was thrown');
}

test('listens on a free port and returns its url', async () => {
  const { url, get } = await running();
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect((await get('/api/teams')).body).toHaveLength(12);
});

test('answers in the same process without a socket', async () => {
  const server = createDemoServer({ file: join(folder(), 'a.sqlite'), rows: 5 });
  cleanups.push(() => server.close());
  const response = await server.app.fetch(new Request('http://demo.test/api/tasks'));
  expect(await response.json()).toHaveLength(5);
});

test('creates about 12 teams, 400 users and the given number of tasks', async () => {
  const { get } = await running({ rows: 321 });
  const total = async (path: string) => (await get(`${path}?limit=1`)).headers.get('X-Total-Count');
  expect([await total('/api/teams'), await total('/api/users'), await total('/api/tasks')]).toEqual([
    '12',
    '400',
    '321',
  ]);
});

test('creates rows of the documented shape', async () => {
  const { get } = await running();
  expect((await get('/api/users/1')).body).toEqual({
    id: 1,
    name: expect.any(String),
    email: expect.stringMatching(/^[a-z.\d]+@example\.com$/),
    role: expect.stringMatching(/^(admin|member)$/),
    teamId: expect.any(Number),
    joined: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    active: expect.any(Boolean),
    salary: expect.stringMatching(/^\d+\.\d\d$/),
    settings: { theme: expect.any(String), tags: expect.any(Array) },
    avatarHue: expect.any(Number),
    badge: 'B-0001',
  });
  const task = (await get('/api/tasks/1')).body;
  expect(Object.keys(task)).toEqual([
    'id',
    'title',
    'done',
    'priority',
    'due',
    'userId',
    'teamId',
    'estimate',
    'origin',
    'createdAt',
    'updatedAt',
    'version',
  ]);
});

test('creates the same rows from the same seed and others from another', async () => {
  const [one, same, other] = [await running({ seed: 5 }), await running({ seed: 5 }), await running({ seed: 6 })];
  const rows = (await one.get('/api/users')).body;
  expect((await same.get('/api/users')).body).toEqual(rows);
  expect((await other.get('/api/users')).body).not.toEqual(rows);
});

test('keeps its rows in the file, and fills the file again on reset', async () => {
  const file = join(folder(), 'kept.sqlite');
  const first = await running({ file });
  await first.send('PATCH', '/api/teams/1', { json: { name: 'Renamed' } });
  await first.server.close();
  const second = await running({ file });
  expect((await second.get('/api/teams/1')).body.name).toBe('Renamed');
  second.server.reset();
  expect((await second.get('/api/teams/1')).body.name).toBe('Accounts');
});

test('leaves nothing but the file when it is closed', async () => {
  const path = folder();
  const { server } = await running({ file: join(path, 'only.sqlite') });
  expect(existsSync(join(path, 'only.sqlite-wal'))).toBe(true);
  await server.close();
  expect(readdirSync(path)).toEqual(['only.sqlite']);
});

test('says in one line that the port is in use', async () => {
  const { url } = await running();
  const port = Number(new URL(url).port);
  const server = createDemoServer({ file: join(folder(), 'b.sqlite'), rows: 1 });
  cleanups.push(() => server.close());
  const error = await server.listen(port).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(DemoServerError);
  expect(error).toMatchObject({
    code: 'port-in-use',
    message: `Port ${port} of 127.0.0.1 is in use; choose another, or 0 for any free one`,
  });
  expect((await server.listen(0)).port).not.toBe(port);
});

test('says in one line that the file cannot be opened', () => {
  const path = folder();
  mkdirSync(join(path, 'folder'));
  writeFileSync(join(path, 'text'), 'no database '.repeat(200));
  const reasons = {
    'missing/x.sqlite': 'its folder does not exist',
    folder: 'it is not a file',
    text: 'file is not a database',
  };
  for (const [name, reason] of Object.entries(reasons)) {
    const error = failure(() => createDemoServer({ file: join(path, name) }));
    expect(error.code).toBe('database-unusable');
    expect(error.message).toBe(`Cannot open the database ${join(path, name)}: ${reason}`);
  }
});

test('says that the file cannot be written', () => {
  const file = join(folder(), 'locked.sqlite');
  const other = new Libsql(file);
  cleanups.push(() => void other.close());
  other.exec('BEGIN EXCLUSIVE');
  const error = failure(() => createDemoServer({ file, rows: 1 }));
  expect(error.code).toBe('database-unusable');
  expect(error.message).toContain('database is locked');
});

test('does not change the database of another application', () => {
  const file = join(folder(), 'other.sqlite');
  const other = new Libsql(file);
  cleanups.push(() => void other.close());
  other.exec('PRAGMA journal_mode = WAL');
  other.exec('CREATE TABLE users (precious TEXT)');
  expect(failure(() => createDemoServer({ file })).message).toContain('is the database of another application');
  expect(other.prepare('SELECT count(*) AS n FROM users').all([])).toEqual([{ n: 0 }]);
  expect(other.prepare('PRAGMA journal_mode').all([])).toEqual([{ journal_mode: 'wal' }]);
});

test('refuses impossible options', () => {
  expect(failure(() => createDemoServer({ file: join(folder(), 'c.sqlite'), rows: -1 })).code).toBe('bad-option');
});

test('can be closed twice, and then neither listens nor answers', async () => {
  const { server } = await running();
  await Promise.all([server.close(), server.close()]);
  await expect(server.listen()).rejects.toMatchObject({ code: 'closed' });
  expect(() => server.reset()).toThrow(DemoServerError);
  expect((await server.app.fetch(new Request('http://demo.test/api/users'))).status).toBe(503);
});

test('passes other paths than those of the API to the page function', async () => {
  const asked: string[] = [];
  const page = (path: string): Response | undefined => {
    asked.push(path);
    return path === '/' ? new Response('<h1>Demo</h1>', { headers: { 'Content-Type': 'text/html' } }) : undefined;
  };
  const { url, get, send } = await running({ page });
  expect(await (await fetch(url)).text()).toBe('<h1>Demo</h1>');
  expect((await get('/favicon.ico')).status).toBe(404);
  expect((await get('/api/nothing')).status).toBe(404);
  expect((await send('POST', '/')).status).toBe(404);
  expect(asked).toEqual(['/', '/favicon.ico']);
});

test('answers 404 outside the API without a page function', async () => {
  const { get } = await running();
  expect((await get('/')).headers.get('Content-Type')).toBe('application/problem+json');
});

test('logs a line for each request', async () => {
  const lines: string[] = [];
  const { get } = await running({ log: (line) => lines.push(line) });
  await get('/api/users/7?x=1');
  await get('/api/users/9999');
  expect(lines.slice(1)).toEqual(['GET /api/users/7 200', 'GET /api/users/9999 404']);
});

test('allows any origin and exposes the headers that clients need', async () => {
  const { url, send } = await running();
  const preflight = await fetch(`${url}/api/users/7`, {
    method: 'OPTIONS',
    headers: {
      Origin: 'http://app.test',
      'Access-Control-Request-Method': 'PATCH',
      'Access-Control-Request-Headers': 'if-match,idempotency-key',
    },
  });
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get('Access-Control-Allow-Methods')).toContain('PATCH');
  expect(preflight.headers.get('Access-Control-Allow-Headers')).toBe('if-match,idempotency-key');
  for (const path of ['/api/users/7', '/api/users/9999']) {
    const { headers } = await send('GET', path, { headers: { Origin: 'http://app.test' } });
    expect(headers.get('Access-Control-Allow-Origin')).toBe('*');
    const exposed = headers.get('Access-Control-Expose-Headers')?.split(',');
    expect(exposed).toEqual(expect.arrayContaining(['ETag', 'Location', 'Link', 'X-Total-Count']));
  }
});

test('refuses a body that is too large', async () => {
  const { send } = await running();
  const reply = await send('POST', '/api/users', { json: { name: 'x'.repeat(17 * 1024 * 1024) } });
  expect(reply.status).toBe(413);
});
