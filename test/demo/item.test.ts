import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type RunningServer, startServer } from './running-server.js';

const NOW = '2030-01-02T03:04:05.678Z';

let demo: RunningServer;

beforeAll(async () => {
  demo = await startServer({ now: () => new Date(NOW) });
});

beforeEach(() => demo.server.reset());

afterAll(() => demo.stop());

describe('GET of one row', () => {
  test('returns the row and a strong ETag', async () => {
    const { status, headers, body } = await demo.get('/api/users/7');
    expect(status).toBe(200);
    expect(headers.get('ETag')).toMatch(/^"[\w-]{22}"$/);
    expect(body).toMatchObject({ id: 7, email: expect.stringContaining('@') });
  });

  test('answers 304 to its current ETag, and 200 to others', async () => {
    const tag = (await demo.get('/api/users/7')).headers.get('ETag') ?? '';
    for (const sent of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
      const reply = await demo.get('/api/users/7.json', { 'If-None-Match': sent });
      expect([reply.status, reply.body, reply.headers.get('ETag')]).toEqual([304, undefined, tag]);
    }
    expect((await demo.get('/api/users/7', { 'If-None-Match': '"other"' })).status).toBe(200);
  });

  test('changes the ETag with the row', async () => {
    const before = (await demo.get('/api/users/7')).headers.get('ETag');
    await demo.send('PATCH', '/api/users/7', { json: { name: 'Ada' } });
    expect((await demo.get('/api/users/7')).headers.get('ETag')).not.toBe(before);
  });

  test('answers HEAD like GET, without the body', async () => {
    const { status, headers, body } = await demo.send('HEAD', '/api/users/7');
    expect([status, body]).toEqual([200, undefined]);
    expect(headers.get('ETag')).toBeTruthy();
  });

  test.each(['9999', '0', '-1', '07', 'abc', '7.5', '99999999999999999999', '7%2F8', "1'%20OR%20'1"])(
    'answers 404 for the id %s',
    async (id) => {
      const { status, headers, body } = await demo.get(`/api/users/${id}`);
      expect(status).toBe(404);
      expect(headers.get('Content-Type')).toBe('application/problem+json');
      expect(body).toMatchObject({ type: 'about:blank', title: 'Not Found', status: 404, detail: expect.any(String) });
    },
  );
});

describe('PUT', () => {
  test('replaces the row and keeps the members that only the server sets', async () => {
    const row = (await demo.get('/api/users/7')).body;
    const { status, headers, body } = await demo.send('PUT', '/api/users/7', {
      json: { ...row, name: 'Ada Lovelace', salary: '10.50' },
    });
    expect(status).toBe(200);
    expect(body).toEqual({ ...row, name: 'Ada Lovelace', salary: '10.50' });
    expect((await demo.get('/api/users/7')).body).toEqual(body);
    expect((await demo.get('/api/users/7')).headers.get('ETag')).toBe(headers.get('ETag'));
  });

  test('keeps the text of a date and time, with its offset', async () => {
    const row = (await demo.get('/api/users/7')).body;
    const joined = '2020-02-29T12:00:00+02:00';
    expect((await demo.send('PUT', '/api/users/7', { json: { ...row, joined } })).body.joined).toBe(joined);
  });

  test('sets absent optional members to null', async () => {
    const { name, email, role, joined, active } = (await demo.get('/api/users/7')).body;
    const { body } = await demo.send('PUT', '/api/users/7', { json: { name, email, role, joined, active } });
    expect(body).toEqual({
      id: 7,
      name,
      email,
      role,
      joined,
      active,
      teamId: null,
      salary: null,
      settings: null,
      avatarHue: null,
      badge: null,
    });
  });

  test('refuses absent required members', async () => {
    const { status, body } = await demo.send('PUT', '/api/users/7', { json: { name: 'Ada' } });
    expect(status).toBe(422);
    expect(body.errors).toEqual({
      email: ['is required'],
      role: ['is required'],
      joined: ['is required'],
      active: ['is required'],
    });
  });

  test('keeps the members that the server sets itself', async () => {
    const row = (await demo.get('/api/tasks/7')).body;
    const { body } = await demo.send('PUT', '/api/tasks/7', {
      json: { ...row, title: 'New', createdAt: 'x', updatedAt: 'x', version: 99 },
    });
    expect(body).toEqual({ ...row, title: 'New', updatedAt: NOW, version: row.version + 1 });
  });

  test('neither stores nor refuses unknown members', async () => {
    const row = (await demo.get('/api/teams/1')).body;
    const json = JSON.parse(`${JSON.stringify(row).slice(0, -1)},"unknown":1,"__proto__":{"city":"Rome"}}`);
    expect((await demo.send('PUT', '/api/teams/1', { json })).body).toEqual(row);
  });

  test('refuses another id than that of the address', async () => {
    const { status, body } = await demo.send('PUT', '/api/teams/1', { json: { id: 2, name: 'A' } });
    expect([status, body.errors]).toEqual([422, { id: ['cannot be changed'] }]);
    expect((await demo.send('PUT', '/api/teams/1', { json: { id: '1', name: 'A' } })).status).toBe(200);
  });

  test('answers 404 for a missing row', async () => {
    expect((await demo.send('PUT', '/api/teams/99', { json: { name: 'A' } })).status).toBe(404);
  });
});

describe('PATCH', () => {
  test.each(['application/json', 'application/merge-patch+json', 'Application/JSON; charset=utf-8'])(
    'merges a body of type %s',
    async (type) => {
      const row = (await demo.get('/api/users/7')).body;
      const { status, body } = await demo.send('PATCH', '/api/users/7', {
        json: { name: 'Ada', teamId: null },
        headers: { 'Content-Type': type },
      });
      expect(status).toBe(200);
      expect(body).toEqual({ ...row, name: 'Ada', teamId: null });
    },
  );

  test('merges objects member by member', async () => {
    await demo.send('PATCH', '/api/users/7', {
      json: { settings: { theme: 'dark', tags: ['a', 'b'], zoom: { x: 1, y: 2 } } },
    });
    const { body } = await demo.send('PATCH', '/api/users/7', {
      json: { settings: { theme: null, tags: ['c'], zoom: { y: 3 } } },
    });
    expect(body.settings).toEqual({ tags: ['c'], zoom: { x: 1, y: 3 } });
  });

  test('refuses other kinds of patch', async () => {
    const { status } = await demo.send('PATCH', '/api/users/7', {
      json: [],
      headers: { 'Content-Type': 'application/json-patch+json' },
    });
    expect(status).toBe(415);
  });

  test('refuses null for a required member', async () => {
    expect((await demo.send('PATCH', '/api/users/7', { json: { name: null } })).body.errors).toEqual({
      name: ['is required'],
    });
  });

  test('increments the version', async () => {
    const row = (await demo.get('/api/tasks/7')).body;
    const { body } = await demo.send('PATCH', '/api/tasks/7', { json: { done: !row.done } });
    expect(body).toEqual({ ...row, done: !row.done, updatedAt: NOW, version: row.version + 1 });
  });
});

describe('DELETE', () => {
  test('removes the row, and answers 404 the second time', async () => {
    expect(await demo.send('DELETE', '/api/tasks/7')).toMatchObject({ status: 204, body: undefined });
    expect((await demo.get('/api/tasks/7')).status).toBe(404);
    expect((await demo.send('DELETE', '/api/tasks/7')).status).toBe(404);
  });

  test('ignores a body', async () => {
    expect((await demo.send('DELETE', '/api/tasks/7', { json: { id: 7 } })).status).toBe(204);
    expect((await demo.get('/api/tasks?limit=1')).headers.get('X-Total-Count')).toBe('199');
  });

  test('clears the user of the tasks of a removed user', async () => {
    const task = (await demo.get('/api/tasks/1')).body;
    expect((await demo.send('DELETE', `/api/users/${task.userId}`)).status).toBe(204);
    expect((await demo.get('/api/tasks/1')).body).toEqual({ ...task, userId: null });
  });

  test('refuses a team that still has users', async () => {
    const { status, headers, body } = await demo.send('DELETE', '/api/teams/1');
    expect(status).toBe(409);
    expect(headers.get('Content-Type')).toBe('application/problem+json');
    expect(body.detail).toMatch(/^The team 1 still has \d+ users$/);
    const { body: created } = await demo.send('POST', '/api/teams', { json: { name: 'Empty' } });
    expect((await demo.send('DELETE', `/api/teams/${created.id}`)).status).toBe(204);
  });
});

describe('If-Match', () => {
  test.each(['PUT', 'PATCH', 'DELETE'])('%s succeeds with the current ETag', async (method) => {
    const { headers, body } = await demo.get('/api/tasks/7');
    const sent = { json: body, headers: { 'If-Match': `"other", ${headers.get('ETag')}` } };
    expect((await demo.send(method, '/api/tasks/7', sent)).status).toBeLessThan(300);
  });

  test.each(['PUT', 'PATCH', 'DELETE'])('%s is refused with a stale ETag, and gets the current row', async (method) => {
    const stale = await demo.get('/api/tasks/7');
    const current = (await demo.send('PATCH', '/api/tasks/7', { json: { title: 'Theirs' } })).body;
    const tag = stale.headers.get('ETag') ?? '';
    const reply = await demo.send(method, '/api/tasks/7', { json: stale.body, headers: { 'If-Match': tag } });
    expect(reply.status).toBe(412);
    expect(reply.headers.get('Content-Type')).toBe('application/problem+json');
    expect(reply.body).toMatchObject({ title: 'Precondition Failed', status: 412, current });
    expect((await demo.get('/api/tasks/7')).body).toEqual(current);
  });

  test('compares strongly', async () => {
    const tag = (await demo.get('/api/tasks/7')).headers.get('ETag');
    expect((await demo.send('PATCH', '/api/tasks/7', { json: {}, headers: { 'If-Match': `W/${tag}` } })).status).toBe(
      412,
    );
    expect((await demo.send('PATCH', '/api/tasks/7', { json: {}, headers: { 'If-Match': '*' } })).status).toBe(200);
  });
});

test('answers 405 with Allow for a method that an address does not have', async () => {
  const { status, headers } = await demo.send('POST', '/api/users/7', { json: {} });
  expect([status, headers.get('Allow')]).toEqual([405, 'GET, HEAD, PUT, PATCH, DELETE']);
});
