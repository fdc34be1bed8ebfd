/**
 * Help for tests: a contract suite for proxies, and a `fetch` with faults. Knows no test runner.
 *
 * @module
 */
export { ContractError } from './testing/contract-error.js';
export { type FaultingFetch, type FaultingFetchOptions, faultingFetch } from './testing/faulting-fetch.js';
export type { Fault, FaultChoice, FaultName, FaultRule, SeenRequest, SimpleFault } from './testing/faults.js';
export {
  type ContractPart,
  type ContractRunner,
  type ProxyContractOptions,
  proxyContract,
} from './testing/proxy-contract.js';
export { type RandomFaultsOptions, randomFaults, seededRandom } from './testing/random-faults.js';
