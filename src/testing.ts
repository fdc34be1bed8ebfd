/**
 * Tools for tests: a REST server in memory, records that look saved, a `fetch` with faults, contract suites for proxies
 * and for storages of an outbox. They work
 * with any test runner.
 *
 * @module
 */
export { type Builder, build, builder, buildList, type GivenValues } from './testing/build.js';
export { type FaultingFetch, type FaultingFetchOptions, faultingFetch } from './testing/faulting-fetch.js';
export {
  type Fault,
  type FaultChoice,
  type FaultName,
  type FaultRule,
  type FaultShares,
  type RandomFaultsOptions,
  randomFaults,
  type SeenRequest,
  type SimpleFault,
  seededRandom,
} from './testing/faults.js';
export {
  type ContractPart,
  type ContractRunner,
  type ProxyContractOptions,
  proxyContract,
} from './testing/proxy-contract.js';
export { ContractError } from './testing/refusal.js';
export { type Replay, replay } from './testing/replay.js';
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
