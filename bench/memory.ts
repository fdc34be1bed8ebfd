import { etags, idempotency, Model, plain, RestProxy, retry, Store } from 'repose';
import { type Row, round } from './harness.js';

/** Records that live at a time. */
const ALIVE = 100;
/** Parts of all operations after which the heap is measured; the heap after the first part is the floor. */
const POINTS = [0.1, 0.25, 0.5, 0.75, 1];

/** A server without a network: keeps its rows in the same process. */
function createFetch(): typeof fetch {
  const rows = new Map<number, object>();
  let lastId = 0;
  const answer = (status: number, body: unknown) => {
    const text = JSON.stringify(body);
    return new Response(text, { status, headers: { 'content-type': 'application/json', etag: `"${text.length}"` } });
  };
  return async (input, init) => {
    const id = Number(new URL(input as string).pathname.split('/')[2]);
    if (init?.method === 'DELETE') return new Response(null, { status: rows.delete(id) ? 204 : 404 });
    if (init?.method === 'GET') return answer(200, id ? rows.get(id) : [...rows.values()]);
    const created = init?.method === 'POST';
    const key = created ? (lastId += 1) : id;
    rows.set(key, { ...JSON.parse(init?.body as string), id: key });
    return answer(created ? 201 : 200, rows.get(key));
  };
}

/** Used bytes of the heap. */
async function heap(): Promise<number> {
  for (let i = 0; i < 6; i += 1) {
    // Some objects, such as the bodies of answers, are only freed between turns of the event loop.
    await new Promise((resolve) => setTimeout(resolve, 10));
    globalThis.gc?.();
  }
  return process.memoryUsage().heapUsed;
}

/**
 * Runs operations through one store: creates, edits, reads and erases records, a fixed number at a time. Returns the heap after a
 * tenth of the operations, and after further parts.
 */
export async function memory(quick: boolean): Promise<Row[]> {
  const n = quick ? 20_000 : 1_000_000;
  const Person = Model.define({
    name: 'person',
    fields: { id: 'int', name: 'string', joined: 'date' },
    proxy: new RestProxy({
      ...{ url: 'http://127.0.0.1/people', dialect: plain(), actionMethods: { update: 'PUT' }, fetch: createFetch() },
      ...{ use: [retry(), idempotency(), etags()] },
    }),
  });
  const store = new Store({ model: Person, pageSize: 0, concurrency: 16, sorters: ['name'] });
  store.on('change', () => undefined);
  let done = 0;
  const sync = async () => {
    done += (await store.sync()).orThrow().outcomes.length;
  };
  const records = () => Array.from({ length: store.count }, (_, at) => store.getAt(at)!);
  const cycle = async () => {
    store.add(...Array.from({ length: ALIVE }, (_, at) => ({ name: `Person ${at}`, joined: new Date(at) })));
    await sync();
    for (let edit = 0; edit < 2; edit += 1) {
      for (const [at, record] of records().entries()) record.name = `Person ${done} ${at}`;
      await sync();
    }
    await Promise.all(records().map((record) => record.load()));
    await store.load();
    done += ALIVE + 1;
    store.removeAll();
    await sync();
  };
  const sizes: number[] = [];
  for (const point of POINTS) {
    while (done < n * point) await cycle();
    sizes.push(await heap());
  }
  const [floor = 0, ...later] = sizes;
  const row = (at: number, subject: string, value: number): Row => ({
    ...{ workload: 'memory', case: `heap after ${(POINTS[at] as number) * 100} % of the operations`, n, subject },
    ...{ value: round(value / 1e6, 3), unit: 'MB', ratio: round(value / floor, 3) },
  });
  return later.flatMap((value, at) => [row(at + 1, 'floor', floor), row(at + 1, 'repose', value)]);
}
