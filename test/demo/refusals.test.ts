import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type RunningServer, startServer } from './running-server.js';

let demo: RunningServer;

beforeAll(async () => {
  demo = await startServer();
});

beforeEach(() => demo.server.reset());

afterAll(() => demo.stop());

describe('422', () => {
  test.each([
    ['users', { name: '' }, { name: ['must not be empty'] }],
    ['users', { name: '  ' }, { name: ['must not be empty'] }],
    ['users', { name: 7 }, { name: ['must be a text'] }],
    ['users', { name: 'a\0b' }, { name: ['must be a text'] }],
    ['users', { email: 'ada.example.com' }, { email: ['is not an email address'] }],
    ['users', { role: 'boss' }, { role: ['must be one of admin, member'] }],
    ['users', { teamId: 99 }, { teamId: ['names no team'] }],
    ['users', { active: 'yes' }, { active: ['must be true or false'] }],
    ['users', { salary: 10.5 }, { salary: ['must be a decimal as text, such as "10.50"'] }],
    [
      'users',
      { joined: '2024-02-30T00:00:00Z' },
      { joined: [expect.stringContaining('must be an ISO 8601 date and time')] },
    ],
    ['users', { settings: [] }, { settings: ['must be an object'] }],
    ['users', { settings: { tags: 'x' } }, { settings: ['must have a list of texts as tags'] }],
    ['users', { avatarHue: 360 }, { avatarHue: ['must be from 0 to 359'] }],
    ['tasks', { title: '' }, { title: ['must not be empty'] }],
    ['tasks', { priority: 0 }, { priority: ['must be from 1 to 5'] }],
    ['tasks', { priority: 6 }, { priority: ['must be from 1 to 5'] }],
    ['tasks', { priority: 2.5 }, { priority: ['must be a whole number'] }],
    ['tasks', { priority: '3' }, { priority: ['must be a whole number'] }],
    ['tasks', { done: 1 }, { done: ['must be true or false'] }],
    ['tasks', { due: '2024-13-01' }, { due: ['must be a date such as "2024-05-01"'] }],
    ['tasks', { userId: 9999, teamId: 9999 }, { userId: ['names no user'], teamId: ['names no team'] }],
    ['tasks', { estimate: '1' }, { estimate: ['must be a number'] }],
    ['teams', { name: '' }, { name: ['must not be empty'] }],
  ])('%s %j', async (table, json, errors) => {
    const before = (await demo.get(`/api/${table}/1`)).body;
    const { status, headers, body } = await demo.send('PATCH', `/api/${table}/1`, { json });
    expect(status).toBe(422);
    expect(headers.get('Content-Type')).toBe('application/problem+json');
    expect(body).toEqual({
      type: 'about:blank',
      title: 'Unprocessable Content',
      status: 422,
      detail: expect.any(String),
      errors,
    });
    expect((await demo.get(`/api/${table}/1`)).body).toEqual(before);
  });
});

describe('409', () => {
  test('is the response to an email or a team name that is taken, in upper or lower case', async () => {
    const { email } = (await demo.get('/api/users/8')).body;
    const user = await demo.send('PATCH', '/api/users/7', { json: { email: email.toUpperCase() } });
    expect([user.status, user.body.errors]).toEqual([409, { email: ['is taken'] }]);
    const team = await demo.send('PUT', '/api/teams/1', { json: { name: 'billing' } });
    expect([team.status, team.body.errors]).toEqual([409, { name: ['is taken'] }]);
    expect((await demo.send('PATCH', '/api/users/8', { json: { email } })).status).toBe(200);
  });
});

describe('a body that cannot be read', () => {
  const headers = { 'Content-Type': 'application/json' };

  test.each(['{"name":', 'name=Ada', '{} {}'])('%s is malformed', async (text) => {
    const { status, body } = await demo.send('PUT', '/api/teams/1', { text, headers });
    expect([status, body.detail]).toEqual([400, 'The body is malformed JSON']);
  });

  test('a missing body or one that is not an object is refused', async () => {
    expect((await demo.send('PATCH', '/api/teams/1')).status).toBe(400);
    for (const text of ['[]', '7', 'null'])
      expect((await demo.send('PATCH', '/api/teams/1', { text, headers })).status).toBe(400);
  });

  test('bytes that are not UTF-8 are refused', async () => {
    const response = await fetch(`${demo.url}/api/teams/1`, {
      method: 'PATCH',
      headers,
      body: new Uint8Array([0x22, 0xff, 0x22]),
    });
    expect(response.status).toBe(400);
  });
});

test('a body that is nested too deep does not stop the server', async () => {
  const nested = `{"settings":${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}}`;
  const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': 'deep' };
  expect((await demo.send('POST', '/api/users', { text: nested, headers })).status).toBeGreaterThanOrEqual(400);
  expect((await demo.send('PATCH', '/api/users/7', { text: nested, headers })).status).toBeGreaterThanOrEqual(400);
  expect((await demo.get('/api/users/7')).status).toBe(200);
});
