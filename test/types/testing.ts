import { json, MemoryProxy, Model, RestProxy } from 'repose';
import {
  build, type Builder, builder, buildList, type ContractError, type ContractPart, type ContractRunner, type Fault, type FaultChoice, type FaultingFetch, faultingFetch, proxyContract,
  type ProxyContractOptions, randomFaults, type RestServer, restServer, seededRandom, type SeenRequest,
} from 'repose/testing';
import { is } from './equal.js';

// ── faults ────────────────────────────────────────────────────────────────────
const fetch: FaultingFetch = faultingFetch({
  faults: ['drop', { type: 'status', status: 503, headers: { 'Retry-After': '1' }, body: { a: 1 }, processed: true }, { type: 'truncate', at: 5, silent: true },
    { type: 'lose', times: 2, on: (request) => { is<SeenRequest>()(request); return request.method === 'POST'; } }],
});
new RestProxy({ url: '/x', fetch });
const platform: typeof globalThis.fetch = fetch;
void platform;
faultingFetch({ fetch: globalThis.fetch });
faultingFetch({ fetch: (request) => Response.json({ url: request.url }), faults: randomFaults({ seed: 1, rate: 0.5, faults: ['hang', { type: 'hold', what: 'answer' }] }) });
const choice: FaultChoice = ({ number }) => (number === 1 ? 'drop' : undefined);
faultingFetch({ faults: choice }).plan('pass', { type: 'malformed', body: '<html>' });
is<readonly SeenRequest[]>()(fetch.requests);
is<Promise<SeenRequest>>()(fetch.waitFor(1));
is<Fault | undefined>()(fetch.requests[0]!.fault);
is<() => number>()(seededRandom(1));
// @ts-expect-error a status needs its number
faultingFetch({ faults: ['status'] });
// @ts-expect-error no such fault
faultingFetch({ faults: ['dorp'] });
// @ts-expect-error an option of another fault
faultingFetch({ faults: [{ type: 'drop', status: 500 }] });
// @ts-expect-error chance needs a seed
randomFaults({ rate: 0.5 });

// ── the contract ──────────────────────────────────────────────────────────────
const runner: ContractRunner = { test: (_name: string, _run: () => Promise<void>) => {} };
const options: ProxyContractOptions = {
  createProxy: async () => new MemoryProxy(), destroyProxy: () => {}, fields: { id: 'int', title: 'string', size: { type: 'number', mapping: 's' } }, text: 'title',
  number: 'size', values: (n) => ({ title: `${n}`, size: n }), without: { sorting: 'has one order' },
};
proxyContract(options, runner);
const part: ContractPart = 'abort';
void part;
const failed = null as never as ContractError;
is<unknown>()(failed.actual);
// @ts-expect-error a reason, not a flag
proxyContract({ createProxy: () => new MemoryProxy(), without: { sorting: true } }, runner);
// @ts-expect-error no such part
proxyContract({ createProxy: () => new MemoryProxy(), without: { grouping: 'x' } }, runner);
// @ts-expect-error a proxy, made
proxyContract({ createProxy: () => MemoryProxy }, runner);

// ── a server in memory ────────────────────────────────────────────────────────
class User extends Model.define({ fields: { id: 'int', name: 'string', email: { type: 'string', allowNull: true }, joined: 'date', role: json<'admin' | 'member'>(), label: { calculate: () => 'x' } } }) {}
const server: RestServer = restServer({
  collections: {
    '/users': [{ id: 1 }],
    '/posts': { rows: [], model: User, ids: 'uuid', validate: (row) => { is<Readonly<Record<string, unknown>>>()(row); return row['name'] ? undefined : { name: 'is required' }; }, methods: ['GET'] },
  },
  envelope: { rootProperty: 'data' }, etags: 'required', replies: 'none', seed: 1, latency: [1, 5], faults: { drop: 0.1, reorder: 0.5 }, pageParam: 'p',
});
restServer({ collections: {}, faults: ['drop'] });
restServer({ collections: {}, faults: randomFaults({ seed: 1, shares: { break: 0.5 } }), latency: 5 });
User.with({ proxy: { fetch: server.fetch, baseUrl: server.baseUrl } });
is<Record<string, unknown>[]>()(server.rows('/users'));
is<readonly SeenRequest[]>()(server.requests);
is<FaultingFetch>()(server.fetch);
is<void>()(server.heal());
server.setRows('/users', [{ id: 2 }]);
// @ts-expect-error collections are needed
restServer({});
// @ts-expect-error no such fault
restServer({ collections: {}, faults: { dorp: 1 } });
// @ts-expect-error a verdict is a text, or texts by member
restServer({ collections: { '/users': { validate: () => 7 } } });
// @ts-expect-error no such option
restServer({ collections: { '/users': { row: [] } } });
// @ts-expect-error two bounds
restServer({ collections: {}, latency: [1, 2, 3] });

// ── built records ─────────────────────────────────────────────────────────────
const built = build(User, { name: 'Ada', email: null });
is<User>()(built);
is<number>()(built.id);
is<'admin' | 'member'>()(built.role);
is<User>()(build(User));
is<User[]>()(buildList(User, 2));
is<User[]>()(buildList(User, 2, { role: 'admin' }));
is<User[]>()(buildList(User, 2, (index) => { is<number>()(index); return { name: `${index}` }; }));
const own: Builder = builder();
is<User>()(own.build(User, { joined: new Date() }));
is<User[]>()(own.buildList(User, 3, { id: 7 }));
// @ts-expect-error no such field
build(User, { nmae: 'Ada' });
// @ts-expect-error another type
build(User, { name: 7 });
// @ts-expect-error may not be null
build(User, { name: null });
// @ts-expect-error not in the list
build(User, { role: 'guest' });
// @ts-expect-error a class, not a record
build(built);
// @ts-expect-error no such field
buildList(User, 2, { nmae: 'Ada' });
// @ts-expect-error another type
own.build(User, { joined: '2026-01-01' });
