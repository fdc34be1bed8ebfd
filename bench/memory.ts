import { Model, plain, RestProxy, Store } from 'repose';
import { type Row, round } from './harness.js';

/** Records that live at a time. */
const ALIVE = 100;

/** A server without a network: answers in the same process. */
function createFetch(): typeof fetch {
  let lastId = 0;
  const headers = { 'content-type': 'application/json' };
  return async (_input, init) => {
    if (init?.method === 'DELETE') return new Response(null, { status: 204 });
    const row = JSON.parse(init?.body as string) as { id?: number };
    const id = row.id ?? (lastId += 1);
    return new Response(JSON.stringify({ ...row, id }), { status: init?.method === 'POST' ? 201 : 200, headers });
  };
}

/** Bytes of the heap that are in use. */
async function heap(): Promise<number> {
  for (let i = 0; i < 4; i += 1) {
    // What is freed at last, such as the bodies of answers, is freed between turns.
    await new Promise((resolve) => setTimeout(resolve, 5));
    globalThis.gc?.();
  }
  return process.memoryUsage().heapUsed;
}

/**
 * Operations through one store: records are made, edited and erased, so many at a time. Gives the heap after a tenth of them and
 * at the end.
 */
export async function memory(quick: boolean): Promise<Row[]> {
  const n = quick ? 20_000 : 1_000_000;
  const Person = Model.define({
    name: 'person',
    fields: { id: 'int', name: 'string', joined: 'date' },
    proxy: new RestProxy({
      ...{ url: 'http://127.0.0.1/people', dialect: plain(), actionMethods: { update: 'PUT' }, fetch: createFetch() },
      ...{ retry: true, idempotencyHeader: 'Idempotency-Key', conditional: true },
    }),
  });
  const store = new Store({ model: Person, pageSize: 0, concurrency: 16, sorters: ['name'] });
  store.on('change', () => undefined);
  let done = 0;
  const sync = async () => {
    done += (await store.sync()).orThrow().outcomes.length;
  };
  const cycle = async () => {
    store.add(...Array.from({ length: ALIVE }, (_, at) => ({ name: `Person ${at}`, joined: new Date(at) })));
    await sync();
    for (let edit = 0; edit < 2; edit += 1) {
      for (let at = 0; at < store.count; at += 1) store.getAt(at)?.set({ name: `Person ${done} ${at}` });
      await sync();
    }
    store.removeAll();
    await sync();
  };
  let first = 0;
  while (done < n) {
    await cycle();
    if (!first && done >= n / 10) first = await heap();
  }
  const last = await heap();
  const row = (subject: string, value: number): Row => ({
    ...{ workload: 'memory', case: 'heap after a tenth (floor) and after all', n, subject },
    ...{ value: round(value / 1e6, 2), unit: 'MB', ratio: round(value / first, 3) },
  });
  return [row('floor', first), row('repose', last)];
}
