import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { idempotency, Model, plain, RestProxy, rateLimit, retry, Store } from 'repose';
import { measure, type Row, round, type Session, type Subject } from './harness.js';
import type { Spawn } from './stream.js';

/** A row as both subjects send it. */
interface Source {
  readonly name: string;
  readonly email: string;
  readonly salary: number;
  readonly active: boolean;
}

/** Writes that both subjects can do to the rows of a collection, with a number of requests at a time. */
interface Writing {
  create(): Promise<unknown>;
  update(): Promise<unknown>;
  destroy(): Promise<unknown>;
  /** The known ids, and the sum of the versions of the rows. */
  digest(): { ids: number; versions: number };
}

const sourceOf = (at: number): Source => ({
  name: `Person ${at}`,
  email: `person${at}@example.com`,
  salary: 30_000 + at,
  active: at % 2 === 0,
});

/** A loop around `fetch`, as people write it. */
function floorWriting(url: string, n: number, concurrency: number): Writing {
  let rows: (Source & { id?: number; version?: number })[] = Array.from({ length: n }, (_, at) => sourceOf(at));
  const request = async (method: string, address: string, body?: unknown) => {
    const headers = { accept: 'application/json', ...(body !== undefined && { 'content-type': 'application/json' }) };
    const response = await fetch(address, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${address} answered ${response.status}`);
    const text = await response.text();
    return text ? JSON.parse(text) : undefined;
  };
  const all = async (write: (at: number) => Promise<void>) => {
    let next = 0;
    const worker = async () => {
      for (let at = next++; at < n; at = next++) await write(at);
    };
    await Promise.all(Array.from({ length: concurrency }, worker));
    return true;
  };
  return {
    create: () => all(async (at) => void (rows[at] = await request('POST', url, rows[at]))),
    update: () =>
      all(async (at) => {
        const row = { ...rows[at], salary: 40_000 + at } as Source & { id: number };
        rows[at] = await request('PUT', `${url}/${row.id}`, row);
      }),
    destroy: async () => {
      await all(async (at) => void (await request('DELETE', `${url}/${rows[at]?.id}`)));
      rows = [];
      return true;
    },
    digest: () => digestOf(rows),
  };
}

/** The model. It is defined once, as in an application, because V8 compiles code for the records of each model. */
function definePerson(url: string, batchActions: boolean) {
  return Model.define({
    name: 'person',
    fields: { id: 'int', name: 'string', email: 'string', salary: 'number', active: 'boolean', version: 'int' },
    proxy: new RestProxy({ url, dialect: plain(), actionMethods: { update: 'PUT' }, batchActions }),
  });
}

/** A store and its `sync()`. */
function storeWriting(Person: ReturnType<typeof definePerson>, n: number, concurrency: number): Writing {
  const store = new Store({ model: Person, pageSize: 0, concurrency });
  store.add(...Array.from({ length: n }, (_, at) => sourceOf(at)));
  const records = () => Array.from({ length: store.count }, (_, at) => store.getAt(at)!);
  return {
    create: async () => (await store.sync()).orThrow(),
    update: async () => {
      for (const [at, record] of records().entries()) record.salary = 40_000 + at;
      return (await store.sync()).orThrow();
    },
    destroy: async () => {
      store.removeAll();
      return (await store.sync()).orThrow();
    },
    digest: () => digestOf(records()),
  };
}

function digestOf(rows: readonly { id?: number; version?: number | undefined }[]): { ids: number; versions: number } {
  const versions = rows.reduce((sum, { version = 0 }) => sum + version, 0);
  return { ids: new Set(rows.map(({ id }) => id)).size, versions };
}

/** The cases at one concurrency, as one session: creates, updates and destroys of the same rows. */
function sessionOf(
  url: string,
  n: number,
  concurrency: number,
  Person: ReturnType<typeof definePerson>,
  runs: number,
): Session<Writing> {
  const subject = (name: string, make: () => Writing): Subject<Writing> => ({
    name,
    async prepare() {
      await fetch(new URL('/reset', url), { method: 'POST' });
      return make();
    },
  });
  const where = `${concurrency} at a time${Person.proxy.batchActions ? ', in bulk' : ''}`;
  return {
    ...{ workload: 'sync', n, runs, warmUp: runs > 1 ? 3 : 1, unit: 'ms' },
    subjects: [
      subject('floor', () => floorWriting(url, n, concurrency)),
      subject('repose', () => storeWriting(Person, n, concurrency)),
    ],
    steps: (['create', 'update', 'destroy'] as const).map((action) => ({
      case: `${action}, ${where}`,
      run: (state) => state[action](),
      check: (state) => state.digest(),
    })),
  };
}

/** Creates records under the rate limit of a server: how near the rate comes to the limit, and how often the server refuses. */
async function underLimit(url: string, n: number, perSecond: number): Promise<Row[]> {
  const reset = (limit: number) => fetch(new URL(`/reset?limit=${limit}`, url), { method: 'POST' });
  await reset(perSecond);
  const Person = Model.define({
    name: 'person',
    fields: { id: 'int', name: 'string', email: 'string', salary: 'number', active: 'boolean' },
    proxy: new RestProxy({
      ...{ url, dialect: plain(), use: [idempotency()] },
      use: [retry(), rateLimit({ requests: perSecond, per: 1000, burst: Math.max(1, perSecond / 20) })],
    }),
  });
  const store = new Store({ model: Person, pageSize: 0, concurrency: 6 });
  store.add(...Array.from({ length: n }, (_, at) => sourceOf(at)));
  const start = performance.now();
  const { failures } = await store.sync();
  if (failures[0]) throw new Error(`sync: ${failures.length} of ${n} creates failed: ${failures[0].error.message}`);
  const reached = (n * 1000) / (performance.now() - start);
  const { refused } = (await (await reset(0)).json()) as { refused: number };
  const percent = (refused / (n + refused)) * 100;
  const row = (what: string, subject: string, value: number, unit: string, ratio: number): Row => ({
    ...{ workload: 'sync', case: `create, limit of ${perSecond} a second${what}`, n, subject },
    ...{ value: round(value, 2), unit, ratio: round(ratio, 3) },
  });
  return [
    row('', 'floor', perSecond, 'a second', 1),
    row('', 'repose', reached, 'a second', reached / perSecond),
    // The allowed rate is the floor.
    row(', refused', 'floor', 1, '%', 1),
    row(', refused', 'repose', percent, '%', percent),
  ];
}

/** Measures both subjects in turn, in a process of its own. */
export async function measureSync(url: string, quick: boolean): Promise<Row[]> {
  const n = quick ? 60 : 1000;
  const runs = quick ? 1 : 7;
  const rows: Row[] = [];
  const Person = definePerson(url, false);
  for (const concurrency of [6, 32]) rows.push(...(await measure(sessionOf(url, n, concurrency, Person, runs))));
  rows.push(...(await measure(sessionOf(url, n, 6, definePerson(url, true), runs))));
  rows.push(...(await underLimit(url, quick ? 150 : 10_000, 100)));
  return rows;
}

/** `npm run bench -- sync`: writes to a server in another process, which answers after 5 ms. */
export async function sync(spawn: Spawn, quick: boolean): Promise<Row[]> {
  const server = spawn(['serve-sync']);
  let child: ChildProcess | undefined;
  try {
    const [{ port }] = (await once(server, 'message')) as [{ port: number }];
    child = spawn(['sync', `http://127.0.0.1:${port}/rows`, quick ? 'quick' : '']);
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`sync: the process ended with ${code}`);
    });
    const [rows] = (await Promise.race([once(child, 'message'), ended])) as [Row[]];
    ended.catch(() => undefined);
    return rows;
  } finally {
    server.disconnect();
  }
}
