import { Model, Operation, type OperationConfig, ProxyRequest, RestProxy } from 'repose';
import { orderOf } from './data.js';
import { type Digest, measure, type Row, type Subject } from './harness.js';

const User = Model.define({ fields: { id: 'auto', name: 'string' } });
const COUNT = 30_000;

/** Ids: a third each are numbers, texts without characters to encode, and texts with them. */
function ids(seed: number): unknown[] {
  return Array.from({ length: COUNT }, (_, i) => {
    const k = seed * COUNT + i;
    return i % 3 === 0 ? k : i % 3 === 1 ? `user-${k}` : `žluťoučký kůň/${k}`;
  });
}

/** Requests as an application makes them, without addresses. */
function requests(config: (at: number) => OperationConfig): ProxyRequest[] {
  return Array.from({ length: COUNT }, (_, at) => new ProxyRequest({ operation: new Operation(config(at)) }));
}

/** Requests without addresses, and the function that adds these. */
interface Task {
  readonly requests: ProxyRequest[];
  build(request: ProxyRequest): string;
}

/**
 * A subject that puts an address into every request. The requests of both subjects are made the same way, outside of the timed
 * part.
 */
function subject(
  name: string,
  config: (given: unknown[]) => (at: number) => OperationConfig,
  build: (request: ProxyRequest) => string,
): Subject<Task> {
  return { name, prepare: (turn) => ({ requests: requests(config(ids(turn + 1))), build }) };
}

function run({ requests, build }: Task): ProxyRequest[] {
  for (const request of requests) request.url = build(request);
  return requests;
}

/** The addresses as a server reads them, without the cache-buster. */
function check({ requests }: Task): Digest {
  const read = ({ url }: ProxyRequest) => decodeURIComponent((url as string).replace(/_dc=\d+/, '_dc'));
  const hash = (text: string) => orderOf(text.length, (at) => text.charCodeAt(at));
  return { addresses: orderOf(requests.length, (at) => hash(read(requests[at] as ProxyRequest))) };
}

const sorters = Object.freeze([
  Object.freeze({ property: 'name', direction: 'ASC' }),
  Object.freeze({ property: 'age', direction: 'DESC' }),
]);
const filters = Object.freeze([
  Object.freeze({ property: 'status', operator: '=', value: 'open' }),
  Object.freeze({ property: 'name', operator: 'like', value: 'žlu' }),
]);

/** `npm run bench -- url`: the time to build an address, compared with encoding and concatenating by hand. */
export async function url(quick: boolean): Promise<Row[]> {
  const [warmUp, runs] = quick ? [1, 3] : [5, 41];
  const plain = new RestProxy({ url: '/api/users', noCache: false });
  const busted = new RestProxy({ url: '/api/users' });
  const byId = (given: unknown[]) => (at: number) => ({ action: 'read' as const, id: given[at] });
  const byRecord = (given: unknown[]) => (at: number) => ({
    action: 'update' as const,
    records: [User.fromRow({ id: given[at] }) as never],
  });
  const list = () => () => ({ action: 'read' as const, page: 3, start: 50, limit: 25, sorters, filters });
  const encode = (request: ProxyRequest) => encodeURIComponent(String(request.operation.id));
  const encodeRecord = ({ operation }: ProxyRequest) => {
    const [record] = operation.records as unknown as { getId(): unknown }[];
    return encodeURIComponent(String(record?.getId()));
  };
  const query = () =>
    `sort=${encodeURIComponent(JSON.stringify(sorters))}&filter=${encodeURIComponent(JSON.stringify(filters))}`;
  const cases = [
    {
      case: 'instance by operation id, no cache-buster',
      subjects: [
        subject('floor', byId, (request) => `/api/users/${encode(request)}`),
        subject('repose', byId, (request) => plain.buildUrl(request)),
      ],
    },
    {
      case: 'instance by record, no cache-buster',
      subjects: [
        subject('floor', byRecord, (request) => `/api/users/${encodeRecord(request)}`),
        subject('repose', byRecord, (request) => plain.buildUrl(request)),
      ],
    },
    {
      case: 'instance by operation id, cache-buster',
      subjects: [
        subject('floor', byId, (request) => `/api/users/${encode(request)}?_dc=${Date.now()}`),
        subject('repose', byId, (request) => busted.buildUrl(request)),
      ],
    },
    {
      case: 'collection, unchanged query',
      subjects: [
        subject(
          'floor',
          list,
          ({ operation }) =>
            `/api/users?page=${operation.page}&start=${operation.start}&limit=${operation.limit}&${query()}`,
        ),
        subject('repose', list, (request) => plain.buildUrl(request)),
      ],
    },
  ];
  const rows: Row[] = [];
  for (const { case: name, subjects } of cases) {
    const steps = [{ case: name, run, check }];
    rows.push(...(await measure({ workload: 'url', n: COUNT, unit: 'µs each', warmUp, runs, subjects, steps })));
  }
  return rows;
}
