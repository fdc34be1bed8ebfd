import 'fake-indexeddb/auto';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { idempotency, Model, plain, RestProxy, Store } from 'repose';
import { fileStorage, indexedDbStorage, memoryStorage, Outbox, type OutboxStorage } from 'repose/outbox';
import { measure, type Row, round, type Subject } from './harness.js';
import type { Spawn } from './stream.js';

/** The requests at a time of both subjects: the default of an outbox. */
const CONCURRENCY = 4;

interface Source {
  readonly name: string;
  readonly salary: number;
}

const sourceOf = (at: number): Source => ({ name: `Person ${at}`, salary: 30_000 + at });

function definePerson(url: string) {
  return class Person extends Model.define({
    name: 'person',
    fields: { id: 'int', name: 'string', salary: 'number', version: 'int' },
    proxy: new RestProxy({ url, dialect: plain(), actionMethods: { update: 'PUT' }, use: [idempotency()] }),
  }) {};
}

/** A store, with an outbox if it has a storage. */
class Writing {
  readonly connection = { online: true, onOnline: () => () => undefined };
  readonly Person: ReturnType<typeof definePerson>;
  outbox: Outbox | undefined;
  store: Store<InstanceType<ReturnType<typeof definePerson>>>;

  constructor(url: string) {
    this.Person = definePerson(url);
    this.store = new Store({ model: this.Person, pageSize: 0 });
  }

  async open(storage: OutboxStorage): Promise<this> {
    const { connection, Person } = this;
    this.outbox = new Outbox({
      ...{ scope: 'a', storage, connection, concurrency: CONCURRENCY, locks: false },
      models: [Person],
    });
    await this.outbox.ready;
    this.store = new Store({ model: Person, pageSize: 0, proxy: { use: [this.outbox] } });
    return this;
  }

  /** Creates records one after the other. */
  async saveEach(n: number): Promise<true> {
    for (let at = 0; at < n; at += 1) await this.store.add(sourceOf(at))[0]?.save();
    return true;
  }

  /** Saves records while there is no network. */
  async queue(n: number): Promise<this> {
    this.connection.online = false;
    const saves = this.store.add(...Array.from({ length: n }, (_, at) => sourceOf(at))).map((record) => record.save());
    await Promise.allSettled(saves);
    if (this.outbox?.size !== n) throw new Error(`outbox: ${this.outbox?.size} writes are queued, not ${n}`);
    return this;
  }

  async sendQueued(): Promise<true> {
    this.connection.online = true;
    await this.outbox?.send();
    await this.outbox?.drained();
    return true;
  }

  digest(): { ids: number } {
    return { ids: new Set(Array.from({ length: this.store.count }, (_, at) => this.store.getAt(at)?.id)).size };
  }
}

/** A loop around `fetch`, as people write it. */
class Loop {
  private readonly ids = new Set<number>();

  constructor(private readonly url: string) {}

  async send(n: number): Promise<true> {
    let next = 0;
    const worker = async () => {
      for (let at = next++; at < n; at = next++) {
        const response = await fetch(this.url, {
          method: 'POST',
          headers: { accept: 'application/json', 'content-type': 'application/json' },
          body: JSON.stringify(sourceOf(at)),
        });
        if (!response.ok) throw new Error(`POST answered ${response.status}`);
        this.ids.add(((await response.json()) as { id: number }).id);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, worker));
    return true;
  }

  digest(): { ids: number } {
    return { ids: this.ids.size };
  }
}

/** Storages by name, each in a place of its own. */
function storages(folder: string): Record<string, () => OutboxStorage> {
  let count = 0;
  const next = (name: string) => {
    count += 1;
    return `${name}-${count}`;
  };
  return {
    'outbox in memory': () => memoryStorage(),
    'outbox in a file': () => fileStorage(path.join(folder, next('outbox'))),
    'outbox in IndexedDB (fake)': () => indexedDbStorage(next('outbox')),
  };
}

/** Measures in a process of its own. */
export async function measureOutbox(url: string, quick: boolean): Promise<Row[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'repose-bench-'));
  const all = storages(folder);
  const reset = () => fetch(new URL('/reset', url), { method: 'POST' });
  try {
    const saving = (name: string, create?: () => OutboxStorage): Subject<Writing> => ({
      name,
      async prepare() {
        await reset();
        const writing = new Writing(url);
        return create ? await writing.open(create()) : writing;
      },
      close: (writing) => void writing.outbox?.close(),
    });
    const saves = quick ? 20 : 200;
    const rows = await measure<Writing>({
      ...{ workload: 'outbox', n: saves, runs: quick ? 1 : 7, warmUp: quick ? 1 : 2, unit: 'µs each' },
      subjects: [saving('floor'), ...Object.entries(all).map(([name, create]) => saving(name, create))],
      steps: [
        {
          case: 'a save; the floor is a save without an outbox',
          run: (writing) => writing.saveEach(saves),
          check: (writing) => writing.digest(),
        },
      ],
    });
    const n = quick ? 50 : 1000;
    const queued = (name: string, create: () => OutboxStorage): Subject<Writing | Loop> => ({
      name,
      async prepare() {
        await reset();
        return await (await new Writing(url).open(create())).queue(n);
      },
      close: (writing) => void (writing as Writing).outbox?.close(),
    });
    const loop: Subject<Writing | Loop> = {
      name: 'floor',
      async prepare() {
        await reset();
        return new Loop(url);
      },
    };
    rows.push(
      ...(await measure<Writing | Loop>({
        ...{ workload: 'outbox', n, runs: quick ? 1 : 5, warmUp: 1, unit: 'ms' },
        subjects: [loop, ...Object.entries(all).map(([name, create]) => queued(name, create))],
        steps: [
          {
            case: `queued writes are sent, ${CONCURRENCY} at a time`,
            run: (state) => (state instanceof Loop ? state.send(n) : state.sendQueued()),
            check: (state) => state.digest(),
          },
        ],
      })),
    );
    for (const [name, create] of Object.entries(all).slice(0, 2))
      rows.push(...(await opening(url, name, create, quick)));
    return rows;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Opens an outbox in which many writes wait, and shows their records in a store. The floor is what is allowed of the opening: 300 ms, and
 * 2 kB of memory for each write.
 */
async function opening(url: string, name: string, create: () => OutboxStorage, quick: boolean): Promise<Row[]> {
  const n = quick ? 200 : 10_000;
  const storage = create();
  const writing = await (await new Writing(url).open(storage)).queue(n);
  await writing.outbox?.close();
  const measured = measureFrom(n);
  const connection = { online: false, onOnline: () => () => undefined };
  const again = new Writing(url);
  const outbox = new Outbox({
    ...{ scope: 'a', storage, connection, concurrency: CONCURRENCY, locks: false },
    models: [again.Person],
  });
  await outbox.ready;
  const opened = measured();
  const store = new Store({ model: again.Person, pageSize: 0, proxy: { use: [outbox] } });
  const shown = measured();
  if (outbox.size !== n || store.count !== n)
    throw new Error(`outbox: ${outbox.size} writes were found and ${store.count} records shown, not ${n}`);
  await outbox.close();
  const rowsOf = (what: string, value: number, unit: string, allowed: number): Row[] =>
    [
      { subject: 'floor', value: allowed },
      { subject: name, value },
    ].map((each) => ({
      ...{ workload: 'outbox', case: what, n, unit, subject: each.subject },
      ...{ value: round(each.value, 2), ratio: round(each.value / allowed, 3) },
    }));
  return [
    ...rowsOf('opening', opened.time, 'ms', 300),
    ...rowsOf('opening, and showing them in a store', shown.time, 'ms', 300),
    ...rowsOf('memory of each', opened.bytes, 'bytes', 2000),
    ...rowsOf('memory of each, with its record in a store', shown.bytes, 'bytes', 2000),
  ];
}

/** Measures the time and the memory from now on, each time it is called. The time of collecting memory does not count. */
function measureFrom(n: number): () => { readonly time: number; readonly bytes: number } {
  const used = () => {
    globalThis.gc?.();
    return process.memoryUsage().heapUsed;
  };
  const before = used();
  let time = 0;
  let start = performance.now();
  return () => {
    time += performance.now() - start;
    const bytes = (used() - before) / n;
    start = performance.now();
    return { time, bytes };
  };
}

/** `npm run bench -- outbox`: writes to a server in another process, which answers after 5 ms. */
export async function outbox(spawn: Spawn, quick: boolean): Promise<Row[]> {
  const server = spawn(['serve-sync']);
  let child: ChildProcess | undefined;
  try {
    const [{ port }] = (await once(server, 'message')) as [{ port: number }];
    child = spawn(['outbox', `http://127.0.0.1:${port}/rows`, quick ? 'quick' : '']);
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`outbox: the process ended with ${code}`);
    });
    const [rows] = (await Promise.race([once(child, 'message'), ended])) as [Row[]];
    ended.catch(() => undefined);
    return rows;
  } finally {
    server.disconnect();
  }
}
