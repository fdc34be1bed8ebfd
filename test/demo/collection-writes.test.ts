import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type RunningServer, startServer } from './running-server.js';

const NOW = '2030-01-02T03:04:05.678Z';

let demo: RunningServer;

beforeAll(async () => {
  demo = await startServer({ now: () => new Date(NOW) });
});

beforeEach(() => demo.server.reset());

afterAll(() => demo.stop());

async function total(table: string): Promise<number> {
  return Number((await demo.get(`/api/${table}?limit=1`)).headers.get('X-Total-Count'));
}

const ada = { name: 'Ada', email: 'ada@example.org' };
const grace = { name: 'Grace', email: 'grace@example.org' };

describe('POST', () => {
  test('creates a row and returns its address in Location', async () => {
    const { status, headers, body } = await demo.send('POST', '/api/users', {
      json: { ...ada, teamId: 3, avatarHue: 12 },
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      ...ada,
      id: 401,
      role: 'member',
      teamId: 3,
      joined: NOW,
      active: true,
      salary: null,
      settings: null,
      avatarHue: 12,
      badge: null,
    });
    expect(headers.get('Location')).toBe('/api/users/401');
    const read = await demo.get('/api/users/401');
    expect([read.body, read.headers.get('ETag')]).toEqual([body, headers.get('ETag')]);
  });

  test('fills in the default values of a task', async () => {
    const { body } = await demo.send('POST', '/api/tasks', { json: { title: 'New', done: null, version: 7 } });
    expect(body).toMatchObject({ done: false, priority: 3, due: null, createdAt: NOW, updatedAt: NOW, version: 1 });
  });

  test('returns a Location with the prefix of the request', async () => {
    const { headers } = await demo.send('POST', '/classic/teams.json', { json: { name: 'New' } });
    expect(headers.get('Location')).toBe('/classic/teams/13');
  });

  test('assigns ids and never reuses them', async () => {
    const first = (await demo.send('POST', '/api/teams', { json: { id: 1, name: 'New' } })).body;
    expect(first.id).toBe(13);
    await demo.send('DELETE', '/api/teams/13');
    expect((await demo.send('POST', '/api/teams', { json: { name: 'Newer' } })).body.id).toBe(14);
  });

  test('refuses invalid values and values that are taken', async () => {
    const wrong = await demo.send('POST', '/api/users', { json: { name: ' ', email: 'x' } });
    expect([wrong.status, wrong.body.errors]).toEqual([
      422,
      { name: ['must not be empty'], email: ['is not an email address'] },
    ]);
    const empty = await demo.send('POST', '/api/users', { json: {} });
    expect(empty.body.errors).toEqual({ name: ['is required'], email: ['is required'] });
    const taken = await demo.send('POST', '/api/teams', { json: { name: 'Billing' } });
    expect([taken.status, taken.body.errors]).toEqual([409, { name: ['is taken'] }]);
    expect([await total('users'), await total('teams')]).toEqual([400, 12]);
  });

  test('refuses a body that is neither an object nor an array', async () => {
    const headers = { 'Content-Type': 'application/json' };
    for (const text of ['', '{', '7'])
      expect((await demo.send('POST', '/api/users', { text, headers })).status).toBe(400);
  });

  test('creates several rows in their order', async () => {
    const { status, body } = await demo.send('POST', '/api/users', { json: [ada, grace] });
    expect(status).toBe(201);
    expect(body).toMatchObject([
      { id: 401, ...ada },
      { id: 402, ...grace },
    ]);
  });

  test('creates all rows or none', async () => {
    const json = [ada, { ...grace, email: 'x' }, 7, { ...grace, email: ada.email }];
    const { status, headers, body } = await demo.send('POST', '/api/users', { json });
    expect(status).toBe(422);
    expect(headers.get('Content-Type')).toBe('application/problem+json');
    expect(body.errors).toEqual({
      '1.email': ['is not an email address'],
      '2': ['must be an object'],
      '3.email': ['is taken'],
    });
    expect(await total('users')).toBe(400);
  });

  test('answers 409 when entries are only taken', async () => {
    const { status, body } = await demo.send('POST', '/api/users', { json: [ada, ada] });
    expect([status, body.errors]).toEqual([409, { '1.email': ['is taken'] }]);
  });
});

describe('Idempotency-Key', () => {
  const headers = { 'Idempotency-Key': 'k-1' };

  test('returns the first response again and creates no second row', async () => {
    const first = await demo.send('POST', '/api/users', { json: ada, headers });
    expect(first.headers.get('Idempotent-Replay')).toBeNull();
    await demo.send('PATCH', `/api/users/${first.body.id}`, { json: { name: 'Changed since' } });
    const again = await demo.send('POST', '/api/users', { json: { email: ada.email, name: ada.name }, headers });
    expect(again.headers.get('Idempotent-Replay')).toBe('true');
    expect([again.status, again.body]).toEqual([201, first.body]);
    for (const name of ['Location', 'ETag']) expect(again.headers.get(name)).toBe(first.headers.get(name));
    expect(await total('users')).toBe(401);
  });

  test('creates one row for requests that are sent at once', async () => {
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => demo.send('POST', '/api/users', { json: ada, headers })),
    );
    expect(new Set(replies.map((reply) => reply.body.id))).toEqual(new Set([401]));
    expect(replies.filter((reply) => reply.headers.has('Idempotent-Replay'))).toHaveLength(7);
  });

  test('works for several rows, too', async () => {
    const first = await demo.send('POST', '/api/users', { json: [ada, grace], headers });
    expect((await demo.send('POST', '/api/users', { json: [ada, grace], headers })).body).toEqual(first.body);
    expect(await total('users')).toBe(402);
  });

  test('refuses another request under the same key', async () => {
    await demo.send('POST', '/api/users', { json: ada, headers });
    expect((await demo.send('POST', '/api/users', { json: grace, headers })).status).toBe(422);
    expect((await demo.send('POST', '/api/teams', { json: ada, headers })).status).toBe(422);
    expect(await total('users')).toBe(401);
  });

  test('can be used again after a refusal', async () => {
    expect((await demo.send('POST', '/api/users', { json: { ...ada, email: 'x' }, headers })).status).toBe(422);
    expect((await demo.send('POST', '/api/users', { json: ada, headers })).status).toBe(201);
  });

  test('survives a restart', async () => {
    const file = `${demo.file}-2`;
    const first = await startServer({ file });
    const { body } = await first.send('POST', '/api/users', { json: ada, headers });
    await first.stop();
    const second = await startServer({ file });
    const again = await second.send('POST', '/api/users', { json: ada, headers });
    await second.stop();
    expect([again.body, again.headers.get('Idempotent-Replay')]).toEqual([body, 'true']);
  });

  test('must not be empty or too long', async () => {
    for (const key of ['', 'k'.repeat(256)]) {
      expect((await demo.send('POST', '/api/users', { json: ada, headers: { 'Idempotency-Key': key } })).status).toBe(
        400,
      );
    }
  });
});

describe('several changes in one request', () => {
  test('PUT replaces every row', async () => {
    const rows = (await demo.get('/api/teams?id=1&id=2')).body;
    const json = [
      { ...rows[1], city: 'Rome' },
      { id: rows[0].id, name: rows[0].name },
    ];
    const { status, body } = await demo.send('PUT', '/api/teams', { json });
    expect([status, body]).toEqual([
      200,
      [
        { ...rows[1], city: 'Rome' },
        { ...rows[0], city: null },
      ],
    ]);
    expect((await demo.get('/api/teams/2')).body.city).toBe('Rome');
  });

  test('PATCH merges into every row', async () => {
    const before = (await demo.get('/api/tasks?id=1&id=2')).body;
    const { body } = await demo.send('PATCH', '/api/tasks', {
      json: [
        { id: 1, done: true },
        { id: '2', priority: 5 },
      ],
    });
    expect(body).toEqual([
      { ...before[0], done: true, updatedAt: NOW, version: before[0].version + 1 },
      { ...before[1], priority: 5, updatedAt: NOW, version: before[1].version + 1 },
    ]);
  });

  test('changes all rows or none', async () => {
    const before = (await demo.get('/api/tasks')).body;
    const wrong = await demo.send('PATCH', '/api/tasks', {
      json: [{ id: 1, title: 'New' }, { id: 2, priority: 9 }, { title: 'No id' }, { id: 999 }],
    });
    expect([wrong.status, wrong.body.errors]).toEqual([
      422,
      { '1.priority': ['must be from 1 to 5'], '2.id': ['is required'], '3.id': ['names no task'] },
    ]);
    const missing = await demo.send('PUT', '/api/tasks', {
      json: [
        { ...before[0], title: 'New' },
        { ...before[1], id: 999 },
      ],
    });
    expect([missing.status, missing.body.errors]).toEqual([404, { '1.id': ['names no task'] }]);
    expect((await demo.get('/api/tasks')).body).toEqual(before);
  });

  test('DELETE takes ids or objects that have one', async () => {
    const { status, body } = await demo.send('DELETE', '/api/tasks', { json: [3, '4', { id: 5, title: 'x' }] });
    expect([status, body]).toEqual([200, [{ id: 3 }, { id: 4 }, { id: 5 }]]);
    expect(await total('tasks')).toBe(197);
    expect((await demo.get('/api/tasks?id=3&id=4&id=5')).body).toEqual([]);
  });

  test('DELETE removes all rows or none', async () => {
    const missing = await demo.send('DELETE', '/api/tasks', { json: [1, 999] });
    expect([missing.status, missing.body.errors]).toEqual([404, { '1.id': ['names no task'] }]);
    const noId = await demo.send('DELETE', '/api/tasks', { json: [1, { title: 'x' }] });
    expect([noId.status, noId.body.errors]).toEqual([422, { '1.id': ['is required'] }]);
    const { body: team } = await demo.send('POST', '/api/teams', { json: { name: 'Empty' } });
    const inUse = await demo.send('DELETE', '/api/teams', { json: [team.id, 1] });
    expect([inUse.status, Object.keys(inUse.body.errors)]).toEqual([409, ['1.id']]);
    expect([await total('tasks'), await total('teams')]).toEqual([200, 13]);
  });

  test.each(['PUT', 'PATCH', 'DELETE'])(
    '%s of a collection without an array is refused and changes nothing',
    async (method) => {
      const before = (await demo.get('/api/tasks')).body;
      const bodies = [{}, { text: '' }, { json: {} }, { json: { id: 1, title: 'x' } }, { json: 1 }];
      for (const path of [
        '/api/tasks',
        '/api/tasks/',
        '/api/tasks.json',
        '/plain/tasks?id=1',
        '/classic/tasks?filter=[]',
      ]) {
        for (const body of bodies) {
          const { status, headers } = await demo.send(method, path, body);
          expect([status, headers.get('Allow')]).toEqual([405, 'GET, HEAD, POST']);
        }
      }
      expect(
        (await demo.send(method, '/api/tasks', { text: '[1', headers: { 'Content-Type': 'application/json' } })).status,
      ).toBe(400);
      expect((await demo.get('/api/tasks')).body).toEqual(before);
    },
  );

  test('If-Match is refused, because it cannot protect several rows', async () => {
    expect((await demo.send('DELETE', '/api/tasks', { json: [1], headers: { 'If-Match': '"x"' } })).status).toBe(400);
    expect((await demo.get('/api/tasks/1')).status).toBe(200);
  });
});
