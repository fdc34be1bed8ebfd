import { checkOptions } from '../dev/checks.js';
import { any, callable, flag, list, object, oneOf, type Rule, string } from '../errors/option-rules.js';
import { isPlainObject } from '../util/values.js';
import type { FaultingFetchOptions } from './faulting-fetch.js';
import type { FaultShares, RandomFaultsOptions } from './random-faults.js';
import type { RestCollectionConfig, RestServerOptions } from './rest-config.js';

/** HTTP methods that the test server supports. */
export const VERBS: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Rules of the shares of faults. */
const SHARES: Readonly<Record<keyof FaultShares, Rule>> = {
  drop: any,
  lose: any,
  truncate: any,
  malformed: any,
  refuse: any,
  break: any,
};
const seed: Rule = { expected: 'a number', holds: Number.isFinite };

const SERVER: Readonly<Record<keyof RestServerOptions, Rule>> = {
  collections: object,
  baseUrl: { expected: 'an absolute address', holds: (value) => URL.canParse(String(value)) },
  envelope: object,
  replies: oneOf('row', 'none'),
  etags: oneOf(true, false, 'required'),
  idempotencyHeader: string,
  otherwise: callable,
  seed,
  latency: { expected: 'milliseconds', holds: (value) => value !== null },
  clock: { expected: 'an object', holds: (value) => typeof value === 'object' && value !== null },
  faults: {
    expected: 'an object, a list or a function',
    holds: (value) => isPlainObject(value) || Array.isArray(value) || typeof value === 'function',
  },
  pageParam: string,
  startParam: string,
  limitParam: string,
  sortParam: string,
  directionParam: string,
  filterParam: string,
  groupParam: string,
  groupDirectionParam: string,
  searchParam: string,
  ignoredParams: list,
};

const COLLECTION: Readonly<Record<keyof RestCollectionConfig, Rule>> = {
  rows: list,
  model: any,
  idProperty: string,
  ids: {
    expected: "'number', 'uuid' or a function",
    holds: (value) => value === 'number' || value === 'uuid' || typeof value === 'function',
  },
  validate: callable,
  methods: {
    expected: `a list of ${VERBS.join(', ')}`,
    holds: (value) => Array.isArray(value) && value.every((each) => VERBS.includes(each)),
  },
};

/** Throws `DefinitionError` for invalid options of a test server: a misspelt option would test nothing. */
export function checkServer(options: RestServerOptions): void {
  checkOptions('restServer', options, SERVER);
  checkOptions('restServer', { collections: options.collections ?? null }, SERVER);
  for (const [path, config] of Object.entries(options.collections)) {
    if (!Array.isArray(config)) checkOptions(`collections['${path}']`, config, COLLECTION);
  }
  const { envelope, faults } = options;
  if (envelope) {
    const { rootProperty = null } = envelope;
    checkOptions(
      'envelope',
      { ...envelope, rootProperty },
      { rootProperty: string, totalProperty: string, single: flag },
    );
  }
  if (isPlainObject(faults)) checkOptions('faults', faults, { ...SHARES, reorder: any });
}

/** Throws `DefinitionError` for invalid options of a faulting `fetch`. */
export function checkFetch(options: FaultingFetchOptions): void {
  const faults: Rule = {
    expected: 'a list or a function',
    holds: (value) => Array.isArray(value) || typeof value === 'function',
  };
  checkOptions('faultingFetch', options, { fetch: callable, faults, baseUrl: string });
}

/** Throws `DefinitionError` for invalid options of random faults: without a seed, a failure could not be repeated. */
export function checkRandom(options: RandomFaultsOptions): void {
  checkOptions('randomFaults', options, { seed, shares: object, rate: any, faults: list });
  checkOptions('randomFaults', { seed: options.seed ?? null }, { seed });
  if (options.shares) checkOptions('shares', options.shares, SHARES);
}
