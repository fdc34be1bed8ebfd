import type { AnyModel } from '../model/field.js';
import type { RecordId } from '../operation/actions.js';
import type { Clock } from '../util/clock.js';
import type { FaultChoice, FaultRule, SimpleFault } from './faults.js';
import type { FaultShares } from './random-faults.js';

/** What a validator says of a row: nothing, what is wrong with it, or what is wrong with which member. */
export type RowVerdict = undefined | string | Readonly<Record<string, string>>;

/** A collection of the test server. */
export interface RestCollectionConfig {
  /** Rows to begin with, as the server sends them; they are copied. One without an id gets one. @default [] */
  readonly rows?: readonly object[];
  /**
   * The model of these rows: tells which member holds the id, and what dates and numbers there are for sorting and filtering.
   * @default none: members are compared as JSON holds them
   */
  readonly model?: AnyModel;
  /** Member that holds the id. @default that of the model, else 'id' */
  readonly idProperty?: string;
  /** Where new ids come from. @default the next number; a uuid where the other ids are texts */
  readonly ids?: 'number' | 'uuid' | (() => RecordId);
  /** Looks at a row before it is kept; what it finds wrong is answered with 422. */
  readonly validate?: (row: Readonly<Record<string, unknown>>) => RowVerdict;
  /** Verbs that are let in; others get 405. @default all */
  readonly methods?: readonly string[];
}

/** How lists are wrapped; the names are those of a proxy's `reader`. */
export interface RestEnvelope {
  /** Member that holds the rows. */
  readonly rootProperty: string;
  /** Member that holds the size of the whole list. @default 'total' */
  readonly totalProperty?: string;
  /** Whether single rows are wrapped too. @default false */
  readonly single?: boolean;
}

/** Names of the parameters; they are called as the options of a proxy are. */
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
  /** Parameters that mean nothing to the server. @default ['_dc'] */
  readonly ignoredParams?: readonly string[];
}

/** What a test server is made from. */
export interface RestServerOptions extends RestParams {
  /** Rows or more by path. `{name}` in a path is a member of its rows: `/users/{userId}/posts`. */
  readonly collections: Readonly<Record<string, readonly object[] | RestCollectionConfig>>;
  /** Where the server is: relative addresses are resolved against it, its path stands before those of the collections. Any host is answered. @default 'http://test.local' */
  readonly baseUrl?: string;
  /** How lists are wrapped. @default not at all; the size of the whole list is in `X-Total-Count` */
  readonly envelope?: RestEnvelope;
  /** What writes are answered with: the row, or nothing but status, `Location` and `ETag`. @default 'row' */
  readonly replies?: 'row' | 'none';
  /** Whether rows have ETags: honoured where they are sent (304, 412), or `'required'` for updates and destroys (428). @default true */
  readonly etags?: boolean | 'required';
  /** Header whose value makes a write one that is done once; '' for a server that knows none. @default 'Idempotency-Key' */
  readonly idempotencyHeader?: string;
  /** Answers what is addressed to no collection. @default 404 */
  readonly otherwise?: (request: Request) => Response | Promise<Response>;
  /** What everything by chance comes from: the same seed and the same calls give the same faults, delays and ids. @default 1 */
  readonly seed?: number;
  /** Milliseconds from request to answer: always, or from the least to the most. @default 0 */
  readonly latency?: number | readonly [least: number, most: number];
  /** Whose milliseconds these are. @default the server's own time, which passes when nothing else happens: answers come in their order, nobody waits */
  readonly clock?: Clock;
  /** What goes wrong: how often what, by the seed; or as {@link FaultingFetchOptions.faults}. @default nothing */
  readonly faults?: ServerFaults | readonly (FaultRule | SimpleFault)[] | FaultChoice;
}

/** How often what goes wrong: each a share of the requests, from 0 to 1. */
export interface ServerFaults extends FaultShares {
  /** The answer comes behind answers to later requests. @default 0 */
  readonly reorder?: number;
}
