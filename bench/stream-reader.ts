import { Model, Operation, RestProxy, type RestProxyConfig, Store, streaming } from 'repose';
import { fields, type SourceRow } from './data.js';
import { plainRecord } from './floor.js';
import type { Digest } from './harness.js';

/** Times and memory of one reading of a large body. */
export interface Reading {
  /** Milliseconds until the first record was there. */
  readonly first: number;
  readonly total: number;
  /** The most memory that the process had, in bytes. */
  readonly peak: number;
  readonly digest: Digest;
}

interface Reader {
  read(
    url: string,
    onFirst: () => void,
  ): Promise<Iterable<{ readonly id: number; readonly salary: number | undefined; readonly joined: Date | undefined }>>;
}

/** The options of a proxy that reads lists while they arrive. */
const streamed = { reader: { stream: true }, use: [streaming()] };

/** Reads all rows into a store. */
const storeReader = (options: Pick<RestProxyConfig, 'reader' | 'use'>): Reader => ({
  async read(url, onFirst) {
    const proxy = new RestProxy({ url, noCache: false, timeout: 600_000, ...options });
    const store = new Store({ model: Model.define({ name: 'person', fields, proxy }), pageSize: 0 });
    // Records that arrive before the end of the body are announced by `change`.
    const stop = options === streamed ? store.on('change', () => store.count > 0 && onFirst()) : undefined;
    await store.load();
    onFirst();
    stop?.();
    return store;
  },
});

/** Makes records of rows as they arrive, without a store. */
const rowsReader: Reader = {
  async read(url, onFirst) {
    const proxy = new RestProxy({ url, noCache: false, timeout: 600_000, ...streamed });
    const Person = Model.define({ name: 'person', fields, proxy });
    const records: InstanceType<typeof Person>[] = [];
    const onRows = (rows: readonly object[]) => {
      for (const row of rows) records.push(Person.fromRow(row));
      onFirst();
    };
    const { rows } = await proxy.read(new Operation({ action: 'read', onRows }));
    for (const row of rows) records.push(Person.fromRow(row as object));
    return records;
  },
};

/** Subjects of the workload `stream`, the floor first. */
export const readers: Record<string, Reader> = {
  floor: {
    async read(url) {
      const rows = (await (await fetch(url)).json()) as SourceRow[];
      return rows.map(plainRecord);
    },
  },
  repose: storeReader({}),
  'repose, streamed': storeReader(streamed),
  'repose, streamed rows': rowsReader,
};

/** Reads a body once, in a process of its own, whose memory is that of the reading. */
export async function readStream(subject: string, url: string): Promise<Reading> {
  let first = 0;
  const start = performance.now();
  const records = await (readers[subject] as Reader).read(url, () => (first ||= performance.now() - start));
  const total = performance.now() - start;
  const peak = process.resourceUsage().maxRSS * 1024;
  let [count, ids, sum, time] = [0, 0, 0, 0];
  for (const { id, salary, joined } of records) {
    count += 1;
    ids = (Math.imul(ids, 31) + id) | 0;
    sum += salary as number;
    time += (joined as Date).getTime() % 9973;
  }
  return { first: first || total, total, peak, digest: { count, ids, sum: Math.round(sum), time } };
}
