import { callable, checkOptions, type Rule } from '../errors/option-rules.js';
import { isPlainObject } from '../util/values.js';
import type { FaultingFetchOptions } from './faulting-fetch.js';
import type { FaultShares, RandomFaultsOptions } from './random-faults.js';
import type { RestCollectionConfig, RestServerOptions } from './rest-config.js';

/** Verbs that the test server knows. */
export const VERBS: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

const is = (type: string, expected: string): Rule => ({ expected, holds: (value) => typeof value === type });
export const any: Rule = { expected: 'anything', holds: () => true };
export const text: Rule = is('string', 'a text');
export const flag: Rule = is('boolean', 'true or false');
export const object: Rule = { expected: 'an object', holds: isPlainObject };
const list: Rule = { expected: 'a list', holds: Array.isArray };
export const oneOf = (...values: readonly unknown[]): Rule => ({
  expected: values.map((value) => JSON.stringify(value)).join(' or '),
  holds: (value) => values.includes(value),
});

/** Shares of what a fetch may suffer. */
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
  idempotencyHeader: text,
  otherwise: callable,
  seed,
  latency: { expected: 'milliseconds', holds: (value) => value !== null },
  clock: { expected: 'an object', holds: (value) => typeof value === 'object' && value !== null },
  faults: {
    expected: 'an object, a list or a function',
    holds: (value) => isPlainObject(value) || Array.isArray(value) || typeof value === 'function',
  },
  pageParam: text,
  startParam: text,
  limitParam: text,
  sortParam: text,
  directionParam: text,
  filterParam: text,
  groupParam: text,
  groupDirectionParam: text,
  searchParam: text,
  ignoredParams: list,
};

const COLLECTION: Readonly<Record<keyof RestCollectionConfig, Rule>> = {
  rows: list,
  model: any,
  idProperty: text,
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

/** Throws `DefinitionError` for options of a test server that cannot be meant: one that is misspelt would test nothing. */
export function checkServer(options: RestServerOptions): void {
  checkOptions('restServer', options, SERVER);
  checkOptions('restServer', { collections: options.collections ?? null }, SERVER);
  for (const [path, config] of Object.entries(options.collections)) {
    if (!Array.isArray(config)) checkOptions(`collections['${path}']`, config, COLLECTION);
  }
  const { envelope, faults } = options;
  if (envelope) {
    const { rootProperty = null } = envelope;
    checkOptions('envelope', { ...envelope, rootProperty }, { rootProperty: text, totalProperty: text, single: flag });
  }
  if (isPlainObject(faults)) checkOptions('faults', faults, { ...SHARES, reorder: any });
}

/** Throws `DefinitionError` for options of a faulting `fetch` that cannot be meant. */
export function checkFetch(options: FaultingFetchOptions): void {
  const faults: Rule = {
    expected: 'a list or a function',
    holds: (value) => Array.isArray(value) || typeof value === 'function',
  };
  checkOptions('faultingFetch', options, { fetch: callable, faults, baseUrl: text });
}

/** Throws `DefinitionError` for options of faults by chance that cannot be meant: without a seed, nothing could be had again. */
export function checkRandom(options: RandomFaultsOptions): void {
  checkOptions('randomFaults', options, { seed, shares: object, rate: any, faults: list });
  checkOptions('randomFaults', { seed: options.seed ?? null }, { seed });
  if (options.shares) checkOptions('shares', options.shares, SHARES);
}
