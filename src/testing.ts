/**
 * Tools for tests: a REST server in memory, records that look saved, a `fetch` with faults, contract suites for proxies
 * and for storages of an outbox. They work
 * with any test runner.
 *
 * @module
 */
export { type Builder, build, builder, buildList, type GivenValues } from './testing/build.js';
export { ContractError } from './testing/contract-error.js';
export { type FaultingFetch, type FaultingFetchOptions, faultingFetch } from './testing/faulting-fetch.js';
export type { Fault, FaultChoice, FaultName, FaultRule, SeenRequest, SimpleFault } from './testing/faults.js';
export {
  type ContractPart,
  type ContractRunner,
  type ProxyContractOptions,
  proxyContract,
} from './testing/proxy-contract.js';
export { type FaultShares, type RandomFaultsOptions, randomFaults, seededRandom } from './testing/random-faults.js';
export type {
  RestCollectionConfig,
  RestEnvelope,
  RestParams,
  RestServerOptions,
  RowVerdict,
  ServerFaults,
} from './testing/rest-config.js';
export { type RestServer, restServer } from './testing/rest-server.js';
export { type StorageContractOptions, type StoragePlace, storageContract } from './testing/storage-contract.js';
