import { checkOptions } from '../dev/checks.js';
import { any, callable, flag, list, object, oneOf, type Rule, string } from '../errors/option-rules.js';
import type { AnyModel } from '../model/field.js';
import type { RecordId } from '../operation/actions.js';
import type { Clock } from '../util/clock.js';
import { isPlainObject } from '../util/values.js';
import type { FaultingFetchOptions } from './faulting-fetch.js';
import type { FaultChoice, FaultRule, FaultShares, RandomFaultsOptions, SimpleFault } from './faults.js';

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
  eventLog: { expected: 'a whole number from 0', holds: (value) => Number.isSafeInteger(value) && Number(value) >= 0 },
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

/** Result of validating a row: undefined (valid), a message about the row, or messages by member. */
export type RowVerdict = undefined | string | Readonly<Record<string, string>>;

/** Options of a collection of the test server. */
export interface RestCollectionConfig {
  /** Initial rows as the server sends them; they are copied. A row without an id gets one. @default [] */
  readonly rows?: readonly object[];
  /**
   * The model of these rows. The server takes from it the member of the id, and the types of fields for sorting and filtering.
   * @default none: members are compared as JSON values
   */
  readonly model?: AnyModel;
  /** Member that holds the id. @default the id member of the model, else 'id' */
  readonly idProperty?: string;
  /** How new ids are generated. @default the next number; a uuid if the other ids are texts */
  readonly ids?: 'number' | 'uuid' | (() => RecordId);
  /**
   * Validates a row before it is stored. An invalid row is refused with 422.
   *
   * @example
   * ```ts
   * import { restServer } from 'repose/testing';
   *
   * const server = restServer({
   *   collections: { '/users': { validate: ({ name }) => (name ? undefined : { name: 'must not be empty' }) } },
   * });
   * const Tested = User.with({ proxy: { fetch: server.fetch, baseUrl: server.baseUrl } });
   * const user = new Tested({ name: '' });
   * await user.save().catch((error) => show(error.code)); // 'validation'
   * show(user.$.errors.name?.[0]?.message); // 'must not be empty'
   * ```
   */
  readonly validate?: (row: Readonly<Record<string, unknown>>) => RowVerdict;
  /** Allowed HTTP methods; other methods get 405. @default all */
  readonly methods?: readonly string[];
}

/** How lists are wrapped. The names are the same as in a proxy's `reader`. */
export interface RestEnvelope {
  /** Member that holds the rows. */
  readonly rootProperty: string;
  /** Member that holds the number of rows in the whole list. @default 'total' */
  readonly totalProperty?: string;
  /** Whether single rows are wrapped too. @default false */
  readonly single?: boolean;
}

/** Names of the query parameters. The options have the same names as those of a proxy. */
export interface RestParams {
  /** @default 'page' */
  readonly pageParam?: string;
  /** @default 'start' */
  readonly startParam?: string;
  /** @default 'limit' */
  readonly limitParam?: string;
  /** @default 'sort' */
  readonly sortParam?: string;
  /** @default 'dir' */
  readonly directionParam?: string;
  /** @default 'filter' */
  readonly filterParam?: string;
  /** @default 'group' */
  readonly groupParam?: string;
  /** @default 'groupDir' */
  readonly groupDirectionParam?: string;
  /** @default 'query' and 'search' */
  readonly searchParam?: string;
  /** Parameters that the server ignores. @default ['_dc'] */
  readonly ignoredParams?: readonly string[];
}

/** Options of a test server. */
export interface RestServerOptions extends RestParams {
  /** Collections by path: rows, or options. `{name}` in a path is a member of the rows: `/users/{userId}/posts`. */
  readonly collections: Readonly<Record<string, readonly object[] | RestCollectionConfig>>;
  /**
   * Base address of the server. Relative addresses are resolved against it, and its path precedes the paths of the collections. The
   * server answers requests to any host. @default 'http://test.local'
   */
  readonly baseUrl?: string;
  /** How lists are wrapped. @default not wrapped; the number of rows in the whole list is in `X-Total-Count` */
  readonly envelope?: RestEnvelope;
  /** Body of responses to writes: the row, or none (only status, `Location` and `ETag`). @default 'row' */
  readonly replies?: 'row' | 'none';
  /** Whether rows have ETags. Conditional requests get 304 or 412; `'required'`: unconditional updates and destroys get 428. @default true */
  readonly etags?: boolean | 'required';
  /** Header with the idempotency key of a write; `''` for a server without idempotency keys. @default 'Idempotency-Key' */
  readonly idempotencyHeader?: string;
  /**
   * Answers requests whose address belongs to no collection. @default 404
   *
   * @example
   * ```ts
   * import { restServer } from 'repose/testing';
   *
   * const server = restServer({
   *   collections: { '/users': [] },
   *   otherwise: ({ url }) => (url.endsWith('/token') ? Response.json({ token: 't' }) : new Response(null, { status: 404 })),
   * });
   * ```
   */
  readonly otherwise?: (request: Request) => Response | Promise<Response>;
  /** Number of changes that are kept for clients whose events were interrupted; older ones make a gap. @default 1000 */
  readonly eventLog?: number;
  /** Seed of all random choices: the same seed and the same calls give the same faults, delays and ids. @default 1 */
  readonly seed?: number;
  /** Milliseconds from request to response: a fixed number, or a range. @default 0 */
  readonly latency?: number | readonly [least: number, most: number];
  /** Clock of the latency. @default a virtual clock, which advances when no other work is pending, so that tests never wait */
  readonly clock?: Clock;
  /** Faults: the share of each fault, chosen by the seed; or a list or function as in {@link FaultingFetchOptions.faults}. @default none */
  readonly faults?: ServerFaults | readonly (FaultRule | SimpleFault)[] | FaultChoice;
}

/** Share of the requests that get each fault, from 0 to 1. */
export interface ServerFaults extends FaultShares {
  /** The response arrives after the responses to later requests. @default 0 */
  readonly reorder?: number;
}
