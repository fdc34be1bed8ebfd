import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningServer, startServer, type TaskRow, type UserRow } from './running-server.js';

let demo: RunningServer;
let tasks: TaskRow[];
let users: UserRow[];

beforeAll(async () => {
  demo = await startServer();
  tasks = (await demo.get('/api/tasks')).body;
  users = (await demo.get('/api/users')).body;
});

afterAll(() => demo.stop());

const ids = (rows: { id: number }[]): number[] => rows.map((row) => row.id);

describe('the form of a list', () => {
  const classic = ['_dc=1', 'start=0', 'filter=[]', 'group={"property":"city"}', 'sort=[{"property":"name"}]'];
  const plain = ['', 'page=1&limit=5', 'sort=name', 'city=Oslo'];

  test.each(classic)('%s gives the envelope', async (search) => {
    const { body } = await demo.get(`/api/teams?${search}`);
    expect(body).toEqual({ success: true, total: 12, data: expect.any(Array) });
  });

  test.each(plain)('"%s" gives a bare array', async (search) => {
    expect((await demo.get(`/api/teams?${search}`)).body).toBeInstanceOf(Array);
  });

  test('a prefix in the path is preferred to the parameters', async () => {
    expect((await demo.get('/classic/teams')).body).toMatchObject({ success: true, total: 12 });
    expect((await demo.get('/plain/teams?_dc=1')).body).toHaveLength(12);
    expect((await demo.get('/plain/teams?filter=[]')).status).toBe(400);
  });

  test('the suffix .json changes nothing', async () => {
    expect((await demo.get('/api/users.json')).body).toEqual(users);
    expect((await demo.get('/api/users/7.json')).body).toEqual(users[6]);
    expect((await demo.get('/plain/users.json?limit=1')).body).toEqual([users[0]]);
    expect((await demo.get('/api/users/')).body).toEqual(users);
  });
});

describe('classic', () => {
  const list = (params: Record<string, unknown>, path = '/classic/tasks') => demo.query(path, params);

  async function expectSame(filter: unknown, predicate: (task: TaskRow) => boolean): Promise<void> {
    const { body } = await list({ filter });
    const wanted = ids(tasks.filter(predicate));
    expect(ids(body.data)).toEqual(wanted);
    expect(body.total).toBe(wanted.length);
    expect(wanted.length).toBeGreaterThan(0);
  }

  test('pages by start, or by page if start is missing', async () => {
    const second = ids(tasks.slice(25, 50));
    const { body } = await list({ page: 2, start: 25, limit: 25 });
    expect(body.total).toBe(200);
    expect(ids(body.data)).toEqual(second);
    expect(ids((await list({ page: 2, limit: 25 })).body.data)).toEqual(second);
    expect(ids((await list({ start: 195 })).body.data)).toEqual(ids(tasks.slice(195)));
    expect((await list({ start: 500, limit: 25 })).body).toEqual({ success: true, total: 200, data: [] });
  });

  test('sorts by several properties', async () => {
    const { body } = await list({
      sort: [{ property: 'priority', direction: 'DESC' }, { property: 'title' }],
      limit: 200,
    });
    const wanted = [...tasks].sort(
      (a, b) => b.priority - a.priority || (a.title < b.title ? -1 : a.title > b.title ? 1 : a.id - b.id),
    );
    expect(ids(body.data)).toEqual(ids(wanted));
  });

  test('sorts by names and directions, as simpleSortMode sends them', async () => {
    const { body } = await demo.get('/classic/tasks?sort=priority&sort=id&dir=ASC&dir=DESC');
    expect(ids(body.data)).toEqual(ids([...tasks].sort((a, b) => a.priority - b.priority || b.id - a.id)));
  });

  test('sorts by the grouper first', async () => {
    const { body } = await list({
      group: { property: 'done', direction: 'DESC' },
      sort: [{ property: 'id', direction: 'DESC' }],
    });
    expect(ids(body.data)).toEqual(ids([...tasks].sort((a, b) => Number(b.done) - Number(a.done) || b.id - a.id)));
  });

  test('compares decimals by their value', async () => {
    const { body } = await list(
      { sort: [{ property: 'salary' }], filter: [{ property: 'salary', operator: '>', value: '4000.5' }] },
      '/classic/users',
    );
    const wanted = users
      .filter((user) => Number(user.salary) > 4000.5)
      .sort((a, b) => Number(a.salary) - Number(b.salary) || a.id - b.id);
    expect(ids(body.data)).toEqual(ids(wanted));
  });

  test('compares dates and times by their instant', async () => {
    const pivot = users[10]!.joined;
    const moved = new Date(Date.parse(pivot) + 7_200_000).toISOString().replace('Z', '+02:00');
    const { body } = await list({ filter: [{ property: 'joined', operator: '=', value: moved }] }, '/classic/users');
    expect(ids(body.data)).toContain(11);
    const earlier = await list({ filter: [{ property: 'joined', operator: '<', value: moved }] }, '/classic/users');
    expect(ids(earlier.body.data)).toEqual(ids(users.filter((user) => Date.parse(user.joined) < Date.parse(pivot))));
  });

  const one = (property: string, operator: string | undefined, value?: unknown) => [
    { property, ...(operator ? { operator } : {}), value },
  ];

  test.each([
    ['no operator', one('priority', undefined, 3), (task: TaskRow) => task.priority === 3],
    ['=', one('priority', '=', 3), (task: TaskRow) => task.priority === 3],
    ['==', one('priority', '==', '3'), (task: TaskRow) => task.priority === 3],
    ['eq', one('done', 'eq', true), (task: TaskRow) => task.done],
    ['eq null', one('due', 'eq', null), (task: TaskRow) => task.due === null],
    ['!=', one('done', '!=', 'true'), (task: TaskRow) => !task.done],
    ['ne keeps rows without a value', one('origin', 'ne', 'web'), (task: TaskRow) => task.origin !== 'web'],
    ['ne null', one('origin', 'ne', null), (task: TaskRow) => task.origin !== null],
    ['<', one('estimate', '<', 2.5), (task: TaskRow) => task.estimate < 2.5],
    ['lt', one('due', 'lt', '2024-06-01'), (task: TaskRow) => task.due !== null && task.due < '2024-06-01'],
    ['<=', one('estimate', '<=', 2.5), (task: TaskRow) => task.estimate <= 2.5],
    ['le', one('priority', 'le', 2), (task: TaskRow) => task.priority <= 2],
    ['>', one('priority', '>', 4), (task: TaskRow) => task.priority > 4],
    ['gt', one('createdAt', 'gt', '2024-06-01T00:00:00Z'), (task: TaskRow) => task.createdAt > '2024-06-01'],
    ['>=', one('priority', '>=', 4), (task: TaskRow) => task.priority >= 4],
    ['ge', one('priority', 'ge', 5), (task: TaskRow) => task.priority >= 5],
    ['in', one('priority', 'in', [1, 5]), (task: TaskRow) => [1, 5].includes(task.priority)],
    [
      'in with null',
      one('origin', 'in', ['web', null]),
      (task: TaskRow) => task.origin === 'web' || task.origin === null,
    ],
    ['nin', one('origin', 'nin', ['web', 'mail']), (task: TaskRow) => task.origin !== 'web' && task.origin !== 'mail'],
    [
      'notin with null',
      one('origin', 'notin', ['web', null]),
      (task: TaskRow) => !(task.origin === 'web' || task.origin === null),
    ],
    ['notin of nothing', one('origin', 'notin', []), () => true],
    ['like', one('title', 'like', 'REPORT'), (task: TaskRow) => task.title.includes('report')],
    ['contains', one('title', 'contains', 'list'), (task: TaskRow) => task.title.includes('list')],
    ['startsWith', one('title', 'startsWith', 're'), (task: TaskRow) => task.title.startsWith('Re')],
    ['endsWith', one('title', 'endsWith', 'Count'), (task: TaskRow) => task.title.endsWith('count')],
    ['isNull', one('due', 'isNull', true), (task: TaskRow) => task.due === null],
    ['isNull false', one('due', 'isNull', false), (task: TaskRow) => task.due !== null],
    ['between', one('priority', 'between', [2, 3]), (task: TaskRow) => [2, 3].includes(task.priority)],
    [
      'several, all of which hold',
      [...one('priority', '>', 1), ...one('priority', '<', 4), ...one('done', '=', false)],
      (task: TaskRow) => task.priority > 1 && task.priority < 4 && !task.done,
    ],
  ])('filters: %s', async (_name, filter, predicate) => {
    await expectSame(filter, predicate);
  });

  test('treats the special characters of a pattern as text', async () => {
    for (const value of ['%', '_', '\\', "' OR 1=1 --"]) {
      expect((await list({ filter: [{ property: 'title', operator: 'like', value }] })).body.total).toBe(0);
    }
  });

  test('filters by parameters that have the name of a field, too', async () => {
    const { body } = await demo.get('/api/tasks?_dc=1&priority=2');
    expect(ids(body.data)).toEqual(ids(tasks.filter((task) => task.priority === 2)));
  });
});

describe('plain', () => {
  test('pages, counts and links', async () => {
    const { body, headers } = await demo.get('/api/tasks?page=2&limit=30&sort=-id&done=false&done=true');
    expect(ids(body)).toEqual(ids([...tasks].reverse().slice(30, 60)));
    expect(headers.get('X-Total-Count')).toBe('200');
    const link = (page: number, relation: string) =>
      `</api/tasks?page=${page}&limit=30&sort=-id&done=false&done=true>; rel="${relation}"`;
    expect(headers.get('Link')).toBe([link(1, 'first'), link(1, 'prev'), link(3, 'next'), link(7, 'last')].join(', '));
  });

  test('has no link before the first page or behind the last', async () => {
    const relations = async (path: string) =>
      [...((await demo.get(path)).headers.get('Link') ?? '').matchAll(/rel="(\w+)"/g)].map((match) => match[1]);
    expect(await relations('/plain/tasks.json?limit=50')).toEqual(['first', 'next', 'last']);
    expect(await relations('/plain/tasks?limit=50&page=4')).toEqual(['first', 'prev', 'last']);
    expect(await relations('/plain/tasks?limit=50&title=none')).toEqual(['first', 'last']);
    expect(await relations('/plain/tasks')).toEqual([]);
  });

  test('returns 25 rows if only a page is given, and all rows without one', async () => {
    expect((await demo.get('/plain/tasks?page=1')).body).toHaveLength(25);
    expect((await demo.get('/plain/tasks')).body).toHaveLength(200);
  });

  test('sorts by names, descending with a minus', async () => {
    const { body } = await demo.get('/api/tasks?sort=priority,-createdAt');
    const wanted = [...tasks].sort(
      (a, b) =>
        a.priority - b.priority || (a.createdAt > b.createdAt ? -1 : a.createdAt < b.createdAt ? 1 : a.id - b.id),
    );
    expect(ids(body)).toEqual(ids(wanted));
  });

  test('filters by fields, and by any of the values of a repeated field', async () => {
    const { body } = await demo.get('/api/tasks?priority=1&priority=5&done=true');
    expect(ids(body)).toEqual(ids(tasks.filter((task) => [1, 5].includes(task.priority) && task.done)));
    expect(ids((await demo.get('/api/tasks?id=3&id=9')).body)).toEqual([3, 9]);
  });

  test('reads an empty value as null', async () => {
    expect(ids((await demo.get('/api/tasks?due=')).body)).toEqual(ids(tasks.filter((task) => task.due === null)));
    expect(ids((await demo.get('/api/tasks?origin=&origin=web')).body)).toEqual(
      ids(tasks.filter((task) => [null, 'web'].includes(task.origin))),
    );
  });
});

describe('a query that is refused with 400 and the reason', () => {
  test.each([
    ['sort=nope', { parameter: 'sort', field: 'nope' }],
    ['sort=[{"property":"nope"}]', { parameter: 'sort', field: 'nope' }],
    ['sort=[{"property":"__proto__"}]', { parameter: 'sort', field: '__proto__' }],
    ['sort=[{"property":"title","direction":"sideways"}]', { parameter: 'sort', field: 'title' }],
    ['sort=[{"property":"title"', { parameter: 'sort' }],
    ['sort=[7]', { parameter: 'sort' }],
    ['sort=title"%20DESC--', { parameter: 'sort', field: 'title" DESC--' }],
    ['group={"property":"nope"}', { parameter: 'group', field: 'nope' }],
    ['filter={', { parameter: 'filter' }],
    ['filter=[1]', { parameter: 'filter' }],
    ['filter=[{"value":1}]', { parameter: 'filter' }],
    ['filter=[{"property":"nope","value":1}]', { parameter: 'filter', field: 'nope' }],
    ['filter=[{"property":"title","operator":"~","value":1}]', { parameter: 'filter', field: 'title' }],
    ['filter=[{"property":"priority","value":"high"}]', { parameter: 'filter', field: 'priority' }],
    ['filter=[{"property":"done","value":"maybe"}]', { parameter: 'filter', field: 'done' }],
    ['filter=[{"property":"due","value":"2024-02-30"}]', { parameter: 'filter', field: 'due' }],
    ['filter=[{"property":"createdAt","value":"yesterday"}]', { parameter: 'filter', field: 'createdAt' }],
    ['filter=[{"property":"priority","operator":"in","value":3}]', { parameter: 'filter', field: 'priority' }],
    ['filter=[{"property":"priority","operator":"between","value":[1]}]', { parameter: 'filter', field: 'priority' }],
    ['filter=[{"property":"title","value":{"a":1}}]', { parameter: 'filter', field: 'title' }],
    ['nope=1', { parameter: 'nope', field: 'nope' }],
    ['priority=high', { parameter: 'priority', field: 'priority' }],
    ['page=0', { parameter: 'page' }],
    ['limit=-1', { parameter: 'limit' }],
    ['limit=ten', { parameter: 'limit' }],
    ['page=1&page=2', { parameter: 'page' }],
    ['start=x', { parameter: 'start' }],
  ])('%s', async (search, members) => {
    const { status, headers, body } = await demo.get(`/api/tasks?${search}`);
    expect(status).toBe(400);
    expect(headers.get('Content-Type')).toBe('application/problem+json');
    expect(body).toMatchObject({ status: 400, ...members });
    for (const name of Object.values(members)) expect(body.detail).toContain(name);
  });

  test('a field that holds an object', async () => {
    expect((await demo.get('/plain/users?sort=settings')).body).toMatchObject({ status: 400, field: 'settings' });
    expect((await demo.get('/plain/users?settings=x')).body).toMatchObject({ status: 400, field: 'settings' });
  });
});
