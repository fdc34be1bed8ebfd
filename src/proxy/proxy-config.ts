import type { Dialect } from '../dialect/dialect.js';
import type { ProblemReader } from '../errors/problem.js';
import type { HeadersConfig } from '../http/headers-config.js';
import type { Action } from '../operation/actions.js';
import type { DataProxyConfig } from './data-proxy.js';
import type { ParamsConfig } from './params-config.js';

/** The addresses that take the place of a proxy's `url`. */
export interface Addresses {
  create?: string;
  /** Base of reads: of single records and, where `list` is not set, of the collection too. */
  read?: string;
  /** Address of the collection's read. @default `read`, else the proxy's `url` */
  list?: string;
  update?: string;
  destroy?: string;
}

/** Options of proxies that speak to a server. A parameter is renamed by its `*Param` and switched off by ''. */
export interface ServerProxyConfig extends DataProxyConfig {
  /** Address of the collection; `{name}` in its path is filled in (H10). */
  url?: string | undefined;
  /** What relative addresses are joined to as text (H5). @default the document's address, in browsers */
  baseUrl?: string | undefined;
  /**
   * An address per action, before `url`; `list` is that of a collection's read (H3). Where single records are read under an address of
   * their own (`read`), a 404 there does not mean that a record is gone.
   */
  api?: Addresses;
  /**
   * Whether the address is that of one record, which has no id, such as `/settings` (H5): `Model.load(options)`, `save()` and `erase()`
   * go to the address alone. `pathParams` of the load serve the record's later calls. Stores cannot load such records, and an outbox
   * cannot keep their writes. @default false
   */
  singleton?: boolean;
  /** How the server speaks. @default classic */
  dialect?: Dialect;
  /** Parameter that carries an id which is not in the path. @default 'id' */
  idParam?: string;
  /** Parameter that carries the number of the page, from 1. @default 'page' */
  pageParam?: string | null;
  /** Parameter that carries the index of the first row, from 0. @default 'start' */
  startParam?: string | null;
  /** Parameter that carries the number of rows of a page. @default 'limit' */
  limitParam?: string | null;
  /** Parameter that carries the sorters. @default 'sort' */
  sortParam?: string | null;
  /** Parameter that carries the filters. @default 'filter' */
  filterParam?: string | null;
  /** Parameter that carries the grouper. @default 'group' */
  groupParam?: string | null;
  /** Parameter that carries the text of a search. @default 'query' (classic), 'search' (plain) */
  searchParam?: string | null;
  /** Parameter that carries the token of the next rows, which the reader finds at `reader.nextProperty`. @default '' (none: it is an address) */
  tokenParam?: string | null;
  /**
   * Origins, `https://host`, besides the proxy's own to which links of answers and redirects of reads are followed (H17), without
   * its `headers`. @default []
   */
  trustLinks?: readonly string[];
  /** Parameter that carries the direction of a sorter, with `simpleSortMode`. @default 'dir' */
  directionParam?: string;
  /** Parameter that carries the direction of the grouper, with `simpleGroupMode`. @default 'groupDir' */
  groupDirectionParam?: string;
  /** Sends `sort=name&dir=ASC`, one pair per sorter, instead of JSON (H12). @default false */
  simpleSortMode?: boolean;
  /** Sends `group=city&groupDir=ASC` instead of JSON. @default false */
  simpleGroupMode?: boolean;
  /**
   * Parameters of every request; a call's own beat them. A function is asked for each request, and may be asked more than once: it must
   * be synchronous and change nothing. A promise or anything else that is no object is a `DefinitionError`. To change the parameters of
   * one store alone, use `store.setExtraParams()`.
   *
   * @example
   * ```ts
   * let language = 'en';
   * class ApiModel extends Model.with({ proxy: { extraParams: () => ({ language }) } }) {}
   * ```
   */
  extraParams?: ParamsConfig | undefined;
  /** Values for the `{name}`s of `url`; a call's own beat them. A function is asked for each request, like that of `extraParams`. */
  pathParams?: ParamsConfig;
  /** Whether a cache-buster goes with every request. @default true (classic), false (other dialects) */
  noCache?: boolean;
  /** Name of the cache-buster; '' switches it off (H9). @default '_dc' */
  cacheString?: string;
  /** Milliseconds until an answer must be complete; 0: no limit. @default 30000 */
  timeout?: number;
  /** Reads the body of an answer that is no success. @default readAnyProblem (models of the main entry), problem+json and its like (else) */
  readProblem?: ProblemReader | undefined;
}

/** Options of proxies that use `fetch`. */
export interface AjaxProxyConfig extends ServerProxyConfig {
  /** Headers of every request; a call's own beat them (H15). */
  headers?: HeadersConfig;
  /** Replaces the platform's `fetch`, which is otherwise looked up at every call. */
  fetch?: typeof globalThis.fetch;
  /** Verb per action; given in part, it is merged over `defaultActionMethods` (H13). Any verb the server knows. */
  actionMethods?: Partial<Record<Action, string>> | null;
  /** Whether cookies and credentials travel to other origins. @default false */
  withCredentials?: boolean;
  /** Whether `X-Requested-With` is sent (H15). @default false */
  useDefaultXhrHeader?: boolean;
}

/** Options of the REST proxy. */
export interface RestProxyConfig extends AjaxProxyConfig {
  /** Whether the record's id is appended to the URL. @default true */
  appendId?: boolean;
  /** Suffix such as `json`, appended to every URL after a dot. */
  format?: string | undefined;
  /** Whether every path without a format ends with one `/` (H11). @default false */
  trailingSlash?: boolean;
}
