import { MemoryProxy, RestProxy } from 'repose';
import {
  type ContractError, type ContractPart, type ContractRunner, type Fault, type FaultChoice, type FaultingFetch, faultingFetch, proxyContract,
  type ProxyContractOptions, randomFaults, seededRandom, type SeenRequest,
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
