import { checkOptions, type Rule } from '../http/policies/options.js';
import { isPlain } from '../util/values.js';
import type { RestCollectionConfig, RestServerOptions } from './rest-config.js';

/** Verbs that the test server knows. */
export const VERBS: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

const is = (type: string, expected: string): Rule => ({ expected, holds: (value) => typeof value === type });
const any: Rule = { expected: 'anything', holds: () => true };
const text = is('string', 'a text');
const flag = is('boolean', 'true or false');
const object: Rule = { expected: 'an object', holds: isPlain };
const callable = is('function', 'a function');
const list: Rule = { expected: 'a list', holds: Array.isArray };
const oneOf = (...values: readonly unknown[]): Rule => ({
  expected: values.map((value) => JSON.stringify(value)).join(' or '),
  holds: (value) => values.includes(value),
});

/** Shares of `reorder` and of what a fetch may suffer. */
const SHARES = { drop: any, lose: any, truncate: any, malformed: any, refuse: any, break: any, reorder: any };

const SERVER: Readonly<Record<keyof RestServerOptions, Rule>> = {
  collections: object,
  baseUrl: { expected: 'an absolute address', holds: (value) => URL.canParse(String(value)) },
  envelope: object,
  replies: oneOf('row', 'none'),
  etags: oneOf(true, false, 'required'),
  idempotencyHeader: text,
  otherwise: callable,
  seed: { expected: 'a number', holds: Number.isFinite },
  latency: { expected: 'milliseconds', holds: (value) => value !== null },
  clock: { expected: 'an object', holds: (value) => typeof value === 'object' && value !== null },
  faults: {
    expected: 'an object, a list or a function',
    holds: (value) => isPlain(value) || Array.isArray(value) || typeof value === 'function',
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
  if (isPlain(faults)) checkOptions('faults', faults, SHARES);
}
