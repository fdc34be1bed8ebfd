import type { Problem } from '../errors/problem.js';
import type { HeadersConfig } from '../http/headers.js';
import type { Action } from '../operation/actions.js';
import type { Operation } from '../operation/operation.js';
import type { ProxyRequest } from '../operation/proxy-request.js';
import type { Filter, Grouper, Operator, Sorter } from '../operation/query-parts.js';
import type { ResultSet } from '../operation/result-set.js';
import type { BatchActions } from '../proxy/data-proxy.js';
import type { JsonReader, JsonReaderConfig } from '../reader/json-reader.js';
import type { JsonWriter, JsonWriterConfig } from '../writer/json-writer.js';

/** The part of a proxy that steps may read: its options with their defaults, and small helpers. */
export interface DialectOptions {
  readonly dialect: Dialect;
  readonly idParam: string;
  readonly pageParam: string | null;
  readonly startParam: string | null;
  readonly limitParam: string | null;
  readonly sortParam: string | null;
  readonly filterParam: string | null;
  readonly groupParam: string | null;
  readonly searchParam: string | null;
  readonly tokenParam: string | null;
  readonly directionParam: string;
  readonly groupDirectionParam: string;
  readonly simpleSortMode: boolean;
  readonly simpleGroupMode: boolean;
  readonly batchActions: boolean | BatchActions;
  /** Undefined if the proxy has no such option. */
  readonly appendId?: boolean;
  readonly reader: JsonReader;
  readonly writer: JsonWriter;
  /** Caches the text that `make` returned for a frozen list, until another list is given. */
  kept(list: readonly object[], make: () => string): string;
  /** Encodes an id for a path. */
  encodeId(id: unknown): string;
  /** The address of the collection of an operation, before the id. */
  placeOf?(operation: Operation): string;
  /** Encodes sorters for a parameter, as JSON unless the proxy overrides it. */
  encodeSorters(sorters: readonly Sorter[]): string;
  /** Encodes filters for a parameter, as JSON unless the proxy overrides it. */
  encodeFilters(filters: readonly Filter[]): string;
  /** Encodes a grouper for a parameter, as JSON unless the proxy overrides it. */
  encodeGrouper(grouper: Grouper): string;
}

/** Defaults that a dialect sets for options of its proxies. */
export interface DialectDefaults {
  readonly reader?: JsonReaderConfig | JsonReader;
  readonly writer?: JsonWriterConfig | JsonWriter;
  readonly actionMethods?: Readonly<Partial<Record<Action, string>>>;
  readonly batchActions?: boolean | BatchActions;
  readonly batchOrder?: string;
  /** Any other option of the proxy. */
  readonly [option: string]: unknown;
}

/** Argument of every step. */
export interface StepContext {
  readonly request: ProxyRequest;
  readonly options: DialectOptions;
}

/** How conditions are joined in a tree of filters. */
export type TreeKind = 'and' | 'or' | 'not';

/**
 * The queries that a dialect can express, and the writes of several records. A query that exceeds them is refused with
 * `UnsupportedQueryError`, before anything is sent; `batchActions` that exceed them, with `DefinitionError`.
 */
export interface Capabilities {
  /** Whether queries use the field's own name instead of its `mapping`, and accept unknown names. @default false */
  readonly fieldNames?: boolean;
  /** The operators that conditions may have. @default any operator, also one that only the server knows */
  readonly operators?: readonly Operator[];
  /** How conditions may be joined in trees. A list of filters, which must all hold, is no tree. @default [] (not at all) */
  readonly trees?: readonly TreeKind[];
  /** Whether a query may have several sorters. @default true */
  readonly multiSort?: boolean;
  /** Whether sorters may say where missing values stand: `nulls`. @default false */
  readonly nulls?: boolean;
  /**
   * Whether stores sort and filter by themselves unless their options say otherwise: the default of `remoteSort` and `remoteFilter` is then
   * `false`, not `'auto'`. @default false
   */
  readonly localFirst?: boolean;
  /** The actions that may write several records in one request. @default all of them */
  readonly bulk?: readonly Action[];
  /** The server's names of fields in sorters and filters, by the field's name, where they are not its `mapping`. @default {} */
  readonly names?: Readonly<Record<string, string>>;
  /**
   * Text that joins the names of a member inside others in sorters and filters: with `'__'`, the mapping `address.city` is `address__city`.
   * @default the mapping as it is written
   */
  readonly pathSeparator?: string;
}

/**
 * Describes how a family of servers expects requests and sends answers: a plain object of steps. To write a dialect of your own,
 * spread the closest one and replace a step; `defineDialect` checks the result.
 *
 * @example
 * ```ts
 * const house = defineDialect({
 *   ...plain(),
 *   name: 'house',
 *   page({ request }) {
 *     const { page, limit } = request.operation;
 *     request.collect('p', page, 'house', 'page');
 *     request.collect('size', limit, 'house', 'pageSize');
 *   },
 * });
 * ```
 */
export interface Dialect {
  /** Name in messages and traces. */
  readonly name: string;
  /** Defaults for options of the proxy. Those in `reader`, `writer` and `actionMethods` are merged one by one. */
  readonly defaults: DialectDefaults;
  /**
   * Adds the parameters of `operation.page`, `start` and `limit` with `request.collect`. This step, `search`, `sort` and `filter` are
   * called one after the other for each read of a list, and throw `UnsupportedQueryError` for what the server cannot express.
   */
  page(context: StepContext): void;
  /**
   * Adds the parameters of `operation.search`.
   *
   * @example
   * ```ts
   * const house = defineDialect({
   *   ...plain(),
   *   name: 'house',
   *   search: ({ request }) => request.collect('q', request.operation.search || undefined, 'house', 'search'), // q=ada
   * });
   * ```
   */
  search(context: StepContext): void;
  /**
   * Adds the parameters of `operation.sorters` and `operation.grouper`; `sentSorters` gives the sorters that a server gets.
   *
   * @example
   * ```ts
   * const house = defineDialect({
   *   ...plain(),
   *   name: 'house',
   *   sort(context) {
   *     const order = sentSorters(context.request.operation).map(
   *       ({ property, direction }) => `${serverName(context, property)} ${direction.toLowerCase()}`,
   *     );
   *     context.request.collect('order', order.join(', ') || undefined, 'house', 'sorters'); // order=age desc, name asc
   *   },
   * });
   * ```
   */
  sort(context: StepContext): void;
  /**
   * Adds the parameters of `operation.filters`; `sentFilters` gives the filters that a server gets.
   *
   * @example
   * ```ts
   * const base = plain();
   * const house = defineDialect({
   *   ...base,
   *   name: 'house',
   *   capabilities: { ...base.capabilities, operators: ['eq'], trees: [] }, // the proxy refuses others before this step
   *   filter(context) {
   *     const conditions = sentFilters(context.request.operation).map(
   *       ({ property = '', value }) => `${serverName(context, property)}:${JSON.stringify(value)}`,
   *     );
   *     context.request.collect('where', conditions, 'house', 'filters'); // where=team:"A"&where=age:36
   *   },
   * });
   * ```
   */
  filter(context: StepContext): void;
  /**
   * Adds the parameters of `operation.fields`; `sentFields` gives the names of the members that rows need. Called for reads of lists and of
   * single records that ask for some fields only. @default such reads throw `UnsupportedQueryError`
   *
   * @example
   * ```ts
   * const house = defineDialect({
   *   ...plain(),
   *   name: 'house',
   *   fields: (context) => context.request.collect('only', sentFields(context).join(','), 'house', 'fields'), // only=id,name
   * });
   * ```
   */
  fields?(context: StepContext): void;
  /**
   * Returns the address of a record, made from the base path in `request.url`. If `request.bulk` is true, the request is about several
   * records, and the address must be that of the collection.
   *
   * @example
   * ```ts
   * const base = plain();
   * const house = defineDialect({
   *   ...base,
   *   name: 'house',
   *   address(context) {
   *     const { url = '' } = context.request;
   *     const address = base.address(context);
   *     return address === url ? url : `${address}/record`; // /users for a list, /users/7/record for a record
   *   },
   * });
   * ```
   */
  address(context: StepContext): string;
  /**
   * Whether `address` names records in the query, as in `?id=eq.7`. Such a server changes all rows that the query lets through, and
   * without the id these are all rows. The address of an update or destroy must therefore hold what `address` wrote, whatever the
   * options of the proxy are, also for several records and in a `singleton`. @default false
   */
  readonly idInQuery?: boolean;
  /**
   * The member of a row that holds its version, such as `'lock_version'`, if `body` adds it to updates. An outbox keeps its value with the
   * changes of a row, and so sends it after a restart, too.
   *
   * @default none
   */
  readonly lockVersion?: string | undefined;
  /** A further path, outside of the base, that `address` may return; the guard allows it. */
  declared?(context: StepContext): string | undefined;
  /**
   * The HTTP method; undefined for the proxy's default.
   *
   * @example
   * ```ts
   * const base = plain();
   * const house = defineDialect({
   *   ...base,
   *   name: 'house',
   *   method: (context) => (context.request.action === 'destroy' ? 'POST' : base.method?.(context)), // PATCH for an update
   * });
   * ```
   */
  method?(context: StepContext): string | undefined;
  /**
   * Headers of every request, such as `Accept` and `Prefer`; the proxy's own `headers` win over them. A function is called when the
   * request is sent, and may return a promise. Links to other origins are requested without them.
   *
   * @example
   * ```ts
   * const house = defineDialect({
   *   ...plain(),
   *   name: 'house',
   *   headers: ({ request }) => (request.action === 'read' ? {} : { Prefer: 'return=representation' }),
   * });
   * ```
   */
  headers?(context: StepContext): HeadersConfig;
  /**
   * The body before it becomes JSON; undefined for no body.
   *
   * @example
   * ```ts
   * const base = plain();
   * const house = defineDialect({
   *   ...base,
   *   name: 'house',
   *   body(context) {
   *     const body = base.body(context);
   *     return body === undefined ? undefined : { action: context.request.action, data: body };
   *   },
   * });
   * ```
   */
  body(context: StepContext): unknown;
  /**
   * Whether an unsuccessful response to the read of a list stands for a page, which `readPage` then reads: some servers refuse a page
   * behind the last row with 416 or 404. @default no response does
   *
   * @example
   * ```ts
   * const base = plain();
   * const house = defineDialect({
   *   ...base,
   *   name: 'house',
   *   isPage: ({ request }) => request.response?.status === 416, // a page behind the last row
   *   readPage: (context) => (context.request.response?.status === 416 ? new ResultSet() : base.readPage(context)),
   * });
   * ```
   */
  isPage?(context: StepContext): boolean;
  /**
   * Reads the response to a read.
   *
   * @example
   * ```ts
   * const base = plain();
   * const house = defineDialect({
   *   ...base,
   *   name: 'house',
   *   readPage(context) {
   *     const page = base.readPage(context);
   *     const count = context.request.response?.headers.get('X-Rows');
   *     if (count) page.total = Number(count);
   *     return page;
   *   },
   * });
   * ```
   */
  readPage(context: StepContext): ResultSet;
  /**
   * Reads the response to a write.
   *
   * @example
   * ```ts
   * const base = plain();
   * const house = defineDialect({
   *   ...base,
   *   name: 'house',
   *   readSaved(context) {
   *     const body = context.request.response?.body as { changed?: number } | undefined;
   *     // The server answers 200 to the update of a row that it does not have.
   *     return body?.changed === 0 ? new ResultSet({ success: false, affected: 0 }) : base.readSaved(context);
   *   },
   * });
   * ```
   */
  readSaved(context: StepContext): ResultSet;
  /**
   * Reads the id from the `Location` of a create, for servers with a form of their own such as `Users(4)`. Undefined applies the
   * usual rule, the last part of an address in the collection; null says that the header names no record of the collection. Never called for a 202.
   *
   * @example
   * ```ts
   * const house = defineDialect({
   *   ...plain(),
   *   name: 'house',
   *   readLocation: (_context, location) => /\((\d+)\)$/.exec(location)?.[1] ?? null, // Users(4)
   * });
   * ```
   */
  readLocation?(context: StepContext, location: string): string | null | undefined;
  /**
   * Reads the problem from an unsuccessful response. If the status of the response is a success and `readSaved` said that the request
   * failed, the `status` of the problem decides which error it is: 404 for a write that matched no row.
   *
   * @example
   * ```ts
   * const base = plain();
   * const texts: Record<string, string> = { E17: 'This name is taken.' };
   * const house = defineDialect({
   *   ...base,
   *   name: 'house',
   *   readError(context) {
   *     const problem = base.readError(context);
   *     const detail = texts[problem.code ?? ''];
   *     return detail === undefined ? problem : { ...problem, detail };
   *   },
   * });
   * ```
   */
  readError(context: StepContext): Problem;
  /** The queries that the steps can express. The proxy refuses others before the steps are called. */
  readonly capabilities: Capabilities;
}
