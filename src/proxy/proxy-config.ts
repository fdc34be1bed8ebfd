import type { Dialect } from '../dialect/dialect.js';
import type { BodyCodec } from '../http/body-codec.js';
import type { HeadersConfig } from '../http/headers.js';
import type { Action } from '../operation/actions.js';
import type { ParamsConfig } from '../operation/params-config.js';
import type { ReadAddress } from '../operation/proxy-request.js';
import type { Place } from '../reader/place.js';
import type { DataProxyConfig } from './data-proxy.js';
import type { RowCount } from './total-counts.js';

/** Addresses per action, used instead of a proxy's `url`. */
export interface Addresses {
  /** Address of creates. @default the proxy's `url` */
  create?: string;
  /**
   * Base address of reads: for single records and, if `list` is not set, for the collection too. An object gives them an HTTP method, and a
   * body or parameters of their own: `{ url: '/users/_get', body: true }`.
   *
   * @example
   * ```ts
   * // POST /users/_get {"id":7}
   * const proxy = new RestProxy({ url: '/users', appendId: false, api: { read: { url: '/users/_get', body: true } } });
   * ```
   * @default the proxy's `url`
   */
  read?: string | ReadAddress;
  /**
   * Address of the collection's read, or an object with an HTTP method and a body of its own: `{ url: '/users/_search', body: true }`.
   * @default `read`, else the proxy's `url`
   */
  list?: string | ReadAddress;
  /** Base address of updates. @default the proxy's `url` */
  update?: string;
  /** Base address of erases. @default the proxy's `url` */
  destroy?: string;
  /**
   * Address of the requests that write several records, for each action. If it is an action of the server's own, which sets one field of many
   * rows to one value, save what else was edited before it.
   *
   * @example
   * ```ts
   * // POST /orders/bulk {"ids":[1,2],"state":"sent"} → 207 [{"id":1,"status":200,"body":{…}},{"id":2,"status":412}]
   * const orders = new RestProxy({
   *   url: '/orders',
   *   dialect: { ...plain(), method: ({ request }) => (request.bulk ? 'POST' : undefined) },
   *   api: { bulk: '/orders/bulk' },
   *   batchActions: { update: true },
   *   writer: {
   *     transform(body, { bulk }) {
   *       if (!bulk) return body; // a single order goes by PATCH to its own address
   *       const rows = body as { id: number; state: string }[];
   *       return { ids: rows.map(({ id }) => id), state: rows[0]?.state };
   *     },
   *   },
   * });
   * ```
   * @default the address of the action, else `url`
   */
  bulk?: string;
}

/** How to ask for the number of rows, if this takes more than an address. */
export interface CountAddress {
  /** Address of the number of rows. Each `{name}` in its path is replaced by a value. */
  url: string;
  /**
   * The parameter of filters at this address: `where`. Names that continue in brackets get the new beginning. For dialects that have
   * `filterParam`, such as `plain()` with `bracketFilter()`. @default the proxy's `filterParam`
   *
   * @example
   * ```ts
   * const filter = bracketFilter({ eq: '', ge: 'gte' });
   * const proxy = new RestProxy({
   *   url: '/users',
   *   dialect: plain({ filterParam: 'filter[where]', filter }),
   *   countUrl: rowCount({ url: '/users/count', filterParam: 'where' }),
   * });
   * ```
   */
  filterParam?: string;
  /**
   * Turns the parameters of the request into those that the server expects at this address. @default they are sent as they are
   *
   * @example
   * ```ts
   * const proxy = new RestProxy({
   *   url: '/users',
   *   countUrl: rowCount({ url: '/users/count', params: ({ filter, ...rest }) => ({ ...rest, where: filter }) }),
   * });
   * ```
   */
  params?: (params: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
  /**
   * Path of the number in the response, or a function that returns it. @default `reader.totalProperty`, else the whole body, else a
   * member `count`, `total`, `totalCount`, `total_count` or `@odata.count`
   */
  total?: Place;
}

/** Options of proxies that send requests. Each `*Param` option renames a parameter; `''` switches it off. */
export interface AjaxProxyConfig extends DataProxyConfig {
  /** Address of the collection. Each `{name}` in its path is replaced by a value. */
  url?: string | undefined;
  /** Relative addresses are appended to this text. @default the document's address, in browsers */
  baseUrl?: string | undefined;
  /**
   * An address per action, used instead of `url`; `list` is for reads of the collection. If `read` is set, a 404 on a single
   * record does not mean that the record is gone.
   */
  api?: Addresses;
  /**
   * Address of the number of rows, for servers whose lists do not tell their total: `rowCount('/users/count')`. Each `{name}` in
   * its path is replaced by a value. The number is asked for beside a read of a page, with the same filters, search and other
   * parameters, but without those of page and order. It is kept until one of these, or a write through this proxy, changes it, or until
   * a page is read again. Users who see different rows need proxies of their own (`User.with({ proxy: { … } })`), since the number does
   * not depend on headers that a function or an extension adds. If this request fails, the read fails with its error. Not asked for if a list is read whole, at an address of
   * the call's own, or has its total in the response.
   *
   * @example
   * ```ts
   * class User extends Model.define({
   *   fields: { id: 'int', name: 'string' },
   *   proxy: { url: '/users', countUrl: rowCount('/users/count'), dialect: plain() },
   * }) {}
   * ```
   */
  countUrl?: RowCount | undefined;
  /**
   * Whether the address names one record without an id, such as `/settings`. `Model.load(options)`, `save()` and `erase()` use
   * the address alone. Later calls of the record reuse the `pathParams` of its load. Stores cannot load such records, and an outbox
   * cannot keep their writes. @default false
   */
  singleton?: boolean;
  /** How the server expects parameters, addresses and bodies. @default classic */
  dialect?: Dialect;
  /** Parameter for an id that is not in the path. @default 'id' */
  idParam?: string;
  /** Parameter for the number of the page, from 1. @default 'page' */
  pageParam?: string | null;
  /** Parameter for the index of the first row, from 0. @default 'start' */
  startParam?: string | null;
  /** Parameter for the number of rows per page. @default 'limit' */
  limitParam?: string | null;
  /** Parameter for the sorters. @default 'sort' */
  sortParam?: string | null;
  /** Parameter for the filters; refused by dialects that send each filter in a parameter of its own. @default 'filter' */
  filterParam?: string | null;
  /** Parameter for the grouper; refused by `postgrest()` and `redmine()`, where a group is the first sorter. @default 'group' */
  groupParam?: string | null;
  /** Parameter for the search text. @default 'query' (classic), 'search' (plain) */
  searchParam?: string | null;
  /** Parameter for the token of the next page, which the reader finds at `reader.nextProperty`. @default '' (none: the next page is an address) */
  tokenParam?: string | null;
  /**
   * Other origins (`https://host`) to which links in responses and redirects of reads are followed. They get no
   * cookies, and none of our headers but `Accept`: neither those of the proxy nor those of a call or an extension. @default []
   */
  trustLinks?: readonly string[];
  /** Parameter for the direction of a sorter, with `simpleSortMode`. @default 'dir' */
  directionParam?: string;
  /** Parameter for the direction of the grouper, with `simpleGroupMode`. @default 'groupDir' */
  groupDirectionParam?: string;
  /** Sends `sort=name&dir=ASC`, one pair per sorter, instead of JSON. @default false */
  simpleSortMode?: boolean;
  /** Sends `group=city&groupDir=ASC` instead of JSON. @default false */
  simpleGroupMode?: boolean;
  /**
   * Parameters of every request; the parameters of a call win over them. A function is called at least once for each
   * read, and for each write when it is called: it must be synchronous and change nothing. If it returns a promise or anything but a plain object, the request throws a `DefinitionError`.
   * To change the parameters of one store only, use `store.setExtraParams()`.
   *
   * @example
   * ```ts
   * let language = 'en';
   * class ApiModel extends Model.with({ proxy: { extraParams: () => ({ language }) } }) {}
   * ```
   */
  extraParams?: ParamsConfig | undefined;
  /** Values for each `{name}` of `url`; the values of a call win over them. A function follows the rules of `extraParams`. */
  pathParams?: ParamsConfig;
  /** Whether every request gets a cache-buster parameter. @default true (classic), false (other dialects) */
  noCache?: boolean;
  /** Name of the cache-buster parameter; `''` switches it off. @default '_dc' */
  cacheString?: string;
  /** Time limit for a complete response, in milliseconds; 0: no limit. @default 30000 */
  timeout?: number;
  /** Headers of every request; the headers of a call win over them. */
  headers?: HeadersConfig;
  /** Used instead of the platform's `fetch`. @default the platform's, looked up at every call */
  fetch?: typeof globalThis.fetch | undefined;
  /** HTTP method per action, merged over `defaultActionMethods`. Any method that the server supports is allowed. */
  actionMethods?: Partial<Record<Action, string>> | null;
  /** The format of bodies: `xml()` of `repose/xml`, or one of your own. @default JSON */
  codec?: BodyCodec | undefined;
  /** Whether cookies and credentials are sent to other origins. @default false */
  withCredentials?: boolean;
  /** Whether `X-Requested-With` is sent. @default false */
  useDefaultXhrHeader?: boolean;
}

/** Options of the REST proxy. */
export interface RestProxyConfig extends AjaxProxyConfig {
  /** Whether the record's id is appended to the URL. @default true */
  appendId?: boolean;
  /** Suffix such as `json`, appended to every URL after a dot. null and '' also stand for none, whatever the dialect sets. @default none */
  format?: string | null | undefined;
  /** Whether every path without a format ends with one `/`. @default false */
  trailingSlash?: boolean;
  /**
   * The place of a create: `post` to the collection, or `put` at the record's own address, for ids that the client gives
   * (`identifier: 'natural'`, or `writer: { writeRecordId: true }`). A create by PUT may be repeated, but it also replaces a record
   * that has this id already. With `put`, an update by PUT may be answered with 201, which is else an error: the record was made anew.
   * @default 'post'
   */
  createBy?: 'post' | 'put';
}
